/* SPDX-License-Identifier: Apache-2.0
 * What the C host programs share: the platform by name, a kernel that is built, run and checked.
 */
#ifndef HOST_H
#define HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cl_int code_ = (call);                                                       \
        if (code_ != CL_SUCCESS) {                                                   \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, code_);    \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

#define REQUIRE(condition)                                                           \
    do {                                                                             \
        if (!(condition)) {                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

/* Signals whose handlers clpy stands before, as docs/icd.md says: those of faults, unless CLPY_FAULTS is 0. */
static inline int is_of_faults(int number)
{
    const char *faults = getenv("CLPY_FAULTS");
    if (faults && !strcmp(faults, "0"))
        return 0;
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}

enum { N = 1000 };

static const char *const SOURCE =
    "__kernel void work(__global const int *a, __global int *b, uint rounds) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int x = a[i];\n"
    "    for (uint k = 0; k < rounds; k++) x = x * 3 + (int)(k ^ i);\n"
    "    b[i] = x;\n"
    "}\n";

/* The platform whose name contains `part`; NULL when there is none. */
static cl_platform_id find_platform(const char *part)
{
    cl_platform_id list[32];
    cl_uint n = 0;
    if (clGetPlatformIDs(32, list, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < n && i < 32; i++) {
        char name[256];
        CHECK(clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (strstr(name, part))
            return list[i];
    }
    return NULL;
}

struct job {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem a, b;
    int in[N];
};

static void job_make(struct job *job, cl_platform_id platform)
{
    cl_device_id device;
    cl_int code;
    for (int i = 0; i < N; i++)
        job->in[i] = 7 * i - 1000;
    /* Other platforms need not have a default device. */
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL))
        CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    job->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    job->queue = clCreateCommandQueueWithProperties(job->context, device, NULL, &code);
    CHECK(code);
    job->program = clCreateProgramWithSource(job->context, 1, (const char **)&SOURCE, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(job->program, 1, &device, "", NULL, NULL));
    job->kernel = clCreateKernel(job->program, "work", &code);
    CHECK(code);
    job->a = clCreateBuffer(job->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof job->in, job->in, &code);
    CHECK(code);
    job->b = clCreateBuffer(job->context, CL_MEM_READ_WRITE, sizeof job->in, NULL, &code);
    CHECK(code);
}

static void job_launch(struct job *job, cl_uint rounds)
{
    size_t global = N;
    CHECK(clSetKernelArg(job->kernel, 0, sizeof job->a, &job->a));
    CHECK(clSetKernelArg(job->kernel, 1, sizeof job->b, &job->b));
    CHECK(clSetKernelArg(job->kernel, 2, sizeof rounds, &rounds));
    CHECK(clEnqueueNDRangeKernel(job->queue, job->kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static void job_check(struct job *job, cl_uint rounds)
{
    int out[N];
    CHECK(clEnqueueReadBuffer(job->queue, job->b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (unsigned i = 0; i < N; i++) {
        unsigned x = (unsigned)job->in[i];
        for (cl_uint k = 0; k < rounds; k++)
            x = x * 3 + (k ^ i);
        REQUIRE(out[i] == (int)x);
    }
}

static void job_release(struct job *job)
{
    CHECK(clReleaseMemObject(job->a));
    CHECK(clReleaseMemObject(job->b));
    CHECK(clReleaseKernel(job->kernel));
    CHECK(clReleaseProgram(job->program));
    CHECK(clReleaseCommandQueue(job->queue));
    CHECK(clReleaseContext(job->context));
}

static inline void run_kernel(cl_platform_id platform)
{
    struct job job;
    job_make(&job, platform);
    job_launch(&job, 5);
    job_check(&job, 5);
    job_release(&job);
}

#endif
