# SPDX-License-Identifier: Apache-2.0
"""Costs of single memory instructions, by the AMD guide and by measured tables."""
import random

import pytest

from clpy.device.gpu.chip import load
from clpy.device.gpu.timing.access import lds_cycles, lines, vector_memory_cycles

CHIP = load("hawaii")
LANES = range(64)


def scattered(size):
    """Random places in 4 KB, which a cache holds, each aligned to the size of its words."""
    draw = random.Random(7)
    return [draw.randrange(0, 4096 // size) * size for _ in LANES]


# Cycles of a load from the L1: CLRX, and what PerfTest measured on an R9 390X.
@pytest.mark.parametrize(("size", "addresses", "cycles", "measured"), [
    (1, [at for at in LANES], 4, 4.16),
    (2, [2 * at for at in LANES], 4, 4.09),
    (4, [4 * at for at in LANES], 4, 4.09),
    (8, [8 * at for at in LANES], 18, 18.2),
    (12, [12 * at for at in LANES], 16, 16.2),
    (16, [16 * at for at in LANES], 16, 16.4),
    (4, [0] * 64, 4, 4.09),
    (8, [0] * 64, 18, 18.2),
    (16, [0] * 64, 16, 16.2),
])
def test_loads(size, addresses, cycles, measured):
    assert vector_memory_cycles(CHIP, addresses, size) == cycles == pytest.approx(measured, rel=0.05)


def test_scattered_words():
    """Four addresses a cycle: 16 cycles as long as a quarter touches no more than four lines."""
    within_four = [4 * (16 * (lane % 4) + (lane * 7) % 16) for lane in LANES]
    assert vector_memory_cycles(CHIP, within_four, 4) == 16
    assert vector_memory_cycles(CHIP, [64 * lane for lane in LANES], 4) == 64      # a line each


def test_half_rate_of_64_bits_ended_with_vega20():
    assert vector_memory_cycles(load("vega20"), [8 * at for at in LANES], 8) == 16


def test_masked_work_items_cost_nothing():
    half = [4 * at if at < 32 else None for at in LANES]
    assert vector_memory_cycles(CHIP, half, 4) == 2
    assert vector_memory_cycles(CHIP, [None] * 64, 4) == 0
    assert lines(half, 4) == [0, 1]


def test_lines_of_64_work_items():
    assert len(lines([4 * at for at in LANES], 4)) == 4
    assert len(lines([4 * at + 4 for at in LANES], 4)) == 5
    assert len(lines([16 * at for at in LANES], 16)) == 16
    assert len(lines([64 * at for at in LANES], 4)) == 64
    assert lines([130, 60], 8) == [2, 0, 1]


# Degree of conflict: words of a bank that differ, of each half of the wavefront.
@pytest.mark.parametrize(("stride", "cycles"), [(1, 4), (0, 4), (2, 4), (3, 4), (4, 8), (8, 16), (16, 32), (32, 64),
                                                (33, 4), (31, 4), (17, 4)])
def test_lds_by_stride(stride, cycles):
    assert lds_cycles(CHIP, [4 * stride * at for at in LANES], 4) == cycles


def test_lds_broadcast():
    """All work-items at one word: it is read once. In pairs, likewise."""
    assert lds_cycles(CHIP, [256] * 64, 4) == 4
    assert lds_cycles(CHIP, [4 * (at // 2) for at in LANES], 4) == 4
    # One bank, two words: two cycles for each half, which the four of the issue cover.
    assert lds_cycles(CHIP, [128 * (at % 2) for at in LANES], 4) == 4
    assert lds_cycles(CHIP, [128 * (at % 4) for at in LANES], 4) == 8


@pytest.mark.parametrize(("size", "kind", "cycles"), [
    (4, "read", 4), (8, "read", 8), (16, "read", 16), (4, "write", 8), (8, "write", 12), (16, "write", 20),
    (4, "atomic", 8)])
def test_lds_without_conflicts(size, kind, cycles):
    assert lds_cycles(CHIP, [size * at for at in LANES], size, kind) == cycles


def test_lds_atomics_do_not_share():
    """All 64 at one word are 64 operations, one after the other."""
    assert lds_cycles(CHIP, [0] * 64, 4, "atomic") == 64
    assert lds_cycles(CHIP, [4 * (at % 16) for at in LANES], 4, "atomic") == 8


def test_random_access_costs_no_less():
    for size in (4, 8, 16):
        assert vector_memory_cycles(CHIP, scattered(size), size) >= 16
