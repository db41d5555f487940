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
