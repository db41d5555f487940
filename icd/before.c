/* SPDX-License-Identifier: Apache-2.0
 *
 * The dispatch table until the core is there. Only functions that are reached from a platform can be called then: each
 * brings the core up and goes on in it. Every other one needs an object that only the core can make.
 */
#include <pthread.h>
#include <stdlib.h>

static cl_int cannot_be_reached(void)
{
    return CL_INVALID_OPERATION;
}

static cl_int before_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

static cl_int before_clGetPlatformInfo(cl_platform_id id, cl_platform_info param_name, size_t param_value_size,
                                       void *param_value, size_t *param_value_size_ret)
{
    const char *text = own_text(param_name);
    if (text)
        return put_text(text, param_value_size, param_value, param_value_size_ret);
    const struct core *core = core_ready();
    if (!core)
        return clGetPlatformInfo(id, param_name, param_value_size, param_value, param_value_size_ret);
    return core->dispatch->clGetPlatformInfo(id, param_name, param_value_size, param_value, param_value_size_ret);
}

static cl_int before_clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint num_entries,
                                    cl_device_id *devices, cl_uint *num_devices)
{
    if (count_only(type, num_entries, devices, num_devices))
        return *num_devices ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
    const struct core *core = core_ready();
    if (core)
        return core->dispatch->clGetDeviceIDs(id, type, num_entries, devices, num_devices);
    if (num_devices)
        *num_devices = 0;
    return CL_DEVICE_NOT_FOUND;
}

static cl_context no_context(cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = CL_DEVICE_NOT_AVAILABLE;
    return NULL;
}

static cl_context before_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                         const cl_device_id *devices,
                                         void (*notify)(const char *, const void *, size_t, void *), void *user_data,
                                         cl_int *errcode_ret)
{
    const struct core *core = core_ready();
    if (!core)
        return no_context(errcode_ret);
    return core->dispatch->clCreateContext(properties, num_devices, devices, notify, user_data, errcode_ret);
}

static cl_context before_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                                 void (*notify)(const char *, const void *, size_t, void *),
                                                 void *user_data, cl_int *errcode_ret)
{
    const struct core *core = core_ready();
    if (!core)
        return no_context(errcode_ret);
    return core->dispatch->clCreateContextFromType(properties, type, notify, user_data, errcode_ret);
}

static cl_int before_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                           size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    const struct core *core = core_ready();
    if (!core)
        return CL_INVALID_OPERATION;
    return core->dispatch->clGetGLContextInfoKHR(properties, param_name, param_value_size, param_value,
                                                 param_value_size_ret);
}

static cl_int before_clUnloadPlatformCompiler(cl_platform_id id)
{
    return id == (cl_platform_id)&platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

static cl_int before_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

static void *before_clGetExtensionFunctionAddressForPlatform(cl_platform_id id, const char *name)
{
    return id == (cl_platform_id)&platform ? clGetExtensionFunctionAddress(name) : NULL;
}

static void fill_once(void)
{
    void **slots = (void **)&dispatch;
    for (size_t i = 0; i < sizeof dispatch / sizeof *slots; i++)
        slots[i] = (void *)cannot_be_reached;
    dispatch.clGetPlatformIDs = before_clGetPlatformIDs;
    dispatch.clGetPlatformInfo = before_clGetPlatformInfo;
    dispatch.clGetDeviceIDs = before_clGetDeviceIDs;
    dispatch.clCreateContext = before_clCreateContext;
    dispatch.clCreateContextFromType = before_clCreateContextFromType;
    dispatch.clGetGLContextInfoKHR = before_clGetGLContextInfoKHR;
    dispatch.clUnloadCompiler = before_clUnloadCompiler;
    dispatch.clUnloadPlatformCompiler = before_clUnloadPlatformCompiler;
    dispatch.clGetExtensionFunctionAddress = clGetExtensionFunctionAddress;
    dispatch.clGetExtensionFunctionAddressForPlatform = before_clGetExtensionFunctionAddressForPlatform;
}

static void fill_dispatch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_once);
}
