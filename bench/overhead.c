/* SPDX-License-Identifier: Apache-2.0
 * What the calls of the host cost: times small things many times and prints the best round of each as one line of JSON,
 * in nanoseconds per operation. On the first device of the first platform that the loader lists.
 * usage: overhead [ROUNDS [NAME ...]] */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "driver.h"

#define MANY 10000
#define SOME 1000
#define BIG ((size_t)64 << 20)

static cl_context context;
static cl_device_id device;
static cl_command_queue in_order, out_of_order;
static cl_kernel empty, two;
static cl_mem small, big;
static cl_event events[MANY];
static atomic_int called;

static void release_events(int n)
{
    for (int i = 0; i < n; i++)
        check(clReleaseEvent(events[i]), "clReleaseEvent");
}

/* Each returns the nanoseconds of one operation. */

static double enqueue_only(void)
{
    size_t one = 1;
    double start = now(), spent;
    for (int i = 0; i < SOME; i++)
        check(clEnqueueNDRangeKernel(out_of_order, empty, 1, NULL, &one, &one, 0, NULL, &events[i]), "enqueue");
    spent = now() - start;
    check(clFinish(out_of_order), "clFinish");
    release_events(SOME);
    return spent / SOME;
}

static double enqueue_to_end(void)
{
    size_t one = 1;
    double start = now();
    for (int i = 0; i < SOME; i++)
        check(clEnqueueNDRangeKernel(out_of_order, empty, 1, NULL, &one, &one, 0, NULL, &events[i]), "enqueue");
    check(clFinish(out_of_order), "clFinish");
    release_events(SOME);
    return (now() - start) / SOME;
}

static double chain(void)
{
    size_t one = 1;
    double start = now(), spent;
    for (int i = 0; i < MANY; i++)
        check(clEnqueueNDRangeKernel(out_of_order, empty, 1, NULL, &one, &one, i > 0, i ? &events[i - 1] : NULL,
                                     &events[i]), "enqueue");
    check(clWaitForEvents(1, &events[MANY - 1]), "clWaitForEvents");
    spent = now() - start;
    release_events(MANY);
    return spent / MANY;
}

static double gated_chain(void)
{
    size_t one = 1;
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err);
    double start = now(), spent;
    check(err, "clCreateUserEvent");
    for (int i = 0; i < MANY; i++)
        check(clEnqueueNDRangeKernel(out_of_order, empty, 1, NULL, &one, &one, 1, i ? &events[i - 1] : &gate,
                                     &events[i]), "enqueue");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clWaitForEvents(1, &events[MANY - 1]), "clWaitForEvents");
    spent = now() - start;
    release_events(MANY);
    check(clReleaseEvent(gate), "clReleaseEvent");
    return spent / MANY;
}

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
    atomic_fetch_add(&called, 1);
}

static double user_events(void)
{
    double start = now(), spent;
    cl_int err;
    called = 0;
    for (int i = 0; i < MANY; i++) {
        events[i] = clCreateUserEvent(context, &err);
        check(err, "clCreateUserEvent");
        check(clSetEventCallback(events[i], CL_COMPLETE, count, NULL), "clSetEventCallback");
    }
    for (int i = 0; i < MANY; i++)
        check(clSetUserEventStatus(events[i], CL_COMPLETE), "clSetUserEventStatus");
    while (called < MANY)
        sched_yield();
    spent = now() - start;
    release_events(MANY);
    return spent / MANY;
}

static double map_unmap(void)
{
    double start = now();
    cl_int err;
    for (int i = 0; i < 20; i++) {
        void *p = clEnqueueMapBuffer(in_order, big, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BIG, 0, NULL, NULL, &err);
        check(err, "clEnqueueMapBuffer");
        check(clEnqueueUnmapMemObject(in_order, big, p, 0, NULL, NULL), "clEnqueueUnmapMemObject");
        check(clFinish(in_order), "clFinish");
    }
    return (now() - start) / 20;
}

