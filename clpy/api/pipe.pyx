# SPDX-License-Identifier: Apache-2.0
"""Pipes: what there is to say while no device has them (CL_DEVICE_PIPE_SUPPORT is CL_FALSE)."""
from clpy.cl cimport cl_context, cl_int, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint
from clpy.core.object cimport KIND_CONTEXT, object_is
from clpy.spec.consts cimport CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION


cdef cl_mem create_pipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                        const cl_pipe_properties *properties, cl_int *errcode_ret) noexcept nogil:
    # "if no devices in context support pipes"
    errcode_ret[0] = CL_INVALID_OPERATION if object_is(context, KIND_CONTEXT) else CL_INVALID_CONTEXT
    return NULL


cdef cl_int get_pipe_info(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret) noexcept nogil:
    return CL_INVALID_MEM_OBJECT         # "if pipe is a not a valid pipe object": there is none
