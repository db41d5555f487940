# SPDX-License-Identifier: Apache-2.0
"""Command queues: making, order, flush, finish. Commands are handed to the device when they are enqueued, so a flush
has little to do: it wakes the device where that was put off.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32, atomic_load_ptr
from clpy.cl cimport cl_command_queue_properties, cl_int, cl_queue_properties
from clpy.core.command cimport (CMD_WAITS_FOR_ALL, Command, Queue, command_new_anyway, command_submit, join_new,
                                take_error)
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_QUEUE, kind_register, object_drop, object_hold, object_new
from clpy.core.wait cimport command_wait, wait_result
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_COMMAND_MARKER, CL_CONTEXT_TERMINATED_KHR, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_SUCCESS)


cdef Queue *queue_make(int kind, Context *ctx, Device *dev, cl_command_queue_properties properties,
                       size_t n, const cl_queue_properties *list) noexcept nogil:
    cdef Queue *q = <Queue *>object_new(kind)
    if q == NULL:
        return NULL
    object_hold(ctx)
    object_hold(dev)
    q.context = ctx
    q.device = dev
    q.properties = properties
    q.stop = ctx.stop
    if n:
        q.property_list = <cl_queue_properties *>malloc(n * sizeof(cl_queue_properties))
        if q.property_list == NULL:
            object_drop(q)
            return NULL
        memcpy(q.property_list, list, n * sizeof(cl_queue_properties))
        q.n_property_list = n
    return q


cdef void queue_let_go(Queue *q) noexcept nogil:
    free(q.property_list)
    object_drop(q.device)
    object_drop(q.context)


cdef Queue *queue_new(Context *ctx, Device *dev, cl_command_queue_properties properties,
                      size_t n, const cl_queue_properties *list) noexcept nogil:
    cdef Queue *q = queue_make(KIND_QUEUE, ctx, dev, properties, n, list)
    if q == NULL or not properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
        return q
    q.join = join_new()
    if q.join == NULL:
        object_drop(q)
        return NULL
    return q


cdef void destroy(clpy_object *obj) noexcept nogil:
    """No command is left: each holds its queue."""
    cdef Queue *q = <Queue *>obj
    if q.join != NULL:
        object_drop(q.join)
    if q.kept != NULL:
        q.device.ops.drop_kept(q.kept)
    queue_let_go(q)


cdef void queue_flush(Queue *q) noexcept nogil:
    q.device.ops.flush(q.device)


cdef bint hold_tail(Queue *q, Command **tail) noexcept nogil:
    """The last unfinished command of an in-order queue, held; False when there is none."""
    cdef Command *cmd
    cdef int32_t refs
    while True:
        cmd = <Command *>atomic_load_ptr(<void **>&q.tail)
        # Its slot stays readable. When the tail is done, so was whatever was the tail when this call began.
        if cmd == NULL or atomic_load_i32(&cmd.done) == 1:
            return False
        refs = atomic_load_i32(&cmd.obj.run_refs)
        while refs > 0 and not atomic_cas_i32(&cmd.obj.run_refs, &refs, refs + 1):
            pass
        if refs == 0:
            continue
        if <Command *>atomic_load_ptr(<void **>&q.tail) == cmd:
            tail[0] = cmd
            return True
        object_drop(cmd)         # it went, and the slot may be another command by now


cdef cl_int finish_in_order(Queue *q) noexcept nogil:
    """CL_SUCCESS, an error, or WAIT_*; likewise the other."""
    cdef Command *tail = NULL
    cdef cl_int status = CL_SUCCESS
    if hold_tail(q, &tail):
        status = command_wait(tail)
        object_drop(tail)
    return status if status > 0 else CL_SUCCESS


cdef cl_int finish_out_of_order(Queue *q) noexcept nogil:
    """A marker waits for all there is; unless only the join's own count is left."""
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd
    cdef Command *join = <Command *>atomic_load_ptr(<void **>&q.join)
    if atomic_load_i32(&join.depends) == 1 and <Command *>atomic_load_ptr(<void **>&q.join) == join:
        return CL_SUCCESS
    cmd = command_new_anyway(q, CL_COMMAND_MARKER, &err)
    if cmd == NULL:
        return err
    cmd.flags |= CMD_WAITS_FOR_ALL
    # Not `blocking`: an error of the queue is taken by the caller.
    object_hold(cmd)
    err = command_submit(cmd, 0, NULL, NULL, False)
    if err == CL_SUCCESS:
        err = command_wait(cmd)
        err = err if err > 0 else CL_SUCCESS
    object_drop(cmd)
    return err


cdef cl_int queue_finish(Queue *q) noexcept nogil:
    cdef cl_int err
    if q.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
        err = finish_out_of_order(q)
    else:
        err = finish_in_order(q)
    if err > 0:
        return wait_result(err)
    if err == CL_SUCCESS:
        err = take_error(q)
        if q.stop != NULL and atomic_load_i32(q.stop):
            return CL_CONTEXT_TERMINATED_KHR
        # What clFinish may return; the command had no event that could tell more.
        if err != CL_SUCCESS and err != CL_OUT_OF_HOST_MEMORY:
            err = CL_OUT_OF_RESOURCES
    return err


if kind_register(KIND_QUEUE, sizeof(Queue), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for queues")
