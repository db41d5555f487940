# SPDX-License-Identifier: Apache-2.0
"""A compute unit: four SIMDs of a GCN chip, one of a VLIW chip, the EUs of a Gen chip's subslice, and what their
wavefronts share.

- A wavefront issues one instruction after the other, at most one every four cycles: the SIMDs take turns.
- In a SIMD's turn each of its wavefronts may issue, one instruction of a kind in all: vector arithmetic, scalar (with
  scalar loads), branch. Vector arithmetic holds the SIMD for its issue cycles.
- The address unit (vector memory), LDS and the exporter are one for all four SIMDs, busy as long as the trace says.
  What they have not got to yet waits in a queue, and only where that is full does the wavefront wait.
- Loads are complete in the order of issue; s_waitcnt waits until at most so many are not.
- VLIW chips: vliw.pxd. Gen chips: gen.pxd.
- A barrier lets go when all wavefronts of the group that have not ended are there.

A wavefront is at the top of the unit's tree when it can issue; here it does steps until it is another's turn, and is
put back. Who came first is served first, among several the oldest. Long steps of arithmetic are cut so that wavefronts
of a SIMD share it.
"""
from libc.stdint cimport UINT64_MAX, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from clpy.device.gpu.timing.caches cimport (
    code_line, past_loads, scalar_load, vector_atomic, vector_loads, vector_store)
from clpy.device.gpu.timing.dispatch cimport wave_done
from clpy.device.gpu.timing.events cimport (
    event_before, event_of_others, event_rival, event_wave, events_drop, events_push, has_events)
from clpy.device.gpu.timing.gen cimport comes_back, issue_port, local_port
from clpy.device.gpu.timing.model cimport (
    LGKM_RING, MOST_JUMP, SLICE, STALL_BARRIER, STALL_BRANCH, STALL_COUNT, STALL_EXPORT, STALL_FETCH, STALL_LDS,
    STALL_SALU, STALL_VALU, STALL_VMEM, STALL_WAIT_EXP, STALL_WAIT_LGKM, STALL_WAIT_VM, USE_ACCESSES, USE_CONFLICTS,
    USE_COUNT, USE_LINES, VM_RING, WINDOW, BlockTime, ComputeUnit, Group, Jump, Model, Step, Wave, line_of_wave,
    prefetch)
from clpy.device.gpu.timing.vliw cimport takes_path
from clpy.device.gpu.timing.waves cimport (
    KIND_ATOMIC, KIND_ATOMIC_RETURN, KIND_IMAGE_ATOMIC, KIND_IMAGE_STORE, KIND_LOAD, KIND_STORE, UNIT_BARRIER,
    UNIT_BRANCH, UNIT_END, UNIT_EXPORT, UNIT_LDS, UNIT_SALU, UNIT_SMEM, UNIT_VALU, UNIT_VMEM, UNIT_WAIT, lines_of,
    nth_line, told_of)

cdef enum:
    AHEAD = 16                   # words of a trace: a line of the host's cache

cdef enum:                       # what becomes of a wavefront after a step
    GOES_ON
    WAITS                        # at a barrier
    ENDED
    IS_EARLY                     # others have not come as far


cdef inline void stall(Model *model, Wave *wave, int32_t reason, int64_t until) noexcept nogil:
    """The wavefront's next instruction could not be issued before `until`."""
    if until > wave.now:
        model.stalls[<int64_t> wave.step * STALL_COUNT + reason] += until - wave.now
        wave.now = until


cdef inline void used(Model *model, const Wave *wave, int32_t what, int64_t n) noexcept nogil:
    model.uses[<int64_t> wave.step * USE_COUNT + what] += n


cdef inline bint is_atomic(const Step *step) noexcept nogil:
    return (step.kind == KIND_ATOMIC or step.kind == KIND_ATOMIC_RETURN
            or step.kind == KIND_IMAGE_ATOMIC)


