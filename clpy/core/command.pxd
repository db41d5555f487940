# SPDX-License-Identifier: Apache-2.0
"""A command is its event: one slot, one state machine. Design: runtime.md.

Life of a command: command_new -> the caller fills `run` and `payload` and names what it uses with
command_uses -> command_submit. Once its predecessors are done the device calls `run` (or, for a kernel, its own
launch path) and then command_finish.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object, clpy_launch, clpy_kernel_fn
from clpy.cl cimport cl_int, cl_uint, cl_event, cl_command_type, cl_bool, event_notify_fn
from clpy.core.context cimport Context
from clpy.core.queue cimport Queue
from clpy.device.base cimport Device

# The body of a command that is not a kernel. Returns CL_COMPLETE or a negative status.
ctypedef cl_int (*run_fn)(Command *cmd) noexcept nogil

cdef struct CallbackNote:
    event_notify_fn fn
    void *user_data
    cl_int trigger               # CL_SUBMITTED, CL_RUNNING or CL_COMPLETE
    CallbackNote *next

ctypedef struct LaunchPayload:   # CL_COMMAND_NDRANGE_KERNEL and CL_COMMAND_TASK
    clpy_launch launch
    clpy_kernel_fn *code
    unsigned char *args          # captured block; freed with the command; may be inside `inline_args`
    size_t args_size
    size_t local_bytes           # per group: static and argument __local memory
    size_t context_bytes         # per group
    uint64_t *ns_per_group       # the kernel's running estimate of a group's time, 0 = unknown; shared by its launches
    unsigned char inline_args[160]

cdef union Payload:
    LaunchPayload launch
    unsigned char bytes[384]

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
    Command *next                # link of the ready list it is in
    CallbackNote *callbacks      # lock-free stack, closed at completion
    uint64_t t_queued, t_submit, t_start, t_end   # ns of the device timer; 0 unless the queue profiles
    uint32_t n_uses
    void *uses[6]                # objects held until completion
    void **more_uses             # owned array where six are not enough
    run_fn run                   # NULL for a kernel
    void *owned                  # malloc'ed block freed with the command (fill pattern, copied rectangles, ...)
    Payload payload

cdef enum:
    CMD_IS_KERNEL = 1
    CMD_IS_BARRIER = 2           # later commands of an out-of-order queue wait for it, and it waits for all before
    CMD_BIG_COPY = 4             # worth splitting over the pool

cdef Command *command_new(Queue *q, cl_command_type type, cl_int *err) noexcept nogil
cdef cl_int command_uses(Command *cmd, void *obj) noexcept nogil        # hold obj (any kind) until cmd completes
cdef void command_discard(Command *cmd) noexcept nogil                  # instead of submit, when the caller cannot go on
# Check a wait list as every enqueue function must: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT or CL_SUCCESS.
cdef cl_int check_wait_list(Context *ctx, cl_uint n, const cl_event *events) noexcept nogil
# Link cmd behind its predecessors and start it. With `blocking`, returns when it is complete: CL_SUCCESS, or
# CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST / the command's own error. event_out gets an application reference.
cdef cl_int command_submit(Command *cmd, cl_uint n_wait, const cl_event *wait, cl_event *event_out,
                           cl_bool blocking) noexcept nogil
# Called by the device (or clSetUserEventStatus) exactly once.
cdef void command_running(Command *cmd) noexcept nogil
cdef void command_finish(Command *cmd, cl_int status) noexcept nogil
cdef cl_int command_wait(Command *cmd) noexcept nogil                   # helps meanwhile; returns its final status
