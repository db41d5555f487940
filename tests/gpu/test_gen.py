# SPDX-License-Identifier: Apache-2.0
"""Timing of Intel's Gen chips: EUs of two FPUs, waits for results, the data port and the L3, by the guide's numbers."""
import random

import pytest

from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.counters import Launch, counters
from clpy.device.gpu.timing import access
from clpy.device.gpu.timing.formula import launch_cycles
from tests.gpu.traces import (
    BARRIER_STEP,
    BRANCH,
    END_STEP,
    LDS,
    LOAD,
    SALU,
    STORE,
    VALU,
    VMEM,
    WAIT,
    piece,
    resources,
    run,
    touch,
    touch_addresses,
    touch_run,
)
from tests.gpu.traces import Step as PlainStep

CHIP = load_chip("skylake-gt2")
UNITS, EUS, SLOTS = CHIP.compute.units, CHIP.compute.simds, CHIP.wave_slots
MEMORY = [(0, 1 << 30)]
SIMD = 16


class Step(PlainStep):
    """With cycles until the next instruction's operands are there."""
    gap = 0

    def waits(self, gap):
        self.gap = gap
        return self


def alu(count, cycles=4, gap=0):
    """Of 16 work-items."""
    return Step(VALU, count=count, cycles=cycles, mix={"alu": count}).waits(gap)


def math(count):
    return Step(SALU, count=count, cycles=8, mix={"math": count})


def held(size=SIMD, **more):
    return resources(**{"group_size": size, "lanes": SIMD, "has_barriers": False, **more})


def cycles(blocks, pieces, n_groups=1, of=None, chip=CHIP):
    return run(chip, blocks, pieces, n_groups, of or held(), MEMORY).cycles


def full(block, chip=CHIP, threads=SLOTS, lanes=SIMD):
    """Threads on all EUs, in groups of one each."""
    n = chip.compute.units * threads
    return run(chip, [block], [piece(g, 0, [0], lanes) for g in range(n)], n, held(), MEMORY)


@pytest.mark.parametrize("name", ["skylake-gt2", "skylake-gt4e", "broadwell-gt2", "haswell-gt2", "haswell-gt3e"])
def test_full_device_reaches_the_peak(name):
    """16 floating-point operations a cycle and EU: two FPUs of four lanes, mad."""
    chip = load_chip(name)
    count = 4000
    result = full([alu(count), END_STEP], chip, chip.wave_slots)
    done = 2 * count * SIMD * chip.compute.units * chip.wave_slots
    assert done / result.cycles == pytest.approx(chip.compute_units * 16, rel=0.02)


def test_seventy_threads_take_turns():
    """Of a subslice of Haswell, which has ten EUs: each goes on where it is the first, and all of them end."""
    chip, draw = load_chip("haswell-gt2"), random.Random(3)
    counts = [draw.randrange(1, 60) for _ in range(3 * 70)]
    blocks = [[alu(1, 4, draw.randrange(40)), END_STEP], [alu(1)]]
    pieces = [piece(g, 0, [*[1] * count, 0]) for g, count in enumerate(counts)]
    result = run(chip, blocks, pieces, len(counts), held(), MEMORY)
    work = 4 * (sum(counts) + len(counts))
    assert (result.stats["waves"], result.busy["valu"]) == (len(counts), work)
    assert work / (2 * chip.compute_units) <= result.cycles < 1.5 * work / (2 * chip.compute_units)
    assert result.occupancy.groups_per_cu == 70
    barriers = [[alu(10), BARRIER_STEP], [END_STEP]]
    result = run(chip, barriers, [piece(0, w, [0, 1], 8) for w in range(64)], 1,
                 resources(512, lanes=8, has_barriers=True), MEMORY)
    assert result.cycles >= 40 + chip.issue.barrier and result.stats["waves"] == 64


def test_a_thread_alone_has_one_fpu():
    assert cycles([[alu(100), END_STEP]], [piece(0, 0, [0])]) == 400


def test_a_thread_waits_for_its_own_results_and_others_go_on():
    """Eight cycles from an operation to one that wants its result: seven threads of 16 hide that, not two."""
    chain = [alu(1, 4, 4)] * 200
    alone = cycles([[*chain, END_STEP]], [piece(0, 0, [0])])
    assert alone == 200 * 8
    seven = full([*chain * 5, END_STEP])
    assert 2 * 1000 * SIMD * UNITS * SLOTS / seven.cycles == pytest.approx(24 * 16, rel=0.03)
    narrow = full([*[alu(1, 2, 6)] * 4000, END_STEP])          # of 8 work-items: 7 * 2 of 16 cycles of both
    assert narrow.cycles == pytest.approx(4000 * 8, rel=0.03)


