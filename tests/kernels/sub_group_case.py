# SPDX-License-Identifier: Apache-2.0
"""A kernel of calls of functions of sub-groups, under a condition that some work-items meet, and its reference."""
import numpy as np
import pyopencl as cl

from .sub_groups import NUMBERS, expected

STD = "-cl-std=CL3.0"
HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
HEAD = "kernel void k(global const {0} *a, global const int *c, global {1} *o, uint n) {{ "\
       "size_t i = get_global_linear_id(); {0} x = a[i]; "


def some_values(rng, dtype, n):
    """Sums and products of these are exact in any order."""
    if np.dtype(dtype).kind == "f":
        return rng.choice([1, 1, 1, -1, 2], n).astype(dtype)
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)


def items_of(shape):
    return int(np.prod(shape[0]))


def run(machine, source, shape, values, chosen, out_type, count):
    out = np.zeros((count, len(values)), out_type)
    machine.launch(cl.Kernel(machine.build(source, STD), "k"), *shape, [values, chosen, out, np.uint32(len(values))])
    return out


def check(machine, size, type_, calls, shape, seed=0, out=None, all_take_part=False, values=None,
          before=""):
    """`calls`: (expression of x, what it is in Python); all in one kernel, under a condition that some meet."""
    rng, n = np.random.default_rng(seed), items_of(shape)
    values = some_values(rng, NUMBERS[type_], n) if values is None else values
    chosen = np.ones(n, np.int32) if all_take_part else rng.integers(0, 2, n).astype(np.int32)
    lines = "".join(f"o[{k} * n + i] = {text}; " for k, (text, _) in enumerate(calls))
    source = HALF * (type_ == "half") + before + HEAD.format(type_, out or type_) + f"if (c[i]) {{ {lines} }} }}"
    got = run(machine, source, shape, values, chosen, NUMBERS[out or type_], len(calls))
    for (text, function), row in zip(calls, got, strict=True):
        want = expected(function, values, chosen, shape, size, row.dtype)
        assert row.tolist() == want.tolist(), (type_, text, shape)
