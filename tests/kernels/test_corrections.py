# SPDX-License-Identifier: Apache-2.0
"""Functions of AMD's library that are wrong as they are there, on models."""
import numpy as np
import pytest

from . import differential, models

SOURCE = "kernel void k(global float *a) { size_t i = get_global_id(0); a[i] = %s; }"
HALF = "#pragma OPENCL EXTENSION cl_khr_fp16: enable\n"


@pytest.mark.parametrize(("chip", "expression", "exact"), [
    ("tahiti", "native_tan(a[i])", np.tan), ("vega10", "native_tan(a[i])", np.tan),
    ("vega10", "sin((half)a[i])", np.sin), ("fiji", "sin((half4)a[i]).w", np.sin),
    ("tahiti", "(float)floor(a[i] * 1e-200)", lambda x: np.floor(x * 1e-200))])
def test_function(chip, expression, exact):
    a = np.linspace(-1.5, 1.5, 100, dtype=np.float32)
    out = a.copy()
    differential.launch(*models.build(chip, HALF + SOURCE % expression, "-cl-std=CL3.0"), "k", [out], (100,), (64,))
    np.testing.assert_allclose(out, exact(a.astype(float)), atol=2e-3, rtol=2e-3)
