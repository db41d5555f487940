/* SPDX-License-Identifier: Apache-2.0
 * `rights LIBRARY` asks the platform without a loader, which has variables of its own, and builds a program: what the
 * environment says of us must have no effect where this program has more rights than who starts it.
 */
#include <dlfcn.h>
#include <stdio.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>

int main(int count, char **words)
{
    const char *text = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";
    void *library = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
    clIcdGetPlatformIDsKHR_fn platforms = NULL;
    cl_platform_id platform;
    cl_device_id device;
    cl_uint units, n;
    cl_ulong cache;
    cl_int err;
    if (library)
        *(void **)&platforms = dlsym(library, "clIcdGetPlatformIDsKHR");
    if (!platforms || platforms(1, &platform, NULL))
        return 1;
    const cl_icd_dispatch *cl = *(const cl_icd_dispatch **)platform;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) ||
        cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
        cl->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) ||
        cl->clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL))
        return 2;
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (err)
        return 3;
    cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &err);
    if (err || cl->clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 4;
    printf("%u units, cache %llu\n", units, (unsigned long long)cache);
    return 0;
}
