# SPDX-License-Identifier: Apache-2.0
"""Allocations of unified shared memory: making, freeing, asking."""
from clpy.cl cimport cl_context, cl_device_id, cl_int, cl_mem_properties, cl_uint, cl_ulong
from clpy.core.context cimport Context
from clpy.core.memory cimport Mem
from clpy.device.base cimport Device

# CL_UNIFIED_SHARED_MEMORY_*: what a device can do with a type of allocations (SVM_TYPE_*); 0: it has not that type.
cdef cl_ulong usm_capabilities(const Device *dev, cl_uint type) noexcept nogil
# Does one of the devices have the type?
cdef bint usm_in_context(const Context *ctx, cl_uint type) noexcept nogil

cdef void *host_mem_alloc(cl_context context, const cl_mem_properties *properties, size_t size, cl_uint alignment,
                          cl_int *errcode_ret) noexcept nogil
cdef void *device_mem_alloc(cl_context context, cl_device_id device, const cl_mem_properties *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) noexcept nogil
cdef void *shared_mem_alloc(cl_context context, cl_device_id device, const cl_mem_properties *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) noexcept nogil
cdef cl_int mem_free(cl_context context, void *ptr) noexcept nogil
cdef cl_int mem_blocking_free(cl_context context, void *ptr) noexcept nogil
cdef cl_int get_mem_alloc_info(cl_context context, const void *ptr, cl_uint param_name, size_t param_value_size,
                               void *param_value, size_t *param_value_size_ret) noexcept nogil

# Answers of clGetDeviceInfo, by type.
cdef cl_int of_host(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int of_device(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int of_one(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int of_all(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int of_system(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil

# cl_intel_mem_alloc_buffer_location: of a property of buffers, and the answer of clGetMemObjectInfo.
cdef cl_int takes_location(cl_ulong name, cl_ulong value) noexcept nogil
cdef cl_int location_of(Mem *mem, size_t size, void *value, size_t *size_ret) noexcept nogil
