# SPDX-License-Identifier: Apache-2.0
"""Pipes: memory objects of type CL_MEM_OBJECT_PIPE."""
from clpy.cl cimport cl_int, cl_mem_flags, cl_uint
from clpy.core.context cimport Context
from clpy.core.memory cimport Mem

cdef cl_int pipe_new(Context *ctx, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                     Mem **out) noexcept nogil
