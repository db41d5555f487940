# SPDX-License-Identifier: Apache-2.0
"""The graph of commands: making, linking, completing. No lock is held while a command completes, and a chain of any
length completes in a loop.

Who holds a command: the runtime from command_new to the end of command_finish, its queue while it is the tail or the
barrier, the application through its event, a waiter while it waits. The slot's memory outlives all of them.

`depends` counts the unfinished predecessors, plus one that command_submit takes away when all edges are in place, so a
command starts exactly once. An edge lies in the memory of its target (or, towards a join, of its source), and both
outlive it: the target cannot start before the edge is taken out.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from clpy.abi cimport clpy_object
from clpy.atomics cimport (atomic_add_i32, atomic_cas_i32, atomic_cas_ptr, atomic_load_i32, atomic_load_ptr,
                           atomic_store_i32, atomic_store_ptr, atomic_xchg_i32, atomic_xchg_ptr)
from clpy.cl cimport cl_bool, cl_command_type, cl_event, cl_int, cl_uint
from clpy.core.apart cimport AT_ONCE, LATER, goes_apart
from clpy.core.callback cimport Callback, callbacks_close, callbacks_forget, callbacks_reached
from clpy.core.context cimport Context
from clpy.core.happening cimport ENQUEUED, FINISHED, STARTED, happened, happened_with, sinks
from clpy.core.object cimport (KIND_EVENT, kind_register, object_drop, object_give, object_hold, object_new_part,
                               object_new_internal_part, object_release, object_try_hold)
from clpy.core.report cimport report_error
from clpy.core.times cimport end_of, give_times, pass_time
from clpy.core.wait cimport command_wait, leave_memory_of_host, turn_comes, turn_wait, wait_result
from clpy.device.base cimport Device, HERE_IF_SHORT, HERE_NEVER, HERE_WAITS, HERE_WHOLLY, Task, task_has_body
from clpy.futex cimport flag_raise, mutex_lock, mutex_unlock, now_ns
from clpy.host_thread cimport LEAST_STACK, stack_has
from clpy.spec.consts cimport (CL_COMMAND_USER, CL_COMPLETE, CL_CONTEXT_TERMINATED_KHR,
                               CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                               CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_QUEUED,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_RUNNING,
                               CL_SUBMITTED, CL_SUCCESS)
from clpy.stack cimport CLOSED, stack_close, stack_empty, stack_push_open

cdef enum:
    INLINE_USES = 8
    INLINE_WAITS = 3


# ---- making ----------------------------------------------------------------------------------------------------------

cdef Command *command_new(Queue *q, cl_command_type type, cl_int *err) noexcept nogil:
    if q.stop != NULL and atomic_load_i32(q.stop):
        err[0] = CL_CONTEXT_TERMINATED_KHR
        return NULL
    return command_new_anyway(q, type, err)


cdef Command layout             # for offsets of fields


cdef inline Command *blank() noexcept nogil:
    """Without the payload, which its maker fills in."""
    return <Command *>object_new_internal_part(KIND_EVENT, <size_t>(<char *>&layout.payload - <char *>&layout))


cdef Command *command_new_anyway(Queue *q, cl_command_type type, cl_int *err) noexcept nogil:
    cdef Command *cmd = blank()
    if cmd == NULL:
        err[0] = CL_OUT_OF_HOST_MEMORY
        return NULL
    if not object_try_hold(q):
        object_drop(cmd)
        err[0] = CL_INVALID_COMMAND_QUEUE
        return NULL
    cmd.queue = q
    cmd.context = q.context
    cmd.type = type
    cmd.status = CL_QUEUED
    cmd.depends = 1
    cmd.task.command = cmd
    cmd.task.started = command_started
    cmd.task.finished = task_finished
    cmd.task.stop = q.stop
    cmd.task.type = type
    cmd.task.queue = q.obj.index
    cmd.task.context = q.context.obj.index + 1
    cmd.task.kept = NULL if is_out_of_order(q) else &q.kept
    if q.properties & CL_QUEUE_PROFILING_ENABLE:
        cmd.t_queued = q.device.ops.timer_ns(q.device)
        cmd.task.is_profiled = True
    return cmd


cdef Command *user_event_new(Context *ctx) noexcept nogil:
    cdef size_t used = <size_t>(<char *>&layout.t_submit - <char *>&layout)      # what a user event has
    cdef Command *cmd = <Command *>object_new_part(KIND_EVENT, used)
    if cmd == NULL:
        return NULL
    object_hold(ctx)
    cmd.context = ctx
    cmd.type = CL_COMMAND_USER
    cmd.status = CL_SUBMITTED
    cmd.depends = 1
    return cmd


cdef Command *join_new() noexcept nogil:
    cdef Command *cmd = blank()
    if cmd != NULL:
        cmd.status = CL_QUEUED
        cmd.depends = 1
    return cmd


cdef cl_int command_uses(Command *cmd, void *obj) noexcept nogil:
    cdef uint32_t extra
    cdef void *grown
    if not object_try_hold(obj):
        return CL_OUT_OF_RESOURCES
    if cmd.n_uses < INLINE_USES:
        cmd.uses[cmd.n_uses] = obj
    else:
        extra = cmd.n_uses - INLINE_USES
        if extra & (extra - 1) == 0:     # full at 0, 1, 2, 4, ...: double
            grown = realloc(cmd.more_uses, (2 * extra + 1) * sizeof(void *))
            if grown == NULL:
                object_drop(obj)
                return CL_OUT_OF_HOST_MEMORY
            cmd.more_uses = <void **>grown
        cmd.more_uses[extra] = obj
    cmd.n_uses += 1
    return CL_SUCCESS


cdef void let_go(Command *cmd) noexcept nogil:
    """Of everything the command needed to run."""
    cdef uint32_t i
    for i in range(cmd.n_uses):
        object_drop(cmd.uses[i] if i < INLINE_USES else cmd.more_uses[i - INLINE_USES])
    cmd.n_uses = 0
    if cmd.more_uses != NULL:
        free(cmd.more_uses)
        cmd.more_uses = NULL
    if cmd.owned != NULL:
        free(cmd.owned)
        cmd.owned = NULL


cdef void command_discard(Command *cmd) noexcept nogil:
    object_drop(cmd)


cdef void destroy(clpy_object *obj) noexcept nogil:
    cdef Command *cmd = <Command *>obj
    callbacks_forget(cmd.callbacks)      # of a user event that nobody ever set
    if cmd.flags & CMD_ON_DEVICE:
        atomic_add_i32(&cmd.context.device_events, -1)
    if cmd.more_waits != NULL:
        free(cmd.more_waits)
    let_go(cmd)                  # of one that was recorded, or discarded; there is nothing left where it was run
    if cmd.queue != NULL:
        if cmd.task.told != NULL:
            cmd.queue.device.ops.forget(cmd.task.told)
        object_drop(cmd.queue)
    elif cmd.context != NULL:
        object_drop(cmd.context)


# ---- linking ---------------------------------------------------------------------------------------------------------

cdef cl_int check_wait_list(Context *ctx, cl_uint n, const cl_event *events) noexcept nogil:
    cdef cl_uint i
    # "if event_wait_list is NULL and num_events_in_wait_list > 0, or event_wait_list is not NULL and
    # num_events_in_wait_list is 0, or if event objects in event_wait_list are not valid events"
    if (n == 0) != (events == NULL):
        return CL_INVALID_EVENT_WAIT_LIST
    for i in range(n):
        if not is_event(events[i]):
            return CL_INVALID_EVENT_WAIT_LIST
    # "if context associated with command_queue and events in event_wait_list are not the same"
    for i in range(n):
        if (<Command *>events[i]).context != ctx:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int check_wait(Context *ctx, const Wait *wait) noexcept nogil:
    if wait.recorder != NULL:
        return wait.recorder.check(wait.recorder)
    return check_wait_list(ctx, wait.n, wait.events)


cdef void pass_error(Command *target, cl_int status) noexcept nogil:
    """Of a command that target waits for. One that was passed to that one is told elsewhere."""
    cdef int32_t none = 0
    atomic_cas_i32(&target.failed, &none, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    if target.flags & CMD_CHILD:
        target.task.flags = 0    # no kernel any more
    if target.flags & CMD_ECHOES and status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        none = 0
        atomic_cas_i32(&target.queue.error, &none, status)


cdef void wait_for(Command *cmd, Command *before, Edge *edge, bint order_only) noexcept nogil:
    """Make cmd wait for `before`, whom the caller holds. cmd has not been started."""
    cdef cl_int status
    edge.target = cmd
    edge.order_only = order_only
    if atomic_load_ptr(&before.successors) != CLOSED:
        atomic_add_i32(&cmd.depends, 1)
        # A user event has no holder but the application, which may let go of it while commands wait.
        if before.type == CL_COMMAND_USER:
            object_hold(before)
        if stack_push_open(&before.successors, edge):
            return
        atomic_add_i32(&cmd.depends, -1)     # not to 0: cmd still has the one of its own
        if before.type == CL_COMMAND_USER:
            object_drop(before)
    status = atomic_load_i32(&before.status)
    if status < 0 and not order_only:
        pass_error(cmd, status)
    if before.type != CL_COMMAND_USER and end_of(before) != 0:
        pass_time(cmd, before, end_of(before))


cdef void wait_for_event(Command *cmd, Command *before, Edge *edge) noexcept nogil:
    """`before` is what the application named. Nobody may hold it any more if the application has released it."""
    if atomic_load_i32(&before.obj.named):
        wait_for(cmd, before, edge, False)
    elif object_try_hold(before):
        wait_for(cmd, before, edge, False)
        object_drop(before)


cdef inline bint is_out_of_order(Queue *q) noexcept nogil:
    return (q.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0


cdef void link_in_order(Command *cmd) noexcept nogil:
    cdef Command *before
    object_hold(cmd)             # by the queue, as its tail
    before = <Command *>atomic_xchg_ptr(<void **>&cmd.queue.tail, cmd)
    if before != NULL:
        wait_for(cmd, before, &cmd.order, True)
        object_drop(before)      # held as the tail until now


cdef void link_out_of_order(Command *cmd, Edge *edges, Command *fresh_join) noexcept nogil:
    """`edges`: two to spare. `fresh_join`: takes the place of the queue's when cmd waits for all before, else NULL."""
    cdef Queue *q = cmd.queue
    cdef Command *join = NULL
    cdef Command *passed = NULL
    mutex_lock(&q.lock)
    if fresh_join != NULL:
        join = q.join
        wait_for(cmd, join, &edges[0], True)
        atomic_store_ptr(<void **>&q.join, fresh_join)
    if q.barrier != NULL:
        wait_for(cmd, q.barrier, &edges[1], True)
    wait_for(q.join, cmd, &cmd.order, True)
    if cmd.flags & CMD_IS_BARRIER:
        object_hold(cmd)
        passed = q.barrier
        atomic_store_ptr(<void **>&q.barrier, cmd)
    mutex_unlock(&q.lock)
    if passed != NULL:
        object_drop(passed)
    if join != NULL and atomic_add_i32(&join.depends, -1) == 1:
        command_finish(join, CL_COMPLETE)


