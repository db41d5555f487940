# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.simulated cimport Simulated

ctypedef struct Sample:          # which groups of a launch are traced, and how far
    int64_t total                # groups
    int64_t units                # compute units that get some
    int64_t n_units              # those that are followed
    int64_t mine                 # groups that these get
    int64_t row, period          # traced: the first `row` of each so many,
    int64_t n_rows               # so often
    int64_t most_instructions    # that a wavefront tells of

# `longest`: the most instructions that a wavefront may go through; 0: nobody knows.
cdef void sample_make(Sample *sample, const ChipModel *chip, const Held *held, int64_t total, int64_t longest,
                    bint whole) noexcept nogil
cdef inline int64_t sample_groups(const Sample *sample) noexcept nogil:
    return sample.n_rows * sample.row

# Cycles of the whole launch, from what was traced of it. `counts`: of all wavefronts, by block.
cdef bint is_whole(const Simulated *it, const Sample *sample) noexcept nogil
cdef double estimate(Simulated *it, const Sample *sample, const Held *held, const uint64_t *counts,
                     double *uncertainty) noexcept nogil

cdef inline bint sample_has(const Sample *sample, int64_t group) noexcept nogil:
    return group % sample.period < sample.row and group // sample.period < sample.n_rows
