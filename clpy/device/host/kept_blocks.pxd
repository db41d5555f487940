# SPDX-License-Identifier: Apache-2.0
"""Blocks of whole pages that are kept when they are freed, for the next who wants one. Which of them to keep, which one
suits and when they are given back is for those to say who keep them (memory, guarded_memory). Under the lock, but for
the first two."""
from libc.stdint cimport int32_t
from posix.mman cimport munmap

cdef enum:
    PAGE = 4096
    KEPT_ROOM = 64               # blocks

ctypedef struct Block:           # before and behind it lies a page that nobody may touch
    void *ptr
    size_t size                  # whole pages

ctypedef struct KeptBlocks:
    int32_t lock
    int n
    size_t bytes                 # together
    Block each[KEPT_ROOM]        # the oldest first


cdef inline size_t whole_pages(size_t size) noexcept nogil:
    return (size + PAGE - 1) & ~<size_t>(PAGE - 1)


cdef inline void block_unmap(Block block) noexcept nogil:
    munmap(<char *>block.ptr - PAGE, block.size + 2 * PAGE)


cdef inline void kept_add(KeptBlocks *kept, Block block) noexcept nogil:
    """There is room for it."""
    kept.each[kept.n] = block
    kept.n += 1
    kept.bytes += block.size


cdef inline Block kept_remove(KeptBlocks *kept, int i) noexcept nogil:
    cdef Block block = kept.each[i]
    kept.n -= 1
    kept.bytes -= block.size
    while i < kept.n:
        kept.each[i] = kept.each[i + 1]
        i += 1
    return block


cdef inline void kept_after_fork(KeptBlocks *kept) noexcept nogil:
    """The lock may be another thread's, in the middle of a change: the child begins without kept blocks."""
    kept.n = 0
    kept.bytes = 0
    kept.lock = 0
