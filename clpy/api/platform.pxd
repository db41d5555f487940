# SPDX-License-Identifier: Apache-2.0
"""clGetPlatform*, the look-up of functions, the timers, clUnload*."""
from clpy.cl cimport cl_device_id, cl_int, cl_platform_id, cl_platform_info, cl_uint, cl_ulong

cdef cl_int get_platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) noexcept nogil
cdef cl_int get_platform_info(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret) except? -9999
cdef cl_int unload_compiler() noexcept nogil
cdef cl_int unload_platform_compiler(cl_platform_id platform) noexcept nogil
cdef void *get_extension_function_address(const char *func_name) noexcept nogil
cdef void *get_extension_function_address_for_platform(cl_platform_id platform, const char *func_name) noexcept nogil
cdef cl_int get_device_and_host_timer(cl_device_id device, cl_ulong *device_timestamp,
                                      cl_ulong *host_timestamp) noexcept nogil
cdef cl_int get_host_timer(cl_device_id device, cl_ulong *host_timestamp) noexcept nogil
