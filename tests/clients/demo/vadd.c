/* SPDX-License-Identifier: Apache-2.0
 * Vector addition, the first program of every tutorial: two arrays are written, added, and read back.
 */
#include "demo.h"

static const char *source = "kernel void vadd(global const float *a, global const float *b, global float *c, uint n)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        c[i] = a[i] + b[i];\n"
                            "}\n";

int main(int argc, char **argv)
{
    size_t n = size_argument(argc, argv, 1 << 24), bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    if (!a || !b || !c)
        return 1;
    srand(1);
    for (size_t i = 0; i < n; i++) {
        a[i] = rand() / (float)RAND_MAX;
        b[i] = rand() / (float)RAND_MAX;
    }

    Demo demo = demo_open();
    cl_program program = demo_build(&demo, source, "");
    cl_kernel kernel = demo_kernel(program, "vadd");
    cl_mem a_in = demo_buffer(&demo, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem b_in = demo_buffer(&demo, CL_MEM_READ_ONLY, bytes, NULL);
    cl_mem c_out = demo_buffer(&demo, CL_MEM_WRITE_ONLY, bytes, NULL);
    check(clEnqueueWriteBuffer(demo.queue, a_in, CL_FALSE, 0, bytes, a, 0, NULL, NULL), "clEnqueueWriteBuffer");
    check(clEnqueueWriteBuffer(demo.queue, b_in, CL_FALSE, 0, bytes, b, 0, NULL, NULL), "clEnqueueWriteBuffer");
    cl_uint count = (cl_uint)n;
    demo_argument(kernel, 0, sizeof a_in, &a_in);
    demo_argument(kernel, 1, sizeof b_in, &b_in);
    demo_argument(kernel, 2, sizeof c_out, &c_out);
    demo_argument(kernel, 3, sizeof count, &count);

    double best = 1e9;
    size_t group = 128, global = (n + group - 1) / group * group;
    check(clFinish(demo.queue), "clFinish");
    for (int round = 0; round < 8; round++) {
        double start = now();
        check(clEnqueueNDRangeKernel(demo.queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(demo.queue), "clFinish");
        double spent = now() - start;
        best = spent < best ? spent : best;
    }
    check(clEnqueueReadBuffer(demo.queue, c_out, CL_TRUE, 0, bytes, c, 0, NULL, NULL), "clEnqueueReadBuffer");

    int right = 1;
    for (size_t i = 0; i < n; i++)
        right &= c[i] == a[i] + b[i];
    char size[64];
    snprintf(size, sizeof size, "%zu floats", n);
    demo_row("vector add", demo.name, size, best, 3.0 * bytes, "GB/s", right);

    check(clReleaseMemObject(a_in), "clReleaseMemObject");
    check(clReleaseMemObject(b_in), "clReleaseMemObject");
    check(clReleaseMemObject(c_out), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    demo_close(&demo);
    free(a);
    free(b);
    free(c);
    return !right;
}