cdef void leave_queue(Command *cmd) noexcept nogil:
    """At completion, so that a queue that is idle holds no command: commands hold their queue."""
    cdef Queue *q = cmd.queue
    cdef void *tail = cmd
    if is_out_of_order(q):
        if not cmd.flags & CMD_IS_BARRIER:
            return
        mutex_lock(&q.lock)
        if q.barrier == cmd:
            atomic_store_ptr(<void **>&q.barrier, NULL)
        else:
            tail = NULL
        mutex_unlock(&q.lock)
        if tail != NULL:
            object_drop(cmd)
    elif atomic_load_ptr(<void **>&q.tail) == cmd and atomic_cas_ptr(<void **>&q.tail, &tail, NULL):
        object_drop(cmd)


# ---- from submission to completion -----------------------------------------------------------------------------------

cdef cl_int command_submit(Command *cmd, cl_uint n_wait, const cl_event *wait, cl_event *event_out,
                           cl_bool blocking) noexcept nogil:
    cdef Queue *q = cmd.queue
    cdef Device *dev = q.device
    cdef Command *fresh_join = NULL
    cdef Edge *edges = cmd.waits
    cdef cl_uint i
    cdef bint out_of_order = is_out_of_order(q)
    # What can fail comes first, while nobody else knows of the command.
    if q.in_caller:
        cmd.flags |= CMD_IN_CALLER
        edges = cmd.waits if stack_has(LEAST_STACK) else NULL
    if out_of_order and cmd.flags & CMD_WAITS_FOR_ALL:
        fresh_join = join_new()
    if edges != NULL and n_wait + 2 > INLINE_WAITS:
        cmd.more_waits = edges = <Edge *>malloc((<size_t>n_wait + 2) * sizeof(Edge))
    if edges == NULL or (fresh_join == NULL and out_of_order and cmd.flags & CMD_WAITS_FOR_ALL):
        if fresh_join != NULL:
            object_drop(fresh_join)
        command_discard(cmd)
        return CL_OUT_OF_HOST_MEMORY
    cmd.obj.run_refs += (event_out != NULL) + (blocking != 0 or q.in_caller)
    if event_out != NULL:
        object_give(&cmd.obj)
        if not cmd.flags & CMD_OWN_EVENT:
            cmd.flags |= CMD_HAS_EVENT
    for i in range(n_wait):
        wait_for_event(cmd, <Command *>wait[i], &edges[2 + i])
    if event_out != NULL:        # after the wait list was read: it may be the same variable
        event_out[0] = <cl_event>cmd
    if out_of_order:
        link_out_of_order(cmd, edges, fresh_join)
    else:
        link_in_order(cmd)
    if cmd.t_queued:
        cmd.t_submit = dev.ops.timer_ns(dev)
    if dev.ops.account != NULL:
        cmd.task.enqueued_ns = cmd.t_submit if cmd.t_submit else dev.ops.timer_ns(dev)
    cmd.status = CL_SUBMITTED    # nobody competes: it runs only after the last of the next lines
    if sinks != NULL:
        cmd.told_ns = now_ns()
        happened(ENQUEUED, cmd)
    if q.in_caller:
        return stay_with(cmd, event_out, blocking)
    if atomic_add_i32(&cmd.depends, -1) == 1:
        start(cmd, HERE_WAITS if blocking else HERE_IF_SHORT)
    else:
        dev.ops.flush(dev)       # there is more to do than the calling thread may do on the side
    return end_call(cmd, command_wait(cmd), event_out) if blocking else CL_SUCCESS


