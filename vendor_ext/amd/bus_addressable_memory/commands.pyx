# SPDX-License-Identifier: Apache-2.0
"""Commands: where a buffer is on the bus, a signal behind it, and a wait for one."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from clpy.atomics cimport atomic_cas_i32, atomic_store_i32
from clpy.cl cimport cl_command_queue, cl_event, cl_int, cl_mem, cl_uint, cl_ulong
from clpy.core.command cimport (Command, Queue, Wait, check_wait, command_discard, command_finish, command_new,
                                command_place, command_submit, command_uses)
from clpy.core.gate cimport command_gate
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_drop, object_hold, object_is
from clpy.device.base cimport Task
from clpy.spec.consts cimport (CL_COMPLETE, CL_INVALID_BUFFER_SIZE, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
                               CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MEM_OBJECT_BUFFER,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)
from clpy.vendor_ext.amd.bus_addressable_memory.surfaces cimport (BUS_ADDRESSABLE, EXTERNAL_PHYSICAL, SIGNAL_BYTES,
                                                                  surface_of)
from clpy.vendor_ext.amd.bus_addressable_memory.watching cimport signal_waiter, signal_watch, signal_written

cdef enum:
    WAIT_SIGNAL = 0x4080         # CL_COMMAND_..._AMD
    WRITE_SIGNAL = 0x4081
    MAKE_BUFFERS_RESIDENT = 0x4082

cdef struct SignalJob:           # payload of a command that writes one
    int32_t *word
    uint32_t value

ctypedef struct BusAddress:      # cl_bus_address_amd
    int64_t surface
    int64_t signal

cdef struct ResidentJob:         # payload; the buffers are Command.owned
    BusAddress *addresses
    cl_uint n


cdef inline bint is_with(const void *mem, cl_ulong flag) noexcept nogil:
    return (object_is(mem, KIND_MEM) and (<const Mem *>mem).type == CL_MEM_OBJECT_BUFFER
            and (<const Mem *>mem).flags & flag != 0)


cdef cl_int check(Queue *q, const Mem *mem, cl_ulong flag, const Wait *wait) noexcept nogil:
    if not object_is(q, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not is_with(mem, flag):
        return CL_INVALID_MEM_OBJECT
    return check_wait(q.context, wait) if mem.context == q.context else CL_INVALID_CONTEXT


# ---- signals

cdef cl_int run_signal(Task *task, uint32_t part) noexcept nogil:
    cdef SignalJob *job = <SignalJob *>(<Command *>task.command).payload.bytes
    atomic_store_i32(job.word, <int32_t>job.value)
    signal_written()
    return CL_COMPLETE


cdef cl_int enqueue_write_signal(cl_command_queue command_queue, cl_mem mem_object, cl_uint value, cl_ulong offset,
                                 const Wait *wait) noexcept nogil:
    cdef Mem *mem = <Mem *>mem_object
    cdef Command *cmd
    cdef SignalJob *job
    cdef cl_int err = check(<Queue *>command_queue, mem, EXTERNAL_PHYSICAL, wait)
    if err != CL_SUCCESS:
        return err
    # "would lead to a write beyond the size of <buffer>", or of the page that its signals are in
    if offset + sizeof(cl_uint) > min(mem.size, <size_t>SIGNAL_BYTES) or offset > SIGNAL_BYTES:
        return CL_INVALID_BUFFER_SIZE
    if offset % sizeof(cl_uint):
        return CL_INVALID_VALUE
    cmd = command_new(<Queue *>command_queue, WRITE_SIGNAL, &err)
    if cmd == NULL:
        return err
    job = <SignalJob *>cmd.payload.bytes
    job.word = <int32_t *>surface_of(mem).signal + offset // sizeof(cl_uint)
    job.value = value
    cmd.task.run = run_signal
    err = command_uses(cmd, mem)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    return command_place(cmd, wait)


cdef cl_int submit_behind(Command *cmd, Command *gate, const Wait *wait) noexcept nogil:
    """Behind the wait list and the gate."""
    cdef cl_event *events = <cl_event *>malloc((<size_t>wait.n + 1) * sizeof(cl_event))
    cdef cl_int err
    if events == NULL:
        command_discard(cmd)
        return CL_OUT_OF_HOST_MEMORY
    if wait.n:
        memcpy(events, wait.events, wait.n * sizeof(cl_event))
    events[wait.n] = <cl_event>gate
    err = command_submit(cmd, wait.n + 1, events, wait.event_out, wait.blocking)
    free(events)
    return err


cdef cl_int enqueue_wait_signal(cl_command_queue command_queue, cl_mem mem_object, cl_uint value,
                                const Wait *wait) noexcept nogil:
    cdef Mem *mem = <Mem *>mem_object
    cdef Command *cmd
    cdef Command *gate
    cdef int32_t none = 0
    cdef cl_int err = check(<Queue *>command_queue, mem, BUS_ADDRESSABLE, wait)
    if err != CL_SUCCESS:
        return err
    cmd = command_new(<Queue *>command_queue, WAIT_SIGNAL, &err)
    if cmd == NULL:
        return err
    gate = command_gate(mem.context)
    err = command_uses(cmd, mem) if gate != NULL else CL_OUT_OF_HOST_MEMORY
    if gate != NULL:
        object_hold(gate)        # beside the runtime's hold, which the watch takes
    if err == CL_SUCCESS and not signal_watch(surface_of(mem).signal, value, gate):
        err = CL_OUT_OF_RESOURCES
    if err != CL_SUCCESS:
        if gate != NULL:
            command_finish(gate, CL_COMPLETE)
            object_drop(gate)
        command_discard(cmd)
        return err
    object_hold(cmd)
    err = submit_behind(cmd, gate, wait)
    if err != CL_SUCCESS:        # nobody waits: the watch ends
        atomic_cas_i32(&gate.failed, &none, err)
    else:
        signal_waiter(gate, cmd)
    object_drop(cmd)
    object_drop(gate)
    return err


# ---- addresses

cdef cl_int run_resident(Task *task, uint32_t part) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    cdef ResidentJob *job = <ResidentJob *>cmd.payload.bytes
    cdef Mem **mems = <Mem **>cmd.owned
    cdef cl_uint i
    for i in range(job.n):
        job.addresses[i].surface = <int64_t><uintptr_t>mems[i].data
        job.addresses[i].signal = <int64_t><uintptr_t>surface_of(mems[i]).signal
    return CL_COMPLETE


cdef cl_int use_all(Command *cmd, cl_uint n, const cl_mem *mems) noexcept nogil:
    cdef cl_uint i
    cdef cl_int err = CL_SUCCESS
    cmd.owned = malloc(n * sizeof(cl_mem))
    if cmd.owned == NULL:
        return CL_OUT_OF_HOST_MEMORY
    memcpy(cmd.owned, mems, n * sizeof(cl_mem))
    for i in range(n):
        if err == CL_SUCCESS:
            err = command_uses(cmd, mems[i])
    return err


cdef cl_int enqueue_make_buffers_resident(cl_command_queue command_queue, cl_uint num_mem_objects,
                                          const cl_mem *mem_objects, void *bus_addresses,
                                          const Wait *wait) noexcept nogil:
    cdef Queue *q = <Queue *>command_queue
    cdef Command *cmd
    cdef ResidentJob *job
    cdef cl_uint i
    cdef cl_int err
    if not object_is(q, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if num_mem_objects == 0 or mem_objects == NULL or bus_addresses == NULL:
        return CL_INVALID_OPERATION
    for i in range(num_mem_objects):
        if not is_with(mem_objects[i], BUS_ADDRESSABLE):
            return CL_INVALID_OPERATION
        if (<const Mem *>mem_objects[i]).context != q.context:
            return CL_INVALID_CONTEXT
    err = check_wait(q.context, wait)
    if err != CL_SUCCESS:
        return err
    cmd = command_new(q, MAKE_BUFFERS_RESIDENT, &err)
    if cmd == NULL:
        return err
    err = use_all(cmd, num_mem_objects, mem_objects)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    job = <ResidentJob *>cmd.payload.bytes
    job.addresses, job.n = <BusAddress *>bus_addresses, num_mem_objects
    cmd.task.run = run_resident
    return command_place(cmd, wait)
