# SPDX-License-Identifier: Apache-2.0
"""Command buffers. A command is checked and captured by the same functions that enqueue one; here it is kept instead of
being submitted, with the indices of the commands it waits for.

Dependencies come from sync points (an index + 1), from the order of an in-order queue, and from barriers: a command
waits for the last barrier, and a barrier without a list for all before it. Only those that nobody waits for yet are
named there, so the lists stay as long as there are commands, whatever the number of barriers.
"""
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_load_i32, atomic_store_i32
from clpy.cl cimport (cl_command_buffer_flags_khr, cl_command_buffer_properties_khr, cl_event, cl_int,
                      cl_mutable_dispatch_asserts_khr, cl_uint)
from clpy.core.command cimport (CMD_ECHOES, CMD_OWN_EVENT, CMD_SPANS_QUEUES, Command, Queue, Recorder, Wait,
                                command_discard, command_new, command_submit)
from clpy.core.object cimport (KIND_COMMAND_BUFFER, KIND_EVENT, kind_register, object_drop, object_hold, object_new,
                               object_release, object_try_hold)
from clpy.core.recorded cimport Recorded, RecordedLaunch
from clpy.core.replay cimport Schedule, schedule_enqueue, schedule_new
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
                               CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_COMMAND_MARKER, CL_INVALID_OPERATION,
                               CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_SUCCESS)

cdef enum:
    LOOK_BACK = 16               # of a wait list: so many are searched for one that is there already

cdef uint32_t MOST_COMMANDS = 0x7FFFFFFF     # a replay counts them in an int32_t


# ---- making and ending -----------------------------------------------------------------------------------------------

cdef CommandBuffer *command_buffer_new(const QueueList *queues, cl_command_buffer_flags_khr flags,
                                       cl_mutable_dispatch_asserts_khr asserts, size_t n_properties,
                                       const cl_command_buffer_properties_khr *properties) noexcept nogil:
    cdef CommandBuffer *buffer = <CommandBuffer *>object_new(KIND_COMMAND_BUFFER)
    cdef cl_uint i
    if buffer == NULL:
        return NULL
    buffer.queues = <Queue **>malloc(queues.n * sizeof(Queue *))
    buffer.last_of_queue = <uint32_t *>calloc(queues.n, sizeof(uint32_t))
    if n_properties:
        buffer.properties = <cl_command_buffer_properties_khr *>malloc(
            n_properties * sizeof(cl_command_buffer_properties_khr))
    if buffer.queues == NULL or buffer.last_of_queue == NULL or (n_properties and buffer.properties == NULL):
        object_drop(buffer)
        return NULL
    if n_properties:
        memcpy(buffer.properties, properties, n_properties * sizeof(cl_command_buffer_properties_khr))
    buffer.n_properties = n_properties
    for i in range(queues.n):
        if not object_try_hold(queues.queues[i]):        # released by another thread since the check
            object_drop(buffer)
            return NULL
        buffer.queues[i] = queues.queues[i]
        buffer.n_queues += 1
    buffer.context = buffer.queues[0].context
    object_hold(buffer.context)
    buffer.flags = flags
    buffer.asserts = asserts
    buffer.state = CL_COMMAND_BUFFER_STATE_RECORDING_KHR
    return buffer


cdef void launch_free(RecordedLaunch *launch) noexcept nogil:
    if launch == NULL:
        return
    if launch.handle != NULL:
        object_drop(launch.handle)
    if launch.args != NULL:
        object_drop(launch.args)
    if launch.kernel != NULL:
        object_drop(launch.kernel)
    free(launch.properties)
    free(launch)


cdef void destroy(clpy_object *obj) noexcept nogil:
    """What was enqueued goes on: it holds its schedule."""
    cdef CommandBuffer *buffer = <CommandBuffer *>obj
    cdef uint32_t i
    if buffer.schedule != NULL:
        object_drop(buffer.schedule)
    for i in range(buffer.n_recorded):
        object_drop(buffer.recorded[i].command)
        launch_free(buffer.recorded[i].launch)
    for i in range(buffer.n_queues):
        object_drop(buffer.queues[i])
    free(buffer.recorded)
    free(buffer.waits)
    free(buffer.queues)
    free(buffer.last_of_queue)
    free(buffer.properties)
    if buffer.context != NULL:
        object_drop(buffer.context)


# ---- recording: under the lock ---------------------------------------------------------------------------------------

cdef bint make_room(CommandBuffer *buffer, uint32_t n_waits) noexcept nogil:
    """For one more command, and so many more waits."""
    cdef size_t wanted
    cdef void *grown
    if buffer.n_recorded == buffer.room:
        wanted = 2 * <size_t>buffer.room if buffer.room else 16
        grown = realloc(buffer.recorded, wanted * sizeof(Recorded))
        if grown == NULL:
            return False
        buffer.recorded = <Recorded *>grown
        buffer.room = <uint32_t>wanted
    if n_waits > buffer.waits_room - buffer.n_waits:
        wanted = 2 * (<size_t>buffer.n_waits + n_waits)
        if wanted > ~<uint32_t>0:
            return False
        grown = realloc(buffer.waits, wanted * sizeof(uint32_t))
        if grown == NULL:
            return False
        buffer.waits = <uint32_t *>grown
        buffer.waits_room = <uint32_t>wanted
    return True


