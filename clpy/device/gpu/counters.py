# SPDX-License-Identifier: Apache-2.0
"""The counters of a launch, under the names of CodeXL: THE table of what each is and how it follows.

`basis`: exact counts of all wavefronts, modelled by the simulation, or assumed where the model has only a rough idea.
Instructions are per work-item, as CodeXL tells them: of a wavefront, on average, whatever its mask.
"""
from dataclasses import dataclass
from typing import NamedTuple

from clpy.device.gpu.occupancy import LANES
from clpy.device.gpu.timing.result import Result

FETCHES = {"load", "image_load", "image_sample", "atomic_return"}
LEVELS = ("exact", "modelled", "assumed")


def of_unit(*units):
    return lambda step: step.unit.lower() in units


def fetches(step):
    return step.unit.lower() == "vmem" and (step.kind or "").lower() in FETCHES


# Counters of instructions, and which steps each counts. Waits, branches and messages are in none.
INSTRUCTIONS = {
    "VALUInsts": of_unit("valu"), "SALUInsts": of_unit("salu"), "VFetchInsts": fetches,
    "VWriteInsts": lambda step: step.unit.lower() == "vmem" and not fetches(step),
    "SFetchInsts": of_unit("smem"), "LDSInsts": of_unit("lds")}


@dataclass
class Launch:
    """What counters are made from. `waves`, `visits` and `lanes` (by block: wavefronts that went through, work-items
    active in it) are of all wavefronts; `result` may be of a part, of which the launch is `scale` times as much;
    `cycles` is the time of all."""
    waves: int
    visits: list
    lanes: list
    result: Result
    cycles: float
    scale: float = 1.0

    def per_wave(self, name):
        """Of that counter, executed by all wavefronts, for each of them."""
        counts = INSTRUCTIONS[name]
        total = sum(visits * sum(step.count for step in block if counts(step))
                    for visits, block in zip(self.visits, self.result.program.blocks, strict=True))
        return total / max(self.waves, 1)

    def utilization(self):
        """Part of the work-items that are active in vector arithmetic."""
        active = done = 0
        for visits, lanes, block in zip(self.visits, self.lanes, self.result.program.blocks, strict=True):
            count = sum(step.count for step in block if step.unit.lower() == "valu")
            active += count * lanes
            done += count * visits * LANES
        return active / done if done else 0.0

    def part_of_time(self, cycles, per_unit):
        """`cycles` of the result's, by those that the units had in all; `per_unit`: of a compute unit."""
        capacity = self.cycles * self.result.chip.compute.units * per_unit
        return min(cycles * self.scale / capacity, 1.0) if capacity else 0.0

    def stalled(self, name):
        """Many wavefronts may wait at once, but for no longer than the units had work."""
        return min(self.part_of_time(self.stat(name), 1), self.part_of_time(self.result.busy["vmem"], 1))

    def stat(self, name):
        return self.result.stats[name]

    def kilobytes(self, name):
        return self.result.bytes[name] * self.scale / 1024


class Counter(NamedTuple):
    name: str
    unit: str
    basis: str
    meaning: str
    formula: str                 # of what SYMBOLS explains
    value: object                # function of a Launch


SYMBOLS = (
    ("W", "wavefronts of the launch"),
    ("n(unit)", "instructions for that unit that all wavefronts executed"),
    ("busy(unit)", "cycles in which such a unit had work, of all units of the chip"),
    ("T", "cycles from the first group's dispatch to the last one's end"),
    ("units", "compute units of the chip, each with 4 SIMDs and an address unit"))


def percent(function):
    return lambda launch: 100 * function(launch)


def l2_hit_rate(launch):
    asked = launch.stat("l2_hits") + launch.stat("l2_misses")
    return launch.stat("l2_hits") / asked if asked else 0.0


