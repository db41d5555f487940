# SPDX-License-Identifier: Apache-2.0
"""Callbacks of events: their lists, and who makes the calls.

A thread makes them that is started when the first callback is registered and sleeps until there is a call to make: a
callback may call OpenCL functions that wait, and must not hold up a device meanwhile. Those of a user event are called
by the thread that sets its status, as there is nothing to hold up; in a callback that thread leaves them to the other,
or events that set each other off would need stack without end.

A callback for CL_COMPLETE belongs to the list until that is closed, then to its call. One for an earlier status may be
called while it stays in the list, so that its holders are counted.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from clpy.atomics cimport (atomic_add_i32, atomic_cas_i32, atomic_cas_ptr, atomic_load_i32, atomic_load_ptr,
                           atomic_store_i32, atomic_xchg_i32)
from clpy.cl cimport cl_event, cl_int, event_notify_fn
from clpy.core.object cimport object_drop, object_hold
from clpy.futex cimport flag_raise, flag_wait, mutex_lock, mutex_unlock
from clpy.spec.consts cimport CL_COMPLETE, CL_RUNNING, CL_SUBMITTED
from clpy.stack cimport CLOSED, stack_push, stack_take
from clpy.threads cimport at_fork_in_child, thread_start

cdef extern from "callback_thread.h" nogil:
    int in_callback "clpy_in_callback"       # this thread is making a call, or does nothing else

cdef void *calls = NULL          # stack of what is to be called; atomic
cdef int32_t work_flag = 0       # raised when there is something
cdef int32_t start_lock = 0
cdef int32_t started = False     # atomic


# ---- one callback ----------------------------------------------------------------------------------------------------

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
    cb.refs = 1 if trigger == CL_COMPLETE else 3
    return cb


cdef inline void callback_free(Callback *cb) noexcept nogil:
    if not cb.inside:
        free(cb)


cdef inline void callback_drop(Callback *cb) noexcept nogil:
    if cb.trigger == CL_COMPLETE or atomic_add_i32(&cb.refs, -1) == 1:
        callback_free(cb)


cdef inline bint take(Callback *cb) noexcept nogil:
    """Does the call fall to who asks? Once it does."""
    cdef int32_t none = 0
    return atomic_cas_i32(&cb.posted, &none, 1)


cdef inline void call(Callback *cb, void *event) noexcept nogil:
    cb.fn(<cl_event>event, cb.status, cb.user_data)
    callback_drop(cb)


cdef void post(Callback *cb, void *event) noexcept nogil:
    object_hold(event)
    cb.event = event
    if stack_push(&calls, cb) == NULL:      # else whoever put the first one there raises the flag
        flag_raise(&work_flag)


cdef inline void tell(Callback *cb, void *event, cl_int status, bint here) noexcept nogil:
    """"If the command terminates abnormally, the error code is passed"."""
    cb.status = status if status < 0 else cb.trigger
    if here:
        call(cb, event)
    else:
        post(cb, event)


# ---- the list of an event --------------------------------------------------------------------------------------------

cdef inline bint enlist(void **callbacks, Callback *cb) noexcept nogil:
    """False: the list is closed."""
    cdef void *head = atomic_load_ptr(callbacks)
    while head != CLOSED:
        cb.next = <Callback *>head
        if atomic_cas_ptr(callbacks, &head, cb):
            return True
    return False


cdef void callback_add(void **callbacks, int32_t *status, void *event, Callback *cb) noexcept nogil:
    cdef bint counted = cb.trigger != CL_COMPLETE
    cdef bint listed = enlist(callbacks, cb)
    cdef cl_int reached
    if listed and not counted:
        return                   # whoever closes the list has it now
    reached = atomic_load_i32(status)
    if not counted:
        tell(cb, event, reached, False)
        return
    if not listed:
        callback_drop(cb)        # no list has it
    if reached <= cb.trigger and take(cb):
        tell(cb, event, reached, False)
    callback_drop(cb)


cdef void callbacks_reached(Callback *cb, void *event, cl_int reached, cl_int status, bint here) noexcept nogil:
    while cb != NULL:
        if cb.trigger >= reached and take(cb):
            tell(cb, event, status, here)
        cb = cb.next


cdef void callbacks_end(Callback *cb, void *event, cl_int status, bint here) noexcept nogil:
    global in_callback
    cdef Callback *following
    here = here and not in_callback
    if here:
        in_callback = True
    callbacks_reached(cb, event, CL_SUBMITTED, status, here)     # in the order of the states
    callbacks_reached(cb, event, CL_RUNNING, status, here)
    while cb != NULL:
        following = cb.next
        if cb.trigger == CL_COMPLETE:
            tell(cb, event, status, here)
        else:
            callback_drop(cb)
        cb = following
    if here:
        in_callback = False


cdef void callbacks_forget(void *callbacks) noexcept nogil:
    cdef Callback *cb = <Callback *>callbacks
    cdef Callback *following
    if callbacks == CLOSED:
        return
    while cb != NULL:
        following = cb.next
        callback_free(cb)
        cb = following


# ---- the thread ------------------------------------------------------------------------------------------------------

cdef void run_calls(void *unused) noexcept nogil:
    global in_callback
    cdef Callback *cb
    cdef Callback *following
    cdef void *event
    in_callback = True
    while True:
        flag_wait(&work_flag)
        atomic_xchg_i32(&work_flag, 0)   # before the list is taken: what is posted later raises it again
        cb = <Callback *>stack_take(&calls)
        while cb != NULL:
            following = cb.next_call
            event = cb.event
            call(cb, event)
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
