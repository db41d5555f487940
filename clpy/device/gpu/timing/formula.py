# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from its counts alone, by a closed formula: no addresses, no order of events.

For each compute unit the larger of what its units need for all wavefronts, and of what one wavefront takes alone times
the rounds of them (too few to hide latency); over that, what memory needs for the bytes. It takes loads to be of words
side by side, each line to come from memory once, and every wait to be for memory, so that it is good for streams, and
no more than a bound elsewhere.
"""
from math import ceil

LANES = 64
LOADS = ("load", "image_load", "image_sample", "atomic_return")


def memory_cycles(chip, step):
    """Of the address unit, for words side by side."""
    kind = (step.kind or "").lower()
    if "atomic" in kind:
        return chip.issue.vmem_atomic
    if kind in LOADS and step.bytes == 8:
        return chip.issue.vmem_load_b64
    if kind in LOADS:
        return max(4, ceil(step.bytes * LANES / 64)) if step.bytes > 4 else 4
    return max(16, ceil(step.bytes * LANES / 64))


def launch_cycles(chip, program, visits, lanes, waves, occupancy):
    """`visits`, `lanes`: by block, of all wavefronts."""
    valu = salu = lds = vmem = waits = read = written = 0
    for times, active, block in zip(visits, lanes, program.blocks, strict=True):
        for step in block:
            unit = step.unit.lower()
            if unit == "valu":
                valu += times * step.cycles * step.count
            elif unit in ("salu", "smem", "branch"):
                salu += times * step.cycles * step.count
            elif unit == "lds":
                lds += times * step.cycles
            elif unit == "vmem":
                vmem += times * memory_cycles(chip, step)
                if (step.kind or "").lower() in LOADS:
                    read += active * step.bytes
                else:
                    written += active * step.bytes
            elif unit == "wait" and step.vm == 0:
                waits += times
    if not waves:
        return 0.0
    units = chip.compute.units
    alone = (valu + salu + lds + waits * chip.latency.dram) / waves
    rounds = ceil(waves / (units * max(occupancy.waves_per_cu, 1)))
    issue = max(valu / chip.compute.simds, salu / chip.compute.simds, lds, vmem) / units
    per_cycle = chip.memory.bandwidth_gbs * 1000 / chip.clock.core_mhz
    moved = read / chip.memory.efficiency + written / chip.memory.write_efficiency
    start = waves / chip.compute.shader_engines / chip.dispatch.waves_per_clk
    return max(issue, rounds * alone, moved / per_cycle, start) + alone / max(occupancy.waves_per_cu, 1)
