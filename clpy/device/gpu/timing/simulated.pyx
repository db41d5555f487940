# SPDX-License-Identifier: Apache-2.0
"""One launch on a simulated chip: traces of groups go in, the state of the model comes out.

Compute units run apart from each other for WINDOW cycles, in a changing order, and so may ask the L2 a little out of
order; the same traces give the same numbers always.
"""
from libc.math cimport ceil
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset
from clpy.device.host_memory cimport find_host_fn
from clpy.device.gpu.timing.caches cimport aligned_zeros, cache_free, cache_make
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.compute_unit cimport run_unit
from clpy.device.gpu.timing.dispatch cimport dispatch_first
from clpy.device.gpu.timing.events cimport event_time, has_events
from clpy.device.gpu.timing.filled cimport fill_l2
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT, Range, lines_close, lines_of_host, lines_open
from clpy.device.gpu.timing.link cimport link_is_done
from clpy.device.gpu.timing.model cimport (
    MOST_JUMP, MOST_WAVES, SHARE_BITS, STALL_COUNT, USE_COUNT, USUAL_WAVES, WINDOW, Asked, BlockTime, Cache, Channel,
    ComputeUnit, Group, GroupTrace, Model, Pending, Port, Step, Wave, set_services, share_of)
from clpy.device.gpu.timing.others cimport find_others, others_close
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.trace cimport Batch, Words, batch_free, prepare
from clpy.device.gpu.timing.vliw cimport is_on_complete_path
from clpy.device.gpu.timing.waves cimport UNIT_COUNT, UNIT_EXPORT, UNIT_LDS, UNIT_SMEM, UNIT_VMEM

cdef enum:
    COLD_PART = 4                # of what is simulated: its first quarter is the start
    MANY = 1 << 17               # scattered lines

cdef const char *NO_MEMORY = b"no memory for the model of a chip"


