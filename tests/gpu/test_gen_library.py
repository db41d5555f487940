# SPDX-License-Identifier: Apache-2.0
"""Functions of OpenCL C on a model of a Gen chip that Intel's compiler has wrong, or not at all, as they are there."""
import math
import subprocess

import numpy as np
import pytest

from clpy import config
from clpy.compiler.gen import installed, ocloc
from clpy.compiler.gen.program import program
from clpy.compiler.gen.target import GenTarget
from clpy.compiler.options import parse_options
from tests.kernels import differential, models, random_kernels, random_language

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")
HALF = "#pragma OPENCL EXTENSION cl_khr_fp16: enable\n"


def results(body, out, *arrays, types=("float", "float"), group=(16,)):
    """What a kernel whose arguments are `o`, `a`, `b` leaves in `out`."""
    arguments = ", ".join(f"global {type_} *{name}" for type_, name in zip(types, "oab", strict=False))
    source = f"{HALF}kernel void k({arguments}) {{ size_t i = get_global_id(0); {body} }}"
    count = (len(arrays[0]) if arrays else len(out),)
    differential.launch(*models.build("skylake-gt2", source, "-cl-std=CL3.0"), "k", [out, *arrays], count, group)
    return out


def test_first_roots():
    a = np.array([7, 1e-40, -3, np.inf, 1e38, 0.1, -0.0, 5], np.float32)
    got = results("o[i] = rootn(a[i], 1) + rootn((float2)a[i], (int2)(1, 3)).x;", np.zeros_like(a), a)
    np.testing.assert_array_equal(got, a + a)


@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_logarithms_of_gamma_where_that_has_no_number(name, dtype):
    a = np.array([0.5, 3, 58, 1e4, 1e35, 1e-40, -0.5, -1.5, -2.5, -3.25, -0.0, 0], dtype)
    body = "int sign; local int two[2]; o[2 * i] = lgamma_r(a[i], &sign); o[2 * i + 1] = sign;"
    got = results(body, np.zeros((len(a), 2), dtype), a, types=(name, name))
    np.testing.assert_allclose(got[:, 0], [math.lgamma(x) if x else math.inf for x in a], rtol=1e-6)
    np.testing.assert_array_equal(got[:, 1], [1, 1, 1, 1, 1, 1, -1, 1, -1, 1, -1, 1])


def test_gamma_of_doubles():
    a = np.concatenate([np.arange(-183.9, 171, 0.37), [1e-308, -1e-308, 0.0, -0.0, -1.0, -np.inf, np.inf, 172]])
    exact = [math.gamma(x) for x in a[:-6]] + [np.inf, -np.inf, np.nan, np.nan, np.inf, np.inf]
    got = results("o[i] = tgamma(a[i]);", np.zeros_like(a), a, types=("double", "double"), group=(64,))
    np.testing.assert_allclose(got, exact, rtol=2 ** -48, atol=1e-323)


def test_quarters_of_turns_are_exact():
    a = np.array([0.5, 1.5, 1, -0.5, 0.25, 1e9], np.float64)
    got = results("o[2 * i] = sinpi(a[i]); o[2 * i + 1] = cospi(a[i]);", np.zeros((len(a), 2)), a,
                  types=("double", "double"))
    np.testing.assert_allclose(got[:, 0], [1, -1, 0, -1, math.sqrt(0.5), 0], rtol=2 ** -52, atol=0)
    np.testing.assert_allclose(got[:, 1], [0, 0, -1, 0, math.sqrt(0.5), 1], rtol=2 ** -52, atol=0)
    y, x = np.array([[1, -1, 0, -0.0, np.inf, 3], [0, 0, -1, -1, np.inf, -3]], np.float32)
    got = results("o[i] = atan2pi(a[i], b[i]);", np.zeros_like(x), y, x, types=("float",) * 3)
    np.testing.assert_array_equal(got, [0.5, -0.5, 1, -1, 0.25, 0.75])


