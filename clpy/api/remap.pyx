# SPDX-License-Identifier: Apache-2.0
"""clRemapCommandBufferKHR: a copy of a command buffer for other queues. Launches are checked and captured anew for
their device; what other commands do is the same for all devices, so the copy shares them.
"""
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, malloc
from libc.string cimport memcpy
from clpy.api.command_buffer cimport check_queues
from clpy.api.ndrange cimport Request, check_launch
from clpy.api.record cimport launch_command
from clpy.cl cimport (cl_bool, cl_command_buffer_khr, cl_command_properties_khr, cl_command_queue, cl_int, cl_kernel,
                      cl_mutable_command_khr, cl_uint)
from clpy.core.command cimport Command, Queue
from clpy.core.command_buffer cimport (CommandBuffer, QueueList, command_buffer_append, command_buffer_finalize,
                                       command_buffer_new, launch_free)
from clpy.core.context cimport Context
from clpy.core.kernel cimport kernel_clone
from clpy.core.memory cimport Mem
from clpy.core.mutable cimport mutable_command_new
from clpy.core.object cimport (KIND_COMMAND_BUFFER, KIND_MEM, KIND_MUTABLE_COMMAND, object_drop, object_hold,
                               object_is)
from clpy.core.recorded cimport MutableCommand, Recorded, RecordedLaunch
from clpy.device.base cimport Device
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_VALUE,
                               CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

cdef enum:
    INLINE_USES = 8              # as Command has them


cdef cl_int check_alignment(const Command *cmd, const Device *dev) noexcept nogil:
    cdef uint32_t i
    cdef Mem *mem
    for i in range(cmd.n_uses):
        mem = <Mem *>(cmd.uses[i] if i < INLINE_USES else cmd.more_uses[i - INLINE_USES])
        if object_is(mem, KIND_MEM) and mem.parent != NULL and mem.origin % dev.mem_base_align_bytes:
            return CL_MISALIGNED_SUB_BUFFER_OFFSET
    return CL_SUCCESS


cdef RecordedLaunch *launch_copy(const RecordedLaunch *launch, const Request *r, CommandBuffer *buffer) noexcept nogil:
    """NULL when out of memory."""
    cdef RecordedLaunch *copy = <RecordedLaunch *>calloc(1, sizeof(RecordedLaunch))
    cdef size_t n = launch.n_properties * sizeof(cl_command_properties_khr)
    cdef cl_int err = CL_SUCCESS
    if copy == NULL:
        return NULL
    copy[0] = launch[0]
    object_hold(copy.kernel)
    copy.args = kernel_clone(launch.args, &err)
    copy.lacks_args = r.lacks_args
    copy.properties = <cl_command_properties_khr *>malloc(n) if n else NULL
    copy.handle = mutable_command_new(buffer) if launch.handle != NULL else NULL
    if copy.args == NULL or (n and copy.properties == NULL) or (launch.handle != NULL and copy.handle == NULL):
        launch_free(copy)
        return NULL
    if n:
        memcpy(copy.properties, launch.properties, n)
    return copy


cdef cl_int append_launch(CommandBuffer *to, uint32_t queue, const Recorded *recorded, uint32_t n_waits,
                          const uint32_t *waits) noexcept nogil:
    cdef const RecordedLaunch *launch = recorded.launch
    cdef RecordedLaunch *copy
    cdef Command *cmd
    cdef Request r
    cdef cl_int err = check_launch(&r, <cl_command_queue>to.queues[queue], <cl_kernel>launch.args, launch.work_dim,
                                   launch.global_offset, launch.global_size,
                                   launch.local_size if launch.has_local_size else NULL, True)
    if err != CL_SUCCESS:
        return err
    cmd = launch_command(&r, &err)
    if cmd == NULL:
        return err
    copy = launch_copy(launch, &r, to)
    err = CL_OUT_OF_HOST_MEMORY
    if copy != NULL:
        err = command_buffer_append(to, queue, cmd, copy, recorded, n_waits, waits)
        if err != CL_SUCCESS:
            launch_free(copy)
    object_drop(cmd)             # the buffer holds it, or nobody
    return err


