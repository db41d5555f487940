# SPDX-License-Identifier: Apache-2.0
"""Copies between buffers of two contexts, and the GPUs that take part in them: their memory is the host's."""
from clpy.api.check cimport in_range
from clpy.api.info cimport info_bytes, info_u32
from clpy.cl cimport cl_command_queue, cl_device_id, cl_int, cl_mem, cl_uint
from clpy.core.command cimport Command, Queue, Wait, is_event
from clpy.core.copy cimport CopyJob
from clpy.core.device cimport MOST_DEVICES
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, KIND_QUEUE, object_is
from clpy.core.transfer cimport submit_copy
from clpy.device.base cimport Device, device_list
from clpy.spec.consts cimport (CL_COMMAND_COPY_BUFFER, CL_DEVICE_TYPE_GPU, CL_INVALID_COMMAND_QUEUE,
                               CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_MEM_OBJECT,
                               CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP, CL_MEM_IMMUTABLE_EXT,
                               CL_MEM_OBJECT_BUFFER, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_SUCCESS)


cdef inline bint is_buffer(cl_mem mem) noexcept nogil:
    return object_is(mem, KIND_MEM) and (<Mem *>mem).type == CL_MEM_OBJECT_BUFFER


cdef inline const Mem *store_of(const Mem *mem) noexcept nogil:
    return mem.parent if mem.parent != NULL else mem


cdef cl_int check_events(const Mem *src, const Mem *dst, const Wait *wait) noexcept nogil:
    """Of either context: a copy waits for what fills its source on the other device."""
    cdef cl_uint i
    if (wait.n == 0) != (wait.events == NULL):
        return CL_INVALID_EVENT_WAIT_LIST
    for i in range(wait.n):
        if not is_event(wait.events[i]):
            return CL_INVALID_EVENT_WAIT_LIST
    for i in range(wait.n):
        if (<Command *>wait.events[i]).context != src.context and (<Command *>wait.events[i]).context != dst.context:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef cl_int check_copy(Queue *q, Mem *src, Mem *dst, size_t src_offset, size_t dst_offset, size_t size,
                       const Wait *wait) noexcept nogil:
    """In the order of clEnqueueCopyBuffer."""
    cdef size_t src_at, dst_at, align
    cdef cl_int err
    if not object_is(q, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not is_buffer(<cl_mem>src) or not is_buffer(<cl_mem>dst):
        return CL_INVALID_MEM_OBJECT
    if src.context != q.context and dst.context != q.context:
        return CL_INVALID_CONTEXT
    align = q.device.mem_base_align_bytes
    if (src.parent != NULL and src.origin % align) or (dst.parent != NULL and dst.origin % align):
        return CL_MISALIGNED_SUB_BUFFER_OFFSET
    if not in_range(src_offset, size, src.size) or not in_range(dst_offset, size, dst.size):
        return CL_INVALID_VALUE
    err = check_events(src, dst, wait)
    if err != CL_SUCCESS:
        return err
    src_at, dst_at = src.origin + src_offset, dst.origin + dst_offset
    if store_of(src) == store_of(dst) and src_at < dst_at + size and dst_at < src_at + size:
        return CL_MEM_COPY_OVERLAP
    return CL_INVALID_OPERATION if dst.flags & CL_MEM_IMMUTABLE_EXT else CL_SUCCESS


cdef cl_int copy_buffer_p2p(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                            size_t dst_offset, size_t size, const Wait *wait) noexcept nogil:
    cdef Mem *src = <Mem *>src_buffer
    cdef Mem *dst = <Mem *>dst_buffer
    cdef CopyJob job
    cdef cl_int err = check_copy(<Queue *>command_queue, src, dst, src_offset, dst_offset, size, wait)
    if err != CL_SUCCESS:
        return err
    job.dst = <unsigned char *>dst.data + dst_offset
    job.src = <const unsigned char *>src.data + src_offset
    job.size = size
    return submit_copy(<Queue *>command_queue, CL_COMMAND_COPY_BUFFER, &job, src, dst, wait)


# ---- who takes part

cdef cl_uint others(const Device *dev, cl_device_id *found) noexcept nogil:
    """The other GPUs."""
    cdef cl_uint i, count = 0, n = 0
    cdef Device **devices = device_list(&count)
    for i in range(count):
        if devices[i] != dev and devices[i].type == CL_DEVICE_TYPE_GPU and n < MOST_DEVICES:
            found[n] = <cl_device_id>devices[i]
            n += 1
    return n


cdef cl_int number_of_neighbours(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef cl_device_id found[MOST_DEVICES]
    if dev.type != CL_DEVICE_TYPE_GPU:
        return CL_INVALID_VALUE
    return info_u32(others(dev, found), size, value, size_ret)


cdef cl_int neighbours(const Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    cdef cl_device_id found[MOST_DEVICES]
    if dev.type != CL_DEVICE_TYPE_GPU:
        return CL_INVALID_VALUE
    return info_bytes(found, others(dev, found) * sizeof(cl_device_id), size, value, size_ret)
