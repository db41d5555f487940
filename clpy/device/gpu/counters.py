# SPDX-License-Identifier: Apache-2.0
"""The counters of a launch, under the names of CodeXL: THE table of what each is and how it follows.

`basis`: exact counts of all wavefronts, modelled by the simulation, or assumed where the model has only a rough idea.
Instructions are per work-item, as CodeXL tells them: of a wavefront, on average, whatever its mask.
"""
from dataclasses import dataclass
from typing import NamedTuple

from clpy.device.gpu.timing.result import Result

LANES = 64
FETCHES = {"load", "image_load", "image_sample", "atomic_return"}
LEVELS = ("exact", "modelled", "assumed")


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

    def instructions(self, *units, kinds=None):
        """Of those units, executed by all wavefronts."""
        total = 0
        for visits, block in zip(self.visits, self.result.program.blocks, strict=True):
            total += visits * sum(step.count for step in block if step.unit.lower() in units
                                  and (kinds is None or (step.kind or "").lower() in kinds))
        return total

    def per_wave(self, *units, kinds=None):
        return self.instructions(*units, kinds=kinds) / max(self.waves, 1)

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
    value: object                # function of a Launch


def percent(function):
    return lambda launch: 100 * function(launch)


def l2_hit_rate(launch):
    asked = launch.stat("l2_hits") + launch.stat("l2_misses")
    return launch.stat("l2_hits") / asked if asked else 0.0


TABLE = (
    Counter("GPUTime", "ns", "modelled", "from the start to the end of the kernel", lambda a: (
        a.result.chip.dispatch.floor_us * 1000 + a.cycles * 1000 / a.result.chip.clock.core_mhz)),
    Counter("Wavefronts", "", "exact", "wavefronts", lambda a: a.waves),
    Counter("VALUInsts", "", "exact", "vector arithmetic per work-item", lambda a: a.per_wave("valu")),
    Counter("SALUInsts", "", "exact", "scalar arithmetic per work-item", lambda a: a.per_wave("salu")),
    Counter("VFetchInsts", "", "exact", "vector loads per work-item", lambda a: a.per_wave("vmem", kinds=FETCHES)),
    Counter("VWriteInsts", "", "exact", "vector stores, and atomics whose result nobody wants, per work-item",
            lambda a: a.per_wave("vmem") - a.per_wave("vmem", kinds=FETCHES)),
    Counter("SFetchInsts", "", "exact", "scalar loads per work-item", lambda a: a.per_wave("smem")),
    Counter("LDSInsts", "", "exact", "accesses to local memory per work-item", lambda a: a.per_wave("lds")),
    Counter("VALUUtilization", "%", "exact", "work-items active in vector arithmetic, of 64",
            percent(Launch.utilization)),
    Counter("VALUBusy", "%", "modelled", "time in which the SIMDs did vector arithmetic",
            percent(lambda a: a.part_of_time(a.result.busy["valu"], 4))),
    Counter("SALUBusy", "%", "modelled", "time in which scalar instructions were issued",
            percent(lambda a: a.part_of_time(a.result.busy["salu"] + a.result.busy["smem"], 4))),
    Counter("FetchSize", "KB", "modelled", "read from device memory", lambda a: a.kilobytes("dram_read")),
    Counter("WriteSize", "KB", "modelled", "written to device memory", lambda a: a.kilobytes("dram_written")),
    Counter("HostFetchSize", "KB", "modelled", "read from the host's memory; not CodeXL's",
            lambda a: a.kilobytes("host_read")),
    Counter("HostWriteSize", "KB", "modelled", "written to the host's memory; not CodeXL's",
            lambda a: a.kilobytes("host_written")),
    Counter("CacheHit", "%", "modelled", "lines asked of the L2 that it had", percent(l2_hit_rate)),
    Counter("MemUnitBusy", "%", "modelled", "time in which the address units had work, stalled too",
            percent(lambda a: a.part_of_time(a.result.busy["vmem"], 1))),
    Counter("MemUnitStalled", "%", "assumed", "time that wavefronts waited for the address units, at most MemUnitBusy",
            percent(lambda a: a.stalled("vmem_stalled"))),
    Counter("WriteUnitStalled", "%", "assumed", "the same of stores",
            percent(lambda a: a.stalled("write_stalled"))),
    Counter("LDSBankConflict", "%", "modelled", "time that local memory lost to bank conflicts",
            percent(lambda a: a.part_of_time(a.stat("lds_conflicts"), 1))),
    Counter("VGPRs", "", "exact", "vector registers of a work-item", lambda a: a.result.resources.vgprs),
    Counter("SGPRs", "", "exact", "scalar registers of a wavefront", lambda a: a.result.resources.sgprs),
    Counter("ScratchBytes", "bytes", "exact", "private memory of a work-item outside of registers",
            lambda a: a.result.resources.scratch_bytes),
    Counter("LDSBytes", "bytes", "exact", "local memory of a group", lambda a: a.result.resources.lds_bytes),
    Counter("KernelOccupancy", "%", "exact", "wavefront slots that can be filled",
            percent(lambda a: a.result.occupancy.fraction)),
    Counter("OccupancyLimiter", "", "exact", "what keeps more wavefronts from being resident",
            lambda a: a.result.occupancy.limiter),
)


def counters(launch, levels=LEVELS):
    """Name -> value of those of some levels, in the order of the table."""
    return {counter.name: counter.value(launch) for counter in TABLE if counter.basis in levels}


def page_rows():
    """The table as Markdown, for docs/gpu.md."""
    return ["| counter | unit | basis | meaning |", "|---|---|---|---|",
            *(f"| `{row.name}` | {row.unit} | {row.basis} | {row.meaning} |" for row in TABLE)]
