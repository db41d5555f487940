# SPDX-License-Identifier: Apache-2.0
"""What the followed groups of a launch came to."""
from libc.stdint cimport int64_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.model cimport Stats
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.sample cimport Sample
from clpy.device.gpu.timing.simulated cimport Simulated

ctypedef struct Sampled:         # of a launch, all that is needed of it later; in one piece from malloc
    Sample sample                # without `work`
    bint is_whole, is_cut
    bint strays                  # it went to memory that no argument points to, more than constants are
    double finish                # cycles in which what was followed came to its end
    double first_work            # of the first unit's groups, in cycles of wavefronts that are alone; 0: not known
    Stats stats
    uint64_t *counts             # by block, of all wavefronts of that launch,
    uint64_t *visits             # and of those that were followed
    double *late                 # mean cycles of a wavefront in a block, behind the start
    double *mean                 # and of all
    int64_t *stalls              # by step, as Model's; NULL: nobody wants to know more than the time
    int64_t *uses
    int64_t dirty_lines          # likewise: that were left in the L2
    size_t bytes                 # that it takes

# `counts`: of all wavefronts; `work`: as Sample.work; `by_step`: with
# stalls, uses and dirty lines. NULL: there is no memory.
cdef Sampled *sampled_new(const Simulated *it, const Sample *sample, const uint64_t *counts, const float *work,
                          bint by_step) noexcept nogil
# The followed groups are the launch itself.
cdef bint is_whole(const Simulated *it, const Sample *sample) noexcept nogil
# Cycles of a launch with these counts and this work (NULL: groups are taken to be alike); the launch that was sampled
# is one.
cdef double estimate(const Sampled *it, const Steps *steps, const ChipModel *chip, const Held *held,
                     const uint64_t *counts, const float *work, double *uncertainty) noexcept nogil
# By how much other counts differ from those of the launch that was sampled: a part of its cycles, block by block.
cdef double sampled_differs(const Sampled *it, int64_t n_blocks, const uint64_t *counts) noexcept nogil
# Whether these wavefronts went through no block that those of the sampled launch had not gone through.
cdef bint sampled_knows(const Sampled *it, int64_t n_blocks, const uint64_t *counts) noexcept nogil
