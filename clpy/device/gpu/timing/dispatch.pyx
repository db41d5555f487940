# SPDX-License-Identifier: Apache-2.0
"""Groups go to compute units in their order, dimension 0 first.

- At the start one after the other to the next unit with room, the shader engines in turn; afterwards to the unit where
  something ended. A shader engine starts dispatch.groups_per_clk groups and dispatch.waves_per_clk wavefronts a cycle.
- Room: for all wavefronts of the group by registers and slots, for its local memory, and for one more group; the rules
  are those of occupancy.py. A wavefront gives its registers back at its end, the group its local memory with its last.
- The wavefronts of a group go to the SIMDs in turn, past those that are full.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from clpy.device.gpu.timing.events cimport event_rank, events_push
from clpy.device.gpu.timing.model cimport BINS, FINE, ComputeUnit, Group, GroupTrace, Model, Wave, port_take

cdef extern from * nogil:
    int lowest_bit "__builtin_ctzll"(uint64_t bits)


cdef inline int32_t taken(uint64_t *free) noexcept nogil:
    """The first slot of a bit set, which has it no more."""
    cdef int32_t half = 0 if free[0] else 1, bit = lowest_bit(free[half])
    free[half] &= free[half] - 1
    return 64 * half + bit


cdef inline void give(uint64_t *free, int32_t slot) noexcept nogil:
    free[slot >> 6] |= <uint64_t> 1 << (slot & 63)


cdef inline bint has_room(Model *model, ComputeUnit *unit, int32_t n_waves) noexcept nogil:
    return unit.n_groups < model.groups_per_unit and unit.n_waves + n_waves <= model.wave_limit


cdef inline int32_t following(const Model *model, int32_t simd) noexcept nogil:
    return simd + 1 if simd + 1 < model.simds else 0


cdef inline int32_t next_simd(Model *model, ComputeUnit *unit) noexcept nogil:
    cdef int32_t simd = unit.next_simd
    while unit.waves_on_simd[simd] >= model.waves_per_simd:
        simd = following(model, simd)
    unit.next_simd = following(model, simd)
    return simd


cdef void start_wave(Model *model, ComputeUnit *unit, Group *group, int32_t number, GroupTrace *trace,
                     int64_t now) noexcept nogil:
    cdef int32_t slot = taken(unit.free_waves)
    cdef Wave *wave = unit.waves + slot
    wave.pending = unit.pending + slot
    wave.at = trace.waves[number].at
    wave.end = trace.waves[number].end
    wave.now = port_take(model.engines + 2 * unit.engine + 1, now * FINE, model.wave_fine) // FINE
    wave.pending.started = wave.entered = wave.now
    wave.step = model.first[wave.at[0]]
    model.visits[wave.at[0]] += 1
    wave.at += 1
    wave.left = 0
    wave.simd = <int16_t> next_simd(model, unit)
    wave.group = <int16_t> (group - unit.groups)
    wave.rank = event_rank(unit.next_age, slot)
    unit.next_age += 1
    wave.vm_issued = wave.lgkm_issued = 0
    wave.pending.vm_last = wave.pending.lgkm_last = wave.pending.exp_last = 0
    unit.waves_on_simd[wave.simd] += 1
    unit.n_waves += 1
    group.waves[number] = slot
    group.since[number] = -1
    events_push(unit, slot)


cdef void start_group(Model *model, ComputeUnit *unit, int64_t now) noexcept nogil:
    cdef GroupTrace *trace = model.groups + model.next_group
    cdef int32_t slot = taken(unit.free_groups)
    cdef Group *group = unit.groups + slot
    cdef int64_t start = port_take(model.engines + 2 * unit.engine, now * FINE, model.group_fine) // FINE
    cdef int32_t number
    unit.n_groups += 1
    group.index = model.next_group
    group.n_waves = group.alive = trace.n_waves
    group.arrived = 0
    group.latest = 0
    for number in range(trace.n_waves):
        start_wave(model, unit, group, number, trace, start)
    model.next_group += 1


cdef void dispatch_first(Model *model) noexcept nogil:
    """Fill the device. Units are numbered so that the next one belongs to another shader engine."""
    cdef int32_t missed = 0
    cdef ComputeUnit *unit
    while missed < model.n_units and model.next_group < model.fed:
        unit = model.units + model.last_unit
        if has_room(model, unit, model.groups[model.next_group].n_waves):
            start_group(model, unit, 0)
            missed = 0
        else:
            missed += 1
        model.last_unit = (model.last_unit + 1) % model.n_units


cdef void dispatch_more(Model *model, ComputeUnit *unit, int64_t now) noexcept nogil:
    """Something ended in the unit: what has room now?"""
    while model.next_group < model.fed and has_room(model, unit, model.groups[model.next_group].n_waves):
        start_group(model, unit, now)


cdef void count_occupancy(Model *model, int64_t start, int64_t end) noexcept nogil:
    """Add a wavefront's time to the bins it lies in; where it lies behind them all, two become one."""
    cdef int64_t bin, last
    while end > model.bin_cycles * BINS:
        for bin in range(BINS // 2):
            model.bins[bin] = model.bins[2 * bin] + model.bins[2 * bin + 1]
        for bin in range(BINS // 2, BINS):
            model.bins[bin] = 0
        model.bin_cycles *= 2
    last = (end - 1) // model.bin_cycles if end > start else -1
    for bin in range(start // model.bin_cycles, last + 1):
        model.bins[bin] += min(end, (bin + 1) * model.bin_cycles) - max(start, bin * model.bin_cycles)


cdef void wave_done(Model *model, ComputeUnit *unit, int32_t slot) noexcept nogil:
    """The wavefront has ended, at its `now`: what it held is free."""
    cdef Wave *wave = unit.waves + slot
    cdef Group *group = unit.groups + wave.group
    cdef int64_t now = wave.now
    give(unit.free_waves, slot)
    unit.waves_on_simd[wave.simd] -= 1
    unit.n_waves -= 1
    model.stats.waves += 1
    model.stats.wave_cycles += now - wave.pending.started
    model.stats.finish = max(model.stats.finish, now)
    count_occupancy(model, wave.pending.started, now)
    group.alive -= 1
    if group.alive == 0:
        give(unit.free_groups, wave.group)
        unit.n_groups -= 1
        model.stats.groups += 1
        model.group_ends[model.n_ended] = now
        model.n_ended += 1
        model.batch_left[model.groups[group.index].batch] -= 1
    dispatch_more(model, unit, now)