cdef void add_wait(CommandBuffer *buffer, uint32_t first, uint32_t index) noexcept nogil:
    """The next command waits for `index`. Its waits begin at `first`."""
    cdef uint32_t i
    if buffer.n_waits - first <= LOOK_BACK:
        for i in range(first, buffer.n_waits):
            if buffer.waits[i] == index:
                return
    buffer.waits[buffer.n_waits] = index
    buffer.n_waits += 1
    buffer.recorded[index].has_successor = True


cdef inline bint is_in_order(const Queue *q) noexcept nogil:
    return q.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0


cdef void add_implied_waits(CommandBuffer *buffer, const Recording *to) noexcept nogil:
    cdef uint32_t i, first = buffer.n_waits - to.n_sync_points
    cdef uint32_t last = buffer.last_of_queue[to.queue]
    cdef bint behind_barrier = buffer.barrier == 0
    if last and is_in_order(buffer.queues[to.queue]):
        add_wait(buffer, first, last - 1)
    if to.is_barrier and to.n_sync_points == 0:
        for i in range(buffer.swept, buffer.n_recorded):
            if not buffer.recorded[i].has_successor:
                add_wait(buffer, first, i)
        buffer.swept = buffer.n_recorded
        return
    # Whatever was recorded after the barrier is behind it.
    for i in range(first, buffer.n_waits):
        behind_barrier = behind_barrier or buffer.waits[i] + 1 >= buffer.barrier
    if not behind_barrier:
        add_wait(buffer, first, buffer.barrier - 1)


cdef cl_int add_locked(CommandBuffer *buffer, Command *cmd, Recording *to) noexcept nogil:
    cdef uint32_t i, index = buffer.n_recorded
    cdef uint32_t implied = 2 + (index - buffer.swept if to.is_barrier and to.n_sync_points == 0 else 0)
    cdef Recorded *recorded
    if atomic_load_i32(&buffer.state) != CL_COMMAND_BUFFER_STATE_RECORDING_KHR:
        return CL_INVALID_OPERATION      # another thread has finalized it since the check
    if index == MOST_COMMANDS:
        return CL_OUT_OF_RESOURCES
    if not make_room(buffer, to.n_sync_points + implied):
        return CL_OUT_OF_HOST_MEMORY
    for i in range(to.n_sync_points):
        buffer.waits[buffer.n_waits] = to.sync_points[i] - 1
        buffer.n_waits += 1
        buffer.recorded[to.sync_points[i] - 1].has_successor = True
    add_implied_waits(buffer, to)
    recorded = &buffer.recorded[index]
    memset(recorded, 0, sizeof(Recorded))
    recorded.command = cmd
    recorded.queue = to.queue
    recorded.device = buffer.queues[to.queue].device
    recorded.waits_end = buffer.n_waits
    recorded.launch = to.launch
    recorded.is_named = to.sync_point != NULL
    buffer.n_recorded = index + 1
    buffer.last_of_queue[to.queue] = index + 1
    if to.is_barrier:
        buffer.barrier = index + 1
    if to.launch != NULL:
        buffer.n_lacking += to.launch.lacks_args
        if to.launch.handle != NULL:
            to.launch.handle.index = index
    return CL_SUCCESS


cdef cl_int add(Recorder *base, Command *cmd) noexcept nogil:
    cdef Recording *to = <Recording *>base
    cdef CommandBuffer *buffer = to.buffer
    cdef cl_int err
    mutex_lock(&buffer.lock)
    err = add_locked(buffer, cmd, to)
    if err == CL_SUCCESS and to.sync_point != NULL:
        to.sync_point[0] = buffer.n_recorded
    mutex_unlock(&buffer.lock)
    if err != CL_SUCCESS:
        command_discard(cmd)
        launch_free(to.launch)
    return err


cdef cl_int check(Recorder *base) noexcept nogil:
    # "if sync_point_wait_list is NULL and num_sync_points_in_wait_list is > 0, or [...] is not NULL and [...] is 0, or
    # if synchronization-point objects in sync_point_wait_list are not valid synchronization-points"
    cdef Recording *to = <Recording *>base
    cdef CommandBuffer *buffer = to.buffer
    cdef cl_uint i
    cdef bint valid = (to.n_sync_points == 0) == (to.sync_points == NULL)
    if to.sync_points == NULL or not valid:
        return CL_SUCCESS if valid else CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
    mutex_lock(&buffer.lock)
    for i in range(to.n_sync_points):
        # 0, which is none, wraps round
        valid = valid and to.sync_points[i] - 1 < buffer.n_recorded and buffer.recorded[to.sync_points[i] - 1].is_named
    mutex_unlock(&buffer.lock)
    return CL_SUCCESS if valid else CL_INVALID_SYNC_POINT_WAIT_LIST_KHR


cdef void recording_begin(Recording *to) noexcept nogil:
    to.base.check = check
    to.base.add = add