cdef cl_int stay_with(Command *cmd, cl_event *event_out, cl_bool blocking) noexcept nogil:
    """Run it in this thread, when its turn comes. A call that does not block returns what others do: an error of the
    command is its event's."""
    cdef cl_int status = CL_SUCCESS
    if atomic_add_i32(&cmd.depends, -1) != 1:
        status = turn_wait(cmd)
    if status == CL_SUCCESS:
        start(cmd, HERE_WHOLLY)
        status = command_wait(cmd)       # for what it has enqueued itself
    if status > 0 or blocking:
        return end_call(cmd, status, event_out)
    object_drop(cmd)
    return CL_SUCCESS


cdef cl_int end_call(Command *cmd, cl_int status, cl_event *event_out) noexcept nogil:
    """Of a call that has waited for its command, with that status or WAIT_*."""
    if status > 0:
        leave_memory_of_host(cmd)
        status = wait_result(status)
    elif status == CL_COMPLETE:
        status = take_error(cmd.queue)
    if status != CL_COMPLETE and event_out != NULL:
        event_out[0] = NULL      # nobody releases the event of a call that failed
        object_release(cmd, KIND_EVENT)
    object_drop(cmd)
    return status


cdef cl_int command_place(Command *cmd, const Wait *wait) noexcept nogil:
    if wait.recorder != NULL:
        return wait.recorder.add(wait.recorder, cmd)
    return command_submit(cmd, wait.n, wait.events, wait.event_out, wait.blocking)


