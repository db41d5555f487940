/* SPDX-License-Identifier: Apache-2.0
 * The smallest complete program: each work-item writes its own index into a buffer, the host maps it and looks.
 */
#include "demo.h"

static const char *source = "kernel void fill(global uint *out)\n"
                            "{\n"
                            "    out[get_global_id(0)] = get_global_id(0);\n"
                            "}\n";

int main(int argc, char **argv)
{
    size_t n = size_argument(argc, argv, 1 << 24);
    Demo demo = demo_open();
    cl_program program = demo_build(&demo, source, "");
    cl_kernel kernel = demo_kernel(program, "fill");
    cl_mem buffer = demo_buffer(&demo, CL_MEM_WRITE_ONLY, n * sizeof(cl_uint), NULL);
    demo_argument(kernel, 0, sizeof buffer, &buffer);

    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        double start = now();
        check(clEnqueueNDRangeKernel(demo.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        check(clFinish(demo.queue), "clFinish");
        double spent = now() - start;
        best = spent < best ? spent : best;
    }

    cl_int err;
    cl_uint *seen = clEnqueueMapBuffer(demo.queue, buffer, CL_TRUE, CL_MAP_READ, 0, n * sizeof(cl_uint), 0, NULL, NULL,
                                       &err);
    check(err, "clEnqueueMapBuffer");
    int right = 1;
    for (size_t i = 0; i < n; i++)
        right &= seen[i] == (cl_uint)i;
    check(clEnqueueUnmapMemObject(demo.queue, buffer, seen, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(demo.queue), "clFinish");

    char size[64];
    snprintf(size, sizeof size, "%zu words", n);
    demo_row("buffer write", demo.name, size, best, (double)n * sizeof(cl_uint), "GB/s", right);

    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    demo_close(&demo);
    return !right;
}
