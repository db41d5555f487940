# SPDX-License-Identifier: Apache-2.0
"""Barriers, with groups of many sizes, against the Python reference of each case."""
import numpy as np
import pytest

from . import barriers_and_data, barriers_in_flow  # noqa: F401 (they fill CASES)
from .barrier_case import CASES

GROUPS = [(4, 16), (3, 64), (6, 1), (5, 7), (1, 33)]


@pytest.mark.parametrize("groups", GROUPS, ids=lambda g: f"{g[0]}x{g[1]}")
@pytest.mark.parametrize("name", CASES)
def test_barrier(machine, name, groups):
    source, body = CASES[name]
    count, size = groups
    data = np.random.default_rng(1).integers(-2**12, 2**12, count * size, dtype=np.int32)
    machine.check(source, body, (count * size,), (size,), [np.zeros_like(data), data, np.int32(5)],
                  shared=lambda: np.zeros(size, np.int32), local_args=[4 * size])


@pytest.mark.parametrize("name", ["nested_loops", "goto_into_a_loop", "private_array_across_barriers",
                                  "function_called_from_many_places", "prefix_sum"])
def test_unoptimized(machine, name):
    source, body = CASES[name]
    data = np.arange(48, dtype=np.int32) * 77
    machine.check(source, body, (48,), (12,), [np.zeros_like(data), data, np.int32(5)], options="-cl-opt-disable",
                  shared=lambda: np.zeros(12, np.int32), local_args=[48])


@pytest.mark.parametrize("name", ["reverse", "prefix_sum", "nested_loops", "kernel_that_calls_a_kernel"])
@pytest.mark.parametrize(("total", "size"), [(50, 16), (17, 16), (3, 8)])
def test_smaller_last_group(machine, name, total, size):
    source, body = CASES[name]
    data = np.arange(total, dtype=np.int32) * 31
    machine.check(source, body, (total,), (size,), [np.zeros_like(data), data, np.int32(5)], options="-cl-std=CL2.0",
                  shared=lambda: np.zeros(size, np.int32), local_args=[4 * size])


ALL_IN_ONE = "\n".join(source.replace("kernel void k (", f"kernel void k_{name} (")
                       for name, (source, _) in CASES.items())


def test_all_kernels_in_one_program(machine):
    """Kernels that share functions and a context of their own: every one still does what it does alone."""
    data = np.arange(64, dtype=np.int32) * 1237
    for name, (_, body) in CASES.items():
        machine.check(ALL_IN_ONE, body, (64,), (16,), [np.zeros_like(data), data, np.int32(5)], name=f"k_{name}",
                      shared=lambda: np.zeros(16, np.int32), local_args=[64])
