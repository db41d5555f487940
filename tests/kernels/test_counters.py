# SPDX-License-Identifier: Apache-2.0
"""Loop counters of 32 bits that go up by the size of the range, as numbers of 64 bits: they wrap where the language
says so, also from one work-item to the next."""
import numpy as np
import pyopencl as cl
import pytest

TURNS = 4
SOURCE = """
kernel void k(global ulong *o, TYPE n, TYPE step, TYPE from) {
    size_t at = (get_global_id(0) - get_global_offset(0)) * 4;
    int turn = 0;
    for (TYPE i = START; i < n && turn < 4; i += (size_t)step)
        o[at + turn++] = (ulong)(WIDE)i;
}
kernel void sums(global int *o, global const int *a, TYPE n, TYPE from) {
    int sum = 0;
    for (TYPE i = START; i < n; i += (TYPE)get_global_size(0))
        sum = sum * 3 + a[i];
    o[get_global_id(0) - get_global_offset(0)] = sum;
}
"""
STARTS = {"id": "get_global_id(0)", "group": "get_group_id(0) * get_local_size(0) + get_local_id(0)",
          "given": "from + get_local_id(0)"}
KINDS = {"uint": (np.uint32, "ulong"), "int": (np.int32, "long")}
HALF, WHOLE = 1 << 31, 1 << 32


def build(machine, kind, start):
    return machine.build(f"#define START ({kind})({STARTS[start]})\n{SOURCE}", f"-DTYPE={kind} -DWIDE={KINDS[kind][1]}")


def numbers(kind, first, n, step):
    """What work-item 0 and those behind it write."""
    narrow = KINDS[kind][0]
    out = np.zeros((64, TURNS), np.uint64)
    for item in range(64):
        i = (first + item) % WHOLE
        for turn in range(TURNS):
            value = int(np.uint32(i).astype(narrow))
            if value >= n:
                break
            out[item, turn] = np.int64(value).astype(np.uint64)
            i = (i + step) % WHOLE
    return out


CASES = {"uint": [(0, 100, 64), (0, WHOLE - 1, 1 << 30), (0, WHOLE - 70000, 64), (WHOLE - 40, WHOLE - 3, 64),
                  (WHOLE - 200, WHOLE - 1, 64), (HALF - 9, HALF + 100, 7), (WHOLE - 9, 100, 64), (3, 5, 1)],
         "int": [(0, 100, 64), (0, HALF - 1, 1 << 30), (HALF - 40, HALF - 3, 64), (HALF - 9, 100, 64),
                 (WHOLE - 9, 100, 64), (0, 50, 0), (HALF - 300, HALF - 1, 128)]}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_where_they_wrap(machine, kind, start):
    narrow = KINDS[kind][0]
    kernel = cl.Kernel(build(machine, kind, start), "k")
    for first, n, step in CASES[kind]:
        if start == "group" and first:
            continue
        out = np.zeros((64, TURNS), np.uint64)
        offset = (first,) if start == "id" else None
        given = np.uint32(first).astype(narrow)
        machine.launch(kernel, (64,), (64,), [out, narrow(n), narrow(step), given], offset)
        np.testing.assert_array_equal(out, numbers(kind, first, n, step), err_msg=f"{first} {n} {step}")


@pytest.mark.parametrize("start", ["id", "group"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 50, 127, 128, 1000, 1003])
def test_sums(machine, kind, start, n):
    """Each work-item's own, also where the last of them have nothing."""
    a = np.random.default_rng(n).integers(-99, 99, 1024, dtype=np.int32)
    out = np.full(128, -1, np.int32)
    number = KINDS[kind][0]
    machine.launch(cl.Kernel(build(machine, kind, start), "sums"), (128,), (32,), [out, a, number(n), number(0)])
    want = []
    for item in range(128):
        total = 0
        for value in a[item:n:128]:
            total = (total * 3 + int(value)) % WHOLE
        want.append(total)
    np.testing.assert_array_equal(out, np.array(want, np.uint32).view(np.int32))


def test_a_sum_with_a_given_number(machine):
    """What is added to a local id may wrap: only a global id does not."""
    source = "kernel void k(global ulong *o, ulong from) { size_t l = get_local_id(0); o[l] = (uint)(from + l); }"
    kernel = cl.Kernel(machine.build(source), "k")
    for first in (5, HALF - 5, WHOLE - 5):
        out = np.zeros(64, np.uint64)
        machine.launch(kernel, (64,), (64,), [out, np.uint64(first)])
        np.testing.assert_array_equal(out, (first + np.arange(64)) % WHOLE)
