# SPDX-License-Identifier: Apache-2.0
"""Unified shared memory in kernels and in commands."""
from clpy.cl cimport cl_command_queue, cl_int, cl_kernel, cl_mem_migration_flags, cl_uint, cl_ulong
from clpy.core.command cimport Wait
from clpy.core.kernel cimport Kernel

cdef cl_int set_kernel_arg_mem_pointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) noexcept nogil
# Of clSetKernelExecInfo.
cdef cl_int takes_access(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil
cdef cl_int takes_pointers(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil

cdef cl_int enqueue_mem_fill(cl_command_queue command_queue, void *dst_ptr, const void *pattern, size_t pattern_size,
                             size_t size, const Wait *wait) noexcept nogil
cdef cl_int enqueue_memcpy(cl_command_queue command_queue, void *dst_ptr, const void *src_ptr, size_t size,
                           const Wait *wait) noexcept nogil
cdef cl_int enqueue_migrate_mem(cl_command_queue command_queue, const void *ptr, size_t size,
                                cl_mem_migration_flags flags, const Wait *wait) noexcept nogil
cdef cl_int enqueue_mem_advise(cl_command_queue command_queue, const void *ptr, size_t size, cl_uint advice,
                               const Wait *wait) noexcept nogil
