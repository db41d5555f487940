# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.lines cimport Lines
from clpy.device.gpu.timing.model cimport GroupTrace, WaveTrace
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.room cimport Room

ctypedef struct Words:           # that one thread wrote
    const uint32_t *words
    int64_t n

ctypedef struct Batch:           # groups of one call of `prepare`
    Room room                    # for the words
    WaveTrace *waves
    GroupTrace *groups
    int64_t n_groups, last_group
    int64_t scattered            # lines of accesses to many that do not follow each other

# What threads wrote, as a batch of groups, all of which come behind group number `behind`. `sizes`: groups of the
# launch by dimension. NULL, or what is wrong with it; then there is nothing to be freed.
cdef const char *prepare(const Steps *program, Lines *lines, const Words *sinks, int64_t n_sinks, const int64_t *sizes,
                         int64_t behind, Batch *batch) noexcept nogil
cdef void batch_free(Batch *batch) noexcept nogil
