# SPDX-License-Identifier: Apache-2.0
"""Numbers for the lines of memory that a launch touches, without addresses of the host: buffers have places of their
own, and lines of no buffer follow behind them in the order in which they appear, those of the host's memory apart."""
from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, qsort
from libc.string cimport memset
from clpy.device.gpu.timing.waves cimport CLPY_WAVE_ARGUMENTS, CLPY_WAVE_PRIVATE

cdef enum:
    FIRST_ROOM = 1024


cdef int by_address(const void *a, const void *b) noexcept nogil:
    return -1 if (<const Range *> a).first < (<const Range *> b).first else 1


cdef bint lines_open(Lines *lines, Range *ranges, int64_t n) noexcept nogil:
    cdef int64_t i
    cdef uint64_t behind, place
    memset(lines, 0, sizeof(Lines))
    lines.ranges, lines.n_ranges = ranges, n
    lines.next_number = ARGUMENT_LINES
    for i in range(n):
        behind = ranges[i].number + (ranges[i].last - ranges[i].first)
        behind = (behind + PAGE_LINES - 1) // PAGE_LINES * PAGE_LINES
        lines.next_number = max(lines.next_number, <uint32_t> behind)
        if ranges[i].is_of_host:
            for place in range(ranges[i].number >> PLACE_BITS, (behind - 1 >> PLACE_BITS) + 1):
                lines.host_places |= <uint64_t> 1 << place
    if lines.host_places >> (lines.next_number - 1 >> PLACE_BITS) & 1:
        lines.next_number = ((lines.next_number - 1 >> PLACE_BITS) + 1) << PLACE_BITS
    qsort(ranges, n, sizeof(Range), by_address)
    lines.room = FIRST_ROOM
    lines.entries = <Entry *> calloc(lines.room, sizeof(Entry))
    if lines.entries == NULL:
        lines_close(lines)
        return False
    return True


cdef void lines_of_host(Lines *lines, find_host_fn find_host) noexcept nogil:
    lines.find_host = find_host
    lines.next_of_host = first_of_host()
    lines.host_places |= <uint64_t> 1 << HOST_PLACE


cdef bint lies_at_host(Lines *lines, uint64_t line) noexcept nogil:
    cdef uintptr_t first, behind
    if lines.find_host == NULL:
        return False
    if not lines.host_first <= line < lines.host_last:
        if not lines.find_host(line << 6, &first, &behind):
            return False
        lines.host_first, lines.host_last = first >> 6, (behind + 63) >> 6
    return True


cdef void lines_close(Lines *lines) noexcept nogil:
    free(lines.ranges)
    free(lines.entries)
    lines.ranges, lines.entries = NULL, NULL


cdef int64_t search_number(Lines *lines, uint64_t line) noexcept nogil:
    cdef int64_t low = 0, high = lines.n_ranges, middle
    if line & CLPY_WAVE_PRIVATE:
        line &= ~CLPY_WAVE_PRIVATE
        lines.most_scratch = max(lines.most_scratch, line)
        return SCRATCH_BIT | <int64_t> (line & (SCRATCH_BIT - 1))
    if line & CLPY_WAVE_ARGUMENTS:
        return <int64_t> (line % ARGUMENT_LINES)
    while low < high:
        middle = (low + high) // 2
        if line >= lines.ranges[middle].last:
            low = middle + 1
        else:
            high = middle
    if low < lines.n_ranges and line >= lines.ranges[low].first:
        lines.latest = low
        return lines.ranges[low].number + <int64_t> (line - lines.ranges[low].first)
    return unknown(lines, line)


cdef uint64_t place_of(uint64_t line) noexcept nogil:
    return (line * <uint64_t> 0x9e3779b97f4a7c15) >> 32


cdef int64_t unknown(Lines *lines, uint64_t line) noexcept nogil:
    """By a hash table: numbers in the order of appearance."""
    cdef uint64_t at = place_of(line)
    cdef uint32_t *next_number
    cdef uint32_t number
    cdef Entry *entry
    while True:
        entry = lines.entries + (at & (lines.room - 1))
        if entry.line == line + 1:
            return entry.number
        if entry.line == 0:
            break
        at += 1
    entry.line = line + 1
    next_number = &lines.next_of_host if lies_at_host(lines, line) else &lines.next_number
    number = entry.number = next_number[0]
    next_number[0] += 1
    lines.n_entries += 1
    if lines.n_entries * 2 > lines.room and not grow(lines):
        return -1
    return number


cdef bint grow(Lines *lines) noexcept nogil:
    cdef Entry *old = lines.entries
    cdef uint64_t i, at, n = lines.room
    cdef Entry *wider = <Entry *> calloc(2 * n, sizeof(Entry))
    if wider == NULL:
        return False
    lines.entries = wider
    lines.room = 2 * n
    for i in range(n):
        if old[i].line:
            at = place_of(old[i].line - 1)
            while wider[at & (lines.room - 1)].line:
                at += 1
            wider[at & (lines.room - 1)] = old[i]
    free(old)
    return True
