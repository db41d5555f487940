# SPDX-License-Identifier: Apache-2.0
"""clRemapCommandBufferKHR."""
from clpy.cl cimport cl_bool, cl_command_buffer_khr, cl_command_queue, cl_int, cl_mutable_command_khr, cl_uint

cdef cl_command_buffer_khr remap_command_buffer(cl_command_buffer_khr command_buffer, cl_bool automatic,
        cl_uint num_queues, const cl_command_queue *queues, cl_uint num_handles,
        const cl_mutable_command_khr *handles, cl_mutable_command_khr *handles_ret,
        cl_int *errcode_ret) noexcept nogil
