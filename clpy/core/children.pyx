# SPDX-License-Identifier: Apache-2.0
"""Commands that kernels enqueue. They are commands as the host's are, of a queue that keeps no order: the same graph,
the same threads.

"A parent kernel's execution status is considered to be complete when it and all its child kernels have finished
execution." So a kernel that enqueues has a count (`Kin.left`): itself and what it has enqueued. Its task has run when
the device says so; its owner hears of it when the count is 0. Nobody can ask for the end of a child without an event,
nor wait for it: such a child is done when it has run, and what it enqueues is counted where it is counted itself. A
chain of children that each enqueue the next one therefore keeps none of those that are through.

Nothing here recurs, however deep kernels enqueue: a child is always given to the device, also one that has nothing to
run or whose wait list failed, and counts are followed upwards in a loop.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from clpy.atomics cimport (atomic_add_i32, atomic_add_i64, atomic_cas_i32, atomic_cas_ptr, atomic_load_i32,
                           atomic_load_ptr)
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport (CMD_CHILD, CMD_ON_DEVICE, Command, Edge, Kin, Queue, arrive, command_discard,
                                command_finish, command_new, user_event_new, wait_for_event)
from clpy.core.context cimport Context
from clpy.core.happening cimport ENQUEUED, happened, sinks
from clpy.core.object cimport (KIND_EVENT, object_drop, object_give, object_hold_at, object_release, object_slots)
from clpy.core.times cimport pass_time
from clpy.device.base cimport Device, HERE_NEVER, Task, time_at_least
from clpy.futex cimport now_ns
from clpy.spec.consts cimport CL_COMPLETE, CL_INVALID_COMMAND_QUEUE, CL_SUBMITTED, CL_SUCCESS
from clpy.stack cimport stack_close, stack_push_open, stack_reversed

cdef enum:                       # of OpenCL C
    CLK_OUT_OF_RESOURCES = -5
    CLK_EVENT_ALLOCATION_FAILURE = -100
    CLK_INVALID_QUEUE = -102
    CLK_DEVICE_QUEUE_FULL = -161
    INLINE_WAITS = 3             # as many as Command.waits
    LEAST_ROOM = 16 << 10        # bytes of a queue, as AMD's driver gives one: some programs ask for a single byte


# ---- parents ---------------------------------------------------------------------------------------------------------

cdef Kin *kin_of(Task *task) noexcept nogil:
    cdef Kin *kin = <Kin *>atomic_load_ptr(&task.kin)
    cdef void *none = NULL
    if kin != NULL:
        return kin
    kin = <Kin *>calloc(1, sizeof(Kin))
    if kin == NULL:
        return NULL
    kin.task = task
    kin.head = kin
    kin.left = 1
    kin.finished = task.finished
    if atomic_cas_ptr(&task.kin, &none, kin):
        task.finished = parent_ran       # nobody looks there before the last thread has left the kernel
        return kin
    free(kin)                    # another thread was first
    return <Kin *>none


cdef void parent_ran(Task *task, cl_int status) noexcept nogil:
    """A kernel of the host's has run, all of it."""
    cdef Kin *kin = <Kin *>task.kin
    if task.is_profiled:
        end_now(task)
    release_waiting(kin)
    note_error(kin, status)
    count_down(kin)


cdef inline void end_now(Task *task) noexcept nogil:
    """Unless its device has said when."""
    cdef Device *dev = (<Command *>task.command).queue.device
    if dev.ops.account == NULL or task.end_ns == 0:
        task.end_ns = dev.ops.timer_ns(dev)


cdef inline void complete_now(Command *cmd, const Kin *kin) noexcept nogil:
    """It and all its children have ended: on a device that says when each would alone, with the last of them, and not
    before it can have done the work of them all. So it does not matter which of them ended first here."""
    cdef Device *dev = cmd.queue.device
    if dev.ops.account != NULL:
        cmd.t_complete = max(cmd.task.end_ns + <uint64_t>kin.used_ns, kin.last_ns)
    else:
        cmd.t_complete = dev.ops.timer_ns(dev)


