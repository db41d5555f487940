# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer: making, finalizing and enqueuing command buffers, and what can be asked of them. With
cl_khr_command_buffer_multi_device: commands of all devices are ordered by the host, so any queues of a context may
share a command buffer.
"""
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.info cimport info_bytes, info_ptr, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_command_buffer_flags_khr, cl_command_buffer_info_khr, cl_command_buffer_khr,
                      cl_command_buffer_properties_khr, cl_command_queue, cl_command_queue_properties, cl_event, cl_int,
                      cl_mutable_dispatch_asserts_khr, cl_uint)
from clpy.core.command cimport Queue, check_wait_list
from clpy.core.command_buffer cimport (CommandBuffer, QueueList, command_buffer_enqueue, command_buffer_finalize,
                                       command_buffer_new)
from clpy.core.context cimport Context
from clpy.core.object cimport (KIND_COMMAND_BUFFER, KIND_DEVICE_QUEUE, KIND_QUEUE, object_is)
from clpy.core.terminate cimport is_of_terminated
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_CONTEXT_TERMINATED_KHR, CL_COMMAND_BUFFER_CONTEXT_KHR,
                               CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, CL_COMMAND_BUFFER_FLAGS_KHR,
                               CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR,
                               CL_COMMAND_BUFFER_NUM_QUEUES_KHR, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR,
                               CL_COMMAND_BUFFER_QUEUES_KHR, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
                               CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
                               CL_COMMAND_BUFFER_STATE_KHR, CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
                               CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
                               CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_VALUE,
                               CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, CL_OUT_OF_HOST_MEMORY,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_SUCCESS)

cdef cl_command_buffer_flags_khr FLAGS = (CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR
                                          | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR)
cdef cl_mutable_dispatch_asserts_khr ASSERTS = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
cdef cl_command_queue_properties QUEUE_PROPERTIES = (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                                     | CL_QUEUE_PROFILING_ENABLE)


# ---- making

cdef cl_int check_queues(const QueueList *list, Context **ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(list.n):
        if not object_is(list.queues[i], KIND_QUEUE):
            return CL_INVALID_COMMAND_QUEUE
    for i in range(list.n):
        if ctx[0] == NULL:
            ctx[0] = list.queues[i].context
        if list.queues[i].context != ctx[0]:
            return CL_INVALID_CONTEXT
    return check_queue_properties(list)


cdef cl_int check_queue_properties(const QueueList *list) noexcept nogil:
    """"a property not specified by CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR"; none is required."""
    cdef cl_uint i
    for i in range(list.n):
        if list.queues[i].properties & ~QUEUE_PROPERTIES:
            return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
    return CL_SUCCESS


cdef cl_int check_properties(const cl_command_buffer_properties_khr *list) noexcept nogil:
    cdef size_t i, n = property_entries(list)
    if property_twice(list):
        return CL_INVALID_VALUE
    for i in range(0, n // 2 * 2, 2):
        if list[i] == CL_COMMAND_BUFFER_FLAGS_KHR:
            if list[i + 1] & ~FLAGS:
                return CL_INVALID_VALUE
        elif list[i] != CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR or list[i + 1] & ~ASSERTS:
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef const Device *root_of(const Device *dev) noexcept nogil:
    while dev.parent != NULL:
        dev = dev.parent
    return dev


cdef cl_int check_native_sync(const QueueList *list, cl_command_buffer_flags_khr flags) noexcept nogil:
    # "if the CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR flag is set, and any device [...] cannot natively synchronize with
    # the other devices": each can with itself and with its parts.
    cdef cl_uint i
    for i in range(1, list.n):
        if flags & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR \
                and root_of(list.queues[i].device) != root_of(list.queues[0].device):
            return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
    return CL_SUCCESS


cdef cl_command_buffer_khr create_command_buffer(cl_uint num_queues, const cl_command_queue *queues,
        const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret) noexcept nogil:
    cdef QueueList list = QueueList(num_queues, <Queue *const *>queues)
    cdef cl_command_buffer_flags_khr flags = property_value(properties, CL_COMMAND_BUFFER_FLAGS_KHR, 0)
    cdef cl_mutable_dispatch_asserts_khr asserts = property_value(
        properties, CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 0)
    cdef Context *ctx = NULL
    cdef CommandBuffer *buffer = NULL
    # The list has the queues' own errors first; they need the list.
    cdef cl_int err = CL_INVALID_VALUE if num_queues == 0 or queues == NULL else check_queues(&list, &ctx)
    if err == CL_SUCCESS and is_of_terminated(ctx):
        err = CL_CONTEXT_TERMINATED_KHR
    if err == CL_SUCCESS:
        err = check_properties(properties)
    if err == CL_SUCCESS:
        err = check_native_sync(&list, flags)
    if err == CL_SUCCESS:
        buffer = command_buffer_new(&list, flags, asserts, property_entries(properties), properties)
        if buffer == NULL:
            err = CL_OUT_OF_HOST_MEMORY
    errcode_ret[0] = err
    return <cl_command_buffer_khr>buffer


cdef cl_int finalize_command_buffer(cl_command_buffer_khr command_buffer) noexcept nogil:
    if not object_is(command_buffer, KIND_COMMAND_BUFFER):
        return CL_INVALID_COMMAND_BUFFER_KHR
    return command_buffer_finalize(<CommandBuffer *>command_buffer)


# ---- enqueuing

cdef cl_int check_substitutes(const CommandBuffer *buffer, const QueueList *list) noexcept nogil:
    cdef cl_int err
    cdef cl_uint i
    for i in range(list.n):
        if object_is(list.queues[i], KIND_DEVICE_QUEUE):     # CL_QUEUE_ON_DEVICE is not among the supported properties
            return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
        if not object_is(list.queues[i], KIND_QUEUE):
            return CL_INVALID_COMMAND_QUEUE
    err = check_queue_properties(list)
    if err != CL_SUCCESS:
        return err
    for i in range(list.n):
        if list.queues[i].device != buffer.queues[i].device:
            return CL_INVALID_DEVICE
    for i in range(list.n):
        if list.queues[i].context != buffer.context:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int enqueue_command_buffer(cl_uint num_queues, cl_command_queue *queues,
        cl_command_buffer_khr command_buffer, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event) noexcept nogil:
    cdef CommandBuffer *buffer = <CommandBuffer *>command_buffer
    cdef QueueList list = QueueList(num_queues, <Queue *const *>queues)
    cdef cl_int err
    if not object_is(command_buffer, KIND_COMMAND_BUFFER):
        return CL_INVALID_COMMAND_BUFFER_KHR
    if atomic_load_i32(&buffer.state) != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR:
        return CL_INVALID_OPERATION
    if (num_queues == 0) != (queues == NULL):
        return CL_INVALID_VALUE
    if num_queues == 0:
        list = QueueList(buffer.n_queues, buffer.queues)
    # "if num_queues is > 0 and not the same value as num_queues set on command_buffer creation"
    elif num_queues != buffer.n_queues:
        return CL_INVALID_VALUE
    err = check_substitutes(buffer, &list)
    if err == CL_SUCCESS:
        err = check_wait_list(buffer.context, num_events_in_wait_list, event_wait_list)
    if err != CL_SUCCESS:
        return err
    return command_buffer_enqueue(buffer, &list, num_events_in_wait_list, event_wait_list, event)


# ---- asking

include "queries/command_buffer_info.pxi"


cdef cl_int get_command_buffer_info(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef CommandBuffer *buffer = <CommandBuffer *>command_buffer
    if not object_is(command_buffer, KIND_COMMAND_BUFFER):
        return CL_INVALID_COMMAND_BUFFER_KHR
    return answer_command_buffer_info(buffer, param_name, param_value_size, param_value, param_value_size_ret)