cdef cl_int append_to(CommandBuffer *to, uint32_t queue, const Recorded *recorded, uint32_t n_waits,
                      const uint32_t *waits) noexcept nogil:
    cdef cl_int err
    if recorded.launch != NULL:
        return append_launch(to, queue, recorded, n_waits, waits)
    err = check_alignment(recorded.command, to.queues[queue].device)
    if err != CL_SUCCESS:
        return err
    return command_buffer_append(to, queue, recorded.command, NULL, recorded, n_waits, waits)


cdef cl_int copy_commands(const CommandBuffer *source, CommandBuffer *to, bint automatic) noexcept nogil:
    """Automatic: the commands of a queue stay together where they can, and the queues are dealt out in turn."""
    cdef const Recorded *recorded
    cdef uint32_t i, j, begin = 0
    cdef cl_int err
    for i in range(source.n_recorded):
        recorded = &source.recorded[i]
        err = CL_INVALID_VALUE
        for j in range(to.n_queues if automatic else 1):
            if err != CL_SUCCESS:
                err = append_to(to, (recorded.queue + j) % to.n_queues, recorded, recorded.waits_end - begin,
                                source.waits + begin)
        if err != CL_SUCCESS:
            return err
        begin = recorded.waits_end
    to.barrier = source.barrier
    to.swept = source.swept
    return CL_SUCCESS


cdef CommandBuffer *remapped(CommandBuffer *source, const QueueList *queues, bint automatic,
                             cl_int *err) noexcept nogil:
    cdef CommandBuffer *to = command_buffer_new(queues, source.flags, source.asserts, source.n_properties,
                                                source.properties)
    err[0] = CL_OUT_OF_HOST_MEMORY
    if to == NULL:
        return NULL
    mutex_lock(&source.lock)
    err[0] = copy_commands(source, to, automatic)
    # "The returned command-buffer has the same state as the input command-buffer."
    if err[0] == CL_SUCCESS and source.state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR:
        err[0] = command_buffer_finalize(to)
    mutex_unlock(&source.lock)
    if err[0] == CL_SUCCESS:
        return to
    object_drop(to)
    return NULL


cdef cl_int check_handles(const CommandBuffer *buffer, cl_uint n, const cl_mutable_command_khr *handles,
                          const cl_mutable_command_khr *handles_ret) noexcept nogil:
    cdef cl_uint i
    if (handles == NULL) != (n == 0) or (handles_ret == NULL) != (n == 0):
        return CL_INVALID_VALUE
    for i in range(n):
        if not object_is(handles[i], KIND_MUTABLE_COMMAND) or (<MutableCommand *>handles[i]).buffer != buffer:
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef cl_command_buffer_khr remap_command_buffer(cl_command_buffer_khr command_buffer, cl_bool automatic,
        cl_uint num_queues, const cl_command_queue *queues, cl_uint num_handles,
        const cl_mutable_command_khr *handles, cl_mutable_command_khr *handles_ret,
        cl_int *errcode_ret) noexcept nogil:
    cdef CommandBuffer *buffer = <CommandBuffer *>command_buffer
    cdef CommandBuffer *to = NULL
    cdef QueueList list = QueueList(num_queues, <Queue *const *>queues)
    cdef Context *ctx
    cdef cl_uint i
    cdef cl_int err = CL_INVALID_COMMAND_BUFFER_KHR
    if object_is(command_buffer, KIND_COMMAND_BUFFER):
        ctx = buffer.context
        # "if automatic is CL_FALSE and num_queues is not equal to the number of queues used on creation"
        if num_queues == 0 or queues == NULL or (not automatic and num_queues != buffer.n_queues):
            err = CL_INVALID_VALUE
        else:
            err = check_handles(buffer, num_handles, handles, handles_ret)
        if err == CL_SUCCESS:
            err = check_queues(&list, &ctx)
        if err == CL_SUCCESS:
            to = remapped(buffer, &list, automatic != 0, &err)
    errcode_ret[0] = err
    if err != CL_SUCCESS:
        return NULL
    for i in range(num_handles):
        handles_ret[i] = <cl_mutable_command_khr>to.recorded[(<MutableCommand *>handles[i]).index].launch.handle
    return <cl_command_buffer_khr>to
