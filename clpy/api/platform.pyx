# SPDX-License-Identifier: Apache-2.0
"""clGetPlatform*, the look-up of functions, the timers, clUnload*."""
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec
from clpy.api.functions cimport function_find
from clpy.api.info cimport info_list, info_object
from clpy.cl cimport cl_device_id, cl_int, cl_platform_id, cl_platform_info, cl_uint, cl_ulong
from clpy.core.object cimport KIND_DEVICE, object_is
from clpy.core.platform cimport is_platform, platform_answer, the_platform
from clpy.device.base cimport Device
from clpy.errors import CLError
from clpy.spec.consts cimport CL_INVALID_DEVICE, CL_INVALID_PLATFORM, CL_INVALID_VALUE, CL_SUCCESS


cdef cl_int get_platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) noexcept nogil:
    cdef void *platform = the_platform()
    return info_list(&platform, sizeof(platform), 1, num_entries, platforms, num_platforms)


cdef cl_int get_platform_info(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret) except? -9999:
    # "CL_INVALID_PLATFORM if platform is not a valid platform": NULL is "implementation-defined", here the platform.
    if not is_platform(platform):
        raise CLError(CL_INVALID_PLATFORM, "not a platform")
    answer = platform_answer(param_name)
    if answer is None:
        raise CLError(CL_INVALID_VALUE, f"no platform query {param_name:#x}")
    return info_object(answer, param_value_size, param_value, param_value_size_ret)


cdef cl_int unload_compiler() noexcept nogil:
    return CL_SUCCESS


cdef cl_int unload_platform_compiler(cl_platform_id platform) noexcept nogil:
    # A hint: the compiler stays, it is small beside what loading it again would cost.
    return CL_SUCCESS if platform != NULL and is_platform(platform) else CL_INVALID_PLATFORM


cdef void *get_extension_function_address(const char *func_name) noexcept nogil:
    return function_find(func_name, True)


cdef void *get_extension_function_address_for_platform(cl_platform_id platform, const char *func_name) noexcept nogil:
    # "NULL if the function does not exist for the implementation or platform is not a valid platform"
    return function_find(func_name, True) if platform != NULL and is_platform(platform) else NULL


cdef cl_ulong host_ns() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return <cl_ulong>now.tv_sec * 1000000000 + <cl_ulong>now.tv_nsec


cdef cl_int get_device_and_host_timer(cl_device_id device, cl_ulong *device_timestamp,
                                      cl_ulong *host_timestamp) noexcept nogil:
    cdef Device *dev = <Device *>device
    if not object_is(device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    # "CL_INVALID_VALUE if host_timestamp or device_timestamp is NULL"
    if device_timestamp == NULL or host_timestamp == NULL:
        return CL_INVALID_VALUE
    device_timestamp[0] = dev.ops.timer_ns(dev)
    host_timestamp[0] = host_ns()
    return CL_SUCCESS


cdef cl_int get_host_timer(cl_device_id device, cl_ulong *host_timestamp) noexcept nogil:
    if not object_is(device, KIND_DEVICE):
        return CL_INVALID_DEVICE
    if host_timestamp == NULL:
        return CL_INVALID_VALUE
    host_timestamp[0] = host_ns()
    return CL_SUCCESS
