# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t, uint64_t
from clpy.device.gpu.timing.model cimport GroupTrace, WaveTrace
from clpy.device.gpu.timing.program cimport Program

cdef enum:
    ARGUMENT_LINES = 1024        # of the launch: arguments and what comes with them

ctypedef struct Range:           # of the host's lines that have numbers in the model
    uint64_t first, last         # last: behind it
    uint32_t number              # of the first

ctypedef struct Entry:           # of the table of lines that lie in no range
    uint64_t line                # + 1; 0: free
    uint32_t number

ctypedef struct Batch:           # groups of one call of `prepare`
    uint32_t *words
    WaveTrace *waves
    GroupTrace *groups
    int64_t n_groups, last_group

cdef class LineNumbers:
    cdef Range *ranges
    cdef int64_t n_ranges, latest
    cdef Entry *entries
    cdef uint64_t n_entries, room
    cdef uint32_t next_number
    cdef readonly uint32_t scratch_first
    cdef uint64_t most_scratch
    cdef int64_t number_of(self, uint64_t line) except -1 nogil
    cdef int64_t unknown(self, uint64_t line) except -1 nogil
    cdef int grow(self) except -1 nogil

cdef int prepare(Program program, LineNumbers lines, list sinks, groups, int64_t behind, Batch *batch) except -1
cdef void batch_free(Batch *batch) noexcept nogil
