# SPDX-License-Identifier: Apache-2.0
"""Indices of 32 bits that are sums of ids, arguments and counters, as numbers of 64 bits: they wrap where the language
says so, also from one work-item to the next."""
import numpy as np
import pyopencl as cl
import pytest

SUMS = ["x + k", "y * w + x", "x * 4 + k + 1", "(y + 1) * w + x * 2 - 5", "k - x", "x - k",
        "(uint)x * 3u + (uint)y * 5u", "(x << 4) + (uint)w", "get_group_id(0) * 16 + get_local_id(0) + k",
        "y * w * 2 + k + x", "w * (x + y) - x * w + x"]
COUNTED = ["x + j * w", "y + (j + 2) * k + x * 3", "x - j"]
SLOTS = 32


def assignments(texts, first):
    return "".join(f"to[{first}{n}] = (KIND)({text});\n" for n, text in enumerate(texts))


SOURCE = f"""
kernel void k(global long *o, KIND k, KIND w, KIND from, KIND n) {{
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t row = y - get_global_offset(1), column = x - get_global_offset(0);
    global long *to = o + (row * get_global_size(0) + column) * {SLOTS};
    {assignments(SUMS, "")}
    int turn = 0;
    for (KIND j = from; j < n && turn < 4; j++, turn++) {{
        {assignments(COUNTED, f"{len(SUMS)} + turn * {len(COUNTED)} + ")} }} }}
"""
KINDS = {"uint": np.uint32, "int": np.int32}
HALF, WHOLE = 1 << 31, 1 << 32
SIZE = (32, 4)
CASES = [((0, 0), 0, 100, 0, 4), ((0, 0), 7, 32, 1, 9), ((0, 0), WHOLE - 9, 20, 0, 3),
         ((0, 0), HALF - 9, 1 << 28, 0, 4),
         ((HALF - 11, 0), 3, 64, 0, 4), ((HALF - 200, 2), 100, 1 << 30, 0, 2), ((WHOLE - 17, 1), 5, HALF, 2, 4),
         ((1 << 29, 5), 1 << 30, WHOLE - 40, HALF - 3, HALF - 1), ((100, 1 << 20), HALF, 1 << 11, 0, 1),
         ((0, 0), WHOLE - 1, WHOLE - 32, 3, 1), ((5, 3), 40, HALF - 1, 0, HALF - 1)]


def numbers(narrow, offset, k, w, first, n):
    """What each work-item writes."""
    def kept(value):
        return int(np.uint32(value % WHOLE).astype(narrow))

    out = np.zeros((SIZE[1], SIZE[0], SLOTS), np.int64)
    for row in range(SIZE[1]):
        for column in range(SIZE[0]):
            x, y, to = offset[0] + column, offset[1] + row, out[row, column]
            to[:len(SUMS)] = [kept(value) for value in (
                x + k, y * w + x, x * 4 + k + 1, (y + 1) * w + x * 2 - 5, k - x, x - k, x * 3 + y * 5, (x << 4) + w,
                column + k, y * w * 2 + k + x, w * (x + y) - x * w + x)]
            for turn, j in enumerate(range(kept(first), min(kept(n), kept(first) + 4))):
                at = len(SUMS) + turn * len(COUNTED)
                to[at:at + len(COUNTED)] = [kept(value) for value in (x + j * w, y + (j + 2) * k + x * 3, x - j)]
    return out


@pytest.mark.parametrize("group", [(16, 1), (16, 4)])
@pytest.mark.parametrize("kind", KINDS)
def test_where_they_wrap(machine, kind, group):
    narrow = KINDS[kind]
    kernel = cl.Kernel(machine.build(SOURCE, f"-DKIND={kind}"), "k")
    for offset, *given in CASES:
        out = np.zeros((SIZE[1], SIZE[0], SLOTS), np.int64)
        given = [np.uint32(value).astype(narrow) for value in given]
        machine.launch(kernel, SIZE, group, [out, *given], offset)
        np.testing.assert_array_equal(out, numbers(narrow, offset, *map(int, given)), err_msg=f"{offset} {given}")


ROWS = """
kernel void rows(global uint *restrict o, global const uint *restrict a, long shift, uint n, uint base, uint to) {
    global const uint *moved = (global const uint *)((ulong)a - 4 * shift);
    uint y = get_global_id(0), sum = 0, many = 0;
    global uint *own = o + (get_global_id(0) - get_global_offset(0)) * 4;
    for (uint k = 0; k < to; k++) sum = sum * 3 + moved[(KIND)(base + y * SCALE * n + k)];
    own[0] = sum;
    for (uint j = 0; j < 3; j++)
        for (uint k = 1; k < to; k++) many = many * 5 + moved[(KIND)(base + 4 + y * SCALE * n + j * to + k)];
    own[1] = many;
    if (!shift)
        for (uint k = 0; k < to; k++) own[2] += a[(KIND)(base + y * SCALE * n + k)] * (k + 1);
    for (uint k = to; k-- > 0;) own[3] = own[3] * 11 + moved[(KIND)(base + y * SCALE * n + k)]; }
"""
ITEMS, PLACES = 32, 1 << 14
# Offset, where the array begins, elements of a row, its first place, how much of it.
ROW_CASES = {1: [(0, 0, 16, 0, 16), (0, 0, 3, 5, 40), (0, 0, 0, 7, 33), (0, 0, WHOLE - 3, 100, 40), (0, 0, 20, 0, 0),
                 (1 << 28, 0, 16, 0, 30), ((1 << 28) - 20, 0, 16, 320, 30),
                 (0, WHOLE - PLACES, 16, WHOLE - PLACES, 30), (0, HALF, 16, HALF, 30)],
             32: [(0, 0, 3, 0, 20), (0, 0, HALF, 0, 20), (0, 0, (1 << 27) + 1, 1 << 5, 20)]}
