# SPDX-License-Identifier: Apache-2.0
"""The commands that move or announce the contents of memory objects."""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport (Command, Queue, Wait, command_discard, command_new, command_place, command_uses,
                                queue_is_idle)
from clpy.core.copy cimport (CopyJob, FillJob, RectFillJob, RectJob, copy_part, copy_parts, fill_part,
                             rect_fill_is_flat, rect_fill_part, rect_is_flat, rect_part)
from clpy.core.memory cimport Mem, mem_is_on_host
from clpy.core.memory_flags cimport MEM_IS_VISIBLE
from clpy.core.pinned cimport pinned_has
from clpy.device.base cimport (FLOW_AT_HOST, FLOW_NONE, FLOW_ON_DEVICE, FLOW_TO_DEVICE, FLOW_TO_HOST, TASK_PINNED,
                               TASK_SPLIT, Task)
from clpy.spec.consts cimport (CL_COMMAND_MAP_BUFFER, CL_COMMAND_MAP_IMAGE, CL_COMMAND_READ_BUFFER,
                               CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_READ_IMAGE, CL_COMMAND_UNMAP_MEM_OBJECT,
                               CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT, CL_COMMAND_WRITE_IMAGE,
                               CL_COMPLETE, CL_SUCCESS)


# ---- what a task runs: the job lies in the payload of its command

cdef inline void *job_of(Task *task) noexcept nogil:
    return <void *>(<Command *>task.command).payload.bytes


cdef cl_int run_copy(Task *task, uint32_t part) noexcept nogil:
    copy_part(<const CopyJob *>job_of(task), part, task.n_parts)
    return CL_COMPLETE


cdef cl_int run_rect(Task *task, uint32_t part) noexcept nogil:
    rect_part(<const RectJob *>job_of(task), part, task.n_parts)
    return CL_COMPLETE


cdef cl_int run_fill(Task *task, uint32_t part) noexcept nogil:
    fill_part(<const FillJob *>job_of(task), part, task.n_parts)
    return CL_COMPLETE


cdef cl_int run_rect_fill(Task *task, uint32_t part) noexcept nogil:
    rect_fill_part(<const RectFillJob *>job_of(task), part, task.n_parts)
    return CL_COMPLETE


# ---- which way bytes go: what devices want to know that have times of their own

cdef inline bint has_times(const Queue *q) noexcept nogil:
    return q.device.ops.account != NULL


cdef uint32_t flow_of(cl_command_type type) noexcept nogil:
    """Of copies and fills."""
    if type == CL_COMMAND_WRITE_BUFFER or type == CL_COMMAND_WRITE_BUFFER_RECT or type == CL_COMMAND_WRITE_IMAGE:
        return FLOW_TO_DEVICE
    if type == CL_COMMAND_READ_BUFFER or type == CL_COMMAND_READ_BUFFER_RECT or type == CL_COMMAND_READ_IMAGE:
        return FLOW_TO_HOST
    return FLOW_ON_DEVICE


cdef void set_copy(Task *task, cl_command_type type, size_t bytes, const void *dst, const void *src, const Mem *a,
                   const Mem *b) noexcept nogil:
    """From `a` to `b`, or a fill of `a`, NULL for memory of no object; or between `a` and the application's memory."""
    task.type, task.bytes, task.flow = type, bytes, flow_of(type)
    if a == NULL:
        return
    if task.flow != FLOW_ON_DEVICE:
        if mem_is_on_host(a):
            task.flow = FLOW_AT_HOST
        elif pinned_has(dst if task.flow == FLOW_TO_HOST else src, bytes):
            task.flags |= TASK_PINNED
    elif b == NULL or mem_is_on_host(a) == mem_is_on_host(b):
        task.flow = FLOW_AT_HOST if mem_is_on_host(a) else FLOW_ON_DEVICE
    else:
        task.flow = FLOW_TO_DEVICE if mem_is_on_host(a) else FLOW_TO_HOST
        task.flags |= TASK_PINNED


cdef void set_nothing(Task *task, cl_command_type type, uint32_t flow, size_t bytes, const Mem *mem) noexcept nogil:
    """A map, unmap or migration; what the host reaches anyway is mapped where it is."""
    task.type, task.bytes, task.flow = type, bytes, flow
    if type == CL_COMMAND_MAP_BUFFER or type == CL_COMMAND_MAP_IMAGE or type == CL_COMMAND_UNMAP_MEM_OBJECT:
        task.flags |= TASK_PINNED          # a copy that is mapped lies in memory of the device's driver
        if mem_is_on_host(mem) or mem.flags & MEM_IS_VISIBLE:
            task.flow = FLOW_NONE


# ---- making the commands

ctypedef cl_int (*run_fn)(Task *task, uint32_t part) noexcept nogil


