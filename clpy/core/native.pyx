# SPDX-License-Identifier: Apache-2.0
"""Functions of the application as commands. The arguments are copied at the call, with the addresses of the buffers put
into the copy at once: a buffer's storage stays where it is as long as the buffer lives, and the command holds it.
"""
from libc.stdlib cimport malloc
from libc.string cimport memcpy
from clpy.cl cimport cl_int, cl_uint, native_kernel_fn
from clpy.core.command cimport Command, Queue, Wait, command_discard, command_new, command_place, command_uses
from clpy.device.base cimport TASK_FOREIGN, Task
from clpy.spec.consts cimport CL_COMMAND_NATIVE_KERNEL, CL_COMPLETE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS

# The payload; the arguments are Command.owned.
cdef struct Function:
    native_kernel_fn fn


cdef cl_int run_function(Task *task, unsigned int part) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    (<Function *>cmd.payload.bytes).fn(cmd.owned)
    return CL_COMPLETE


cdef cl_int capture(Command *cmd, const NativeCall *call) noexcept nogil:
    cdef unsigned char *copy
    cdef void *address
    cdef cl_uint i
    cdef cl_int err
    (<Function *>cmd.payload.bytes).fn = call.fn
    if call.size == 0:
        return CL_SUCCESS
    copy = <unsigned char *>malloc(call.size)
    if copy == NULL:
        return CL_OUT_OF_HOST_MEMORY
    cmd.owned = copy
    memcpy(copy, call.args, call.size)
    for i in range(call.n_mems):
        address = NULL
        if call.mems[i] != NULL:
            address = call.mems[i].data
            err = command_uses(cmd, call.mems[i])
            if err != CL_SUCCESS:
                return err
        memcpy(copy + (<const unsigned char *>call.places[i] - <const unsigned char *>call.args), &address,
               sizeof(void *))
    return CL_SUCCESS


cdef cl_int native_enqueue(Queue *q, const NativeCall *call, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd = command_new(q, CL_COMMAND_NATIVE_KERNEL, &err)
    if cmd == NULL:
        return err
    err = capture(cmd, call)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    cmd.task.run = run_function
    cmd.task.flags |= TASK_FOREIGN
    return command_place(cmd, wait)
