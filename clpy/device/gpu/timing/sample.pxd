# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.program cimport Steps

ctypedef struct Way:             # what is known of a kernel's wavefronts before they run
    int64_t longest              # the most instructions that one may go through; 0: nobody knows
    int64_t lines                # that one touches where words lie side by side, if it comes to all its code once
    bint stops                   # it has barriers

ctypedef struct Sample:          # which groups of a launch are traced, and how far
    int64_t total                # groups
    int64_t units                # compute units that get some
    int64_t n_units              # those that are followed
    int64_t beside               # of the first groups so many are traced, where they are others', to be compared,
    int64_t below                # and this one, the first of the next row; 0: there is none, or another will do
    int64_t mine                 # groups that these get
    int64_t span, row            # as many as all units hold, and those of them that the followed ones get: traced
    int64_t period, n_rows       # of each so many the first `span`, so often
    int64_t most_instructions    # that a wavefront tells of
    int64_t in_turn              # the first groups that the followed unit gets are those whose turn it is; all: total
    float *work                  # malloc'ed: of each group; NULL: they are taken to be alike

cdef void find_way(Way *way, const Steps *steps, int64_t longest) noexcept nogil
cdef void sample_make(Sample *sample, const ChipModel *chip, const Held *held, const size_t *groups, const Way *way,
                      bint whole) noexcept nogil
cdef inline int64_t sample_groups(const Sample *sample) noexcept nogil:
    return sample.n_rows * sample.row
cdef inline int64_t sample_traced(const Sample *sample) noexcept nogil:
    return sample_groups(sample) + sample.beside - sample.n_units + (sample.below != 0)

# Groups that are followed where they touch very many lines; 0: all are.
cdef int64_t sample_few(const Held *held, const Way *way) noexcept nogil
# How often what is followed stands for the launch.
cdef double share_of_others(const Sample *sample, const Held *held) noexcept nogil


cdef inline bint is_at_once(const Sample *sample, const Held *held) noexcept nogil:
    """The chip holds all groups. Then the followed unit has as many as any: some may have one less."""
    return sample.total <= held.groups_per_cu * sample.units


cdef inline int64_t sample_turn(const Sample *sample, int64_t row, int64_t block) noexcept nogil:
    """Which the followed unit gets of `units` groups that follow each other, the block-th so many of a row."""
    cdef int64_t left = min(sample.span - block * sample.units, sample.units)
    if sample.in_turn == sample.total or (row == 0 and block < sample.in_turn):
        return 0
    # Multiples of the golden ratio are evenly spread.
    return <int64_t> ((<uint64_t> (block + 7 * row) * <uint64_t> 0x9e3779b97f4a7c15 >> 32) * <uint64_t> left >> 32)


cdef inline bint sample_follows(const Sample *sample, int64_t group) noexcept nogil:
    """The group is one of a followed unit's."""
    cdef int64_t row = group // sample.period, place = group % sample.period
    if place >= sample.span or row >= sample.n_rows:
        return False
    return (sample.n_units == sample.units
            or place % sample.units == sample_turn(sample, row, place // sample.units))


cdef inline bint sample_has(const Sample *sample, int64_t group) noexcept nogil:
    """It is, or it is compared with those."""
    return group < sample.beside or (sample.below and group == sample.below) or sample_follows(sample, group)