cdef inline uint32_t scratch_of(Model *model, ComputeUnit *unit, Wave *wave) noexcept nogil:
    """The first line of a wavefront's scratch, which belongs to the slot that it has."""
    return model.scratch_first + <uint32_t> (
        (unit.index * <int64_t> model.waves_per_simd * model.simds + (wave - unit.waves)) * model.scratch_lines)


cdef inline void vm_issue(Wave *wave, int64_t done) noexcept nogil:
    wave.pending.vm_last = max(wave.pending.vm_last, done)
    wave.pending.vm[wave.vm_issued % VM_RING] = wave.pending.vm_last
    wave.vm_issued += 1


cdef inline void lgkm_issue(Wave *wave, int64_t done) noexcept nogil:
    wave.pending.lgkm_last = max(wave.pending.lgkm_last, done)
    wave.pending.lgkm[wave.lgkm_issued % LGKM_RING] = wave.pending.lgkm_last
    wave.lgkm_issued += 1


cdef bint waits_for_code(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    """Nobody asks again for what was there before anything of this window."""
    cdef int64_t before = wave.now, there, latest = 0
    cdef uint32_t line
    for line in range(step.code, step.code + step.n_code):
        there = code_line(model, unit.code, line, wave.now)
        latest = max(latest, there)
        stall(model, wave, STALL_FETCH, there)
    if latest <= before - WINDOW:
        unit.is_cold[wave.step] = False
    return wave.now > before


cdef inline void do_arithmetic(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    """Vector or scalar: the one or the other is next, no one knows which, so that they share their code."""
    cdef uint32_t cycles = wave.left if wave.left else step.cycles
    cdef int64_t *is_free = issue_port(model, unit, wave, step)
    wave.left = 0
    if cycles > SLICE and step.unit == UNIT_VALU and unit.waves_on_simd[wave.simd] > 1:
        wave.left = cycles - SLICE
        cycles = SLICE
    stall(model, wave, STALL_VALU + step.unit - UNIT_VALU, is_free[0])
    wave.now += cycles
    if model.vliw.is_so:
        wave.now += cycles * model.vliw.echo
    is_free[0] = wave.now
    if wave.left == 0:
        wave.now += step.gap


cdef inline void takes_turn(Model *model, ComputeUnit *unit, Wave *wave) noexcept nogil:
    """Of a VLIW chip's SIMD, for something that is no arithmetic."""
    stall(model, wave, STALL_VALU, unit.issue_free[UNIT_VALU][wave.simd])
    unit.issue_free[UNIT_VALU][wave.simd] = wave.now + model.vliw.issue * (1 + model.vliw.echo)


cdef inline void stops_simd(Model *model, ComputeUnit *unit, const Wave *wave, int64_t cycles) noexcept nogil:
    """So long no wavefront gets its turn."""
    cdef int32_t turn
    for turn in range(model.simds):
        unit.issue_free[UNIT_VALU][turn] = max(unit.issue_free[UNIT_VALU][turn], wave.now) + cycles


cdef void do_branch(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    stall(model, wave, STALL_BRANCH, unit.issue_free[UNIT_BRANCH][wave.simd])
    if model.is_gen:             # its own thread's front end is busy, and no other's
        unit.issue_free[UNIT_BRANCH][wave.simd] = wave.now + 1
        wave.now += step.cycles
        return
    if model.vliw.is_so:
        unit.issue_free[UNIT_BRANCH][wave.simd] = wave.now + model.vliw.issue
        wave.now += step.cycles
        return
    unit.issue_free[UNIT_BRANCH][wave.simd] = wave.now + step.cycles
    if step.last and wave.at < wave.end and wave.at[0] != step.block + 1:
        wave.now += max(model.branch_taken, <int64_t> step.cycles)
    else:
        wave.now += step.cycles


cdef inline void asks(Model *model, const ComputeUnit *unit, const Wave *wave) noexcept nogil:
    """Its next requests are the instruction's."""
    model.asking = model.asked + wave.step
    if model.n_others:
        model.n_asking += 1
        model.column = model.groups[unit.groups[wave.group].index].column
        model.turn = model.groups[unit.groups[wave.group].index].turn


cdef void do_smem(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    cdef uint32_t n = lines_of(wave.at[0]), i
    cdef uint32_t scratch = scratch_of(model, unit, wave)
    cdef int64_t done = 0
    asks(model, unit, wave)
    stall(model, wave, STALL_SALU, unit.issue_free[UNIT_SALU][wave.simd])
    for i in range(n):
        done = max(done, scalar_load(model, unit, line_of_wave(nth_line(wave.at, i), scratch), wave.now))
    wave.at += 1 + told_of(wave.at[0])
    wave.now += step.cycles
    unit.issue_free[UNIT_SALU][wave.simd] = wave.now
    lgkm_issue(wave, max(done, wave.now))


cdef inline bint is_store(const Step *step) noexcept nogil:
    return step.kind == KIND_STORE or step.kind == KIND_IMAGE_STORE


cdef int64_t store_lines(Model *model, ComputeUnit *unit, const uint32_t *words, uint32_t n, uint32_t scratch,
                         int64_t start, int64_t cycles) noexcept nogil:
    """The address unit has them until they have left."""
    cdef int64_t done = start + cycles, at
    cdef uint32_t i
    for i in range(n):
        at = start + min(<int64_t> i, cycles)
        done = max(done, vector_store(model, unit, line_of_wave(nth_line(words, i), scratch), &at))
        unit.vmem_free = max(unit.vmem_free, at)
    return done


cdef int64_t touch_lines(Model *model, ComputeUnit *unit, Wave *wave, const Step *step, uint32_t n, int64_t start,
                         int64_t cycles) noexcept nogil:
    """When all lines of a vector memory instruction have been there; the address unit takes it up at `start`."""
    cdef int64_t done = start + cycles, operations
    cdef uint32_t i, scratch = scratch_of(model, unit, wave)
    if is_store(step):
        return store_lines(model, unit, wave.at, n, scratch, start, cycles)
    if not is_atomic(step):
        if model.vliw.goes_past or model.is_gen:
            return past_loads(model, unit, wave.at, n, scratch, start, cycles)
        return vector_loads(model, unit, wave.at, n, scratch, start, cycles)
    for i in range(n):
        operations = wave.at[1 + told_of(wave.at[0])] if i == 0 else 1
        done = max(done, vector_atomic(model, unit, line_of_wave(nth_line(wave.at, i), scratch),
                                       start + min(<int64_t> i, cycles), max(operations, model.least_operations)))
    return done


cdef void do_vmem(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    cdef uint32_t n = lines_of(wave.at[0])
    cdef int64_t cycles = wave.at[0] >> 16, asked = wave.now, start, done
    asks(model, unit, wave)
    if wave.vm_issued >= model.vm_most:
        stall(model, wave, STALL_VMEM, wave.pending.vm[(wave.vm_issued - model.vm_most) % VM_RING])
    stall(model, wave, STALL_VMEM, unit.vmem_free - model.queue_cycles)
    model.stats.vmem_stalled += wave.now - asked
    if is_store(step):
        model.stats.write_stalled += wave.now - asked
    if model.vliw.is_so:
        takes_path(model, step, n)
        takes_turn(model, unit, wave)
        if n and not is_store(step):
            cycles = max(cycles, model.vliw.address)
    start = max(wave.now, unit.vmem_free)
    unit.vmem_free = start + cycles
    done = touch_lines(model, unit, wave, step, n, start, cycles)
    if not is_store(step):
        done = max(done, start + cycles + model.l1_hit - 1)
    if model.is_gen and not comes_back(step):
        wave.pending.exp_last = max(wave.pending.exp_last, done)
    else:
        vm_issue(wave, done)
    used(model, wave, USE_ACCESSES, n != 0)
    used(model, wave, USE_LINES, n)
    if not model.is_gen:
        wave.pending.exp_last = max(wave.pending.exp_last, start + cycles)
    wave.at += 1 + told_of(wave.at[0]) + (1 if is_atomic(step) else 0)
    wave.now += model.vmem_issue
    model.stats.busy[UNIT_VMEM] += unit.vmem_free - start        # with what kept stores from leaving


cdef void do_lds(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    cdef int64_t cycles = max(<int64_t> (wave.at[0] >> 16), <int64_t> step.cycles), start
    cdef uint32_t skip = 1 + told_of(wave.at[0])
    cdef int64_t *port = local_port(model, unit)
    cdef bint gives
    if is_atomic(step):
        cycles = max(cycles, <int64_t> wave.at[skip])
        skip += 1
    if model.vliw.is_so:
        takes_turn(model, unit, wave)
        stops_simd(model, unit, wave, cycles - step.cycles)
    stall(model, wave, STALL_LDS, port[0] - model.queue_cycles)
    start = max(wave.now, port[0])
    port[0] = start + cycles
    if model.is_gen and not comes_back(step):
        wave.pending.exp_last = max(wave.pending.exp_last, start + cycles + model.lds_latency)
    else:
        lgkm_issue(wave, start + cycles + model.lds_latency)
    wave.at += skip
    wave.now += model.vmem_issue
    if model.vliw.is_so:         # what is read is there before the next bundle
        gives = step.kind == KIND_LOAD or step.kind == KIND_ATOMIC_RETURN
        wave.now = start + cycles + (model.lds_latency if gives else 0)
    model.stats.busy[UNIT_LDS] += cycles
    model.stats.lds_conflicts += cycles - step.cycles
    if cycles > step.cycles:
        used(model, wave, USE_CONFLICTS, cycles - step.cycles)


cdef void do_export(Model *model, ComputeUnit *unit, Wave *wave, const Step *step) noexcept nogil:
    stall(model, wave, STALL_EXPORT, unit.export_free)
    unit.export_free = wave.now + step.cycles
    wave.pending.exp_last = unit.export_free
    wave.now += model.vmem_issue


cdef inline void do_wait(Model *model, Wave *wave, const Step *step) noexcept nogil:
    if step.vm < wave.vm_issued and step.vm < VM_RING:
        stall(model, wave, STALL_WAIT_VM, wave.pending.vm[(wave.vm_issued - step.vm - 1) % VM_RING])
    if step.lgkm < wave.lgkm_issued and step.lgkm < LGKM_RING:
        stall(model, wave, STALL_WAIT_LGKM, wave.pending.lgkm[(wave.lgkm_issued - step.lgkm - 1) % LGKM_RING])
    if step.exp == 0:
        stall(model, wave, STALL_WAIT_EXP, wave.pending.exp_last)
    wave.now += step.cycles


cdef void release(Model *model, ComputeUnit *unit, Group *group, int64_t time) noexcept nogil:
    """All that can come are at the barrier."""
    cdef int32_t number
    cdef Wave *wave
    for number in range(group.n_waves):
        if group.since[number] >= 0:
            wave = unit.waves + group.waves[number]
            model.stalls[<int64_t> wave.step * STALL_COUNT + STALL_BARRIER] += time - wave.now
            wave.now = time
            group.since[number] = -1
            follow(model, wave, model.steps + wave.step)
            events_push(unit, group.waves[number])
    group.arrived = 0


cdef inline void block_left(Model *model, Wave *wave, uint32_t block) noexcept nogil:
    cdef BlockTime *time = model.times + block
    time.cycles += wave.now - wave.entered
    if model.n_left <= model.late:
        time.late_cycles += wave.now - wave.entered
        time.late_visits += 1
    wave.entered = wave.now
    model.n_left -= 1


cdef inline int follow(Model *model, Wave *wave, const Step *step) noexcept nogil:
    """To what is behind a step: into the next block where it is the last of its own. Where there is none the trace was
    cut."""
    if not step.last:
        wave.step += 1
        return GOES_ON
    block_left(model, wave, step.block)
    if wave.at == wave.end:
        return ENDED
    wave.step = model.first[wave.at[0]]
    model.visits[wave.at[0]] += 1
    wave.at += 1
    return GOES_ON


cdef int do_barrier(Model *model, ComputeUnit *unit, int32_t slot) noexcept nogil:
    """It waits, and is let go by the last that comes, which may be itself."""
    cdef Wave *wave = unit.waves + slot
    cdef Group *group = unit.groups + wave.group
    cdef int32_t number
    for number in range(group.n_waves):
        if group.waves[number] == slot:
            group.since[number] = wave.now
    group.arrived += 1
    group.latest = max(group.latest, wave.now)
    return WAITS


cdef void leave(Model *model, ComputeUnit *unit, int32_t slot) noexcept nogil:
    """A wavefront ends. Those at the barrier no longer wait for it."""
    cdef Wave *wave = unit.waves + slot
    cdef Group *group = unit.groups + wave.group
    cdef int32_t number
    for number in range(group.n_waves):
        if group.waves[number] == slot:
            group.waves[number] = -1
    if group.arrived and group.arrived == group.alive - 1:
        release(model, unit, group, max(group.latest, wave.now) + model.barrier)
    wave_done(model, unit, slot)


cdef int do_step(Model *model, ComputeUnit *unit, int32_t slot) noexcept nogil:
    cdef Wave *wave = unit.waves + slot
    cdef const Step *step = model.steps + wave.step
    cdef uint32_t kind = step.unit
    if unit.is_cold[wave.step] and wave.left == 0 and waits_for_code(model, unit, wave, step):
        return GOES_ON
    if kind <= UNIT_SALU:
        do_arithmetic(model, unit, wave, step)
        if wave.left:
            return GOES_ON
    elif kind == UNIT_WAIT:
        do_wait(model, wave, step)
    elif kind == UNIT_VMEM:
        do_vmem(model, unit, wave, step)
    elif kind == UNIT_LDS:
        do_lds(model, unit, wave, step)
    elif kind == UNIT_SMEM:
        do_smem(model, unit, wave, step)
    elif kind == UNIT_BRANCH:
        do_branch(model, unit, wave, step)
    elif kind == UNIT_BARRIER:
        return do_barrier(model, unit, slot)
    elif kind == UNIT_EXPORT:
        do_export(model, unit, wave, step)
    elif kind == UNIT_END:
        block_left(model, wave, step.block)
        return ENDED
    else:
        wave.now += step.cycles
    return follow(model, wave, step)


cdef inline bint is_plain(const ComputeUnit *unit, const Wave *wave, const Step *step) noexcept nogil:
    """Arithmetic that is done as a whole, whose code is there."""
    return (step.unit <= UNIT_SALU and wave.left == 0 and not unit.is_cold[wave.step]
            and (step.cycles <= SLICE or step.unit == UNIT_SALU or unit.waves_on_simd[wave.simd] == 1))


cdef inline bint is_seen(const ComputeUnit *unit, const Wave *wave, const Step *step) noexcept nogil:
    """Whether the step is of importance outside of the unit, or may be: others ask the same caches, and a wavefront's
    end lets the next group come."""
    cdef uint32_t kind = step.unit
    return (kind == UNIT_VMEM or kind == UNIT_SMEM or kind == UNIT_END or unit.is_cold[wave.step]
            or (step.last and wave.at == wave.end))


cdef inline bint jumps(const Model *model, ComputeUnit *unit, Wave *wave, const Jump *jump,
                       uint64_t limit) noexcept nogil:
    """Do several steps of arithmetic as one, where none of them waits and no other wavefront's turn comes before their
    end."""
    cdef int64_t *vector = unit.issue_free[UNIT_VALU] + wave.simd
    cdef int64_t *scalar = unit.issue_free[UNIT_SALU] + wave.simd
    cdef int64_t end = wave.now + jump.cycles
    cdef uint64_t cold
    if jump.n == 0 or max(vector[0], scalar[0]) > wave.now or event_before(end) | wave.rank >= limit:
        return False
    memcpy(&cold, unit.is_cold + wave.step, sizeof(cold))
    if cold << 8 * (MOST_JUMP - jump.n):
        return False
    vector[0] = end - jump.since[0] if jump.has[0] else vector[0]
    scalar[0] = end - jump.since[1] if jump.has[1] else scalar[0]
    wave.now = end
    wave.step += <int32_t> jump.n
    return True


cdef int run_wave(Model *model, ComputeUnit *unit, int32_t slot, uint64_t limit, int64_t until) noexcept nogil:
    """As long as its key is less than `limit`, and from `until` on what others do not see. Arithmetic, which most steps
    are, is done here: how far the wavefront is stays in the host's registers."""
    cdef Wave *wave = unit.waves + slot
    cdef const Step *step = model.steps + wave.step
    cdef int64_t *is_free
    cdef int64_t now, echo = model.vliw.echo
    cdef int state
    while True:
        now = wave.now
        if now >= until and is_seen(unit, wave, step):
            return IS_EARLY
        while is_plain(unit, wave, step):
            if echo == 0 and jumps(model, unit, wave, model.jumps + wave.step, limit):
                now = wave.now
                step = model.steps + wave.step
                if step.last and wave.at == wave.end and now >= until:
                    return IS_EARLY
                continue
            is_free = issue_port(model, unit, wave, step)
            if is_free[0] > now:
                stall(model, wave, STALL_VALU + step.unit - UNIT_VALU, is_free[0])
                now = is_free[0]
            now += step.cycles
            if echo:
                now += step.cycles * echo
            is_free[0] = now
            now += step.gap
            wave.now = now
            if not step.last:
                wave.step += 1
                step += 1
            elif follow(model, wave, step) == ENDED:
                return ENDED
            else:
                step = model.steps + wave.step
            if event_before(now) | wave.rank >= limit:
                return GOES_ON
            if step.last and wave.at == wave.end and now >= until:
                return IS_EARLY
        if wave.now >= until and is_seen(unit, wave, step):
            return IS_EARLY
        if step.unit == UNIT_WAIT and not unit.is_cold[wave.step]:
            do_wait(model, wave, step)
            state = follow(model, wave, step)
        elif step.unit == UNIT_LDS and not unit.is_cold[wave.step]:
            do_lds(model, unit, wave, step)
            state = follow(model, wave, step)
        elif step.unit == UNIT_VMEM and not unit.is_cold[wave.step]:
            do_vmem(model, unit, wave, step)
            state = follow(model, wave, step)
        else:
            state = do_step(model, unit, slot)
        if state != GOES_ON or event_before(wave.now) | wave.rank >= limit:
            return state
        step = model.steps + wave.step


cdef void run_unit(Model *model, ComputeUnit *unit, int64_t until) noexcept nogil:
    """All that happens in the unit before `until`, and what follows up to the first step that others see: that has to
    wait until they have come as far. Wavefronts, and their traces most of all, are more than the host's cache holds:
    what one will want when it goes on is fetched while others do, and so are those that come next."""
    cdef int32_t slot
    cdef int state
    cdef uint64_t limit
    cdef Group *group
    while has_events(unit):
        slot = event_wave(unit)
        prefetch(unit.waves + event_rival(unit))
        limit = event_of_others(unit, slot) if unit.n_waves > 1 else UINT64_MAX
        state = run_wave(model, unit, slot, limit, until)
        if state == GOES_ON or state == IS_EARLY:
            prefetch(unit.waves[slot].at + AHEAD)
            events_push(unit, slot)
            if state == IS_EARLY:
                return
            continue
        events_drop(unit, slot)
        if state == ENDED:
            leave(model, unit, slot)
            continue
        group = unit.groups + unit.waves[slot].group
        if group.arrived == group.alive:
            release(model, unit, group, group.latest + model.barrier)
