# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers: small ones from malloc; big ones from the system, at 2 MiB boundaries and on huge pages.

glibc's own aligned allocation takes several times as long as malloc, whose caches of blocks it does not use. So a small
block is asked for with room to align it, and what malloc gave stands in front of it.

Before and behind a block from the system, and from 64 KiB on (guarded_memory), lie pages that nobody may touch: what
runs far over the end of a buffer is a fault and does not spoil another one (kept_blocks).

The system clears a page of a fresh block when it is first touched, which costs several times what a kernel does with
it. So the last big blocks to be freed are kept for a while. The system may take their pages when memory is short
(MADV_FREE), and they are given back before an allocation fails.
"""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from posix.mman cimport MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, madvise, mmap, munmap
from clpy.device.base cimport Device
from clpy.device.host.budget cimport budget_add, budget_give, budget_take
from clpy.device.host.guarded_memory cimport GUARDED_LEAST, guarded_alloc, guarded_free
from clpy.device.host.kept_blocks cimport (AROUND, PAGE, Block, KeptBlocks, block_cut, block_open, block_unmap,
                                           kept_add, kept_after_fork, kept_remove, whole_pages)
from clpy.device.host.topology cimport usable_memory
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child

cdef extern from "<sys/mman.h>" nogil:
    int MADV_HUGEPAGE
    int MADV_FREE

cdef enum:
    ALIGN = 128                  # the largest type, long16; two cache lines, which processors fetch together
    HUGE = 2 << 20               # a huge page; blocks of this size and more come from the system
    KEPT = 16                    # blocks: KEPT_ROOM at most
    KEPT_MOST = 1 << 30          # bytes together, and no more than a sixteenth of the memory there is
    BIGGER_BY = 8                # a kept block serves a request that leaves at most an eighth of it unused

cdef KeptBlocks kept
cdef size_t keep_most = 0        # KEPT_MOST or less; 0 until it is wanted


# ---- blocks kept: under the lock -------------------------------------------------------------------------------------

cdef void *reuse(size_t size) noexcept nogil:
    """The best fit among the blocks kept. What it has more than asked for goes back to the system."""
    cdef int i, best = -1
    cdef Block block
    for i in range(kept.n):
        if kept.each[i].size >= size and kept.each[i].size - size <= kept.each[i].size // BIGGER_BY:
            if best < 0 or kept.each[i].size <= kept.each[best].size:
                best = i
    if best < 0:
        return NULL
    block = kept_remove(&kept, best)
    return block_cut(block, size).ptr


cdef bint give_back_oldest() noexcept nogil:
    if kept.n == 0:
        return False
    block_unmap(kept_remove(&kept, 0))
    return True


cdef bint keep(Block block) noexcept nogil:
    global keep_most
    if keep_most == 0:
        keep_most = usable_memory() // 16
        if keep_most > KEPT_MOST:
            keep_most = KEPT_MOST
    if block.size > keep_most:
        return False
    while kept.n == KEPT or kept.bytes + block.size > keep_most:
        give_back_oldest()
    madvise(block.ptr, block.size, MADV_FREE)
    kept_add(&kept, block)
    return True


# ---- the verbs -------------------------------------------------------------------------------------------------------

cdef void *map_huge(size_t size) noexcept nogil:
    """size: whole pages. Reserves more than needed and gives the ends back, to begin at a boundary."""
    cdef size_t all = size + HUGE + AROUND
    cdef void *at = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    cdef uintptr_t start, begin, end
    if at == MAP_FAILED:
        return NULL
    start = <uintptr_t>at
    begin = (start + PAGE + HUGE - 1) & ~<uintptr_t>(HUGE - 1)
    end = begin + size + 2 * PAGE
    if not block_open(Block(<void *>begin, size)):
        munmap(at, all)
        return NULL
    if begin - PAGE > start:
        munmap(at, begin - PAGE - start)
    munmap(<void *>end, start + all - end)
    madvise(<void *>begin, size, MADV_HUGEPAGE)
    return <void *>begin


cdef inline size_t whole(size_t size) noexcept nogil:
    """Whole cache lines: what a kernel writes beside a buffer is no part of another one. Of what has pages of its own,
    whole pages."""
    return (size + ALIGN - 1) & ~<size_t>(ALIGN - 1) if size < GUARDED_LEAST else whole_pages(size)


cdef inline void **given_by_malloc(void *ptr) noexcept nogil:
    return <void **>ptr - 1


cdef inline void *small_alloc(size_t size) noexcept nogil:
    cdef void *block = malloc(size + ALIGN)
    cdef void *ptr
    if block == NULL:
        return NULL
    ptr = <void *>((<uintptr_t>block + ALIGN) & ~<uintptr_t>(ALIGN - 1))     # 16 bytes in front at least
    given_by_malloc(ptr)[0] = block
    return ptr


cdef inline void small_free(void *ptr) noexcept nogil:
    free(given_by_malloc(ptr)[0])


cdef void *fresh(size_t size) noexcept nogil:
    """size: whole. NULL where there is not so much."""
    cdef void *ptr
    if not budget_take(size):
        return NULL
    if size >= HUGE:
        ptr = map_huge(size)
    elif size >= GUARDED_LEAST:
        ptr = guarded_alloc(size)
    else:
        ptr = small_alloc(size)
    if ptr == NULL:
        budget_give(size)
    return ptr


cdef void *memory_alloc(Device *dev, size_t size) noexcept nogil:
    cdef void *ptr = NULL
    cdef bint more
    if size > <size_t>1 << 62:
        return NULL
    size = whole(size)
    if size >= HUGE:
        mutex_lock(&kept.lock)
        ptr = reuse(size)
        mutex_unlock(&kept.lock)
        if ptr != NULL:
            budget_add(size)
            return ptr
    while True:
        ptr = fresh(size)
        if ptr != NULL:
            return ptr
        mutex_lock(&kept.lock)
        more = give_back_oldest()
        mutex_unlock(&kept.lock)
        if not more:
            return NULL


cdef void memory_free(Device *dev, void *ptr, size_t size) noexcept nogil:
    cdef bint done
    size = whole(size)
    budget_give(size)
    if size < GUARDED_LEAST:
        small_free(ptr)
        return
    if size < HUGE:
        guarded_free(ptr, size)
        return
    mutex_lock(&kept.lock)
    done = keep(Block(ptr, size))
    mutex_unlock(&kept.lock)
    if not done:
        block_unmap(Block(ptr, size))


cdef void forget_kept() noexcept nogil:
    kept_after_fork(&kept)


at_fork_in_child(forget_kept)
