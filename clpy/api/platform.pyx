# SPDX-License-Identifier: Apache-2.0
"""clGetPlatform*, the look-up of functions, the timers, clUnload*."""
from libc.string cimport memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec
from clpy.api.external_memory cimport external_memory_info
from clpy.api.functions cimport function_find
from clpy.api.info cimport info_list, info_object, info_u32, info_u64
from clpy.api.semaphore cimport semaphore_device_info
from clpy.api.svm_type cimport svm_type_info
from clpy.cl cimport cl_device_id, cl_int, cl_name_version, cl_platform_id, cl_platform_info, cl_uint, cl_ulong
from clpy.core import identity
from clpy.core.object cimport KIND_DEVICE, object_is
from clpy.core.platform import extensions
from clpy.core.platform cimport is_platform, the_platform
from clpy.device.base cimport Device
from clpy.errors import CLError
from clpy.spec.consts cimport (CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR,
                               CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR,
                               CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR, CL_INVALID_DEVICE, CL_INVALID_PLATFORM,
                               CL_INVALID_VALUE, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, CL_PLATFORM_EXTENSIONS,
                               CL_PLATFORM_EXTENSIONS_WITH_VERSION, CL_PLATFORM_HOST_TIMER_RESOLUTION,
                               CL_PLATFORM_ICD_SUFFIX_KHR, CL_PLATFORM_NAME, CL_PLATFORM_NUMERIC_VERSION,
                               CL_PLATFORM_PROFILE, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION, CL_SUCCESS)


cdef cl_int get_platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) noexcept nogil:
    cdef void *platform = the_platform()
    return info_list(&platform, sizeof(platform), 1, num_entries, platforms, num_platforms)


cdef dict TEXTS = {
    CL_PLATFORM_PROFILE: identity.PROFILE, CL_PLATFORM_VERSION: identity.VERSION, CL_PLATFORM_NAME: identity.NAME,
    CL_PLATFORM_VENDOR: identity.VENDOR, CL_PLATFORM_ICD_SUFFIX_KHR: identity.ICD_SUFFIX}


cdef cl_uint make_version(version):
    """CL_MAKE_VERSION: 10 bits major, 10 minor, 12 patch."""
    major, minor, patch = version
    return major << 22 | minor << 12 | patch


cdef bytes names_with_versions(names):
    """cl_name_version array."""
    cdef cl_name_version row
    out = []
    for name in names:
        memset(&row, 0, sizeof(row))
        row.version = make_version(identity.REVISIONS.get(name, (1, 0, 0)))
        text = name.encode()
        for i in range(min(len(text), 63)):
            row.name[i] = text[i]
        out.append((<char *>&row)[:sizeof(row)])
    return b"".join(out)


cdef cl_int get_platform_info(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret) except? -9999:
    # "CL_INVALID_PLATFORM if platform is not a valid platform": NULL is "implementation-defined", here the platform.
    if not is_platform(platform):
        raise CLError(CL_INVALID_PLATFORM, "not a platform")
    if param_name == CL_PLATFORM_EXTENSIONS:
        return info_object(" ".join(extensions()), param_value_size, param_value, param_value_size_ret)
    if param_name == CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return info_object(names_with_versions(extensions()), param_value_size, param_value, param_value_size_ret)
    if param_name == CL_PLATFORM_NUMERIC_VERSION:
        return info_u32(make_version(identity.CL_VERSION), param_value_size, param_value, param_value_size_ret)
    if param_name == CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return info_u64(1, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR:
        # the host orders commands across devices
        return info_u64(CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR
                        | CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR, param_value_size, param_value,
                        param_value_size_ret)
    if semaphore_device_info(param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    if svm_type_info(NULL, param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    if external_memory_info(NULL, param_name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS:
        return CL_SUCCESS
    text = TEXTS.get(param_name)
    if text is None:
        raise CLError(CL_INVALID_VALUE, f"no platform query {param_name:#x}")
    return info_object(text, param_value_size, param_value, param_value_size_ret)


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
