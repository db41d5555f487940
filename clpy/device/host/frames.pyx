# SPDX-License-Identifier: Apache-2.0
"""Memory for kernels whose sub-groups give way to each other (compiler/spmd/progress.py): the frames of coroutines."""
from libc.stdint cimport uint64_t, uintptr_t

from clpy.compiler.runtime import functions

cdef extern from "stdlib.h" nogil:
    void *aligned_alloc(size_t alignment, size_t size)
    void c_free "free"(void *memory)

cdef enum:
    ALIGN = 64                   # of the widest vector


cdef void *frame_new(uint64_t size) noexcept nogil:
    """NULL: there is no memory."""
    return aligned_alloc(ALIGN, (size + ALIGN - 1) & ~<uint64_t>(ALIGN - 1))


cdef void frame_free(void *frame) noexcept nogil:
    c_free(frame)


def known_to_kernels():
    functions["__clpy_frame_new"] = <uintptr_t><void *>frame_new
    functions["__clpy_frame_free"] = <uintptr_t><void *>frame_free
