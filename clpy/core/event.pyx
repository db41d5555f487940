# SPDX-License-Identifier: Apache-2.0
"""Events as the application sees them: user events, callbacks, waiting for several."""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32
from clpy.cl cimport cl_event, cl_int, cl_uint, event_notify_fn
from clpy.core.callback cimport Callback, callback_add, callback_new, callbacks_close
from clpy.core.command cimport CMD_CALLBACK_INSIDE, Command, settle, settle_all
from clpy.core.object cimport object_drop, object_try_hold
from clpy.core.wait cimport command_wait, wait_result
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_COMMAND_USER, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_EVENT,
                               CL_INVALID_OPERATION, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)


cdef cl_int event_status(Command *event) noexcept nogil:
    flush_queue_of(event)
    return atomic_load_i32(&event.status)


cdef void finish(Command *event, cl_int status) noexcept nogil:
    cdef Command *todo = NULL
    settle(event, status, &todo)
    settle_all(todo)
    callbacks_close(&event.callbacks, event, status, True)       # last: they may take long


cdef cl_int event_set_status(Command *event, cl_int status) noexcept nogil:
    cdef int32_t mine = 1
    cdef cl_int err = CL_SUCCESS
    if not object_try_hold(event):
        return CL_INVALID_EVENT
    # Whoever takes the one dependency of a user event completes it.
    if atomic_cas_i32(&event.depends, &mine, 0):
        finish(event, status)
    else:
        err = CL_INVALID_OPERATION
    object_drop(event)
    return err


cdef cl_int event_on_status(Command *event, cl_int trigger, event_notify_fn fn, void *user_data) noexcept nogil:
    cdef Callback *room = NULL
    cdef Callback *cb
    cdef int32_t none = 0
    if not object_try_hold(event):   # the callback itself may release it
        return CL_INVALID_EVENT
    # The first callback of a user event costs no memory of its own.
    if event.type == CL_COMMAND_USER and atomic_cas_i32(<int32_t *>&event.flags, &none, CMD_CALLBACK_INSIDE):
        room = <Callback *>&event.t_submit
    cb = callback_new(trigger, fn, user_data, room)
    if cb == NULL:
        object_drop(event)
        return CL_OUT_OF_HOST_MEMORY
    callback_add(&event.callbacks, &event.status, event, cb)
    flush_queue_of(event)        # or the callback may never come
    object_drop(event)
    return CL_SUCCESS


cdef void flush_queue_of(Command *event) noexcept nogil:
    cdef Device *dev
    if event.queue != NULL and atomic_load_i32(&event.done) != 1:
        dev = event.queue.device
        dev.ops.flush(dev)


cdef cl_int events_wait(cl_uint n, const cl_event *events) noexcept nogil:
    cdef cl_int result = CL_SUCCESS, status = CL_SUCCESS
    cdef cl_uint i, k
    # All are flushed first: another device may work at the later ones while this thread waits for the first.
    if n > 1:
        for i in range(n):
            flush_queue_of(<Command *>events[i])
    for i in range(n):
        if not object_try_hold(<void *>events[i]):
            for k in range(i):
                object_drop(<void *>events[k])
            return CL_INVALID_EVENT
    for i in range(n):
        if status <= 0:          # else nothing is waited for any more
            status = command_wait(<Command *>events[i])
        if status < 0:
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        object_drop(<void *>events[i])
    return wait_result(status) if status > 0 else result
