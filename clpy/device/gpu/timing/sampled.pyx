# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from some of its wavefronts, or from some of a launch that was like it.

- The counts of all wavefronts say how often each block was gone through. Each time takes what it took on average where
  it was followed, behind the cold start; and there are always as many wavefronts at work as the compute units hold.
- Where groups have unlike work, by the counts of each, the end of the launch is another one (uneven.pyx).
- What a launch before was sampled of says the same with the counts of this one. With equal counts and equal work the
  number is the same to the last bit.
"""
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.lines cimport Lines, first_of_host
from clpy.device.gpu.timing.model cimport STALL_COUNT, USE_COUNT, BlockTime, Step
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.sample cimport Sample, is_at_once, sample_groups, share_of_others
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.uneven cimport is_uneven, resident_cycles, uneven_cycles
from clpy.device.gpu.timing.waves cimport UNIT_SALU, UNIT_VALU

cdef enum:
    CONSTANT_LINES = 256         # tables of a program are no more, usually

cdef double ALIKE = 0.1          # what compute units, and parts of a launch, differ by at least


cdef double first_work(const Sample *sample, const float *work) noexcept nogil:
    """Of the groups whose turn it is that the first unit gets."""
    cdef double sum_ = 0
    cdef int64_t group = 0
    while work != NULL and group < sample.total:
        sum_ += work[group]
        group += sample.units
    return sum_


cdef bint strays(const Lines *lines) noexcept nogil:
    """Pointers in memory lead somewhere: to the host's, or to much."""
    return lines.next_of_host != first_of_host() or lines.n_entries > CONSTANT_LINES


cdef Sampled *sampled_blank(const Steps *steps, bint by_step) noexcept nogil:
    cdef int64_t n = steps.n_blocks, by_steps = <int64_t> steps.n_steps if by_step else 0
    cdef size_t bytes = sizeof(Sampled) + 8 * (4 * n + (STALL_COUNT + USE_COUNT) * by_steps)
    cdef Sampled *it = <Sampled *> calloc(1, bytes)
    if it == NULL:
        return NULL
    it.bytes = bytes
    it.counts = <uint64_t *> (it + 1)
    it.visits = it.counts + n
    it.late = <double *> (it.visits + n)
    it.mean = it.late + n
    if by_step:
        it.stalls = <int64_t *> (it.mean + n)
        it.uses = it.stalls + STALL_COUNT * by_steps
    return it


cdef Sampled *sampled_new(const Simulated *it, const Sample *sample, const uint64_t *counts, const float *work,
                          bint by_step) noexcept nogil:
    cdef int64_t n_blocks = it.steps.n_blocks, n_steps = it.steps.n_steps, i
    cdef double share = it.model.n_others + 1        # the others' requests are among them
    cdef Sampled *made = sampled_blank(&it.steps, by_step)
    if made == NULL:
        return NULL
    made.sample = sample[0]
    made.sample.work = NULL
    made.is_whole, made.is_cut = is_whole(it, sample), it.is_cut
    made.strays = strays(&it.lines)
    made.finish = it.model.stats.finish
    made.first_work = first_work(sample, work)
    made.stats = it.model.stats
    made.stats.dram_read_lines = <uint64_t> (made.stats.dram_read_lines / share)
    made.stats.dram_write_lines = <uint64_t> (made.stats.dram_write_lines / share)
    memcpy(made.counts, counts, n_blocks * sizeof(uint64_t))
    memcpy(made.visits, it.model.visits, n_blocks * sizeof(uint64_t))
    for i in range(n_blocks):
        made.late[i], made.mean[i] = block_time(it, i, True), block_time(it, i, False)
    if by_step:
        for i in range(it.model.l2.sets.by * it.model.l2_channels.by * it.model.l2.ways):
            made.dirty_lines += it.model.l2.dirty[i]
        made.dirty_lines = <int64_t> ((made.dirty_lines - it.changed_before) / share)
        memcpy(made.stalls, it.model.stalls, STALL_COUNT * n_steps * sizeof(int64_t))
        memcpy(made.uses, it.model.uses, USE_COUNT * n_steps * sizeof(int64_t))
    return made


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


cdef double rest_of(const Sampled *it, int64_t n_blocks, const uint64_t *counts, double part,
                    const double *times) noexcept nogil:
    """Cycles of the wavefronts of followed units that were not followed, all together. Less than none where those that
    were have more to do than others."""
    cdef double cycles = 0
    cdef int64_t block
    for block in range(n_blocks):
        cycles += (part * counts[block] - it.visits[block]) * times[block]
    return cycles


cdef bint is_whole(const Simulated *it, const Sample *sample) noexcept nogil:
    return sample_groups(sample) == sample.total and not it.is_cut


