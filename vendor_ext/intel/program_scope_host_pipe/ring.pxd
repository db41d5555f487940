# SPDX-License-Identifier: Apache-2.0
"""The host's end of a pipe's memory, as kernels use it (include/clpy_pipe.h)."""
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "clpy_pipe.h" nogil:
    enum:
        CLPY_PIPE_ALIGN
    ctypedef struct clpy_pipe:
        uint64_t written
        uint32_t packet_size
        uint32_t max_packets
        uint64_t taken

# One packet. False: there is none, or no place for one.
cdef bint ring_read(clpy_pipe *pipe, void *to) noexcept nogil
cdef bint ring_write(clpy_pipe *pipe, const void *data) noexcept nogil
