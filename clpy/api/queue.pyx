# SPDX-License-Identifier: Apache-2.0
"""Command queues."""
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.info cimport info_bytes, info_ptr, info_u32, info_u64
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_bool, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context,
                      cl_device_id, cl_int, cl_queue_properties, cl_uint, cl_ulong)
from clpy.core.command cimport Queue
from clpy.core.context cimport Context, context_has
from clpy.core.device_queue cimport default_queue, device_queue_new, set_default_queue
from clpy.core.object cimport (KIND_CONTEXT, KIND_DEVICE, KIND_DEVICE_QUEUE, KIND_QUEUE, object_is, object_release,
                               object_retain)
from clpy.core.queue cimport queue_finish, queue_flush, queue_new
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, CL_DEVICE_QUEUE_SUPPORTED, CL_INVALID_COMMAND_QUEUE,
                               CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_QUEUE_PROPERTIES,
                               CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE,
                               CL_QUEUE_DEVICE_DEFAULT, CL_QUEUE_ON_DEVICE, CL_QUEUE_ON_DEVICE_DEFAULT,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PRIORITY_HIGH_KHR,
                               CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_PRIORITY_MED_KHR,
                               CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, CL_QUEUE_PROPERTIES_ARRAY,
                               CL_QUEUE_REFERENCE_COUNT, CL_QUEUE_SIZE, CL_QUEUE_THROTTLE_HIGH_KHR,
                               CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_SUCCESS)

cdef cl_command_queue_properties ON_HOST = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
cdef cl_command_queue_properties ON_DEVICE = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT

include "properties/queue.pxi"
include "properties/queue_flags.pxi"

cdef enum:
    NO_SIZE = 0                  # as given: CL_QUEUE_SIZE is not there, or 0, which no queue can have


cdef cl_int check_place(cl_context context, cl_device_id device) noexcept nogil:
    """CL_INVALID_CONTEXT, then CL_INVALID_DEVICE "if device is not a valid device or not associated with context", nor
    one that nothing can be given to, which a vendor's extension may bring."""
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if not object_is(device, KIND_DEVICE) or not context_has(<Context *>context, <Device *>device):
        return CL_INVALID_DEVICE
    return CL_SUCCESS if (<Device *>device).ops.submit != NULL else CL_INVALID_DEVICE


cdef cl_command_queue make(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                           const cl_queue_properties *list, cl_int *errcode_ret) noexcept nogil:
    cdef Queue *q = queue_new(<Context *>context, <Device *>device, properties,
                              property_entries(<const cl_ulong *>list), list)
    errcode_ret[0] = CL_OUT_OF_HOST_MEMORY if q == NULL else other_queue_flags(q, properties)
    if errcode_ret[0] != CL_SUCCESS and q != NULL:
        object_release(q, KIND_QUEUE)
        q = NULL
    return <cl_command_queue>q


cdef cl_command_queue create_command_queue(cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *errcode_ret) noexcept nogil:
    errcode_ret[0] = check_place(context, device)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    # "Only command-queue properties specified in this table can be used, otherwise the value is not valid"
    if properties & ~(ON_HOST | OTHER_QUEUE_FLAGS):
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    return make(context, device, properties, NULL, errcode_ret)


cdef inline bint is_one_of(cl_ulong value, cl_ulong a, cl_ulong b, cl_ulong c) noexcept nogil:
    return value == a or value == b or value == c


