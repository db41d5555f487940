# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory."""
from clpy.cl cimport (cl_command_queue, cl_context, cl_int, cl_kernel, cl_map_flags, cl_mem_migration_flags,
                      cl_svm_mem_flags, cl_uint, svm_free_fn)
from clpy.core.command cimport Wait

cdef enum:
    LARGEST_TYPE = 128           # bytes: long16, and what storage of devices is aligned to

# Of clEnqueue* and of clCommand*KHR alike.
cdef cl_int svm_memcpy(cl_command_queue command_queue, void *dst_ptr, const void *src_ptr, size_t size,
                       const Wait *wait) noexcept nogil
cdef cl_int svm_mem_fill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size,
                         size_t size, const Wait *wait) noexcept nogil

cdef void *svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) noexcept nogil
cdef void svm_free(cl_context context, void *svm_pointer) noexcept nogil
cdef cl_int set_kernel_arg_svm_pointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) noexcept nogil
cdef cl_int enqueue_svm_free(cl_command_queue command_queue, cl_uint num_svm_pointers, void **svm_pointers,
                             svm_free_fn pfn_free_func, void *user_data, const Wait *wait) noexcept nogil
cdef cl_int enqueue_svm_map(cl_command_queue command_queue, cl_map_flags flags, void *svm_ptr, size_t size,
                            const Wait *wait) noexcept nogil
cdef cl_int enqueue_svm_unmap(cl_command_queue command_queue, void *svm_ptr, const Wait *wait) noexcept nogil
cdef cl_int enqueue_svm_migrate_mem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
                                    const size_t *sizes, cl_mem_migration_flags flags, const Wait *wait) noexcept nogil
