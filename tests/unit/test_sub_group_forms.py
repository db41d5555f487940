# SPDX-License-Identifier: Apache-2.0
"""Of kernels with sub-groups the first code has one form, for groups of whole sub-groups; other groups get other code,
with sub-groups of the same size."""
import pytest

from clpy import config
from clpy.compiler import frame, pipeline, program
from clpy.compiler.options import parse_options
from clpy.compiler.passes import optimize
from clpy.compiler.spmd import forms
from clpy.compiler.target import host_target

TARGET = host_target()
SIZE = TARGET.vector_bits // 32
ROWS = "kernel void k(global int *a) { int i = get_global_id(0); a[i] = sub_group_reduce_add(a[i]); }"
PLANE = "kernel void k(global int *a) { int i = get_global_id(1); a[i] = sub_group_reduce_add(a[i]); }"
FLAGS = """kernel void k(global atomic_int *a) { int i = get_global_id(0);
    while (atomic_load_explicit(a, memory_order_relaxed) < (int)sub_group_reduce_add(i)) ; }"""
SIZED = "__attribute__((reqd_work_group_size(%d, 1, 1))) " + ROWS


def build(source):
    with config.override(CACHE=False):
        return program.build(source.encode(), parse_options("-cl-std=CL3.0"), TARGET)


def of(executable):
    info = executable.kernels["k"]
    return info.sub_group_size, info.whole


@pytest.mark.parametrize(("source", "whole"), [
    (ROWS, SIZE), (PLANE, SIZE), (FLAGS, 1), (SIZED % (2 * SIZE), SIZE), (SIZED % (SIZE + 2), 1)],
    ids=["rows", "other dimensions", "one waits for others", "whole sizes", "other sizes"])
def test_what_first_code_takes_for_granted(source, whole):
    assert of(build(source)) == (SIZE, (whole, 1, 1))


@pytest.mark.parametrize("source", [ROWS, PLANE])
def test_other_groups_get_code_with_the_same_sub_groups(source):
    first = build(source)
    assert of(program.any_groups(first, "k", TARGET)) == (SIZE, (1, 1, 1))
    assert len(first.objects[0]) < len(program.any_groups(first, "k", TARGET).objects[0])


def test_who_asks_for_a_width_gets_all_forms():
    with config.override(CPU_VECTORIZER_MODE="4"):
        assert of(build(ROWS)) == (SIZE, (1, 1, 1))


def test_long_loops_over_a_group_get_the_passes_of_vectors(monkeypatch):
    """They stay functions in first code of long kernels; LLVM's usual list takes three times as long for them."""
    seen = []

    def spy(module, lowering, machine, usual=pipeline.finish):
        seen.append((len(frame.code_functions(module)), optimize.choose(module, lowering)))
        usual(module, lowering, machine)
    monkeypatch.setattr(pipeline, "finish", spy)
    monkeypatch.setattr(forms, "MANY", 10)
    monkeypatch.setattr(forms, "APART", 5)
    build("kernel void k(global int *a) { int i = get_global_id(0); local int s[64]; s[i & 63] = a[i]; barrier(1);"
          " a[i] = sub_group_reduce_add(a[i]) + s[i & 63 ^ 1]; }")
    assert len(seen) == 1 and seen[0][0] > 1 and seen[0][1] == optimize.FIRST_VECTORS
