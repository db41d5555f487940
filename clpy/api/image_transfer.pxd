# SPDX-License-Identifier: Apache-2.0
"""Reading, writing, copying, filling and mapping images."""
from clpy.cl cimport cl_command_queue, cl_int, cl_map_flags, cl_mem
from clpy.core.command cimport Wait

# Of clEnqueue* and of clCommand*KHR alike.
cdef cl_int copy_image(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
                       const size_t *dst_origin, const size_t *region, const Wait *wait) noexcept nogil
cdef cl_int copy_image_and_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
                                  const size_t *region, size_t offset, bint to_buffer,
                                  const Wait *wait) noexcept nogil
cdef cl_int fill_image(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                       const size_t *region, const Wait *wait) noexcept nogil

cdef cl_int enqueue_read_image(cl_command_queue command_queue, cl_mem image, const size_t *origin, const size_t *region,
                               size_t row_pitch, size_t slice_pitch, void *ptr, const Wait *wait) noexcept nogil
cdef cl_int enqueue_write_image(cl_command_queue command_queue, cl_mem image, const size_t *origin,
                                const size_t *region, size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
                                const Wait *wait) noexcept nogil
cdef cl_int copy_image_to_buffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                 const size_t *src_origin, const size_t *region, size_t dst_offset,
                                 const Wait *wait) noexcept nogil
cdef cl_int copy_buffer_to_image(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
                                 const size_t *dst_origin, const size_t *region, const Wait *wait) noexcept nogil
cdef void *enqueue_map_image(cl_command_queue command_queue, cl_mem image, cl_map_flags map_flags, const size_t *origin,
                             const size_t *region, size_t *image_row_pitch, size_t *image_slice_pitch, const Wait *wait,
                             cl_int *errcode_ret) noexcept nogil
