# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers of medium size, between two pages that nobody may touch. To map and unmap one costs more than
malloc does, so some are kept for requests of the same number of pages. A process may have only so many mappings: where
there is none to be had, the storage is malloc's, which begins at no page.
"""
from libc.stdint cimport int32_t, uintptr_t
from libc.stdlib cimport free
from posix.mman cimport (MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE, mmap, mprotect,
                         munmap)
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef enum:
    PAGE = 4096
    APART = 128                  # the alignment of buffers: of storage from malloc, from the page's start
    KEPT = 64                    # blocks
    KEPT_MOST = 32 << 20         # bytes together

cdef struct Block:
    void *ptr
    size_t size

cdef Block kept[KEPT]            # the oldest first; under `lock`
cdef int n_kept = 0
cdef size_t kept_bytes = 0
cdef int32_t lock = 0


cdef inline size_t whole_pages(size_t size) noexcept nogil:
    return (size + PAGE - 1) & ~<size_t>(PAGE - 1)


cdef Block remove(int i) noexcept nogil:
    """Under the lock."""
    global n_kept, kept_bytes
    cdef Block block = kept[i]
    n_kept -= 1
    kept_bytes -= block.size
    while i < n_kept:
        kept[i] = kept[i + 1]
        i += 1
    return block


cdef void unmap(Block block) noexcept nogil:
    munmap(<char *>block.ptr - PAGE, block.size + 2 * PAGE)


cdef void *map_new(size_t size) noexcept nogil:
    cdef void *at = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if at == MAP_FAILED:
        return NULL
    if mprotect(<char *>at + PAGE, size, PROT_READ | PROT_WRITE) != 0:
        munmap(at, size + 2 * PAGE)
        return NULL
    return <char *>at + PAGE


cdef bint give_back_oldest() noexcept nogil:
    cdef Block block = Block(NULL, 0)
    mutex_lock(&lock)
    if n_kept > 0:
        block = remove(0)
    mutex_unlock(&lock)
    if block.ptr == NULL:
        return False
    unmap(block)
    return True


cdef void *guarded_alloc(size_t size) noexcept nogil:
    cdef void *ptr = NULL
    cdef int i
    size = whole_pages(size)
    mutex_lock(&lock)
    i = n_kept - 1               # what was freed last is still in the caches
    while i >= 0 and kept[i].size != size:
        i -= 1
    if i >= 0:
        ptr = remove(i).ptr
    mutex_unlock(&lock)
    if ptr == NULL:
        ptr = map_new(size)
    while ptr == NULL and give_back_oldest():
        ptr = map_new(size)
    if ptr == NULL and posix_memalign(&ptr, PAGE, APART + size) == 0:
        ptr = <char *>ptr + APART
    return ptr


cdef void guarded_free(void *ptr, size_t size) noexcept nogil:
    global n_kept, kept_bytes
    cdef Block block = Block(ptr, whole_pages(size))
    if <uintptr_t>ptr % PAGE == APART:
        free(<char *>ptr - APART)
        return
    while True:
        mutex_lock(&lock)
        if n_kept < KEPT and kept_bytes + block.size <= KEPT_MOST:
            kept[n_kept] = block
            n_kept += 1
            kept_bytes += block.size
            mutex_unlock(&lock)
            return
        mutex_unlock(&lock)
        give_back_oldest()


cdef void unlock_after_fork() noexcept nogil:
    """The lock may be another thread's, in the middle of a change: the child begins without kept blocks."""
    global n_kept, kept_bytes, lock
    n_kept = 0
    kept_bytes = 0
    lock = 0


at_fork_in_child(unlock_after_fork)