cdef inline void count_times(Kin *head, uint64_t end_ns, int64_t used_ns) noexcept nogil:
    time_at_least(&head.last_ns, end_ns)
    atomic_add_i64(&head.used_ns, used_ns)


cdef void release_waiting(Kin *kin) noexcept nogil:
    """What waits until the kernel has run, in the order in which it was enqueued."""
    cdef uint64_t end_ns = kin.task.end_ns
    cdef Edge *edge = <Edge *>stack_reversed(stack_close(&kin.after))
    cdef Edge *following
    cdef Command *todo = NULL    # stays so: children are given to the device
    while edge != NULL:
        following = edge.next
        if end_ns:
            pass_time(edge.target, <Command *>kin.task.command, end_ns)
        arrive(edge, CL_COMPLETE, &todo)
        edge = following


cdef inline void note_error(Kin *head, cl_int status) noexcept nogil:
    cdef int32_t none = 0
    if status < 0:
        atomic_cas_i32(&head.error, &none, status)


cdef void count_down(Kin *head) noexcept nogil:
    """One of those that a head counts has ended."""
    cdef Kin *above
    cdef cl_int status
    while head != NULL and atomic_add_i32(&head.left, -1) == 1:
        above = head.above
        status = head.error if head.error < 0 else CL_COMPLETE
        if above == NULL:
            end_parent(head, status)
        else:
            note_error(above, status)
            count_times(above, head.last_ns, head.used_ns)
            end_child(<Command *>head.task.command, head, status)
        head = above


cdef void end_parent(Kin *kin, cl_int status) noexcept nogil:
    cdef Task *task = kin.task
    cdef Command *cmd = <Command *>task.command
    if task.is_profiled or cmd.queue.device.ops.account != NULL:
        complete_now(cmd, kin)
    task.finished = kin.finished         # it may be given to the device again
    task.kin = NULL
    free(kin)
    task.finished(task, status)


# ---- children --------------------------------------------------------------------------------------------------------

cdef bint take_room(Queue *q, cl_uint bytes) noexcept nogil:
    if atomic_add_i64(&q.used, bytes) + <int64_t>bytes <= <int64_t>max(q.size, LEAST_ROOM):
        return True
    atomic_add_i64(&q.used, -<int64_t>bytes)
    return False


cdef bint take_event(Context *ctx, cl_uint most) noexcept nogil:
    if atomic_add_i32(&ctx.device_events, 1) < <int32_t>most:
        return True
    atomic_add_i32(&ctx.device_events, -1)
    return False


cdef Command *child_new(Queue *q, cl_command_type type, cl_uint bytes, bint with_event, cl_int *err) noexcept nogil:
    cdef Command *cmd
    cdef Kin *kin
    if not take_room(q, bytes):
        err[0] = CLK_DEVICE_QUEUE_FULL
        return NULL
    cmd = command_new(q, type, err)
    if cmd == NULL:
        atomic_add_i64(&q.used, -<int64_t>bytes)
        err[0] = CLK_INVALID_QUEUE if err[0] == CL_INVALID_COMMAND_QUEUE else CLK_OUT_OF_RESOURCES
        return NULL
    kin = &cmd.payload.child.kin
    kin.task = &cmd.task
    kin.above = kin.head = NULL
    kin.left = 1
    kin.error = 0
    kin.last_ns = 0
    kin.used_ns = 0
    kin.after = NULL
    kin.bytes = bytes
    cmd.flags |= CMD_CHILD
    cmd.task.kin = kin
    cmd.task.run = run_nothing
    cmd.task.finished = child_ran
    if with_event:
        if not take_event(cmd.context, q.device.queues.events):
            child_discard(cmd)
            err[0] = CLK_EVENT_ALLOCATION_FAILURE
            return NULL
        cmd.flags |= CMD_ON_DEVICE
        if cmd.t_queued == 0:    # a kernel may ask how long it took
            cmd.t_queued = q.device.ops.timer_ns(q.device)
    return cmd


