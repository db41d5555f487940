# SPDX-License-Identifier: Apache-2.0
"""From what threads wrote to numbers that do not depend on threads, addresses or batches."""
import random

import pytest

from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.timing.device_memory import DeviceMemory
from clpy.device.gpu.timing.program import Program
from clpy.device.gpu.timing.simulation import Simulation, simulate
from tests.gpu.traces import (
    ARGUMENTS,
    BARRIER_STEP,
    END_STEP,
    HEADER,
    LOAD,
    SCRATCH,
    SMEM,
    Step,
    load,
    piece,
    resources,
    run,
    sink,
    store,
    touch,
    touch_run,
    valu,
    wait,
)

CHIP = load_chip("cape-verde")
BLOCKS = [[Step(SMEM, LOAD, bytes=16), wait(lgkm=0), valu(3)], [load(), wait(vm=0), valu(2, line=7)],
          [store(), END_STEP]]


def blocks_of(number, at, unknown=()):
    draw = random.Random(number)
    ways = [(0, touch(0, [ARGUMENTS]))]
    for _ in range(draw.randrange(1, 20)):
        ways.append((1, touch(16, [(at >> 6) + draw.randrange(1000) for _ in range(4)])))
    if unknown:
        ways.append((1, touch(4, [unknown[number % len(unknown)]])))
    return [*ways, (2, touch(16, [(at >> 6) + 1000 + number]))]


def numbers(result):
    return result.cycles, result.stats, result.stalls, result.visits, result.bins


