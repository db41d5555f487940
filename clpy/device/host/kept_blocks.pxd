# SPDX-License-Identifier: Apache-2.0
"""Blocks of whole pages between pages that nobody may touch, one of which may be read.

Programs read a little behind the end of a buffer, and find room there on other platforms: OpenCV loads pixels of three
bytes by four. So the first page behind is there to be read; what is written there is a fault.

Blocks are kept when they are freed, for the next who wants one. Which of them to keep, which one suits and when they
are given back is for those to say who keep them (memory, guarded_memory). What takes KeptBlocks is called under its
lock.
"""
from libc.stdint cimport int32_t
from posix.mman cimport PROT_NONE, PROT_READ, PROT_WRITE, mprotect, munmap

cdef enum:
    PAGE = 4096
    AROUND = 3 * PAGE            # one before a block, and behind it one to be read and one not
    KEPT_ROOM = 64               # blocks

ctypedef struct Block:
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
    munmap(<char *>block.ptr - PAGE, block.size + AROUND)


cdef inline bint block_open(Block block) noexcept nogil:
    """Of pages that nobody may touch. False where the system has no more mappings."""
    return (mprotect(block.ptr, block.size, PROT_READ | PROT_WRITE) == 0
            and mprotect(<char *>block.ptr + block.size, PAGE, PROT_READ) == 0)


cdef inline Block block_cut(Block block, size_t size) noexcept nogil:
    """Its first whole pages; the others go back to the system."""
    cdef char *end = <char *>block.ptr + size
    if size < block.size:
        mprotect(end, PAGE, PROT_READ)
        mprotect(end + PAGE, PAGE, PROT_NONE)
        munmap(end + 2 * PAGE, block.size - size)
    return Block(block.ptr, size)


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
