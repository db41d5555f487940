# SPDX-License-Identifier: Apache-2.0
"""The property lists of buffers and images."""
from clpy.cl cimport cl_int, cl_mem_properties
from clpy.core.context cimport Context
from clpy.core.external_memory cimport ExternalHandle

ctypedef struct MemProperties:
    size_t n                     # entries incl. the closing 0 and lists within; 0 where no list was given
    bint has_private_address     # CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT was named
    bint private_address         # and wanted
    ExternalHandle external

# What the list says. CL_INVALID_PROPERTY: it is none.
cdef cl_int mem_properties_read(const cl_mem_properties *list, MemProperties *out) noexcept nogil
# Whether it can be had: CL_INVALID_PROPERTY, CL_INVALID_DEVICE.
cdef cl_int mem_properties_check(const Context *ctx, const MemProperties *properties) noexcept nogil
