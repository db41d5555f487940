# SPDX-License-Identifier: Apache-2.0
"""Reading, writing, copying, filling, mapping and migrating buffers."""
from clpy.cl cimport cl_command_queue, cl_int, cl_map_flags, cl_mem, cl_mem_migration_flags, cl_uint
from clpy.core.command cimport Wait

# Of clEnqueue* and of clCommand*KHR alike.
cdef cl_int copy_buffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                        size_t dst_offset, size_t size, const Wait *wait) noexcept nogil
cdef cl_int copy_buffer_rect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                             const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                             size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                             size_t dst_slice_pitch, const Wait *wait) noexcept nogil
cdef cl_int fill_buffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                        size_t offset, size_t size, const Wait *wait) noexcept nogil

cdef cl_int enqueue_read_buffer(cl_command_queue command_queue, cl_mem buffer, size_t offset, size_t size, void *ptr,
                                const Wait *wait) noexcept nogil
cdef cl_int enqueue_write_buffer(cl_command_queue command_queue, cl_mem buffer, size_t offset, size_t size,
                                 const void *ptr, const Wait *wait) noexcept nogil
cdef void *enqueue_map_buffer(cl_command_queue command_queue, cl_mem buffer, cl_map_flags map_flags, size_t offset,
                              size_t size, const Wait *wait, cl_int *errcode_ret) noexcept nogil
cdef cl_int enqueue_unmap_mem_object(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                     const Wait *wait) noexcept nogil
cdef cl_int enqueue_read_buffer_rect(cl_command_queue command_queue, cl_mem buffer, const size_t *buffer_origin,
                                     const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                     size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                     void *ptr, const Wait *wait) noexcept nogil
cdef cl_int enqueue_write_buffer_rect(cl_command_queue command_queue, cl_mem buffer, const size_t *buffer_origin,
                                      const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
                                      size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                      const void *ptr, const Wait *wait) noexcept nogil
cdef cl_int enqueue_migrate_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                        const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                        const Wait *wait) noexcept nogil
cdef cl_int enqueue_migrate_mem_object_ext(cl_command_queue command_queue, cl_uint num_mem_objects,
                                           const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                           const Wait *wait) noexcept nogil
