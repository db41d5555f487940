# SPDX-License-Identifier: Apache-2.0
"""Reading and writing pipes that are variables of a program. Where one is in memory the machine code tells: it has a
symbol there with the name for the host and what the host may do (clpy/compiler/for_host.py)."""
from libc.stdint cimport uintptr_t
from clpy.api.info cimport info_bytes, info_size
from clpy.cl cimport cl_command_queue, cl_command_type, cl_event, cl_int, cl_program, cl_uint
from clpy.core.command cimport (Command, Queue, Wait, check_wait, command_discard, command_new, command_submit,
                                command_uses, take_error)
from clpy.core.object cimport (KIND_EVENT, KIND_PROGRAM, KIND_QUEUE, object_drop, object_hold, object_is,
                               object_release)
from clpy.core.program cimport Code, Program, build_for, program_lock, program_unlock
from clpy.core.wait cimport command_wait_idly, leave_memory_of_host, wait_result
from clpy.spec.consts cimport (CL_COMMAND_READ_HOST_PIPE_INTEL, CL_COMMAND_WRITE_HOST_PIPE_INTEL, CL_COMPLETE,
                               CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_OPERATION,
                               CL_INVALID_PIPE_SIZE, CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE,
                               CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)
from clpy.vendor_ext.intel.program_scope_host_pipe.ring cimport clpy_pipe
from clpy.vendor_ext.intel.program_scope_host_pipe.transfers cimport Transfer, transfer_task

cdef enum:
    HOST_READS = 1               # what the host may do
    HOST_WRITES = 2


# ---- the pipes of a program ------------------------------------------------------------------------------------------

cdef Code *code_for(const Queue *q, Program *program) noexcept nogil:
    """Held; NULL where the queue's device has none."""
    cdef Code *code = NULL
    cdef int i
    program_lock(program)
    i = build_for(program, q.device)
    if i >= 0:
        code = program.builds[i].code
        if code != NULL:
            object_hold(code)
    program_unlock(program)
    return code


cdef dict symbols(const Code *code):
    from clpy.compiler import for_host       # not on the way to the first call
    return for_host.symbols(<object>code.loaded)


cdef bint find(const Code *code, const char *symbol, clpy_pipe **pipe, int *uses) noexcept with gil:
    """False where there is no such symbol. A variable that is no pipe has no uses."""
    cdef uintptr_t address
    try:
        found = symbols(code).get(<bytes>symbol)
        if found is not None:
            address, uses[0] = found
            pipe[0] = <clpy_pipe *>address
        return found is not None
    except Exception:
        return False


cdef list names_of(Program *program):
    """Of the pipes that the host may use, of all builds, once each; None where nothing is built."""
    cdef cl_uint i
    cdef Code *code
    cdef bint is_built = False
    found = {}
    for i in range(program.n_devices):
        code = program.builds[i].code
        if code != NULL:
            is_built = True
            for name, (_, uses) in symbols(code).items():
                if uses:
                    found[name] = True
    return list(found) if is_built else None


cdef cl_int number(Program *program, size_t size, void *value, size_t *size_ret) noexcept with gil:
    try:
        found = names_of(program)
        return CL_INVALID_PROGRAM_EXECUTABLE if found is None else info_size(len(found), size, value, size_ret)
    except Exception:
        return CL_OUT_OF_HOST_MEMORY


cdef cl_int names(Program *program, size_t size, void *value, size_t *size_ret) noexcept with gil:
    cdef bytes text
    try:
        found = names_of(program)
        if found is None:
            return CL_INVALID_PROGRAM_EXECUTABLE
        text = b";".join(found) + b"\0"
        return info_bytes(<const char *>text, len(text), size, value, size_ret)
    except Exception:
        return CL_OUT_OF_HOST_MEMORY


# ---- commands --------------------------------------------------------------------------------------------------------

cdef cl_int place(Command *cmd, const Wait *wait) noexcept nogil:
    """A call that blocks does nothing else meanwhile: the kernel at the other end may need what it does next."""
    cdef Queue *q = cmd.queue
    cdef cl_int status
    if not wait.blocking:
        return command_submit(cmd, wait.n, wait.events, wait.event_out, False)
    object_hold(cmd)
    status = command_submit(cmd, wait.n, wait.events, wait.event_out, False)
    if status == CL_SUCCESS:
        q.device.ops.flush(q.device)
        status = command_wait_idly(cmd)
        if status > 0:
            leave_memory_of_host(cmd)
            status = wait_result(status)
        elif status == CL_COMPLETE:
            status = take_error(q)
        if status != CL_SUCCESS and wait.event_out != NULL:
            wait.event_out[0] = NULL     # nobody releases the event of a call that failed
            object_release(cmd, KIND_EVENT)
    object_drop(cmd)
    return status


cdef cl_int enqueue(Queue *q, Program *program, const char *symbol, bint reads, void *ptr, size_t size,
                    const Wait *wait) noexcept nogil:
    cdef Code *code
    cdef cl_int err
    if not object_is(q, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not object_is(program, KIND_PROGRAM):
        return CL_INVALID_PROGRAM
    if program.context != q.context:
        return CL_INVALID_CONTEXT
    code = code_for(q, program)
    if code == NULL:
        return CL_INVALID_PROGRAM_EXECUTABLE
    err = enqueue_for(q, code, symbol, reads, ptr, size, wait)
    object_drop(code)
    return err


cdef cl_int enqueue_for(Queue *q, Code *code, const char *symbol, bint reads, void *ptr, size_t size,
                        const Wait *wait) noexcept nogil:
    cdef clpy_pipe *pipe = NULL
    cdef int uses = 0
    cdef Command *cmd
    cdef Transfer *own
    cdef cl_int err
    if symbol == NULL or ptr == NULL or not find(code, symbol, &pipe, &uses):
        return CL_INVALID_VALUE
    if uses and size != pipe.packet_size:
        return CL_INVALID_PIPE_SIZE
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    if not uses & (HOST_READS if reads else HOST_WRITES):
        return CL_INVALID_OPERATION
    cmd = command_new(q, CL_COMMAND_READ_HOST_PIPE_INTEL if reads else CL_COMMAND_WRITE_HOST_PIPE_INTEL, &err)
    if cmd == NULL:
        return err
    own = <Transfer *>cmd.payload.bytes
    own.pipe, own.ptr, own.reads, own.waits = pipe, ptr, reads, wait.blocking != 0
    transfer_task(cmd)
    err = command_uses(cmd, code)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    return place(cmd, wait)


cdef cl_int enqueue_read(cl_command_queue command_queue, cl_program program, const char *pipe_symbol, void *ptr,
                         size_t size, const Wait *wait) noexcept nogil:
    return enqueue(<Queue *>command_queue, <Program *>program, pipe_symbol, True, ptr, size, wait)


cdef cl_int enqueue_write(cl_command_queue command_queue, cl_program program, const char *pipe_symbol,
                          const void *ptr, size_t size, const Wait *wait) noexcept nogil:
    return enqueue(<Queue *>command_queue, <Program *>program, pipe_symbol, False, <void *>ptr, size, wait)