cdef cl_int check_properties(const Device *dev, const cl_ulong *list) noexcept nogil:
    cdef size_t i, n = property_entries(list)
    cdef cl_command_queue_properties properties = property_value(list, CL_QUEUE_PROPERTIES, 0)
    if property_twice(list) or properties & ~(ON_HOST | ON_DEVICE | OTHER_QUEUE_FLAGS):
        return CL_INVALID_VALUE
    for i in range(0, n // 2 * 2, 2):
        # "This can only be specified if CL_QUEUE_ON_DEVICE is set"
        if list[i] == CL_QUEUE_SIZE and properties & CL_QUEUE_ON_DEVICE:
            continue
        # Hints, of cl_khr_priority_hints and cl_khr_throttle_hints: one of three values each
        if (list[i] == CL_QUEUE_PRIORITY_KHR and is_one_of(list[i + 1], CL_QUEUE_PRIORITY_HIGH_KHR,
                                                           CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR)
                or list[i] == CL_QUEUE_THROTTLE_KHR and is_one_of(list[i + 1], CL_QUEUE_THROTTLE_HIGH_KHR,
                                                                  CL_QUEUE_THROTTLE_MED_KHR,
                                                                  CL_QUEUE_THROTTLE_LOW_KHR)):
            continue
        if list[i] != CL_QUEUE_PROPERTIES and other_queue_property(dev, list, list[i], list[i + 1]) != CL_SUCCESS:
            return CL_INVALID_VALUE
    # "If CL_QUEUE_ON_DEVICE is set, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set"; "This can only be used
    # with CL_QUEUE_ON_DEVICE"
    if properties & CL_QUEUE_ON_DEVICE and not properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
        return CL_INVALID_VALUE
    if properties & CL_QUEUE_ON_DEVICE_DEFAULT and not properties & CL_QUEUE_ON_DEVICE:
        return CL_INVALID_VALUE
    # "if values specified in properties are valid but are not supported by device"
    return check_on_device(dev, list) if properties & CL_QUEUE_ON_DEVICE else CL_SUCCESS


cdef cl_int check_on_device(const Device *dev, const cl_ulong *list) noexcept nogil:
    cdef cl_ulong size = property_value(list, CL_QUEUE_SIZE, 1)
    if (not dev.queues.capabilities & CL_DEVICE_QUEUE_SUPPORTED
            or property_value(list, CL_QUEUE_PROPERTIES, 0) & OTHER_QUEUE_FLAGS):
        return CL_INVALID_QUEUE_PROPERTIES
    # "This must be a value <= CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE."
    if size == NO_SIZE or size > dev.queues.max_size:
        return CL_INVALID_QUEUE_PROPERTIES
    # "if the CL_QUEUE_PRIORITY_KHR property is specified, and the queue is a CL_QUEUE_ON_DEVICE", likewise of the other
    if property_value(list, CL_QUEUE_PRIORITY_KHR, 0) or property_value(list, CL_QUEUE_THROTTLE_KHR, 0):
        return CL_INVALID_QUEUE_PROPERTIES
    return CL_SUCCESS


cdef cl_command_queue make_on_device(cl_context context, cl_device_id device, const cl_queue_properties *list,
                                     cl_int *errcode_ret) noexcept nogil:
    cdef Device *dev = <Device *>device
    cdef Queue *queue = NULL
    cdef const cl_ulong *values = <const cl_ulong *>list
    errcode_ret[0] = device_queue_new(
        <Context *>context, dev, property_value(values, CL_QUEUE_PROPERTIES, 0),
        <cl_uint>property_value(values, CL_QUEUE_SIZE, dev.queues.preferred_size), property_entries(values), list,
        &queue)
    return <cl_command_queue>queue


cdef cl_command_queue create_command_queue_with_properties(cl_context context, cl_device_id device,
        const cl_queue_properties *properties, cl_int *errcode_ret) noexcept nogil:
    errcode_ret[0] = check_place(context, device)
    if errcode_ret[0] == CL_SUCCESS:
        errcode_ret[0] = check_properties(<const Device *>device, <const cl_ulong *>properties)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    if property_value(<const cl_ulong *>properties, CL_QUEUE_PROPERTIES, 0) & CL_QUEUE_ON_DEVICE:
        return make_on_device(context, device, properties, errcode_ret)
    return make(context, device, property_value(<const cl_ulong *>properties, CL_QUEUE_PROPERTIES, 0), properties,
                errcode_ret)


cdef inline int kind_of(cl_command_queue queue) noexcept nogil:
    return KIND_DEVICE_QUEUE if object_is(queue, KIND_DEVICE_QUEUE) else KIND_QUEUE


cdef cl_int retain_command_queue(cl_command_queue command_queue) noexcept nogil:
    return object_retain(command_queue, kind_of(command_queue))


cdef cl_int release_command_queue(cl_command_queue command_queue) noexcept nogil:
    # "clReleaseCommandQueue performs an implicit flush"
    if object_is(command_queue, KIND_QUEUE):
        queue_flush(<Queue *>command_queue)
    return object_release(command_queue, kind_of(command_queue))


include "queries/command_queue_info.pxi"


cdef cl_int get_command_queue_info(cl_command_queue command_queue, cl_command_queue_info param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef bint on_device = object_is(command_queue, KIND_DEVICE_QUEUE)
    if not on_device and not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    return answer_command_queue_info(q, param_name, param_value_size, param_value, param_value_size_ret)


cdef cl_int set_command_queue_property(cl_command_queue command_queue, cl_command_queue_properties properties,
        cl_bool enable, cl_command_queue_properties *old_properties) noexcept nogil:
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    # "may unconditionally return an error if no devices in the context support OpenCL 1.0"
    return CL_INVALID_OPERATION


cdef cl_int set_default_device_command_queue(cl_context context, cl_device_id device,
        cl_command_queue command_queue) noexcept nogil:
    cdef cl_int err = check_place(context, device)
    cdef Queue *queue = <Queue *>command_queue
    if err != CL_SUCCESS:
        return err
    # "if device does not support a replaceable default on-device queue"
    if not (<Device *>device).queues.capabilities & CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT:
        return CL_INVALID_OPERATION
    # "if command_queue is not a valid command-queue for device"; context is the one "used to create command_queue"
    if (not object_is(command_queue, KIND_DEVICE_QUEUE) or queue.device != <Device *>device
            or queue.context != <Context *>context):
        return CL_INVALID_COMMAND_QUEUE
    set_default_queue(queue)
    return CL_SUCCESS


cdef cl_int flush(cl_command_queue command_queue) noexcept nogil:
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    queue_flush(<Queue *>command_queue)
    return CL_SUCCESS


cdef cl_int finish(cl_command_queue command_queue) noexcept nogil:
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    return queue_finish(<Queue *>command_queue)
