/* SPDX-License-Identifier: Apache-2.0
 * What every C program of the demo needs: the device, a built program, a clock, the row it reports.
 * The platform is the one whose name holds $DEMO_PLATFORM (clpy when unset); the device is its CPU, or where
 * $DEMO_DEVICE is gpu its first GPU.
 */
#ifndef DEMO_H
#define DEMO_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_uint units;
    char name[256];
} Demo;

static inline void check(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s failed: %d\n", what, err);
        exit(1);
    }
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline size_t size_argument(int argc, char **argv, size_t otherwise)
{
    return argc > 1 ? strtoull(argv[1], NULL, 10) : otherwise;
}

static inline cl_platform_id find_platform(void)
{
    const char *wanted = getenv("DEMO_PLATFORM");
    cl_platform_id platforms[16];
    cl_uint count = 0;
    char name[256];
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
        if (strstr(name, wanted ? wanted : "clpy"))
            return platforms[i];
    }
    fprintf(stderr, "none of the %u platforms is called %s\n", count, wanted ? wanted : "clpy");
    exit(1);
}

static inline Demo demo_open(void)
{
    const char *wanted = getenv("DEMO_DEVICE");
    cl_device_type type = wanted && !strcmp(wanted, "gpu") ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    Demo demo;
    cl_int err;
    check(clGetDeviceIDs(find_platform(), type, 1, &demo.device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(demo.device, CL_DEVICE_NAME, sizeof demo.name, demo.name, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(demo.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof demo.units, &demo.units, NULL),
          "clGetDeviceInfo");
    demo.context = clCreateContext(NULL, 1, &demo.device, NULL, NULL, &err);
    check(err, "clCreateContext");
    demo.queue = clCreateCommandQueue(demo.context, demo.device, CL_QUEUE_PROFILING_ENABLE, &err);
    check(err, "clCreateCommandQueue");
    return demo;
}

static inline cl_program demo_build(const Demo *demo, const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(demo->context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    err = clBuildProgram(program, 1, &demo->device, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        char log[16384] = "";
        clGetProgramBuildInfo(program, demo->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(err, "clBuildProgram");
    return program;
}

/* The text of a kernel file of this folder; the build defines DEMO_SOURCES as the folder's path. */
static inline char *demo_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (!file || !text || fread(text, 1, 65535, file) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static inline cl_kernel demo_kernel(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    check(err, "clCreateKernel");
    return kernel;
}

static inline cl_mem demo_buffer(const Demo *demo, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(demo->context, flags, bytes, host, &err);
    check(err, "clCreateBuffer");
    return buffer;
}

static inline void demo_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static inline void demo_close(Demo *demo)
{
    check(clReleaseCommandQueue(demo->queue), "clReleaseCommandQueue");
    check(clReleaseContext(demo->context), "clReleaseContext");
}

/* One line per result; `work` is in floating-point operations or bytes, as `unit` says. */
static inline int demo_row(const char *program, const char *device, const char *size, double seconds, double work,
                           const char *unit, int verified)
{
    printf("{\"program\": \"%s\", \"device\": \"%s\", \"size\": \"%s\", \"seconds\": %.9f, \"rate\": %.3f, "
           "\"unit\": \"%s\", \"verified\": %s}\n",
           program, device, size, seconds, work / seconds / 1e9, unit, verified ? "true" : "false");
    fflush(stdout);
    return verified;
}

#endif
