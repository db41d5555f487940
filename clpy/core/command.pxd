# SPDX-License-Identifier: Apache-2.0
"""A command is its event: one slot, one state machine. Design: runtime.md.

Life of a command: command_new -> the caller fills `task` and `payload` and names what it uses with command_uses ->
command_submit. Once its predecessors are done the device gets `task`, runs it and reports through its callbacks.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_load_i32, atomic_load_ptr
from clpy.cl cimport (cl_int, cl_uint, cl_event, cl_command_type, cl_bool, cl_command_queue_properties,
                      cl_queue_properties)
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_EVENT, object_is
from clpy.core.program cimport Code, KernelCode
from clpy.device.base cimport Device, Launch, Task
from clpy.spec.consts cimport CL_COMMAND_USER

cdef enum:
    CMD_IS_BARRIER = 1           # out of order: later commands wait for it
    CMD_WAITS_FOR_ALL = 2        # out of order: it waits for all commands before
    CMD_HAS_EVENT = 4            # the application was given the event: it can see an error there
    CMD_SPANS_QUEUES = 8         # a command buffer on several queues: the event names none
    CMD_CALLBACK_INSIDE = 16     # a user event: its room for a callback is taken
    CMD_OWN_EVENT = 32           # its event is the runtime's own: an error is told as if it had none
    CMD_ECHOES = 64              # its queue is told of errors of what it waits for
    CMD_CHILD = 128              # a kernel enqueued it: it is given to the device even where what it waited for failed
    CMD_ON_DEVICE = 256          # its event is one of kernels, and none to the host
    CMD_IN_CALLER = 512          # the thread that enqueues it runs it

cdef struct Edge:                # "target waits for the command in whose list I am"
    Edge *next                   # first: the link of clpy.stack
    Command *target
    bint order_only              # an error does not pass along it: the order of a queue, no wait list

ctypedef struct LaunchPayload:   # kernels: task.launch points to `launch`
    Launch launch
    KernelCode *kernel           # the general code, and what it belongs to; the command holds it
    Code *code
    unsigned char inline_args[160]   # of the argument block, where it fits; else Command.owned holds it

ctypedef struct Kin:             # of a kernel that enqueues others, or was enqueued by one: see core/children
    Task *task
    Kin *above                   # who counts it; NULL of the host's
    Kin *head                    # who counts what it enqueues: itself, or where nobody asks for its end, `above`
    int32_t left                 # of a head: itself and those it counts that have not ended; atomic
    int32_t error                # of a head: their first, else 0; atomic
    uint64_t last_ns             # of a head: the latest end of what it counts, of a device that gives times; atomic
    int64_t used_ns              # of a head: Task.used_ns of all that it counts; atomic
    void *after                  # lock-free stack of Edge: they wait until it has run; closed then
    void (*finished)(Task *task, cl_int status) noexcept nogil     # of the host's: what its owner gave
    cl_uint bytes                # that it takes of its queue

ctypedef struct ChildPayload:    # what kernels enqueue; begins as LaunchPayload does
    Launch launch
    KernelCode *kernel
    Code *code
    unsigned char inline_args[160]
    Kin kin

cdef union Payload:
    LaunchPayload kernel
    ChildPayload child
    unsigned char bytes[336]     # of any other kind of command: its own struct, cast

ctypedef struct Queue:
    clpy_object obj
    Context *context             # held
    Device *device               # held
    cl_command_queue_properties properties
    int32_t *stop                # the context's
    bint in_caller               # the thread that enqueues a command runs it, and only then comes back
    size_t n_property_list       # entries incl. the closing 0; 0 when made without a list
    cl_queue_properties *property_list
    cl_uint size                 # CL_QUEUE_SIZE; of a queue on the device, which has nothing of what follows but:
    int64_t used                 # bytes of it; atomic
    int32_t error                # of a command without event, until finish or a blocking call returns it; atomic
    void *kept                   # in order: Task.kept of its commands points here
    Command *tail                # in order: the last command while it is unfinished; held; atomic
    int32_t lock                 # out of order: guards barrier and join
    Command *barrier             # out of order: the last barrier while it is unfinished; held
    Command *join                # out of order: internal, waits for all since the last one like it; the queue's own

ctypedef struct Command:
    clpy_object obj
    int32_t status               # CL_QUEUED ... CL_COMPLETE or negative; atomic
    int32_t depends              # 1 + unfinished predecessors; atomic
    int32_t failed               # first error among the predecessors, else 0; atomic
    int32_t done                 # flag (clpy.futex) of the waiters
    cl_command_type type         # CL_COMMAND_*
    uint32_t flags               # CMD_*
    void *successors             # lock-free stack of Edge, closed at completion
    Edge *more_waits             # owned array where `waits` are not enough
    Context *context             # alive: held through the queue, or by the user event itself
    Queue *queue                 # held; NULL for a user event
    void *callbacks              # see core/callback
    uint64_t t_queued            # ns of the device timer; 0 unless the queue profiles
    void *owned                  # malloc'ed block freed at completion (arguments, fill pattern, ...)
    void **more_uses             # owned array where `uses` are not enough
    uint32_t n_uses
    int32_t turn                 # CMD_IN_CALLER: flag (clpy.futex) that all it waited for is done; see core/wait
    # From here on a user event has nothing but room for its first callback.
    uint64_t t_submit
    uint64_t told_ns             # where core/happening has a sink: when it was enqueued, and started; host's clock
    uint64_t began_ns
    uint64_t t_complete          # with what it enqueued, where it has enqueued something; else 0
    Edge order                   # in order: in the list of the command before; out of order: in my own, to the join
    Edge waits[3]                # in the lists of those in the wait list, and of barrier and join
    void *uses[8]                # objects held until completion
    Task task
    Payload payload              # not cleared when the command is made

ctypedef struct Recorder:        # what takes a command instead of its queue: see core/command_buffer
    cl_int (*check)(Recorder *to) noexcept nogil                    # its own wait list
    cl_int (*add)(Recorder *to, Command *cmd) noexcept nogil        # takes cmd over, whatever it returns

ctypedef struct Wait:            # the end of every clEnqueue* and clCommand*: where the command goes, and after what
    Recorder *recorder           # NULL: into its queue, as the fields below say; else they are not used
    cl_uint n
    const cl_event *events
    cl_event *event_out
    cl_bool blocking

cdef inline bint queue_is_idle(Queue *q) noexcept nogil:
    """Would a command enqueued now, without a wait list, be free to run at once, and has no error to report? Never in a
    context that can be terminated."""
    return (atomic_load_ptr(<void **>&q.tail) == NULL and atomic_load_ptr(<void **>&q.barrier) == NULL
            and atomic_load_i32(&q.error) == 0 and q.stop == NULL)

cdef inline bint is_event(const void *handle) noexcept nogil:
    """Is it an event of the application? Of any other command nobody has a handle but by mistake, and it may never end:
    it is recorded, or a queue's own."""
    return object_is(handle, KIND_EVENT) and ((<const Command *>handle).flags & CMD_HAS_EVENT
                                              or (<const Command *>handle).type == CL_COMMAND_USER
                                              and not (<const Command *>handle).flags & CMD_ON_DEVICE)

