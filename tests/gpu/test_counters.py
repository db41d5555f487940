# SPDX-License-Identifier: Apache-2.0
"""Counters, samples of launches, and the closed formula."""
import pytest

from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.counters import LEVELS, TABLE, Launch, counters
from clpy.device.gpu.timing.formula import launch_cycles
from clpy.device.gpu.timing.program import Program
from clpy.device.gpu.timing.sample import Sampler
from clpy.device.gpu.timing.simulation import Simulation
from tests.gpu.traces import (
    END_STEP,
    LDS,
    LOAD,
    SMEM,
    Step,
    load,
    piece,
    resources,
    run,
    salu,
    sink,
    store,
    touch,
    valu,
    wait,
)

CHIP = load_chip("cape-verde")
UNITS = CHIP.compute.units
# A stream: each wavefront loads, multiplies and stores 64 words.
STREAM = [[Step(SMEM, LOAD, bytes=16), wait(lgkm=0), salu(2), load(), wait(vm=0), valu(3), store(), END_STEP]]


def stream(group, waves=4):
    at = [4 * (group * waves + w) for w in range(waves)]
    return [piece(group, w, [(0, touch(0, [1 << 62]), touch(4, [first + k for k in range(4)]),
                              touch(16, [(1 << 20) + first + k for k in range(4)]))])
            for w, first in enumerate(at)]


BUFFERS = [(0, 1 << 26), (1 << 26, 1 << 26)]


def test_counters():
    n = UNITS * 40
    pieces = [each for group in range(n) for each in stream(group)]
    result = run(CHIP, STREAM, pieces, n, resources(256), BUFFERS)
    told = counters(Launch(4 * n, [4 * n], [4 * n * 48], result, result.cycles))
    assert told["Wavefronts"] == 4 * n
    assert (told["VALUInsts"], told["SALUInsts"], told["VFetchInsts"], told["VWriteInsts"], told["SFetchInsts"],
            told["LDSInsts"]) == (3, 2, 1, 1, 1, 0)
    assert told["VALUUtilization"] == 75
    # Each byte comes once and goes once; the arguments are a line.
    assert told["FetchSize"] == 4 * n * 256 / 1024 + 64 / 1024
    assert told["WriteSize"] == 4 * n * 256 / 1024
    assert told["GPUTime"] == result.ns
    assert 0 < told["VALUBusy"] < told["MemUnitBusy"] < 100
    assert (told["VGPRs"], told["KernelOccupancy"], told["OccupancyLimiter"]) == (24, 100, "waves")


def test_busy_units():
    """A kernel of arithmetic alone keeps the SIMDs busy, one of bank conflicts the LDS."""
    n = UNITS * 40
    result = run(CHIP, [[valu(1000), END_STEP]], [piece(g, 0, [0]) for g in range(n)], n)
    assert counters(Launch(n, [n], [64 * n], result, result.cycles))["VALUBusy"] == pytest.approx(100, abs=1)
    blocks = [[Step(LDS, LOAD, cycles=4) for _ in range(10)] + [wait(lgkm=0), END_STEP]]
    result = run(CHIP, blocks, [piece(g, 0, [(0, *[touch(8)] * 10)]) for g in range(n)], n)
    told = counters(Launch(n, [n], [64 * n], result, result.cycles))
    assert told["LDSBankConflict"] == pytest.approx(50, abs=4)
    assert told["LDSInsts"] == 10


def test_table():
    assert {row.basis for row in TABLE} <= set(LEVELS)
    assert len({row.name for row in TABLE}) == len(TABLE)


def sampled(n, pieces_of, blocks=STREAM):
    """(estimate, groups that were traced)"""
    simulation = Simulation(CHIP, Program(blocks), (n, 1, 1), resources(256), BUFFERS)
    sampler = Sampler(simulation)
    while groups := sampler.wants():
        sampler.add([sink(*[each for group in groups for each in pieces_of(group)])])
    return sampler, simulation


def test_sample_of_a_stream():
    n = UNITS * 10 * 40
    sampler, simulation = sampled(n, stream)
    whole = run(CHIP, STREAM, [each for group in range(n) for each in stream(group)], n, resources(256), BUFFERS)
    estimate = sampler.estimate()
    assert sampler.traced < n / 2
    assert estimate.scale == n / sampler.traced
    assert estimate.cycles == pytest.approx(whole.cycles, rel=max(2 * estimate.uncertainty, 0.03))
    assert 0 < estimate.uncertainty < 0.2
    told = counters(Launch(4 * n, [4 * n], [256 * n], simulation.result(), estimate.cycles, estimate.scale))
    assert told["FetchSize"] == pytest.approx(n, rel=0.01)


def test_sample_of_groups_that_do_more_and_more():
    """Counts of all wavefronts say how much more there is to do in the groups that are not traced."""
    blocks = [[valu(20)], [END_STEP]]
    n = UNITS * 10 * 30
    turns = [5 + group * 20 // n for group in range(n)]

    def pieces_of(group):
        return [piece(group, w, [0] * turns[group] + [1]) for w in range(4)]

    sampler, simulation = sampled(n, pieces_of, blocks)
    whole = run(CHIP, blocks, [each for group in range(n) for each in pieces_of(group)], n, resources(256))
    traced_work = simulation.result().visits[0]
    estimate = sampler.estimate(work=4 * sum(turns), traced_work=traced_work)
    assert sampler.traced < n
    assert estimate.cycles == pytest.approx(whole.cycles, rel=0.1)


def test_small_launches_are_traced_as_a_whole():
    n = UNITS * 10 * 3
    sampler, simulation = sampled(n, stream)
    assert sampler.traced == n
    assert sampler.estimate() == (simulation.result().cycles, 0.0, 1.0)


def test_formula():
    """Right where one thing is the limit: memory for a stream, the SIMDs for arithmetic, latency for one wavefront."""
    n = UNITS * 10 * 20
    pieces = [each for group in range(n) for each in stream(group)]
    result = run(CHIP, STREAM, pieces, n, resources(256), BUFFERS)
    assert launch_cycles(CHIP, result.program, [4 * n], [256 * n], 4 * n,
                         result.occupancy) == pytest.approx(result.cycles, rel=0.2)
    result = run(CHIP, [[valu(1000), END_STEP]], [piece(g, 0, [0]) for g in range(n)], n)
    assert launch_cycles(CHIP, result.program, [n], [64 * n], n, result.occupancy) == pytest.approx(
        result.cycles, rel=0.05)
    chain = [[load(), wait(vm=0)], [END_STEP]]
    result = run(CHIP, chain, [piece(0, 0, [(0, touch(1, [k])) for k in range(50)] + [1])], 1)
    assert launch_cycles(CHIP, result.program, [50, 1], [3200, 64], 1, result.occupancy) == pytest.approx(
        result.cycles, rel=0.05)


def test_page_has_the_table():
    from pathlib import Path

    from clpy.device.gpu.counters import page_rows
    assert "\n".join(page_rows()) in (Path(__file__).parents[2] / "docs" / "gpu.md").read_text()
