# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory: the checks, in the order of the specification's lists.

On devices with fine-grained system sharing every address of the host is valid, so a pointer is no error where the
specification does not ask for an allocation of clSVMAlloc.
"""
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset
from clpy.api.check cimport at_most_one, in_range, map_flags_are_valid, pattern_size_is_valid
from clpy.cl cimport (cl_command_queue, cl_context, cl_device_svm_capabilities, cl_int, cl_kernel, cl_map_flags,
                      cl_mem_flags, cl_mem_migration_flags, cl_svm_mem_flags, cl_uint, svm_free_fn)
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.context cimport Context
from clpy.core.copy cimport CopyJob, FillJob
from clpy.core.kernel cimport Kernel, kernel_set_pointer
from clpy.core.object cimport KIND_CONTEXT, KIND_KERNEL, KIND_QUEUE, object_is
from clpy.core.svm cimport SvmBlock, svm_delete, svm_enqueue_delete, svm_find, svm_new, svm_of_context
from clpy.core.transfer cimport map_flow, migrate_flow, submit_copy, submit_fill, submit_nothing
from clpy.device.base cimport FLOW_NONE, SVM_TYPE_COARSE, SVM_TYPE_COUNT, SVM_TYPE_FINE, SVM_TYPE_SYSTEM
from clpy.spec.consts cimport (CL_COMMAND_SVM_MAP, CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL,
                               CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_UNMAP, CL_DEVICE_SVM_ATOMICS,
                               CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL,
                               CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP, CL_MEM_READ_ONLY,
                               CL_MEM_READ_WRITE, CL_MEM_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER,
                               CL_MEM_WRITE_ONLY, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, CL_MIGRATE_MEM_OBJECT_HOST,
                               CL_SUCCESS, CL_SVM_CAPABILITY_HOST_MAP_KHR)

cdef cl_mem_flags ACCESS = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY


# ---- allocations

cdef bint flags_are_valid(const Context *ctx, cl_svm_mem_flags flags) noexcept nogil:
    cdef cl_device_svm_capabilities can = svm_of_context(ctx)
    if flags & ~<cl_svm_mem_flags>(ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS):
        return False
    # "CL_MEM_SVM_FINE_GRAIN_BUFFER or CL_MEM_SVM_ATOMICS is specified in flags and these are not supported"
    if flags & CL_MEM_SVM_FINE_GRAIN_BUFFER and not can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER:
        return False
    if flags & CL_MEM_SVM_ATOMICS and not (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER and can & CL_DEVICE_SVM_ATOMICS):
        return False
    return at_most_one(flags, ACCESS)


cdef void *svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) noexcept nogil:
    cdef Context *ctx = <Context *>context
    cdef SvmBlock block
    cdef cl_uint i
    if not object_is(context, KIND_CONTEXT) or svm_of_context(ctx) == 0 or not flags_are_valid(ctx, flags):
        return NULL
    if size == 0:
        return NULL
    for i in range(ctx.n_devices):       # "> CL_DEVICE_MAX_MEM_ALLOC_SIZE value for any device in context"
        if size > ctx.devices[i].max_alloc_size:
            return NULL
    # "It must be a power of two up to the largest data type supported by the OpenCL device."
    if alignment & (alignment - 1) or alignment > LARGEST_TYPE:
        return NULL
    memset(&block, 0, sizeof(block))
    block.size = size
    block.context = ctx
    block.type = SVM_TYPE_FINE if flags & CL_MEM_SVM_FINE_GRAIN_BUFFER else SVM_TYPE_COARSE
    return svm_new(&block)


cdef void svm_free(cl_context context, void *svm_pointer) noexcept nogil:
    if object_is(context, KIND_CONTEXT) and svm_pointer != NULL:
        svm_delete(<Context *>context, svm_pointer, True)


cdef cl_int set_kernel_arg_svm_pointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) noexcept nogil:
    cdef Kernel *k = <Kernel *>kernel
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    if svm_of_context(k.program.context) == 0:
        return CL_INVALID_OPERATION
    return kernel_set_pointer(k, arg_index, arg_value)


# ---- commands

cdef inline cl_int check_queue(cl_command_queue queue) noexcept nogil:
    """CL_INVALID_COMMAND_QUEUE, then CL_INVALID_OPERATION "if the device [...] does not support SVM"."""
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    return CL_SUCCESS if (<Queue *>queue).device.svm_capabilities else CL_INVALID_OPERATION


cdef bint has_types(const Queue *q) noexcept nogil:
    """Does the device support cl_khr_unified_svm?"""
    cdef cl_uint i
    for i in range(<cl_uint>SVM_TYPE_COUNT):
        if q.device.svm_types[i]:
            return True
    return False


cdef bint can_be_mapped(const Queue *q, const void *svm_ptr) noexcept nogil:
    """"if svm_ptr does not support mapping and unmapping for access on the host": of the device's memory alone."""
    cdef SvmBlock block
    return (not svm_find(svm_ptr, &block) or block.context != q.context or not has_types(q)
            or q.device.svm_types[block.type] & CL_SVM_CAPABILITY_HOST_MAP_KHR)


