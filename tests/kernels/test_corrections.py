# SPDX-License-Identifier: Apache-2.0
"""Functions of AMD's library that are wrong as they are there, on models."""
import math

import numpy as np
import pytest

from clpy.compiler.r600 import installed

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


@pytest.mark.parametrize(("call", "unit"), [("atan2((half)a[i], (half)b[i])", 1),
                                            ("atan2pi((half)a[i], (half)b[i])", np.pi),
                                            ("atan2((half4)a[i], (half4)b[i]).y", 1)])
def test_angles_of_halves(call, unit):
    source = f"{HALF}kernel void k(global float *a, global float *b) {{ size_t i = get_global_id(0); a[i] = {call}; }}"
    b, a = np.random.default_rng(1).uniform(-1, 1, (2, 4000)).astype(np.float16).astype(np.float32)
    out, exact = a.copy(), np.arctan2(a.astype(float), b) / unit
    differential.launch(*models.build("vega10", source, "-cl-std=CL3.0"), "k", [out, b], (a.size,), (64,))
    assert (np.abs(out - exact) <= np.spacing(np.abs(exact).astype(np.float16))).all()


@pytest.mark.parametrize("call", ["tgamma(a[i])", "tgamma((float8)a[i]).s6"])
def test_gamma_of_numbers_that_are_far_below_zero(call):
    source = f"kernel void k(global float *a) {{ size_t i = get_global_id(0); a[i] = {call}; }}"
    a = np.arange(-35.9, 8, 0.37, dtype=np.float32)
    out = a.copy()
    differential.launch(*models.build("vega10", source, ""), "k", [out], (a.size,), (64,))
    np.testing.assert_allclose(out, [math.gamma(x) for x in a], rtol=2e-6, atol=2e-45)


