# SPDX-License-Identifier: Apache-2.0
"""CLPY_DEBUG=2: a line for each launch, and one for its end. Imported for that alone."""
from libc.stdio cimport snprintf
from clpy.abi cimport clpy_launch
from clpy.core.command cimport Command
from clpy.core.happening cimport ENQUEUED, FINISHED, Happening, Sink, sink_add
from clpy.core.replay cimport steps_of
from clpy.device.base cimport TASK_KERNEL
from clpy.spec.consts cimport CL_COMMAND_COMMAND_BUFFER_KHR
from clpy.trace cimport trace_text

cdef enum:
    LEVEL = 2


cdef void log_launch(const Command *cmd) noexcept nogil:
    cdef const clpy_launch *shape = &cmd.task.launch.shape
    cdef char text[256]
    snprintf(text, sizeof(text), "launch %s: global %zu %zu %zu, local %zu %zu %zu", cmd.payload.kernel.kernel.name,
             shape.global_size[0], shape.global_size[1], shape.global_size[2],
             shape.local_size[0], shape.local_size[1], shape.local_size[2])
    trace_text(LEVEL, text)


cdef void log_end(const Command *cmd, const Happening *it) noexcept nogil:
    cdef char text[256]
    cdef double us = <double>(it.ns - cmd.began_ns) / 1e3 if cmd.began_ns else 0.0
    if cmd.task.flags & TASK_KERNEL:
        snprintf(text, sizeof(text), "%s: %.1f us, status %d", cmd.payload.kernel.kernel.name, us, <int>it.status)
    else:
        snprintf(text, sizeof(text), "command buffer of %u commands: %.1f us, status %d", steps_of(cmd), us,
                 <int>it.status)
    trace_text(LEVEL, text)


cdef void log_it(const Happening *it) noexcept nogil:
    cdef const Command *cmd = <const Command *>it.object
    if cmd.task.flags & TASK_KERNEL:
        if it.what == ENQUEUED:
            log_launch(cmd)
        else:
            log_end(cmd, it)
    elif cmd.type == CL_COMMAND_COMMAND_BUFFER_KHR and it.what == FINISHED:
        log_end(cmd, it)


cdef Sink sink
sink.wants = ENQUEUED | FINISHED
sink.tell = log_it
sink_add(&sink)
