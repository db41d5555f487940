/* SPDX-License-Identifier: Apache-2.0
 * Sum of many floats, four at a time: a tree in local memory per group, the few partial sums added by the host.
 */
#include <math.h>

#include "demo.h"

static const char *source =
    "kernel void reduce(global const float4 *in, global float4 *out, local float4 *sums)\n"
    "{\n"
    "    size_t item = get_local_id(0);\n"
    "    sums[item] = in[get_global_id(0)] + in[get_global_id(0) + get_global_size(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (size_t half_size = get_local_size(0) / 2; half_size > 1; half_size /= 2) {\n"
    "        if (item < half_size)\n"
    "            sums[item] += sums[item + half_size];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (item == 0)\n"
    "        out[get_group_id(0)] = sums[0] + sums[1];\n"
    "}\n";

int main(int argc, char **argv)
{
    const size_t group = 128;
    size_t unit = 8 * group; /* floats that one group adds */
    size_t n = size_argument(argc, argv, 1 << 24) / unit * unit, items = n / 8, groups = items / group;
    float *numbers = malloc(n * sizeof *numbers);
    cl_float4 *partial = malloc(groups * sizeof *partial);
    if (!numbers || !partial)
        return 1;
    double expected = 0, sum = 0;
    srand(3);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = rand() / (float)RAND_MAX;
        expected += numbers[i];
    }

    Demo demo = demo_open();
    cl_program program = demo_build(&demo, source, "");
    cl_kernel kernel = demo_kernel(program, "reduce");
    cl_mem in = demo_buffer(&demo, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *numbers, numbers);
    cl_mem out = demo_buffer(&demo, CL_MEM_WRITE_ONLY, groups * sizeof *partial, NULL);
    demo_argument(kernel, 0, sizeof in, &in);
    demo_argument(kernel, 1, sizeof out, &out);
    demo_argument(kernel, 2, group * sizeof(cl_float4), NULL);

    double best = 1e9;
    for (int round = 0; round < 8; round++) {
        double start = now();
        check(clEnqueueNDRangeKernel(demo.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clEnqueueReadBuffer(demo.queue, out, CL_TRUE, 0, groups * sizeof *partial, partial, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        double spent = now() - start;
        best = spent < best ? spent : best;
    }
    for (size_t i = 0; i < groups; i++)
        for (int lane = 0; lane < 4; lane++)
            sum += partial[i].s[lane];

    char size[64];
    snprintf(size, sizeof size, "%zu floats", n);
    int right = demo_row("reduction, float4", demo.name, size, best, (double)n * sizeof *numbers, "GB/s",
                         fabs(sum - expected) <= 1e-6 * expected);

    check(clReleaseMemObject(in), "clReleaseMemObject");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    demo_close(&demo);
    free(numbers);
    free(partial);
    return !right;
}
