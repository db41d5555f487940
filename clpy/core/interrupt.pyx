# SPDX-License-Identifier: Apache-2.0
"""Ending what a context has to do when a signal handler's exception ends the wait for it.

The context goes on: it is as if all that it was given so far had failed. Kernels that run are left in the middle, and
what has not begun fails, that which waits for user events and semaphores too. Those are as before.
"""
from libc.stdint cimport int32_t, uint64_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32
from clpy.cl cimport cl_uint
from clpy.core.command cimport Command, command_release_waiters
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_EVENT, object_drop, object_hold_at, object_slots
from clpy.core.terminate cimport release_semaphores
from clpy.core.wait cimport on_interrupt
from clpy.device.base cimport Device
from clpy.futex cimport nap
from clpy.spec.consts cimport CL_COMMAND_USER, CL_OUT_OF_RESOURCES, CL_QUEUED

cdef enum:
    NAP_NS = 200000
    NAPS = 500                   # as long the call looks on: what cannot be left does not keep the program


cdef void fail_commands(Context *ctx) noexcept nogil:
    """Of those that are enqueued. What has begun is none the worse for it."""
    cdef Command *cmd
    cdef int32_t none
    cdef uint64_t i
    for i in range(object_slots(KIND_EVENT)):
        cmd = <Command *>object_hold_at(KIND_EVENT, i)
        if cmd == NULL:
            continue
        none = 0
        if (cmd.context == ctx and cmd.type != CL_COMMAND_USER and cmd.queue != NULL
                and 0 < atomic_load_i32(&cmd.status) < CL_QUEUED):
            atomic_cas_i32(&cmd.failed, &none, CL_OUT_OF_RESOURCES)
        object_drop(cmd)


cdef void release_events(Context *ctx) noexcept nogil:
    """What waits for user events, and for gates: of signals and of sync files."""
    cdef Command *event
    cdef uint64_t i
    for i in range(object_slots(KIND_EVENT)):
        event = <Command *>object_hold_at(KIND_EVENT, i)
        if event == NULL:
            continue
        if event.context == ctx and event.queue == NULL:
            command_release_waiters(event, CL_OUT_OF_RESOURCES, False)
        object_drop(event)


cdef void leave_kernels(Context *ctx) noexcept nogil:
    cdef Device *dev
    cdef cl_uint i
    for i in range(ctx.n_devices):
        dev = ctx.devices[i]
        if dev.ops.abandon != NULL:
            dev.ops.abandon(dev, ctx.obj.index + 1)
        dev.ops.flush(dev)


cdef void end_all(Command *awaited) noexcept nogil:
    cdef int32_t left = NAPS
    fail_commands(awaited.context)
    release_semaphores(awaited.context)
    release_events(awaited.context)
    while left > 0:
        leave_kernels(awaited.context)
        if atomic_load_i32(&awaited.done) == 1:
            return
        nap(NAP_NS)
        left -= 1


on_interrupt(end_all)
