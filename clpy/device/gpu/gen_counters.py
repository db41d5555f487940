# SPDX-License-Identifier: Apache-2.0
"""Counters of Intel's Gen chips, under the names of Intel's metrics where it has such: rows for the table of
counters.py, which says what a row is. What a thread executes is told per thread."""

INSTRUCTIONS = {
    "FpuInsts": ("valu", None), "MathInsts": ("salu", None), "LoadMessages": ("vmem", True),
    "StoreMessages": ("vmem", False), "SlmReadMessages": ("lds", True), "SlmWriteMessages": ("lds", False)}
ATOMICS = ("atomic", "atomic_return", "image_atomic")
WRITES = ("store", "image_store", "atomic", "image_atomic")
FPUS = 2
LINE_BYTES = 64


def counts(name):
    """Function that says whether a step is among those of the counter."""
    unit, gives = INSTRUCTIONS[name]

    def is_counted(step):
        return step.unit.lower() == unit and gives in (None, (step.kind or "").lower() not in WRITES)
    return is_counted


def steps_of(launch):
    """(step, threads that came to it, active work-items)"""
    for visits, lanes, block in zip(launch.visits, launch.lanes, launch.result.program.blocks, strict=True):
        for step in block:
            yield step, visits, lanes


def moved(unit, writes):
    """Bytes that work-items read or write there."""
    def of(launch):
        return sum(lanes * step.bytes for step, _, lanes in steps_of(launch)
                   if step.unit.lower() == unit and ((step.kind or "").lower() in WRITES) == writes)
    return of


def threads_at(launch, wanted):
    return sum(visits * step.count for step, visits, _ in steps_of(launch) if wanted(step))


def eus(launch):
    return launch.result.chip.compute.simds


def both_fpus(launch):
    """Part of their time in which they worked."""
    busy = launch.result.busy
    return launch.part_of_time(busy["valu"] + busy["salu"], FPUS * eus(launch))


def active(launch):
    """As if the one knew nothing of the other."""
    return 1 - (1 - both_fpus(launch)) ** FPUS


def occupied(launch):
    """Part of the time in which an EU has a thread, if threads are evenly spread."""
    return launch.part_of_time(launch.stat("wave_cycles"), eus(launch))


def lines_of_l3(launch):
    return (launch.stat("l2_read_lines") + launch.stat("l2_write_lines")) * launch.scale


