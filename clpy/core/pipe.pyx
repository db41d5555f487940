# SPDX-License-Identifier: Apache-2.0
"""Making pipes."""
from libc.stdint cimport uint32_t
from libc.string cimport memset
from clpy.cl cimport cl_int, cl_mem_flags, cl_uint
from clpy.core.context cimport Context
from clpy.core.memory cimport Mem, mem_new, mem_take_store
from clpy.core.object cimport object_drop
from clpy.spec.consts cimport CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_OBJECT_PIPE, CL_SUCCESS

cdef extern from "clpy_pipe.h" nogil:
    enum:
        CLPY_PIPE_ALIGN
    ctypedef struct clpy_pipe:
        uint32_t packet_size
        uint32_t max_packets


cdef cl_int pipe_new(Context *ctx, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                     Mem **out) noexcept nogil:
    # 17 G packets of 1 KiB at most: no overflow.
    cdef size_t numbers = (2 * sizeof(uint32_t) * <size_t>max_packets + CLPY_PIPE_ALIGN - 1) & ~<size_t>(
        CLPY_PIPE_ALIGN - 1)
    cdef size_t size = sizeof(clpy_pipe) + numbers + <size_t>packet_size * max_packets
    cdef Mem *pipe = NULL
    cdef clpy_pipe *ring
    cdef cl_int err
    if size > ctx.devices[0].max_alloc_size:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE
    err = mem_new(ctx, CL_MEM_OBJECT_PIPE, flags, 0, NULL, &pipe)
    if err != CL_SUCCESS:
        return err
    err = mem_take_store(pipe, size, NULL, NULL)
    if err != CL_SUCCESS:
        object_drop(pipe)
        return err
    pipe.packet_size = packet_size
    pipe.max_packets = max_packets
    ring = <clpy_pipe *>pipe.data
    memset(ring, 0, sizeof(clpy_pipe) + numbers)
    ring.packet_size = packet_size
    ring.max_packets = max_packets
    out[0] = pipe
    return CL_SUCCESS
