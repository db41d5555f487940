# SPDX-License-Identifier: Apache-2.0
"""Loops in which each work-item walks along a row of its own, of any number of turns: what is read a block at a time
(compiler/spmd/strips.py) is what the source reads, no byte more, and adds up in the same order."""
import ctypes
import mmap

import numpy as np
import pytest

from tests.kernels import differential

ITEMS = 48
SOURCE = """
kernel void sum(global const int *a, global int *c, int n) {
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; ++k) s = s * 5 + a[i * n + k];
    c[i] = s; }
kernel void from(global const int *a, global int *c, uint n) {
    uint i = get_global_id(0), s = 0;
    for (uint k = n / 3; k < n; ++k) s = s * 5 + a[i * n + k] * k;
    c[i] = s; }
kernel void down(global const int *a, global int *c, int n) {
    int i = get_global_id(0), s = 1;
    for (int k = 0; n > k; k++) { int next = a[i * n + k]; if (s & 1) s = s * 3 + next; else s ^= next; }
    c[i] = s; }
kernel void some(global const int *a, global int *c, int n) {
    int i = get_global_id(0);
    if (a[i * n] & 2) for (int k = 0; k < n; ++k) c[i] = c[i] * 5 + a[i * n + k]; }
kernel void other(global const int *a, global int *c, int n) {
    int i = get_global_id(0), s = 0, k = 0;
    do { s = s * 5 + a[i * n + k]; } while (++k != n);
    c[i] = s; }
kernel void two(global const int *a, global int *c, int n) {
    size_t i = get_global_id(0), m = get_global_size(0);
    int s = 0, before = 1;
    for (int k = 0; k < n; ++k) { int x = a[i * n + k]; s += x * before - a[(m - 1 - i) * n + k]; before = x; }
    c[i] = s; }
kernel void mixed(global const int *a, global int *c, int n) {
    int i = get_global_id(0);
    global const long *w = (global const long *)a;
    long s = 0;
    for (int k = 0; k < n / 2; ++k) s = s * 3 + w[i * (n / 2) + k] + a[i * n + k];
    c[i] = (int)(s >> 7); }
kernel void tile(global const int *a, global int *c, int n) {
    local int t[48][67];
    int i = get_local_id(0), s = 0;
    for (int k = 0; k < n; ++k) t[i][k] = a[k * 48 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; ++k) s = s * 5 + t[47 - i][k];
    for (int k = 1; k < n; ++k) s = s * 3 - t[i][k] * t[(i + 1) % 48][k - 1];
    c[i] = s; }
kernel void nested(global const int *a, global int *c, int n) {
    int i = get_global_id(0), s = 0;
    for (int j = 0; j < 3; ++j) { for (int k = j; k < n - j; ++k) s = s * 5 + a[i * n + k]; s ^= j; }
    c[i] = s; }
"""
TURNS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 64)


def guarded(count):
    """(memory to keep, int32 array) that ends where nothing may be read."""
    pages = count * 4 // mmap.PAGESIZE + 1
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None, use_errno=True).mprotect(
        ctypes.c_void_p(start + pages * mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    array = np.frombuffer(memory, np.int32, count, pages * mmap.PAGESIZE - 4 * count)
    array[:] = np.random.default_rng(count).integers(-1000, 1000, count)
    return memory, array


@pytest.mark.parametrize("way", ["auto", "16", "8", "avx2"])
def test_any_number_of_turns(way):
    compiler = differential.Compiler(SOURCE)
    _keep, observer = differential.blind_observer()
    built = [compiler.build(each) for each in ("scalar", way)]
    for name in ("sum", "from", "down", "some", "other", "two", "mixed", "tile", "nested"):
        for turns in TURNS[name == "mixed":]:
            turns -= turns % 2 if name == "mixed" else 0
            out = []
            for executable, loaded in built:
                memory, a = guarded(ITEMS * turns)
                out.append(np.arange(ITEMS, dtype=np.int32))
                differential.launch(executable, loaded, name, [a, out[-1], np.int32(turns)], (ITEMS,), (ITEMS,),
                                    observer=observer)
                del a, memory
            np.testing.assert_array_equal(*out, err_msg=f"{name}, {turns} turns")
