# SPDX-License-Identifier: Apache-2.0
"""Loops that work-items leave one by one and that end for all of them together, and what they load in each turn."""
import numpy as np
import pyopencl as cl
import pytest

ITEMS = 40
SOURCE = """
kernel void search(global int *o, global const int *a, global const int *wanted, int n, ulong far) {
    size_t i = get_global_id(0);
    int found = -1, last = 7;
    for (int k = 0; k < n; k++) {
        last = a[k];
        if (a[k] >= wanted[i + far]) { found = k; break; } }
    o[2 * i] = found; o[2 * i + 1] = last; }
kernel void own_ends(global int *o, global const int *a, global const int *ends, ulong far) {
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < ends[i]; k++) {
        sum += a[far] * k + a[far + i];
        if (sum > 200) break; }
    o[i] = sum; }
kernel void nested(global int *o, global const int *a, global const int *wanted, int m, int n) {
    size_t i = get_global_id(0);
    int hits = 0, j;
    for (j = 0; j < m; j++) {
        if ((i + j) % 3)
            for (int k = 0; k < n; k++) {
                hits += a[j];
                if (a[j * n + k] > wanted[i]) { hits += 100 * k; break; }
                if (k == 5) hits++; }
        if (hits > 900) break; }
    o[2 * i] = hits; o[2 * i + 1] = j; }
kernel void in_place(global int *o, global int *a, int n) {
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[i];
        a[i] = sum + k;
        if (sum > 500) break; }
    o[i] = sum; }
"""


def launched(machine, name, out, *args):
    machine.launch(cl.Kernel(machine.build(SOURCE), name), (ITEMS,), (20,), [out, *args])
    return out


def numbers(count, most=30, seed=3):
    return np.random.default_rng(seed).integers(0, most, count, dtype=np.int32)


@pytest.mark.parametrize("n", [0, 1, 12, 30])
def test_search(machine, n):
    a, wanted = np.sort(numbers(30)), numbers(ITEMS, 36)
    want = []
    for item in wanted:
        found = next((k for k in range(n) if a[k] >= item), -1)
        want += [found, a[found if found >= 0 else n - 1] if n else 7]
    out = launched(machine, "search", np.zeros(2 * ITEMS, np.int32), a, wanted, np.int32(n), np.uint64(0))
    np.testing.assert_array_equal(out, want)


def test_nothing_is_loaded_for_loops_that_are_not_entered(machine):
    far = np.uint64(1 << 44)
    out = launched(machine, "search", np.zeros(2 * ITEMS, np.int32), numbers(4), numbers(ITEMS), np.int32(0), far)
    np.testing.assert_array_equal(out, [-1, 7] * ITEMS)
    out = launched(machine, "own_ends", np.ones(ITEMS, np.int32), numbers(4), np.zeros(ITEMS, np.int32), far)
    np.testing.assert_array_equal(out, 0)


def test_ends_of_their_own(machine):
    a, ends = numbers(ITEMS), numbers(ITEMS, 12)
    want = []
    for item in range(ITEMS):
        total = 0
        for k in range(ends[item]):
            total += a[0] * k + a[item]
            if total > 200:
                break
        want.append(total)
    out = launched(machine, "own_ends", np.zeros(ITEMS, np.int32), a, ends, np.uint64(0))
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize(("m", "n"), [(0, 3), (5, 0), (3, 9), (9, 7)])
def test_nested(machine, m, n):
    a, wanted = numbers(90), numbers(ITEMS, 33, 4)
    want = []
    for item in range(ITEMS):
        hits, j = 0, 0
        while j < m:
            for k in range(n if (item + j) % 3 else 0):
                hits += a[j]
                if a[j * n + k] > wanted[item]:
                    hits += 100 * k
                    break
                hits += k == 5
            if hits > 900:
                break
            j += 1
        want += [hits, j]
    out = launched(machine, "nested", np.zeros(2 * ITEMS, np.int32), a, wanted, np.int32(m), np.int32(n))
    np.testing.assert_array_equal(out, want)


def test_what_the_loop_writes_is_loaded_again(machine):
    a, want = numbers(ITEMS), []
    for value in a.tolist():
        total = 0
        for k in range(9):
            total += value
            value = total + k
            if total > 500:
                break
        want.append(total)
    np.testing.assert_array_equal(launched(machine, "in_place", np.zeros(ITEMS, np.int32), a, np.int32(9)), want)