ROWS = (
    ("GpuCoreClocks", "", "modelled", "cycles of the chip", "T", lambda a: a.cycles),
    ("CsThreads", "", "exact", "threads", "of all groups, ceil(group size / SimdWidth)", lambda a: a.waves),
    ("SimdWidth", "", "exact", "work-items of a thread", "of the compiler's choice",
     lambda a: a.result.resources.lanes),
    ("FpuInsts", "", "exact", "arithmetic per thread, but for MathInsts; not Intel's", "n(FPU) / W",
     lambda a: a.per_wave("FpuInsts")),
    ("MathInsts", "", "exact", "mathematical functions per thread; not Intel's", "n(second FPU) / W",
     lambda a: a.per_wave("MathInsts")),
    ("LoadMessages", "", "exact", "messages that read memory, and atomics with a result, per thread; not Intel's",
     "n(memory: reads) / W", lambda a: a.per_wave("LoadMessages")),
    ("StoreMessages", "", "exact", "messages that write memory, and other atomics, per thread; not Intel's",
     "n(memory: all others) / W", lambda a: a.per_wave("StoreMessages")),
    ("SlmReadMessages", "", "exact",
     "messages that read local memory, and atomics with a result, per thread; not Intel's",
     "n(local memory: reads) / W", lambda a: a.per_wave("SlmReadMessages")),
    ("SlmWriteMessages", "", "exact", "messages that write local memory, and other atomics, per thread; not Intel's",
     "n(local memory: all others) / W", lambda a: a.per_wave("SlmWriteMessages")),
    ("SimdUtilization", "%", "exact", "work-items active in arithmetic, of a thread's; not Intel's",
     "100 * active work-items of arithmetic / (SimdWidth * n(FPU))", lambda a: 100 * a.utilization()),
    ("EuActive", "%", "assumed", "time in which EUs did arithmetic",
     "100 * (1 - (1 - FpuBusy / 100)^2)", lambda a: 100 * active(a)),
    ("EuStall", "%", "assumed", "time in which EUs had threads and did no arithmetic",
     "100 * min(threads of an EU, 1) - EuActive", lambda a: 100 * max(occupied(a) - active(a), 0.0)),
    ("FpuBusy", "%", "modelled", "time of both FPUs in which they did arithmetic; not Intel's",
     "100 * busy(FPUs) / (T * units * compute.simds * 2)", lambda a: 100 * both_fpus(a)),
    ("EuThreadOccupancy", "%", "modelled", "slots for threads that were filled, on average",
     "100 * cycles of all threads / (T * units * compute.simds * compute.waves_per_simd)",
     lambda a: 100 * a.part_of_time(a.stat("wave_cycles"), a.result.chip.wave_slots)),
    ("DataPortBusy", "%", "modelled", "time in which the data ports had work, stalled too; not Intel's",
     "100 * (busy(port, memory) + busy(port, local memory)) / (T * units)",
     lambda a: 100 * a.part_of_time(a.result.busy["vmem"] + a.result.busy["lds"], 1)),
    ("SlmBytesRead", "bytes", "exact", "read from local memory", "bytes of work-items", moved("lds", False)),
    ("SlmBytesWritten", "bytes", "exact", "written to local memory", "bytes of work-items", moved("lds", True)),
    ("SlmBankConflict", "%", "modelled", "time that data ports lost to bank conflicts; not Intel's",
     "100 * cycles in which accesses were repeated / (T * units)",
     lambda a: 100 * a.part_of_time(a.stat("lds_conflicts"), 1)),
    ("UntypedBytesRead", "bytes", "exact", "read from memory", "bytes of work-items", moved("vmem", False)),
    ("UntypedBytesWritten", "bytes", "exact", "written to memory", "bytes of work-items", moved("vmem", True)),
    ("ShaderAtomics", "", "exact", "messages with atomic operations", "of all threads",
     lambda a: threads_at(a, lambda step: (step.kind or "").lower() in ATOMICS)),
    ("ShaderBarriers", "", "exact", "barriers that threads came to", "of all threads",
     lambda a: threads_at(a, lambda step: step.unit.lower() == "barrier")),
    ("ShaderMemoryAccesses", "", "modelled", "lines asked of the L3", "reads + writes", lines_of_l3),
    ("L3ShaderThroughput", "bytes", "modelled", "between EUs and the L3", "lines * 64",
     lambda a: lines_of_l3(a) * LINE_BYTES),
    ("L3Misses", "", "modelled", "lines that the L3 had not", "misses of the L3",
     lambda a: a.stat("l2_misses") * a.scale),
    ("L3Hit", "%", "modelled", "lines asked of the L3 that it had; not Intel's",
     "100 * hits / (hits + misses) of the L3",
     lambda a: 100 * a.stat("l2_hits") / max(a.stat("l2_hits") + a.stat("l2_misses"), 1)),
    ("GtiReadThroughput", "bytes", "modelled", "read from the host's memory", "lines * 64",
     lambda a: 1024 * a.kilobytes("dram_read")),
    ("GtiWriteThroughput", "bytes", "modelled", "written to the host's memory",
     "(lines written + changed lines left in the L3) * 64", lambda a: 1024 * a.kilobytes("dram_written")),
    ("SlmBytesPerGroup", "bytes", "exact", "local memory of a group; not Intel's",
     "the kernel's variables + its __local arguments", lambda a: a.result.resources.lds_bytes),
    ("ScratchBytesPerThread", "bytes", "exact", "private memory of a thread outside of registers; not Intel's",
     "of the kernel's description", lambda a: LINE_BYTES * a.result.resources.scratch_bytes),
)