@pytest.mark.parametrize(("chip", "name", "dtype"), [("tahiti", "int", np.int32), ("vega10", "long", np.int64)])
def test_distance_that_its_type_does_not_hold(chip, name, dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    a, b = np.array([[least, most, 3, -5], [most, least, 7, -9]], dtype)
    source = f"""kernel void k(global {name} *a, global {name} *b) {{
        size_t i = get_global_id(0); a[i] = abs_diff(a[i], b[i]); }}"""
    differential.launch(*models.build(chip, source, ""), "k", [a, b], (4,), (4,))
    np.testing.assert_array_equal(a, [-1, -1, 4, 4])


def test_floor_of_a_vector():
    source = "kernel void k(global double *a) { vstore16(convert_double16(convert_char16_rtn(vload16(0, a))), 0, a); }"
    a = np.linspace(-1.5, 1.5, 16) * 1e-200
    out = a.copy()
    differential.launch(*models.build("tahiti", source, ""), "k", [out], (1,), (1,))
    np.testing.assert_array_equal(out, np.floor(a))


@pytest.mark.parametrize(("chip", "name", "dtype"), [
    ("tahiti", "float", np.float32), ("vega10", "double", np.float64), ("vega10", "half", np.float16)])
def test_zeros_of_turns(chip, name, dtype):
    """sinpi(n) has the sign of n, cospi(n + 0.5) is +0."""
    source = f"""{HALF} kernel void k(global {name} *a, global {name} *b) {{
        size_t i = get_global_id(0); a[i] = sinpi(a[i]); b[i] = cospi(b[i]); }}"""
    a, b = np.array([[0, -0.0, 1, -1, 2, -2, 0.5, -1.5], [0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1, -2]], dtype)
    differential.launch(*models.build(chip, source, "-cl-std=CL3.0"), "k", [a, b], (8,), (8,))
    assert a.tolist() == [0, 0, 0, 0, 0, 0, 1, 1] and b.tolist() == [0, 0, 0, 0, 0, 0, -1, 1]
    assert np.signbit(a).tolist() == [False, True, False, True, False, True, False, False]
    assert not np.signbit(b[:6]).any()


def test_remainders_of_what_counts_as_zero():
    source = """kernel void k(global float *a, global float *b, global int *n) {
        size_t i = get_global_id(0); int quotient; a[i] = remquo(a[i], b[i], &quotient); n[i] = quotient; }"""
    a, b = np.array([[-1.1e-38, 5, 1e-40, -1e-40], [-2.2e-38, 3, 1, 4]], np.float32)
    n = np.full(4, -1, np.int32)
    differential.launch(*models.build("tahiti", source, "-cl-std=CL3.0"), "k", [a, b, n], (4,), (4,))
    assert a.tolist() == [0, -1, 0, 0] and n.tolist() == [0, 2, 0, 0]


@pytest.mark.parametrize("name", ["floor", "ceil", "rint", "round", "trunc"])
def test_whole_numbers_have_the_sign(name):
    source = f"kernel void k(global double *a) {{ size_t i = get_global_id(0); a[i] = {name}(a[i]); }}"
    a = np.array([-0.5, -0.25, 0.25, -0.0, 0.0, -1.5, 1.25, -1e300])
    exact = {"round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)}.get(name) or getattr(np, name)
    out = a.copy()
    differential.launch(*models.build("tahiti", source, ""), "k", [out], (8,), (8,))
    np.testing.assert_array_equal(out, exact(a))
    np.testing.assert_array_equal(np.signbit(out), np.signbit(a))


@pytest.mark.parametrize("address", ["a + (b[3] & 7)", "a + ((uint)(x * 2.0f) & 7)", "a + (max(b[4], (int)x) & 7)",
                                     "a + (b[get_local_id(0) & 3] & 7)"])
def test_atomics_at_an_address_from_vector_registers(address):
    """The code generator crashed for two of them at one that all lanes share. (Not at one that they do not.)"""
    source = f"""kernel void k(global int *a, global const int *b, float x) {{
        for (int n = 0; n < 3; ++n) atomic_add({address}, n + 1); atomic_sub({address}, 2); }}"""
    a, b, x = np.arange(8, dtype=np.int32), np.array([5, 7, 1, 6, 2], np.int32), np.float32(1.5)
    places = {"b[3]": [6], "x * ": [3], "max": [2], "get_local_id": [5, 7, 1, 6]}
    at = next(of for name, of in places.items() if name in address)
    expected, out = a.copy(), a.copy()
    for item in range(192):
        expected[at[item % len(at)]] += 4
    differential.launch(*models.build("tahiti", source, "-cl-std=CL3.0"), "k", [out, b, x], (192,), (64,))
    assert (out == expected).all()


def test_atomics_of_groups_of_one_work_item():
    """Its id is 0, so that all lanes share the address; it is in a vector register all the same."""
    source = """__attribute__((reqd_work_group_size(1, 1, 1))) kernel void k(global uint *o) {
        long x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
            z = get_global_id(2) - get_global_offset(2), i = (z * get_global_size(1) + y) * get_global_size(0) + x;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < 5; ++n) atomic_add(o + i, 1u); }"""
    out = np.arange(24, dtype=np.uint32)
    differential.launch(*models.build("tahiti", source, "-cl-std=CL3.0"), "k", [out], (2, 3, 4), (1, 1, 1))
    assert (out == np.arange(24) + 5).all()


@pytest.mark.parametrize("chip", ["tahiti", "hawaii", "vega10"])
def test_one_type_is_stored_over_another(chip):
    """The bytes of a place hold what was stored last, whatever the type: vstore takes any place."""
    source = """kernel void k(global uchar *q) {
        global uchar *at = q + get_global_id(0) * 64; uint n = ((uint)get_local_size(0) * 3) % 5;
        vstore_half(100.0f, 15, (global half *)at); vstore3((int3)(1, 2, 3), n, (global int *)at);
        int3 v = vload3((n + 1) % 5, (global int *)at); at[0] = v.x + v.y + v.z; }"""
    out, right = np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8)
    right.view(np.int32)[:, 6:9] = 1, 2, 3
    differential.launch(*models.build(chip, source, "-cl-std=CL1.2"), "k", [out], (64,), (64,))
    np.testing.assert_array_equal(out, right)


@pytest.mark.parametrize("chip", ["tahiti", "vega10", pytest.param("cedar", marks=pytest.mark.skipif(
    bool(installed.missing("cypress")), reason="libclc-22 is not installed"))])
@pytest.mark.parametrize(("call", "least", "most"), [
    ("convert_char_sat_rte(a[i])", -128, 127), ("convert_int_sat(a[i])", -1 << 31, (1 << 31) - 1),
    ("convert_short4_sat_rtz((float4)a[i]).z", -1 << 15, (1 << 15) - 1), ("convert_uchar_sat_rtp(a[i])", 0, 255)])
def test_what_is_no_number_saturates_to_zero(chip, call, least, most):
    """And all others to what is nearest."""
    source = f"kernel void k(global float *a, global int *o) {{ size_t i = get_global_id(0); o[i] = {call}; }}"
    a = np.array([np.nan, -np.nan, np.inf, -np.inf, 3e9, -3e9, 5, -7, 0], np.float32)
    out = np.ones(a.size, np.int32)
    differential.launch(*models.build(chip, source, "-cl-std=CL1.2"), "k", [a, out], (a.size,), (a.size,))
    np.testing.assert_array_equal(out, np.clip(np.nan_to_num(a.astype(float), posinf=1e30, neginf=-1e30), least, most))
