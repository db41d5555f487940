# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers of medium size, between pages that nobody may touch. To map and unmap one costs more than
malloc does, so some are kept for requests of the same number of pages. A process may have only so many mappings: where
there is none to be had, the storage is malloc's, which begins at no page.
"""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free
from posix.mman cimport MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, mmap, munmap
from clpy.device.host.kept_blocks cimport (AROUND, PAGE, Block, KeptBlocks, block_open, block_unmap, kept_add,
                                           kept_after_fork, kept_remove, whole_pages)
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef enum:
    APART = 128                  # the alignment of buffers: of storage from malloc, from the page's start
    KEPT = 64                    # blocks: KEPT_ROOM at most
    KEPT_MOST = 32 << 20         # bytes together

cdef KeptBlocks kept


cdef void *map_new(size_t size) noexcept nogil:
    cdef void *at = mmap(NULL, size + AROUND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if at == MAP_FAILED:
        return NULL
    if not block_open(Block(<char *>at + PAGE, size)):
        munmap(at, size + AROUND)
        return NULL
    return <char *>at + PAGE


cdef bint give_back_oldest() noexcept nogil:
    cdef Block block = Block(NULL, 0)
    mutex_lock(&kept.lock)
    if kept.n > 0:
        block = kept_remove(&kept, 0)
    mutex_unlock(&kept.lock)
    if block.ptr == NULL:
        return False
    block_unmap(block)
    return True


cdef void *guarded_alloc(size_t size) noexcept nogil:
    cdef void *ptr = NULL
    cdef int i
    size = whole_pages(size)
    mutex_lock(&kept.lock)
    i = kept.n - 1               # what was freed last is still in the caches
    while i >= 0 and kept.each[i].size != size:
        i -= 1
    if i >= 0:
        ptr = kept_remove(&kept, i).ptr
    mutex_unlock(&kept.lock)
    if ptr == NULL:
        ptr = map_new(size)
    while ptr == NULL and give_back_oldest():
        ptr = map_new(size)
    if ptr == NULL and posix_memalign(&ptr, PAGE, APART + size) == 0:
        ptr = <char *>ptr + APART
    return ptr


cdef void guarded_free(void *ptr, size_t size) noexcept nogil:
    cdef Block block = Block(ptr, whole_pages(size))
    if <uintptr_t>ptr % PAGE == APART:
        free(<char *>ptr - APART)
        return
    while True:
        mutex_lock(&kept.lock)
        if kept.n < KEPT and kept.bytes + block.size <= KEPT_MOST:
            kept_add(&kept, block)
            mutex_unlock(&kept.lock)
            return
        mutex_unlock(&kept.lock)
        give_back_oldest()


cdef void forget_kept() noexcept nogil:
    kept_after_fork(&kept)


at_fork_in_child(forget_kept)
