/* SPDX-License-Identifier: Apache-2.0
 *
 * debugged FILE OPTIONS: a program for a debugger. Builds the file with the options and runs its kernel `scale`.
 */
#include "host.h"

enum { ITEMS = 64, GROUP = 16 };

int main(int argc, char **argv)
{
    static char text[4096];
    const char *source = text;
    float in[ITEMS], out[ITEMS], by = 3;
    size_t items = ITEMS, group = GROUP;
    cl_device_id device;
    cl_int error;
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    REQUIRE(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (int i = 0; i < ITEMS; i++)
        in[i] = (float)i;
    CHECK(clGetDeviceIDs(find_platform("clpy"), CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK(clBuildProgram(program, 1, &device, argv[2], NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &error);
    CHECK(clSetKernelArg(kernel, 0, sizeof to, &to));
    CHECK(clSetKernelArg(kernel, 1, sizeof from, &from));
    CHECK(clSetKernelArg(kernel, 2, sizeof by, &by));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    printf("%g %g\n", out[0], out[20]);
    return 0;
}
