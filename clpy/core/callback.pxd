# SPDX-License-Identifier: Apache-2.0
"""Calls into the application when an event reaches a status, without lock or GIL. `callbacks` is the list of an event:
a lock-free stack, closed when the event is complete.
"""
from libc.stdint cimport int32_t
from clpy.cl cimport cl_int, event_notify_fn
from clpy.stack cimport stack_close

ctypedef struct Callback:
    Callback *next_call          # first: the link of clpy.stack, among the calls to make
    Callback *next               # in the list of the event
    event_notify_fn fn
    void *user_data
    void *event                  # held from the posting to the return of the call
    cl_int trigger               # CL_SUBMITTED, CL_RUNNING or CL_COMPLETE
    cl_int status                # what the application is told
    # Not for CL_COMPLETE:
    int32_t posted               # 0 then 1; atomic: the winner posts it
    int32_t refs                 # its list, its call, who registers it; atomic
    bint inside                  # it lies in its event's memory

# NULL: out of memory. `room`: memory of the event to put it in, or NULL; the caller holds the event meanwhile.
cdef Callback *callback_new(cl_int trigger, event_notify_fn fn, void *user_data, Callback *room) noexcept nogil
# Takes cb over. The caller holds the event, of which `status` is read.
cdef void callback_add(void **callbacks, int32_t *status, void *event, Callback *cb) noexcept nogil
# Calls those for `reached` and for the states before it.
cdef void callbacks_reached(Callback *first, void *event, cl_int reached, cl_int status, bint here) noexcept nogil
# What was in the list when it was closed. `here`: from this thread, which holds the event, unless it is in a callback.
cdef void callbacks_end(Callback *first, void *event, cl_int status, bint here) noexcept nogil
cdef void callbacks_forget(void *callbacks) noexcept nogil      # of an event that goes: never called


cdef inline void callbacks_close(void **callbacks, void *event, cl_int status, bint here) noexcept nogil:
    """The event is complete, which `*status` of callback_add tells already."""
    cdef void *first = stack_close(callbacks)
    if first != NULL:
        callbacks_end(<Callback *>first, event, status, here)