def launch(sinks, at, n=400):
    return simulate(CHIP, BLOCKS, sinks, (n // 2, 2, 1), resources(128), [(at, 1 << 20)])


def pieces_of(n, at, unknown=()):
    return [piece((g % (n // 2), g // (n // 2), 0), w, blocks_of(2 * g + w, at, unknown))
            for g in range(n) for w in range(2)]


def test_threads_and_addresses_do_not_matter():
    one = launch([sink(*pieces_of(400, 0x7f0000000000, (1 << 40, 1 << 41)))], 0x7f0000000000)
    shuffled = pieces_of(400, 0x560000010000, (3 << 39, 5 << 30))
    sinks = [[], [], []]
    for group in range(400):
        sinks[hash(str(group // 7)) % 3] += shuffled[2 * group:2 * group + 2]
    other = launch([sink(*pieces) for pieces in reversed(sinks)], 0x560000010000)
    assert numbers(one) == numbers(other)
    assert one.cycles > 1000


def test_batches_do_not_matter():
    at = 1 << 30
    pieces = pieces_of(400, at)
    whole = launch([sink(*pieces)], at)
    simulation = Simulation(CHIP, Program(BLOCKS), (200, 2, 1), resources(128), [(at, 1 << 20)])
    fed = 0
    while simulation.wants:
        n = min(simulation.wants, 400 - fed)
        assert simulation.add([sink(*pieces[2 * fed:2 * (fed + n)])]) == n
        fed += n
        simulation.run()
    assert numbers(simulation.result()) == numbers(whole)
    assert whole.stats["groups"] == 400 and whole.stats["waves"] == 800


def test_pieces_of_a_wavefront():
    """A wavefront that waits at a barrier writes a header again when it goes on."""
    blocks = [[valu(10), BARRIER_STEP], [valu(5), END_STEP]]
    whole = run(CHIP, blocks, [piece(0, w, [0, 0, 1]) for w in range(2)], 1, resources(128))
    parts = [piece(0, w, [0]) for w in range(2)] * 2 + [piece(0, w, [1]) for w in range(2)]
    assert numbers(run(CHIP, blocks, parts, 1, resources(128))) == numbers(whole)


def test_pieces_of_groups_between_those_of_others():
    """All pieces of a wavefront in order are its way, whatever was told between them."""
    blocks = [[valu(10), BARRIER_STEP], [valu(5), END_STEP]]
    whole = run(CHIP, blocks, [piece(g, w, [0, 1]) for g in range(3) for w in range(2)], 3, resources(128))
    parts = [piece(g, w, [block]) for block in range(2) for g in (1, 0, 2) for w in (1, 0)]
    assert numbers(run(CHIP, blocks, parts, 3, resources(128))) == numbers(whole)


def test_counts_are_exact():
    result = run(CHIP, BLOCKS, pieces_of(6, 0), (3, 2, 1), resources(128))
    loops = [len(blocks_of(number, 0)) - 2 for number in range(12)]
    assert result.visits == [12, sum(loops), 12]
    assert result.issued["valu"] == 12 * 3 + 2 * sum(loops)
    assert result.issued["end"] == 12 and result.issued["vmem"] == sum(loops) + 12
    assert set(result.stall_lines) <= {0, 7}


def test_buffers_do_not_share_lines():
    """Two buffers that lie one behind the other in memory are apart in the model, in the order of the table."""
    blocks = [[load(), wait(vm=0)], [END_STEP]]
    way = [piece(0, 0, [(0, touch(4, [n])) for n in range(8)] + [1])]
    table = [(256, 256), (0, 256)]
    assert run(CHIP, blocks, way, 1, buffers=table).bytes["dram_read"] == 8 * 64
    fixed = [(256, 256, 5000), (0, 256, 5000)]      # the caller's own numbers: here the same memory twice
    assert run(CHIP, blocks, way, 1, buffers=fixed).bytes["dram_read"] == 4 * 64


@pytest.mark.parametrize("line", [5, 1 << 20, SCRATCH | 3, SCRATCH | (1 << 31) - 4, ARGUMENTS | 2, ARGUMENTS | 1020])
def test_lines_that_follow_each_other_may_be_told_as_one(line):
    """Also where they leave a buffer, or their numbers do not follow each other; they are more than are looked up at a
    time."""
    blocks = [[Step(SMEM, LOAD, bytes=64), load(), wait(vm=0, lgkm=0)], [store(), END_STEP]]
    told = [touch(16, range(line, line + 19)), touch_run(16, line, 19)]
    one, run_ = ([piece(g, 0, [(0, way, touch(16, [line + 20])), (0, touch(0), way), (1, way)]) for g in range(90)]
                 for way in told)
    held = resources(64, scratch_bytes=64)
    assert numbers(run(CHIP, blocks, run_, 90, held, [(64 * 8, 100)])) == numbers(
        run(CHIP, blocks, one, 90, held, [(64 * 8, 100)]))


@pytest.mark.parametrize("chip", ["tahiti", "hawaii", "vega10"])
def test_runs_among_stores_that_have_to_be_written_first(chip):
    """Lines of a load that follow each other are looked up together: nothing is different from one by one."""
    chip, draw = load_chip(chip), random.Random(7)
    n, lines = 60, 200_000
    blocks = [[load()], [store()], [wait(vm=0)], [END_STEP]]

    def way(by_run):
        made = []
        for _ in range(150):
            first, many = draw.randrange(lines), draw.choice((1, 2, 4, 4, 4, 5, 16, 19))
            told = touch_run(4, first, many) if by_run else touch(4, range(first, first + many))
            made.append((draw.choice((0, 0, 1)), told))
            if draw.random() < 0.3:
                made.append(2)
        return [*made, 3]

    results = []
    for by_run in (True, False):
        draw.seed(7)
        results.append(run(chip, blocks, [piece(g, 0, way(by_run)) for g in range(n)], n, None,
                           [(64 * 8, 64 * (lines + 32))]))
    assert numbers(results[0]) == numbers(results[1])
    assert results[0].stats["dram_write_lines"] > 100


def test_scratch_belongs_to_a_slot():
    """Each wavefront of the device has its own; one that comes later finds its lines in the cache."""
    blocks = [[load(), wait(vm=0)], [END_STEP]]
    held = resources(64, scratch_bytes=4)
    n = CHIP.compute.units * 40
    way = [(0, touch(4, [SCRATCH | k])) for k in range(4)]
    once = run(CHIP, blocks, [piece(g, 0, [*way, 1]) for g in range(n)], n, held)
    assert once.bytes["dram_read"] == n * 4 * 64
    twice = run(CHIP, blocks, [piece(g, 0, [*way, 1]) for g in range(2 * n)], 2 * n, held)
    assert twice.bytes["dram_read"] == n * 4 * 64


@pytest.mark.parametrize(("words", "message"), [
    ([], "no wavefronts"),
    ([1, 2, 3], "does not begin with its header"),
    ([HEADER, 0, 0], "does not begin with its header"),
    ([HEADER, 5, 0, 0, 0, 64, 1], "names a group that the launch does not have"),
    ([HEADER, 0, 0, 0, 99, 64, 1], "a number that no group has"),
    ([HEADER, 0, 0, 0, 0, 64, 3], "does not fit its program"),
    ([HEADER, 0, 0, 0, 0, 64, 0], "does not fit its program"),
    ([HEADER, 0, 0, 0, 0, 64, 0, 5], "does not fit its program"),
    ([HEADER, 0, 0, 0, 0, 64, 0, 5 << 16], "does not come to its end"),
    ([HEADER, 0, 0, 0, 0, 64, 2, 0, 2, 0], "goes on behind its end"),
    ([HEADER, 0, 0, 0, 0, 64], "no block"),
    ([HEADER, 0, 0, 0, 1, 64, 2, 0], "no trace of one of its wavefronts"),
    ([HEADER, 0, 0, 0, 0, 64, 2, 0, HEADER, 0, 0, 0, 1, 64, 2, 0], "too many wavefronts"),
])
def test_wrong_traces(words, message):
    with pytest.raises(ValueError, match=message):
        run(CHIP, BLOCKS, [words], 2, resources(64))


@pytest.mark.parametrize(("blocks", "message"), [
    ([], "without blocks"),
    ([[Step("ALU")]], "there is no unit ALU"),
    ([[Step("VMEM", "FETCH")]], "there is no kind FETCH"),
    ([[END_STEP, valu()]], "the last of its block"),
    ([[Step("VMEM", LOAD, count=2), END_STEP]], "steps of their own"),
])
def test_wrong_programs(blocks, message):
    with pytest.raises(ValueError, match=message):
        Program(blocks)


def test_groups_that_do_not_fit():
    with pytest.raises(ValueError, match="does not fit a compute unit of cape-verde: vgprs"):
        run(CHIP, BLOCKS, [], 1, resources(512, vgprs=256))


def test_many_unknown_lines():
    """More than the table has room for at first."""
    blocks = [[load()], [wait(vm=0), END_STEP]]
    way = [(0, touch(64, [(n * 64 + k) * 77777 for k in range(64)])) for n in range(40)]
    result = run(CHIP, blocks, [piece(0, 0, [*way, *way, 1])], 1)
    assert result.bytes["dram_read"] == 40 * 64 * 64      # half of the L2: the second time they are there


def test_the_l2_keeps_lines_for_the_next_launch():
    blocks = [[load(), wait(vm=0)], [END_STEP]]
    memory = DeviceMemory(CHIP)

    def launch(first, unknown=1 << 40):
        """Bytes that one wavefront reads from memory: 64 lines of a buffer and one of no buffer."""
        lines = [*range(4, 68), unknown]
        words = [sink(piece(0, 0, [(0, touch(4, [n])) for n in lines] + [1]))]
        result = simulate(CHIP, blocks, words, (1, 1, 1), resources(), [(256, 4096, first)], memory)
        return result.bytes["dram_read"], result.cycles

    (cold, slow), (warm, fast) = launch(5000), launch(5000)
    assert (cold, warm) == (65 * 64, 64)
    assert fast < slow
    assert launch(9000)[0] == 65 * 64           # another buffer
    assert launch(5000)[0] == 64
    memory.forget(5000, 64)                     # and it is gone
    assert launch(5000)[0] == 65 * 64
