# SPDX-License-Identifier: Apache-2.0
"""Lock-step wavefronts tell their observer what each work-item does, and leave what they always leave."""
import numpy as np
import pytest

from clpy import config
from clpy.compiler import cpu, program

from . import differential
from .observing import observe

WIDTHS = (16, 32, 64)


def ints(n, value=0):
    return np.full(n, value, np.int32)


@pytest.mark.parametrize("width", WIDTHS)
def test_waves_follow_the_linear_order(width):
    """10 x 7 work-items are wavefronts of the linear order, the last with fewer; 128 x 2 are rows of wavefronts."""
    out = ints(70)
    source = "kernel void k(global int *o) { int i = get_global_id(0) + get_global_id(1) * 10; o[i] = i; }"
    got = observe(source, [out], (10, 7), (10, 7), width)
    assert [(first, len(lanes)) for _, first, lanes in got.waves] == [
        (n, min(width, 70 - n)) for n in range(0, 70, width)]
    assert out.tolist() == list(range(70))
    got = observe(source, [ints(256)], (128, 2), (128, 2), width)
    assert [(first, len(lanes)) for _, first, lanes in got.waves] == [(n, width) for n in range(0, 256, width)]


@pytest.mark.parametrize("width", WIDTHS)
def test_addresses(width):
    """Global memory by address, local memory by offset; a store under a branch names only who stores."""
    a, out = np.arange(40, dtype=np.int32), ints(40, -1)
    got = observe("""kernel void k(global const int *a, global int *o, local int *pad) {
        local int t[40]; int i = get_global_id(0); t[39 - i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
        if (i % 3 == 0) o[i] = t[i] + pad[0] * 0; }""", [a, out, 64], (40,), (40,), width)
    assert [v for v in out] == [39 - i if i % 3 == 0 else -1 for i in range(40)]
    seen = {}
    for e in got.of_kind("memory"):
        key = (e.site.access, e.site.space)
        seen.setdefault(key, {}).update({e.first + lane: at for lane, at in e.data.items()})
        assert e.site.bytes == 4
    assert seen["load", 1] == {i: a.ctypes.data + 4 * i for i in range(40)}
    assert seen["store", 3] == {i: 4 * (39 - i) for i in range(40)}
    assert seen["store", 1] == {i: out.ctypes.data + 4 * i for i in range(0, 40, 3)}
    assert [e.lanes for e in got.of_kind("barrier")] == [list(range(min(width, 40 - n))) for n in range(0, 40, width)]


def test_branches_and_blocks():
    """Both sides of a divergent branch run one after the other, each for its lanes; a side nobody takes does not."""
    out = ints(32)
    source = """kernel void k(global int *o) { int i = get_global_id(0);
        if (i < 20) o[i] = 1; else if (i > 100) o[i] = 2; else o[i] = 3; }"""
    got = observe(source, [out], (32,), (32,), 16)
    assert out.tolist() == [1] * 20 + [3] * 12
    first, second = ([e for e in got.of_kind("branch") if e.first == n] for n in (0, 16))
    assert len(first) == 1 and set(first[0].data.values()) in ({True}, {False})
    assert [sorted(e.lanes) for e in second] == [list(range(16)), list(range(4, 16))]
    stores = [(e.first, e.lanes) for e in got.of_kind("memory")]
    assert sorted(stores) == [(0, list(range(16))), (16, [0, 1, 2, 3]), (16, list(range(4, 16)))]
    blocks = [e for e in got.of_kind("block") if e.first == 16]
    assert all(e.lanes for e in blocks)
    assert sum(len(e.lanes) for e in blocks if any(name.endswith("store_global") for name, _ in e.site.counts)) == 16


def test_loop_runs_until_the_last_lane_is_done():
    out = ints(16)
    got = observe("""kernel void k(global int *o) { int i = get_global_id(0);
        for (volatile int j = 0; j < i; ++j) o[i] += j * j; }""", [out], (16,), (16,), 16)
    assert out.tolist() == [sum(j * j for j in range(i)) for i in range(16)]
    loads = [len(e.lanes) for e in got.of_kind("memory") if e.site.access == "load"]
    assert loads == list(range(15, 0, -1))


