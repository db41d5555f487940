# SPDX-License-Identifier: Apache-2.0
"""Denormal numbers are zeros where the chip takes them for zeros, and only there."""
import numpy as np
import pytest
from kernels import differential, models

SOURCE = """
kernel void product(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] *= b[i]; }
kernel void wide(global double *a, global const double *b) { size_t i = get_global_id(0); a[i] *= b[i]; }
kernel void quotient(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] /= b[i]; }
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
