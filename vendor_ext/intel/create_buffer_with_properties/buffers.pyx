# SPDX-License-Identifier: Apache-2.0
"""clCreateBufferWithProperties under the name that it had before OpenCL 3.0."""
from clpy.api cimport memory
from clpy.cl cimport cl_context, cl_int, cl_mem, cl_mem_flags, cl_mem_properties
from clpy.spec.consts cimport CL_INVALID_PROPERTY, CL_INVALID_VALUE


cdef cl_mem create_buffer_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                          size_t size, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    cdef cl_mem made = memory.create_buffer_with_properties(context, properties, flags, size, host_ptr, errcode_ret)
    # "CL_INVALID_VALUE if a property name in properties is not a supported property name"
    if errcode_ret[0] == CL_INVALID_PROPERTY:
        errcode_ret[0] = CL_INVALID_VALUE
    return made
