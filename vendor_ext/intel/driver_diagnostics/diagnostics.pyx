# SPDX-License-Identifier: Apache-2.0
"""Hints for the callback of contexts that ask for them: what of a launch or a copy on the CPU device is as it should
be, and what costs time. A sink of what happens (clpy/core/happening), which is there from the first such context on."""
from libc.stdint cimport int32_t
from libc.stdio cimport snprintf
from clpy.abi cimport clpy_launch
from clpy.api.check cimport property_value
from clpy.atomics cimport atomic_cas_i32
from clpy.cl cimport cl_int, cl_ulong, context_notify_fn
from clpy.core.command cimport Command
from clpy.core.context cimport Context
from clpy.core.happening cimport BUILT, ENQUEUED, FINISHED, Happening, Sink, sink_add
from clpy.core.program cimport Program
from clpy.device.base cimport TASK_KERNEL, KernelTraits
from clpy.spec.consts cimport (CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER,
                               CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL, CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL,
                               CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL, CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL,
                               CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL, CL_DEVICE_TYPE_CPU, CL_INVALID_PROPERTY, CL_SUCCESS)

cdef enum:
    MUCH = 64 << 10              # bytes of a copy that is worth a hint
    TEXT = 320

cdef Sink sink
cdef int32_t is_added = 0


cdef cl_int takes(cl_ulong name, cl_ulong value, context_notify_fn notify) noexcept nogil:
    """"if property CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL is set to a nonzero value and <pfn_notify> is NULL\""""
    cdef int32_t no = 0
    if value & ~<cl_ulong>CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL or (value and notify == NULL):
        return CL_INVALID_PROPERTY
    if value and atomic_cas_i32(&is_added, &no, 1):
        sink_add(&sink)
    return CL_SUCCESS


cdef cl_ulong levels_of(const Context *ctx) noexcept nogil:
    return property_value(<const cl_ulong *>ctx.properties, CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL, 0)


# ---- of a launch -----------------------------------------------------------------------------------------------------

cdef cl_ulong describe(const Command *cmd, char *text) noexcept nogil:
    """Does the launch fill the vectors that its kernel runs in? The level of what is told."""
    cdef const KernelTraits *traits = &cmd.payload.kernel.kernel.traits
    cdef const clpy_launch *shape = &cmd.task.launch.shape
    cdef size_t n = shape.local_size[traits.lane_dimension], wide = traits.preferred_multiple
    cdef size_t width = traits.narrow_multiple if n % wide else wide
    if traits.narrow_multiple <= 1:          # the width is not ours to know
        snprintf(text, TEXT, "kernel %s: its work-items are a loop, which LLVM makes vectors of where it can; with "
                 "CLPY_DEBUG=3 the build log says why", traits.name)
        return CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL
    if n % width:
        snprintf(text, TEXT, "kernel %s: work-groups of %zu work-items in dimension %u do not fill its vectors of %zu",
                 traits.name, n, <unsigned>traits.lane_dimension, width)
        return CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL
    snprintf(text, TEXT, "kernel %s: work-groups of %zu work-items in dimension %u are whole vectors of %zu",
             traits.name, n, <unsigned>traits.lane_dimension, width)
    return CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL


cdef void tell_launch(const Command *cmd, cl_ulong levels) noexcept nogil:
    cdef const clpy_launch *shape = &cmd.task.launch.shape
    cdef size_t groups = shape.num_groups[0] * shape.num_groups[1] * shape.num_groups[2]
    cdef char text[TEXT]
    if levels & describe(cmd, text):
        tell(cmd.context, text)
    if levels & CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL and groups < cmd.queue.device.compute_units:
        snprintf(text, TEXT, "kernel %s: %zu work-groups for %u compute units: the others have nothing to do",
                 cmd.payload.kernel.kernel.traits.name, groups, <unsigned>cmd.queue.device.compute_units)
        tell(cmd.context, text)


# ---- of others -------------------------------------------------------------------------------------------------------

cdef void tell_copy(const Command *cmd) noexcept nogil:
    cdef const char *name = "clEnqueueReadBuffer" if cmd.type == CL_COMMAND_READ_BUFFER else "clEnqueueWriteBuffer"
    cdef char text[TEXT]
    snprintf(text, TEXT, "%s: %llu bytes are copied; clEnqueueMapBuffer would copy none", name,
             <unsigned long long>cmd.task.bytes)
    tell(cmd.context, text)


cdef void tell_end(const Command *cmd, const Happening *it) noexcept nogil:
    cdef char text[TEXT]
    if it.status >= 0 and cmd.began_ns:
        snprintf(text, TEXT, "kernel %s: took %.1f us", cmd.payload.kernel.kernel.traits.name,
                 <double>(it.ns - cmd.began_ns) / 1e3)
        tell(cmd.context, text)


cdef void tell_build(const Happening *it) noexcept nogil:
    cdef const Context *ctx = (<const Program *>it.object).context
    cdef char text[TEXT]
    if levels_of(ctx) & CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL:
        snprintf(text, TEXT, "a program was built for a device in %.1f ms, with the result %d",
                 <double>(it.ns - it.since_ns) / 1e6, <int>it.status)
        tell_without_lock(ctx, text)


cdef void tell_without_lock(const Context *ctx, const char *text) noexcept nogil:
    """Builds are told of with Python's lock, for which the application's callback may have to wait elsewhere."""
    with gil:
        with nogil:
            tell(ctx, text)


cdef void tell(const Context *ctx, const char *text) noexcept nogil:
    ctx.notify(text, NULL, 0, ctx.notify_data)


cdef void take(const Happening *it) noexcept nogil:
    cdef const Command *cmd = <const Command *>it.object
    cdef cl_ulong levels
    if it.what == BUILT:
        tell_build(it)
        return
    levels = levels_of(cmd.context)
    if levels == 0 or cmd.queue == NULL or not cmd.queue.device.type & CL_DEVICE_TYPE_CPU:
        return
    if it.what == FINISHED:
        if cmd.task.flags & TASK_KERNEL and levels & CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL:
            tell_end(cmd, it)
    elif cmd.task.flags & TASK_KERNEL:
        tell_launch(cmd, levels)
    elif ((cmd.type == CL_COMMAND_READ_BUFFER or cmd.type == CL_COMMAND_WRITE_BUFFER) and cmd.task.bytes >= MUCH
          and levels & CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL):
        tell_copy(cmd)


sink.wants = ENQUEUED | FINISHED | BUILT
sink.tell = take
