# SPDX-License-Identifier: Apache-2.0
"""Vectors that lie where only their elements are aligned, as programs for GPUs have them by casts of pointers."""
import numpy as np
import pyopencl as cl
import pytest

N = 64
SOURCE = """
typedef struct {{ {0}4 a, b; }} pair;
kernel void all(global const {0} *x, global {0} *o, ulong from) {{
    size_t i = get_global_id(0); ((global {0}4 *)(o + from))[i] = ((global const {0}4 *)(x + from))[i] + ({0}4)(1); }}
kernel void some(global const {0} *x, global {0} *o, ulong from) {{
    size_t i = get_global_id(0);
    if (i % 3) ((global {0}4 *)(o + from))[i] = ((global {0}4 *)(x + from))[i] + ({0}4)(1); }}
kernel void rows(global const char *x, global {0} *o, ulong from) {{
    global const {0}4 *row = (global const {0}4 *)(x + (get_global_id(0) + from) * sizeof({0}));
    {0}4 s = row[0] + row[1];
    o[get_global_id(0)] = s.x + s.y + s.z + s.w; }}
kernel void one(global const {0} *x, global {0} *o, ulong from) {{
    if (get_global_id(0) == 0) *(global {0}8 *)(o + from) = *(global const {0}8 *)(x + from) + ({0}8)(1); }}
kernel void pairs(global const {0} *x, global {0} *o, ulong from) {{
    size_t i = get_global_id(0); ((global pair *)(o + from))[i / 2] = ((global const pair *)(x + from))[i / 2]; }}
"""


def expected(name, x, first):
    out, end = np.zeros_like(x), first + 4 * N
    moved = x[first:end].reshape(N, 4)
    if name == "rows":
        out[:N] = [x[first + i:first + i + 8].sum() for i in range(N)]
    elif name == "one":
        out[first:first + 8] = x[first:first + 8] + 1
    elif name == "pairs":
        out[first:end] = x[first:end]
    else:
        kept = (np.arange(N) % 3 > 0)[:, None] if name == "some" else True
        out[first:end] = np.where(kept, moved + 1, 0).ravel()
    return out


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
@pytest.mark.parametrize("kind, type_", [("float", np.float32), ("double", np.float64), ("int", np.int32)])
def test_each_place(machine, kind, type_, options):
    program = machine.build(SOURCE.format(kind), options)
    x = np.arange(4 * N + 16).astype(type_)
    for name in ("all", "some", "rows", "one", "pairs"):
        for first in (0, 1, 2, 3):
            out = np.zeros_like(x)
            machine.launch(cl.Kernel(program, name), (N,), (16,), [x, out, np.uint64(first)])
            np.testing.assert_array_equal(out, expected(name, x, first), err_msg=f"{name} {first}")