cdef void child_discard(Command *cmd) noexcept nogil:
    atomic_add_i64(&cmd.queue.used, -<int64_t>cmd.payload.child.kin.bytes)
    command_discard(cmd)


cdef bint child_submit(Command *cmd, Kin *parent, bint waits_for_parent, cl_uint n, void *const *events) noexcept nogil:
    cdef Kin *kin = &cmd.payload.child.kin
    cdef Device *dev = cmd.queue.device
    cdef Edge *edges = cmd.waits
    cdef cl_uint i
    if n > INLINE_WAITS:
        cmd.more_waits = edges = <Edge *>malloc(<size_t>n * sizeof(Edge))
        if edges == NULL:
            child_discard(cmd)
            return False
    kin.above = parent.head
    kin.head = kin if cmd.flags & CMD_ON_DEVICE else kin.above
    atomic_add_i32(&kin.above.left, 1)   # the parent runs, so it is not 0
    if cmd.flags & CMD_ON_DEVICE:
        cmd.obj.run_refs += 1
        object_give(&cmd.obj)
    if cmd.t_queued:
        cmd.t_submit = dev.ops.timer_ns(dev)
    cmd.status = CL_SUBMITTED
    if sinks != NULL:
        cmd.told_ns = now_ns()
        happened(ENQUEUED, cmd)
    for i in range(n):
        wait_for_event(cmd, <Command *>events[i], &edges[i])
    if waits_for_parent:
        cmd.order.target = cmd
        cmd.order.order_only = True
        atomic_add_i32(&cmd.depends, 1)
        stack_push_open(&parent.after, &cmd.order)       # open: the parent runs
    if atomic_add_i32(&cmd.depends, -1) == 1:
        dev.ops.submit(dev, &cmd.task, HERE_NEVER)
    return True


cdef cl_int run_nothing(Task *task, uint32_t part) noexcept nogil:
    """Of a marker, and of a kernel whose wait list failed."""
    cdef cl_int failed = (<Command *>task.command).failed
    return failed if failed < 0 else CL_COMPLETE


cdef void child_ran(Task *task, cl_int status) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    cdef Kin *kin = &cmd.payload.child.kin
    cdef Kin *above = kin.above
    atomic_add_i64(&cmd.queue.used, -<int64_t>kin.bytes)
    release_waiting(kin)
    note_error(kin.head, status)
    end_now(task)
    count_times(kin.head, task.end_ns, task.used_ns)
    if kin.head == kin:
        count_down(kin)
    else:
        command_finish(cmd, status)
        count_down(above)


cdef void end_child(Command *cmd, const Kin *kin, cl_int status) noexcept nogil:
    """With an event, and with all that it enqueued."""
    complete_now(cmd, kin)
    command_finish(cmd, status)


# ---- user events -----------------------------------------------------------------------------------------------------

cdef Command *device_user_event_new(Context *ctx, cl_uint most, cl_int *err) noexcept nogil:
    cdef Command *event
    err[0] = CLK_EVENT_ALLOCATION_FAILURE
    if not take_event(ctx, most):
        return NULL
    event = user_event_new(ctx)
    if event == NULL:
        atomic_add_i32(&ctx.device_events, -1)
        return NULL
    event.flags |= CMD_ON_DEVICE
    return event


# ---- events that are left --------------------------------------------------------------------------------------------

cdef void device_events_release(Context *ctx) noexcept nogil:
    """They hold the context."""
    cdef Command *event
    cdef uint64_t i
    for i in range(object_slots(KIND_EVENT)):
        if atomic_load_i32(&ctx.device_events) == 0:
            return
        event = <Command *>object_hold_at(KIND_EVENT, i)
        if event == NULL:
            continue
        if event.context == ctx and event.flags & CMD_ON_DEVICE:
            while object_release(event, KIND_EVENT) == CL_SUCCESS:
                pass
        object_drop(event)
