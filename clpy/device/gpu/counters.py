# SPDX-License-Identifier: Apache-2.0
"""The counters of a launch, under the names of CodeXL: THE table of what each is and how it follows.

GCN chips and VLIW chips have counters of their own, as they had with CodeXL, and some in common. Those of Gen chips are
in gen_counters.py.
`basis`: exact counts of all wavefronts, modelled by the simulation, or assumed where the model has only a rough idea.
Instructions are per work-item, as CodeXL tells them: of a wavefront, on average, whatever its mask.
"""
from dataclasses import dataclass
from typing import NamedTuple

from clpy.device.gpu import gen_counters
from clpy.device.gpu.chip_schema import AMD, SHOWN
from clpy.device.gpu.timing.result import Result

FETCHES = {"load", "cached_load", "image_load", "image_sample", "atomic_return"}
ATOMICS = {"atomic", "atomic_return"}
WORD = 4                         # bytes: less is written by the slower path of VLIW chips
SLOTS = {"vliw5": 5, "vliw4": 4}            # of a bundle
LEVELS = ("exact", "modelled", "assumed")


def of_unit(*units):
    return lambda step: step.unit.lower() in units


def kind_of(step):
    return (step.kind or "").lower()


def reads(unit):
    return lambda step: step.unit.lower() == unit and kind_of(step) in FETCHES


def writes(unit):
    return lambda step: step.unit.lower() == unit and kind_of(step) not in FETCHES


# Counters of instructions, and which steps each counts. Waits, branches and messages are in none.
GCN_INSTRUCTIONS = {
    "VALUInsts": of_unit("valu"), "SALUInsts": of_unit("salu"), "VFetchInsts": reads("vmem"),
    "VWriteInsts": writes("vmem"), "SFetchInsts": of_unit("smem"), "LDSInsts": of_unit("lds")}
VLIW_INSTRUCTIONS = {
    "ALUInsts": of_unit("valu"), "FetchInsts": reads("vmem"), "WriteInsts": writes("vmem"),
    "LDSFetchInsts": reads("lds"), "LDSWriteInsts": writes("lds")}
GEN_INSTRUCTIONS = {name: gen_counters.counts(name) for name in gen_counters.INSTRUCTIONS}
INSTRUCTIONS = GCN_INSTRUCTIONS | VLIW_INSTRUCTIONS | GEN_INSTRUCTIONS


def instructions_of(chip):
    return GCN_INSTRUCTIONS if chip.is_gcn else GEN_INSTRUCTIONS if chip.is_gen else VLIW_INSTRUCTIONS


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
            done += count * visits * self.result.resources.lanes
        return active / done if done else 0.0

    def packing(self):
        """Part of the bundles' slots that have an operation."""
        slots = bundles = 0
        for visits, block in zip(self.visits, self.result.program.blocks, strict=True):
            for step in block:
                slots += visits * (step.mix or {}).get("alu", 0)
                bundles += visits * (step.mix or {}).get("bundle", 0)
        return slots / (bundles * SLOTS[self.result.chip.identity.architecture]) if bundles else 0.0

    def path_kilobytes(self, complete):
        """That went over CompletePath, or over the other, which counts what is written."""
        steps = [step for block in self.result.program.blocks for step in block if step.unit.lower() == "vmem"]
        if complete != any(kind_of(step) in ATOMICS or (kind_of(step) == "store" and step.bytes < WORD)
                           for step in steps):
            return 0.0
        kinds = {"store", "load"} | ATOMICS if complete else {"store"}
        moved = sum(lanes * sum(step.bytes for step in block if step.unit.lower() == "vmem" and kind_of(step) in kinds)
                    for lanes, block in zip(self.lanes, self.result.program.blocks, strict=True))
        return moved / 1024

    def path_utilization(self):
        moved = self.kilobytes("dram_read") + self.kilobytes("dram_written")
        return min((self.path_kilobytes(False) + self.path_kilobytes(True)) / moved, 1.0) if moved else 0.0

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
    of: str | tuple = ""         # gcn, vliw or gen, or several; "": of all


SYMBOLS = (
    ("W", "wavefronts of the launch"),
    ("n(unit)", "instructions for that unit that all wavefronts executed"),
    ("busy(unit)", "cycles in which such a unit had work, of all units of the chip"),
    ("T", "cycles from the first group's dispatch to the last one's end"),
    ("units", "compute units of the chip, each with 4 SIMDs (VLIW: one) and an address unit; Gen: subslices, each with "
     "8 or 10 EUs and a data port"))


def percent(function):
    return lambda launch: 100 * function(launch)


def hit_rate(cache):
    def rate(launch):
        asked = launch.stat(f"{cache}_hits") + launch.stat(f"{cache}_misses")
        return launch.stat(f"{cache}_hits") / asked if asked else 0.0
    return rate


def amd(*row):
    return Counter(*row, AMD)


def gcn(*row):
    return Counter(*row, "gcn")


