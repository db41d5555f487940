# SPDX-License-Identifier: Apache-2.0
"""Queues on a device. A context knows the default one of each of its devices without holding it."""
from libc.stdint cimport int32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_command_queue_properties, cl_int, cl_queue_properties, cl_uint
from clpy.core.command cimport Queue
from clpy.core.context cimport Context, OnDevice
from clpy.core.object cimport KIND_DEVICE_QUEUE, kind_register, object_retain
from clpy.core.queue cimport queue_let_go, queue_make
from clpy.device.base cimport Device
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_QUEUE_ON_DEVICE_DEFAULT, CL_SUCCESS)
from clpy.threads cimport at_fork_in_child

cdef int32_t lock = 0            # guards what all contexts know of their devices' queues


cdef OnDevice *place_of(const Context *ctx, const Device *dev) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i] == dev:
            return &ctx.on_device[i]
    return NULL


cdef cl_int device_queue_new(Context *ctx, Device *dev, cl_command_queue_properties properties, cl_uint size,
                             size_t n, const cl_queue_properties *list, Queue **out) noexcept nogil:
    cdef OnDevice *place = place_of(ctx, dev)
    cdef Queue *queue
    cdef cl_int err = CL_SUCCESS
    mutex_lock(&lock)
    # "will return the default device queue that has already been created and increment its reference count by 1"
    if (properties & CL_QUEUE_ON_DEVICE_DEFAULT and place.default_queue != NULL
            and object_retain(place.default_queue, KIND_DEVICE_QUEUE) == CL_SUCCESS):
        out[0] = <Queue *>place.default_queue
        mutex_unlock(&lock)
        return CL_SUCCESS
    if properties & CL_QUEUE_ON_DEVICE_DEFAULT:
        pass                     # comes on top of the others
    elif place.n_queues >= dev.queues.most:
        err = CL_OUT_OF_RESOURCES
    else:
        place.n_queues += 1
    mutex_unlock(&lock)
    if err != CL_SUCCESS:
        return err
    queue = queue_make(KIND_DEVICE_QUEUE, ctx, dev, properties, n, list)
    if queue == NULL:
        if not properties & CL_QUEUE_ON_DEVICE_DEFAULT:
            mutex_lock(&lock)
            place.n_queues -= 1
            mutex_unlock(&lock)
        return CL_OUT_OF_HOST_MEMORY
    queue.size = size
    if properties & CL_QUEUE_ON_DEVICE_DEFAULT:
        set_default_queue(queue)
    out[0] = queue
    return CL_SUCCESS


cdef void *default_queue(Context *ctx, const Device *dev) noexcept nogil:
    cdef OnDevice *place = place_of(ctx, dev)
    cdef void *queue
    mutex_lock(&lock)
    queue = place.default_queue
    mutex_unlock(&lock)
    return queue


cdef void set_default_queue(Queue *queue) noexcept nogil:
    cdef OnDevice *place = place_of(queue.context, queue.device)
    mutex_lock(&lock)
    place.default_queue = queue
    mutex_unlock(&lock)


cdef void destroy(clpy_object *obj) noexcept nogil:
    cdef Queue *queue = <Queue *>obj
    cdef OnDevice *place = place_of(queue.context, queue.device)
    if queue.property_list != NULL:      # else it was not counted yet
        mutex_lock(&lock)
        if not queue.properties & CL_QUEUE_ON_DEVICE_DEFAULT:
            place.n_queues -= 1
        if place.default_queue == queue:
            place.default_queue = NULL
        mutex_unlock(&lock)
    queue_let_go(queue)


cdef void forget_lock() noexcept nogil:
    """In the child of a fork: its holder is a thread of the parent."""
    global lock
    lock = 0


at_fork_in_child(forget_lock)

if kind_register(KIND_DEVICE_QUEUE, sizeof(Queue), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for device queues")
