# SPDX-License-Identifier: Apache-2.0
"""Command buffers: recording commands, and enqueuing what was recorded (core/replay runs it)."""
from libc.stdint cimport int32_t, uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport (cl_command_buffer_flags_khr, cl_command_buffer_properties_khr, cl_event, cl_int,
                      cl_mutable_dispatch_asserts_khr, cl_sync_point_khr, cl_uint)
from clpy.core.command cimport Command, Queue, Recorder
from clpy.core.context cimport Context
from clpy.core.recorded cimport Recorded, RecordedLaunch
from clpy.core.replay cimport Schedule

ctypedef struct CommandBuffer:
    clpy_object obj
    Context *context             # held
    cl_uint n_queues
    Queue **queues               # held
    uint32_t *last_of_queue      # index + 1 of the last command recorded to each, 0 for none
    cl_command_buffer_flags_khr flags
    cl_mutable_dispatch_asserts_khr asserts
    size_t n_properties          # entries incl. the closing 0; 0 where no list was given
    cl_command_buffer_properties_khr *properties
    int32_t lock                 # guards all that follows
    int32_t state                # CL_COMMAND_BUFFER_STATE_*; atomic
    uint32_t n_recorded
    uint32_t room
    Recorded *recorded
    uint32_t n_waits
    uint32_t waits_room
    uint32_t *waits              # indices of commands, of each command in turn: see Recorded.waits_end
    uint32_t barrier             # index + 1 of the last barrier, 0 for none
    uint32_t swept               # all commands before this index are behind a barrier that waits for everything
    uint32_t n_lacking           # launches whose arguments are not all set
    Schedule *schedule         # held; once it is finalized

# Where the next command goes: what a clCommand* function was given besides the command itself.
ctypedef struct Recording:
    Recorder base                # first: it is all that the shared checks and captures know
    CommandBuffer *buffer
    cl_uint queue                # index among the buffer's
    cl_uint n_sync_points
    const cl_sync_point_khr *sync_points
    cl_sync_point_khr *sync_point
    bint is_barrier
    RecordedLaunch *launch       # taken over with the command; else NULL

ctypedef struct QueueList:
    cl_uint n
    Queue *const *queues

# `properties`: n_properties entries incl. the closing 0, copied. NULL when out of memory.
cdef CommandBuffer *command_buffer_new(const QueueList *queues, cl_command_buffer_flags_khr flags,
                                       cl_mutable_dispatch_asserts_khr asserts, size_t n_properties,
                                       const cl_command_buffer_properties_khr *properties) noexcept nogil
# What Recorder.check and .add do.
cdef void recording_begin(Recording *to) noexcept nogil
cdef cl_int command_buffer_finalize(CommandBuffer *buffer) noexcept nogil   # CL_INVALID_OPERATION: it was before
cdef int32_t state_when_final(const CommandBuffer *buffer) noexcept nogil
# The state, the queues and the wait list are checked. The command is the first queue's.
cdef cl_int command_buffer_enqueue(CommandBuffer *buffer, const QueueList *queues, cl_uint n_wait,
                                   const cl_event *wait, cl_event *event) noexcept nogil
cdef void launch_free(RecordedLaunch *launch) noexcept nogil
# For a copy of a command buffer: a command that is one of another's. Holds `command`, takes `launch` over; `waits` are
# the indices it waits for. CL_OUT_OF_HOST_MEMORY, and nothing is recorded.
cdef cl_int command_buffer_append(CommandBuffer *buffer, uint32_t queue, Command *command, RecordedLaunch *launch,
                                  const Recorded *like, uint32_t n_waits, const uint32_t *waits) noexcept nogil
