# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from some of its wavefronts.

- Compute units are alike, so a few of them are followed, as many as share a scalar cache. To them the L2 and memory are
  busy with the others as well (Model.share), as far as those touch other lines.
- They get as many groups as they hold, side by side, and then others further on in the NDRange, for caches that are
  warm and groups that do more or less. Where that is much of the launch, a wavefront tells of its first instructions.
- The code is there: that it has to come first is the start alone, and the time of that is added.
- The counts of all wavefronts say how often each block was gone through. Each time takes what it took on average where
  it was followed, behind the cold start; and there are always as many wavefronts at work as the compute units hold.

What this leaves out is the end of a launch, where a few long groups may be alone, and what groups have in common that
are far from each other.
"""
from libc.math cimport fabs
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.model cimport BlockTime, Model, Step
from clpy.device.gpu.timing.simulated cimport Simulated

cdef enum:
    PART = 64                    # of a launch: as much may be traced without limit
    ALL_TELL = 1 << 17           # instructions: beyond that, of all wavefronts together,
    ONE_TELLS = 128              # but of each one at least so many,
    MOST = 1 << 16               # and never more
    WARM = 1024                  # wavefronts without loops, which fill the L2 some times

cdef double ALIKE = 0.02         # what compute units, and parts of a launch, differ by at least


cdef void sample_make(Sample *sample, const ChipModel *chip, const Held *held, int64_t total, int64_t longest,
                    bint whole) noexcept nogil:
    cdef int64_t few = chip.rates.scalar_units, resident, traced, short = 0
    sample.total = sample.mine = sample.row = sample.period = max(total, 1)
    sample.units = sample.n_units = min(<int64_t> chip.rates.n_units, sample.total)
    sample.n_rows, sample.most_instructions = 1, INT64_MAX
    if whole:
        return
    if sample.units >= 2 * few:
        sample.n_units = few
        sample.mine = (total * few + sample.units - 1) // sample.units
    resident = max(held.groups_per_cu * sample.n_units, 1)
    if longest:
        short = min(ALL_TELL // longest, WARM) // held.waves_per_group
    traced = min(sample.mine, max(max(total // PART, 2 * resident), short))
    sample.row = min(resident, traced)
    sample.n_rows = traced // sample.row
    sample.period = total // sample.n_rows
    traced = sample_groups(sample) * held.waves_per_group
    sample.most_instructions = MOST
    if traced * PART > total * held.waves_per_group:
        sample.most_instructions = max(ALL_TELL // traced, ONE_TELLS)


cdef double block_time(const Simulated *it, int64_t block, bint late) noexcept nogil:
    """Mean cycles of a wavefront in it."""
    cdef const BlockTime *time = it.model.times + block
    cdef double cycles = 0
    cdef int64_t step
    if late and time.late_visits:
        return <double> time.late_cycles / time.late_visits
    if it.model.visits[block]:
        return <double> time.cycles / it.model.visits[block]
    for step in range(it.steps.first[block], it.steps.first[block + 1]):     # nobody was there
        cycles += it.steps.steps[step].cycles
    return cycles


cdef double rest_of(const Simulated *it, const uint64_t *counts, double part, bint late) noexcept nogil:
    """Cycles of the wavefronts of followed units that were not followed, all together. Less than none where those that
    were have more to do than others."""
    cdef double cycles = 0
    cdef int64_t block
    for block in range(it.steps.n_blocks):
        cycles += (part * counts[block] - it.model.visits[block]) * block_time(it, block, late)
    return cycles


cdef bint is_whole(const Simulated *it, const Sample *sample) noexcept nogil:
    """It is the launch itself."""
    return sample_groups(sample) == sample.total and not it.is_cut


cdef double cold_start(Simulated *it, const uint64_t *counts) noexcept nogil:
    """Cycles until the first wavefront has all the code that any goes through."""
    cdef Model *m = &it.model
    cdef const Step *step
    cdef int64_t block, at, lines = 0
    cdef uint32_t line
    for block in range(it.steps.n_blocks):
        for at in range(it.steps.first[block], it.steps.first[block + 1] if counts[block] else 0):
            step = it.steps.steps + at
            for line in range(step.code, step.code + step.n_code):
                lines += m.code[line] == 0
                m.code[line] = 1
    return lines * (m.smem_up + m.dram_latency + m.smem_down)


cdef double estimate(Simulated *it, const Sample *sample, const Held *held, const uint64_t *counts,
                     double *uncertainty) noexcept nogil:
    cdef double finish = it.model.stats.finish, part, at_work, cycles, other, start
    uncertainty[0] = 0
    if is_whole(it, sample):
        return finish
    start = cold_start(it, counts)
    part = <double> sample.n_units / sample.units
    at_work = min(held.groups_per_cu * sample.n_units, sample.mine) * held.waves_per_group
    cycles = max(finish + rest_of(it, counts, part, True) / at_work, finish / 2)
    other = max(finish + rest_of(it, counts, part, False) / at_work, finish / 2)
    uncertainty[0] = ALIKE + fabs(other - cycles) / cycles
    return cycles + start
