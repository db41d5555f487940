# SPDX-License-Identifier: Apache-2.0
"""The commands that hand external memory over to OpenCL and back. Ordering is all there is to do, but for dma-bufs."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_int, cl_uint
from clpy.core.command cimport Command, Queue, Wait, command_discard, command_new, command_place, command_uses
from clpy.core.external_memory cimport external_sync
from clpy.core.memory cimport Mem
from clpy.device.base cimport Task
from clpy.spec.consts cimport (CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
                               CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, CL_COMPLETE, CL_OUT_OF_RESOURCES,
                               CL_SUCCESS)

cdef enum:
    INLINE_USES = 8              # as Command has them


cdef cl_int run_sync(Task *task, uint32_t part) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    cdef Mem *mem
    cdef uint32_t i
    cdef cl_int status = CL_COMPLETE
    for i in range(cmd.n_uses):
        mem = <Mem *>(cmd.uses[i] if i < INLINE_USES else cmd.more_uses[i - INLINE_USES])
        if not external_sync(mem.external, cmd.type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR):
            status = CL_OUT_OF_RESOURCES
    return status


cdef cl_int external_enqueue(Queue *q, bint acquires, cl_uint n, Mem *const *mems, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef cl_uint i
    cdef Command *cmd = command_new(q, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR if acquires
                                    else CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, &err)
    if cmd == NULL:
        return err
    for i in range(n):
        if err == CL_SUCCESS:
            err = command_uses(cmd, mems[i])
        if mems[i].external.is_dma_buf:
            cmd.task.run = run_sync
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    return command_place(cmd, wait)
