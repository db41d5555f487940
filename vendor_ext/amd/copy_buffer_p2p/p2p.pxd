# SPDX-License-Identifier: Apache-2.0
"""Copies between buffers of two contexts, and the GPUs that take part in them."""
from clpy.cl cimport cl_command_queue, cl_int, cl_mem
from clpy.core.command cimport Wait
from clpy.device.base cimport Device

cdef cl_int copy_buffer_p2p(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                            size_t dst_offset, size_t size, const Wait *wait) noexcept nogil
cdef cl_int number_of_neighbours(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int neighbours(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
