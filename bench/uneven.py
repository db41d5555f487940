# SPDX-License-Identifier: Apache-2.0
"""Kernels of which only data tells whether vectors are faster than one work-item after the other: most lanes of a
vector wait for a few. Each is checked against numpy before and after it is timed. bench/compare.py runs them too."""
import numpy as np
from workloads import buffer, fetch, kernel, workload

QUEENS, SOLUTIONS = 11, 2680


@workload("queens on a board, a stack each in local memory", "Mitem/s", "int_gops", each=500)
def queens(queue):
    """Three rows are told by the work-item's number, the rest is tried: most find at once that they need not."""
    n = QUEENS
    items = -(-n ** 3 // 64) * 64
    f = kernel(queue, """kernel void f(global uint *o, int n) {
        local uint columns[64 * 16], left[64 * 16], right[64 * 16], open[64 * 16];
        int at = get_local_id(0) * 16, depth = 0, digits = get_global_id(0), found = 0;
        uint all = (1u << n) - 1, c = 0, l = 0, r = 0;
        for (int k = 0; k < 3; k++) {
            uint bit = 1u << digits % n;
            if (bit & (c | l | r)) depth = -1;
            digits /= n; c |= bit; l = (l | bit) << 1; r = (r | bit) >> 1; }
        if (digits) depth = -1;
        columns[at] = c; left[at] = l; right[at] = r; open[at] = all & ~(c | l | r);
        while (depth >= 0) {
            int k = at + depth;
            uint free = open[k], bit = free & -free;
            if (free == 0) { depth--; continue; }
            open[k] = free ^ bit;
            if (depth == n - 4) { found++; continue; }
            depth++;
            columns[k + 1] = columns[k] | bit;
            left[k + 1] = (left[k] | bit) << 1;
            right[k + 1] = (right[k] | bit) >> 1;
            open[k + 1] = all & ~(columns[k + 1] | left[k + 1] | right[k + 1]); }
        o[get_global_id(0)] = found; }""")
    found = np.zeros(items, np.uint32)
    out = buffer(queue, found)
    return (lambda: f(queue, (items,), (64,), out, np.int32(n)),
            lambda: fetch(queue, out, found).sum() == SOLUTIONS, 1.0 * items)


@workload("sums of pixels to the left, up to the border", "Mitem/s", "int_gops", each=64)
def left_sums(queue):
    """uint4, in a loop that work-items leave by `return`, each way with a store of its own."""
    w, h, turns, step = 512, 256, 8, 16
    pixels = np.random.default_rng(3).integers(0, 256, (h, w, 4), dtype=np.uint8)
    f = kernel(queue, """kernel void f(global const uchar4 *in, global uint4 *o, int turns, int step, int w) {
        int x = get_global_id(0), at = x + get_global_id(1) * w;
        uint4 sum = 0;
        for (int k = 0; k < turns; k++) {
            if (x - k * step < 0) { o[at] = sum; return; }
            sum += convert_uint4(in[at - k * step]); }
        o[at] = sum; }""")
    expected = np.zeros((h, w, 4), np.uint32)
    for k in range(turns):
        expected[:, k * step:] += pixels[:, :w - k * step]
    bufs = [buffer(queue, a) for a in (pixels, expected)]
    return (lambda: f(queue, (w, h), (256, 1), *bufs, np.int32(turns), np.int32(step), np.int32(w)),
            lambda: np.array_equal(fetch(queue, bufs[1], expected), expected), 1.0 * w * h)


@workload("places among equal keys, a search back in a tile", "Mitem/s", "int_gops", each=16)
def places_of_keys(queue):
    """Keys of 4 bits that are sorted in each tile: how many equal ones come before."""
    n, tile = 1 << 18, 256
    keys = np.sort(np.random.default_rng(4).integers(0, 16, (n // tile, tile), dtype=np.uint32), axis=1)
    f = kernel(queue, """kernel void f(global const uint *keys, global uint *o) {
        local uint tile[256];
        int x = get_local_id(0), k = x;
        uint mine = keys[get_global_id(0)];
        tile[x] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        while (k > 0 && tile[k - 1] == mine) k--;
        o[get_global_id(0)] = x - k; }""")
    first = np.array([np.searchsorted(row, row) for row in keys])
    expected = (np.arange(tile) - first).astype(np.uint32).reshape(-1)
    bufs = [buffer(queue, a) for a in (keys, expected)]
    return (lambda: f(queue, (n,), (tile,), *bufs),
            lambda: np.array_equal(fetch(queue, bufs[1], expected), expected), 1.0 * n)


@workload("a chain of products, double4", "Mitem/s", "fma_gflops", each=2 * 4 * 48)
def chain_of_vectors(queue):
    """The vectors of the source fill registers, and each step waits for the one before."""
    n, turns = 1 << 16, 48
    a = np.random.default_rng(5).random((n, 4))
    f = kernel(queue, """kernel void f(global const double4 *a, global double4 *o) {
        double4 x = a[get_global_id(0)], y = x;
        for (int k = 0; k < 48; k++) y = y * x + 0.25;
        o[get_global_id(0)] = y; }""")
    expected = a.copy()
    for _ in range(turns):
        expected = expected * a + 0.25
    bufs = [buffer(queue, array) for array in (a, a)]
    return (lambda: f(queue, (n,), (256,), *bufs),
            lambda: np.allclose(fetch(queue, bufs[1], a), expected), 1.0 * n)