cdef void start(Command *cmd, int here) noexcept nogil:
    cdef Device *dev
    if cmd.failed != 0:
        command_finish(cmd, cmd.failed)
    elif task_has_body(&cmd.task):
        dev = cmd.queue.device
        if not goes_apart(&cmd.task, AT_ONCE):
            dev.ops.submit(dev, &cmd.task, here)
    else:
        command_finish(cmd, CL_COMPLETE)


cdef void command_started(Task *task) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    if sinks != NULL:
        cmd.began_ns = now_ns()
        happened(STARTED, cmd)
    if cmd.t_queued and cmd.task.start_ns == 0:
        cmd.task.start_ns = cmd.queue.device.ops.timer_ns(cmd.queue.device)
    # In one order with the additions to the list of callbacks: one of the two sides sees the other.
    atomic_xchg_i32(&cmd.status, CL_RUNNING)
    if atomic_load_ptr(&cmd.callbacks) != NULL:
        callbacks_reached(<Callback *>cmd.callbacks, cmd, CL_RUNNING, CL_RUNNING, False)


cdef void task_finished(Task *task, cl_int status) noexcept nogil:
    command_finish(<Command *>task.command, status)


cdef inline cl_int final_status(Command *cmd, cl_int status) noexcept nogil:
    """"The execution status of enqueued commands will be CL_CONTEXT_TERMINATED_KHR." Not of a user event."""
    return CL_CONTEXT_TERMINATED_KHR if cmd.task.stop != NULL and atomic_load_i32(cmd.task.stop) else status


