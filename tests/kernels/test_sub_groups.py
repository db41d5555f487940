# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans of sub-groups (cl_khr_subgroups, cl_khr_subgroup_non_uniform_arithmetic,
cl_khr_subgroup_clustered_reduce) against plain Python, over types, group sizes and who takes part."""
import numpy as np
import pytest

from .sub_group_case import check, items_of
from .sub_groups import (
    ARITHMETIC,
    BITWISE,
    INTEGERS,
    LOGICAL,
    NUMBERS,
    SHAPES,
    clustered,
    exclusive,
    inclusive,
    reduce,
)


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
