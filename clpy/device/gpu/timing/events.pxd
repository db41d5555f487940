# SPDX-License-Identifier: Apache-2.0
"""The heap of a compute unit's wavefronts that can go on, the earliest on top; of those, the oldest."""
from libc.stdint cimport int32_t, int64_t
from clpy.device.gpu.timing.model cimport ComputeUnit, Event

cdef enum:
    AGE_BITS = 20                # ages that are further apart do not meet in one unit


cdef inline int64_t event_time(const Event *event) noexcept nogil:
    return event.key >> AGE_BITS


cdef inline void sift_down(ComputeUnit *unit, Event event) noexcept nogil:
    """Put `event` where the top was."""
    cdef Event *heap = unit.heap
    cdef int32_t at = 0, child, n = unit.n_events
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and heap[child + 1].key < heap[child].key:
            child += 1
        if heap[child].key >= event.key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = event


cdef inline void events_push(ComputeUnit *unit, int32_t wave) noexcept nogil:
    cdef Event *heap = unit.heap
    cdef int32_t at = unit.n_events, parent
    cdef Event event
    event.key = unit.waves[wave].now << AGE_BITS | (unit.waves[wave].age & ((1 << AGE_BITS) - 1))
    event.wave = wave
    unit.n_events += 1
    while at > 0:
        parent = (at - 1) // 2
        if heap[parent].key <= event.key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = event


cdef inline void events_again(ComputeUnit *unit) noexcept nogil:
    """The wavefront on top goes on later."""
    cdef Event event = unit.heap[0]
    cdef int32_t wave = event.wave
    event.key = unit.waves[wave].now << AGE_BITS | (unit.waves[wave].age & ((1 << AGE_BITS) - 1))
    sift_down(unit, event)


cdef inline void events_pop(ComputeUnit *unit) noexcept nogil:
    unit.n_events -= 1
    if unit.n_events:
        sift_down(unit, unit.heap[unit.n_events])
