# SPDX-License-Identifier: Apache-2.0
"""Pipes."""
from clpy.cl cimport cl_context, cl_int, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint

cdef cl_mem create_pipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                        const cl_pipe_properties *properties, cl_int *errcode_ret) noexcept nogil
cdef cl_int get_pipe_info(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret) noexcept nogil
