# SPDX-License-Identifier: Apache-2.0
"""A pool's lists of tasks, and whose turn it is; all of it inline. Under the pool's lock.

Copies and the like stand in one list. Kernels stand in one list per context, a *lane*: threads go to the lane that the
fewest of them work for, and among those to the one whose last turn is the longest ago. A lane belongs to a context
while that has tasks here. There is always one, so tasks always find a place.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free
from clpy.atomics cimport (atomic_cas_i32, atomic_load_i64_relaxed, atomic_store_i32, atomic_store_i64,
                           atomic_store_ptr)
from clpy.device.base cimport TASK_FOREIGN, TASK_KERNEL, Task

cdef enum:
    KEEP_EXTRA = 7               # lanes; more go when their context has nothing to do
    BRIEF_NS = 5000000           # a group that takes longer is none for a thread that must be back soon

ctypedef struct List:
    Task *head                   # also read without the lock
    Task *last

ctypedef struct Lane:
    Lane *next                   # whose turn comes later
    List kernels
    uint32_t context             # whose it is or was last, 0: nobody's yet
    int32_t tasks                # of the context, copies too, that have not ended
    int32_t users                # threads that work at them
    uint32_t turns               # how often one was taken
    uint32_t seen                # 1 + `turns`, if nobody worked at them when any_overdue looked; else 0

ctypedef struct Lanes:
    List urgent
    Lane *first
    int32_t users                # of all together
    int32_t contexts             # that have tasks; also read without the lock
    int32_t extra                # lanes besides `room`
    Lane room                    # the one that is always there


cdef inline bint is_exhausted(Task *task) noexcept nogil:
    return atomic_load_i64_relaxed(&task.next_unit) >= task.n_units


cdef inline bint is_brief(const Task *task) noexcept nogil:
    """Will a thread that works at it be back soon? Not where nobody knows."""
    if task.flags & TASK_KERNEL:
        return (task.launch.ns_per_group != NULL and not task.launch.traits.spins
                and 0 < atomic_load_i64_relaxed(<int64_t *>task.launch.ns_per_group) < BRIEF_NS)
    return not task.flags & TASK_FOREIGN


# ---- lanes -----------------------------------------------------------------------------------------------------------

cdef inline Lane *lane_of(Lanes *lanes, uint32_t context) noexcept nogil:
    cdef Lane *idle = NULL
    cdef Lane *lane
    if lanes.first == NULL:
        lanes.first = &lanes.room
    lane = lanes.first
    while lane != NULL:
        if lane.context == context:
            return lane
        if lane.tasks == 0:
            idle = lane
        lane = lane.next
    if idle == NULL:
        idle = <Lane *>calloc(1, sizeof(Lane))
        if idle == NULL:         # contexts share one
            return lanes.first
        idle.next = lanes.first
        lanes.first = idle
        lanes.extra += 1
    idle.context = context
    idle.seen = 0
    return idle


cdef inline void to_the_end(Lanes *lanes, Lane *lane) noexcept nogil:
    cdef Lane **at = &lanes.first
    if lane.next == NULL:
        return
    while at[0] != lane:
        at = &at[0].next
    at[0] = lane.next
    while at[0] != NULL:
        at = &at[0].next
    at[0] = lane
    lane.next = NULL


cdef inline void has_none(Lanes *lanes, Lane *lane) noexcept nogil:
    """Its context has no tasks any more."""
    cdef Lane **at = &lanes.first
    atomic_store_i32(&lanes.contexts, lanes.contexts - 1)
    if lanes.extra <= KEEP_EXTRA or lane == &lanes.room:
        return
    while at[0] != lane:
        at = &at[0].next
    at[0] = lane.next
    lanes.extra -= 1
    free(lane)


cdef inline void free_lanes(Lanes *lanes) noexcept nogil:
    cdef Lane *lane = lanes.first
    cdef Lane *following
    while lane != NULL:
        following = lane.next
        if lane != &lanes.room:
            free(lane)
        lane = following


# ---- lists -----------------------------------------------------------------------------------------------------------

cdef inline void append(Lanes *lanes, Task *task) noexcept nogil:
    cdef Lane *lane = lane_of(lanes, task.context)
    cdef List *list = &lane.kernels if task.flags & TASK_KERNEL else &lanes.urgent
    task.lane = lane
    if lane.tasks == 0:
        atomic_store_i32(&lanes.contexts, lanes.contexts + 1)
    lane.tasks += 1
    task.next = NULL
    task.is_listed = True
    if list.head == NULL:
        atomic_store_ptr(<void **>&list.head, task)
    else:
        list.last.next = task
    list.last = task


cdef inline void put_first(List *list, Task *task) noexcept nogil:
    task.next = list.head
    task.is_listed = True
    if list.head == NULL:
        list.last = task
    atomic_store_ptr(<void **>&list.head, task)


cdef inline void take_head(List *list) noexcept nogil:
    list.head.is_listed = False
    atomic_store_ptr(<void **>&list.head, list.head.next)


cdef inline void take_out(List *list, Task *task) noexcept nogil:
    """Only heads are begun, so before a task that is worked at there are at most those that were put first since."""
    cdef Task *before = list.head
    if not task.is_listed:
        return
    if before == task:
        take_head(list)
        return
    while before.next != task:
        before = before.next
    before.next = task.next
    task.is_listed = False
    if list.last == task:
        list.last = before


cdef inline Task *head_of(List *list) noexcept nogil:
    """What is exhausted goes out: its last user completes it."""
    while list.head != NULL and is_exhausted(list.head):
        take_head(list)
    return list.head


cdef inline Task *take_urgent(Lanes *lanes, bint brief) noexcept nogil:
    cdef Task *task = head_of(&lanes.urgent)
    return task if task != NULL and (not brief or is_brief(task)) else NULL


cdef inline Task *take_kernel(Lanes *lanes, bint unserved, bint brief) noexcept nogil:
    """unserved: of a context that no thread works for."""
    cdef Lane *best = NULL
    cdef Lane *lane = lanes.first
    cdef Task *task
    while lane != NULL:
        task = head_of(&lane.kernels)
        if (task != NULL and not (unserved and lane.users) and (not brief or is_brief(task))
                and (best == NULL or lane.users < best.users)):
            best = lane
        lane = lane.next
    return best.kernels.head if best != NULL else NULL


cdef inline Task *take_from(Lanes *lanes, bint unserved, bint brief) noexcept nogil:
    """A task to work at, or NULL."""
    cdef Task *task = take_urgent(lanes, brief)
    cdef Lane *lane
    cdef List *list
    if task == NULL:
        task = take_kernel(lanes, unserved, brief)
    if task == NULL:
        return NULL
    lane = <Lane *>task.lane
    list = &lane.kernels if task.flags & TASK_KERNEL else &lanes.urgent
    lane.users += 1
    lanes.users += 1
    lane.turns += 1
    to_the_end(lanes, lane)
    task.users += 1
    if not task.begun:
        task.begun = True
        task.started(task)
    if task.users >= task.most:  # nobody else is to join: the next one's turn
        take_head(list)
    return task


cdef inline bint leave(Lanes *lanes, Task *task) noexcept nogil:
    """True when the task is complete: nothing to claim, and nobody at work on it but the caller."""
    cdef Lane *lane = <Lane *>task.lane
    cdef List *list = &lane.kernels if task.flags & TASK_KERNEL else &lanes.urgent
    lane.users -= 1
    lanes.users -= 1
    task.users -= 1
    if not is_exhausted(task):
        if not task.is_listed:               # it is worth one more again
            put_first(list, task)
        return False
    if task.users > 0:
        return False
    take_out(list, task)
    lane.tasks -= 1
    if lane.tasks == 0:
        has_none(lanes, lane)
    return True


cdef inline bint has_any(const Lanes *lanes, const Task *besides, bint unserved) noexcept nogil:
    """Is there something for another thread, besides that task? What is exhausted may count."""
    cdef const Lane *lane = lanes.first
    cdef const Task *task = lanes.urgent.head
    if task != NULL and (task != besides or task.next != NULL):
        return True
    while lane != NULL:
        task = lane.kernels.head
        if task != NULL and (task != besides or task.next != NULL) and not (unserved and lane.users):
            return True
        lane = lane.next
    return False


# ---- contexts that nobody works for ----------------------------------------------------------------------------------

cdef inline bint is_starved(const Lane *lane) noexcept nogil:
    return lane.tasks > 0 and lane.users == 0


cdef inline bint any_starved(const Lanes *lanes) noexcept nogil:
    cdef const Lane *lane = lanes.first
    while lane != NULL:
        if is_starved(lane):
            return True
        lane = lane.next
    return False


cdef inline bint any_overdue(Lanes *lanes) noexcept nogil:
    """Looked at again and again: was there one that nobody worked for at the last look, and since?"""
    cdef Lane *lane = lanes.first
    cdef bint some = False
    while lane != NULL:
        if not is_starved(lane):
            lane.seen = 0
        else:
            some = some or lane.seen == lane.turns + 1
            lane.seen = lane.turns + 1
        lane = lane.next
    return some


cdef inline void fail_list(List *list, uint32_t context, int32_t error) noexcept nogil:
    cdef int32_t none
    cdef Task *task = list.head
    while task != NULL:
        none = 0
        if task.context == context:
            atomic_cas_i32(&task.error, &none, error)
            if task.users > 0:
                atomic_store_i64(&task.next_unit, task.n_units)
        task = task.next


cdef inline void fail_all(Lanes *lanes, uint32_t context, int32_t error) noexcept nogil:
    """Of the context's tasks: nothing more of them is begun. Who takes one finds that it has failed."""
    cdef Lane *lane = lanes.first
    fail_list(&lanes.urgent, context, error)
    while lane != NULL:
        fail_list(&lane.kernels, context, error)
        lane = lane.next
