# SPDX-License-Identifier: Apache-2.0
"""cl_khr_external_memory: acquiring and releasing. The import is part of making buffers and images."""
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport cl_command_queue, cl_int, cl_mem, cl_uint
from clpy.core.acquire cimport external_enqueue
from clpy.core.command cimport Command, Queue, Wait, check_wait
from clpy.core.context cimport context_has
from clpy.core.external_memory cimport external_is_for
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_is
from clpy.spec.consts cimport (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_COMMAND_QUEUE,
                               CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_SUCCESS)


cdef cl_int check_objects(cl_command_queue queue, cl_uint n, const cl_mem *mems) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef Mem *mem
    cdef cl_uint i
    # The list has the queue after the objects; as everywhere, what the call is made on comes first.
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if (n == 0) != (mems == NULL):
        return CL_INVALID_VALUE
    for i in range(n):
        # "not a valid OpenCL memory object created using an external memory handle"
        if not object_is(mems[i], KIND_MEM) or (<Mem *>mems[i]).external == NULL:
            return CL_INVALID_MEM_OBJECT
    for i in range(n):
        mem = <Mem *>mems[i]
        # "not one of the devices specified by CL_MEM_DEVICE_HANDLE_LIST_KHR", "belong to a context that does not
        # contain a device associated with command_queue"
        if not external_is_for(mem.external, q.device) or not context_has(mem.context, q.device):
            return CL_INVALID_COMMAND_QUEUE
    for i in range(n):
        if (<Mem *>mems[i]).context != q.context:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int hand_over(cl_command_queue queue, bint acquires, cl_uint n, const cl_mem *mems,
                      const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>queue
    cdef cl_uint i
    cdef cl_int err = check_objects(queue, n, mems)
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    for i in range(wait.n):      # "if the execution status of any of the events in event_wait_list is a negative" one
        if atomic_load_i32(&(<Command *>wait.events[i]).status) < 0:
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    return external_enqueue(q, acquires, n, <Mem *const *>mems, wait)


cdef cl_int enqueue_acquire_external_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
        const cl_mem *mem_objects, const Wait *wait) noexcept nogil:
    return hand_over(command_queue, True, num_mem_objects, mem_objects, wait)


cdef cl_int enqueue_release_external_mem_objects(cl_command_queue command_queue, cl_uint num_mem_objects,
        const cl_mem *mem_objects, const Wait *wait) noexcept nogil:
    return hand_over(command_queue, False, num_mem_objects, mem_objects, wait)
