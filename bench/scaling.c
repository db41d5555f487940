/* SPDX-License-Identifier: Apache-2.0
 * How launches spread over the processors that this process may use: prints one line of JSON, microseconds of the best
 * and of the middle round for each. On the first device of the first platform that the loader lists.
 * usage: scaling THREADS [ROUNDS [NAME ...]] */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

#define MOST_THREADS 256
#define MOST_ROUNDS 1000
#define CALIBRATE 2000000
#define TINY 20000               /* launches of a host thread */

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_mem words, out;
static int threads;
static double steps_per_us;

static const char *source =
    "float burn(uint steps, float x) { for (uint i = 0; i < steps; i++) x = x * 0.999f + 0.001f; return x; }\n"
    "kernel void spin(global float *out, uint steps, uint last, uint n)\n"
    "{ uint g = get_group_id(0); out[g] = burn(g == n - 1 ? last : steps, g); }\n"
    "kernel void count(global int *words, uint times)\n"
    "{ uint g = get_group_id(0); for (uint i = 0; i < times; i++) atomic_inc(words + g); }\n"
    "kernel void rows(global const float *a, global const float *b, global float *c, uint n)\n"
    "{ uint y = get_global_id(0); for (uint x = 0; x < n; x++) { float s = 0;\n"
    "  for (uint k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; } }\n"
    "kernel void tiny(global float *out) { out[get_global_id(0)] += 1; }\n";

static double now_us(void) { return now() / 1e3; }

static cl_mem buffer(size_t size)
{
    cl_int err;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
    cl_float zero = 0;
    check(err, "clCreateBuffer");
    check(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, size, 0, NULL, NULL), "clEnqueueFillBuffer");
    return mem;
}

static cl_kernel kernel(const char *name)
{
    cl_int err;
    cl_kernel made = clCreateKernel(program, name, &err);
    check(err, "clCreateKernel");
    return made;
}

static double launch(cl_kernel which, size_t groups)
{
    size_t one = 1;
    double start = now_us();
    check(clEnqueueNDRangeKernel(queue, which, 1, NULL, &groups, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    return now_us() - start;
}

static cl_kernel spin_for(size_t groups, cl_uint steps, cl_uint last)
{
    static cl_kernel made;
    cl_uint n = groups;
    if (!made)
        made = kernel("spin");
    check(clSetKernelArg(made, 0, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(made, 1, sizeof steps, &steps), "clSetKernelArg");
    check(clSetKernelArg(made, 2, sizeof last, &last), "clSetKernelArg");
    check(clSetKernelArg(made, 3, sizeof n, &n), "clSetKernelArg");
    return made;
}

static double spin(size_t groups, double us, double last_us)
{
    return launch(spin_for(groups, us * steps_per_us, last_us * steps_per_us), groups);
}

/* Each returns the microseconds of one launch to its end. */

static double after_a_pause(void)
{
    usleep(20000);
    return spin(threads, 1000, 1000);
}

static double of_1ms(void) { return spin(threads, 1000, 1000); }
static double of_200us(void) { return spin(threads, 200, 200); }
static double of_500ns(void) { return spin(4 * threads, .5, .5); }
static double of_2us(void) { return spin(4 * threads, 2, 2); }
static double of_1us(void) { return spin(16 * threads, 1, 1); }
static double of_20us(void) { return spin(64 * threads, 20, 20); }
static double heavy_last(void) { return spin(4 * threads, 50, 1000); }

static double neighbours(void)
{
    static cl_kernel made;
    cl_uint times = 2000;
    if (!made)
        made = kernel("count");
    check(clSetKernelArg(made, 0, sizeof words, &words), "clSetKernelArg");
    check(clSetKernelArg(made, 1, sizeof times, &times), "clSetKernelArg");
    return launch(made, 16 * threads);
}

static double row_per_item(void)
{
    static cl_kernel made;
    static cl_mem a, b, c;
    cl_uint n = 480;               /* no power of two, which would have all rows in few sets of the caches */
    size_t global = n;
    double start;
    if (!made) {
        made = kernel("rows");
        a = buffer(n * n * 4), b = buffer(n * n * 4), c = buffer(n * n * 4);
    }
    check(clSetKernelArg(made, 0, sizeof a, &a), "clSetKernelArg");
    check(clSetKernelArg(made, 1, sizeof b, &b), "clSetKernelArg");
    check(clSetKernelArg(made, 2, sizeof c, &c), "clSetKernelArg");
    check(clSetKernelArg(made, 3, sizeof n, &n), "clSetKernelArg");
    start = now_us();
    check(clEnqueueNDRangeKernel(queue, made, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    return now_us() - start;
}

static void *launches(void *unused)
{
    cl_int err;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_kernel made = kernel("tiny");
    cl_mem mem = buffer(4096);
    size_t one = 1;
    check(err, "clCreateCommandQueueWithProperties");
    check(clSetKernelArg(made, 0, sizeof mem, &mem), "clSetKernelArg");
    for (int i = 0; i < TINY; i++) {
        check(clEnqueueNDRangeKernel(own, made, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        check(clFinish(own), "clFinish");
    }
    clReleaseMemObject(mem);
    clReleaseKernel(made);
    clReleaseCommandQueue(own);
    return unused;
}

/* Of all host threads together. */
static double host_threads(void)
{
    pthread_t others[MOST_THREADS];
    double start = now_us();
    for (int i = 0; i < threads; i++)
        pthread_create(&others[i], NULL, launches, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(others[i], NULL);
    return (now_us() - start) / TINY / threads;
}

static void set_up(void)
{
    cl_platform_id platform;
    cl_int err;
    double took = 1e18, one;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "clCreateCommandQueueWithProperties");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    words = buffer(64 * MOST_THREADS * sizeof(cl_int));
    out = buffer(64 * MOST_THREADS * sizeof(cl_float));
    for (int i = 0; i < 5; i++) {
        one = launch(spin_for(1, CALIBRATE, CALIBRATE), 1);
        took = one < took ? one : took;
    }
    steps_per_us = CALIBRATE / took;
}

static const struct {
    const char *name;
    double (*run)(void);
} rows[] = {
    {"N of 1 ms, after a pause", after_a_pause}, {"N of 1 ms", of_1ms},           {"N of 200 us", of_200us},
    {"4 N of 0.5 us", of_500ns},                 {"4 N of 2 us", of_2us},         {"16 N of 1 us", of_1us},
    {"64 N of 20 us", of_20us},                  {"4 N of 50 us, last 1 ms", heavy_last},
    {"16 N, atomics side by side", neighbours},  {"480 rows of a product", row_per_item},
    {"tiny launch, N host threads", host_threads},
};

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (strstr(name, argv[i]))
            return 1;
    return argc <= 3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double spent[MOST_ROUNDS];
    int rounds = argc > 2 ? atoi(argv[2]) : 20, printed = 0;
    char name[256] = "";
    threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > MOST_THREADS || rounds < 1 || rounds > MOST_ROUNDS)
        return 2;
    set_up();
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    printf("{\"device\": \"%s\"", name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n = rows[i].run == host_threads ? 3 : rounds;
        if (!wanted(rows[i].name, argc, argv))
            continue;
        for (int round = -3; round < n; round++) {
            double us = rows[i].run();
            if (round >= 0)
                spent[round] = us;
        }
        qsort(spent, n, sizeof *spent, by_size);
        printf(", \"%s\": [%.2f, %.2f]", rows[i].name, spent[0], spent[n / 2]);
        printed++;
    }
    printf("}\n");
    fflush(stdout);
    _Exit(printed ? 0 : 1);
}
