# SPDX-License-Identifier: Apache-2.0
"""A digest of prepared traces (trace.pyx): four sums side by side, as each waits for its product."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from clpy.device.gpu.timing.lines cimport Range
from clpy.device.gpu.timing.model cimport GroupTrace


cdef void add_words(uint64_t *sums, const uint32_t *words, int64_t n) noexcept nogil:
    cdef uint64_t some[DIGEST_WORDS]
    cdef int64_t at = 0
    cdef int i
    add_to_digest(sums, <uint64_t> n)
    while at < n:
        if n - at < 2 * DIGEST_WORDS:
            for i in range(DIGEST_WORDS):
                some[i] = 0
        memcpy(some, words + at, min(n - at, <int64_t> (2 * DIGEST_WORDS)) * sizeof(uint32_t))
        for i in range(DIGEST_WORDS):
            add_to_digest(sums + i, some[i])
        at += 2 * DIGEST_WORDS


cdef void digest_of(const Simulated *it, uint64_t *words) noexcept nogil:
    cdef const Range *found
    cdef const GroupTrace *group
    cdef uint64_t range_
    cdef int64_t i, k
    for i in range(DIGEST_WORDS):
        words[i] = i + 1
    for i in range(it.lines.n_ranges):           # in the order of their addresses, which is none
        found = it.lines.ranges + i
        range_ = found.number
        add_to_digest(&range_, found.last - found.first)
        add_to_digest(&range_, found.is_of_host)
        words[0] += range_
    add_to_digest(words, it.lines.next_number)
    add_to_digest(words + 1, it.lines.next_of_host)
    add_to_digest(words + 2, it.lines.host_places)
    add_to_digest(words + 3, it.lines.most_scratch)
    for i in range(it.model.fed):
        group = it.model.groups + i
        add_to_digest(words + 1, group.number)
        add_to_digest(words + 2, group.n_waves)
        for k in range(group.n_waves):
            add_words(words, group.waves[k].at, group.waves[k].end - group.waves[k].at)
    for i in range(DIGEST_WORDS):                # what came last has been in few products
        add_to_digest(words + i, words[(i + 1) % DIGEST_WORDS])