cdef const char *simulated_open(Simulated *it, const ChipModel *chip, const Steps *steps, const Held *held,
                                int64_t scratch_bytes, const int64_t *groups, int64_t n_units, Range *ranges,
                                int64_t n_ranges, find_host_fn find_host, Cache *l2) noexcept nogil:
    cdef Model *m = &it.model
    cdef int64_t ways
    memset(it, 0, sizeof(Simulated))
    m[0] = chip.rates
    m.n_units = <int32_t> n_units
    set_services(m)
    m.waves_per_simd = <int32_t> (held.waves_per_simd * held.simds + m.simds - 1) // m.simds
    m.wave_limit = <int32_t> (held.waves_per_simd * held.simds)
    m.groups_per_unit = <int32_t> held.groups_per_cu
    m.scratch_lines = scratch_bytes
    m.scratch_first = SCRATCH_BIT
    m.vliw.is_complete = m.vliw.is_so and is_on_complete_path(steps)
    it.steps = steps[0]
    it.most_waves = held.waves_per_group
    it.groups[0], it.groups[1], it.groups[2] = groups[0], groups[1], groups[2]
    it.last_group = -1
    if not lines_open(&it.lines, ranges, n_ranges):
        return NO_MEMORY
    if find_host != NULL:
        lines_of_host(&it.lines, find_host)
    m.host_places = it.lines.host_places
    m.by_turn = it.lines.next_number
    if l2 == NULL:
        l2 = &it.own_l2
        ways = chip.l2_ways_local if held.has_local else chip.l2_ways
        if not cache_make(l2, chip.l2_bytes // chip.l2_ways * ways, <uint32_t> ways, m.l2_channels.by):
            return NO_MEMORY
    m.l2 = l2
    return NULL if make_state(it, chip) else NO_MEMORY


cdef int64_t scalar_caches(const Model *m) noexcept nogil:
    return (m.n_units + m.scalar_units - 1) // m.scalar_units


cdef bint make_state(Simulated *it, const ChipModel *chip) noexcept nogil:
    cdef Model *m = &it.model
    cdef int64_t i
    m.steps, m.jumps, m.first, m.n_code = it.steps.steps, it.steps.jumps, it.steps.first, it.steps.n_code
    m.bin_cycles = WINDOW
    m.units = <ComputeUnit *> calloc(m.n_units, sizeof(ComputeUnit))
    m.events = <int64_t *> calloc(m.n_units, sizeof(int64_t))
    m.scalars = <Cache *> calloc(scalar_caches(m), sizeof(Cache))
    m.code = <int64_t *> calloc((scalar_caches(m) + 1) * m.n_code + 1, sizeof(int64_t))
    m.is_cold = <uint8_t *> calloc(scalar_caches(m) * it.steps.n_steps + MOST_JUMP, 1)
    m.scalar_ports = <Port *> calloc(scalar_caches(m), sizeof(Port))
    m.l2_ports = <Port *> calloc(m.l2_channels.by, sizeof(Port))
    m.channels = <Channel *> calloc(m.l2_channels.by, sizeof(Channel))
    m.engines = <Port *> calloc(2 * m.n_engines, sizeof(Port))
    m.stalls = <int64_t *> calloc(it.steps.n_steps * STALL_COUNT, sizeof(int64_t))
    m.asked = <Asked *> calloc(it.steps.n_steps, sizeof(Asked))
    m.uses = <int64_t *> calloc(it.steps.n_steps * USE_COUNT, sizeof(int64_t))
    m.visits = <uint64_t *> calloc(it.steps.n_blocks, sizeof(uint64_t))
    m.times = <BlockTime *> calloc(it.steps.n_blocks, sizeof(BlockTime))
    if (m.units == NULL or m.events == NULL or m.scalars == NULL or m.code == NULL or m.is_cold == NULL
            or m.scalar_ports == NULL or m.l2_ports == NULL or m.channels == NULL or m.engines == NULL
            or m.stalls == NULL or m.asked == NULL or m.uses == NULL or m.visits == NULL or m.times == NULL):
        return False
    for i in range(scalar_caches(m) * it.steps.n_steps):
        m.is_cold[i] = m.steps[i % it.steps.n_steps].n_code > 0
    for i in range(scalar_caches(m)):
        if not cache_make(m.scalars + i, chip.scalar_bytes, <uint32_t> chip.scalar_ways, 1):
            return False
    for i in range(m.n_units):
        if not make_unit(m, m.units + i, i, it.steps.n_steps, chip):
            return False
    return True


cdef bint make_unit(const Model *m, ComputeUnit *unit, int64_t index, int64_t n_steps,
                    const ChipModel *chip) noexcept nogil:
    unit.index = <int32_t> index
    unit.engine = <int32_t> (index % m.n_engines)
    unit.code = m.code + (index // m.scalar_units + 1) * m.n_code
    unit.is_cold = m.is_cold + index // m.scalar_units * n_steps
    unit.misses = <int64_t *> calloc(2 * m.l1_misses, sizeof(int64_t))
    unit.stores = unit.misses + m.l1_misses
    unit.leaves = USUAL_WAVES if m.wave_limit <= USUAL_WAVES else MOST_WAVES
    unit.waves = <Wave *> aligned_zeros(unit.leaves * sizeof(Wave))
    unit.pending = <Pending *> calloc(unit.leaves, sizeof(Pending))
    unit.groups = <Group *> calloc(unit.leaves, sizeof(Group))
    memset(unit.events, 0xff, sizeof(unit.events))
    memset(unit.free_waves, 0xff, sizeof(unit.free_waves))
    memset(unit.free_groups, 0xff, sizeof(unit.free_groups))
    return (cache_make(&unit.l1, chip.l1_bytes, <uint32_t> chip.l1_ways, 1) and unit.misses != NULL
            and unit.waves != NULL and unit.pending != NULL and unit.groups != NULL)


cdef void simulated_close(Simulated *it) noexcept nogil:
    cdef Model *m = &it.model
    cdef int64_t i
    if m.units != NULL:
        for i in range(m.n_units):
            cache_free(&m.units[i].l1)
            free(m.units[i].misses)
            free(m.units[i].waves)
            free(m.units[i].pending)
            free(m.units[i].groups)
    if m.scalars != NULL:
        for i in range(scalar_caches(m)):
            cache_free(m.scalars + i)
    for i in range(it.n_batches):
        batch_free(it.batches + i)
    lines_close(&it.lines)
    cache_free(&it.own_l2)
    free(m.units)
    free(m.events)
    free(m.scalars)
    free(m.code)
    free(m.is_cold)
    free(m.scalar_ports)
    free(m.l2_ports)
    free(m.channels)
    free(m.engines)
    free(m.stalls)
    others_close(it)
    free(m.asked)
    free(m.uses)
    free(m.visits)
    free(m.times)
    free(m.groups)
    free(m.group_ends)
    free(m.batch_left)
    free(it.batches)
    memset(it, 0, sizeof(Simulated))


cdef void simulated_has_code(Simulated *it) noexcept nogil:
    memset(it.model.is_cold, 0, scalar_caches(&it.model) * it.steps.n_steps)


cdef bint wider(void **memory, size_t size) noexcept nogil:
    cdef void *moved = realloc(memory[0], size)
    if moved == NULL:
        return False
    memory[0] = moved
    return True


cdef int64_t enough(const Simulated *it, const Batch *batch, int64_t *told) noexcept nogil:
    """How many of the groups that are to be followed, which are `told`, are: of those that touch very many lines, one
    here and one there, fewer do, but no fewer than `few`."""
    cdef int64_t i
    told[0] = 0
    for i in range(batch.n_groups):
        told[0] += is_followed(it, batch.groups[i].number)
    if it.few == 0 or batch.scattered <= MANY:
        return told[0]
    return min(max(told[0] * MANY // batch.scattered, it.few), told[0])


cdef inline bint is_followed(const Simulated *it, int64_t group) noexcept nogil:
    """It is not there to be compared alone."""
    return not (it.model.n_units <= group < it.n_compared or (it.number_below and group == it.number_below))


cdef const char *simulated_add(Simulated *it, const Words *sinks, int64_t n_sinks) noexcept nogil:
    cdef Batch batch
    cdef Model *m = &it.model
    cdef int64_t i, n = it.n_batches, told, most, kept
    cdef const char *wrong = prepare(&it.steps, &it.lines, sinks, n_sinks, it.groups, it.last_group, &batch)
    if wrong != NULL:
        return wrong
    for i in range(batch.n_groups):
        if batch.groups[i].n_waves > it.most_waves:
            batch_free(&batch)
            return b"a group has too many wavefronts"
    if not (wider(<void **> &it.batches, (n + 1) * sizeof(Batch))
            and wider(<void **> &m.batch_left, (n + 1) * sizeof(int64_t))
            and wider(<void **> &m.groups, (m.fed + batch.n_groups) * sizeof(GroupTrace))
            and wider(<void **> &m.group_ends, (m.fed + batch.n_groups) * sizeof(int64_t))):
        batch_free(&batch)
        return NO_MEMORY
    m.batch_left[n] = 0
    most = enough(it, &batch, &told)
    it.is_cut = it.is_cut or most < told
    kept = told                  # the first group is followed, and as many as are enough, evenly spread
    for i in range(batch.n_groups):
        if batch.groups[i].number < it.n_compared:
            it.compared[batch.groups[i].number] = batch.groups[i]
        if it.number_below and batch.groups[i].number == it.number_below:
            it.below = batch.groups[i]
        if not is_followed(it, batch.groups[i].number):
            continue
        kept += most
        if kept <= told:
            continue
        kept -= told
        m.groups[m.fed] = batch.groups[i]
        m.groups[m.fed].batch = <int32_t> n
        it.is_cut = it.is_cut or batch.groups[i].is_cut
        m.fed += 1
        m.batch_left[n] += 1
        m.n_left += batch.groups[i].n_blocks
    m.late = m.n_left - m.n_left // COLD_PART
    it.last_group = batch.last_group
    it.batches[n] = batch
    it.n_batches += 1
    return NULL


cdef bint simulated_share(Simulated *it, double share) noexcept nogil:
    cdef Model *m = &it.model
    m.share = share_of(share)
    set_services(m)
    m.n_others = <int32_t> ceil(share) - 1
    if not find_others(it):
        return False
    if it.is_full:
        fill_l2(it)
    share *= <double> min(m.n_units, m.n_engines) / m.n_engines        # of those that have a dispatcher
    m.group_fine = <int64_t> (m.group_fine * share)
    m.wave_fine = <int64_t> (m.wave_fine * share)
    return True


cdef void simulated_run(Simulated *it, bint last) noexcept nogil:
    cdef Model *m = &it.model
    cdef int64_t i
    it.is_last = last or m.fed >= it.groups[0] * it.groups[1] * it.groups[2]
    run_windows(it)
    m.stats.finish = max(m.stats.finish, link_is_done(m))
    m.stats.dram_read_lines += m.slices.reads >> SHARE_BITS
    m.stats.dram_write_lines += m.slices.writes >> SHARE_BITS
    m.slices.reads = m.slices.writes = 0
    count_issued(it)
    for i in range(it.n_batches):
        if m.batch_left[i] == 0:
            batch_free(it.batches + i)


cdef void count_issued(Simulated *it) noexcept nogil:
    """Instructions of the blocks that wavefronts have come to; and how long units are busy with them, where that is the
    same each time."""
    cdef Model *m = &it.model
    cdef const Step *step
    cdef int64_t i, unit
    for unit in range(UNIT_COUNT):
        m.stats.issued[unit] = 0
        if unit != UNIT_VMEM and unit != UNIT_LDS:
            m.stats.busy[unit] = 0
    for i in range(it.steps.n_steps):
        step = it.steps.steps + i
        m.stats.issued[step.unit] += m.visits[step.block] * step.count
        if step.unit <= UNIT_SMEM or step.unit == UNIT_EXPORT:
            m.stats.busy[step.unit] += m.visits[step.block] * step.cycles


cdef inline int64_t next_event(const ComputeUnit *unit) noexcept nogil:
    return event_time(unit) if has_events(unit) else INT64_MAX


cdef int64_t earliest(const int64_t *events, int64_t n) noexcept nogil:
    cdef int64_t i, first = INT64_MAX
    for i in range(n):
        first = min(first, events[i])
    return first


cdef int64_t used(const Model *m) noexcept nogil:
    """Units up to the last that has wavefronts: groups are given to all in turn, later ones only to those."""
    cdef int64_t n = m.n_units
    while n and m.events[n - 1] == INT64_MAX:
        n -= 1
    return n


cdef void run_windows(Simulated *it) noexcept nogil:
    """What happens in a unit changes no other unit's next event: those of all lie side by side in `events`."""
    cdef Model *m = &it.model
    cdef int64_t now, until, i, at, _, n, most = m.n_units * <int64_t> m.groups_per_unit
    for i in range(m.n_units):
        m.events[i] = next_event(m.units + i)
    n = used(m)
    while it.is_last or m.fed - m.next_group >= most:
        if not it.begun:
            it.begun = True
            dispatch_first(m)
            for i in range(m.n_units):
                m.events[i] = next_event(m.units + i)
            n = used(m)
        now = earliest(m.events, n)
        if now == INT64_MAX:
            break
        until = (now // WINDOW + 1) * WINDOW
        at = until // WINDOW % m.n_units
        at = at if at < n else 0
        for _ in range(n):
            if m.events[at] < until:
                run_unit(m, m.units + at, until)
                m.events[at] = next_event(m.units + at)
            at = at + 1 if at + 1 < n else 0
