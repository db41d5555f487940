# SPDX-License-Identifier: Apache-2.0
"""Loops in which all work-items take part for some turns and then leave one by one, by counters that come near the ends
of their types or wrap."""
import numpy as np
import pyopencl as cl
import pytest

ITEMS, TURNS = 64, 40
TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
TESTS = {"less": "i < n", "most": "i <= n", "more": "n > i", "least": "n >= i"}
SOURCE = "".join(f"""
kernel void {test}_{type_}(global int *o, global const int *a, {type_} first, {type_} step, {type_} n) {{
    size_t g = get_global_id(0);
    int sum = 0, turn = 0;
    for ({type_} i = first + ({type_})g; {condition}; i += step)
        sum = 3 * sum + a[{ITEMS} * turn++ + g];
    o[2 * g] = sum; o[2 * g + 1] = turn; }}""" for type_ in TYPES for test, condition in TESTS.items())
NEAR = [(0, 64, 1000), (0, 7, 63), (3, 5, 70), (5, 64, 6), (0, 64, 0)]         # first, step, n
SIGNED = [(-70, 9, -3), (-32, 16, 40)]


def ends_of(dtype):
    """Bounds next to the largest number, where the counter does not pass it; of unsigned types one that some do."""
    last = int(np.iinfo(dtype).max)
    yield last - 150, 5, last - 8
    yield last - 90, 1, last - 60
    if dtype(0) - 1 > 0:
        yield last - 9, 7, 50


def turns_of(dtype, test, first, step, n):
    """How often each work-item goes through the loop."""
    kept = 1 << 8 * np.dtype(dtype).itemsize
    for item in range(ITEMS):
        i, turns = (first + item) % kept if dtype(0) - 1 > 0 else first + item, 0
        while i < n or (i == n and test in ("most", "least")):
            i, turns = (i + step) % kept if dtype(0) - 1 > 0 else i + step, turns + 1
        yield turns


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("type_", TYPES)
def test_counters(machine, type_):
    dtype, program = TYPES[type_], machine.build(SOURCE)
    a = np.random.default_rng(5).integers(0, 100, ITEMS * TURNS, dtype=np.int32)
    cases = NEAR + list(ends_of(dtype)) + (SIGNED if dtype(0) - 1 < 0 else [])
    seen = set()
    for test in TESTS:
        kernel = cl.Kernel(program, f"{test}_{type_}")
        for first, step, n in cases:
            want = []
            for item, turns in enumerate(turns_of(dtype, test, first, step, n)):
                total = 0
                for turn in range(turns):
                    total = 3 * total + int(a[ITEMS * turn + item])
                want += [total & 0xFFFFFFFF, turns]
                seen.add(turns)
            out = np.zeros(2 * ITEMS, np.int32)
            machine.launch(kernel, (ITEMS,), (32,), [out, a, dtype(first), dtype(step), dtype(n)])
            np.testing.assert_array_equal(out.view(np.uint32), want, f"{test}: from {first} by {step} to {n}")
    assert {0, 1} < seen and max(seen) <= TURNS
