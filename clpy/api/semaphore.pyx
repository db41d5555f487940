# SPDX-License-Identifier: Apache-2.0
"""cl_khr_semaphore, cl_khr_external_semaphore: the checks, in the order of the specification's lists."""
from libc.stdint cimport int32_t
from clpy.api.info cimport info_bytes, info_ptr, info_u32, info_u64
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_command_queue, cl_context, cl_device_id, cl_external_semaphore_handle_type_khr, cl_int,
                      cl_semaphore_info_khr, cl_semaphore_khr, cl_semaphore_payload_khr, cl_semaphore_properties_khr,
                      cl_semaphore_reimport_properties_khr, cl_uint)
from clpy.core.command cimport Command, Queue, Wait, check_wait
from clpy.core.context cimport Context, context_has
from clpy.core.object cimport (KIND_CONTEXT, KIND_DEVICE, KIND_QUEUE, KIND_SEMAPHORE, object_is)
from clpy.core.semaphore cimport (Semaphore, is_semaphore_fd, semaphore_export, semaphore_is_signaled, semaphore_new,
                                  semaphore_reimport, semaphore_take_signal,
                                  semaphores_signal, semaphores_wait)
from clpy.core.sync_file cimport is_sync_file
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_COMMAND_QUEUE,
                               CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_PROPERTY,
                               CL_INVALID_SEMAPHORE_KHR, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES,
                               CL_SEMAPHORE_CONTEXT_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                               CL_SEMAPHORE_EXPORTABLE_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                               CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                               CL_SEMAPHORE_PAYLOAD_KHR, CL_SEMAPHORE_PROPERTIES_KHR, CL_SEMAPHORE_REFERENCE_COUNT_KHR,
                               CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_TYPE_KHR, CL_SUCCESS)


# ---- making

# What a property list says.
cdef struct Wanted:
    size_t n                     # entries incl. the closing 0
    bint has_type
    bint has_devices
    cl_uint n_devices
    Device *device               # the first in the list
    bint has_exports
    cl_uint n_exports
    cl_external_semaphore_handle_type_khr exports
    cl_external_semaphore_handle_type_khr imports        # 0: no handle
    int fd


cdef size_t skip_list(const cl_semaphore_properties_khr *props, size_t i, cl_uint *n) noexcept nogil:
    """The index behind the 0 that closes a list within the list."""
    n[0] = 0
    while props[i] != 0:
        n[0] += 1
        i += 1
    return i + 1


cdef bint is_handle_type(cl_semaphore_properties_khr name) noexcept nogil:
    return name == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR or name == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR


cdef bint is_importable(cl_external_semaphore_handle_type_khr type, int fd) noexcept nogil:
    """"The special value -1 for fd is treated like a valid sync file descriptor"."""
    if type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
        return fd == -1 or is_sync_file(fd)
    return is_semaphore_fd(fd)


cdef cl_int read_properties(const cl_semaphore_properties_khr *props, Wanted *out) noexcept nogil:
    # CL_INVALID_PROPERTY "if a property name in sema_props is not a supported property name, if the value specified for
    # a supported property name is not valid, or if the same property name is specified more than once"
    cdef size_t i = 0
    cdef cl_semaphore_properties_khr name
    while props[i] != 0:
        name = props[i]
        if name == CL_SEMAPHORE_TYPE_KHR:
            if out.has_type or props[i + 1] != CL_SEMAPHORE_TYPE_BINARY_KHR:
                return CL_INVALID_PROPERTY
            out.has_type = True
            i += 2
        elif name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR and not out.has_devices:
            out.has_devices = True
            out.device = <Device *>props[i + 1]
            i = skip_list(props, i + 1, &out.n_devices)
        elif name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR and not out.has_exports:
            out.has_exports = True
            if props[i + 1] != 0 and not is_handle_type(props[i + 1]):
                return CL_INVALID_PROPERTY
            out.exports = <cl_external_semaphore_handle_type_khr>props[i + 1]
            i = skip_list(props, i + 1, &out.n_exports)
        elif is_handle_type(name) and out.imports == 0:
            out.imports = <cl_external_semaphore_handle_type_khr>name
            out.fd = <int>props[i + 1]
            i += 2
        else:
            return CL_INVALID_PROPERTY
    out.n = i + 1
    return CL_SUCCESS