cdef cl_int command_buffer_append(CommandBuffer *buffer, uint32_t queue, Command *command, RecordedLaunch *launch,
                                  const Recorded *like, uint32_t n_waits, const uint32_t *waits) noexcept nogil:
    cdef Recorded *recorded
    if not make_room(buffer, n_waits):
        return CL_OUT_OF_HOST_MEMORY
    recorded = &buffer.recorded[buffer.n_recorded]
    recorded[0] = like[0]
    object_hold(command)
    recorded.command = command
    recorded.queue = queue
    recorded.device = buffer.queues[queue].device
    recorded.launch = launch
    if n_waits:
        memcpy(buffer.waits + buffer.n_waits, waits, n_waits * sizeof(uint32_t))
    buffer.n_waits += n_waits
    recorded.waits_end = buffer.n_waits
    buffer.n_recorded += 1
    buffer.last_of_queue[queue] = buffer.n_recorded
    if launch != NULL:
        buffer.n_lacking += launch.lacks_args
        if launch.handle != NULL:
            launch.handle.index = buffer.n_recorded - 1
    return CL_SUCCESS


# ---- executing -------------------------------------------------------------------------------------------------------

cdef int32_t state_when_final(const CommandBuffer *buffer) noexcept nogil:
    return CL_COMMAND_BUFFER_STATE_FINALIZED_KHR if buffer.n_lacking else CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR


cdef cl_int command_buffer_finalize(CommandBuffer *buffer) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    mutex_lock(&buffer.lock)
    if buffer.state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR:
        err = CL_INVALID_OPERATION
    else:
        buffer.schedule = schedule_new(buffer.n_recorded, buffer.recorded, buffer.waits)
        if buffer.schedule == NULL:
            err = CL_OUT_OF_HOST_MEMORY
        else:
            atomic_store_i32(&buffer.state, state_when_final(buffer))
    mutex_unlock(&buffer.lock)
    return err


cdef bint is_repeated(const QueueList *queues, cl_uint i) noexcept nogil:
    cdef cl_uint j
    for j in range(i):
        if queues.queues[j] == queues.queues[i]:
            return True
    return False


cdef cl_int marker(Queue *q, uint32_t flags, cl_uint n_wait, const cl_event *wait, cl_event *event) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd = command_new(q, CL_COMMAND_MARKER, &err)
    if cmd == NULL:
        return err
    cmd.flags |= flags
    return command_submit(cmd, n_wait, wait, event, False)


cdef cl_int enqueue_across(Schedule *schedule, const QueueList *queues, cl_event *events, cl_uint n_wait,
                           cl_event *event) noexcept nogil:
    """A marker in each of the other queues before it, which it waits for, and one after it, which waits for it: so it
    has its place in the order of all of them. `events`: the wait list, and room for the queues behind it. Without an
    event of the application its error is told by all its queues."""
    cdef cl_event own = NULL
    cdef Wait wait = Wait(NULL, n_wait, events, event, False)
    cdef uint32_t flags = CMD_SPANS_QUEUES, after = 0
    cdef cl_uint i
    cdef cl_int err = CL_SUCCESS
    if event == NULL:
        wait.event_out = &own
        flags |= CMD_OWN_EVENT
        after = CMD_ECHOES
    for i in range(1, queues.n):
        if err == CL_SUCCESS and not is_repeated(queues, i):
            err = marker(queues.queues[i], CMD_OWN_EVENT, 0, NULL, &events[wait.n])
            wait.n += err == CL_SUCCESS
    if err == CL_SUCCESS:
        err = schedule_enqueue(schedule, queues.queues[0], flags, &wait)
    for i in range(1, queues.n):     # what fails here costs the order only
        if err == CL_SUCCESS and not is_repeated(queues, i):
            marker(queues.queues[i], after, 1, wait.event_out, NULL)
    for i in range(n_wait, wait.n):
        release_event(events[i])
    if own != NULL:
        release_event(own)
    return err


cdef void release_event(cl_event event) noexcept nogil:
    object_release(event, KIND_EVENT)


cdef cl_int command_buffer_enqueue(CommandBuffer *buffer, const QueueList *queues, cl_uint n_wait,
                                   const cl_event *wait, cl_event *event) noexcept nogil:
    cdef Wait alone = Wait(NULL, n_wait, wait, event, False)
    cdef cl_event *events
    cdef Schedule *schedule
    cdef cl_int err
    mutex_lock(&buffer.lock)
    schedule = buffer.schedule
    object_hold(schedule)        # an update may replace it
    mutex_unlock(&buffer.lock)
    if queues.n == 1:
        err = schedule_enqueue(schedule, queues.queues[0], 0, &alone)
    else:
        events = <cl_event *>malloc((<size_t>n_wait + queues.n) * sizeof(cl_event))
        err = CL_OUT_OF_HOST_MEMORY
        if events != NULL:
            if n_wait:
                memcpy(events, wait, n_wait * sizeof(cl_event))
            err = enqueue_across(schedule, queues, events, n_wait, event)
            free(events)
    object_drop(schedule)
    return err


if kind_register(KIND_COMMAND_BUFFER, sizeof(CommandBuffer), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for command buffers")