def test_steps_of_a_block_take_what_they_do_in_blocks_of_their_own():
    steps = [alu(3), alu(1, 4, 4), math(2), alu(2, 8, 4), alu(4, 2, 6), math(1), alu(9)]
    together = cycles([[*steps, END_STEP]], [piece(0, w, [0]) for w in range(8)], of=held(128))
    apart = cycles([[step] for step in steps] + [[END_STEP]], [piece(0, w, range(len(steps) + 1)) for w in range(8)],
                   of=held(128))
    assert together == apart


def test_mathematical_functions_have_one_fpu():
    count = 2000
    result = full([math(count), END_STEP])
    assert count * SIMD * UNITS * SLOTS / result.cycles == pytest.approx(24 * 2, rel=0.02)


def test_arithmetic_goes_beside_mathematical_functions():
    """Threads that do the one, and threads that do the other."""
    n = UNITS * SLOTS
    ways = [piece(g, 0, [g // EUS % 2]) for g in range(n)]
    both = run(CHIP, [[math(1000), END_STEP], [alu(1000), END_STEP]], ways, n, held(), MEMORY).cycles
    assert both < 4 * 1000 * 8 * 1.1


def test_jumps_keep_only_their_thread():
    jumps = [Step(BRANCH, cycles=8)] * 1000
    assert cycles([[*jumps, END_STEP]], [piece(0, 0, [0])]) == 8000
    assert full([*jumps, END_STEP]).cycles == pytest.approx(8000, rel=0.1)


# The guide's cases: index of a work-item's word, and the part of the full rate.
ROW = range(16)
LINES = {"aligned": (ROW, 1), "off by one": ([i + 1 for i in ROW], 2), "backwards": ([15 - i for i in ROW], 1),
         "every fourth": ([4 * i for i in ROW], 4), "every 16th": ([16 * i for i in ROW], 16),
         "every 32nd": ([32 * i for i in ROW], 16), "square of four": ([i % 4 + 64 * (i // 4) for i in ROW], 4),
         "column": ([64 * i for i in ROW], 16)}
BANKS = {"in turn": (ROW, 1), "off by one": ([i + 1 for i in ROW], 1), "backwards": ([15 - i for i in ROW], 1),
         "two of the same": ([i & ~1 for i in ROW], 1), "every second": ([2 * i for i in ROW], 2),
         "every 16th": ([16 * i for i in ROW], 16), "every 17th": ([17 * i for i in ROW], 1)}


@pytest.mark.parametrize("case", LINES)
def test_lines_of_memory(case):
    """The guide: bandwidth is by the lines of 64 bytes that a thread's work-items touch."""
    places, times = LINES[case]
    addresses = [4 * place for place in places]
    assert access.vector_memory_cycles(CHIP, addresses, 4) == times
    n, threads = 500, 8
    way = [(0, *[touch_addresses(CHIP, addresses, 4)] * n)]
    took = cycles([[*[Step(VMEM, LOAD, bytes=4)] * n, END_STEP]], [piece(0, w, way) for w in range(threads)],
                  of=held(SIMD * threads))
    assert took == pytest.approx(n * threads * times, rel=0.15)


# PerfTest on an HD 630 (github sebbbi/perftest): by bytes of a load, side by side or random within 16 of them, time by
# that of words side by side.
PERFTEST = {(4, "linear"): 1, (4, "random"): 1.03, (8, "linear"): 1.87, (8, "random"): 2.80, (12, "linear"): 3.37,
            (12, "random"): 6.26, (16, "linear"): 3.51, (16, "random"): 6.82}


def perftest_cycles(size, where):
    """Of loads each of the elements behind those of the one before: lines begin everywhere in them."""
    draw = random.Random(1)
    total = 0
    for _ in range(128):
        elements = [i if where == "linear" else draw.randrange(16) for i in ROW]
        total += sum(access.vector_memory_cycles(CHIP, [(element + i) * size for element in elements], size)
                     for i in range(16))
    return total


@pytest.mark.parametrize(("size", "where"), PERFTEST)
def test_loads_of_perftest(size, where):
    """64 bytes of work-items at once: the guide's lines would make random pairs 1.4 and quads 2.3."""
    assert perftest_cycles(size, where) / perftest_cycles(4, "linear") == pytest.approx(PERFTEST[size, where], rel=0.17)


@pytest.mark.parametrize("case", BANKS)
def test_banks_of_local_memory(case):
    """The guide: 1, 1, 1, 1, 1/2, 1/16, 1."""
    places, times = BANKS[case]
    addresses = [4 * place for place in places]
    assert access.lds_cycles(CHIP, addresses, 4) == times


def test_writes_of_local_memory_do_not_share_a_word():
    """The guide: writes to the same bank conflict even where they are to the same address."""
    assert access.lds_cycles(CHIP, [0] * 16, 4, "write") == 16
    assert access.lds_cycles(CHIP, [0] * 16, 4) == 1


def test_one_port_for_both_memories():
    """64 bytes a cycle and subslice, of local and of other memory together."""
    n = 1000
    block = [*[Step(LDS, LOAD, cycles=1, bytes=4), Step(VMEM, LOAD, bytes=4)] * n, END_STEP]
    way = [(0, *[touch(4), touch_run(4, 100, 4)] * n)]
    both = cycles([block], [piece(0, w, way) for w in range(4)], of=held(64))
    assert both == pytest.approx(4 * n * 8, rel=0.05)


@pytest.mark.parametrize(("first", "latency"), [(True, "dram"), (False, "l2_hit")])
def test_latency_of_each_level(first, latency):
    """There is no L1."""
    blocks = [[Step(VMEM, LOAD, bytes=4), Step(WAIT, cycles=0, vm=0)], [END_STEP]]
    once = cycles(blocks, [piece(0, 0, [(0, touch(1, [100])), 1])])
    twice = cycles(blocks, [piece(0, 0, [(0, touch(1, [100])), (0, touch(1, [100])), 1])])
    assert (once if first else twice - once) == pytest.approx(getattr(CHIP.latency, latency), abs=4)


def test_stores_are_not_waited_for():
    """But by a fence."""
    store = Step(VMEM, STORE, bytes=4)
    plain = [store, Step(WAIT, cycles=0, vm=0), END_STEP]
    assert cycles([plain], [piece(0, 0, [(0, touch(1, [100]))])]) < 10
    fence = [store, Step(WAIT, cycles=30, exp=0), END_STEP]
    assert cycles([fence], [piece(0, 0, [(0, touch(1, [100]))])]) >= CHIP.latency.l2_hit


def test_barrier():
    blocks = [[alu(10), BARRIER_STEP], [END_STEP]]
    took = cycles(blocks, [piece(0, w, [0, 1]) for w in range(4)], of=held(64, has_barriers=True))
    assert took == pytest.approx(40 + CHIP.issue.barrier, abs=10)


def test_reading_the_l3():
    """64 bytes a cycle and subslice, once all lines are there."""
    n, threads = 400, UNITS * SLOTS
    block = [*[Step(VMEM, LOAD, bytes=16)] * n, END_STEP]
    way = [(0, *[touch_run(4, 4 * (i % 16), 4) for i in range(n)])]
    result = run(CHIP, [block], [piece(g, 0, way) for g in range(threads)], threads, held(), MEMORY)
    assert threads * n * 256 / result.cycles == pytest.approx(64 * UNITS, rel=0.1)


def test_counters():
    """Half of a thread's work-items are on."""
    n, threads = 100, UNITS * SLOTS
    block = [*[alu(4), math(1), Step(LDS, LOAD, cycles=1, bytes=4), Step(VMEM, LOAD, bytes=4)] * n,
             Step(VMEM, STORE, bytes=8), END_STEP]
    way = [(0, *[touch(2), touch_run(1, 100, 1)] * n, touch_run(2, 200, 2))]
    result = run(CHIP, [block], [piece(g, 0, way, 8) for g in range(threads)], threads, held(), MEMORY)
    told = counters(Launch(threads, [threads], [threads * 8], result, result.cycles))
    assert {name: told[name] for name in ("CsThreads", "SimdWidth", "FpuInsts", "MathInsts", "LoadMessages",
                                          "StoreMessages", "SlmReadMessages", "SimdUtilization")} == {
        "CsThreads": threads, "SimdWidth": 16, "FpuInsts": 4 * n, "MathInsts": n, "LoadMessages": n, "StoreMessages": 1,
        "SlmReadMessages": n, "SimdUtilization": 50}
    assert told["SlmBytesRead"] == told["UntypedBytesRead"] == threads * 8 * n * 4
    assert told["UntypedBytesWritten"] == threads * 8 * 8
    assert told["GtiReadThroughput"] == 64 and told["L3Misses"] == 1 and told["L3Hit"] > 99
    assert told["ShaderMemoryAccesses"] == threads * (n + 2)
    assert told["SlmBankConflict"] == pytest.approx(100 * threads * n / result.cycles / UNITS, rel=0.01)
    assert told["EuActive"] + told["EuStall"] <= 100.001
    assert not {"Wavefronts", "VALUInsts", "FetchSize", "LDSBytes"} & set(told)


def test_the_formula_is_near():
    count = 4000
    result = full([alu(count), END_STEP])
    waves = UNITS * SLOTS
    by_formula = launch_cycles(CHIP, result.program, [waves], [waves * SIMD], waves, result.occupancy)
    assert by_formula == pytest.approx(result.cycles, rel=0.2)