static double set_arg_number(void)
{
    double start = now();
    for (cl_int i = 0; i < MANY; i++)
        check(clSetKernelArg(two, 1, sizeof i, &i), "clSetKernelArg");
    return (now() - start) / MANY;
}

static double set_arg_buffer(void)
{
    double start = now();
    for (cl_int i = 0; i < MANY; i++)
        check(clSetKernelArg(two, 0, sizeof small, &small), "clSetKernelArg");
    return (now() - start) / MANY;
}

static void *retain_many(void *which)
{
    cl_mem mem = which;
    for (int i = 0; i < 10 * MANY; i++) {
        clRetainMemObject(mem);
        clReleaseMemObject(mem);
    }
    return NULL;
}

static double retain_in_two(cl_mem first, cl_mem second)
{
    pthread_t other;
    double start = now();
    pthread_create(&other, NULL, retain_many, second);
    retain_many(first);
    pthread_join(other, NULL);
    return (now() - start) / (10 * MANY);
}

static double retain_same(void)
{
    return retain_in_two(small, small);
}

static double retain_apart(void)
{
    return retain_in_two(small, big);
}

/* `batch` buffers at a time, one after the other released. */
static double create_release(int total, int batch, size_t size)
{
    static cl_mem made[100000];
    cl_int err = CL_SUCCESS;
    double start = now();
    for (int done = 0; done < total; done += batch) {
        for (int i = 0; i < batch && !err; i++)
            made[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
        check(err, "clCreateBuffer");
        for (int i = 0; i < batch; i++)
            clReleaseMemObject(made[i]);
    }
    return (now() - start) / total;
}

static double create_one(void)
{
    return create_release(10 * MANY, 1, 4096);
}

static double create_large(void)
{
    return create_release(MANY, 1, BIG);
}

static double create_many(void)
{
    return create_release(300000, 100000, 64);
}

static void set_up(void)
{
    const char *source = "kernel void empty(void) { }\nkernel void two(global int *a, int b) { a[0] = b; }\n";
    cl_platform_id platform;
    cl_program program;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    in_order = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "queue");
    out_of_order = clCreateCommandQueueWithProperties(context, device, properties, &err);
    check(err, "queue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "program");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    empty = clCreateKernel(program, "empty", &err);
    check(err, "clCreateKernel");
    two = clCreateKernel(program, "two", &err);
    check(err, "clCreateKernel");
    small = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
    check(err, "clCreateBuffer");
    big = clCreateBuffer(context, CL_MEM_READ_WRITE, BIG, NULL, &err);
    check(err, "clCreateBuffer");
}

static const struct {
    const char *name;
    double (*run)(void);
} operations[] = {
    {"enqueue empty kernel, event", enqueue_only}, {"the same, to its end", enqueue_to_end},
    {"chain of 10000 kernels", chain},             {"the same, behind a gate", gated_chain},
    {"user event with callback", user_events},     {"map + unmap 64 MiB", map_unmap},
    {"set argument, number", set_arg_number},      {"set argument, buffer", set_arg_buffer},
    {"retain + release, one object", retain_same}, {"retain + release, two", retain_apart},
    {"create + release 4 KiB", create_one},        {"create + release 64 MiB", create_large},
    {"the same, 100000 of 64 bytes", create_many},
};

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strstr(name, argv[i]))
            return 1;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 5, printed = 0;
    char name[256] = "";
    set_up();
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    printf("{\"device\": \"%s\"", name);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        double best = 1e18;
        if (!wanted(operations[i].name, argc, argv))
            continue;
        for (int round = 0; round < rounds; round++) {
            double spent = operations[i].run();
            best = spent < best ? spent : best;
        }
        printf(", \"%s\": %.1f", operations[i].name, best);
        printed++;
    }
    printf("}\n");
    fflush(stdout);
    _Exit(printed ? 0 : 1);
}
