# SPDX-License-Identifier: Apache-2.0
"""Timing of VLIW chips: bundles, clauses, memory past the caches and its two paths, by the guide's numbers."""
import pytest

from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.counters import Launch, counters
from clpy.device.gpu.timing.formula import launch_cycles
from tests.gpu.traces import (
    ATOMIC,
    BARRIER_STEP,
    BRANCH,
    END_STEP,
    LDS,
    LOAD,
    VMEM,
    Step,
    load,
    piece,
    resources,
    run,
    store,
    touch,
    touch_addresses,
    touch_run,
    wait,
)

CHIP = load_chip("cypress")
UNITS = CHIP.compute.units
CLAUSE = Step(BRANCH, cycles=40)
CACHED = Step(VMEM, "CACHED_LOAD", bytes=4)
MEMORY = [(0, 1 << 30)]


def bundles(count):
    return Step("VALU", count=count, cycles=4, mix={"alu": 5 * count, "bundle": count})


def cycles(blocks, pieces, n_groups=1, held=None, chip=CHIP):
    return run(chip, blocks, pieces, n_groups, held or resources(vgprs=4), MEMORY).cycles


def test_a_wavefront_alone_issues_every_eight_cycles():
    assert cycles([[bundles(100), END_STEP]], [piece(0, 0, [0])]) == 800


def test_two_wavefronts_fill_the_simd():
    """The second one is there a cycle later; the third has to wait for both."""
    def of(n):
        return cycles([[bundles(100), END_STEP]], [piece(0, w, [0]) for w in range(n)], held=resources(64 * n, 4))
    assert of(2) == pytest.approx(of(1), rel=0.1)
    assert of(4) == pytest.approx(4 * 100 * 4, rel=0.1)


