# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from some of its wavefronts.

- Compute units are alike, so one of them is followed. What it asks the L2 for the others ask for as well, each for
  lines where its own groups have theirs (others.pyx).
- It gets the groups that it would get of the launch: of as many as all units hold, those whose turn it is, since what
  the groups of a unit have in common is in its cache. Then the same further on in the NDRange, several rounds together,
  for caches that are warm and groups that do more or less. Of very much a wavefront tells its first instructions.
- Units drift apart: from the second round on it is anyone's turn. So where rows of groups are no whole number of rounds
  it gets one of as many as there are units, evenly spread. In turn its groups would stand in some columns only, far
  apart, and have few sets of its L1 for all their lines. Where rows are whole rounds the groups below each other that
  it gets in turn have as much in common as neighbours that one unit gets because several of its groups end at once.
- The code is there: that it has to come first is the start alone, and the time of that is added.
- The counts of all wavefronts say how often each block was gone through. Each time takes what it took on average where
  it was followed, behind the cold start; and there are always as many wavefronts at work as the compute units hold.

- Where groups have unlike work, by the counts of each, the end of the launch is another one (uneven.pyx).

What this leaves out is how often a unit gets several groups that are beside each other.
"""
from libc.math cimport fabs
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.model cimport BESIDE, BlockTime, Model, Step
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.uneven cimport is_uneven, resident_cycles, uneven_cycles
from clpy.device.gpu.timing.waves cimport UNIT_BARRIER, UNIT_VALU, UNIT_VMEM

cdef enum:
    PART = 128                   # of a launch: as much may be traced without limit,
    STRAIGHT_PART = 256          # of wavefronts that go straight on
    ALL_TELL = 5 << 17           # instructions: beyond that, of all wavefronts together,
    ONE_TELLS = 128              # but of each one at least so many,
    MOST = 1 << 16               # and never more
    ROUNDS = 3                   # of groups that a compute unit holds, at least
    WARM = 1024                  # wavefronts without loops, which fill the L2 some times: that many,
    WARM_LINES = 1 << 14         # or as many as have so many lines,
    HALF_WARM = 512              # but no fewer than these

cdef double ALIKE = 0.1          # what compute units, and parts of a launch, differ by at least


cdef bint rows_are_rounds(const Sample *sample, const size_t *groups) noexcept nogil:
    """Whether the groups whose turn it is stand below each other."""
    cdef int64_t in_row = groups[0] if groups[0] > 1 else groups[1]
    return in_row % sample.units == 0 or sample.units % in_row == 0


cdef int64_t first_below(const Sample *sample, const size_t *groups) noexcept nogil:
    """The first group of the second row, to tell how far rows are apart, where no followed group begins a row."""
    cdef int64_t in_row = groups[0] if groups[0] > 1 else groups[1], group = sample.units
    if in_row < sample.beside or in_row >= sample.span:
        return 0
    while group < sample.span:
        if (group + sample_turn(sample, 0, group // sample.units)) % in_row == 0:
            return 0
        group += sample.units
    return in_row


cdef void find_way(Way *way, const Steps *steps, int64_t longest) noexcept nogil:
    cdef int64_t i
    way.longest, way.lines, way.stops = longest, 0, False
    for i in range(steps.n_steps):
        if steps.steps[i].unit == UNIT_VMEM:
            way.lines += steps.steps[i].bytes        # of 64 work-items, in lines of 64 bytes
        way.stops = way.stops or steps.steps[i].unit == UNIT_BARRIER


cdef inline int64_t warm(const Way *way) noexcept nogil:
    return min(max(WARM_LINES // max(way.lines, 1), HALF_WARM), WARM)


cdef void sample_make(Sample *sample, const ChipModel *chip, const Held *held, const size_t *groups, const Way *way,
                      bint whole) noexcept nogil:
    cdef int64_t total = groups[0] * groups[1] * groups[2]
    cdef int64_t resident = max(held.groups_per_cu, 1), traced, rounds, short = 0, together = 1
    cdef int64_t part = PART if way.longest == 0 or way.stops else STRAIGHT_PART
    sample.total = sample.mine = sample.span = sample.row = sample.period = max(total, 1)
    sample.units = sample.n_units = min(<int64_t> chip.rates.n_units, sample.total)
    sample.n_rows, sample.most_instructions = 1, INT64_MAX
    sample.in_turn = total if rows_are_rounds(sample, groups) else resident
    sample.beside = sample.n_units
    if whole:
        return
    sample.n_units = 1
    sample.mine = (total + sample.units - 1) // sample.units
    sample.beside = min(BESIDE, sample.units)
    if way.longest:
        short = min(ALL_TELL // way.longest, warm(way)) // held.waves_per_group
    traced = min(sample.mine, max(max(total // part, ROUNDS * resident), short))
    if 4 * traced > 3 * sample.mine:
        traced = sample.mine
    if traced < sample.mine:
        rounds = traced // resident
        while together * together < rounds:
            together += 1
        sample.span = together * held.groups_per_cu * sample.units
        sample.n_rows = rounds // together
        sample.period = total // sample.n_rows
    sample.below = first_below(sample, groups)
    sample.row = sample.span // sample.units * sample.n_units + min(sample.span % sample.units, sample.n_units)
    traced = sample_groups(sample) * held.waves_per_group
    sample.most_instructions = MOST
    if traced * PART > total * held.waves_per_group:
        sample.most_instructions = min(max(ALL_TELL // traced, ONE_TELLS), MOST)


cdef int64_t sample_few(const Held *held, const Way *way) noexcept nogil:
    """A round and a quarter, of wavefronts with loops: others have but few lines each, and are to fill the L2."""
    return 0 if way.longest else held.groups_per_cu + held.groups_per_cu // 4


cdef inline bint is_at_once(const Sample *sample, const Held *held) noexcept nogil:
    """The chip holds all groups. Then the followed unit has as many as any: some may have one less."""
    return sample.total <= held.groups_per_cu * sample.units


cdef double share_of_others(const Sample *sample, const Held *held) noexcept nogil:
    if sample.n_units < sample.units and is_at_once(sample, held):
        return <double> sample.total / sample.mine
    return <double> sample.units / sample.n_units


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
    """Cycles until the first wavefront has all the code that most go through."""
    cdef Model *m = &it.model
    cdef const Step *step
    cdef int64_t block, at, lines = 0
    cdef uint32_t line
    for block in range(it.steps.n_blocks):
        for at in range(it.steps.first[block], it.steps.first[block + 1] if 2 * counts[block] > counts[0] else 0):
            step = it.steps.steps + at
            for line in range(step.code, step.code + step.n_code):
                lines += m.code[line] == 0
                m.code[line] = 1
    return lines * (m.smem_up + m.dram_latency + m.smem_down)


cdef double arithmetic_of(const Simulated *it, const uint64_t *counts, int64_t units) noexcept nogil:
    """Cycles that the SIMDs need at least."""
    cdef double cycles = 0
    cdef int64_t block, step
    for block in range(it.steps.n_blocks):
        for step in range(it.steps.first[block], it.steps.first[block + 1]):
            if it.steps.steps[step].unit == UNIT_VALU:
                cycles += <double> counts[block] * it.steps.steps[step].cycles
    return cycles * (1 + it.model.vliw.echo) / (it.model.simds * units)


cdef double of_uneven(const Simulated *it, const Sample *sample, const Held *held, const uint64_t *counts,
                      double at_work) noexcept nogil:
    """What is known of the groups' work says how they end; the pace is that of what was followed."""
    cdef double cycles = 0
    cdef int64_t block
    for block in range(it.steps.n_blocks):
        cycles += <double> counts[block] * block_time(it, block, True)
    cycles = max(cycles * sample.n_units / sample.units / at_work, arithmetic_of(it, counts, sample.units))
    return uneven_cycles(sample.work, sample.total, held, sample.units, cycles)


cdef double estimate(Simulated *it, const Sample *sample, const Held *held, const uint64_t *counts,
                     double *uncertainty) noexcept nogil:
    cdef double finish = it.model.stats.finish, part, at_work, cycles, other, start
    cdef bint at_once = is_at_once(sample, held)
    uncertainty[0] = 0
    if is_whole(it, sample):
        return finish
    start = cold_start(it, counts)
    part = 1 / share_of_others(sample, held)
    at_work = min(held.groups_per_cu * sample.n_units, sample.mine) * held.waves_per_group
    cycles = max(finish + rest_of(it, counts, part, True) / at_work, finish / 2)
    other = max(finish + rest_of(it, counts, part, False) / at_work, finish / 2)
    uncertainty[0] = ALIKE + fabs(other - cycles) / cycles
    if sample.work != NULL and is_uneven(sample.work, sample.total) and not (at_once and it.is_cut):
        if at_once:      # the pace changes from the start on: it is that of the unit that was followed
            other = arithmetic_of(it, counts, sample.units)
            other = resident_cycles(sample.work, sample.total, held, sample.units, other, finish)
        else:
            other = of_uneven(it, sample, held, counts, at_work)
        cycles = other if other > 0 else cycles
    return cycles + start
