# SPDX-License-Identifier: Apache-2.0
"""Changing launches that are recorded in a command buffer.

A change is a new command in the place of the old one. What was enqueued before keeps its schedule, so the
buffer goes on with a copy of it while there is such a thing, and changes it in place where there is none.
"""
from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from clpy.atomics cimport atomic_load_i32, atomic_store_i32
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.command_buffer cimport CommandBuffer, state_when_final
from clpy.core.object cimport KIND_MUTABLE_COMMAND, kind_register, object_drop, object_new_internal
from clpy.core.recorded cimport MutableCommand, Recorded, RecordedLaunch
from clpy.core.replay cimport Schedule, schedule_copy, schedule_replace
from clpy.spec.consts cimport CL_OUT_OF_HOST_MEMORY, CL_SUCCESS


cdef MutableCommand *mutable_command_new(CommandBuffer *buffer) noexcept nogil:
    cdef MutableCommand *handle = <MutableCommand *>object_new_internal(KIND_MUTABLE_COMMAND)
    if handle != NULL:
        handle.buffer = buffer
    return handle


cdef void exchange(Recorded *recorded, Change *change) noexcept nogil:
    cdef Command *command = recorded.command
    cdef RecordedLaunch launch = recorded.launch[0]
    recorded.command = change.command
    recorded.launch[0] = change.launch
    change.command = command
    change.launch = launch


cdef cl_int changes_commit(CommandBuffer *buffer, uint32_t n, Change *changes) noexcept nogil:
    cdef Schedule *schedule = buffer.schedule
    cdef Recorded *recorded
    cdef uint32_t i
    if atomic_load_i32(&schedule.obj.run_refs) != 1:
        schedule = schedule_copy(schedule)
        if schedule == NULL:
            return CL_OUT_OF_HOST_MEMORY
    for i in range(n):
        recorded = &buffer.recorded[changes[i].index]
        buffer.n_lacking -= recorded.launch.lacks_args
        exchange(recorded, &changes[i])
        buffer.n_lacking += recorded.launch.lacks_args
        schedule_replace(schedule, changes[i].index, recorded.command)
    if schedule != buffer.schedule:
        object_drop(buffer.schedule)     # not the last holder, or it is done a moment later: it calls nobody
        buffer.schedule = schedule
    atomic_store_i32(&buffer.state, state_when_final(buffer))
    return CL_SUCCESS


cdef void changes_free(uint32_t n, Change *changes) noexcept nogil:
    cdef uint32_t i
    for i in range(n):
        if changes[i].command != NULL:
            object_drop(changes[i].command)
        if changes[i].launch.args != NULL:
            object_drop(changes[i].launch.args)
    free(changes)


if kind_register(KIND_MUTABLE_COMMAND, sizeof(MutableCommand), NULL) != CL_SUCCESS:
    raise MemoryError("no address space for command handles")
