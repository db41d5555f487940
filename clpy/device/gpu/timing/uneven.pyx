# SPDX-License-Identifier: Apache-2.0
"""The time of a launch whose groups have more or less to do, by what each has.

Groups go in order to the compute unit where something ends. The wavefronts of a unit go on side by side, all at the
same pace: in the time that the sample says while the unit is full, faster where there are fewer of them, and at most as
fast as one does that is alone. So the end is told, where few long groups are left, and the first round of a launch that
the chip holds at once.
"""
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

cdef enum:
    PACE_STEPS = 20              # by halves

cdef double UNLIKE = 0.1         # of the mean: what work differs by at least

ctypedef struct Unit:
    double *ends                 # of its groups, by the unit's progress; a heap
    int64_t n
    double progress, now         # cycles of a wavefront that is alone; cycles
    double end                   # of the next of its groups, in cycles

ctypedef struct Pace:
    double full                  # cycles for a cycle of a wavefront that is alone, by wavefronts
    int64_t waves                # of a group


cdef bint is_uneven(const float *work, int64_t n) noexcept nogil:
    cdef double sum_ = 0, squares = 0
    cdef int64_t i
    for i in range(n):
        sum_ += work[i]
        squares += <double> work[i] * work[i]
    return sum_ > 0 and sqrt(max(squares * n / (sum_ * sum_) - 1, 0)) > UNLIKE


cdef void push(Unit *unit, double end) noexcept nogil:
    cdef int64_t at = unit.n, above
    unit.n += 1
    while at:
        above = (at - 1) // 2
        if unit.ends[above] <= end:
            break
        unit.ends[at] = unit.ends[above]
        at = above
    unit.ends[at] = end


cdef void pop(Unit *unit) noexcept nogil:
    cdef int64_t at = 0, below
    cdef double end
    unit.n -= 1
    end = unit.ends[unit.n]
    while True:
        below = 2 * at + 1
        if below >= unit.n:
            break
        if below + 1 < unit.n and unit.ends[below + 1] < unit.ends[below]:
            below += 1
        if unit.ends[below] >= end:
            break
        unit.ends[at] = unit.ends[below]
        at = below
    unit.ends[at] = end


cdef inline double next_end(const Unit *unit, const Pace *pace) noexcept nogil:
    return unit.now + (unit.ends[0] - unit.progress) * max(pace.full * unit.n * pace.waves, 1.0)


cdef inline double end_of(const Unit *units, int64_t n_units, int32_t i) noexcept nogil:
    return units[i].end if i < n_units else INFINITY


cdef void seat(const Unit *units, int64_t n_units, int32_t *first, int64_t n_seats, int64_t at) noexcept nogil:
    """Of two that are beside each other the unit goes up in which something ends first, the left one where both do at
    once. `at`: of the unit that has changed."""
    cdef int32_t left, right
    at += n_seats
    while at > 1:
        at //= 2
        left, right = first[2 * at], first[2 * at + 1]
        first[at] = right if end_of(units, n_units, right) < end_of(units, n_units, left) else left


cdef int32_t *seats_new(const Unit *units, int64_t n_units, int64_t *n_seats) noexcept nogil:
    """A tree: at 1 the root, from `n_seats` on a seat for each unit, and more that stay empty."""
    cdef int32_t *first
    cdef int64_t i, n = 1
    while n < n_units:
        n *= 2
    n_seats[0] = n
    first = <int32_t *> malloc(2 * n * sizeof(int32_t))
    if first == NULL:
        return NULL
    for i in range(2 * n):
        first[i] = <int32_t> (i - n if n <= i < n + n_units else n_units)
    for i in range(n_units):
        seat(units, n_units, first, n, i)
    return first


