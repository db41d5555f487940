# SPDX-License-Identifier: Apache-2.0
"""Which of a compute unit's wavefronts goes on next: the earliest, and of those the oldest.

A tree of winners over the slots, each node the lesser of the two below it. What it takes depends on no key, so that the
host's processor has nothing to guess, as it has in a heap.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, UINT64_MAX
from clpy.device.gpu.timing.model cimport MOST_WAVES, USUAL_WAVES, ComputeUnit

cdef enum:
    SLOT_BITS = 7                # of MOST_WAVES
    AGE_BITS = 17                # ages that are further apart do not meet in one unit


cdef inline bint has_events(const ComputeUnit *unit) noexcept nogil:
    return unit.events[1] != UINT64_MAX


cdef inline int64_t event_time(const ComputeUnit *unit) noexcept nogil:
    """When the next wavefront goes on; behind all times where none does."""
    return <int64_t> (unit.events[1] >> (AGE_BITS + SLOT_BITS))


cdef inline int32_t event_wave(const ComputeUnit *unit) noexcept nogil:
    return <int32_t> (unit.events[1] & (MOST_WAVES - 1))


cdef inline int32_t event_rival(const ComputeUnit *unit) noexcept nogil:
    """The wavefront that goes on first of the other half of the slots: often the one behind the next."""
    return <int32_t> ((unit.events[2] ^ unit.events[3] ^ unit.events[1]) & (MOST_WAVES - 1))


cdef inline uint64_t event_before(int64_t time) noexcept nogil:
    """Below this are the keys of what is before that time."""
    return <uint64_t> time << (AGE_BITS + SLOT_BITS)


cdef inline uint64_t lesser(uint64_t key, uint64_t other) noexcept nogil:
    return other if other < key else key


cdef inline uint64_t event_of_others(const ComputeUnit *unit, int32_t wave) noexcept nogil:
    """The least key of all wavefronts but one."""
    cdef const uint64_t *events = unit.events
    cdef uint32_t at = unit.leaves + <uint32_t> wave
    cdef uint64_t key = lesser(
        lesser(lesser(events[at ^ 1], events[at >> 1 ^ 1]), lesser(events[at >> 2 ^ 1], events[at >> 3 ^ 1])),
        lesser(events[at >> 4 ^ 1], events[at >> 5 ^ 1]))
    return key if unit.leaves == USUAL_WAVES else lesser(key, events[at >> 6 ^ 1])


cdef inline uint64_t winner(uint64_t *events, uint32_t at, uint64_t key) noexcept nogil:
    """Of a node, whose key is this, and the one beside it."""
    key = lesser(key, events[at ^ 1])
    events[at >> 1] = key
    return key


cdef inline void put_event(ComputeUnit *unit, int32_t wave, uint64_t key) noexcept nogil:
    """Level by level, of most chips six: a loop would take as long as what it does."""
    cdef uint32_t at = unit.leaves + <uint32_t> wave
    unit.events[at] = key
    key = winner(unit.events, at, key)
    key = winner(unit.events, at >> 1, key)
    key = winner(unit.events, at >> 2, key)
    key = winner(unit.events, at >> 3, key)
    key = winner(unit.events, at >> 4, key)
    key = winner(unit.events, at >> 5, key)
    if unit.leaves != USUAL_WAVES:
        winner(unit.events, at >> 6, key)


cdef inline uint32_t event_rank(uint32_t age, int32_t wave) noexcept nogil:
    """The lower bits of a wavefront's key."""
    return (age & ((1 << AGE_BITS) - 1)) << SLOT_BITS | <uint32_t> wave


cdef inline void events_push(ComputeUnit *unit, int32_t wave) noexcept nogil:
    """The wavefront goes on at its `now`."""
    put_event(unit, wave, event_before(unit.waves[wave].now) | unit.waves[wave].rank)


cdef inline void events_drop(ComputeUnit *unit, int32_t wave) noexcept nogil:
    put_event(unit, wave, UINT64_MAX)
