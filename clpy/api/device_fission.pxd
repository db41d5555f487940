# SPDX-License-Identifier: Apache-2.0
"""cl_ext_device_fission: what came before clCreateSubDevices."""
from clpy.cl cimport cl_device_id, cl_int, cl_uint, cl_ulong
from clpy.device.base cimport Device

cdef bint can_be_divided(const Device *dev) noexcept nogil       # the device has the extension
cdef cl_int create_sub_devices_ext(cl_device_id in_device, const cl_ulong *properties, cl_uint num_entries,
                                   cl_device_id *out_devices, cl_uint *num_devices) noexcept nogil
# Answers of clGetDeviceInfo.
cdef cl_int fission_types(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int fission_domains(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int fission_references(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int fission_style(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
