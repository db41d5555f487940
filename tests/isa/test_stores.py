# SPDX-License-Identifier: Apache-2.0
"""Stores of code that is there soon, which wait for the run that they come in (clpy/compiler/isa/gcn/stores.py)."""
import numpy as np
import pytest

from .machine import machine

N = 128
LANES = np.arange(N, dtype=np.uint32)
CHANGED = r"""
#define ADD(n) "v_add_co_u32 v20, vcc, " #n ", v20\n\tv_addc_co_u32 v21, vcc, 0, v21, vcc\n\t"
kernel void k(global uint *o) {
    uint i = get_global_id(0); global uint *p = o + 8 * i; uint x = i;
    if (i % 5 != 2)
        __asm volatile("v_lshlrev_b64 v[20:21], 0, %0\n\tv_add_u32 %1, 1, %1\n\t"
                       "global_store_dword v[20:21], %1, off\n\tv_add_u32 %1, 10, %1\n\t"
                       "global_store_dword v[20:21], %1, off offset:4\n\tv_mov_b32 v10, %1\n\t"
                       "v_mov_b32 v11, 7\n\tglobal_store_dwordx2 v[20:21], v[10:11], off offset:8\n\t"
                       "v_mov_b32 v11, 8\n\t" ADD(16) "global_store_dwordx2 v[20:21], v[10:11], off\n\t"
                       "v_mov_b32 v10, 9\n\tglobal_store_dword v[20:21], v10, off offset:8\n\t" ADD(8)
                       "v_lshlrev_b64 %0, 0, v[20:21]"
                       : "+v"(p), "+v"(x) :: "v10", "v11", "v20", "v21", "vcc", "memory");
    o[8 * i + 7] = x + (uint)(p - o);
}
"""
ORDER = """
kernel void order(global uint *o, global uint *seen) {
    uint i = get_global_id(0), first = i & ~63u;
    o[first + ((i + 17) & 63)] = i;
    o[i] = 1000 + i;
    volatile global uint *there = o;
    seen[i] = there[first + 63 - (i & 63)];
}
kernel void shared(global uint *o, local uint *l) {
    uint i = get_local_id(0);
    l[(i + 5) & 63] = 3; l[i] = i;
    volatile local uint *there = l;
    uint x = there[63 - i];
    l[i] = x + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = l[(i + 1) & 63];
}
kernel void many(global ulong *o, global const ulong *x) {
    size_t i = get_global_id(0); ulong y = x[i];
    if (y & 3)
        #pragma unroll
        for (int k = 0; k < 40; k++) { y = y * 6364136223846793005ul + 1442695040888963407ul; o[128 * k + i] = y; }
}
kernel void own(global uint *o, int at) {
    uint i = get_global_id(0); uint a[16];
    for (int k = 0; k < 16; k++) a[k] = k * i;
    a[at] = 5; o[i] = a[(at + i) & 15]; a[(at + i) & 15] = 6; o[128 + i] = a[at];
}
"""


@pytest.mark.parametrize("traced", [False, True])
def test_what_a_store_takes_may_change_behind_it(traced):
    out = np.full(8 * N, 99, np.uint32)
    machine(CHANGED, "gfx900", traced=traced, is_brief=True).run("k", (N,), (N,), [out])
    on = LANES % 5 != 2
    want = np.full((N, 8), 99, np.uint32)
    rows = np.stack([LANES + 1, LANES + 11, LANES + 11, LANES * 0 + 7, LANES + 11, LANES * 0 + 8, LANES * 0 + 9], 1)
    want[on, :7] = rows[on]
    want[:, 7] = np.where(on, LANES + 11 + 8 * LANES + 6, LANES + 8 * LANES)
    np.testing.assert_array_equal(out.reshape(N, 8), want)


@pytest.mark.parametrize("processor", ["gfx600", "gfx803", "gfx900"])
def test_stores_are_in_the_order_of_the_code(processor):
    chip = machine(ORDER, processor, is_brief=True)
    out, seen = np.zeros(N, np.uint32), np.zeros(N, np.uint32)
    chip.run("order", (N,), (64,), [out, seen])
    np.testing.assert_array_equal(out, 1000 + LANES)
    np.testing.assert_array_equal(seen, 1000 + (LANES ^ 63))
    chip.run("shared", (N,), (64,), [out, 256])
    np.testing.assert_array_equal(out, 64 - (LANES + 1) % 64)
    chip.run("own", (N,), (64,), [twice := np.zeros(2 * N, np.uint32), np.int32(3)])
    at = (3 + LANES) & 15
    np.testing.assert_array_equal(twice, [*np.where(at == 3, 5, at * LANES), *np.where(at == 3, 6, 5)])


@pytest.mark.parametrize("processor", ["gfx600", "gfx900"])
def test_more_stores_than_may_wait(processor):
    x, out = np.arange(N, dtype=np.uint64), np.zeros((40, N), np.uint64)
    machine(ORDER, processor, is_brief=True).run("many", (N,), (N,), [out, x])
    y, want = x.copy(), np.zeros_like(out)
    for row in want:
        y = y * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        row[x & 3 != 0] = y[x & 3 != 0]
    np.testing.assert_array_equal(out, want)
