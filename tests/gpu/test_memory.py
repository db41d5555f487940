# SPDX-License-Identifier: Apache-2.0
"""Rows of device memory, and the way of code to the wavefronts: cases whose cycles can be counted by hand."""
import pytest

from clpy.device.gpu.chip import load as load_chip
from tests.gpu.traces import END_STEP, load, piece, run, store, touch, valu, wait

CHIP = load_chip("hawaii")
FIRST = 1 << 20                  # line number of the buffer: at the start of all rows
BLOCK = CHIP.caches.interleave_bytes // 64
CLOCK = CHIP.clock.core_mhz / 1000                # cycles of a nanosecond
LINE = 64 * CHIP.caches.l2_channels / (CHIP.memory.bandwidth_gbs * CHIP.memory.efficiency) * CLOCK
OPENING = CHIP.memory.row_ns * CLOCK
IN_MEMORY = CHIP.latency.smem_miss + CHIP.latency.dram - CHIP.latency.l2_hit


def cycles(lines):
    """Of a wavefront that reads them all at once."""
    return run(CHIP, [[load(), wait(vm=0), END_STEP]], [piece(0, 0, [(0, touch(1, lines))])], 1,
               buffers=[(0, 1 << 26, FIRST)]).cycles


def of_channel(block, line=0):
    """A line of the first channel."""
    return block * CHIP.caches.l2_channels * BLOCK + line


def test_lines_of_a_row_follow_each_other():
    lines = [of_channel(block * CHIP.memory.banks, line) for block in range(4) for line in range(BLOCK)]
    assert cycles(lines) == pytest.approx(CHIP.latency.dram + 15 * LINE, abs=4)


def test_a_row_has_to_be_opened_for_its_lines():
    """Lines of 16 banks, and lines of one bank that are further apart than a row."""
    row = CHIP.memory.row_bytes // CHIP.caches.interleave_bytes * CHIP.memory.banks
    for apart in (1, row):
        lines = [of_channel(block * apart) for block in range(16)]
        assert cycles(lines) == pytest.approx(CHIP.latency.dram + 15 * OPENING, abs=4)


def test_requests_to_open_rows_are_served_together():
    """Whatever the order is in which two rows are asked, as long as the channel sees both."""
    one, other = ([of_channel(block, line) for line in range(BLOCK)] for block in range(2))
    in_turn = [line for pair in zip(one, other, strict=True) for line in pair]
    assert cycles(in_turn) == pytest.approx(cycles(one + other), abs=2)


def test_channels_do_not_wait_for_each_other():
    """The L1 takes one line after the other."""
    n = CHIP.caches.l2_channels
    assert cycles([channel * BLOCK for channel in range(n)]) == pytest.approx(CHIP.latency.dram + n - 1, abs=4)


def test_stores_wait_for_room():
    """A kernel writes no faster than memory takes it: AMD's guide has 120 to 150 GB/s of 264 for kernels that write."""
    n = CHIP.compute.units * 160
    pieces = [piece(g, 0, [(0, touch(16, range(16 * g, 16 * g + 16)))]) for g in range(n)]
    result = run(CHIP, [[store(16), END_STEP]], pieces, n, buffers=[(0, 1 << 26, FIRST)])
    written = 1024 * n - CHIP.caches.l2_bytes       # the rest stays in the L2
    rate = written / (result.cycles / CLOCK)
    assert rate == pytest.approx(CHIP.memory.bandwidth_gbs * CHIP.memory.write_efficiency, rel=0.1)
    assert result.stall_reasons["vmem"] > result.cycles


def test_code_comes_line_by_line():
    """Cold code costs a wavefront the way to memory for each line; one that comes behind it finds them all."""
    step = valu(16)._replace(size=64)
    block = [*(step._replace(at=0x1000 + 64 * n) for n in range(8)), END_STEP._replace(at=0x1200, size=4)]
    cold = run(CHIP, [block], [piece(0, 0, [0])], 1)
    assert cold.cycles == 8 * 64 + 9 * IN_MEMORY
    assert cold.stall_reasons["fetch"] == 9 * IN_MEMORY
    two = run(CHIP, [block], [piece(0, 0, [0]), piece(1, 0, [0])], 2)
    assert two.cycles == pytest.approx(cold.cycles, abs=8)
    far = CHIP.caches.scalar_units * CHIP.compute.units
    many = run(CHIP, [block], [piece(g, 0, [0]) for g in range(far)], far)
    assert many.cycles == pytest.approx(cold.cycles, abs=80)


def test_a_loop_has_its_code():
    turn = [valu(8)._replace(at=0, size=32), valu(8)._replace(at=32, size=32)]
    blocks = [turn, [END_STEP._replace(at=60, size=4)]]
    assert run(CHIP, blocks, [piece(0, 0, [0] * 10 + [1])], 1).cycles == 10 * 64 + IN_MEMORY


def test_code_that_nobody_knows_takes_no_time():
    assert run(CHIP, [[valu(16), END_STEP]], [piece(0, 0, [0])], 1).cycles == 64
