# SPDX-License-Identifier: Apache-2.0
"""Devices."""
from clpy.cl cimport (cl_device_id, cl_device_info, cl_device_partition_property, cl_device_type, cl_int,
                      cl_platform_id, cl_uint)

cdef cl_int get_device_ids(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                           cl_device_id *devices, cl_uint *num_devices) noexcept nogil
cdef cl_int get_device_info(cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret) except? -9999
cdef cl_int create_sub_devices(cl_device_id in_device, const cl_device_partition_property *properties,
                               cl_uint num_devices, cl_device_id *out_devices,
                               cl_uint *num_devices_ret) noexcept nogil
cdef cl_int retain_device(cl_device_id device) noexcept nogil
cdef cl_int release_device(cl_device_id device) noexcept nogil