cdef double cold_start(const Steps *steps, const ChipModel *chip, const uint64_t *counts) noexcept nogil:
    """Cycles until the first wavefront has all the code that most go through."""
    cdef const Step *step
    cdef int64_t block, at, lines = 0
    cdef uint32_t line
    cdef char *is_there = <char *> calloc(steps.n_code + 1, 1)
    for block in range(steps.n_blocks if is_there != NULL else 0):
        for at in range(steps.first[block], steps.first[block + 1] if 2 * counts[block] > counts[0] else 0):
            step = steps.steps + at
            for line in range(step.code, step.code + step.n_code):
                lines += is_there[line] == 0
                is_there[line] = 1
    free(is_there)
    return lines * (chip.rates.smem_up + chip.rates.dram_latency + chip.rates.smem_down)


cdef double arithmetic_of(const Steps *steps, const ChipModel *chip, const uint64_t *counts,
                          int64_t units) noexcept nogil:
    """Cycles that the SIMDs need at least."""
    cdef double cycles = 0
    cdef int64_t block, step
    for block in range(steps.n_blocks):
        for step in range(steps.first[block], steps.first[block + 1]):
            if steps.steps[step].unit == UNIT_VALU or (chip.is_gen and steps.steps[step].unit == UNIT_SALU):
                cycles += <double> counts[block] * steps.steps[step].cycles
    if chip.is_gen:              # two FPUs
        cycles /= 2
    return cycles * (1 + chip.rates.vliw.echo) / (chip.rates.simds * units)


cdef double work_at(const Sampled *it, int64_t n_blocks, const uint64_t *counts) noexcept nogil:
    """Cycles of all wavefronts together, at the pace of what was followed."""
    cdef double cycles = 0
    cdef int64_t block
    for block in range(n_blocks):
        cycles += <double> counts[block] * it.late[block]
    return cycles


cdef double of_uneven(const Sampled *it, const Steps *steps, const ChipModel *chip, const Held *held,
                      const uint64_t *counts, const float *work, double at_work) noexcept nogil:
    """What is known of the groups' work says how they end; the pace is that of what was followed."""
    cdef const Sample *sample = &it.sample
    cdef double cycles = work_at(it, steps.n_blocks, counts) * sample.n_units / sample.units / at_work
    cycles = max(cycles, arithmetic_of(steps, chip, counts, sample.units))
    return uneven_cycles(work, sample.total, held, sample.units, cycles)


cdef double of_resident(const Sampled *it, const Steps *steps, const ChipModel *chip, const Held *held,
                        const uint64_t *counts, const float *work) noexcept nogil:
    """The pace changes from the start on: it is that of the unit that was followed, for what its groups do here."""
    cdef double finish = it.finish
    if it.first_work > 0:
        finish *= first_work(&it.sample, work) / it.first_work
    return resident_cycles(work, it.sample.total, held, it.sample.units,
                           arithmetic_of(steps, chip, counts, it.sample.units), finish)


cdef double estimate(const Sampled *it, const Steps *steps, const ChipModel *chip, const Held *held,
                     const uint64_t *counts, const float *work, double *uncertainty) noexcept nogil:
    cdef const Sample *sample = &it.sample
    cdef int64_t n = steps.n_blocks
    cdef double finish = it.finish, sampled = work_at(it, n, it.counts), part, at_work, cycles, other, least
    cdef double times = work_at(it, n, counts) / sampled if sampled > 0 else 1       # what the sampled launch has to do
    cdef bint at_once = is_at_once(sample, held)
    uncertainty[0] = sampled_differs(it, n, counts)
    if it.is_whole:
        return finish * times
    part = 1 / share_of_others(sample, held)
    at_work = min(held.groups_per_cu * sample.n_units, sample.mine) * held.waves_per_group
    least = finish / 2 * min(times, 1.0)
    cycles = max(finish + rest_of(it, n, counts, part, it.late) / at_work, least)
    other = max(finish + rest_of(it, n, counts, part, it.mean) / at_work, least)
    uncertainty[0] += ALIKE + fabs(other - cycles) / cycles
    if work != NULL and is_uneven(work, sample.total) and not (at_once and it.is_cut):
        other = (of_resident(it, steps, chip, held, counts, work) if at_once else
                 of_uneven(it, steps, chip, held, counts, work, at_work))
        cycles = other if other > 0 else cycles
    cycles = max(cycles, arithmetic_of(steps, chip, counts, sample.units))
    return cycles + cold_start(steps, chip, counts)


cdef double sampled_differs(const Sampled *it, int64_t n_blocks, const uint64_t *counts) noexcept nogil:
    cdef double sum_ = 0, apart = 0
    cdef int64_t block
    for block in range(n_blocks):
        sum_ += <double> it.counts[block] * it.late[block]
        apart += fabs(<double> counts[block] - <double> it.counts[block]) * it.late[block]
    return apart / sum_ if sum_ > 0 else 0


cdef bint sampled_knows(const Sampled *it, int64_t n_blocks, const uint64_t *counts) noexcept nogil:
    cdef int64_t block
    for block in range(n_blocks):
        if counts[block] and not it.counts[block]:
            return False
    return True
