# SPDX-License-Identifier: Apache-2.0
"""Commands that kernels enqueue: making them, when they start, when their parent is complete. Design: runtime.md."""
from libc.stdint cimport int32_t
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport Command, Kin, Queue
from clpy.core.context cimport Context
from clpy.device.base cimport Task

# What is known of the kernel that runs as this task; NULL when out of memory.
cdef Kin *kin_of(Task *task) noexcept nogil
# A command of a parent on a queue of its device, to be filled in; `bytes` of the queue are its. NULL and a code of
# OpenCL C. with_event: kernels get its event.
cdef Command *child_new(Queue *q, cl_command_type type, cl_uint bytes, bint with_event, cl_int *err) noexcept nogil
cdef void child_discard(Command *cmd) noexcept nogil
# Out of memory, then it is discarded, or it is on its way. waits_for_parent: until that has run.
cdef bint child_submit(Command *cmd, Kin *parent, bint waits_for_parent, cl_uint n, void *const *events) noexcept nogil
# An event that a kernel makes and sets; NULL and a code.
cdef Command *device_user_event_new(Context *ctx, cl_uint most, cl_int *err) noexcept nogil
# What kernels have made and not released goes with the application's last reference to the context, held by the caller.
cdef void device_events_release(Context *ctx) noexcept nogil