cdef void command_finish(Command *cmd, cl_int status) noexcept nogil:
    """Completes the command and, one after the other, all that it sets free and that has nothing to run."""
    cdef Command *todo = NULL
    status = final_status(cmd, status)
    settle(cmd, status, &todo)
    callbacks_close(&cmd.callbacks, cmd, status, False)
    object_drop(cmd)
    settle_all(todo)


cdef void settle_all(Command *todo) noexcept nogil:
    cdef Command *cmd
    cdef cl_int status
    while todo != NULL:
        cmd = todo
        todo = <Command *>cmd.task.next
        status = final_status(cmd, cmd.failed if cmd.failed else CL_COMPLETE)
        settle(cmd, status, &todo)
        callbacks_close(&cmd.callbacks, cmd, status, False)
        object_drop(cmd)


cdef void command_release_waiters(Command *event, cl_int status, bint last) noexcept nogil:
    cdef Command *todo = NULL
    cdef Edge *edge = <Edge *>(stack_close(&event.successors) if last else stack_empty(&event.successors))
    cdef Edge *following
    while edge != NULL and edge != CLOSED:
        following = edge.next
        arrive(edge, status, &todo)
        if event.type == CL_COMMAND_USER:
            object_drop(event)
        edge = following
    settle_all(todo)


cdef void settle(Command *cmd, cl_int status, Command **todo) noexcept nogil:
    cdef Edge *edge
    cdef Edge *following
    cdef int32_t none = 0
    cdef bint is_user = cmd.type == CL_COMMAND_USER
    cdef uint64_t end_ns = 0
    if cmd.queue != NULL:
        give_times(cmd)
    if cmd.queue != NULL and status < 0 and cmd.failed == 0 and not cmd.flags & CMD_HAS_EVENT:
        atomic_cas_i32(&cmd.queue.error, &none, status)
    if status < 0 and cmd.failed == 0 and cmd.context != NULL and not is_user:
        report_error(cmd, status)
    if not is_user:              # which has no task
        end_ns = end_of(cmd)
    if cmd.queue != NULL:
        happened_with(FINISHED, cmd, status, NULL)
    # Before anyone can see the completion: a waiter may then count on destructors having run.
    let_go(cmd)
    atomic_store_i32(&cmd.status, status)
    flag_raise(&cmd.done)
    if cmd.queue != NULL:
        leave_queue(cmd)
    edge = <Edge *>stack_close(&cmd.successors)
    if edge == CLOSED:           # by command_release_waiters
        edge = NULL
    while edge != NULL:
        following = edge.next    # the edge goes with its target
        if end_ns != 0:
            pass_time(edge.target, cmd, end_ns)
        arrive(edge, status, todo)
        if is_user:
            object_drop(cmd)
        edge = following


cdef void arrive(Edge *edge, cl_int status, Command **todo) noexcept nogil:
    cdef Command *target = edge.target
    cdef Device *dev
    if status < 0 and not edge.order_only:
        pass_error(target, status)
    if atomic_add_i32(&target.depends, -1) != 1 or (target.flags & CMD_IN_CALLER and turn_comes(target)):
        return
    if (target.failed == 0 or target.flags & CMD_CHILD) and task_has_body(&target.task):
        dev = target.queue.device
        if not goes_apart(&target.task, LATER):
            dev.ops.submit(dev, &target.task, HERE_NEVER)
    else:
        target.task.next = <Task *>todo[0]
        todo[0] = target


cdef cl_int take_error(Queue *q) noexcept nogil:
    if atomic_load_i32(&q.error) == 0:
        return CL_SUCCESS
    return atomic_xchg_i32(&q.error, 0)


if kind_register(KIND_EVENT, sizeof(Command), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for events")