cdef inline bint nothing_ahead(Queue *q, const Wait *wait) noexcept nogil:
    """A blocking call that leaves no event, on an idle queue, needs no command: the caller does it, here and now."""
    return wait.blocking and wait.n == 0 and wait.event_out == NULL and queue_is_idle(q)


cdef void tell_copy(Queue *q, cl_command_type type, size_t bytes, const void *dst, const void *src, const Mem *a,
                    const Mem *b) noexcept nogil:
    """The device, of what was done without it."""
    cdef Task task
    memset(&task, 0, sizeof(task))
    set_copy(&task, type, bytes, dst, src, a, b)
    task.queue = q.obj.index
    q.device.ops.account(q.device, &task)


cdef void tell_nothing(Queue *q, cl_command_type type, uint32_t flow, size_t bytes, const Mem *mem) noexcept nogil:
    cdef Task task
    memset(&task, 0, sizeof(task))
    set_nothing(&task, type, flow, bytes, mem)
    task.queue = q.obj.index
    q.device.ops.account(q.device, &task)


cdef cl_int submit_job(Queue *q, cl_command_type type, run_fn run, size_t bytes, const void *job, size_t job_size,
                       const void *dst, const void *src, Mem *a, Mem *b, const Wait *wait) noexcept nogil:
    cdef uint32_t n_parts = copy_parts(bytes)
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd = command_new(q, type, &err)
    if cmd == NULL:
        return err
    memcpy(cmd.payload.bytes, job, job_size)
    cmd.task.run = run
    cmd.task.n_parts = n_parts
    cmd.task.bytes = bytes
    if has_times(q):
        set_copy(&cmd.task, type, bytes, dst, src, a, b)
    if n_parts > 1:
        cmd.task.flags |= TASK_SPLIT
    if a != NULL:
        err = command_uses(cmd, a)
    if err == CL_SUCCESS and b != NULL:
        err = command_uses(cmd, b)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    return command_place(cmd, wait)


cdef cl_int submit_copy(Queue *q, cl_command_type type, const CopyJob *job, Mem *a, Mem *b,
                        const Wait *wait) noexcept nogil:
    if copy_parts(job.size) == 1 and nothing_ahead(q, wait):
        copy_part(job, 0, 1)
        if has_times(q):
            tell_copy(q, type, job.size, job.dst, job.src, a, b)
        return CL_SUCCESS
    return submit_job(q, type, run_copy, job.size, job, sizeof(CopyJob), job.dst, job.src, a, b, wait)


cdef cl_int submit_rect(Queue *q, cl_command_type type, const RectJob *job, Mem *a, Mem *b,
                        const Wait *wait) noexcept nogil:
    cdef CopyJob flat
    cdef size_t bytes = job.region[0] * job.region[1] * job.region[2]
    if rect_is_flat(job, &flat):
        return submit_copy(q, type, &flat, a, b, wait)
    if copy_parts(bytes) == 1 and nothing_ahead(q, wait):
        rect_part(job, 0, 1)
        if has_times(q):
            tell_copy(q, type, bytes, job.dst, job.src, a, b)
        return CL_SUCCESS
    return submit_job(q, type, run_rect, bytes, job, sizeof(RectJob), job.dst, job.src, a, b, wait)


cdef cl_int submit_fill(Queue *q, cl_command_type type, const FillJob *job, Mem *mem,
                        const Wait *wait) noexcept nogil:
    return submit_job(q, type, run_fill, job.size, job, sizeof(FillJob), NULL, NULL, mem, NULL, wait)


cdef cl_int submit_rect_fill(Queue *q, cl_command_type type, const RectFillJob *job, Mem *mem,
                             const Wait *wait) noexcept nogil:
    cdef FillJob flat
    cdef size_t bytes = job.region[0] * job.region[1] * job.region[2]
    if rect_fill_is_flat(job, &flat):
        return submit_fill(q, type, &flat, mem, wait)
    return submit_job(q, type, run_rect_fill, bytes, job, sizeof(RectFillJob), NULL, NULL, mem, NULL, wait)


cdef cl_int submit_nothing(Queue *q, cl_command_type type, uint32_t flow, size_t bytes, cl_uint n_mems,
                           Mem *const *mems, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef cl_uint i
    cdef Command *cmd
    if nothing_ahead(q, wait):
        if has_times(q):
            tell_nothing(q, type, flow, bytes, mems[0] if n_mems else NULL)
        return CL_SUCCESS
    cmd = command_new(q, type, &err)
    if cmd == NULL:
        return err
    cmd.task.bytes = bytes
    if has_times(q):
        set_nothing(&cmd.task, type, flow, bytes, mems[0] if n_mems else NULL)
    for i in range(n_mems):
        err = command_uses(cmd, mems[i])
        if err != CL_SUCCESS:
            command_discard(cmd)
            return err
    return command_place(cmd, wait)
