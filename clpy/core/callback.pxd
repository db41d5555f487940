# SPDX-License-Identifier: Apache-2.0
"""Calls into the application when an event reaches a status: one thread per process makes them, without lock or GIL."""
from libc.stdint cimport int32_t
from clpy.cl cimport cl_int, event_notify_fn

ctypedef struct Callback:
    event_notify_fn fn
    void *user_data
    cl_int trigger               # CL_SUBMITTED, CL_RUNNING or CL_COMPLETE
    cl_int status                # what the application is told
    void *event                  # held from the posting to the return of the call
    Callback *next               # in the list of the event
    Callback *next_call          # in the list of calls to make
    int32_t posted               # 0 then 1; atomic: the winner posts it
    int32_t refs                 # its list, its call, who registers it
    bint inside                  # it lies in its event's memory

# NULL: out of memory. `room`: memory of the event to put it in, or NULL; the caller holds the event meanwhile.
cdef Callback *callback_new(cl_int trigger, event_notify_fn fn, void *user_data, Callback *room) noexcept nogil
cdef void callback_free(Callback *cb) noexcept nogil        # of an event that goes: whoever else had it
cdef void callback_post(Callback *cb) noexcept nogil
cdef void callback_drop(Callback *cb) noexcept nogil
