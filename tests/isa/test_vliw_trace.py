# SPDX-License-Identifier: Apache-2.0
"""What code of VLIW chips tells: wavefronts of 64 work-items, or of 32 on Cedar, cycles and conflicts as access.py has
them, with the chip's banks."""
import numpy as np
import pytest

from clpy.compiler.r600 import installed
from clpy.device.gpu import chip as chips
from clpy.device.gpu.timing import access

from .machine import Sink, machine
from .test_trace import read, steps_of

pytestmark = pytest.mark.skipif(bool(installed.missing("cypress")), reason="libclc-22 is not installed")
CHIPS = ["cedar", "redwood", "cypress", "cayman"]
SOURCE = """
kernel void chosen(global const uint * a, global uint *o, global const uint *which, local uint *t,
                   local uint *u) {
    uint l = get_local_id(0), i = which[l];
    u[l & 7] = 0;
    t[i & 127] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[i & 127];
    atomic_inc(u + (i & 7));
}
kernel void pairs(global const uint2 *a, global uint4 *o) {
    uint2 two = a[get_global_id(0)];
    o[get_global_id(0)] = (uint4)(two, two + 1);
}
kernel void grid(global uint4 *o) {
    uint i = get_global_id(0) + get_global_size(0) * get_global_id(1);
    o[i] = (uint4)(get_local_id(0), get_local_id(1), get_group_id(0), get_group_id(1));
}
kernel void turns(global uint *o, local uint *t, uint n) {
    uint l = get_local_id(0), size = get_local_size(0), x = l;
    for (uint k = 0; k < n + l % 3; k++)
        x += k & l;
    t[l] = x;
    for (uint k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        x += t[(l + k) % size];
    }
    o[get_global_id(0)] = x;
}
"""


def run(chip, name, size, group, args, is_brief=False):
    made = machine(SOURCE, chip, traced=True, is_brief=is_brief)
    blocks = made.waves[name].blocks
    sink = Sink(len(blocks))
    made.run(name, size, group, args, sink)
    return read(sink.trace, blocks), sink


def lines_from(array):
    """Where a line of 64 bytes begins."""
    return array[-array.ctypes.data % 64 // array.itemsize:]


@pytest.mark.parametrize("is_brief", [False, True])
@pytest.mark.parametrize("name", CHIPS)
def test_lanes_of_wavefronts(name, is_brief):
    """The last one of a group has what is left; all count their active work-items."""
    chip = chips.load(name)
    wave, group = chip.compute.wave_size, chip.compute.wave_size * 3 // 2
    out = np.zeros(2 * group, np.uint32)
    waves, sink = run(name, "turns", (2 * group,), (group,), [out, 4 * group, np.uint32(3)], is_brief)
    assert {(header[0], header[3], header[4]) for header, _ in waves} == {
        (g, w, lanes) for g in (0, 1) for w, lanes in enumerate((wave, wave // 2))}
    assert (int(sink.counts[0]), int(sink.lanes[0])) == (4, 2 * group)
    lanes = np.arange(group)
    x = lanes + sum((k & lanes) * (k < 3 + lanes % 3) for k in range(5))
    assert np.array_equal(out, np.tile(x + sum(np.roll(x, -k) for k in range(3)), 2))


@pytest.mark.parametrize("shape", [(8, 8), (16, 4), (3, 5), (24, 5), (64, 2), (96, 1), (1, 40)])
def test_ids(shape):
    """Rows of work-items that are a part of Cedar's wavefront, or not."""
    size = (2 * shape[0], 3 * shape[1])
    out = np.zeros((size[1], size[0], 4), np.uint32)
    run("cedar", "grid", size, shape, [out])
    y, x = np.mgrid[:size[1], :size[0]]
    assert np.array_equal(out, np.stack([x % shape[0], y % shape[1], x // shape[0], y // shape[1]], -1))


@pytest.mark.parametrize("lanes", [64, 32, 20])
@pytest.mark.parametrize("stride", [1, 0, 2, 8, 17, 31])
@pytest.mark.parametrize("name", CHIPS)
def test_any_places(name, stride, lanes):
    chip = chips.load(name)
    wave = chip.compute.wave_size
    which = (np.arange(lanes) * stride).astype(np.uint32)
    a, out = lines_from(np.arange(4096, dtype=np.uint32)), np.zeros(lanes, np.uint32)
    waves, _ = run(name, "chosen", (lanes,), (lanes,), [a, out, which, 128 * 4, 8 * 4])
    if len(set(which & 127)) == lanes:      # else some words of local memory are several work-items'
        assert np.array_equal(out, a[which])
    for at in range(-(-lanes // wave)):
        mine = which[at * wave:(at + 1) * wave].astype(np.int64)
        steps = [each for each in waves if each[0][3] == at]
        addresses = (a.ctypes.data + 4 * mine).tolist()
        _, lines, cycles, _ = steps_of(steps, "vmem", "load")[1]
        assert (lines, cycles) == (access.lines(addresses, 4), access.vector_memory_cycles(chip, addresses, 4))
        places = (4 * (mine & 127)).tolist()
        for kind, of in (("store", "write"), ("load", "read")):
            assert steps_of(steps, "lds", kind)[-1][2] == access.lds_cycles(chip, places, 4, of)
        _, _, cycles, most = steps_of(steps, "lds", "atomic")[0]
        assert cycles == access.lds_cycles(chip, (4 * (mine & 7)).tolist(), 4, "atomic")
        assert most == np.bincount(mine & 7).max()


@pytest.mark.parametrize("name", CHIPS)
def test_wide_accesses(name):
    """Four addresses a cycle, whatever they are for."""
    chip = chips.load(name)
    wave = chip.compute.wave_size
    a, out = (lines_from(np.zeros(width * 64 + 16, np.uint32)) for width in (2, 4))
    waves, _ = run(name, "pairs", (wave,), (wave,), [a, out])
    for kind, size in (("load", 8), ("store", 16)):
        [(_, lines, cycles, _)] = steps_of(waves, "vmem", kind)
        assert (len(lines), cycles) == (wave * size // 64, wave // 4)
