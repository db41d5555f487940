# SPDX-License-Identifier: Apache-2.0
"""Contexts: the devices they hold, and the application's calls at their end."""
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_context_properties, cl_int, cl_uint, context_destructor_fn, context_notify_fn
from clpy.core.destructor cimport destructor_add, destructor_fn, destructors_run
from clpy.core.object cimport KIND_CONTEXT, kind_register, object_drop, object_hold, object_new
from clpy.device.base cimport Device
from clpy.spec.consts cimport CL_SUCCESS


cdef bint context_has(const Context *ctx, const Device *dev) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i] == dev:
            return True
    return False


cdef bint context_has_buffer_addresses(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].has_buffer_addresses:
            return True
    return False


cdef bint context_has_times(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].ops.account != NULL:
            return True
    return False


cdef bint context_has_visible_memory(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if not ctx.devices[i].has_visible_memory:
            return False
    return True


cdef Context *context_new(cl_uint n_devices, Device *const *devices, size_t n_properties,
                          const cl_context_properties *properties, context_notify_fn notify,
                          void *notify_data) noexcept nogil:
    cdef Context *ctx = <Context *>object_new(KIND_CONTEXT)
    cdef cl_uint i, kept = 0
    if ctx == NULL:
        return NULL
    ctx.devices = <Device **>malloc(n_devices * sizeof(Device *))
    ctx.on_device = <OnDevice *>calloc(n_devices, sizeof(OnDevice))
    if n_properties:
        ctx.properties = <cl_context_properties *>malloc(n_properties * sizeof(cl_context_properties))
    if ctx.devices == NULL or ctx.on_device == NULL or (n_properties and ctx.properties == NULL):
        object_drop(ctx)
        return NULL
    if n_properties:
        memcpy(ctx.properties, properties, n_properties * sizeof(cl_context_properties))
        ctx.n_properties = n_properties
    for i in range(n_devices):
        if context_has(ctx, devices[i]):
            continue             # "duplicate devices specified in devices are ignored"
        object_hold(devices[i])
        ctx.devices[kept] = devices[i]
        kept += 1
        ctx.n_devices = kept
    ctx.notify = notify
    ctx.notify_data = notify_data
    return ctx


cdef cl_int context_on_destroy(Context *ctx, context_destructor_fn fn, void *user_data) noexcept nogil:
    return destructor_add(&ctx.destructors, <destructor_fn>fn, user_data)


cdef void context_destroy(clpy_object *obj) noexcept nogil:
    cdef Context *ctx = <Context *>obj
    cdef cl_uint i
    destructors_run(ctx.destructors, ctx)
    for i in range(ctx.n_devices):
        object_drop(ctx.devices[i])
    free(ctx.devices)
    free(ctx.on_device)
    free(ctx.properties)


if kind_register(KIND_CONTEXT, sizeof(Context), context_destroy) != CL_SUCCESS:
    raise MemoryError("no address space for contexts")
