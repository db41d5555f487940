# SPDX-License-Identifier: Apache-2.0
"""Which slots of a region are free, and the memory of those that are."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object
from clpy.core.object cimport Region
from clpy.atomics cimport atomic_store_i32, atomic_xchg_i32, cpu_pause

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
cdef uint32_t slots_take(Region *r, FreeSlots *slots) noexcept nogil       # index + 1; 0: there is none
cdef void slots_free(Region *r, FreeSlots *slots, uint32_t index) noexcept nogil
cdef void slots_forget(Region *r, FreeSlots *slots) noexcept nogil         # after a fork: all are somebody else's


cdef inline void lock_region(Region *r) noexcept nogil:
    while atomic_xchg_i32(&r.lock, 1):
        cpu_pause()


cdef inline void unlock_region(Region *r) noexcept nogil:
    atomic_store_i32(&r.lock, 0)
