# SPDX-License-Identifier: Apache-2.0
"""Ending all that a context has to do (cl_khr_terminate_context).

Every task of such a context points to its flag (`Task.stop`): once it is raised, whatever a device takes up ends with
an error, and a kernel that runs is left in the middle. So there is only to be seen to that everything is taken up: what
waits for user events and for semaphores is let go of here. Commands then fail one after the other, as after any error;
core/command gives each of them the status that tells why.
"""
from libc.stdint cimport int32_t, uint64_t
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32, atomic_store_i32
from clpy.cl cimport cl_int, cl_uint
from clpy.core.command cimport Command, Queue, command_release_waiters
from clpy.core.command_buffer cimport CommandBuffer
from clpy.core.context cimport Context
from clpy.core.kernel cimport Kernel
from clpy.core.memory cimport Mem
from clpy.core.object cimport (KIND_COMMAND_BUFFER, KIND_CONTEXT, KIND_EVENT, KIND_KERNEL, KIND_MEM, KIND_PROGRAM,
                               KIND_QUEUE, KIND_SEMAPHORE, object_drop, object_hold, object_hold_at, object_is,
                               object_slots)
from clpy.core.program cimport Program
from clpy.core.semaphore cimport Semaphore, semaphore_release_waiters
from clpy.device.base cimport Device
from clpy.futex cimport nap
from clpy.spec.consts cimport (CL_COMMAND_USER, CL_CONTEXT_TERMINATED_KHR, CL_QUEUED, CL_SUCCESS)
from clpy.threads cimport thread_start

cdef enum:
    NAP_NS = 100000
    NAPS = 1000                  # so long the call itself looks on, then a thread of its own
    LATER_NAP_NS = 5000000

cdef int32_t any_terminated = 0  # atomic


cdef bint is_of_terminated(const void *handle) noexcept nogil:
    cdef const Context *ctx = NULL
    if not atomic_load_i32(&any_terminated):
        return False
    if object_is(handle, KIND_CONTEXT):
        ctx = <const Context *>handle
    elif object_is(handle, KIND_QUEUE):
        ctx = (<const Queue *>handle).context
    elif object_is(handle, KIND_MEM):
        ctx = (<const Mem *>handle).context
    elif object_is(handle, KIND_PROGRAM):
        ctx = (<const Program *>handle).context
    elif object_is(handle, KIND_KERNEL):
        ctx = (<const Kernel *>handle).program.context
    elif object_is(handle, KIND_COMMAND_BUFFER):
        ctx = (<const CommandBuffer *>handle).context
    return ctx != NULL and atomic_load_i32(&(<Context *>ctx).terminated) != 0


cdef void release_semaphores(Context *ctx) noexcept nogil:
    cdef Semaphore *sema
    cdef uint64_t i
    for i in range(object_slots(KIND_SEMAPHORE)):
        sema = <Semaphore *>object_hold_at(KIND_SEMAPHORE, i)
        if sema == NULL:
            continue
        if sema.context == ctx:
            semaphore_release_waiters(sema)
        object_drop(sema)


cdef bint release_events(Context *ctx, bint of_user) noexcept nogil:
    """Of user events, those who wait for them. Of the others: is there one that has not ended?"""
    cdef Command *cmd
    cdef int32_t status
    cdef uint64_t i
    cdef bint some = False
    for i in range(object_slots(KIND_EVENT)):
        cmd = <Command *>object_hold_at(KIND_EVENT, i)
        if cmd == NULL:
            continue
        # Others without a queue are gates: for semaphores, seen to already, and for sync files.
        if cmd.context == ctx and of_user and cmd.queue == NULL:
            command_release_waiters(cmd, CL_CONTEXT_TERMINATED_KHR, True)
        elif cmd.context == ctx and cmd.type != CL_COMMAND_USER and cmd.queue != NULL:
            status = atomic_load_i32(&cmd.status)    # one that was recorded, or is not yet enqueued, stays queued
            some = some or 0 < status < CL_QUEUED
        object_drop(cmd)
    return some


cdef bint is_busy(Context *ctx) noexcept nogil:
    """Has something not ended yet? Sees to it that it does."""
    cdef Device *dev
    cdef cl_uint i
    for i in range(ctx.n_devices):
        dev = ctx.devices[i]
        dev.ops.interrupt(dev)
        dev.ops.flush(dev)
    return release_events(ctx, False)


cdef void see_to_the_end(void *argument) noexcept nogil:
    """Of what cannot be left in the middle: a function of the host program, a printf that waits for its reader."""
    cdef Context *ctx = <Context *>argument
    while is_busy(ctx):
        nap(LATER_NAP_NS)
    object_drop(ctx)


cdef cl_int context_terminate(Context *ctx) noexcept nogil:
    cdef int32_t none = 0
    cdef int32_t i
    cdef cl_int status = CL_CONTEXT_TERMINATED_KHR
    if not atomic_cas_i32(&ctx.terminated, &none, 1):
        return CL_CONTEXT_TERMINATED_KHR
    atomic_store_i32(&any_terminated, 1)
    object_hold(ctx)
    release_semaphores(ctx)
    release_events(ctx, True)
    i = 0
    while is_busy(ctx) and i < NAPS:
        nap(NAP_NS)
        i += 1
    if ctx.notify != NULL:       # "A callback function registered when the context was created will be called."
        ctx.notify(b"the context was terminated", &status, sizeof(status), ctx.notify_data)
    if i < NAPS or not thread_start(see_to_the_end, ctx, b"clpy-end", 0):
        object_drop(ctx)
    return CL_SUCCESS
