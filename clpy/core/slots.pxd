# SPDX-License-Identifier: Apache-2.0
"""Which slots of a region are free, and the memory of those that are."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object
from clpy.core.object cimport Region
from clpy.atomics cimport (atomic_add_i32, atomic_cas_u64, atomic_load_i32_relaxed, atomic_load_u64, atomic_store_i32,
                           atomic_xchg_i32, cpu_pause)

cdef enum:
    SAMPLE = 64                  # every so many slots one is counted

ctypedef struct FreeSlots:       # of one Region
    uint32_t *next               # by slot: index + 1 of the next free one, 0 at the end
    uint64_t committed           # bytes of `next`
    const clpy_object *released  # what may still be read of an object that is gone
    uint32_t given               # number + 1 of the first chunk that was given back; under the region's lock
    int32_t n_given              # chunks
    int32_t left                 # chunks that are not given back
    int32_t samples              # free ones; atomic
    int32_t dead                 # samples that died with the parent process
    int32_t most_used            # samples, since the list was searched
    int32_t look_at              # free samples at which to search it again

cdef bint slots_reserve(Region *r, FreeSlots *slots, uint64_t bytes, const clpy_object *released) noexcept nogil
cdef uint32_t slots_more(Region *r, FreeSlots *slots) noexcept nogil       # slots_take where the list is empty
cdef void slots_count_free(Region *r, FreeSlots *slots) noexcept nogil     # a sample is free
cdef void slots_forget(Region *r, FreeSlots *slots) noexcept nogil         # after a fork: all are somebody else's


cdef inline void lock_region(Region *r) noexcept nogil:
    while atomic_xchg_i32(&r.lock, 1):
        cpu_pause()


cdef inline void unlock_region(Region *r) noexcept nogil:
    atomic_store_i32(&r.lock, 0)


# ---- the free list: a slot goes by index + 1, 0 is none. Each event comes and goes here.

cdef inline uint32_t pop(Region *r, FreeSlots *slots) noexcept nogil:
    cdef uint64_t head = atomic_load_u64(&r.free_head), rest
    cdef uint32_t found
    while True:
        found = <uint32_t>head
        if found == 0:
            return 0
        # The slot may have been taken meanwhile: then the link is stale, the tag has moved on and the exchange fails.
        rest = ((head >> 32) + 1) << 32 | <uint32_t>atomic_load_i32_relaxed(<int32_t *>&slots.next[found - 1])
        if atomic_cas_u64(&r.free_head, &head, rest):
            break
    if (found - 1) % SAMPLE == 0:
        atomic_add_i32(&slots.samples, -1)
    return found


cdef inline void push(Region *r, FreeSlots *slots, uint32_t first, uint32_t last) noexcept nogil:
    """Slots that are linked from the first to the last."""
    cdef uint64_t head = atomic_load_u64(&r.free_head)
    while True:
        atomic_store_i32(<int32_t *>&slots.next[last - 1], <int32_t><uint32_t>head)
        if atomic_cas_u64(&r.free_head, &head, ((head >> 32) + 1) << 32 | first):
            return


cdef inline uint32_t slots_take(Region *r, FreeSlots *slots) noexcept nogil:
    """index + 1; 0: there is none."""
    cdef uint32_t found = pop(r, slots)
    return found if found else slots_more(r, slots)


cdef inline void slots_free(Region *r, FreeSlots *slots, uint32_t index) noexcept nogil:
    push(r, slots, index + 1, index + 1)
    if index % SAMPLE == 0:
        slots_count_free(r, slots)
