# SPDX-License-Identifier: Apache-2.0
"""Memory of the host in a simulated launch: what reading and writing it over the link costs, by hand."""
import pytest

from clpy.device.gpu.chip import load as load_chip
from tests.gpu.traces import ATOMIC, END_STEP, LOAD, SMEM, VMEM, Step, load, piece, run, store, touch, valu, wait

CHIP = load_chip("tahiti")
CLOCK = CHIP.clock.core_mhz / 1000                # cycles of a nanosecond
OVER = CHIP.latency.l2_hit + CHIP.link.latency_ns * CLOCK
DEVICE, HOST = (0, 1 << 26), (1 << 26, 1 << 26)
AT_HOST = 1 << 20                                 # the first line of HOST
READ = [[load(), wait(vm=0)], [END_STEP]]
STREAM = [[load(16), wait(vm=0), END_STEP]]


def simulated(blocks, pieces, n_groups=1, chip=CHIP):
    return run(chip, blocks, pieces, n_groups, buffers=[DEVICE], host=[HOST])


def in_turn(first, n):
    """A wavefront each that goes through 16 lines."""
    return [piece(g, 0, [(0, touch(16, range(first + 16 * g, first + 16 * g + 16)))]) for g in range(n)]


def read_by(units, line):
    """A group for each of so many compute units, that loads a line twice."""
    way = [(0, touch(1, [line])), (0, touch(1, [line])), 1]
    return simulated(READ, [piece(g, 0, way) for g in range(units)], units)


def test_a_line_of_the_host_comes_over_the_link():
    """The L1 has it then."""
    assert read_by(1, AT_HOST).cycles == pytest.approx(OVER + CHIP.latency.l1_hit, abs=4)
    assert read_by(1, 0).cycles == pytest.approx(CHIP.latency.dram + CHIP.latency.l1_hit, abs=4)


def test_no_other_compute_unit_finds_it():
    units = CHIP.compute.units
    at_host, own = read_by(units, AT_HOST), read_by(units, 0)
    assert (at_host.stats["host_read_lines"], at_host.stats["dram_read_lines"]) == (units, 0)
    assert (own.stats["host_read_lines"], own.stats["dram_read_lines"]) == (0, 1)
    assert at_host.hit_rates == {"l1": 0.5, "scalar": None, "l2": 0.0}
    assert at_host.bytes["l1_from_l2"] == at_host.bytes["host_read"] == units * 64
    assert own.hit_rates["l2"] == (units - 1) / units


@pytest.mark.parametrize(("first", "rate"), [(AT_HOST, CHIP.link.host_read_gbs),
                                             (0, CHIP.memory.bandwidth_gbs * CHIP.memory.efficiency)])
def test_reads_go_at_the_rate_of_the_link(first, rate):
    n = 4000
    ns = simulated(STREAM, in_turn(first, n), n).cycles / CLOCK
    assert 1024 * n / ns == pytest.approx(rate, rel=0.15)


@pytest.mark.parametrize("n", [1, 4000])
def test_a_launch_is_done_when_all_is_written(n):
    """One wavefront, whose stores nobody waits for, and many."""
    result = simulated([[store(16), valu(1), END_STEP]], in_turn(AT_HOST, n), n)
    ns = (result.cycles - CHIP.latency.l2_hit / 2) / CLOCK
    assert 1024 * n / ns == pytest.approx(CHIP.link.host_write_gbs, rel=0.05)
    assert (result.bytes["host_written"], result.bytes["dram_written"]) == (1024 * n, 0)


def test_scalar_loads_and_atomics():
    blocks = [[Step(SMEM, LOAD, bytes=64), wait(lgkm=0), END_STEP]]
    scalar = simulated(blocks, [piece(0, 0, [(0, touch(0, [AT_HOST]))])])
    assert scalar.cycles == pytest.approx(CHIP.latency.smem_miss + CHIP.link.latency_ns * CLOCK, abs=8)
    blocks = [[Step(VMEM, ATOMIC, bytes=4), wait(vm=0), END_STEP]]
    atomic = simulated(blocks, [piece(0, 0, [(0, touch(16, [AT_HOST], meet=64))])])
    assert atomic.cycles == pytest.approx(OVER, abs=20)
    assert (atomic.bytes["host_read"], atomic.bytes["host_written"], atomic.stats["atomics"]) == (64, 64, 64)


def test_memory_of_both_is_one():
    """An APU has no link between: the same launch takes the same time, wherever its buffers are."""
    kaveri = load_chip("kaveri")
    result = simulated(STREAM, in_turn(AT_HOST, 500), 500, kaveri)
    assert result.stats["host_read_lines"] == 0
    assert result.cycles == simulated(STREAM, in_turn(0, 500), 500, kaveri).cycles