def test_full_device_reaches_the_peak():
    """16 lanes a cycle and compute unit, whatever a bundle has in it."""
    n = UNITS * 24
    result = run(CHIP, [[bundles(500), END_STEP]], [piece(g // 4, g % 4, [0]) for g in range(n)], n // 4,
                 resources(256, 4))
    assert result.busy["valu"] == n * 2000
    assert n * 500 * 64 / (result.cycles * UNITS * 16) == pytest.approx(1, abs=0.02)


def test_small_wavefronts():
    """Cedar: 32 work-items on 8 lanes, and a fetch of them in 8 cycles; two wavefronts fill the SIMD there too."""
    chip, blocks = load_chip("cedar"), [[bundles(500), END_STEP]]
    pieces = [piece(g // 4, g % 4, [0], lanes=32) for g in range(64)]
    result = run(chip, blocks, pieces, 16, resources(128, 4, lanes=32))
    assert 64 * 500 * 32 / (result.cycles * chip.compute.units * 8) == pytest.approx(1, abs=0.02)
    fetches = [[*[CACHED] * 8, wait(vm=0), END_STEP]]
    words = touch_addresses(chip, [4 * lane for lane in range(32)], 4)
    told = [run(made, fetches, [piece(0, 0, [(0, *[words] * 8)], lanes=32)], 1, resources(32, 4, lanes=32), MEMORY)
            for made in (chip, CHIP)]
    assert [each.busy["vmem"] for each in told] == [8 * 8, 8 * 16]


def test_clauses_of_one_wavefront():
    """The guide's example: a branch of three clauses takes about 120 cycles."""
    assert cycles([[CLAUSE, CLAUSE, CLAUSE, END_STEP]], [piece(0, 0, [0])]) == 120


def test_others_go_on_between_clauses():
    """Clauses of ten bundles: with four wavefronts the SIMD is never without one."""
    blocks = [[*[bundles(10), CLAUSE] * 20, END_STEP]]
    alone = cycles(blocks, [piece(0, 0, [0])])
    assert alone == 20 * (80 + 40)
    four = cycles(blocks, [piece(0, w, [0]) for w in range(4)], held=resources(256, 4))
    assert four == pytest.approx(4 * 20 * 40, rel=0.1)


def test_local_memory_keeps_the_simd_busy():
    """A wavefront with bank conflicts stalls: the compute unit does not go on with another one."""
    blocks = [[Step(LDS, "STORE", cycles=4, bytes=4), END_STEP], [bundles(1), END_STEP]]
    pieces = [piece(0, 0, [(0, touch(64))]), piece(0, 1, [1])]
    result = run(CHIP, blocks, pieces, 1, resources(128, 4))
    assert result.stats["lds_conflicts"] == 60
    assert result.cycles == 60 + 8


def test_local_reads_come_back_after_their_latency():
    blocks = [[Step(LDS, LOAD, cycles=4, bytes=4), END_STEP]]
    assert cycles(blocks, [piece(0, 0, [(0, touch(4))])]) == 4 + CHIP.latency.lds


def test_barrier():
    blocks = [[bundles(10), BARRIER_STEP], [END_STEP]]
    assert cycles(blocks, [piece(0, w, [0, 1]) for w in range(2)], held=resources(128, 4)) <= 80 + 2 + 4


@pytest.mark.parametrize(("step", "second"), [(load(), "dram"), (CACHED, "l1_hit")])
def test_only_what_is_read_alone_is_cached(step, second):
    blocks = [[step, wait(vm=0), END_STEP], [step, wait(vm=0)]]
    once = cycles(blocks, [piece(0, 0, [(0, touch(16, [100]))])])
    assert once == pytest.approx(CHIP.latency.dram, abs=8)
    twice = cycles(blocks, [piece(0, 0, [(1, touch(16, [100])), (0, touch(16, [100]))])])
    assert twice - once == pytest.approx(max(getattr(CHIP.latency, second), 16), abs=16)


ATOMIC_BLOCK = [Step(VMEM, ATOMIC, bytes=4), END_STEP]


@pytest.mark.parametrize(("size", "never_executed", "measured"), [
    (4, [], 96), (16, [], 127), (4, [ATOMIC_BLOCK], 18), (4, [[store(1), END_STEP]], 18)])
def test_copies_of_the_guide(size, never_executed, measured):
    """Table 3.3: GB/s of an HD 5870 that copies float and float4. An atomic operation forces CompletePath."""
    body = [load(size), wait(vm=0), store(size)]
    blocks = [[*body, END_STEP], body, *never_executed]
    lines, n, turns = size, UNITS * 96, 6        # of an instruction; wavefronts; of each
    pieces = []
    for wave in range(n):
        way = [[touch_run(16, first + (wave * turns + turn) * lines, lines) for first in (0, 1 << 22)]
               for turn in range(turns)]
        pieces.append(piece(wave // 4, wave % 4, [*[(1, *words) for words in way[:-1]], (0, *way[-1])]))
    result = run(CHIP, blocks, pieces, n // 4, resources(256, 4), MEMORY)
    moved = 2 * n * turns * lines * 64
    assert moved / (result.cycles * 1000 / CHIP.clock.core_mhz) == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize(("width", "measured"), [(1, .83), (8, .42), (16, .22)])
def test_wide_loads_by_work_item(width, measured):
    """clpeak: each work-item reads 4, 32 or 64 bytes that lie together; a line is fetched for each instruction anew."""
    size = 4 * min(width, 4)
    n, per = UNITS * 96, max(width // 4, 1)
    blocks = [[*[load(size)] * per, wait(vm=0), END_STEP]]
    pieces = []
    for wave in range(n):
        words = [touch_addresses(CHIP, [4 * width * (wave * 64 + lane) + 16 * at for lane in range(64)], size)
                 for at in range(per)]
        pieces.append(piece(wave // 4, wave % 4, [(0, *words)]))
    result = run(CHIP, blocks, pieces, n // 4, resources(256, 4), MEMORY)
    gbs = n * 64 * 4 * width / (result.cycles * 1000 / CHIP.clock.core_mhz)
    assert gbs / CHIP.memory.bandwidth_gbs == pytest.approx(measured, rel=0.2)


def copied(shape, width):
    """GB/s of a copy of words in rows of so many, by groups of that shape, which are a wavefront each."""
    across, down = shape
    rows = 64
    n = width * rows // 64
    pieces = []
    for group in range(n):
        x, y = group % (width // across), group // (width // across)
        addresses = [4 * ((y * down + lane // across) * width + x * across + lane % across) for lane in range(64)]
        words = [touch_addresses(CHIP, [at + first for at in addresses], 4, kind)
                 for first, kind in ((0, "load"), (1 << 28, "store"))]
        pieces.append(piece(group, 0, [(0, *words)]))
    result = run(CHIP, [[load(), wait(vm=0), store(), END_STEP]], pieces, n, resources(64, 4), MEMORY)
    return 2 * 4 * width * rows / (result.cycles * 1000 / CHIP.clock.core_mhz)


def test_channel_conflicts_of_columns():
    """Table 3.2: copies of two dimensions reach 0.3 to 93 GB/s. Wavefronts that go down a column of rows that are a
    power of two long ask one channel for lines that they want a word of."""
    by_rows, by_columns = copied((64, 1), 1024), copied((1, 64), 1024)
    assert 0.3 <= by_columns < by_rows / 10 < 9.3


def test_channels_are_bits_10_to_8():
    """A stride of 2 KB asks one of eight."""
    def of(stride):
        blocks = [[CACHED, wait(vm=0), END_STEP]]
        pieces = [piece(g, 0, [(0, touch(16, [(g * 64 + line) * stride // 64 for line in range(64)]))])
                  for g in range(160)]
        result = run(CHIP, blocks, pieces, 160, resources(64, 4), MEMORY)
        return result.dram_busy
    one, all_of_them = of(2048), of(256)
    assert sum(busy > 0 for busy in one) == 1 and sum(busy > 0 for busy in all_of_them) == 8


def counted(blocks, ways, n, chip=CHIP, never_executed=()):
    """Of n wavefronts of 64 work-items, each a group, that go through the first block."""
    pieces = [piece(g, 0, ways(g)) for g in range(n)]
    result = run(chip, [*blocks, *never_executed], pieces, n, resources(64, 4), MEMORY)
    visits = [n, *[0] * len(never_executed)]
    return counters(Launch(n, visits, [64 * each for each in visits], result, result.cycles))


def in_memory(group):
    """A load and a store of words side by side."""
    return [(0, touch_run(16, 4 * group, 4), touch_run(16, (1 << 22) + 4 * group, 4))]


STREAM = [[bundles(10), load(), wait(vm=0), bundles(30), store(), END_STEP]]


def test_counters():
    n = UNITS * 24
    told = counted(STREAM, in_memory, n)
    assert (told["ALUInsts"], told["FetchInsts"], told["WriteInsts"], told["ALUFetchRatio"]) == (40, 1, 1, 40)
    assert (told["ALUPacking"], told["FastPath"], told["CompletePath"]) == (100, n / 4, 0)
    assert told["FetchSize"] == n / 4
    assert told["PathUtilization"] == pytest.approx(50)
    assert 0 < told["ALUBusy"] < 100 and 0 < told["FetchUnitBusy"] < 100
    assert (told["VGPRs"], told["ScratchReg"], told["OccupancyLimiter"]) == (4, 0, "groups")
    assert not {"VALUInsts", "SALUBusy", "SGPRs", "MemUnitBusy"} & set(told)
    slow = counted(STREAM, in_memory, n, never_executed=[ATOMIC_BLOCK])
    assert (slow["FastPath"], slow["CompletePath"]) == (0, n / 2)
    assert slow["PathUtilization"] == pytest.approx(100)
    serial = [[Step("VALU", count=4, mix={"alu": 4, "bundle": 4}), END_STEP]]
    assert counted(serial, lambda g: [0], 1)["ALUPacking"] == 20
    assert counted(serial, lambda g: [0], 1, load_chip("cayman"))["ALUPacking"] == 25


def test_counters_of_local_memory():
    blocks = [[Step(LDS, "STORE", bytes=4), Step(LDS, LOAD, bytes=4), Step(LDS, "ATOMIC_RETURN", bytes=4), END_STEP]]
    told = counted(blocks, lambda g: [(0, touch(4), touch(8), touch(4, meet=1))], UNITS * 8)
    assert (told["LDSFetchInsts"], told["LDSWriteInsts"]) == (2, 1)
    assert 0 < told["LDSBankConflict"] == told["ALUStalledByLDS"] < 100


def test_formula():
    """Right where one thing is the limit: bundles, a wavefront alone, memory, CompletePath."""
    def both(blocks, pieces, visits, n, in_group=64):
        result = run(CHIP, blocks, pieces, n * 64 // in_group, resources(in_group, 4), MEMORY)
        by_formula = launch_cycles(CHIP, result.program, visits, [64 * each for each in visits], n, result.occupancy)
        return by_formula, result.cycles

    def close(found, rel):
        assert found[0] == pytest.approx(found[1], rel=rel)

    n = UNITS * 24 * 4
    close(both([[bundles(1000), END_STEP]], [piece(g // 4, g % 4, [0]) for g in range(n)], [n], n, 256), 0.1)
    close(both([[*[bundles(10), CLAUSE] * 50, END_STEP]], [piece(0, 0, [0])], [1], 1), 0.5)
    pieces = [piece(g // 4, g % 4, in_memory(g)) for g in range(8 * n)]
    for extra in ([], [ATOMIC_BLOCK]):
        close(both([*STREAM, *extra], pieces, [8 * n, *[0] * len(extra)], 8 * n, 256), 0.25)