def test_halves():
    a = np.array([-6e-8, -0.5, 3.75, 65504, -1e-3], np.float16)
    body = "half whole; o[2 * i] = fract(a[i], &whole); o[2 * i + 1] = whole;"
    got = results(body, np.zeros((len(a), 2), np.float16), a, types=("half", "half"))
    below = np.nextafter(np.float16(1), np.float16(0))
    np.testing.assert_array_equal(got, [[below, -1], [0.5, -1], [0.75, 3], [0, 65504], [1 + a[4], -1]])
    b = np.array([9.62, 1.13, -8.25, 3], np.float16)
    got = results("o[i] = dot((half3)(b[0], b[1], b[2]), (half3)(b[1], b[0], 2.64h)) + a[i] * 0;",
                  np.zeros(5, np.float16), a, b, types=("half",) * 3)
    exact = 2 * float(b[0]) * float(b[1]) + float(b[2]) * float(np.float16(2.64))
    np.testing.assert_allclose(got.astype(float), exact, atol=0.004)


def test_codes_of_what_is_no_number():
    a = np.array([0, 1, 0x3FFFFF], np.uint32)
    got = results("o[i] = as_uint(nan(a[i])) + (as_ulong(nan((ulong)a[i])) != (0x7ff8000000000000 | a[i]));",
                  np.zeros_like(a), a, types=("uint", "uint"))
    np.testing.assert_array_equal(got, a | 0x7FC00000)


def test_time_goes_forward():
    out = results("ulong first = clock_read_device(); barrier(CLK_LOCAL_MEM_FENCE); o[3 * i] = clock_read_sub_group();"
                  "o[3 * i + 1] = first; o[3 * i + 2] = i & 1 ? clock_read_work_group() : clock_read_device();",
                  np.zeros((32, 3), np.uint64), np.zeros(32, np.uint64), types=("ulong", "ulong"), group=(32,))
    assert (out[:, 1] < out[:, 0]).all() and (out[:, 0] < out[:, 2]).all()


def test_private_memory_of_aligned_vectors():
    """Of which Intel's compiler says that there is less than none."""
    body = """ulong16 v = (ulong16)(1); ((ulong *)&v)[(ulong)(int)get_local_id(0) & 15] = (ulong)7;
        ulong16 w = as_ulong16(v); ulong8 v8 = w.lo * (ulong8)3 + w.hi; ulong4 v4 = v8.lo * (ulong4)3 + v8.hi;
        ulong2 v2 = v4.lo * (ulong2)3 + v4.hi; o[i] += v2.x * 3ul + v2.y;"""
    got = results(body, np.zeros(16, np.uint64), types=("ulong",))
    assert got.tolist() == [256 + 6 * 3 ** (4 - n.bit_count()) for n in range(16)]


def test_lower_bits_of_long_numbers():
    """LLVM's SPIR-V of what is cut and made longer again had operands of two types, of which Intel's compiler made
    zeros, or came to an end."""
    a = np.array([300, 7, 70000, (1 << 40) + 3], np.uint64)
    body = """for (uint n = 0; n < 3; n++) o[4 * i + n] = n * convert_uint((uchar)a[i]) + (uint)(ushort)a[i];
        o[4 * i + 3] = (uchar)((uchar)a[i] % (((uchar)a[1] & 63) + 2));"""
    got = results(body, np.zeros((4, 4), np.uint64), a, types=("ulong", "ulong"), group=(4,))
    low = [int(x) for x in a]
    assert got.tolist() == [[*(n * (x & 255) + (x & 0xFFFF) for n in range(3)), (x & 255) % 9] for x in low]


@pytest.mark.parametrize("language", [(), random_language.FEATURES])
def test_spirv_of_random_kernels_is_valid(tmp_path, monkeypatch, language):
    def validate(spirv, *_):
        (tmp_path / "k.spv").write_bytes(spirv)
        subprocess.run(["spirv-val", "--target-env", "spv1.3", tmp_path / "k.spv"], check=True)
        raise Validated

    class Validated(Exception):
        """No code is wanted."""

    monkeypatch.setattr(ocloc, "compile", validate)
    for seed in range(1000, 1010):
        case = random_language.make(seed, language) if language else random_kernels.make(seed)
        with pytest.raises(Validated), config.override(CACHE=False):
            program.build(case.source().encode(), parse_options("-cl-std=CL3.0"), GenTarget("gen9"))
