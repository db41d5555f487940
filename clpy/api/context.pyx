# SPDX-License-Identifier: Apache-2.0
"""Contexts."""
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.info cimport info_bytes, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_context, cl_context_info, cl_context_properties, cl_device_id, cl_device_type, cl_int, cl_uint,
                      cl_ulong, context_destructor_fn, context_notify_fn)
from clpy.core.children cimport device_events_release
from clpy.core.context cimport Context, context_new, context_on_destroy
from clpy.core.device cimport MOST_DEVICES, devices_of_type
from clpy.core.object cimport KIND_CONTEXT, KIND_DEVICE, object_drop, object_hold, object_is, object_release
from clpy.core.platform cimport is_platform
from clpy.core.terminate cimport context_terminate
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_CONTEXT_DEVICES, CL_CONTEXT_INTEROP_USER_SYNC, CL_CONTEXT_MEMORY_INITIALIZE_KHR,
                               CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR,
                               CL_CONTEXT_NUM_DEVICES, CL_CONTEXT_PLATFORM, CL_CONTEXT_PROPERTIES,
                               CL_CONTEXT_REFERENCE_COUNT, CL_CONTEXT_TERMINATE_KHR, CL_DEVICE_NOT_FOUND, CL_FALSE,
                               CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_PLATFORM,
                               CL_INVALID_PROPERTY,
                               CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, CL_TRUE)

cdef cl_ulong INITIALIZE = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR


# ---- making

include "properties/context.pxi"


cdef cl_int check_properties(const cl_context_properties *properties, context_notify_fn notify) noexcept nogil:
    cdef size_t i, n = property_entries(<const cl_ulong *>properties)
    for i in range(0, n // 2 * 2, 2):
        if properties[i] == CL_CONTEXT_PLATFORM:
            # "if the platform specified in properties is not a valid platform"
            if properties[i + 1] == 0 or not is_platform(<const void *>properties[i + 1]):
                return CL_INVALID_PLATFORM
        elif properties[i] == CL_CONTEXT_INTEROP_USER_SYNC:
            if properties[i + 1] != CL_TRUE and properties[i + 1] != CL_FALSE:
                return CL_INVALID_PROPERTY
        elif properties[i] == CL_CONTEXT_MEMORY_INITIALIZE_KHR:
            if properties[i + 1] & ~<cl_context_properties>INITIALIZE:
                return CL_INVALID_PROPERTY
        elif properties[i] == CL_CONTEXT_TERMINATE_KHR:
            if properties[i + 1] != CL_TRUE and properties[i + 1] != CL_FALSE:
                return CL_INVALID_PROPERTY
        elif other_context_property(properties[i], properties[i + 1], notify) != CL_SUCCESS:
            return CL_INVALID_PROPERTY
    return CL_INVALID_PROPERTY if property_twice(<const cl_ulong *>properties) else CL_SUCCESS


cdef cl_context make(const cl_context_properties *properties, cl_uint n, Device *const *devices,
                     context_notify_fn notify, void *user_data, cl_int *errcode_ret) noexcept nogil:
    cdef Context *ctx
    cdef bint terminable = property_value(<const cl_ulong *>properties, CL_CONTEXT_TERMINATE_KHR, CL_FALSE) == CL_TRUE
    cdef cl_uint i
    for i in range(n):           # "but not all of the devices associated with the context support" it
        if terminable and devices[i].ops.interrupt == NULL:
            errcode_ret[0] = CL_INVALID_PROPERTY
            return NULL
    ctx = context_new(n, devices, property_entries(<const cl_ulong *>properties), properties, notify, user_data)
    if ctx == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
    else:
        ctx.initialize = property_value(<const cl_ulong *>properties, CL_CONTEXT_MEMORY_INITIALIZE_KHR, 0)
        ctx.stop = &ctx.terminated if terminable else NULL
    return <cl_context>ctx


cdef cl_context create_context(const cl_context_properties *properties, cl_uint num_devices,
                               const cl_device_id *devices, context_notify_fn pfn_notify, void *user_data,
                               cl_int *errcode_ret) noexcept nogil:
    cdef cl_uint i
    errcode_ret[0] = check_properties(properties, pfn_notify)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    # "if devices is NULL", "if num_devices is equal to zero", "if pfn_notify is NULL and user_data is not NULL"
    if devices == NULL or num_devices == 0 or (pfn_notify == NULL and user_data != NULL):
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    for i in range(num_devices):
        if not object_is(devices[i], KIND_DEVICE):
            errcode_ret[0] = CL_INVALID_DEVICE
            return NULL
    return make(properties, num_devices, <Device **>devices, pfn_notify, user_data, errcode_ret)


cdef cl_int add_others(const cl_context_properties *properties, cl_device_type device_type, Device **devices,
                       cl_uint *n) noexcept nogil:
    """The devices that properties of vendors' extensions bring; CL_DEVICE_NOT_FOUND where there are none at all."""
    cdef size_t i, entries = property_entries(<const cl_ulong *>properties)
    cdef cl_int error
    for i in range(0, entries // 2 * 2, 2):
        error = other_context_devices(properties[i], properties[i + 1], device_type, devices, n)
        if error != CL_SUCCESS:
            return error
    return CL_SUCCESS if n[0] else CL_DEVICE_NOT_FOUND


cdef cl_context create_context_from_type(const cl_context_properties *properties, cl_device_type device_type,
                                         context_notify_fn pfn_notify, void *user_data,
                                         cl_int *errcode_ret) noexcept nogil:
    cdef Device *devices[MOST_DEVICES]
    cdef cl_uint n = 0
    errcode_ret[0] = check_properties(properties, pfn_notify)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    if pfn_notify == NULL and user_data != NULL:
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    errcode_ret[0] = devices_of_type(device_type, devices, &n)
    if errcode_ret[0] == CL_SUCCESS or errcode_ret[0] == CL_DEVICE_NOT_FOUND:
        errcode_ret[0] = add_others(properties, device_type, devices, &n)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    return make(properties, n, devices, pfn_notify, user_data, errcode_ret)


# ---- sharing, asking

cdef cl_int release_context(cl_context context) noexcept nogil:
    cdef Context *ctx = <Context *>context
    cdef cl_int err
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if atomic_load_i32(&ctx.device_events) == 0:
        return object_release(context, KIND_CONTEXT)
    object_hold(ctx)
    err = object_release(context, KIND_CONTEXT)
    if atomic_load_i32(&ctx.obj.app_refs) == 0:
        device_events_release(ctx)
    object_drop(ctx)
    return err


include "queries/context_info.pxi"


cdef cl_int get_context_info(cl_context context, cl_context_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Context *ctx = <Context *>context
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    return answer_context_info(ctx, param_name, param_value_size, param_value, param_value_size_ret)


cdef cl_int set_context_destructor_callback(cl_context context, context_destructor_fn pfn_notify,
                                            void *user_data) noexcept nogil:
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if pfn_notify == NULL:
        return CL_INVALID_VALUE
    return context_on_destroy(<Context *>context, pfn_notify, user_data)


cdef cl_int terminate_context(cl_context context) noexcept nogil:
    cdef Context *ctx = <Context *>context
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    # The list has "if context has already been terminated" before this; only one of them can be.
    if ctx.stop == NULL:
        return CL_INVALID_OPERATION
    return context_terminate(ctx)
