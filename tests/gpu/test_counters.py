# SPDX-License-Identifier: Apache-2.0
"""Counters, samples of launches, and the closed formula."""
from types import SimpleNamespace

import pytest

from clpy import config
from clpy.compiler.isa.gcn import steps
from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.counters import LEVELS, TABLE, Launch, counters
from clpy.device.gpu.launch_time import note, waves_of
from clpy.device.gpu.source_lines import by_line
from clpy.device.gpu.timing.formula import launch_cycles
from clpy.device.gpu.timing.program import Program
from clpy.device.gpu.timing.result import STALLS
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


@pytest.mark.parametrize("loads", [0, 1])
def test_units_are_busy_as_long_as_they_are_stalled(loads):
    """CodeXL's MemUnitBusy includes the time in which the unit is stalled, by stores that memory has no room for."""
    n = UNITS * 160
    pieces = [piece(g, 0, [(0, *[touch(4, [at])] * loads, touch(16, range((1 << 20) + at, (1 << 20) + at + 16)))])
              for g, at in enumerate(range(0, 16 * n, 16))]
    result = run(CHIP, [[*[load()] * loads, store(16), END_STEP]], pieces, n, buffers=BUFFERS)
    told = counters(Launch(n, [n], [64 * n], result, result.cycles))
    assert 100 >= told["MemUnitBusy"] >= told["MemUnitStalled"] >= told["WriteUnitStalled"] > 50


def test_table():
    assert {row.basis for row in TABLE} <= set(LEVELS)
    assert len({(row.name, row.of) for row in TABLE}) == len(TABLE)
    for of in ("gcn", "vliw"):
        names = [row.name for row in TABLE if row.of in ("", of)]
        assert len(set(names)) == len(names)
    assert all(row.meaning and row.formula for row in TABLE)


@pytest.mark.parametrize(("items", "group", "waves"), [
    ((300, 1, 1), (256, 1, 1), 5), ((256, 1, 1), (256, 1, 1), 4), ((0, 1, 1), (64, 1, 1), 0),
    ((10, 10, 3), (8, 8, 2), 5 + 4), ((16, 12, 1), (16, 8, 1), 2 + 1)])
def test_smaller_groups_have_fewer_wavefronts(items, group, waves):
    assert waves_of(items, group) == waves


def test_lines():
    """What was followed of a block, for all that went through it; of one that nobody was followed to, only counts."""
    program = Program([[valu(2, line=3), load(line=4), load(line=4)], [], [Step(LDS, LOAD, line=5), END_STEP]])
    stalls = [0] * len(STALLS) * program.n_steps
    stalls[STALLS.index("valu")], stalls[2 * len(STALLS) + STALLS.index("vmem")] = 7, 100
    told = by_line(SimpleNamespace(
        kernel=SimpleNamespace(chip=CHIP), program=program, resources=resources(),
        counts=[10, 10, 5], lanes=[320, 320, 320],
        visits=[5, 5, 0], stalls=stalls,
        uses=[0, 0, 0, 5, 20, 0, 5, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    nothing = {"lines_per_access": None, "conflict_cycles": 0}
    assert told == [
        {"line": 0, "instructions": 5, "by_counter": {}, "active": None},
        {"line": 3, "instructions": 20, "by_counter": {"VALUInsts": 20}, "active": 50, **nothing,
         "exposed_cycles": {"valu": 14}},
        {"line": 4, "instructions": 20, "by_counter": {"VFetchInsts": 20}, "active": 50, **nothing,
         "lines_per_access": 10, "exposed_cycles": {"vmem": 200}},
        {"line": 5, "instructions": 5, "by_counter": {"LDSInsts": 5}, "active": 100}]


def test_lines_of_one_step():
    """By how many of its instructions are of each."""
    program = Program([[steps.Step("valu", count=4, line=3, lines=[[3, 1], [8, 3]], mix={"valu": 4}), END_STEP]])
    stalls = [0] * len(STALLS) * program.n_steps
    stalls[STALLS.index("valu")] = 8
    told = by_line(SimpleNamespace(kernel=SimpleNamespace(chip=CHIP), program=program, resources=resources(),
                                   counts=[10], lanes=[640], visits=[5], stalls=stalls, uses=[0] * 6))
    assert [(row["line"], row["instructions"], row["by_counter"], row["exposed_cycles"]) for row in told[1:]] == [
        (3, 10, {"VALUInsts": 10}, {"valu": 4}), (8, 30, {"VALUInsts": 30}, {"valu": 12})]
    assert {row["active"] for row in told[1:]} == {100}


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


def test_a_profile_that_cannot_be_written_is_said_once(tmp_path, capfd):
    with config.override(GPU_PROFILE=str(tmp_path / "none" / "profile")):
        for _ in range(3):
            note({})
    assert capfd.readouterr().err == f"clpy: CLPY_GPU_PROFILE: {tmp_path}/none/profile: No such file or directory\n"


def test_page_has_the_table():
    from pathlib import Path

    from clpy.device.gpu.counters import page_rows
    assert "\n".join(page_rows()) in (Path(__file__).parents[2] / "docs" / "gpu.md").read_text()
