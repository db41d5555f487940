# SPDX-License-Identifier: Apache-2.0
"""Events as the application sees them: user events, callbacks, waiting for several."""
from clpy.cl cimport cl_event, cl_int, cl_uint, event_notify_fn
from clpy.core.command cimport Command

# Also sees to it that the command is on its way: applications poll without a flush.
cdef cl_int event_status(Command *event) noexcept nogil
cdef cl_int event_set_status(Command *event, cl_int status) noexcept nogil     # of a user event, once
cdef cl_int event_on_status(Command *event, cl_int trigger, event_notify_fn fn, void *user_data) noexcept nogil
cdef cl_int events_wait(cl_uint n, const cl_event *events) noexcept nogil      # the events are valid
