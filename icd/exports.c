/* SPDX-License-Identifier: Apache-2.0
 *
 * What a loader calls. None of it starts an interpreter: a program that lists platforms and takes another one pays
 * nothing for clpy, and a loader that holds a lock of its own meanwhile cannot get stuck with the GIL.
 */
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_icd.h>

#include "clpy_abi.h"

#define ICD_SUFFIX 0x0920           /* CL_PLATFORM_ICD_SUFFIX_KHR */
#define EXPORT __attribute__((visibility("default")))

/* What the core hands over (clpy/api/process.pyx fills it, in this order). */
struct core {
    const cl_icd_dispatch *dispatch;
    void (*begins)(void *table, void *platform);
    void *(*find_function)(const char *name, int extensions_only);
    void (*set_dispatch_data)(void *data);
    void (*fork_begins)(void);
    void (*fork_ends_in_parent)(void);
    void (*fork_ends_in_child)(void);
};

static const struct core *core_now(void);       /* NULL as long as it is not there */
static const struct core *core_ready(void);     /* brings it up; NULL when that cannot be */
static int take_core(const struct core *core);

/* The dispatch table of all our objects: before.c's functions first, then the core's. */
static cl_icd_dispatch dispatch;
static void fill_dispatch(void);
static clpy_object platform = {.dispatch = &dispatch, .kind = 1, .app_refs = 1, .run_refs = 1, .named = 1};

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!num_entries && platforms) || (!platforms && !num_platforms))
        return CL_INVALID_VALUE;
    fill_dispatch();
    if (platforms)
        platforms[0] = (cl_platform_id)&platform;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

/* The answers that need no device; NULL for another query. */
static const char *own_text(cl_platform_info name)
{
    switch (name) {
    case CL_PLATFORM_PROFILE: return CLPY_PROFILE;
    case CL_PLATFORM_VERSION: return CLPY_VERSION;
    case CL_PLATFORM_NAME: return CLPY_NAME;
    case CL_PLATFORM_VENDOR: return CLPY_VENDOR;
    case ICD_SUFFIX: return CLPY_SUFFIX;
    default: return NULL;
    }
}

static cl_int put_text(const char *text, size_t size, void *value, size_t *size_ret)
{
    size_t n = strlen(text) + 1;
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, text, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

/* The loader's own way to ask; applications come through the dispatch table. It looks for cl_khr_icd in the list of
 * extensions, and those of the devices can wait until there are devices. */
EXPORT cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    const struct core *core = core_now();
    const char *text = param_name == CL_PLATFORM_EXTENSIONS ? CLPY_EXTENSIONS : own_text(param_name);
    if (id && id != (cl_platform_id)&platform)
        return CL_INVALID_PLATFORM;
    if (!core && text)
        return put_text(text, param_value_size, param_value, param_value_size_ret);
    core = core_ready();
    if (!core)
        return CL_INVALID_VALUE;
    return core->dispatch->clGetPlatformInfo(id, param_name, param_value_size, param_value, param_value_size_ret);
}

EXPORT void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id id, const char *name)
{
    const struct core *core = id == (cl_platform_id)&platform ? core_ready() : NULL;
    return core && name ? core->find_function(name, 0) : NULL;
}

EXPORT cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id id, void *data)
{
    const struct core *core = id == (cl_platform_id)&platform ? core_ready() : NULL;
    if (!core)
        return CL_INVALID_PLATFORM;
    platform.disp_data = data;
    core->set_dispatch_data(data);
    return CL_SUCCESS;
}

static const struct {
    const char *name;
    void *address;
} own[] = {
    {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
    {"clGetPlatformInfo", (void *)clGetPlatformInfo},
    {"clIcdGetFunctionAddressForPlatformKHR", (void *)clIcdGetFunctionAddressForPlatformKHR},
    {"clIcdSetPlatformDispatchDataKHR", (void *)clIcdSetPlatformDispatchDataKHR},
    {"clpyTakeCore", (void *)take_core},
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
