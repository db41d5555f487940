# SPDX-License-Identifier: Apache-2.0
"""Which forms a region has as vectors: in first code long ones have a single one, and launches see to what it counts
on."""
import ctypes

import pytest
from test_jit import run

from clpy import config
from clpy.compiler import pipeline, program
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target
from clpy.llvm.ir import functions

TARGET = host_target()
LANES = TARGET.vector_bits // 32
ODD, EVEN = 4 * LANES + LANES // 2 + 1, 4 * LANES
LINE = "x = x * 5 + i; x ^= x >> 3; "
KERNEL = "__attribute__((reqd_work_group_size(%d, 1, 1))) kernel void k(global uint *a)" \
         " { uint i = get_global_id(0), x = a[i]; %s a[i] = x; }"
SHORT, LONG = LINE, 120 * LINE
OF_ANY_SIZE = (KERNEL % (1, LONG)).partition("))) ")[2]


def expected(lines, n):
    values = []
    for i in range(n):
        x = 7
        for _ in range(lines):
            x = (x * 5 + i) % 2**32
            x ^= x >> 3
        values.append(x)
    return values


@pytest.fixture
def vectors(monkeypatch):
    """How often each lowered module has a line of the kernel as vectors."""
    found, original = [], pipeline.lower

    def lower(module, *args, **launches):
        lowering = original(module, *args, **launches)
        found.append(sum(f"<{LANES} x i32>" in str(inst) for f in functions(module)
                         for inst in f.instructions_of("mul")))
        return lowering
    monkeypatch.setattr(pipeline, "lower", lower)
    return found


def build(source):
    with config.override(CACHE=False, CPU_VECTORIZER_MODE="0", USE_VECTORIZER=True):
        return program.build(source.encode(), parse_options(""), TARGET)


def ran(executable, size):
    return run(program.load(executable, TARGET), "k", [7] * (size + 1), size, ctypes.c_uint32,
               executable.kernels["k"].unit)


@pytest.mark.parametrize(("text", "lines", "size", "n"), [
    (LONG, 120, ODD, 120), (LONG, 120, EVEN, 120), (SHORT, 1, ODD, 2)], ids=["long", "whole vectors", "short"])
def test_long_first_code_for_odd_sizes_has_one_form(vectors, text, lines, size, n):
    executable = build(KERNEL % (size, text))
    assert vectors == [n] and executable.kernels["k"].whole == (size, 1, 1)
    assert ran(executable, size) == [*expected(lines, size), 7]


def test_code_that_is_made_when_a_kernel_has_run_for_long_has_both(vectors):
    executable = build(KERNEL % (ODD, LONG))
    hot = program.specialize(executable, "k", (ODD, 1, 1), TARGET, ())
    assert vectors == [120, 240] and hot.kernels["k"].whole == (1, 1, 1)
    assert ran(hot, ODD) == [*expected(120, ODD), 7]


def test_launches_with_other_groups_get_one_form_too(vectors):
    whole = build(OF_ANY_SIZE)
    other = program.any_groups(whole, "k", TARGET)
    assert [e.kernels["k"].whole for e in (whole, other)] == [(LANES, 1, 1), (1, 1, 1)] and vectors == [120, 120]
    for size in (1, LANES - 1, LANES, ODD):
        assert ran(other, size) == [*expected(120, size), 7]
