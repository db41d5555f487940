# SPDX-License-Identifier: Apache-2.0
"""A command is its event: one slot, one state machine. Design: runtime.md.

Life of a command: command_new -> the caller fills `task` and `payload` and names what it uses with command_uses ->
command_submit. Once its predecessors are done the device gets `task`, runs it and reports through its callbacks.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object
from clpy.cl cimport (cl_int, cl_uint, cl_event, cl_command_type, cl_bool, cl_command_queue_properties,
                      cl_queue_properties, event_notify_fn)
from clpy.core.context cimport Context
from clpy.device.base cimport Device, Launch, Task

cdef enum:
    CMD_IS_BARRIER = 1           # out of order: later commands wait for it, and it waits for all before
    CMD_ERROR_IS_OWN = 2         # user events: a negative status set by the application

ctypedef struct CallbackNote:
    event_notify_fn fn
    void *user_data
    cl_int trigger               # CL_SUBMITTED, CL_RUNNING or CL_COMPLETE
    CallbackNote *next

ctypedef struct LaunchPayload:   # kernels: task.launch points to `launch`
    Launch launch
    unsigned char inline_args[160]   # of the argument block, where it fits; else Command.owned holds it

cdef union Payload:
    LaunchPayload kernel
    unsigned char bytes[336]     # of any other kind of command: its own struct, cast

ctypedef struct Queue:
    clpy_object obj
    Context *context             # held
    Device *device               # held
    cl_command_queue_properties properties
    size_t n_property_list       # entries incl. the closing 0; 0 when made without a list
    cl_queue_properties *property_list
    cl_uint size                 # CL_QUEUE_SIZE, 0 where the application gave none
    int32_t lock                 # guards tail and barrier
    Command *tail                # in order: the last command; held
    Command *barrier             # out of order: the last barrier; held
    int64_t unfinished           # commands enqueued and not complete; atomic

ctypedef struct Command:
    clpy_object obj
    int32_t status               # CL_QUEUED ... CL_COMPLETE or negative; atomic
    int32_t depends              # 1 + unfinished predecessors; atomic
    int32_t failed               # first error among the predecessors, else 0; atomic
    int32_t done                 # 0 then 1: futex of the waiters; atomic
    cl_command_type type         # CL_COMMAND_*
    uint32_t flags               # CMD_*
    void *successors             # lock-free stack of edges, closed at completion
    Context *context             # held
    Queue *queue                 # held; NULL for a user event
    CallbackNote *callbacks      # lock-free stack, closed at completion
    uint64_t t_queued            # ns of the device timer; 0 unless the queue profiles
    uint64_t t_submit
    uint64_t t_start
    uint64_t t_end
    void *owned                  # malloc'ed block freed with the command (arguments, fill pattern, ...)
    uint32_t n_uses
    void *uses[8]                # objects held until completion
    void **more_uses             # owned array where these are not enough
    Task task
    Payload payload

cdef Command *command_new(Queue *q, cl_command_type type, cl_int *err) noexcept nogil
cdef cl_int command_uses(Command *cmd, void *obj) noexcept nogil        # hold obj (any kind) until cmd completes
cdef void command_discard(Command *cmd) noexcept nogil                  # instead of submit, when the caller cannot go on
# Check a wait list as every enqueue function must: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT or CL_SUCCESS.
cdef cl_int check_wait_list(Context *ctx, cl_uint n, const cl_event *events) noexcept nogil
# Link cmd behind its predecessors and start it. With `blocking`, returns when it is complete: CL_SUCCESS,
# CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST or the command's own error. event_out, if any, gets an application
# reference. The command belongs to the runtime afterwards, whatever is returned.
cdef cl_int command_submit(Command *cmd, cl_uint n_wait, const cl_event *wait, cl_event *event_out,
                           cl_bool blocking) noexcept nogil
cdef void command_finish(Command *cmd, cl_int status) noexcept nogil    # exactly once, by the device or for a user event
cdef cl_int command_wait(Command *cmd) noexcept nogil                   # helps meanwhile; returns its final status
