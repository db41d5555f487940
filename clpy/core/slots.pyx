# SPDX-License-Identifier: Apache-2.0
"""Slots of objects: the list of the free ones, and what becomes of their memory.

The list is a lock-free stack that lies outside the slots, so that those need no memory. Every 64th slot is counted when
it becomes free; that tells about how many are, and costs next to nothing. When many are, or nearly all, the list is
searched for *chunks*, 1024 neighbours that are free as a whole, and their memory goes back to the system: one file in
memory is mapped over all of them, which has in each slot what may still be read of an object that is gone and no kind.
The mapping is private, so a slot that is used again gets memory of its own where it is written.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from posix.mman cimport (mmap, mprotect, munmap, MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED, MAP_NORESERVE, MAP_PRIVATE,
                         MAP_SHARED, PROT_NONE, PROT_READ, PROT_WRITE)
from posix.unistd cimport close, ftruncate
from clpy.abi cimport clpy_object
from clpy.atomics cimport (atomic_add_i32, atomic_cas_u64, atomic_load_i32, atomic_load_i32_relaxed, atomic_load_u64,
                           atomic_store_i32, atomic_store_u64, atomic_xchg_i32)
from clpy.core.object cimport Region

cdef extern from "<sys/mman.h>" nogil:
    int memfd_create(const char *name, unsigned int flags)
    unsigned int MFD_CLOEXEC

cdef extern from "<malloc.h>" nogil:
    int malloc_trim(size_t pad)

cdef enum:
    STEP = 1 << 18               # bytes of slots made accessible at a time
    LINK_STEP = 1 << 16          # the same of the list
    CHUNK_BITS = 10
    CHUNK = 1 << CHUNK_BITS      # slots; their bytes are whole pages, as a slot is whole cache lines
    KEPT_SAMPLES = 1 << 10       # free ones, 64 times as many slots, for which nothing is done
    LEFT = 16                    # free chunks that keep their memory: one more for each that was wanted again,
    MOST_LEFT = 128              # up to so many
    LEAST = 16                   # chunks to give back, or it is not worth it
    RARE_BITS = 14               # nearly all chunks are free as a whole when so small a part of the slots is in use


cdef bint slots_reserve(Region *r, FreeSlots *slots, uint64_t bytes, const clpy_object *released) noexcept nogil:
    """For a region of so many bytes; False: no address space."""
    cdef void *at = mmap(NULL, (bytes // r.slot_size + 1) * sizeof(uint32_t) + LINK_STEP, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if at == MAP_FAILED:
        return False
    slots.next = <uint32_t *>at
    slots.released = released
    slots.look_at = KEPT_SAMPLES
    slots.left = LEFT
    return True


# ---- the free list: a slot goes by index + 1, 0 is none

cdef uint32_t fresh_slot(Region *r, FreeSlots *slots) noexcept nogil:
    """A slot never used before; 0 when the region is full or memory is out. Under the lock."""
    cdef uint64_t end = (r.used + 1) * r.slot_size, step
    if (r.used + 1) * sizeof(uint32_t) > slots.committed:
        if mprotect(<char *>slots.next + slots.committed, LINK_STEP, PROT_READ | PROT_WRITE) != 0:
            return 0
        slots.committed += LINK_STEP
    if end > r.committed:
        step = STEP if r.reserved - r.committed >= STEP else r.reserved - r.committed
        if end <= r.committed + step and mprotect(r.base + r.committed, step, PROT_READ | PROT_WRITE) == 0:
            atomic_store_u64(&r.committed, r.committed + step)
    if end > r.committed:
        return 0
    atomic_store_u64(&r.used, r.used + 1)        # read without the lock, to count
    return <uint32_t>r.used


cdef inline int32_t samples_used(Region *r, FreeSlots *slots, int32_t n_free) noexcept nogil:
    """Slots in use, counted at the samples; about right while others come and go."""
    cdef int32_t n_given = atomic_load_i32_relaxed(&slots.n_given)
    return <int32_t>(atomic_load_u64(&r.used) // SAMPLE) - slots.dead - n_free - n_given * (CHUNK // SAMPLE)


cdef void slots_count_free(Region *r, FreeSlots *slots) noexcept nogil:
    cdef int32_t n_free, used
    n_free = atomic_add_i32(&slots.samples, 1) + 1
    used = samples_used(r, slots, n_free)
    if atomic_load_i32_relaxed(&slots.most_used) <= used:
        atomic_store_i32(&slots.most_used, used + 1)
    if n_free < KEPT_SAMPLES:
        return
    # The whole list is gone through: not before so many more are free that it is worth it, and once more at the end,
    # where slots become free in no order and chunks as a whole only then.
    if (n_free >= atomic_load_i32_relaxed(&slots.look_at) and used > n_free // 8) or (
            used <= n_free >> RARE_BITS and atomic_load_i32_relaxed(&slots.most_used) >= n_free // 16):
        collect(r, slots)


# ---- memory of slots that nobody uses

cdef int tombstone(Region *r, FreeSlots *slots) noexcept nogil:
    """A file in memory, for the slots of a chunk, with what is read of released handles; less than 0: there is none."""
    cdef uint64_t size = r.slot_size << CHUNK_BITS
    cdef int i, fd = memfd_create(b"clpy-released", MFD_CLOEXEC)
    cdef void *at
    if fd < 0:
        return fd
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) if ftruncate(fd, size) == 0 else MAP_FAILED
    if at == MAP_FAILED:
        close(fd)
        return -1
    for i in range(CHUNK):
        (<clpy_object *>(<char *>at + i * r.slot_size))[0] = slots.released[0]
    munmap(at, size)
    return fd


cdef int32_t give_back(Region *r, FreeSlots *slots, int32_t *n_free, uint32_t n_chunks, int32_t most) noexcept nogil:
    """Up to `most` of the chunks that are free as a whole; -1 in n_free is the mark of those. How many."""
    cdef uint64_t size = r.slot_size << CHUNK_BITS
    cdef uint32_t chunk
    cdef int32_t n = 0
    cdef int fd = tombstone(r, slots)
    if fd < 0:
        return 0
    for chunk in range(n_chunks):
        if n == most or n_free[chunk] != CHUNK:
            continue
        # Private: who writes to a slot gets a page of his own again.
        if mmap(r.base + chunk * size, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd,
                0) == MAP_FAILED:
            break
        n_free[chunk] = -1
        n += 1
    close(fd)
    return n


cdef void count_by_chunk(Region *r, FreeSlots *slots, uint32_t first, int32_t *n_free) noexcept nogil:
    while first:
        n_free[(first - 1) >> CHUNK_BITS] += 1
        first = slots.next[first - 1]


cdef void put_back(Region *r, FreeSlots *slots, uint32_t first, const int32_t *n_free) noexcept nogil:
    """The list again, without the slots of chunks that were given back."""
    cdef uint32_t *links = slots.next
    cdef uint32_t kept = 0, last = 0, following
    while first:
        following = links[first - 1]
        if n_free == NULL or n_free[(first - 1) >> CHUNK_BITS] >= 0:
            if last:
                links[last - 1] = first
            else:
                kept = first
            last = first
        first = following
    if last:
        push(r, slots, kept, last)


cdef void note_given(FreeSlots *slots, const int32_t *n_free, uint32_t n_chunks, int32_t n) noexcept nogil:
    cdef uint32_t chunk
    for chunk in range(n_chunks):
        if n_free[chunk] < 0:
            slots.next[chunk << CHUNK_BITS] = slots.given
            slots.given = chunk + 1
    atomic_add_i32(&slots.n_given, n)
    atomic_add_i32(&slots.samples, -n * (CHUNK // SAMPLE))


cdef void collect(Region *r, FreeSlots *slots) noexcept nogil:
    """Look for chunks that are free as a whole, and give their memory back. Who finds the list empty meanwhile waits at
    the lock."""
    cdef uint64_t head
    cdef uint32_t i, n_chunks
    cdef int32_t n = 0, n_samples
    cdef int32_t *n_free
    if atomic_xchg_i32(&r.lock, 1):
        return
    head = atomic_load_u64(&r.free_head)
    while not atomic_cas_u64(&r.free_head, &head, ((head >> 32) + 1) << 32):
        pass
    n_chunks = <uint32_t>(r.used >> CHUNK_BITS)
    n_free = <int32_t *>calloc(n_chunks + 1, sizeof(int32_t))
    if n_free != NULL:
        count_by_chunk(r, slots, <uint32_t>head, n_free)
        for i in range(n_chunks):
            n += n_free[i] == CHUNK
        n = give_back(r, slots, n_free, n_chunks, n - slots.left) if n >= slots.left + LEAST else 0
    put_back(r, slots, <uint32_t>head, n_free)
    if n:
        note_given(slots, n_free, n_chunks, n)
    n_samples = atomic_load_i32(&slots.samples)
    atomic_store_i32(&slots.most_used, samples_used(r, slots, n_samples))
    atomic_store_i32(&slots.look_at, n_samples + (n_samples // 2 if n_samples // 2 > KEPT_SAMPLES else KEPT_SAMPLES))
    unlock_region(r)
    free(n_free)
    if n:
        malloc_trim(0)           # what the objects had of the heap lies there in small pieces


cdef uint32_t revive(Region *r, FreeSlots *slots) noexcept nogil:
    """One slot of a chunk that was given back, the others into the list; 0: there is none. Under the lock."""
    cdef uint32_t chunk = slots.given, first, i
    if chunk == 0:
        return 0
    first = (chunk - 1) << CHUNK_BITS
    slots.given = slots.next[first]
    atomic_add_i32(&slots.n_given, -1)
    if slots.left < MOST_LEFT:
        slots.left += 1
    for i in range(first + 1, first + CHUNK - 1):
        slots.next[i] = i + 2
    atomic_add_i32(&slots.samples, CHUNK // SAMPLE - 1)
    push(r, slots, first + 2, first + CHUNK)
    return first + 1


cdef uint32_t slots_more(Region *r, FreeSlots *slots) noexcept nogil:
    """Where the list is empty. Perhaps another thread has only borrowed it."""
    cdef uint32_t found
    lock_region(r)
    found = pop(r, slots)
    if found == 0:
        found = revive(r, slots)
    if found == 0:
        found = fresh_slot(r, slots)
    unlock_region(r)
    return found


cdef void slots_forget(Region *r, FreeSlots *slots) noexcept nogil:
    r.lock = 0                   # its holder is a thread of the parent
    r.free_head = 0
    slots.samples = slots.given = slots.n_given = slots.most_used = 0
    slots.look_at = KEPT_SAMPLES
    slots.dead = <int32_t>(r.used // SAMPLE)