TABLE = (
    Counter("GPUTime", "ns", "modelled", "from the start to the end of the kernel",
            "dispatch.floor_us * 1000 + T * 1000 / clock.core_mhz",
            lambda a: (a.result.chip.dispatch.floor_us * 1000 + a.cycles * 1000 / a.result.chip.clock.core_mhz)),
    Counter("Wavefronts", "", "exact", "wavefronts",
            "of all groups, ceil(group size / 64)", lambda a: a.waves),
    Counter("VALUInsts", "", "exact", "vector arithmetic per work-item",
            "n(VALU) / W", lambda a: a.per_wave("VALUInsts")),
    Counter("SALUInsts", "", "exact", "scalar arithmetic per work-item",
            "n(SALU) / W", lambda a: a.per_wave("SALUInsts")),
    Counter("VFetchInsts", "", "exact", "vector loads per work-item",
            "n(vector memory: loads, image reads, atomics with a result) / W", lambda a: a.per_wave("VFetchInsts")),
    Counter("VWriteInsts", "", "exact", "vector stores, and atomics whose result nobody wants, per work-item",
            "n(vector memory: all others) / W", lambda a: a.per_wave("VWriteInsts")),
    Counter("SFetchInsts", "", "exact", "scalar loads per work-item",
            "n(scalar memory) / W", lambda a: a.per_wave("SFetchInsts")),
    Counter("LDSInsts", "", "exact", "accesses to local memory per work-item",
            "n(LDS) / W", lambda a: a.per_wave("LDSInsts")),
    Counter("VALUUtilization", "%", "exact", "work-items active in vector arithmetic, of 64",
            "100 * active work-items of vector arithmetic / (64 * n(VALU))", percent(Launch.utilization)),
    Counter("VALUBusy", "%", "modelled", "time in which the SIMDs did vector arithmetic",
            "100 * busy(VALU) / (T * units * 4)", percent(lambda a: a.part_of_time(a.result.busy["valu"], 4))),
    Counter("SALUBusy", "%", "modelled", "time in which scalar instructions were issued",
            "100 * (busy(SALU) + busy(scalar memory)) / (T * units * 4)",
            percent(lambda a: a.part_of_time(a.result.busy["salu"] + a.result.busy["smem"], 4))),
    Counter("FetchSize", "KB", "modelled", "read from device memory",
            "lines of 64 bytes read from DRAM / 16", lambda a: a.kilobytes("dram_read")),
    Counter("WriteSize", "KB", "modelled", "written to device memory",
            "(lines written to DRAM + changed lines left in the L2) / 16", lambda a: a.kilobytes("dram_written")),
    Counter("HostFetchSize", "KB", "modelled", "read from the host's memory; not CodeXL's",
            "lines of 64 bytes read over the link / 16", lambda a: a.kilobytes("host_read")),
    Counter("HostWriteSize", "KB", "modelled", "written to the host's memory; not CodeXL's",
            "lines of 64 bytes written over the link / 16", lambda a: a.kilobytes("host_written")),
    Counter("CacheHit", "%", "modelled", "lines asked of the L2 that it had",
            "100 * hits / (hits + misses) of the L2", percent(l2_hit_rate)),
    Counter("MemUnitBusy", "%", "modelled", "time in which the address units had work, stalled too",
            "100 * busy(address units) / (T * units)", percent(lambda a: a.part_of_time(a.result.busy["vmem"], 1))),
    Counter("MemUnitStalled", "%", "assumed", "time that wavefronts waited for the address units, at most MemUnitBusy",
            "100 * min(cycles that wavefronts waited for address units, busy(address units)) / (T * units)",
            percent(lambda a: a.stalled("vmem_stalled"))),
    Counter("WriteUnitStalled", "%", "assumed", "the same of stores",
            "100 * min(cycles that stores waited for them, busy(address units)) / (T * units)",
            percent(lambda a: a.stalled("write_stalled"))),
    Counter("LDSBankConflict", "%", "modelled", "time that local memory lost to bank conflicts",
            "100 * cycles in which accesses were repeated / (T * units)",
            percent(lambda a: a.part_of_time(a.stat("lds_conflicts"), 1))),
    Counter("VGPRs", "", "exact", "vector registers of a work-item",
            "of the kernel's descriptor", lambda a: a.result.resources.vgprs),
    Counter("SGPRs", "", "exact", "scalar registers of a wavefront",
            "of the kernel's descriptor", lambda a: a.result.resources.sgprs),
    Counter("ScratchBytes", "bytes", "exact", "private memory of a work-item outside of registers",
            "of the kernel's descriptor", lambda a: a.result.resources.scratch_bytes),
    Counter("LDSBytes", "bytes", "exact", "local memory of a group",
            "the kernel's variables + its __local arguments", lambda a: a.result.resources.lds_bytes),
    Counter("KernelOccupancy", "%", "exact", "wavefront slots that can be filled",
            "100 * resident wavefronts of a SIMD / compute.waves_per_simd",
            percent(lambda a: a.result.occupancy.fraction)),
    Counter("OccupancyLimiter", "", "exact", "what keeps more wavefronts from being resident",
            "the smallest of the wavefronts that registers, LDS, groups and slots allow",
            lambda a: a.result.occupancy.limiter),
)


def counters(launch, levels=LEVELS):
    """Name -> value of those of some levels, in the order of the table."""
    return {counter.name: counter.value(launch) for counter in TABLE if counter.basis in levels}


# For JSON.
DESCRIBED = {"counters": [{"name": row.name, "unit": row.unit, "basis": row.basis, "meaning": row.meaning,
                           "formula": row.formula} for row in TABLE], "symbols": SYMBOLS}


def page_rows():
    """The table as Markdown, for docs/gpu.md."""
    return ["| counter | unit | basis | meaning | formula |", "|---|---|---|---|---|",
            *(f"| `{row.name}` | {row.unit} | {row.basis} | {row.meaning} | {row.formula} |" for row in TABLE), "",
            "In formulas:", "", *(f"- `{name}`: {meaning}." for name, meaning in SYMBOLS)]
