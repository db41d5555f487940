/* SPDX-License-Identifier: Apache-2.0
 * The ladder of matrix multiplications: the same product by kernels that use the memory spaces better and better.
 */
#include <math.h>

#include "demo.h"

typedef struct {
    const char *kernel, *label;
    cl_uint dimensions;
    cl_uint local_rows; /* rows of the matrix that the local argument holds */
} Step;

static const Step ladder[] = {
    {"element", "matmul, an element per item", 2, 0},
    {"row", "matmul, a row per item", 1, 0},
    {"row_private", "matmul, row, A private", 1, 0},
    {"row_private_local", "matmul, row, A private, B local", 1, 1},
    {"row_async", "matmul, row, async copy of B", 1, 2},
};

/* Groups of rows: a divisor of n that leaves every compute unit two groups where it can. */
static size_t group_of_rows(const Demo *demo, cl_kernel kernel, size_t n)
{
    size_t limit, group = n / (2 * demo->units);
    check(clGetKernelWorkGroupInfo(kernel, demo->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL),
          "clGetKernelWorkGroupInfo");
    group = group > limit ? limit : group;
    while (group > 1 && n % group)
        group--;
    return group ? group : 1;
}

static double run(const Demo *demo, cl_program program, const Step *step, cl_mem *matrices, size_t n)
{
    cl_kernel kernel = demo_kernel(program, step->kernel);
    size_t global[2] = {n, n}, group = group_of_rows(demo, kernel, n);
    for (cl_uint i = 0; i < 3; i++)
        demo_argument(kernel, i, sizeof(cl_mem), &matrices[i]);
    if (step->local_rows)
        demo_argument(kernel, 3, step->local_rows * n * sizeof(float), NULL);

    double best = 1e9;
    for (int round = 0; round < 2; round++) {
        cl_event event;
        cl_ulong start, end;
        check(clEnqueueNDRangeKernel(demo->queue, kernel, step->dimensions, NULL, global,
                                     step->dimensions == 1 ? &group : NULL, 0, NULL, &event),
              "clEnqueueNDRangeKernel");
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
              "clGetEventProfilingInfo");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
              "clGetEventProfilingInfo");
        check(clReleaseEvent(event), "clReleaseEvent");
        double spent = (end - start) * 1e-9;
        best = spent < best ? spent : best;
    }
    check(clReleaseKernel(kernel), "clReleaseKernel");
    return best;
}

static void multiply_here(const float *a, const float *b, double *c, size_t n)
{
    memset(c, 0, n * n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
}

static int agrees(const float *got, const double *expected, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-4 * fabs(expected[i]) + 1e-4))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    size_t n = size_argument(argc, argv, 1000), bytes = n * n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    double *expected = malloc(2 * bytes);
    if (!a || !b || !c || !expected)
        return 1;
    srand(2);
    for (size_t i = 0; i < n * n; i++) {
        a[i] = rand() / (float)RAND_MAX;
        b[i] = rand() / (float)RAND_MAX;
    }
    multiply_here(a, b, expected, n);

    Demo demo = demo_open();
    char *source = demo_read(DEMO_SOURCES "/matmul.cl"), options[64], size[64];
    snprintf(options, sizeof options, "-D N=%zu", n);
    snprintf(size, sizeof size, "%zu x %zu", n, n);
    cl_program program = demo_build(&demo, source, options);
    cl_mem matrices[3] = {
        demo_buffer(&demo, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a),
        demo_buffer(&demo, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b),
        demo_buffer(&demo, CL_MEM_READ_WRITE, bytes, NULL),
    };
    int right = 1;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        const float none = NAN; /* so that no step can pass on the result of the one before */
        check(clEnqueueFillBuffer(demo.queue, matrices[2], &none, sizeof none, 0, bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
        double best = run(&demo, program, &ladder[i], matrices, n);
        check(clEnqueueReadBuffer(demo.queue, matrices[2], CL_TRUE, 0, bytes, c, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        right &= demo_row(ladder[i].label, demo.name, size, best, 2.0 * n * n * n, "GFLOP/s", agrees(c, expected, n));
    }

    for (int i = 0; i < 3; i++)
        check(clReleaseMemObject(matrices[i]), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    demo_close(&demo);
    free(a);
    free(b);
    free(c);
    free(expected);
    free(source);
    return !right;
}