cdef double run(Unit *units, int64_t n_units, const float *work, int64_t n, int64_t most,
                const Pace *pace) noexcept nogil:
    cdef int64_t given = 0, i, n_seats
    cdef double end = 0
    cdef int32_t *first
    cdef Unit *unit
    while given < n and units[given % n_units].n < most:
        push(units + given % n_units, work[given] / pace.waves)
        given += 1
    for i in range(n_units):
        units[i].end = next_end(units + i, pace) if units[i].n else INFINITY
    first = seats_new(units, n_units, &n_seats)
    if first == NULL:
        return -1
    while units[first[1]].end < INFINITY:
        i = first[1]
        unit = units + i
        unit.now, unit.progress = unit.end, unit.ends[0]
        pop(unit)
        if given < n:
            push(unit, unit.progress + work[given] / pace.waves)
            given += 1
        unit.end = next_end(unit, pace) if unit.n else INFINITY
        seat(units, n_units, first, n_seats, i)
    free(first)
    for i in range(n_units):
        end = max(end, units[i].now)
    return end


cdef inline int64_t parts(const Held *held) noexcept nogil:
    """Of a unit. Groups of a wavefront each are on one SIMD, and those get them in turn."""
    return held.simds if held.waves_per_group == 1 and held.groups_per_cu >= held.simds else 1


cdef Unit *units_new(int64_t n_units, int64_t most) noexcept nogil:
    cdef int64_t i
    cdef Unit *units = <Unit *> malloc(n_units * (sizeof(Unit) + most * sizeof(double)))
    if units != NULL:
        for i in range(n_units):
            units[i] = Unit(<double *> (units + n_units) + i * most, 0, 0, 0, 0)
    return units


cdef double uneven_cycles(const float *work, int64_t n, const Held *held, int64_t n_units, double even) noexcept nogil:
    cdef int64_t most = max(held.groups_per_cu, 1) // parts(held), i
    cdef double sum_ = 0
    cdef Pace pace
    cdef Unit *units
    n_units *= parts(held)
    units = units_new(n_units, most)
    if units == NULL:
        return -1
    for i in range(n):
        sum_ += work[i]
    pace.waves = held.waves_per_group
    pace.full = even * n_units / sum_
    even = run(units, n_units, work, n, most, &pace)
    free(units)
    return even


cdef double alone(Unit *unit, const float *work, int64_t n, int64_t first, int64_t apart,
                  const Pace *pace) noexcept nogil:
    """Cycles of a unit that holds all its groups at once: each `apart`-th."""
    unit.n, unit.progress, unit.now = 0, 0, 0
    while first < n:
        push(unit, work[first] / pace.waves)
        first += apart
    while unit.n:
        unit.now, unit.progress = next_end(unit, pace), unit.ends[0]
        pop(unit)
    return unit.now


cdef double slowest(Unit *unit, const float *work, int64_t n, int64_t n_units, int64_t step,
                    const Pace *pace) noexcept nogil:
    """Of each `step`-th unit."""
    cdef double cycles = 0
    cdef int64_t first = 0
    while first < n_units:
        cycles = max(cycles, alone(unit, work, n, first, n_units, pace))
        first += step
    return cycles


cdef double resident_cycles(const float *work, int64_t n, const Held *held, int64_t units, double arithmetic,
                            double finish) noexcept nogil:
    """At the pace of the arithmetic, or at that at which the first unit takes as long as it does: what it takes more is
    no work, and the same in all units."""
    cdef int64_t n_units = units * parts(held), i, _step
    cdef Unit *unit = units_new(1, n // n_units + 1)
    cdef Pace pace
    cdef double low = 0, high, sum_ = 0, first
    if unit == NULL:
        return -1
    for i in range(n):
        sum_ += work[i]
    high = arithmetic * n_units / sum_
    pace.waves, pace.full = held.waves_per_group, high
    first = slowest(unit, work, n, n_units, units, &pace)
    for _step in range(PACE_STEPS if first > finish else 0):
        pace.full = (low + high) / 2
        first = slowest(unit, work, n, n_units, units, &pace)
        if first < finish:
            low = pace.full
        else:
            high = pace.full
    finish += slowest(unit, work, n, n_units, 1, &pace) - first
    free(unit)
    return finish
