# SPDX-License-Identifier: Apache-2.0
"""One launch on a simulated chip, for code without Python."""
from libc.stdint cimport int32_t, int64_t
from clpy.device.host_memory cimport find_host_fn
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.lines cimport Lines, Range
from clpy.device.gpu.timing.model cimport BESIDE, Cache, GroupTrace, Model
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.trace cimport Batch, Words

ctypedef struct Simulated:
    Model model
    Steps steps
    Lines lines
    Cache own_l2                 # where the caller has none
    int32_t *away                # of one instruction
    int64_t groups[3]            # of the launch
    Batch *batches
    int64_t n_batches, last_group, most_waves
    bint is_last, begun, is_cut
    int64_t n_compared           # of the launch's first groups, of which those beyond the followed units' only are
    GroupTrace compared[BESIDE]
    int64_t few                  # groups that are followed at least, where they touch very many lines; 0: all
    bint is_full                 # the L2, at the begin, where very many groups went before; so many lines of it
    int64_t changed_before       # have been changed
    int64_t number_below         # and of another row; 0: of none
    GroupTrace below
    int64_t period, in_block     # in each `period` of its groups so many are a block: the followed unit has one

# `n_units`: compute units that are followed. `ranges`, `find_host` (or NULL): see lines.pxd. `l2`: of the caller, NULL:
# one that is empty. NULL, or what is wrong. simulated_close goes with it in any case.
cdef const char *simulated_open(Simulated *it, const ChipModel *chip, const Steps *steps, const Held *held,
                                int64_t scratch_bytes, const int64_t *groups, int64_t n_units, Range *ranges,
                                int64_t n_ranges, find_host_fn find_host, Cache *l2) noexcept nogil
# Groups behind those that are there already.
cdef const char *simulated_add(Simulated *it, const Words *sinks, int64_t n_sinks) noexcept nogil
# The compute units that are followed share the rest of the device with others, whose groups are like theirs: with the
# others there are `share` times as many.
cdef bint simulated_share(Simulated *it, double share) noexcept nogil
# The launch's code is in all instruction caches; without this it has to come first.
cdef void simulated_has_code(Simulated *it) noexcept nogil
# As far as the groups reach that are there; `last`: no more will come.
cdef void simulated_run(Simulated *it, bint last) noexcept nogil
cdef void simulated_close(Simulated *it) noexcept nogil