cdef cl_int check_wanted(Context *ctx, const cl_semaphore_properties_khr *props, Wanted *out) noexcept nogil:
    cdef cl_int err
    if props == NULL:
        return CL_INVALID_VALUE
    err = read_properties(props, out)
    if err != CL_SUCCESS:
        return err
    # "if context is a multiple device context and sema_props does not specify CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"
    if ctx.n_devices > 1 and not out.has_devices:
        return CL_INVALID_PROPERTY
    # "it does not identify exactly one valid device; or [...] is not one of the devices within context"
    if out.has_devices and (out.n_devices != 1 or not object_is(out.device, KIND_DEVICE)
                            or not context_has(ctx, out.device)):
        return CL_INVALID_DEVICE
    # "if sema_props do not specify <property, value> pairs for minimum set of properties", "if more than one semaphore
    # handle type is specified in the CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR list"
    if not out.has_type or out.n_exports > 1:
        return CL_INVALID_VALUE
    # "Exporting a semaphore handle from a semaphore that was created by importing [...] is not permitted."
    if out.imports and out.n_exports:
        return CL_INVALID_OPERATION
    if out.imports and not is_importable(out.imports, out.fd):
        return CL_INVALID_PROPERTY
    return CL_SUCCESS


cdef cl_semaphore_khr create_semaphore_with_properties(cl_context context,
        const cl_semaphore_properties_khr *sema_props, cl_int *errcode_ret) noexcept nogil:
    cdef Context *ctx = <Context *>context
    cdef Wanted wanted = Wanted(0, False, False, 0, NULL, False, 0, 0, 0, -1)
    cdef Semaphore *sema = NULL
    cdef cl_int err = CL_INVALID_CONTEXT
    if object_is(context, KIND_CONTEXT):
        err = check_wanted(ctx, sema_props, &wanted)
    if err == CL_SUCCESS:
        err = semaphore_new(ctx, wanted.device if wanted.has_devices else NULL, wanted.n, sema_props,
                            wanted.exports, wanted.imports, wanted.fd, &sema)
    errcode_ret[0] = err
    return <cl_semaphore_khr>sema


# ---- commands

