# SPDX-License-Identifier: Apache-2.0
"""Events, markers and barriers."""
from libc.stdint cimport uint32_t
from clpy.api.info cimport info_ptr, info_u32, info_u64
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_command_queue, cl_command_type, cl_context, cl_event, cl_event_info, cl_int,
                      cl_profiling_info, cl_uint, event_notify_fn)
from clpy.core.command cimport (CMD_IS_BARRIER, CMD_SPANS_QUEUES, CMD_WAITS_FOR_ALL, Command, Queue,
                                Wait, check_wait, command_new, command_submit, is_device_event, is_event,
                                user_event_new)
from clpy.core.context cimport Context
from clpy.core.event cimport event_on_status, event_set_status, event_status, events_wait
from clpy.core.object cimport KIND_CONTEXT, KIND_EVENT, KIND_QUEUE, object_is, object_release, object_retain
from clpy.spec.consts cimport (CL_COMMAND_BARRIER, CL_COMMAND_MARKER, CL_COMMAND_USER, CL_COMPLETE,
                               CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT, CL_INVALID_OPERATION,
                               CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_PROFILING_INFO_NOT_AVAILABLE, CL_QUEUED,
                               CL_SUCCESS)


# ---- events ----------------------------------------------------------------------------------------------------------

cdef cl_int wait_for_events(cl_uint num_events, const cl_event *event_list) noexcept nogil:
    cdef cl_uint i
    if num_events == 0 or event_list == NULL:
        return CL_INVALID_VALUE
    for i in range(num_events):
        if not is_event(event_list[i]):
            return CL_INVALID_EVENT
    # "if events specified in event_list do not belong to the same context"
    for i in range(1, num_events):
        if (<Command *>event_list[i]).context != (<Command *>event_list[0]).context:
            return CL_INVALID_CONTEXT
    return events_wait(num_events, event_list)


include "queries/event_info.pxi"


cdef cl_int get_event_info(cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret) noexcept nogil:
    cdef Command *cmd = <Command *>event
    if not is_event(event):
        return CL_INVALID_EVENT
    return answer_event_info(cmd, param_name, param_value_size, param_value, param_value_size_ret)


cdef cl_int retain_event(cl_event event) noexcept nogil:
    if is_device_event(event):   # "an event that refers to any kernel enqueued to a device queue"
        return CL_INVALID_OPERATION
    return object_retain(event, KIND_EVENT) if is_event(event) else CL_INVALID_EVENT


cdef cl_int release_event(cl_event event) noexcept nogil:
    if is_device_event(event):
        return CL_INVALID_OPERATION
    return object_release(event, KIND_EVENT) if is_event(event) else CL_INVALID_EVENT


include "queries/event_profiling_info.pxi"


cdef cl_int get_event_profiling_info(cl_event event, cl_profiling_info param_name, size_t param_value_size,
        void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Command *cmd = <Command *>event
    if not is_event(event):
        return CL_INVALID_EVENT
    # t_queued is 0 where the queue does not profile, and for user events
    if cmd.t_queued == 0 or atomic_load_i32(&cmd.status) != CL_COMPLETE:
        return CL_PROFILING_INFO_NOT_AVAILABLE
    return answer_event_profiling_info(cmd, param_name, param_value_size, param_value, param_value_size_ret)


cdef cl_event create_user_event(cl_context context, cl_int *errcode_ret) noexcept nogil:
    cdef Command *cmd
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    cmd = user_event_new(<Context *>context)
    if cmd == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
    return <cl_event>cmd


cdef cl_int set_user_event_status(cl_event event, cl_int execution_status) noexcept nogil:
    if not is_event(event) or (<Command *>event).type != CL_COMMAND_USER:
        return CL_INVALID_EVENT
    # "if the execution_status is not CL_COMPLETE or a negative integer value"
    if execution_status > CL_COMPLETE:
        return CL_INVALID_VALUE
    # CL_INVALID_OPERATION "if the execution_status has already been changed"
    return event_set_status(<Command *>event, execution_status)


cdef cl_int set_event_callback(cl_event event, cl_int command_exec_callback_type, event_notify_fn pfn_notify,
        void *user_data) noexcept nogil:
    if not is_event(event):
        return CL_INVALID_EVENT
    # CL_QUEUED is an extension's, which all devices list
    if pfn_notify == NULL or not CL_COMPLETE <= command_exec_callback_type <= CL_QUEUED:
        return CL_INVALID_VALUE
    return event_on_status(<Command *>event, command_exec_callback_type, pfn_notify, user_data)


# ---- markers and barriers --------------------------------------------------------------------------------------------

cdef cl_int enqueue(cl_command_queue command_queue, cl_command_type type, uint32_t flags, cl_uint n,
                    const cl_event *list, cl_event *event) noexcept nogil:
    """The queue and the wait list are checked. A command without a body."""
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd = command_new(<Queue *>command_queue, type, &err)
    if cmd == NULL:
        return err
    # "or if the list is empty it waits for all commands previously enqueued"
    cmd.flags |= flags | (CMD_WAITS_FOR_ALL if n == 0 else 0)
    return command_submit(cmd, n, list, event, False)


cdef cl_int enqueue_marker(cl_command_queue command_queue, cl_event *event) noexcept nogil:
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if event == NULL:
        return CL_INVALID_VALUE
    return enqueue(command_queue, CL_COMMAND_MARKER, 0, 0, NULL, event)


cdef cl_int enqueue_wait_for_events(cl_command_queue command_queue, cl_uint num_events,
        const cl_event *event_list) noexcept nogil:
    cdef cl_uint i
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if num_events == 0 or event_list == NULL:
        return CL_INVALID_VALUE
    for i in range(num_events):
        if not is_event(event_list[i]):
            return CL_INVALID_EVENT      # of OpenCL 1.0, older than CL_INVALID_EVENT_WAIT_LIST
        if (<Command *>event_list[i]).context != (<Queue *>command_queue).context:
            return CL_INVALID_CONTEXT
    return enqueue(command_queue, CL_COMMAND_BARRIER, CMD_IS_BARRIER, num_events, event_list, NULL)


cdef cl_int enqueue_barrier(cl_command_queue command_queue) noexcept nogil:
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    return enqueue(command_queue, CL_COMMAND_BARRIER, CMD_IS_BARRIER, 0, NULL, NULL)


cdef cl_int enqueue_with_wait_list(cl_command_queue queue, cl_command_type type, uint32_t flags,
                                   const Wait *wait) noexcept nogil:
    cdef cl_int err
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    err = check_wait((<Queue *>queue).context, wait)
    if err != CL_SUCCESS:
        return err
    return enqueue(queue, type, flags, wait.n, wait.events, wait.event_out)


cdef cl_int enqueue_marker_with_wait_list(cl_command_queue command_queue, const Wait *wait) noexcept nogil:
    return enqueue_with_wait_list(command_queue, CL_COMMAND_MARKER, 0, wait)


cdef cl_int enqueue_barrier_with_wait_list(cl_command_queue command_queue, const Wait *wait) noexcept nogil:
    return enqueue_with_wait_list(command_queue, CL_COMMAND_BARRIER, CMD_IS_BARRIER, wait)
