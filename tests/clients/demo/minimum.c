/* SPDX-License-Identifier: Apache-2.0
 * Parallel minimum in two kernels linked by an event: once with one work-item per compute unit, each with a piece of
 * its own (kind to a CPU's caches), once with groups of 64 that read side by side (kind to a GPU's memory).
 */
#include "demo.h"

typedef struct {
    const char *label;
    size_t items, group;
    cl_uint strided;
} Pattern;

static double run(const Demo *demo, cl_program program, cl_mem in, size_t n, const Pattern *p, cl_uint *least)
{
    cl_kernel minimum = demo_kernel(program, "minimum"), groups = demo_kernel(program, "least_of_groups");
    size_t n_groups = p->items / p->group;
    cl_mem partial = demo_buffer(demo, CL_MEM_READ_WRITE, n_groups * sizeof(cl_uint), NULL);
    cl_uint per_item = (cl_uint)(n / 4 / p->items);
    demo_argument(minimum, 0, sizeof in, &in);
    demo_argument(minimum, 1, sizeof partial, &partial);
    demo_argument(minimum, 2, sizeof(cl_uint), NULL);
    demo_argument(minimum, 3, sizeof per_item, &per_item);
    demo_argument(minimum, 4, sizeof p->strided, &p->strided);
    demo_argument(groups, 0, sizeof partial, &partial);

    double best = 1e9;
    for (int round = 0; round < 8; round++) {
        cl_event first;
        double start = now();
        check(clEnqueueNDRangeKernel(demo->queue, minimum, 1, NULL, &p->items, &p->group, 0, NULL, &first),
              "clEnqueueNDRangeKernel");
        check(clEnqueueNDRangeKernel(demo->queue, groups, 1, NULL, &n_groups, NULL, 1, &first, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(demo->queue), "clFinish");
        double spent = now() - start;
        best = spent < best ? spent : best;
        check(clReleaseEvent(first), "clReleaseEvent");
    }
    check(clEnqueueReadBuffer(demo->queue, partial, CL_TRUE, 0, sizeof *least, least, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clReleaseMemObject(partial), "clReleaseMemObject");
    check(clReleaseKernel(minimum), "clReleaseKernel");
    check(clReleaseKernel(groups), "clReleaseKernel");
    return best;
}

int main(int argc, char **argv)
{
    size_t n = size_argument(argc, argv, 4096 * 4096);
    Demo demo = demo_open();
    char *source = demo_read(DEMO_SOURCES "/minimum.cl");
    cl_program program = demo_build(&demo, source, "");

    cl_uint *numbers = malloc(n * sizeof *numbers), expected = CL_UINT_MAX, seed = 12345;
    if (!numbers)
        return 1;
    for (size_t i = 0; i < n; i++) {
        seed = 36969 * (seed & 65535) + (seed >> 16); /* multiply with carry */
        numbers[i] = seed | 1;
    }
    numbers[n / 3] = 0x10; /* below nearly all, so that a lost group is seen */
    for (size_t i = 0; i < n; i++)
        expected = numbers[i] < expected ? numbers[i] : expected;
    cl_mem in = demo_buffer(&demo, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *numbers, numbers);

    size_t chunks = demo.units, wide = 64 * 7 * demo.units;
    while (n / 4 % chunks)
        chunks++;
    while (n / 4 % wide)
        wide += 64;
    Pattern patterns[] = {{"minimum, a piece per item", chunks, 1, 0}, {"minimum, groups of 64", wide, 64, 1}};
    char size[64];
    snprintf(size, sizeof size, "%zu words", n);
    int right = 1;
    for (int i = 0; i < 2; i++) {
        cl_uint least = 0;
        double best = run(&demo, program, in, n, &patterns[i], &least);
        right &= demo_row(patterns[i].label, demo.name, size, best, (double)n * sizeof *numbers, "GB/s",
                          least == expected);
    }

    check(clReleaseMemObject(in), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    demo_close(&demo);
    free(numbers);
    free(source);
    return !right;
}
