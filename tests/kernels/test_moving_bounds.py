# SPDX-License-Identifier: Apache-2.0
"""Loops whose both ends move with the work-item, as filters have them: all of a vector leave them together
(`_icmp` in compiler/analysis/transfer.py), and each has its own sum. Bytes of such windows, too."""
import numpy as np
import pyopencl as cl
import pytest

ITEMS = 203
# Where work-items take no part, x - r is below zero or beyond the end.
SOURCE = """
kernel void whole(global const int *a, global int *o, int r, int n) {
    int x = get_global_id(0), sum = 0;
    for (int k = x - r; k <= x + r; k++) sum += k >= 0 && k < n ? a[k] : 1;
    o[x] = sum;
}
kernel void inside(global const int *a, global int *o, int r, int n) {
    int x = get_global_id(0), sum = 0;
    if (x >= r && x < n - r) for (int k = x - r; k <= x + r; k++) sum += a[k];
    o[x] = sum;
}
kernel void unsigned_inside(global const int *a, global int *o, int r, int n) {
    uint x = get_global_id(0), u = r;
    int sum = 0;
    if (x >= u && x < n - u) for (uint k = x - u; k <= x + u; k++) sum += a[k];
    o[x] = sum;
}
kernel void unsigned_wraps(global const int *a, global int *o, int r, int n) {
    uint x = get_global_id(0), u = r, sum = 0;
    for (uint k = x - u; k <= x + u && sum < 1000; k++) sum++;
    o[x] = sum;
}
kernel void size_wraps(global const int *a, global int *o, int r, int n) {
    size_t x = get_global_id(0), u = r;
    int sum = 0;
    for (size_t k = x - u; k <= x + u && k < n; k++) sum += a[k];
    o[x] = sum;
}
kernel void unequal(global const int *a, global int *o, int r, int n) {
    int x = get_global_id(0), sum = 0;
    for (int k = x - r; k != x; k++) sum += k >= 0 ? a[k] : 1;
    o[x] = sum;
}
kernel void edge(global const int *a, global int *o, int r, int n) {
    int x = get_global_id(0), sum = 0;
    if (x > 4) for (int k = x + (INT_MAX - 300); k <= x + (INT_MAX - 300 + r); k++) sum++;
    o[x] = sum;
}
kernel void ahead(global const int *a, global int *o, int r, int n) {
    int x = get_global_id(0);
    o[x] = x + r > x - r ? a[x] : 2 * x < 2 * x + r ? 1 : x * 3 - 1 == x * 3 + r;
}
kernel void bytes(global const uchar4 *a, global uchar4 *o, local uchar4 *tile, int r, int n) {
    int x = get_global_id(0), i = get_local_id(0), size = get_local_size(0);
    tile[i] = x < n ? a[x] : (uchar4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < n && i >= r && i < size - r) {
        uint4 sum = 0;
        for (int k = i - r; k <= i + r; k++) sum += convert_uint4(tile[k]);
        o[x] = convert_uchar4(sum / (2 * r + 1));
    }
}
"""


def windows(a, first, last):
    """Sums of a[first] to a[last], of each work-item."""
    return np.array([a[f:l + 1].sum() if f <= l else 0 for f, l in zip(first, last, strict=True)], np.int64)


def expected(name, a, r, n):
    x = np.arange(ITEMS)
    inside = (x >= r) & (x < n - r)
    if name == "whole":
        outside = np.maximum(r - x, 0) + np.maximum(x + r - n + 1, 0)
        return windows(a, np.maximum(x - r, 0), np.minimum(x + r, n - 1)) + outside
    if name in ("inside", "unsigned_inside"):
        return np.where(inside, windows(a, np.where(inside, x - r, 1), np.where(inside, x + r, 0)), 0)
    if name == "unsigned_wraps":
        return np.where(x >= r, np.minimum(2 * r + 1, 1000), 0)
    if name == "size_wraps":
        return np.where(x >= r, windows(a, np.maximum(x - r, 0), np.minimum(x + r, n - 1)), 0)
    if name == "unequal":
        return windows(a, np.maximum(x - r, 0), x - 1) + np.maximum(r - x, 0)
    if name == "edge":
        return np.where(x > 4, r + 1, 0)
    return a[x] if r > 0 else np.zeros(ITEMS) + (x * 3 - 1 == x * 3 + r)


@pytest.mark.parametrize("name", ["whole", "inside", "unsigned_inside", "unsigned_wraps", "size_wraps", "unequal",
                                  "edge", "ahead"])
def test_numbers(machine, name):
    kernel = cl.Kernel(machine.build(SOURCE), name)
    a = np.random.default_rng(3).integers(0, 1000, ITEMS).astype(np.int32)
    for r in (0, 1, 5, 17):
        for group in (ITEMS, 29, 7, 1):
            out = np.zeros(ITEMS, np.int32)
            machine.launch(kernel, (ITEMS,), (group,), [a, out, np.int32(r), np.int32(ITEMS)])
            assert out.tolist() == expected(name, a, r, ITEMS).tolist(), (r, group)


@pytest.mark.parametrize("group", [64, 40, 21])
def test_bytes(machine, group):
    kernel = cl.Kernel(machine.build(SOURCE), "bytes")
    items, n = 4 * group, 4 * group - 3
    a = np.random.default_rng(4).integers(0, 256, (items, 4)).astype(np.uint8)
    for r in (0, 3, 10):
        out = np.full((items, 4), 7, np.uint8)
        machine.launch(kernel, (items,), (group,), [a, out, cl.LocalMemory(4 * group), np.int32(r), np.int32(n)])
        want = np.full((items, 4), 7, np.uint8)
        for x in range(n):
            i, start = x % group, x // group * group
            if r <= i < group - r:
                tile = np.where(np.arange(start, start + group)[:, None] < n, a[start:start + group], 0).astype(int)
                want[x] = tile[i - r:i + r + 1].sum(axis=0) // (2 * r + 1)
        assert out.tolist() == want.tolist(), r