ACROSS_HALF = [(0, HALF - 100, 16, HALF - 100, 30), (0, HALF - 4500, 16, HALF - 4500, 30)]


def row_sums(kept, a, scale, y, case):
    """What work-item y writes."""
    _, first, n, base, to = case
    y, first = y * scale, kept(first)

    def read(*terms):
        place = kept(sum(terms)) - first
        assert 0 <= place < len(a)
        return int(a[place])

    out = [0] * 4
    for k in range(to):
        out[0] = (out[0] * 3 + read(base, y * n, k)) % WHOLE
        out[2] = (out[2] + (read(base, y * n, k) * (k + 1) if not first else 0)) % WHOLE
        out[3] = (out[3] * 11 + read(base, y * n, to - 1 - k)) % WHOLE
    for j in range(3):
        for k in range(1, to):
            out[1] = (out[1] * 5 + read(base, 4, y * n, j * to, k)) % WHOLE
    return out


@pytest.mark.parametrize("scale", ROW_CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_whose_places_wrap(machine, kind, scale):
    """Each work-item goes along a row of its own: n elements behind the one before, modulo 2^32."""
    kernel = cl.Kernel(machine.build(ROWS, f"-DKIND={kind} -DSCALE={scale}u"), "rows")
    a = np.random.default_rng(8).integers(0, WHOLE, PLACES, dtype=np.uint32)

    def kept(place):
        return int(np.uint32(place % WHOLE).astype(KINDS[kind]))

    for case in ROW_CASES[scale] + (ACROSS_HALF if kind == "uint" else []):
        offset, first, *given = case
        if machine.id_bits == 32 and kept(first) >= 1 << 30:
            continue        # more than 2^32 bytes from where a pointer leads to (docs/gpu.md)
        out = np.zeros((ITEMS, 4), np.uint32)
        machine.launch(kernel, (ITEMS,), (16,), [out, a, np.int64(kept(first)), *map(np.uint32, given)], (offset,))
        expected = [row_sums(kept, a, scale, offset + y, case) for y in range(ITEMS)]
        np.testing.assert_array_equal(out, np.array(expected, np.uint32), err_msg=str(case))


PLANE = """
kernel void plane(global ulong *o, uint w, uint base) {
    uint x = get_global_id(0), y = get_global_id(1);
    size_t row = get_global_id(1) - get_global_offset(1), column = get_global_id(0) - get_global_offset(0);
    global ulong *to = o + (row * get_global_size(0) + column) * 4;
    to[0] = (y - 1) * w + x; to[1] = y * w + x - 1; to[2] = (y + 2) * w + x - 9 + base;
    for (uint j = 0; j < 3; j++) to[3] = to[3] * 3 + ((y + j - 1) * w + x + base - 1); }
"""


@pytest.mark.parametrize("group", [(16, 1), (16, 4)])
def test_places_above_and_before(machine, group):
    """What is taken from an unsigned place leaves less than nothing in the first row, which wraps."""
    kernel = cl.Kernel(machine.build(PLANE), "plane")
    for offset, w, base in [((0, 0), 32, 0), ((0, 0), 5, 3), ((7, 1), 32, 0), ((0, 3), 0, 0), ((0, 0), HALF, 9),
                            ((0, 0), WHOLE - 5, 0), ((HALF - 9, 2), 64, WHOLE - 7), ((WHOLE - 11, 1 << 27), 32, 5)]:
        out = np.zeros((SIZE[1], SIZE[0], 4), np.uint64)
        machine.launch(kernel, SIZE, group, [out, np.uint32(w), np.uint32(base)], offset)
        y, x = np.mgrid[:SIZE[1], :SIZE[0]].astype(object)
        x, y = x + offset[0], y + offset[1]
        total = 0
        for j in range(3):
            total = total * 3 + ((y + j - 1) * w + x + base - 1) % WHOLE
        expected = [((y - 1) * w + x) % WHOLE, (y * w + x - 1) % WHOLE, ((y + 2) * w + x - 9 + base) % WHOLE, total]
        np.testing.assert_array_equal(out, np.stack(expected, -1).astype(np.uint64), err_msg=f"{offset} {w} {base}")