cdef inline bint is_device_event(const void *handle) noexcept nogil:
    return object_is(handle, KIND_EVENT) and ((<const Command *>handle).flags & CMD_ON_DEVICE) != 0

cdef Command *command_new(Queue *q, cl_command_type type, cl_int *err) noexcept nogil
# For a terminated context too, where command_new is an error.
cdef Command *command_new_anyway(Queue *q, cl_command_type type, cl_int *err) noexcept nogil
cdef cl_int command_uses(Command *cmd, void *obj) noexcept nogil        # hold obj (any kind) until cmd completes
cdef void command_discard(Command *cmd) noexcept nogil                  # instead of submit: the caller cannot go on
# Check a wait list as every enqueue function must: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT or CL_SUCCESS.
cdef cl_int check_wait_list(Context *ctx, cl_uint n, const cl_event *events) noexcept nogil
# Link cmd behind its predecessors and start it. With `blocking`, returns when it is complete: CL_SUCCESS,
# CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST or the command's own error. event_out, if any, gets an application
# reference. The command belongs to the runtime afterwards, whatever is returned.
cdef cl_int command_submit(Command *cmd, cl_uint n_wait, const cl_event *wait, cl_event *event_out,
                           cl_bool blocking) noexcept nogil
# The same two for a command that is enqueued or recorded.
cdef cl_int check_wait(Context *ctx, const Wait *wait) noexcept nogil
cdef cl_int command_place(Command *cmd, const Wait *wait) noexcept nogil
cdef void command_finish(Command *cmd, cl_int status) noexcept nogil    # once, by the device
# For those who link commands in another way. `before` is held by the caller; cmd has not been started.
cdef void wait_for(Command *cmd, Command *before, Edge *edge, bint order_only) noexcept nogil
cdef void wait_for_event(Command *cmd, Command *before, Edge *edge) noexcept nogil
cdef void arrive(Edge *edge, cl_int status, Command **todo) noexcept nogil      # todo: what then has to be settled
# What completes a command, once: all that waits for it arrives, and what is to be settled then itself is in todo.
cdef void settle(Command *cmd, cl_int status, Command **todo) noexcept nogil
cdef void settle_all(Command *todo) noexcept nogil
# What waits for a user event, or a gate, waits no longer, and fails. last: nothing will wait for it from now on.
cdef void command_release_waiters(Command *event, cl_int status, bint last) noexcept nogil
cdef Command *user_event_new(Context *ctx) noexcept nogil               # NULL when out of memory
cdef Command *join_new() noexcept nogil                                 # for Queue.join
cdef cl_int take_error(Queue *q) noexcept nogil                         # the error to report, once; else CL_SUCCESS
