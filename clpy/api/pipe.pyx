# SPDX-License-Identifier: Apache-2.0
"""Pipes. "Pipe objects are not accessible from the host": made, asked about, and given to kernels."""
from clpy.api.info cimport info_bytes, info_u32
from clpy.cl cimport cl_context, cl_int, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint
from clpy.core.context cimport Context
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_CONTEXT, KIND_MEM, object_is
from clpy.core.pipe cimport pipe_new
from clpy.spec.consts cimport (CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_PIPE_SIZE,
                               CL_INVALID_VALUE, CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_PIPE, CL_MEM_READ_WRITE,
                               CL_PIPE_MAX_PACKETS, CL_PIPE_PACKET_SIZE, CL_PIPE_PROPERTIES, CL_SUCCESS)

cdef cl_mem_flags FLAGS = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS


cdef cl_uint largest_packet(const Context *ctx) noexcept nogil:
    """0: "no devices in context support pipes"."""
    cdef cl_uint i, most = 0
    for i in range(ctx.n_devices):
        if ctx.devices[i].pipes.packet_size > most:
            most = ctx.devices[i].pipes.packet_size
    return most


cdef cl_int check_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                       const cl_pipe_properties *properties) noexcept nogil:
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if largest_packet(<Context *>context) == 0:
        return CL_INVALID_OPERATION
    # "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified"
    if flags & ~FLAGS or properties != NULL:
        return CL_INVALID_VALUE
    # "if pipe_packet_size is 0 or the pipe_packet_size exceeds CL_DEVICE_PIPE_MAX_PACKET_SIZE [...] for all devices in
    # context or if pipe_max_packets is 0"
    if packet_size == 0 or packet_size > largest_packet(<Context *>context) or max_packets == 0:
        return CL_INVALID_PIPE_SIZE
    return CL_SUCCESS


cdef cl_mem create_pipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                        const cl_pipe_properties *properties, cl_int *errcode_ret) noexcept nogil:
    cdef Mem *pipe = NULL
    cdef cl_int err = check_pipe(context, flags, pipe_packet_size, pipe_max_packets, properties)
    if err == CL_SUCCESS:
        # "If the value specified for flags is 0, the default is used"
        err = pipe_new(<Context *>context, flags if flags else FLAGS, pipe_packet_size, pipe_max_packets, &pipe)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    return <cl_mem>pipe


include "queries/pipe_info.pxi"


cdef cl_int get_pipe_info(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret) noexcept nogil:
    cdef Mem *mem = <Mem *>pipe
    if not object_is(pipe, KIND_MEM) or mem.type != CL_MEM_OBJECT_PIPE:
        return CL_INVALID_MEM_OBJECT
    return answer_pipe_info(mem, param_name, param_value_size, param_value, param_value_size_ret)
