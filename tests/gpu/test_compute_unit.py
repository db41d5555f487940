# SPDX-License-Identifier: Apache-2.0
"""What wavefronts cost each other on one compute unit: cases whose cycles can be counted by hand."""
import pytest

from clpy.device.gpu.chip import load as load_chip
from tests.gpu.traces import (
    ATOMIC,
    BARRIER_STEP,
    BRANCH_STEP,
    END_STEP,
    LDS,
    LOAD,
    SMEM,
    STORE,
    VMEM,
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

CHIP = load_chip("hawaii")
UNITS = CHIP.compute.units


def cycles(blocks, pieces, n_groups=1, held=None, chip=CHIP):
    return run(chip, blocks, pieces, n_groups, held).cycles


def test_arithmetic_alone():
    assert cycles([[valu(100), END_STEP]], [piece(0, 0, [0])]) == 400


def test_both_ways_of_a_branch_cost_2t():
    """AMD guide, example 1: if any work-item diverges the time is the sum of both ways'."""
    blocks = [[valu(50)], [valu(50)], [END_STEP]]
    t = cycles(blocks, [piece(0, 0, [0, 2])])
    assert t == 200
    assert cycles(blocks, [piece(0, 0, [0, 1, 2], lanes=63)]) == 2 * t


def test_a_loop_that_one_work_item_takes_100_times_costs_100t():
    """AMD guide, example 2."""
    blocks = [[valu(10)], [END_STEP]]
    t = cycles(blocks, [piece(0, 0, [0, 1])])
    assert cycles(blocks, [piece(0, 0, [0] * 100 + [1])]) == 100 * t


def test_four_wavefronts_have_a_simd_each():
    """A group of 256 takes no longer than one of 64; the fifth wavefront shares a SIMD."""
    blocks = [[valu(100), END_STEP]]
    starts = 3                                    # one wavefront a cycle
    assert cycles(blocks, [piece(0, w, [0]) for w in range(4)], held=resources(256)) == 400 + starts
    assert cycles(blocks, [piece(0, w, [0]) for w in range(8)], held=resources(512)) == pytest.approx(800, abs=8)


def test_full_device_reaches_the_peak():
    """64 lanes a cycle and compute unit."""
    n = UNITS * 40
    result = run(CHIP, [[valu(500), END_STEP]], [piece(g, 0, [0]) for g in range(n)], n)
    assert result.busy["valu"] == n * 2000
    assert n * 500 * 64 / (result.cycles * UNITS * 64) == pytest.approx(1, abs=0.01)


def test_scalar_work_of_one_hides_behind_vector_work_of_another():
    """Two wavefronts of a SIMD: what one does on the scalar unit costs no time of the other's."""
    blocks = [[valu(8)], [salu(8)], [END_STEP]]
    ways = [[0, 1] * 20 + [2], [1, 0] * 20 + [2]]
    both = [piece(0, w, ways[w // 4]) for w in range(8)]
    alone = [piece(0, w, ways[w // 4]) for w in range(4)]
    assert cycles(blocks, both, held=resources(512)) <= cycles(blocks, alone, held=resources(256)) + 40


@pytest.mark.parametrize("waves", [1, 4, 8, 20])
def test_steps_of_a_block_take_what_they_do_in_blocks_of_their_own(waves):
    """Those of one are done at once where no other wavefront's turn comes between them."""
    steps = [valu(3), salu(2), valu(1), salu(1), valu(15), salu(40), valu(2), salu(1), valu(1), salu(1), valu(4),
             salu(9), valu(40), salu(1), valu(1)]
    held = resources(64 * waves) if waves <= 4 else resources(64 * waves // 4)
    groups = 1 if waves <= 4 else 4
    each = waves // groups

    def took(blocks, way):
        result = run(CHIP, blocks, [piece(g, w, way) for g in range(groups) for w in range(each)], groups, held)
        return result.cycles, result.busy, {reason: n for reason, n in result.stall_reasons.items() if n}

    apart = [[step] for step in steps] + [[END_STEP]]
    assert took([[*steps, END_STEP]], [0]) == took(apart, list(range(len(apart))))


def test_long_arithmetic_is_shared():
    """A wavefront with little to do on a SIMD does not wait for all of another's."""
    blocks = [[valu(1000), END_STEP], [valu(1), END_STEP]]
    result = run(CHIP, blocks, [piece(0, w, [0 if w < 4 else 1]) for w in range(8)], 1, resources(512))
    assert result.stall_reasons["valu"] < 4 * 100


@pytest.mark.parametrize(("way", "cost"), [([0, 1], 4), ([0, 2], 16)])
def test_branches(way, cost):
    assert cycles([[BRANCH_STEP], [END_STEP], [END_STEP]], [piece(0, 0, way)]) == cost


def test_latency_of_each_level():
    """A load and a wait for it: from memory, from the L2 and from the L1."""
    blocks = [[load(), wait(vm=0), END_STEP], [load(), wait(vm=0)]]
    first = (1, touch(1, [100]))
    other = [(1, touch(1, [100 + 256 * n])) for n in range(1, 5)]      # all of the L1's set
    last = (0, touch(1, [100]))

    def cycles(blocks, pieces):
        return run(CHIP, blocks, pieces, 1, buffers=[(0, 1 << 20)]).cycles

    dram = cycles(blocks, [piece(0, 0, [last])])
    assert dram == pytest.approx(CHIP.latency.dram, abs=2)
    l1 = cycles(blocks, [piece(0, 0, [first, last])]) - dram
    assert l1 == pytest.approx(CHIP.latency.l1_hit, abs=2)
    l2 = cycles(blocks, [piece(0, 0, [first, *other, last])]) - 5 * dram
    assert l2 == pytest.approx(CHIP.latency.l2_hit, abs=10)


def test_loads_before_a_wait_overlap():
    """Eight loads and one wait take hardly longer than one; eight waits, eight times as long."""
    together = [[*[load() for _ in range(8)], wait(vm=0), END_STEP]]
    apart = [[step for _ in range(8) for step in (load(), wait(vm=0))] + [END_STEP]]
    way = [piece(0, 0, [(0, *[touch(1, [100 + n]) for n in range(8)])])]
    assert cycles(together, way) < CHIP.latency.dram + 60
    assert cycles(apart, way) == pytest.approx(8 * CHIP.latency.dram, rel=0.01)


def test_a_wait_lets_the_latest_be_outstanding():
    blocks = [[load(), load(), wait(vm=1), valu(100), wait(vm=0), END_STEP]]
    result = run(CHIP, blocks, [piece(0, 0, [(0, touch(1, [10]), touch(1, [11]))])], 1)
    assert result.cycles == pytest.approx(CHIP.latency.dram + 400, abs=8)
    assert result.stall_reasons["wait_vm"] == pytest.approx(CHIP.latency.dram, abs=10)


def test_stores_are_not_waited_for():
    blocks = [[store(), valu(1), END_STEP]]
    assert cycles(blocks, [piece(0, 0, [(0, touch(16, [10]))])]) == 8


def test_address_unit_is_shared():
    """Loads that hit the L1, from all SIMDs: as many cycles as the unit is busy with them."""
    blocks = [[load(), wait(vm=0)], [load() for _ in range(15)] + [wait(vm=0)], [END_STEP]]
    for cost in (4, 16, 64):
        way = [(0, touch(cost, [100]))] + [(1, *[touch(cost, [100])] * 15)] * 20 + [2]
        n = UNITS * 40
        result = run(CHIP, blocks, [piece(g, 0, way) for g in range(n)], n)
        assert result.cycles == pytest.approx(40 * 301 * cost, rel=0.06), cost
        assert result.busy["vmem"] == n * 301 * cost


def test_lds_conflicts_cost_time():
    blocks = [[Step(LDS, LOAD, cycles=4) for _ in range(10)], [wait(lgkm=0), END_STEP]]
    for cost in (4, 64):
        result = run(CHIP, blocks, [piece(0, w, [(0, *[touch(cost)] * 10)] * 10 + [1]) for w in range(4)], 1,
                     resources(256))
        assert result.cycles == pytest.approx(400 * cost + CHIP.latency.lds, rel=0.02 if cost > 4 else 0.1)
        assert result.stats["lds_conflicts"] == 400 * (cost - 4)


def test_barrier_waits_for_the_last():
    blocks = [[BARRIER_STEP], [valu(100)], [END_STEP]]
    early, late = [0, 1, 2], [1, 0, 1, 2]
    alone = cycles(blocks, [piece(0, 0, late)])
    result = run(CHIP, blocks, [piece(0, w, early if w else late) for w in range(4)], 1, resources(256))
    assert result.cycles == pytest.approx(alone, abs=8)
    assert result.stall_reasons["barrier"] == pytest.approx(3 * 400, abs=20)


def test_a_wavefront_that_ends_lets_a_barrier_go():
    blocks = [[BARRIER_STEP], [valu(10)], [END_STEP]]
    pieces = [piece(0, 0, [0, 2]), piece(0, 1, [1, 2])]
    assert cycles(blocks, pieces, held=resources(128)) == pytest.approx(45, abs=4)


def test_barriers_in_a_loop():
    blocks = [[valu(10), BARRIER_STEP], [END_STEP]]
    t = cycles(blocks, [piece(0, w, [0] * 50 + [1]) for w in range(4)], held=resources(256))
    assert t == pytest.approx(50 * 44, abs=10)


def test_scalar_loads_hit_a_cache_that_units_share():
    blocks = [[Step(SMEM, LOAD, bytes=64), wait(lgkm=0)], [END_STEP]]
    way = [(0, touch(0, [7])), 1]
    result = run(CHIP, blocks, [piece(g, 0, way) for g in range(UNITS * 4)], UNITS * 4)
    assert result.stats["scalar_misses"] == -(-UNITS // 4)
    assert result.stats["scalar_hits"] == UNITS * 4 - result.stats["scalar_misses"]
    again = run(CHIP, blocks, [piece(0, 0, [way[0], *way])], 1)
    assert again.cycles == pytest.approx(CHIP.latency.smem_miss + CHIP.latency.dram - CHIP.latency.l2_hit
                                         + CHIP.latency.smem_hit, abs=8)


def test_atomics_on_one_address_go_one_after_the_other():
    """A line at one operation a cycle: 64 work-items of all wavefronts of the device at one counter."""
    blocks = [[Step(VMEM, ATOMIC, bytes=4)], [wait(vm=0), END_STEP]]
    way = [(0, touch(16, [5], meet=64))] * 10 + [1]
    n = UNITS * 4
    result = run(CHIP, blocks, [piece(g, 0, way) for g in range(n)], n)
    assert result.stats["atomics"] == n * 640
    assert result.cycles == pytest.approx(n * 640, rel=0.05)
    spread = [[(0, touch(16, [5 + 4 * (g + k) for k in range(4)], meet=1))] * 10 + [1] for g in range(n)]
    assert run(CHIP, blocks, [piece(g, 0, spread[g]) for g in range(n)], n).cycles < n * 640 / 8


def test_kinds_are_told_apart():
    blocks = [[Step(VMEM, STORE, bytes=4), load(), wait(vm=0), END_STEP]]
    result = run(CHIP, blocks, [piece(0, 0, [(0, touch(16, [1, 2]), touch(4, [1, 2]))])], 1)
    assert result.bytes == {"l1_from_l2": 128, "to_l2": 128, "dram_read": 0, "dram_written": 128, "host_read": 0,
                            "host_written": 0}
    assert result.hit_rates == {"l1": 0.0, "scalar": None, "l2": 1.0}


def test_groups_go_to_units_in_turn():
    """Those of a unit follow each other by as many as there are units: so that a long group for each is no longer than
    one, and two for the same unit's SIMD are."""
    blocks, n = [[valu(1), END_STEP], [valu(1000), END_STEP]], 8 * UNITS

    def with_long(groups):
        return cycles(blocks, [piece(i, 0, [int(i in groups)]) for i in range(n)], n)
    one = with_long({0})
    assert with_long(set(range(UNITS))) == pytest.approx(one, abs=40)
    assert with_long({0, 4 * UNITS}) == pytest.approx(2 * one, rel=0.05)


def test_dispatchers_start_a_group_each_cycle():
    n = 32 * UNITS
    took = cycles([[END_STEP]], [piece(i, 0, [0]) for i in range(n)], n)
    assert took == pytest.approx(n / CHIP.compute.shader_engines / CHIP.dispatch.groups_per_clk, rel=0.05)
