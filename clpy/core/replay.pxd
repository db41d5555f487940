# SPDX-License-Identifier: Apache-2.0
"""The executable form of a command buffer, and running it."""
from libc.stdint cimport int32_t, uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int
from clpy.core.command cimport Command, Queue, Wait
from clpy.core.program cimport Code, KernelCode
from clpy.core.recorded cimport Recorded
from clpy.device.base cimport Device, Launch, Task

ctypedef struct Step:
    Command *command             # held; what it does
    Device *device
    int32_t n_before             # steps that it waits for
    uint32_t first_after         # in Schedule.after: the steps that wait for it
    uint32_t n_after

# An object, so that a command can hold it. Read-only while anybody but the command buffer holds it, but for `idle`.
ctypedef struct Schedule:
    clpy_object obj
    uint32_t n_steps
    Step *steps
    uint32_t n_after
    uint32_t *after
    int32_t lock                 # guards idle
    Replay *idle                 # kept for the next time

ctypedef struct StepRun:         # a step in one replay
    Task task                    # first: the device knows no more of it
    Replay *replay
    const Step *step
    Launch launch                # of a kernel: its own, since its code may change from replay to replay
    KernelCode *kernel           # the general code, held by the recorded command; NULL for other commands
    Code *code
    int32_t waits                # for so many steps; atomic; back at n_before before the replay ends

ctypedef struct Replay:          # one execution of a schedule
    Replay *next
    Schedule *schedule
    Command *command             # that was enqueued
    int32_t unfinished           # steps, and one for the command's own task; atomic
    int32_t error                # the first, else 0; atomic
    int32_t signals              # something was put into `ready`: 0 where no thread drives the replay; atomic
    Task *ready                  # stack of those that wait for nothing any more; atomic
    StepRun steps[1]             # n_steps of them

# `waits`: indices as Recorded.waits_end tells. NULL when out of memory.
cdef Schedule *schedule_new(uint32_t n, const Recorded *recorded, const uint32_t *waits) noexcept nogil
cdef Schedule *schedule_copy(const Schedule *schedule) noexcept nogil
# Give step i another command. Only while nobody but the caller holds the schedule.
cdef void schedule_replace(Schedule *schedule, uint32_t i, Command *command) noexcept nogil
# How many commands the command buffer has that `cmd` executes.
cdef uint32_t steps_of(const Command *cmd) noexcept nogil
# `flags`: CMD_*, of the command.
cdef cl_int schedule_enqueue(Schedule *schedule, Queue *q, uint32_t flags, const Wait *wait) noexcept nogil
