/* SPDX-License-Identifier: Apache-2.0
 *
 * What a loader calls. Each function makes sure that the core is there and goes on through the dispatch table.
 */
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_icd.h>

#define PLATFORM_NOT_FOUND (-1001)  /* CL_PLATFORM_NOT_FOUND_KHR */
#define EXPORT __attribute__((visibility("default")))

/* What the core hands over (clpy/api/process.pyx fills it, in this order). */
struct core {
    const cl_icd_dispatch *dispatch;
    void *(*find_function)(const char *name, int extensions_only);
    cl_int (*set_dispatch_data)(cl_platform_id platform, void *data);
    void (*after_fork_in_child)(void);
};

/* The core, brought up by the first call; NULL when there can be none in this process. */
static const struct core *core_ready(void);

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    const struct core *core = core_ready();
    if (core)
        return core->dispatch->clGetPlatformIDs(num_entries, platforms, num_platforms);
    if (num_platforms)
        *num_platforms = 0;
    return PLATFORM_NOT_FOUND;
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    const struct core *core = core_ready();
    if (!core)
        return CL_INVALID_PLATFORM;
    return core->dispatch->clGetPlatformInfo(platform, param_name, param_value_size, param_value,
                                             param_value_size_ret);
}

EXPORT void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name)
{
    const struct core *core = core_ready();
    (void)platform;
    return core && name ? core->find_function(name, 0) : NULL;
}

EXPORT cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data)
{
    const struct core *core = core_ready();
    return core ? core->set_dispatch_data(platform, data) : CL_INVALID_PLATFORM;
}

/* A loader asks for these before it knows whether there is a platform: no interpreter is needed to tell. */
static const struct {
    const char *name;
    void *address;
} own[] = {
    {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
    {"clGetPlatformInfo", (void *)clGetPlatformInfo},
    {"clIcdGetFunctionAddressForPlatformKHR", (void *)clIcdGetFunctionAddressForPlatformKHR},
    {"clIcdSetPlatformDispatchDataKHR", (void *)clIcdSetPlatformDispatchDataKHR},
};

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name))
            return own[i].address;
    const struct core *core = core_ready();
    return core ? core->find_function(name, 1) : NULL;
}
