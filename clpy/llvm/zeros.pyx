# SPDX-License-Identifier: Apache-2.0
"""Memory for constants of machine code that are mostly zeros: what nobody touches takes no room."""
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy
from posix.mman cimport (MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap, mprotect,
                         munmap)


cdef class Zeros:
    """`size` bytes that can be read, as long as this exists: `head`, then zeros."""
    cdef void *at
    cdef size_t size

    def __cinit__(self, size_t size, bytes head):
        self.size = max(size, len(head), 1)
        self.at = mmap(NULL, self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        if self.at == MAP_FAILED:
            self.at = NULL
            raise MemoryError(f"no room for a constant of {size} bytes")
        memcpy(self.at, <const char *>head, len(head))
        mprotect(self.at, self.size, PROT_READ)

    def __dealloc__(self):
        if self.at != NULL:
            munmap(self.at, self.size)

    @property
    def address(self):
        return <uintptr_t>self.at
