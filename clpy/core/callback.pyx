# SPDX-License-Identifier: Apache-2.0
"""The callback thread: started when the first callback is registered, asleep until there is a call to make.

A thread of its own, because a callback may call OpenCL functions that wait, and must not hold up a device meanwhile.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from clpy.atomics cimport (atomic_add_i32, atomic_cas_ptr, atomic_load_i32, atomic_load_ptr, atomic_store_i32,
                           atomic_xchg_i32, atomic_xchg_ptr)
from clpy.cl cimport cl_event, cl_int, event_notify_fn
from clpy.core.object cimport object_drop
from clpy.futex cimport flag_raise, flag_wait, mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child, thread_start

cdef Callback *calls = NULL      # stack of what is to be called; atomic
cdef int32_t work_flag = 0       # raised when there is something
cdef int32_t start_lock = 0
cdef int32_t started = False   # atomic


cdef Callback *callback_new(cl_int trigger, event_notify_fn fn, void *user_data, Callback *room) noexcept nogil:
    cdef Callback *cb = room
    if not atomic_load_i32(&started) and not ensure_thread():
        return NULL
    if cb == NULL:
        cb = <Callback *>malloc(sizeof(Callback))
        if cb == NULL:
            return NULL
    cb.inside = room != NULL
    cb.fn = fn
    cb.user_data = user_data
    cb.trigger = trigger
    cb.status = 0
    cb.event = NULL
    cb.next = NULL
    cb.next_call = NULL
    cb.posted = 0
    cb.refs = 3
    return cb


cdef void callback_drop(Callback *cb) noexcept nogil:
    if atomic_add_i32(&cb.refs, -1) == 1:
        callback_free(cb)


cdef void callback_free(Callback *cb) noexcept nogil:
    if not cb.inside:
        free(cb)


cdef void callback_post(Callback *cb) noexcept nogil:
    cdef void *head = atomic_load_ptr(<void **>&calls)
    while True:
        cb.next_call = <Callback *>head
        if atomic_cas_ptr(<void **>&calls, &head, cb):
            break
    if head == NULL:             # else whoever put the first one there raises the flag
        flag_raise(&work_flag)


cdef Callback *oldest_first(Callback *stack) noexcept nogil:
    cdef Callback *out = NULL
    cdef Callback *following
    while stack != NULL:
        following = stack.next_call
        stack.next_call = out
        out = stack
        stack = following
    return out


cdef void run_calls(void *unused) noexcept nogil:
    cdef Callback *cb
    cdef Callback *following
    cdef void *event
    while True:
        flag_wait(&work_flag)
        atomic_xchg_i32(&work_flag, 0)   # before the list is taken: what is posted later raises it again
        cb = oldest_first(<Callback *>atomic_xchg_ptr(<void **>&calls, NULL))
        while cb != NULL:
            following = cb.next_call
            event = cb.event
            cb.fn(<cl_event>event, cb.status, cb.user_data)
            callback_drop(cb)
            object_drop(event)   # after what may lie in it
            cb = following


cdef bint ensure_thread() noexcept nogil:
    global started
    cdef bint ok
    mutex_lock(&start_lock)
    if not started:
        atomic_store_i32(&started, thread_start(run_calls, NULL, b"clpy-callback", 0))
    ok = started
    mutex_unlock(&start_lock)
    return ok


cdef void forget_thread() noexcept nogil:
    """In the child of a fork: the thread and the events it was to tell of are the parent's."""
    global calls, work_flag, start_lock, started
    calls = NULL
    work_flag = 0
    start_lock = 0
    started = False


at_fork_in_child(forget_thread)
