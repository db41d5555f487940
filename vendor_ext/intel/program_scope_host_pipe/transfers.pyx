# SPDX-License-Identifier: Apache-2.0
"""Moving packets. No thread of the device does it: the kernel at the other end may take all of them. A command that
does not end where it is enqueued goes into a list, and a thread looks at the pipes from time to time, as kernels tell
nobody what they read and write. It is there while something waits. Who comes first for an end of a pipe is served
first.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32, atomic_store_i32
from clpy.cl cimport cl_int
from clpy.core.apart cimport AT_ONCE, TASK_APART
from clpy.core.command cimport Command
from clpy.device.base cimport Task
from clpy.futex cimport flag_raise, flag_wait_for, mutex_lock, mutex_unlock, nap
from clpy.spec.consts cimport CL_COMPLETE, CL_OUT_OF_RESOURCES, CL_RUNNING
from clpy.threads cimport at_fork_in_child, thread_start
from clpy.vendor_ext.intel.program_scope_host_pipe.ring cimport ring_read, ring_write

cdef enum:
    SHORTEST_NS = 20000          # between two looks: so long at first, then twice as long each time
    LONGEST_NS = 2000000
    WAITING = CL_RUNNING         # of an outcome
    PIPE_FULL = -1106            # CL_..._INTEL
    PIPE_EMPTY = -1107

cdef Task *first = NULL          # under `lock`: those that wait
cdef bint running = False        # likewise: the thread is there
cdef int32_t lock = 0
cdef int32_t bell = 0            # flag


cdef inline Transfer *transfer_of(const Task *task) noexcept nogil:
    return <Transfer *>(<Command *>task.command).payload.bytes


cdef inline bint is_over(const Task *task) noexcept nogil:
    """Its context has ended what it has to do, or itself."""
    return (atomic_load_i32(&(<Command *>task.command).failed) != 0
            or (task.stop != NULL and atomic_load_i32(task.stop)))


cdef bint somebody_is_before(const Task *task) noexcept nogil:
    """At the same end of its pipe. Under the lock."""
    cdef const Transfer *own = transfer_of(task)
    cdef const Task *other = first
    while other != NULL and other != task:
        if transfer_of(other).pipe == own.pipe and transfer_of(other).reads == own.reads:
            return True
        other = other.next
    return False


cdef int32_t try_it(const Task *task) noexcept nogil:
    """Under the lock: the outcome."""
    cdef Transfer *own = transfer_of(task)
    if is_over(task):
        own.outcome = CL_OUT_OF_RESOURCES
    elif not somebody_is_before(task) and (ring_read(own.pipe, own.ptr) if own.reads else
                                           ring_write(own.pipe, own.ptr)):
        own.outcome = CL_COMPLETE
    elif own.waits:
        own.outcome = WAITING
    else:
        own.outcome = PIPE_EMPTY if own.reads else PIPE_FULL
    return own.outcome


cdef void finish(Task *task) noexcept nogil:
    cdef int32_t none = 0
    cdef int32_t outcome = transfer_of(task).outcome
    if outcome == PIPE_EMPTY or outcome == PIPE_FULL:    # no fault of the queue, nor one to be told: the event says it
        atomic_cas_i32(&(<Command *>task.command).failed, &none, outcome)
    task.finished(task, outcome)


cdef cl_int run(Task *task, uint32_t part) noexcept nogil:
    cdef uint64_t ns = SHORTEST_NS
    cdef int32_t outcome
    cdef bint others
    task.started(task)
    while part == AT_ONCE:
        mutex_lock(&lock)
        outcome, others = try_it(task), first != NULL
        mutex_unlock(&lock)
        if outcome != WAITING:
            if others:               # somebody at the other end may wait for it
                flag_raise(&bell)
            finish(task)
            return CL_COMPLETE
        if not (<Command *>task.command).queue.in_caller:
            break
        nap(ns)                      # this thread is the one that has to wait
        ns = 2 * ns if 2 * ns < LONGEST_NS else LONGEST_NS
    wait(task)
    return CL_COMPLETE


cdef void transfer_task(Command *cmd) noexcept nogil:
    cmd.task.flags |= TASK_APART
    cmd.task.run = run


# ---- those that wait -------------------------------------------------------------------------------------------------

cdef void wait(Task *task) noexcept nogil:
    global running
    cdef Task **link = &first
    cdef bint is_kept
    task.next = NULL
    mutex_lock(&lock)
    is_kept = running = running or thread_start(look, NULL, b"clpy-pipe", 0)
    if is_kept:
        while link[0] != NULL:
            link = &link[0].next
        link[0] = task
    mutex_unlock(&lock)
    if is_kept:
        flag_raise(&bell)
    else:
        task.finished(task, CL_OUT_OF_RESOURCES)


cdef Task *take_over(bint *some_left) noexcept nogil:
    """What is over, taken out of the list, in the order that it came in. The thread ends where nothing is left."""
    global running
    cdef Task *over = NULL
    cdef Task *task
    cdef Task **last = &over
    cdef Task **link = &first
    mutex_lock(&lock)
    while link[0] != NULL:
        task = link[0]
        if try_it(task) == WAITING:
            link = &task.next
            continue
        link[0] = task.next
        task.next = NULL
        last[0] = task
        last = &task.next
    some_left[0] = running = first != NULL or over != NULL      # whose ends may bring more
    mutex_unlock(&lock)
    return over


cdef void look(void *nothing) noexcept nogil:
    cdef Task *over
    cdef Task *then
    cdef uint64_t ns = SHORTEST_NS
    cdef bint some_left = True
    while some_left:
        atomic_store_i32(&bell, 0)
        over = take_over(&some_left)
        ns = SHORTEST_NS if over != NULL else 2 * ns if 2 * ns < LONGEST_NS else LONGEST_NS
        while over != NULL:
            then = over.next
            finish(over)
            over = then
        if some_left:
            flag_wait_for(&bell, ns)
            if atomic_load_i32(&bell) == 1:
                ns = SHORTEST_NS


cdef void forget_thread() noexcept nogil:
    """In the child of a fork: what was waited for is the parent's."""
    global first, running, lock, bell
    first = NULL
    running = False
    lock = bell = 0


at_fork_in_child(forget_thread)
