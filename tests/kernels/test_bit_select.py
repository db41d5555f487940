# SPDX-License-Identifier: Apache-2.0
"""Bits of two values, taken by a mask that is a constant, where only some work-items take them: with AVX-512 that is
one instruction, of which LLVM 22 gets the operands wrong."""
import itertools

import numpy as np
import pyopencl as cl
import pytest

ITEMS = 256
TYPES = {"uint": (np.uint32, (0x0F0F0F0F, 0x07FFFFFF, 0x80000000)), "ulong": (np.uint64, (0x0FFFFFFFFFFFFFF0, 1 << 63)),
         "ushort": (np.uint16, (0x0FF0, 0x8000))}
FORMS = {"or": "(a & M) | (b & ~M)", "xor": "b ^ ((a ^ b) & M)", "plus": "(a & M) + (b & ~M)"}
OTHERS = ("a", "b", "c", "0")


def chosen(a, b, mask):
    return (a & mask) | (b & ~mask)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TYPES)
def test_bits_of_two_values(machine, name, form):
    dtype, masks = TYPES[name]
    cases = list(itertools.product(masks, OTHERS, (False, True)))
    kernels = []    # one each: what is used twice is no part of one instruction
    for n, (mask, other, turned) in enumerate(cases):
        bits = FORMS[form].replace("M", f"({name}){mask}ul")
        taken, left = (other, bits) if turned else (bits, other)
        kernels.append(f"""kernel void k{n}(global const {name} *x, global const {name} *y, global const {name} *z,
            global const int *takes, global {name} *o) {{
            size_t i = get_global_id(0); {name} a = x[i], b = y[i], c = z[i];
            o[i] = takes[i] > 0 ? ({name})({taken}) : ({name})({left}); }}""")
    program = machine.build("\n".join(kernels))
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(0, np.iinfo(dtype).max, ITEMS, dtype, endpoint=True) for _ in range(3))
    takes = rng.integers(0, 2, ITEMS, np.int32)
    for n, (mask, other, turned) in enumerate(cases):
        got = np.zeros(ITEMS, dtype)
        machine.launch(cl.Kernel(program, f"k{n}"), (ITEMS,), (64,), [a, b, c, takes, got])
        bits, rest = chosen(a, b, dtype(mask)), {"a": a, "b": b, "c": c, "0": np.zeros_like(a)}[other]
        want = np.where(takes > 0, *((rest, bits) if turned else (bits, rest)))
        assert got.tolist() == want.tolist(), (hex(mask), other, turned)


@pytest.mark.parametrize("other", ["a", "b", "c", "0"])
def test_signs_of_some(machine, other):
    source = f"""kernel void k(global const float *x, global const float *y, global const int *takes,
        global float *o) {{
        size_t i = get_global_id(0); float a = x[i], b = y[i], c = 5; if (takes[i]) {other.replace("0", "c")} =
        copysign(a, b); o[i] = {other.replace("0", "c")}; o[{ITEMS} + i] = takes[i] ? copysign(a, b) : {other}; }}"""
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(ITEMS).astype(np.float32) for _ in range(2))
    takes, out = rng.integers(0, 2, ITEMS, np.int32), np.zeros((2, ITEMS), np.float32)
    machine.launch(machine.build(source).k, (ITEMS,), (64,), [a, b, takes, out])
    first = {"a": a, "b": b}.get(other, np.float32(5))
    second = np.float32(0) if other == "0" else first
    np.testing.assert_array_equal(out, [np.where(takes, np.copysign(a, b), rest) for rest in (first, second)])
