# SPDX-License-Identifier: Apache-2.0
"""Unified shared memory in kernels and in commands.

A device with the extension reads and writes all memory of the process, so any address will do as an argument and in a
copy. Where the text leaves open which are invalid (migration, advice), none is.
"""
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy
from clpy.api.check cimport pattern_size_is_valid
from clpy.cl cimport cl_bool, cl_command_queue, cl_int, cl_kernel, cl_mem_migration_flags, cl_uint, cl_ulong
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.context cimport Context
from clpy.core.copy cimport CopyJob, FillJob
from clpy.core.kernel cimport Kernel, kernel_set_pointer
from clpy.core.object cimport KIND_KERNEL, KIND_QUEUE, object_is
from clpy.core.transfer cimport migrate_flow, submit_copy, submit_fill, submit_nothing
from clpy.device.base cimport FLOW_NONE, SVM_TYPE_DEVICE, SVM_TYPE_FINE, SVM_TYPE_HOST, SVM_TYPE_SHARED
from clpy.spec.consts cimport (CL_COMMAND_MEMADVISE_INTEL, CL_COMMAND_MEMCPY_INTEL, CL_COMMAND_MEMFILL_INTEL,
                               CL_COMMAND_MIGRATEMEM_INTEL, CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL,
                               CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                               CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_MEM_COPY_OVERLAP,
                               CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, CL_MIGRATE_MEM_OBJECT_HOST, CL_SUCCESS)
from clpy.vendor_ext.intel.unified_shared_memory.allocations cimport usm_in_context

cdef enum:                       # "reserved for future memory advices": hints, which may be ignored
    FIRST_ADVICE = 0x4208
    LAST_ADVICE = 0x420F


# ---- kernels

cdef cl_int set_kernel_arg_mem_pointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) noexcept nogil:
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    return kernel_set_pointer(<Kernel *>kernel, arg_index, arg_value)


cdef bint shares(const Context *ctx) noexcept nogil:
    return usm_in_context(ctx, SVM_TYPE_SHARED) or usm_in_context(ctx, SVM_TYPE_FINE)


cdef cl_int takes_access(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil:
    """What a kernel may reach indirectly needs no telling here, as all memory is within reach."""
    cdef const Context *ctx = kernel.program.context
    cdef bint able
    if name == CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
        able = usm_in_context(ctx, SVM_TYPE_HOST)
    elif name == CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
        able = usm_in_context(ctx, SVM_TYPE_DEVICE)
    else:
        able = shares(ctx)
    if not able:
        return CL_INVALID_OPERATION
    return CL_SUCCESS if value != NULL and size == sizeof(cl_bool) else CL_INVALID_VALUE


cdef cl_int takes_pointers(Kernel *kernel, cl_ulong name, size_t size, const void *value) noexcept nogil:
    cdef const Context *ctx = kernel.program.context
    if not (usm_in_context(ctx, SVM_TYPE_DEVICE) or usm_in_context(ctx, SVM_TYPE_HOST) or shares(ctx)):
        return CL_INVALID_OPERATION
    return CL_INVALID_VALUE if (value == NULL) != (size == 0) or size % sizeof(void *) else CL_SUCCESS


# ---- commands

cdef cl_int enqueue_mem_fill(cl_command_queue command_queue, void *dst_ptr, const void *pattern, size_t pattern_size,
                             size_t size, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef FillJob job
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if dst_ptr == NULL or pattern == NULL or not pattern_size_is_valid(pattern_size):
        return CL_INVALID_VALUE
    if <uintptr_t>dst_ptr % pattern_size or size % pattern_size:
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    job.dst = <unsigned char *>dst_ptr
    job.size = size
    job.pattern_size = pattern_size
    memcpy(job.pattern, pattern, pattern_size)
    return submit_fill(q, CL_COMMAND_MEMFILL_INTEL, &job, NULL, wait)


cdef cl_int enqueue_memcpy(cl_command_queue command_queue, void *dst_ptr, const void *src_ptr, size_t size,
                           const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef uintptr_t dst = <uintptr_t>dst_ptr, src = <uintptr_t>src_ptr
    cdef CopyJob job
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if dst_ptr == NULL or src_ptr == NULL:
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if (dst - src if dst > src else src - dst) < size:
        return CL_MEM_COPY_OVERLAP
    job.dst = <unsigned char *>dst_ptr
    job.src = <const unsigned char *>src_ptr
    job.size = size
    return submit_copy(q, CL_COMMAND_MEMCPY_INTEL, &job, NULL, NULL, wait)


cdef cl_int enqueue_migrate_mem(cl_command_queue command_queue, const void *ptr, size_t size,
                                cl_mem_migration_flags flags, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if flags & ~<cl_mem_migration_flags>(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, CL_COMMAND_MIGRATEMEM_INTEL, migrate_flow(flags), size, 0, NULL, wait)


cdef cl_int enqueue_mem_advise(cl_command_queue command_queue, const void *ptr, size_t size, cl_uint advice,
                               const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if advice and not FIRST_ADVICE <= advice <= LAST_ADVICE:
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, CL_COMMAND_MEMADVISE_INTEL, FLOW_NONE, 0, 0, NULL, wait)
