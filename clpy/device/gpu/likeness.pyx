# SPDX-License-Identifier: Apache-2.0
"""Launches are alike that differ only in where their memory is, and in what stands there: of one kernel, with the same
NDRange, groups and scalar arguments. Of what arguments point to the sizes are the same, the place in a line of 64
bytes, whose memory it is, and which of them lie in each other. No address is part of it: the same program has the same
launches alike each time.

Of what stands there some words count, where the kernel may make addresses of them (Facts.leads): the same loads by
other indices take other times, which the counts of a launch would not show.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset
from clpy.abi cimport clpy_image
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts, Likeness
from clpy.device.gpu.timing.digest cimport DIGEST_WORDS, add_to_digest, digest_of
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.host_memory cimport host_memory_find

cdef enum:
    OF_LAUNCH = 13               # words
    OF_PLACE = 4
    OF_PAIR = 3
    LINE = 64
    MOST_WORDS = 1024            # of what an argument points to

cdef uint64_t GOLDEN = 0x9e3779b97f4a7c15        # its multiples are evenly spread

cdef size_t of_image = (sizeof(clpy_image) + sizeof(uint64_t) - 1) // sizeof(uint64_t)

ctypedef struct Place:           # what an argument points to
    uintptr_t first, behind      # bytes; the same: nobody knows how many they are


cdef inline void put(Likeness *it, uint64_t word) noexcept nogil:
    it.words[it.n] = word
    it.n += 1


cdef void put_launch(Likeness *it, const Launch *launch, const Facts *facts) noexcept nogil:
    cdef int i
    put(it, facts.kernel)        # a number that no other kernel gets
    put(it, launch.shape.work_dim)
    put(it, launch.shape.flags)
    put(it, launch.local_bytes)
    for i in range(3):
        put(it, launch.shape.global_offset[i])
        put(it, launch.shape.global_size[i])
        put(it, launch.shape.local_size[i])


cdef void put_arguments(Likeness *it, const Launch *launch, const Facts *facts, size_t bytes) noexcept nogil:
    """All but the pointers."""
    cdef char *block = <char *>(it.words + it.n)
    cdef uintptr_t none = 0
    cdef int64_t i
    memcpy(block, launch.args, bytes)
    for i in range(facts.n_pointers + facts.n_images):
        memcpy(block + facts.pointers[i], &none, sizeof(none))
    it.n += bytes // sizeof(uint64_t)


cdef uint64_t digest(uintptr_t first, uint64_t bytes) noexcept nogil:
    """All words of a little memory; of much as many, from everywhere."""
    cdef uint64_t n = bytes // sizeof(uint64_t), i, at, word = 0, sum_ = bytes
    for i in range(min(n, <uint64_t>MOST_WORDS)):
        at = i if n <= MOST_WORDS else (i * GOLDEN >> 32) * min(n, ~<uint32_t>0) >> 32
        memcpy(&word, <const char *>first + at * sizeof(uint64_t), sizeof(word))
        add_to_digest(&sum_, word)
    word = 0
    memcpy(&word, <const char *>first + n * sizeof(uint64_t), bytes % sizeof(uint64_t))
    return (sum_ ^ word) * GOLDEN


cdef void put_place(Likeness *it, const Facts *facts, Place *place, uintptr_t first, uint64_t bytes,
                    bint leads) noexcept nogil:
    cdef uintptr_t own, behind
    place.first, place.behind = first, first + bytes
    put(it, bytes)
    put(it, first % LINE if first else LINE)
    put(it, not facts.chip.shares_memory and first and host_memory_find(first, &own, &behind))
    put(it, digest(first, bytes) if leads and first else 0)


cdef void put_image(Likeness *it, const clpy_image *image) noexcept nogil:
    """Its size, pitches and format."""
    cdef clpy_image blank
    memset(&blank, 0, sizeof(blank))
    if image != NULL:
        blank = image[0]
    blank.data = NULL
    it.words[it.n + of_image - 1] = 0        # its end may be no whole word
    memcpy(it.words + it.n, &blank, sizeof(blank))
    it.n += of_image


cdef inline bint is_in(const Place *one, const Place *other) noexcept nogil:
    """They begin at the same place, or share some bytes."""
    return one.first == other.first or (one.first < other.behind and other.first < one.behind)


cdef void put_pairs(Likeness *it, const Place *places, int64_t n) noexcept nogil:
    cdef int64_t i, k
    for i in range(n):
        for k in range(i if places[i].first else 0):
            if is_in(places + i, places + k):
                put(it, i)
                put(it, k)
                put(it, places[i].first - places[k].first)


cdef Likeness likeness_of(const Launch *launch, const Facts *facts) noexcept nogil:
    cdef Likeness it = Likeness(NULL, 0)
    cdef int64_t n = facts.n_pointers + facts.n_images, i
    cdef size_t bytes = <const unsigned char *>launch.sizes - launch.args if launch.sizes != NULL else 0
    cdef const clpy_image *image
    cdef uintptr_t first = 0
    cdef uint64_t size = 0
    cdef Place *places
    cdef bint is_known = True
    if launch.sizes == NULL:
        return it
    places = <Place *>malloc((n + 1) * sizeof(Place))
    it.words = <uint64_t *>malloc(bytes + sizeof(uint64_t) * (
        OF_LAUNCH + n * (OF_PLACE + of_image) + n * n // 2 * OF_PAIR))
    if places == NULL or it.words == NULL:
        free(places)
        free(it.words)
        return Likeness(NULL, 0)
    put_launch(&it, launch, facts)
    put_arguments(&it, launch, facts, bytes)
    for i in range(facts.n_pointers):
        memcpy(&first, launch.args + facts.pointers[i], sizeof(first))
        memcpy(&size, <const char *>launch.sizes + facts.pointers[i], sizeof(size))
        put_place(&it, facts, places + i, first, size, facts.leads[i] != 0)
    for i in range(facts.n_pointers, n):
        memcpy(&image, launch.args + facts.pointers[i], sizeof(image))
        first = <uintptr_t>image.data if image != NULL else 0
        put_place(&it, facts, places + i, first, image_bytes(image) if first else 0, facts.leads[i] != 0)
        put_image(&it, image)
    put_pairs(&it, places, n)
    for i in range(n):           # memory of which nobody knows the end
        is_known = is_known and not (facts.leads[i] and places[i].first and places[i].first == places[i].behind)
    free(places)
    if not is_known:
        free(it.words)
        it.words = NULL
    return it


cdef Likeness likeness_of_ways(const Launch *launch, const Facts *facts, const Simulated *traced) noexcept nogil:
    cdef Likeness it = Likeness(<uint64_t *>malloc((OF_LAUNCH + DIGEST_WORDS) * sizeof(uint64_t)), 0)
    if it.words != NULL:
        put_launch(&it, launch, facts)
        digest_of(traced, it.words + it.n)
        it.n += DIGEST_WORDS
    return it


cdef bint is_alike(const Likeness *one, const Likeness *other) noexcept nogil:
    return one.n == other.n and memcmp(one.words, other.words, one.n * sizeof(uint64_t)) == 0
