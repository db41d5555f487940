# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_context, cl_int, cl_mem, cl_mem_flags, cl_mem_properties

cdef cl_mem create_buffer_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                          size_t size, void *host_ptr, cl_int *errcode_ret) noexcept nogil
