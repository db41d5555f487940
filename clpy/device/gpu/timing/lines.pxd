# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t, uint64_t
from clpy.device.host_memory cimport find_host_fn
from clpy.device.gpu.timing.waves cimport CLPY_WAVE_ARGUMENTS, CLPY_WAVE_PRIVATE

cdef enum:
    ARGUMENT_LINES = 1024        # of the launch: arguments and what comes with them
    PAGE_LINES = 64              # buffers begin at pages of 4 KB
    SCRATCH_BIT = 0x80000000     # of the number of a line: its number within the wavefront's scratch
    PLACE_BITS = 26              # numbers that differ above these are in other places: 4 GB each
    HOST_PLACE = 31              # of lines of the host's memory that lie in no range

ctypedef struct Range:           # of the host's lines that have numbers in the model
    uint64_t first, last         # last: behind it
    uint32_t number              # of the first
    bint is_of_host              # then its places have no lines of other memory

ctypedef struct Entry:           # of the table of lines that lie in no range
    uint64_t line                # + 1; 0: free
    uint32_t number

ctypedef struct Lines:
    Range *ranges                # malloc'ed
    int64_t n_ranges, latest
    Entry *entries
    uint64_t n_entries, room
    uint32_t next_number
    uint64_t most_scratch
    uint64_t host_places         # whose lines are the host's memory, a bit for each
    find_host_fn find_host       # NULL: only ranges are
    uint64_t host_first, host_last       # the memory of the host's that was found last
    uint32_t next_of_host

cdef inline uint32_t first_of_host() noexcept nogil:
    """What the first line of the host's memory gets that lies in no range."""
    return <uint32_t> HOST_PLACE << PLACE_BITS


# Takes the ranges, from malloc, in any order; they are its own also where it fails. False: there is no memory.
cdef bint lines_open(Lines *lines, Range *ranges, int64_t n) noexcept nogil
# For lines of no range, too.
cdef void lines_of_host(Lines *lines, find_host_fn find_host) noexcept nogil
cdef void lines_close(Lines *lines) noexcept nogil
# Where the line is not in the range that the one before was in.
cdef int64_t search_number(Lines *lines, uint64_t line) noexcept nogil


cdef inline Range latest_range(const Lines *lines) noexcept nogil:
    """The one that the line before was in; an empty one where there are none."""
    return lines.ranges[lines.latest] if lines.n_ranges else Range(0, 0, 0, False)


cdef inline int64_t line_number(Lines *lines, uint64_t line) noexcept nogil:
    """The number of a line of the trace; -1: there is no memory."""
    cdef const Range *found = lines.ranges + lines.latest
    if lines.n_ranges and found.first <= line < found.last:      # the trace's marks are above all addresses
        return found.number + <int64_t> (line - found.first)
    return search_number(lines, line)


cdef inline bint is_run(Lines *lines, uint64_t line, uint64_t n) noexcept nogil:
    """Whether the numbers of so many lines follow each other, too; that of the first has just been asked for."""
    cdef const Range *found = lines.ranges + lines.latest
    if line & CLPY_WAVE_PRIVATE:
        lines.most_scratch = max(lines.most_scratch, (line & ~CLPY_WAVE_PRIVATE) + n - 1)
        return (line & (SCRATCH_BIT - 1)) + n <= SCRATCH_BIT
    if line & CLPY_WAVE_ARGUMENTS:
        return line % ARGUMENT_LINES + n <= ARGUMENT_LINES
    return lines.n_ranges and found.first <= line and line + n <= found.last
