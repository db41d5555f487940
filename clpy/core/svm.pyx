# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory. Every device of ours reads and writes host memory at the host's addresses, so an allocation is
plain storage of the device; what is kept of it, in a table sorted by address, is what the API must know to check calls
and to free it. An allocation holds its context.
"""
from libc.stdint cimport int32_t, uint64_t, uintptr_t
from libc.stdlib cimport malloc, realloc
from libc.string cimport memcpy, memmove
from clpy.atomics cimport atomic_load_u64, atomic_store_u64
from clpy.cl cimport (cl_command_queue, cl_device_svm_capabilities, cl_int, cl_svm_capabilities_khr, cl_uint,
                      svm_free_fn)
from clpy.core.command cimport Command, Queue, Wait, command_discard, command_new, command_place
from clpy.core.context cimport Context
from clpy.core.object cimport object_drop, object_hold
from clpy.device.base cimport Device, SVM_TYPE_FINE, SVM_TYPE_HOST, TASK_FOREIGN, Task
from clpy.device.host_memory cimport host_memory_by
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport CL_COMMAND_SVM_FREE, CL_COMPLETE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS
from clpy.threads cimport at_fork_in_child

cdef enum:
    ALIGNMENT = 128              # of what devices give: that of buffers

cdef SvmBlock *blocks = NULL     # sorted by address; under `lock`
cdef size_t n_blocks = 0
cdef size_t room = 0
cdef int32_t lock = 0
cdef uint64_t changes = 0        # of the table; atomic

# The payload of the command that frees; the pointers are in Command.owned.
cdef struct FreeJob:
    svm_free_fn free_fn
    void *user_data
    cl_uint n


cdef cl_device_svm_capabilities svm_of_context(const Context *ctx) noexcept nogil:
    cdef cl_device_svm_capabilities found = 0
    cdef cl_uint i
    for i in range(ctx.n_devices):
        found |= ctx.devices[i].svm_capabilities
    return found


cdef cl_svm_capabilities_khr svm_type_of_context(const Context *ctx, cl_uint type) noexcept nogil:
    cdef cl_svm_capabilities_khr found = 0, can
    cdef cl_uint i
    for i in range(ctx.n_devices):
        can = ctx.devices[i].svm_types[type]
        if can:
            found = found & can if found else can
    return found


# ---- the table -------------------------------------------------------------------------------------------------------

cdef size_t first_above(const void *address) noexcept nogil:
    """Index of the first block that begins after `address`."""
    cdef size_t low = 0, high = n_blocks, middle
    while low < high:
        middle = (low + high) // 2
        if <const void *>blocks[middle].ptr > address:
            high = middle
        else:
            low = middle + 1
    return low


cdef bint insert(const SvmBlock *block) noexcept nogil:
    global blocks, n_blocks, room
    cdef size_t at, wanted
    cdef void *grown
    if n_blocks == room:
        wanted = 2 * room if room else 64
        grown = realloc(blocks, wanted * sizeof(SvmBlock))
        if grown == NULL:
            return False
        blocks = <SvmBlock *>grown
        room = wanted
    at = first_above(block.ptr)
    memmove(&blocks[at + 1], &blocks[at], (n_blocks - at) * sizeof(SvmBlock))
    blocks[at] = block[0]
    n_blocks += 1
    atomic_store_u64(&changes, changes + 1)
    return True


cdef bint svm_find(const void *address, SvmBlock *found) noexcept nogil:
    cdef size_t at
    cdef bint inside = False
    mutex_lock(&lock)
    at = first_above(address)
    if at > 0:
        found[0] = blocks[at - 1]
        inside = <size_t>(<const unsigned char *>address - found.ptr) < found.size
    mutex_unlock(&lock)
    return inside


cdef uint64_t svm_changes() noexcept nogil:
    return atomic_load_u64(&changes)


cdef bint svm_nearest(const void *address, SvmBlock *found) noexcept nogil:
    cdef size_t at
    cdef bint some
    cdef const unsigned char *wanted = <const unsigned char *>address
    mutex_lock(&lock)
    at = first_above(address)
    some = n_blocks > 0
    if at > 0 and (at == n_blocks or wanted < blocks[at - 1].ptr + blocks[at - 1].size
                   or wanted - (blocks[at - 1].ptr + blocks[at - 1].size) < blocks[at].ptr - wanted):
        at -= 1
    if some:
        found[0] = blocks[at]
    mutex_unlock(&lock)
    return some


cdef bint find_at_host(uintptr_t address, uintptr_t *first, uintptr_t *behind) noexcept nogil:
    """What stays with the host, as memory of fine grain does."""
    cdef SvmBlock block
    if not svm_find(<const void *>address, &block) or block.type not in (SVM_TYPE_FINE, SVM_TYPE_HOST):
        return False
    first[0], behind[0] = <uintptr_t>block.ptr, <uintptr_t>block.ptr + block.size
    return True


# ---- allocating, freeing ---------------------------------------------------------------------------------------------

cdef size_t spare_bytes(const SvmBlock *block) noexcept nogil:
    """Of the storage, beside those of the allocation: for an alignment that storage has not by itself."""
    return block.alignment if block.alignment > ALIGNMENT else 0


cdef void give_back(Device *dev, const SvmBlock *block) noexcept nogil:
    dev.ops.free(dev, block.ptr - block.before, block.size + spare_bytes(block))


cdef void *svm_new(SvmBlock *block) noexcept nogil:
    cdef Device *dev = block.context.devices[0]
    cdef bint listed
    block.ptr = <unsigned char *>dev.ops.alloc(dev, block.size + spare_bytes(block))
    if block.ptr == NULL:
        return NULL
    if spare_bytes(block):
        block.before = -<uintptr_t>block.ptr & (block.alignment - 1)
        block.ptr += block.before
    mutex_lock(&lock)
    listed = insert(block)
    mutex_unlock(&lock)
    if not listed:
        give_back(dev, block)
        return NULL
    object_hold(block.context)
    if block.device != NULL:
        object_hold(block.device)
    return block.ptr


cdef bint svm_delete(Context *ctx, void *ptr, bint of_svm) noexcept nogil:
    global n_blocks
    cdef Device *dev = ctx.devices[0]
    cdef SvmBlock block
    cdef size_t at
    cdef bint found = False
    mutex_lock(&lock)
    at = first_above(ptr)
    if (at > 0 and blocks[at - 1].ptr == ptr and blocks[at - 1].context == ctx
            and (blocks[at - 1].origin == 0) == of_svm):
        found = True
        block = blocks[at - 1]
        memmove(&blocks[at - 1], &blocks[at], (n_blocks - at) * sizeof(SvmBlock))
        n_blocks -= 1
        atomic_store_u64(&changes, changes + 1)
    mutex_unlock(&lock)
    if found:
        give_back(dev, &block)
        if block.device != NULL:
            object_drop(block.device)
        object_drop(ctx)
    return found


cdef cl_int run_delete(Task *task, unsigned int part) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    cdef FreeJob *job = <FreeJob *>cmd.payload.bytes
    cdef void **pointers = <void **>cmd.owned
    cdef cl_uint i
    if job.free_fn != NULL:
        job.free_fn(<cl_command_queue>cmd.queue, job.n, pointers, job.user_data)
    else:
        for i in range(job.n):
            svm_delete(cmd.queue.context, pointers[i], True)
    return CL_COMPLETE


cdef cl_int svm_enqueue_delete(Queue *q, cl_uint n, void **pointers, svm_free_fn free_fn, void *user_data,
                               const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef FreeJob *job
    cdef Command *cmd = command_new(q, CL_COMMAND_SVM_FREE, &err)
    if cmd == NULL:
        return err
    if n:                        # else there is nothing to free, and nothing to run
        # "The memory associated with svm_pointers can be reused or freed after the function returns."
        cmd.owned = malloc(n * sizeof(void *))
        if cmd.owned == NULL:
            command_discard(cmd)
            return CL_OUT_OF_HOST_MEMORY
        memcpy(cmd.owned, pointers, n * sizeof(void *))
        job = <FreeJob *>cmd.payload.bytes
        job.free_fn = free_fn
        job.user_data = user_data
        job.n = n
        cmd.task.run = run_delete
        if free_fn != NULL:
            cmd.task.flags |= TASK_FOREIGN
    return command_place(cmd, wait)


cdef void forget_blocks() noexcept nogil:
    """In the child of a fork: their contexts are dead, and the lock may be another thread's."""
    global n_blocks, lock
    n_blocks = 0
    lock = 0


at_fork_in_child(forget_blocks)
host_memory_by(find_at_host)
