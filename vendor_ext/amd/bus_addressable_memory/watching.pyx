# SPDX-License-Identifier: Apache-2.0
"""The thread that looks at signals. A bus tells nobody what is written: commands that write a signal call the thread,
and for what is written past them, by the host, it looks from time to time. It is there while something waits."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from clpy.atomics cimport atomic_load_i32, atomic_store_i32
from clpy.core.command cimport Command, command_finish
from clpy.core.object cimport object_drop, object_hold
from clpy.futex cimport flag_raise, flag_wait_for, mutex_lock, mutex_unlock
from clpy.spec.consts cimport CL_COMPLETE
from clpy.threads cimport at_fork_in_child, thread_start

cdef enum:
    SHORTEST_NS = 20000          # between two looks: so long at first, then twice as long each time
    LONGEST_NS = 2000000

cdef struct Watched:
    const uint32_t *word
    uint32_t value
    Command *gate
    Command *waiter              # held; NULL before signal_waiter
    Watched *next

cdef Watched *watched = NULL     # under `lock`
cdef bint running = False        # likewise
cdef int32_t lock = 0
cdef int32_t bell = 0            # flag


cdef bint signal_watch(const uint32_t *word, uint32_t value, Command *gate) noexcept nogil:
    global watched, running
    cdef Watched *node = <Watched *>malloc(sizeof(Watched))
    cdef bint ok
    if node == NULL:
        return False
    node.word, node.value, node.gate, node.waiter = word, value, gate, NULL
    mutex_lock(&lock)
    ok = running = running or thread_start(look, NULL, b"clpy-signal", 0)
    if ok:
        node.next = watched
        watched = node
    mutex_unlock(&lock)
    if not ok:
        free(node)
    flag_raise(&bell)
    return ok


cdef void signal_waiter(Command *gate, Command *waiter) noexcept nogil:
    cdef Watched *node
    mutex_lock(&lock)
    node = watched
    while node != NULL and node.gate != gate:
        node = node.next
    if node != NULL:             # else it is over
        object_hold(waiter)
        node.waiter = waiter
    mutex_unlock(&lock)


cdef void signal_written() noexcept nogil:
    if watched != NULL:
        flag_raise(&bell)


cdef inline bint is_over(const Watched *node) noexcept nogil:
    cdef Command *waiter = node.waiter
    if <uint32_t>atomic_load_i32(<int32_t *>node.word) >= node.value or atomic_load_i32(&node.gate.failed) != 0:
        return True
    return waiter != NULL and (atomic_load_i32(&waiter.failed) != 0 or atomic_load_i32(&waiter.done) == 1)


cdef Watched *take_over(bint *some_left) noexcept nogil:
    """What is over, taken out of the list. The thread ends where nothing is left."""
    global running
    cdef Watched *over = NULL
    cdef Watched *node
    cdef Watched **link = &watched
    mutex_lock(&lock)
    while link[0] != NULL:
        node = link[0]
        if is_over(node):
            link[0] = node.next
            node.next = over
            over = node
        else:
            link = &node.next
    some_left[0] = running = watched != NULL
    mutex_unlock(&lock)
    return over


cdef void look(void *nothing) noexcept nogil:
    cdef Watched *over
    cdef Watched *following
    cdef uint64_t ns = SHORTEST_NS
    cdef bint some_left = True
    while some_left:
        atomic_store_i32(&bell, 0)
        over = take_over(&some_left)
        ns = SHORTEST_NS if over != NULL else 2 * ns if 2 * ns < LONGEST_NS else LONGEST_NS
        while over != NULL:
            following = over.next
            command_finish(over.gate, CL_COMPLETE)       # drops it
            if over.waiter != NULL:
                object_drop(over.waiter)
            free(over)
            over = following
        if some_left:
            flag_wait_for(&bell, ns)
            if atomic_load_i32(&bell) == 1:
                ns = SHORTEST_NS


cdef void forget_thread() noexcept nogil:
    """In the child of a fork: what was waited for is the parent's."""
    global watched, running, lock, bell
    watched = NULL
    running = False
    lock = bell = 0


at_fork_in_child(forget_thread)
