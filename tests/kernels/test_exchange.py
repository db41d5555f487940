# SPDX-License-Identifier: Apache-2.0
"""Some work-items exchange a value with memory: each gets what was there before it stored."""
import numpy as np
import pytest

SOURCE = """
kernel void swap(global float *p, global float *o, global const int *takes) {
    size_t i = get_global_id(0); float mine = o[i];
    if (takes[i]) { float there = p[i]; p[i] = mine; mine = there; }
    o[i] = mine; }
kernel void push(global float *p, global float *o, global const int *takes) {
    size_t i = get_global_id(0); float mine = o[i];
    if (takes[i]) { float there = p[i]; p[i] = mine * 2; mine = there; }
    o[i] = mine + 1; }
kernel void rows(global float *p, global float *o, global const int *takes) {
    size_t first = get_global_id(0) * 59;
    for (size_t i = first; i < first + 59; ++i) {
        float mine = o[i];
        if (takes[i]) { float there = p[i]; p[i] = mine; mine = there; }
        o[i] = mine; } }
"""
ITEMS = 17 * 59       # the last vector of a group is not full


@pytest.mark.parametrize("name", ["swap", "push", "rows"])
def test_values_are_exchanged_with_memory(machine, name):
    rng = np.random.default_rng(8)
    memory, own = (rng.standard_normal(ITEMS).astype(np.float32) for _ in range(2))
    takes = rng.integers(0, 2, ITEMS, np.int32)
    more, times = (1, 2) if name == "push" else (0, 1)
    want = np.where(takes, own * times, memory), np.where(takes, memory, own) + np.float32(more)
    got = memory.copy(), own.copy()
    shape = ((17,), None) if name == "rows" else ((ITEMS,), (59,))
    machine.launch(getattr(machine.build(SOURCE), name), *shape, [*got, takes])
    np.testing.assert_array_equal(got, want)