def test_counts_are_of_the_source():
    """What a block costs: by kind, and whether a scalar unit could do it."""
    got = observe("""kernel void k(global float *o, global const float *a, float s) { int i = get_global_id(0);
        o[i] = fma(a[i], s * s, 1.0f) / a[i] + native_sin(a[i]); }""",
                  [np.ones(16, np.float32), np.ones(16, np.float32), np.float32(2)], (16,), (16,), 16)
    counts = dict(count for e in got.of_kind("block") for count in e.site.counts)
    assert counts["uniform.float"] == 1
    assert counts["varying.float_divide"] == 1
    assert counts["varying.fma"] == 1
    assert counts["varying.load_global"] == 1 and counts["varying.store_global"] == 1


KERNELS = {
    "loops": """kernel void k(global int *o, global const int *a, local int *t) { int i = get_global_id(0), l =
        get_local_id(0), s = 0; t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); for (int j = 0; j < (a[i] & 7); ++j) { if (
        t[(l + j) % get_local_size(0)] & 1) { s += a[(i + j) & 63]; continue; } if (s > 50) break; s += j; }
        o[i] = s; }""",
    "effects": """kernel void k(global int *o, global const int *a, local int *t) { int i = get_global_id(0), l =
        get_local_id(0); if (l == 0) t[0] = 0; barrier(CLK_LOCAL_MEM_FENCE); if (a[i] & 1) atomic_add(t, a[i]);
        barrier(CLK_LOCAL_MEM_FENCE); switch (a[i] & 3) { case 0: return; case 1: o[i] = t[0];
        case 2: o[i] += 2; } }""",
    "early_return": """kernel void k(global int *o, global const int *a, local int *t) { int i = get_global_id(0), l =
        get_local_id(0); t[l] = i; if (get_group_id(0) & 1) return; barrier(CLK_LOCAL_MEM_FENCE); o[i] =
        t[get_local_size(0) - 1 - l] + a[i]; }""",
}


@pytest.mark.parametrize("name", KERNELS)
def test_each_work_item_does_the_same_at_every_width(name):
    """A work-item's own path, what it touches and where it goes, does not depend on who runs beside it."""
    a = np.random.default_rng(3).integers(0, 100, 64).astype(np.int32)
    paths, results = [], []
    for width, group in [(16, 16), (32, 16), (64, 16), (16, 13), (64, 13)]:
        out = ints(64)
        got = observe(KERNELS[name], [out, a, 64 * 4], (64 - 64 % group,), (group,), width)
        base = out.ctypes.data
        paths.append((group, {k: [(kind, site, at - base if kind == "memory" and base <= at < base + 256 else at)
                                  for kind, site, at in v] for k, v in got.of_work_items().items()}))
        results.append((group, out.tolist()))
    for group in (16, 13):
        same = [p for g, p in paths if g == group]
        assert all(p == same[0] for p in same) and same[0]
        assert len({tuple(r) for g, r in results if g == group}) == 1


def test_work_items_that_part_at_a_barrier_run_one_by_one():
    """What cannot be lock-step is said in the report, and each work-item is observed in its lane's place."""
    source = """kernel void k(global int *o) { int i = get_global_id(0); if (i & 1) { o[i] = 1; barrier(1); }
        else { o[i] = 2; barrier(1); } }"""
    out = ints(16)
    got = observe(source, [out], (16,), (16,), 16)
    assert out.tolist() == [2, 1] * 8
    stores = got.of_kind("memory")
    assert {e.first + lane for e in stores for lane in e.lanes} == set(range(16))
    assert all(len(e.lanes) == 1 for e in stores)
    with config.override(DEBUG=3, CACHE=False):
        device, options = cpu.CpuTarget(lockstep=16), program.parse_options("")
        unit = program.compile_source(source.encode(), {}, options, device)
        assert "may part ways" in program.link([unit], options, device).log


def test_without_an_observer_there_is_no_call():
    """The code of lock-step mode alone does not look at the launch's observer, and its metadata has no sites."""
    device, options = cpu.CpuTarget(lockstep=64), program.parse_options("")
    executable = program.link([program.compile_source(KERNELS["loops"].encode(), {}, options, device)], options, device)
    assert executable.kernels["k"].sites == []
    assert executable.kernels["k"].preferred_multiple == 64
    a, out = np.arange(64, dtype=np.int32), ints(64)
    differential.launch(executable, program.load(executable, device), "k", [out, a, 256], (64,), (64,), observer=None)
    assert out.any()


def test_only_wavefronts_are_observed():
    with pytest.raises(ValueError, match="lock-step"):
        cpu.CpuTarget(observed=True)
