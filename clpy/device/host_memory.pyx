# SPDX-License-Identifier: Apache-2.0
"""The layers above have the objects and know where they are: each kind of them registers a function that is asked."""
from libc.stdint cimport uintptr_t

cdef enum:
    MOST = 4

cdef find_host_fn kinds[MOST]
cdef int n_kinds = 0


cdef int host_memory_by(find_host_fn find) except -1:
    global n_kinds
    if n_kinds == MOST:
        raise RuntimeError("too many kinds of memory of the host")
    kinds[n_kinds] = find
    n_kinds += 1
    return 0


cdef bint host_memory_find(uintptr_t address, uintptr_t *first, uintptr_t *behind) noexcept nogil:
    cdef int i
    for i in range(n_kinds):
        if kinds[i](address, first, behind):
            return True
    return False
