# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from its counts alone, by a closed formula: no addresses, no order of events.

For each compute unit the larger of what its units need for all wavefronts, and of what one wavefront takes alone times
the rounds of them (too few to hide latency); over that, what memory needs for the bytes. It takes loads to be of words
side by side, each line to come from memory once, and every wait to be for memory, so that it is good for streams, and
no more than a bound elsewhere.
"""
from libc.math cimport ceil
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held, chip_model_fill
from clpy.device.gpu.timing.model cimport FINE, Step
from clpy.device.gpu.timing.program cimport Program, Steps
from clpy.device.gpu.timing.vliw cimport element_fine, is_on_complete_path
from clpy.device.gpu.timing.waves cimport (
    KIND_ATOMIC, KIND_ATOMIC_RETURN, KIND_CACHED_LOAD, KIND_IMAGE_ATOMIC, KIND_IMAGE_LOAD, KIND_IMAGE_SAMPLE, KIND_LOAD,
    UNIT_BRANCH, UNIT_LDS, UNIT_SALU, UNIT_SMEM, UNIT_VALU, UNIT_VMEM, UNIT_WAIT, WAIT_ANY)

cdef enum:
    LINE = 64

ctypedef struct Sums:            # over all wavefronts
    double valu, salu, lds, vmem, waits, read, written
    double gaps                  # of Gen chips
    double channels, clauses     # of VLIW chips: cycles of the L2's channels, and between clauses


cdef inline bint is_load(const Step *step) noexcept nogil:
    return (step.kind == KIND_LOAD or step.kind == KIND_IMAGE_LOAD or step.kind == KIND_IMAGE_SAMPLE
            or step.kind == KIND_ATOMIC_RETURN or step.kind == KIND_CACHED_LOAD)


cdef double memory_cycles(const ChipModel *chip, const Step *step) noexcept nogil:
    """Of the address unit, for words side by side."""
    cdef double moved = ceil(step.bytes * chip.rates.lanes / <double> LINE)
    if step.kind == KIND_ATOMIC or step.kind == KIND_ATOMIC_RETURN or step.kind == KIND_IMAGE_ATOMIC:
        return chip.vmem_atomic
    if chip.rates.vliw.is_so:
        return max(<double> chip.rates.vliw.address, moved if not is_load(step) else 0)
    if not is_load(step):
        return max(16.0, moved)
    if step.bytes == 8:
        return chip.vmem_load_b64
    return max(4.0, moved) if step.bytes > 4 else 4.0


cdef void add_step(Sums *sums, const ChipModel *chip, const Step *step, double times, double active,
                   bint is_complete) noexcept nogil:
    sums.gaps += times * step.gap
    if step.unit == UNIT_VALU:
        sums.valu += times * step.cycles
    elif step.unit == UNIT_BRANCH and (chip.rates.vliw.is_so or chip.is_gen):
        sums.clauses += times * step.cycles
    elif step.unit == UNIT_SALU or step.unit == UNIT_SMEM or step.unit == UNIT_BRANCH:
        sums.salu += times * step.cycles
    elif step.unit == UNIT_LDS:
        sums.lds += times * step.cycles
    elif step.unit == UNIT_VMEM:
        if chip.is_gen:
            sums.vmem += max(times, active * step.bytes / LINE)
        else:
            sums.vmem += times * memory_cycles(chip, step)
        if chip.rates.vliw.is_so:
            sums.channels += active * element_fine(&chip.rates.vliw, step, is_complete) / FINE
        if is_load(step):
            sums.read += active * step.bytes
        else:
            sums.written += active * step.bytes
    elif step.unit == UNIT_WAIT and (step.vm == 0 or (chip.is_gen and step.vm < WAIT_ANY)):
        sums.waits += times


cdef double formula_cycles(const ChipModel *chip, const Steps *steps, const uint64_t *visits, const uint64_t *lanes,
                           int64_t waves, const Held *held) noexcept nogil:
    cdef Sums sums = Sums(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    cdef int64_t block, step, units = chip.rates.n_units, resident = max(held.waves_per_cu, 1)
    cdef double alone, rounds, issue, moved
    cdef bint is_complete = chip.rates.vliw.is_so and is_on_complete_path(steps)
    if not waves:
        return 0.0
    for block in range(steps.n_blocks):
        for step in range(steps.first[block], steps.first[block + 1]):
            add_step(&sums, chip, steps.steps + step, visits[block], lanes[block], is_complete)
    alone = (sums.valu * (1 + chip.rates.vliw.echo) + sums.salu + sums.gaps + sums.clauses + sums.lds
             + sums.waits * chip.dram_latency) / waves
    rounds = (waves + units * resident - 1) // (units * resident)
    if chip.is_gen:              # two FPUs, one of which can do all, and one port for both kinds of memory
        issue = max(max((sums.valu + sums.salu) / 2, sums.salu) / chip.simds, sums.lds + sums.vmem) / units
    else:
        issue = max(max(sums.valu / chip.simds, sums.salu / chip.simds), max(sums.lds, sums.vmem)) / units
    issue = max(issue, sums.channels / chip.rates.l2_channels.by)
    moved = sums.read / chip.efficiency + sums.written / chip.write_efficiency
    return max(max(issue, rounds * alone), max(moved / chip.bytes_per_cycle, waves / chip.starts_per_cycle)) \
        + alone / resident


def launch_cycles(chip, Program program, visits, lanes, waves, occupancy):
    """For tests and tools. `visits`, `lanes`: by block, of all wavefronts."""
    cdef ChipModel model
    cdef Held held = Held(occupancy.waves_per_simd, occupancy.groups_per_cu, occupancy.waves_per_cu, 0,
                          chip.compute.simds, False)
    cdef int64_t i, n = program.n_blocks
    cdef uint64_t *numbers = <uint64_t *> malloc(2 * n * sizeof(uint64_t))
    if numbers == NULL:
        raise MemoryError
    try:
        chip_model_fill(&model, chip)
        for i in range(n):
            numbers[i], numbers[n + i] = visits[i], lanes[i]
        return formula_cycles(&model, &program.view, numbers, numbers + n, waves, &held)
    finally:
        free(numbers)
