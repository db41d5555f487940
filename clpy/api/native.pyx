# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNativeKernel: the checks, in the order of the specification."""
from libc.stdint cimport uintptr_t
from clpy.api.check cimport in_range
from clpy.cl cimport cl_command_queue, cl_int, cl_mem, cl_uint, native_kernel_fn
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.memory cimport Mem
from clpy.core.native cimport NativeCall, native_enqueue
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_is
from clpy.spec.consts cimport (CL_EXEC_NATIVE_KERNEL, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
                               CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MEM_OBJECT_BUFFER,
                               CL_SUCCESS)


cdef cl_int check_values(const NativeCall *call) noexcept nogil:
    """CL_INVALID_VALUE."""
    cdef cl_uint i
    if call.fn == NULL:
        return CL_INVALID_VALUE
    # "if args is a NULL value and cb_args > 0, or [...] num_mem_objects > 0", "if args is not NULL and cb_args is 0"
    if (call.args == NULL) != (call.size == 0) or (call.args == NULL and call.n_mems > 0):
        return CL_INVALID_VALUE
    # "if num_mem_objects > 0 and mem_list or args_mem_loc are NULL", "= 0 and [...] not NULL"
    if (call.n_mems > 0) != (call.mems != NULL) or (call.n_mems > 0) != (call.places != NULL):
        return CL_INVALID_VALUE
    for i in range(call.n_mems):         # "appropriate locations that args points to": room for an address
        if not in_range(<uintptr_t>call.places[i] - <uintptr_t>call.args, sizeof(void *), call.size):
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef cl_int check_mems(const Queue *q, const NativeCall *call) noexcept nogil:
    """CL_INVALID_MEM_OBJECT; CL_INVALID_CONTEXT for a buffer that the queue's device cannot use."""
    cdef Mem *mem
    cdef cl_uint i
    for i in range(call.n_mems):
        mem = call.mems[i]
        if mem == NULL:
            continue
        if not object_is(mem, KIND_MEM) or mem.type != CL_MEM_OBJECT_BUFFER:
            return CL_INVALID_MEM_OBJECT
        if mem.context != q.context:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int enqueue_native_kernel(cl_command_queue command_queue, native_kernel_fn user_func, void *args,
                                  size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                                  const void **args_mem_loc, const Wait *wait) noexcept nogil:
    cdef NativeCall call = NativeCall(user_func, args, cb_args, num_mem_objects, <Mem **>mem_list, args_mem_loc)
    cdef Queue *q = <Queue *>command_queue
    cdef cl_int err
    if not object_is(command_queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    err = check_values(&call)
    if err != CL_SUCCESS:
        return err
    # "if the device associated with command_queue cannot execute the native kernel"
    if not q.device.exec_capabilities & CL_EXEC_NATIVE_KERNEL:
        return CL_INVALID_OPERATION
    err = check_mems(q, &call)
    if err == CL_SUCCESS:
        err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    return native_enqueue(q, &call, wait)
