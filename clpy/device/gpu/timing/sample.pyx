# SPDX-License-Identifier: Apache-2.0
"""Which groups of a launch are followed, for a time of the whole; sampled.pyx makes that of what they came to.

- Compute units are alike, so one of them is followed. What it asks the L2 for the others ask for as well, each for
  lines where its own groups have theirs (others.pyx). Where there are few units all are followed: of groups beside each
  other one's are too much of all, so that the others' lines were its own next ones.
- It gets the groups that it would get of the launch: of as many as all units hold, those whose turn it is, since what
  the groups of a unit have in common is in its cache. Then the same further on in the NDRange, several rounds together,
  for caches that are warm and groups that do more or less. Of very much a wavefront tells its first instructions.
- Units drift apart: from the second round on it is anyone's turn. So where rows of groups are no whole number of rounds
  it gets one of as many as there are units, evenly spread. In turn its groups would stand in some columns only, far
  apart, and have few sets of its L1 for all their lines. Where rows are whole rounds the groups below each other that
  it gets in turn have as much in common as neighbours that one unit gets because several of its groups end at once.
- The code is there: that it has to come first is the start alone, and the time of that is added.

What this leaves out is how often a unit gets several groups that are beside each other.
"""
from libc.stdint cimport INT64_MAX, int64_t
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.model cimport BESIDE
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.waves cimport UNIT_BARRIER, UNIT_VMEM

cdef enum:
    PART = 128                   # of a launch: as much may be traced without limit,
    STRAIGHT_PART = 256          # of wavefronts that go straight on
    ALL_TELL = 5 << 17           # instructions: beyond that, of all wavefronts together,
    ONE_TELLS = 128              # but of each one at least so many,
    MOST = 5 << 13               # and never more
    ROUNDS = 3                   # of groups that a compute unit holds, at least,
    FEW_ROUNDS = 6               # of few units, with which caches fill slower,
    KEPT_ROUNDS = 2              # where they have barriers, which keep the unit's wavefronts together
    WARM = 896                   # wavefronts without loops, which fill the L2 some times: that many,
    WARM_LINES = 1 << 14         # or as many as have so many lines,
    HALF_WARM = 512              # but no fewer than these
    FEW_UNITS = 4


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
    cdef bint all_units = chip.rates.n_units <= FEW_UNITS
    cdef int64_t least = FEW_ROUNDS if all_units else KEPT_ROUNDS if way.stops and way.longest == 0 else ROUNDS
    cdef int64_t part = PART if way.longest == 0 or way.stops else STRAIGHT_PART
    sample.total = sample.mine = sample.span = sample.row = sample.period = max(total, 1)
    sample.units = sample.n_units = min(<int64_t> chip.rates.n_units, sample.total)
    sample.n_rows, sample.most_instructions = 1, INT64_MAX
    sample.in_turn = total if rows_are_rounds(sample, groups) else resident
    sample.beside = sample.n_units
    if whole:
        return
    if all_units:
        resident *= sample.units
    else:
        sample.n_units = 1
        sample.mine = (total + sample.units - 1) // sample.units
        sample.beside = min(BESIDE, sample.units)
    if way.longest:
        short = min(ALL_TELL // way.longest, warm(way)) // held.waves_per_group
        short *= sample.units if all_units else 1
    traced = min(sample.mine, max(max(total // part, least * resident), short))
    if 4 * traced > 3 * sample.mine:
        traced = sample.mine
    if traced < sample.mine:
        rounds = traced // resident
        while together * together < rounds:
            together += 1
        sample.span = together * held.groups_per_cu * sample.units
        sample.n_rows = rounds // together
        sample.period = total // sample.n_rows
    sample.below = 0 if all_units else first_below(sample, groups)
    sample.row = sample.span // sample.units * sample.n_units + min(sample.span % sample.units, sample.n_units)
    traced = sample_groups(sample) * held.waves_per_group
    sample.most_instructions = MOST
    if traced * PART > total * held.waves_per_group:
        sample.most_instructions = min(max(ALL_TELL // traced, ONE_TELLS), MOST)


cdef int64_t sample_few(const Held *held, const Way *way) noexcept nogil:
    """A round and a quarter, of wavefronts with loops: others have but few lines each, and are to fill the L2."""
    return 0 if way.longest else held.groups_per_cu + held.groups_per_cu // 4


cdef double share_of_others(const Sample *sample, const Held *held) noexcept nogil:
    if sample.n_units < sample.units and is_at_once(sample, held):
        return <double> sample.total / sample.mine
    return <double> sample.units / sample.n_units