def vliw(*row):
    return Counter(*row, "vliw")


TABLE = (
    Counter("GPUTime", "ns", "modelled", "from the start to the end of the kernel",
            "dispatch.floor_us * 1000 + T * 1000 / clock.core_mhz",
            lambda a: (a.result.chip.dispatch.floor_us * 1000 + a.cycles * 1000 / a.result.chip.clock.core_mhz)),
    amd("Wavefronts", "", "exact", "wavefronts",
        "of all groups, ceil(group size / compute.wave_size)", lambda a: a.waves),
    gcn("VALUInsts", "", "exact", "vector arithmetic per work-item",
        "n(VALU) / W", lambda a: a.per_wave("VALUInsts")),
    gcn("SALUInsts", "", "exact", "scalar arithmetic per work-item",
        "n(SALU) / W", lambda a: a.per_wave("SALUInsts")),
    gcn("VFetchInsts", "", "exact", "vector loads per work-item",
        "n(vector memory: loads, image reads, atomics with a result) / W", lambda a: a.per_wave("VFetchInsts")),
    gcn("VWriteInsts", "", "exact", "vector stores, and atomics whose result nobody wants, per work-item",
        "n(vector memory: all others) / W", lambda a: a.per_wave("VWriteInsts")),
    gcn("SFetchInsts", "", "exact", "scalar loads per work-item",
        "n(scalar memory) / W", lambda a: a.per_wave("SFetchInsts")),
    gcn("LDSInsts", "", "exact", "accesses to local memory per work-item",
        "n(LDS) / W", lambda a: a.per_wave("LDSInsts")),
    gcn("VALUUtilization", "%", "exact", "work-items active in vector arithmetic, of 64",
        "100 * active work-items of vector arithmetic / (64 * n(VALU))", percent(Launch.utilization)),
    gcn("VALUBusy", "%", "modelled", "time in which the SIMDs did vector arithmetic",
        "100 * busy(VALU) / (T * units * 4)", percent(lambda a: a.part_of_time(a.result.busy["valu"], 4))),
    gcn("SALUBusy", "%", "modelled", "time in which scalar instructions were issued",
        "100 * (busy(SALU) + busy(scalar memory)) / (T * units * 4)",
        percent(lambda a: a.part_of_time(a.result.busy["salu"] + a.result.busy["smem"], 4))),
    vliw("ALUInsts", "", "exact", "bundles per work-item", "n(ALU) / W", lambda a: a.per_wave("ALUInsts")),
    vliw("FetchInsts", "", "exact", "loads per work-item",
         "n(memory: loads, atomics with a result) / W", lambda a: a.per_wave("FetchInsts")),
    vliw("WriteInsts", "", "exact", "stores, and atomics whose result nobody wants, per work-item",
         "n(memory: all others) / W", lambda a: a.per_wave("WriteInsts")),
    vliw("LDSFetchInsts", "", "exact", "reads of local memory, and atomics with a result, per work-item",
         "n(LDS: reads, atomics with a result) / W", lambda a: a.per_wave("LDSFetchInsts")),
    vliw("LDSWriteInsts", "", "exact", "writes to local memory, and atomics whose result nobody wants, per work-item",
         "n(LDS: all others) / W", lambda a: a.per_wave("LDSWriteInsts")),
    vliw("ALUBusy", "%", "modelled", "time in which the SIMDs did bundles",
         "100 * busy(ALU) / (T * units)", percent(lambda a: a.part_of_time(a.result.busy["valu"], 1))),
    vliw("ALUFetchRatio", "", "exact", "bundles for each load",
         "ALUInsts / FetchInsts, ALUInsts where there are no loads",
         lambda a: a.per_wave("ALUInsts") / (a.per_wave("FetchInsts") or 1)),
    vliw("ALUPacking", "%", "exact", "slots of bundles that have an operation",
         "100 * operations / (n(ALU) * 5), of VLIW4 chips 4", percent(Launch.packing)),
    vliw("CacheHit", "%", "modelled", "lines asked of the L1 that it had: of what the kernel only reads",
         "100 * hits / (hits + misses) of the L1", percent(hit_rate("l1"))),
    vliw("FetchUnitBusy", "%", "modelled", "time in which the fetch units had work, stalled too",
         "100 * busy(fetch units) / (T * units)", percent(lambda a: a.part_of_time(a.result.busy["vmem"], 1))),
    vliw("FetchUnitStalled", "%", "assumed", "time that wavefronts waited for the fetch units, at most FetchUnitBusy",
         "100 * min(cycles that wavefronts waited for fetch units, busy(fetch units)) / (T * units)",
         percent(lambda a: a.stalled("vmem_stalled"))),
    vliw("FastPath", "KB", "exact", "written over FastPath",
         "bytes that work-items store / 1024; 0 where the kernel is on CompletePath",
         lambda a: a.path_kilobytes(False)),
    vliw("CompletePath", "KB", "exact", "read and written over CompletePath, which a kernel with atomic operations or "
         "stores of less than 32 bits is on", "bytes of loads that are not cached, of stores and atomics / 1024",
         lambda a: a.path_kilobytes(True)),
    vliw("PathUtilization", "%", "modelled", "what the paths moved, of all that device memory did",
         "100 * (FastPath + CompletePath) / (FetchSize + WriteSize)", percent(Launch.path_utilization)),
    vliw("ALUStalledByLDS", "%", "assumed", "time in which no wavefront went on as local memory repeated an access",
         "as LDSBankConflict", percent(lambda a: a.part_of_time(a.stat("lds_conflicts"), 1))),
    amd("FetchSize", "KB", "modelled", "read from device memory",
        "lines of 64 bytes read from DRAM / 16", lambda a: a.kilobytes("dram_read")),
    amd("WriteSize", "KB", "modelled", "written to device memory",
        "(lines written to DRAM + changed lines left in the L2) / 16", lambda a: a.kilobytes("dram_written")),
    amd("HostFetchSize", "KB", "modelled", "read from the host's memory; not CodeXL's",
        "lines of 64 bytes read over the link / 16", lambda a: a.kilobytes("host_read")),
    amd("HostWriteSize", "KB", "modelled", "written to the host's memory; not CodeXL's",
        "lines of 64 bytes written over the link / 16", lambda a: a.kilobytes("host_written")),
    gcn("CacheHit", "%", "modelled", "lines asked of the L2 that it had",
        "100 * hits / (hits + misses) of the L2", percent(hit_rate("l2"))),
    gcn("MemUnitBusy", "%", "modelled", "time in which the address units had work, stalled too",
        "100 * busy(address units) / (T * units)", percent(lambda a: a.part_of_time(a.result.busy["vmem"], 1))),
    gcn("MemUnitStalled", "%", "assumed", "time that wavefronts waited for the address units, at most MemUnitBusy",
        "100 * min(cycles that wavefronts waited for address units, busy(address units)) / (T * units)",
        percent(lambda a: a.stalled("vmem_stalled"))),
    amd("WriteUnitStalled", "%", "assumed", "the same of stores",
        "100 * min(cycles that stores waited for them, busy(address units)) / (T * units)",
        percent(lambda a: a.stalled("write_stalled"))),
    amd("LDSBankConflict", "%", "modelled", "time that local memory lost to bank conflicts",
        "100 * cycles in which accesses were repeated / (T * units)",
        percent(lambda a: a.part_of_time(a.stat("lds_conflicts"), 1))),
    amd("VGPRs", "", "exact", "vector registers of a work-item; VLIW: of 128 bits",
        "of the kernel's descriptor", lambda a: a.result.resources.vgprs),
    gcn("SGPRs", "", "exact", "scalar registers of a wavefront",
        "of the kernel's descriptor", lambda a: a.result.resources.sgprs),
    amd("ScratchBytes", "bytes", "exact", "private memory of a work-item outside of registers",
        "of the kernel's descriptor", lambda a: a.result.resources.scratch_bytes),
    vliw("ScratchReg", "", "exact", "registers of 128 bits that are in memory instead",
         "ScratchBytes / 16", lambda a: a.result.resources.scratch_bytes / 16),
    amd("LDSBytes", "bytes", "exact", "local memory of a group",
        "the kernel's variables + its __local arguments", lambda a: a.result.resources.lds_bytes),
    Counter("KernelOccupancy", "%", "exact", "wavefront slots that can be filled",
            "100 * resident wavefronts of a SIMD / compute.waves_per_simd (VLIW: or its part of waves_per_device)",
            percent(lambda a: a.result.occupancy.fraction)),
    Counter("OccupancyLimiter", "", "exact", "what keeps more wavefronts from being resident",
            "the smallest of the wavefronts that registers, LDS, groups and slots allow",
            lambda a: a.result.occupancy.limiter),
    *(Counter(*row, "gen") for row in gen_counters.ROWS),
)


def counters(launch, levels=LEVELS):
    """Name -> value of the chip's own of some levels, in the order of the table."""
    of = launch.result.chip.identity.architecture
    return {counter.name: counter.value(launch) for counter in TABLE
            if counter.basis in levels and of.startswith(counter.of)}


# For JSON.
DESCRIBED = {"counters": [{"name": row.name, "unit": row.unit, "basis": row.basis, "meaning": row.meaning,
                           "formula": row.formula, "chips": SHOWN[row.of]} for row in TABLE], "symbols": SYMBOLS}


def page_rows():
    """The table as Markdown, for docs/gpu.md."""
    return ["| counter | unit | basis | meaning | formula | chips |", "|---|---|---|---|---|---|",
            *(f"| `{row.name}` | {row.unit} | {row.basis} | {row.meaning} | {row.formula} | {SHOWN[row.of]} |"
              for row in TABLE), "",
            "In formulas:", "", *(f"- `{name}`: {meaning}." for name, meaning in SYMBOLS)]
