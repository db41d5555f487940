# SPDX-License-Identifier: Apache-2.0
"""Denormal numbers are zeros where the chip takes them for zeros, and only there."""
import numpy as np
import pytest
from kernels import differential, models

SOURCE = """
kernel void product(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] *= b[i]; }
kernel void wide(global double *a, global const double *b) { size_t i = get_global_id(0); a[i] *= b[i]; }
kernel void quotient(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] /= b[i]; }
kernel void wide_quotient(global double *a, global const double *b) { size_t i = get_global_id(0); a[i] /= b[i]; }
kernel void parts(global float *a, global int *e) {
    size_t i = get_global_id(0); int n; a[i] = frexp(a[i], &n); e[i] = n; }
"""
FLUSH, EXACT = "-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt"
N = 100


def run(chip, options, name, a, b):
    out = a.copy()
    differential.launch(*models.build(chip, SOURCE, f"-cl-std=CL3.0 {options}"), name, [out, b], a.shape, (64,))
    return out


@pytest.mark.parametrize(("chip", "options", "keeps"), [
    ("tahiti", "", False), ("vega10", "", True), ("vega10", FLUSH, False)])
def test_products(chip, options, keeps):
    small = np.full(N, 1e-20, np.float32)
    assert (run(chip, options, "product", small, small) == (small * small if keeps else 0)).all()
    wide = np.full(N, 1e-160)
    assert (run(chip, options, "wide", wide, wide) == wide * wide).all()
    assert np.float32(1e-20) * np.float32(1e-20) > 0       # and the host is as it was


@pytest.mark.parametrize(("chip", "options"), [("tahiti", EXACT), ("vega10", f"{EXACT} {FLUSH}")])
def test_quotients_that_are_rounded_correctly(chip, options):
    """The code keeps denormal numbers for the steps of a division."""
    bits = np.random.default_rng(1).integers(0, 2**32, (2, 20000), dtype=np.uint32)
    with np.errstate(all="ignore"):
        a, b = bits.view(np.float32)
        exact = a / b
        tiny = np.finfo(np.float32).tiny
        usual = (np.abs([a, b, exact]) >= tiny).all(0) & np.isfinite(exact)
    assert usual.sum() > 10000
    np.testing.assert_array_equal(run(chip, options, "quotient", a, b)[usual], exact[usual])


@pytest.mark.parametrize(("chip", "options"), [("tahiti", EXACT), ("tahiti", ""), ("vega10", f"{EXACT} {FLUSH}")])
def test_quotients_of_denormal_numbers(chip, options):
    """Where they are zeros."""
    random = np.random.default_rng(3)
    small, usual = random.uniform(-1e-38, 1e-38, 100), random.uniform(-1, 1, 100) * 1e-9
    a, b = np.float32([[small, usual, small], [usual, small, small]]).reshape(2, -1)
    taken = np.float32([[0 * small, usual, 0 * small], [usual, 0 * small, 0 * small]]).reshape(2, -1)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(chip, options, "quotient", a, b), taken[0] / taken[1])


@pytest.mark.parametrize(("chip", "dtype"), [("tahiti", np.float64), ("vega10", np.float64), ("vega10", np.float32)])
def test_quotients_that_are_denormal_numbers(chip, dtype):
    """They are rounded once, though they are scaled in the end."""
    random, least, name = np.random.default_rng(2), np.finfo(dtype).minexp, "wide_quotient"
    a = random.uniform(1, 2, 20000).astype(dtype)
    exponents = random.integers(0, 20, a.size) - least
    b = np.ldexp(random.integers(1 << 10, 1 << 12, a.size) / 2**11, exponents).astype(dtype)
    a[::2] = 1
    exact = a / b
    assert (exact < np.finfo(dtype).tiny).mean() > 0.5
    np.testing.assert_array_equal(run(chip, EXACT, name if dtype == np.float64 else "quotient", a, b), exact)


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_parts_of_denormal_numbers(chip):
    a = np.array([7e-43, -1e-45, 1e-38, 0, -3, np.inf] * 20, np.float32)
    exponents = np.zeros(a.size, np.int32)
    parts = run(chip, "", "parts", a, exponents)
    taken = np.where(np.abs(a) < np.finfo(np.float32).tiny, 0, a) if chip == "tahiti" else a
    np.testing.assert_array_equal(parts, np.frexp(taken)[0])
    np.testing.assert_array_equal(exponents[:5], np.frexp(taken)[1][:5])


def test_multiplication_by_one():
    """Makes zeros of denormal numbers: cbrt() begins with one."""
    source = "kernel void k(global float *a) { size_t i = get_global_id(0); a[i] = cbrt(a[i]); }"
    a = np.array([-3.6e-43, 1e-40, -27, 8], np.float32)
    differential.launch(*models.build("tahiti", source, ""), "k", [a], a.shape, a.shape)
    assert a.tolist() == [0, 0, -3, 2]


@pytest.mark.parametrize(("name", "dtype", "least"), [("float", np.float32, -149), ("double", np.float64, -1074)])
def test_powers_of_two_round_once(name, dtype, least):
    """ldexp() to denormal numbers, from normal and from denormal ones, is the nearest."""
    source = f"""kernel void k(global {name} *a, global int *n) {{
        size_t i = get_global_id(0); a[i] = ldexp(a[i], n[i]); }}"""
    random = np.random.default_rng(7)
    parts = random.integers(1, 64, 512).astype(dtype) * np.where(random.integers(0, 2, 512), 1, -1).astype(dtype)
    down = random.integers(0, 8, 512)
    start = np.where(np.arange(512) % 2, least, 0)      # of denormal numbers, of small whole ones
    a = np.ldexp(parts, start)
    n = (least - down - start).astype(np.int32)
    exact = np.rint(parts.astype(np.float64) / 2.0 ** down)
    out = a.copy()
    differential.launch(*models.build("vega10", source, ""), "k", [out, n], a.shape, (64,))
    np.testing.assert_array_equal(out, np.ldexp(exact.astype(dtype), least))