cdef cl_int check_command(cl_command_queue queue, cl_uint n, const cl_semaphore_khr *semas,
                          const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Semaphore *sema
    cdef cl_uint i
    cdef cl_int err
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if n == 0 or semas == NULL:
        return CL_INVALID_VALUE
    for i in range(n):
        if not object_is(semas[i], KIND_SEMAPHORE):
            return CL_INVALID_SEMAPHORE_KHR
    for i in range(n):
        sema = <Semaphore *>semas[i]
        # CL_INVALID_COMMAND_QUEUE "if the device associated with command_queue is not same as one of the devices
        # specified by CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR [...], or if one or more of sema_objects belong to a context
        # that does not contain a device associated with command_queue"
        if (sema.device != NULL and sema.device != q.device) or not context_has(sema.context, q.device):
            return CL_INVALID_COMMAND_QUEUE
    for i in range(n):
        if (<Semaphore *>semas[i]).context != q.context:
            return CL_INVALID_CONTEXT
    err = check_wait(q.context, wait)        # no semaphore of ours has a payload to give
    if err != CL_SUCCESS:
        return err
    for i in range(wait.n):      # "if the execution status of any of the events in event_wait_list is a negative" one
        if atomic_load_i32(&(<Command *>wait.events[i]).status) < 0:
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    return CL_SUCCESS


cdef cl_int enqueue_wait_semaphores(cl_command_queue command_queue, cl_uint num_sema_objects,
        const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
        const Wait *wait) noexcept nogil:
    cdef cl_int err = check_command(command_queue, num_sema_objects, sema_objects, wait)
    if err != CL_SUCCESS:
        return err
    return semaphores_wait(<Queue *>command_queue, num_sema_objects, <Semaphore *const *>sema_objects, wait)


cdef cl_int enqueue_signal_semaphores(cl_command_queue command_queue, cl_uint num_sema_objects,
        const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
        const Wait *wait) noexcept nogil:
    cdef cl_int err = check_command(command_queue, num_sema_objects, sema_objects, wait)
    if err != CL_SUCCESS:
        return err
    return semaphores_signal(<Queue *>command_queue, num_sema_objects, <Semaphore *const *>sema_objects, wait)


# ---- asking

cdef cl_int devices(const Semaphore *sema, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if sema.device != NULL:
        return info_ptr(sema.device, size, value, size_ret)
    return info_bytes(sema.context.devices, sema.context.n_devices * sizeof(Device *), size, value, size_ret)


include "queries/semaphore_info.pxi"


cdef cl_int get_semaphore_info(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Semaphore *sema = <Semaphore *>sema_object
    if not object_is(sema_object, KIND_SEMAPHORE):
        return CL_INVALID_SEMAPHORE_KHR
    return answer_semaphore_info(sema, param_name, param_value_size, param_value, param_value_size_ret)


cdef cl_int get_semaphore_handle_for_type(cl_semaphore_khr sema_object, cl_device_id device,
        cl_external_semaphore_handle_type_khr handle_type, size_t handle_size, void *handle_ptr,
        size_t *handle_size_ret) noexcept nogil:
    cdef Semaphore *sema = <Semaphore *>sema_object
    cdef int32_t fd
    if not object_is(sema_object, KIND_SEMAPHORE):
        return CL_INVALID_SEMAPHORE_KHR
    # "if device is not a valid device", "belongs to a context that is not associated with device", "can not be shared"
    if (not object_is(device, KIND_DEVICE) or not context_has(sema.context, <Device *>device)
            or sema.device != NULL and sema.device != <Device *>device):
        return CL_INVALID_DEVICE
    # "if the requested external semaphore handle type was not specified when sema_object was created"
    if sema.exports == 0 or handle_type != sema.exports:
        return CL_INVALID_VALUE
    if handle_ptr == NULL or handle_size < sizeof(fd):       # the size alone, or too little room
        fd = -1
        return info_bytes(&fd, sizeof(fd), handle_size, handle_ptr, handle_size_ret)
    if handle_type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
        # "the option for implementations to return a -1 file descriptor when exporting [...] which is signaled"
        if semaphore_take_signal(sema) != CL_SUCCESS:
            return CL_OUT_OF_RESOURCES
        fd = -1
    else:
        fd = semaphore_export(sema)
        if fd < 0:
            return CL_OUT_OF_RESOURCES
    return info_bytes(&fd, sizeof(fd), handle_size, handle_ptr, handle_size_ret)


cdef cl_int reimport_semaphore_sync_fd(cl_semaphore_khr sema_object,
        cl_semaphore_reimport_properties_khr *reimport_props, int fd) noexcept nogil:
    cdef Semaphore *sema = <Semaphore *>sema_object
    # "if a CL_SEMAPHORE_HANDLE_SYNC_FD_KHR handle was not imported when sema_object was created"
    if not object_is(sema_object, KIND_SEMAPHORE) or not sema.imports_sync:
        return CL_INVALID_SEMAPHORE_KHR
    if reimport_props != NULL and reimport_props[0] != 0:    # "does not define any optional properties"
        return CL_INVALID_VALUE
    if not is_importable(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd):
        return CL_INVALID_VALUE
    semaphore_reimport(sema, fd)
    return CL_SUCCESS
