# SPDX-License-Identifier: Apache-2.0
"""Functions of sub-groups against plain Python, over group sizes, divergent control flow and loops."""
import numpy as np
import pyopencl as cl
import pytest

from .sub_groups import (
    ARITHMETIC,
    BITWISE,
    INTEGERS,
    LOGICAL,
    NUMBERS,
    SHAPES,
    clustered,
    exclusive,
    expected,
    inclusive,
    reduce,
)

STD = "-cl-std=CL3.0"
HEAD = "kernel void k(global const {0} *a, global const int *c, global {1} *o, uint n) {{ "\
       "size_t i = get_global_linear_id(); {0} x = a[i]; "


@pytest.fixture
def size(machine):
    """Work-items of a sub-group of a kernel with vectors."""
    kernel = cl.Kernel(machine.build("kernel void k(global uint *o) { *o = get_max_sub_group_size(); }", STD), "k")
    out = np.zeros(1, np.uint32)
    machine.launch(kernel, (1,), (1,), [out])
    return int(out[0])


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


def check(machine, size, type_, calls, shape, seed=0, out=None, all_take_part=False, values=None):
    """`calls`: (expression of x, what it is in Python); all in one kernel, under a condition that some meet."""
    rng, n = np.random.default_rng(seed), items_of(shape)
    values = some_values(rng, NUMBERS[type_], n) if values is None else values
    chosen = np.ones(n, np.int32) if all_take_part else rng.integers(0, 2, n).astype(np.int32)
    lines = "".join(f"o[{k} * n + i] = {text}; " for k, (text, _) in enumerate(calls))
    source = HEAD.format(type_, out or type_) + f"if (c[i]) {{ {lines} }} }}"
    got = run(machine, source, shape, values, chosen, NUMBERS[out or type_], len(calls))
    for (text, function), row in zip(calls, got, strict=True):
        want = expected(function, values, chosen, shape, size, row.dtype)
        assert row.tolist() == want.tolist(), (type_, text, shape)


def of(how, what):
    return lambda values, ids, size: how(what, values, ids, size)


def has(machine, type_):
    return type_ != "half" or "cl_khr_fp16" in machine.device.extensions


def clusters(size):
    return [1 << n for n in range(size.bit_length())]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("type_", NUMBERS)
def test_reductions_and_scans(machine, size, type_, shape):
    if not has(machine, type_):
        return
    core = [(f"sub_group_{name}_{what}(x)", of(how, what)) for what in ("add", "min", "max")
            for name, how in (("reduce", reduce), ("scan_inclusive", inclusive), ("scan_exclusive", exclusive))]
    check(machine, size, type_, core, shape, all_take_part=True)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("type_", NUMBERS)
def test_non_uniform_arithmetic(machine, size, type_, shape):
    if not has(machine, type_):
        return
    operations = [*ARITHMETIC, *(BITWISE if type_ in INTEGERS else ()), *(LOGICAL if type_ == "int" else ())]
    calls = [(f"sub_group_non_uniform_{name}_{what}(x)", of(how, what)) for what in operations
             for name, how in (("reduce", reduce), ("scan_inclusive", inclusive), ("scan_exclusive", exclusive))]
    values = np.random.default_rng(4).integers(0, 2, items_of(shape)).astype(np.int32) if type_ == "int" else None
    check(machine, size, type_, calls, shape, 1)
    check(machine, size, type_, calls, shape, 2, values=values)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("type_", NUMBERS)
def test_clusters(machine, size, type_, shape):
    if not has(machine, type_):
        return
    operations = [*ARITHMETIC, *(BITWISE if type_ in INTEGERS else ()), *(LOGICAL if type_ == "int" else ())]
    for cluster in clusters(size):
        calls = [(f"sub_group_clustered_reduce_{what}(x, {cluster})", of(clustered(cluster), what))
                 for what in operations]
        check(machine, size, type_, calls, shape, cluster)
        check(machine, size, type_, calls, shape, cluster, all_take_part=True)