cdef cl_int enqueue_svm_free(cl_command_queue command_queue, cl_uint num_svm_pointers, void **svm_pointers,
                             svm_free_fn pfn_free_func, void *user_data, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    # "if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is NULL and num_svm_pointers is not 0"
    if (num_svm_pointers == 0) != (svm_pointers == NULL):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return svm_enqueue_delete(q, num_svm_pointers, svm_pointers, pfn_free_func, user_data, wait)


cdef cl_int svm_memcpy(cl_command_queue command_queue, void *dst_ptr, const void *src_ptr, size_t size,
                       const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef uintptr_t dst = <uintptr_t>dst_ptr, src = <uintptr_t>src_ptr
    cdef CopyJob job
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    # "if dst_ptr is NULL and either size is non-zero or the device [...] does not support cl_khr_unified_svm"; src_ptr
    if (dst_ptr == NULL or src_ptr == NULL) and (size or not has_types(q)):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if (dst - src if dst > src else src - dst) < size:
        return CL_MEM_COPY_OVERLAP
    job.dst = <unsigned char *>dst_ptr
    job.src = <const unsigned char *>src_ptr
    job.size = size
    return submit_copy(q, CL_COMMAND_SVM_MEMCPY, &job, NULL, NULL, wait)


cdef cl_int svm_mem_fill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size,
                         size_t size, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef FillJob job
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    # "if svm_ptr is NULL and either size is non-zero or the device [...] does not support cl_khr_unified_svm"
    if svm_ptr == NULL and (size or not has_types(q)) or pattern == NULL or not pattern_size_is_valid(pattern_size):
        return CL_INVALID_VALUE
    # "if svm_ptr is not aligned to pattern_size bytes", "if size is not a multiple of pattern_size"
    if <uintptr_t>svm_ptr % pattern_size or size % pattern_size:
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    job.dst = <unsigned char *>svm_ptr
    job.size = size
    job.pattern_size = pattern_size
    memcpy(job.pattern, pattern, pattern_size)
    return submit_fill(q, CL_COMMAND_SVM_MEMFILL, &job, NULL, wait)


cdef cl_int enqueue_svm_map(cl_command_queue command_queue, cl_map_flags flags, void *svm_ptr, size_t size,
                            const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    if svm_ptr == NULL or size == 0 or not map_flags_are_valid(flags) or not can_be_mapped(q, svm_ptr):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, CL_COMMAND_SVM_MAP, map_flow(flags), size, 0, NULL, wait)


cdef cl_int enqueue_svm_unmap(cl_command_queue command_queue, void *svm_ptr, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    if svm_ptr == NULL or not can_be_mapped(q, svm_ptr):
        return CL_INVALID_VALUE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, CL_COMMAND_SVM_UNMAP, FLOW_NONE, 0, 0, NULL, wait)


cdef bint can_be_migrated(const Queue *q, const void *ptr, size_t size) noexcept nogil:
    """"if the memory range [...] is not contained within an SVM allocation", which all memory of the host is where a
    device's system type "provides access to the entire host virtual memory"."""
    cdef SvmBlock block
    if svm_find(ptr, &block):
        return block.context == q.context and in_range(<const unsigned char *>ptr - block.ptr, size, block.size)
    # "if a pointer in svm_pointers is a NULL pointer and either sizes is NULL or the size in sizes is zero": ignored
    return has_types(q) if ptr == NULL and size == 0 else ptr != NULL and q.device.svm_types[SVM_TYPE_SYSTEM] != 0


cdef cl_int enqueue_svm_migrate_mem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
                                    const size_t *sizes, cl_mem_migration_flags flags, const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef size_t bytes = 0
    cdef cl_uint i
    cdef cl_int err = check_queue(command_queue)
    if err != CL_SUCCESS:
        return err
    if num_svm_pointers == 0 or svm_pointers == NULL:
        return CL_INVALID_VALUE
    if flags & ~<cl_mem_migration_flags>(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        return CL_INVALID_VALUE
    for i in range(num_svm_pointers):
        if not can_be_migrated(q, svm_pointers[i], sizes[i] if sizes != NULL else 0):
            return CL_INVALID_VALUE
        bytes += sizes[i] if sizes != NULL else 0
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return submit_nothing(q, CL_COMMAND_SVM_MIGRATE_MEM, migrate_flow(flags), bytes, 0, NULL, wait)
