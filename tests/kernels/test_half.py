# SPDX-License-Identifier: Apache-2.0
"""cl_khr_fp16: every function of half numbers, most for each of them, against exact values; conversions with every
rounding mode; arithmetic that is rounded once an operation, at every width; halves in and out of memory."""
import math
from fractions import Fraction

import numpy as np
import pyopencl as cl
import pytest

from . import reference as ref
from .builtins import INTEGERS, WIDTHS, evaluate, kernel, pairs, special, ulps
from .reference import LONG
from .test_builtins_math import EXACT, EXACT_TWO, ONE, TWO

PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FINITE = ALL[np.isfinite(ALL)]
LIMITS = {"tanpi": 2, "tgamma": 4}     # ulp; 1 where nothing is said: one rounding, and the error of float
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture
def half(machine):
    machine.needs("cl_khr_fp16")
    return machine


def some_pairs(count=20000):
    a, b = pairs(special(np.float16))
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 1 << 16, (2, count)).astype(np.uint16).view(np.float16)
    return np.concatenate([a, x]), np.concatenate([b, y])


def assert_close(function, got, exact, *arguments):
    # AMD's own functions have the specification's limits, and not less.
    errors = ulps(got, exact)
    at = int(np.argmax(errors))
    limit = LIMITS.get(function, 1)
    assert errors[at] <= limit, f"{function}{tuple(a[at] for a in arguments)}: {got[at]}, not {exact[at]}"


def assert_same(got, expected, *arguments):
    """Bit by bit, but for what a NaN says."""
    same = (got.view(np.uint16) == expected.view(np.uint16)) | (np.isnan(got) & np.isnan(expected))
    at = int(np.argmin(same))
    assert same[at], f"{[a[at] for a in arguments]}: {got[at]}, not {expected[at]}"


@pytest.fixture(scope="module")
def one():
    return PRAGMA + "".join(kernel(f, f"{f}(a)", "half", "half") for f in (*ONE, *EXACT))


@pytest.fixture(scope="module")
def two():
    return PRAGMA + "".join(kernel(f, f"{f}(a, b)", "half", "half", "half") for f in (*TWO, *EXACT_TWO))


@pytest.mark.parametrize("function", ONE)
def test_one_argument(half, one, function):
    """Every half number there is."""
    got = evaluate(half, one, function, np.float16, ALL)
    if half.is_model:
        assert np.max(ulps(got, ONE[function][2](ALL.astype(LONG)))) <= ONE[function][0]
    else:
        assert_close(function, got, ONE[function][2](ALL.astype(LONG)), ALL)


@pytest.mark.parametrize("function", EXACT)
def test_exact(half, one, function):
    got = evaluate(half, one, function, np.float16, ALL)
    np.testing.assert_array_equal(got, EXACT[function](ALL))


@pytest.mark.parametrize("function", TWO)
def test_two_arguments(half, two, function):
    x, y = some_pairs()
    got = evaluate(half, two, function, np.float16, x, y)
    exact = TWO[function][1](x.astype(LONG), y.astype(LONG))
    if half.is_model:
        assert np.max(ulps(got, exact)) <= TWO[function][0]
    else:
        assert_close(function, got, exact, x, y)


@pytest.mark.parametrize("function", EXACT_TWO)
def test_exact_two(half, two, function):
    x, y = some_pairs()
    np.testing.assert_array_equal(evaluate(half, two, function, np.float16, x, y), EXACT_TWO[function](x, y))


@pytest.mark.parametrize(("function", "exact"), [
    ("erf", ref.erf_decimal), ("erfc", ref.erfc_decimal), ("tgamma", ref.gamma_decimal)])
def test_against_decimals(half, function, exact):
    x = np.random.default_rng(8).uniform(0.01, 4, 60).astype(np.float16)
    got = evaluate(half, PRAGMA + kernel("f", f"{function}(a)", "half", "half"), "f", np.float16, x)
    assert_close(function, got, ref.each(exact)(x), x)


def to_nearest(exact):
    """A Fraction as the nearest half: through the two neighbours of what double makes of it."""
    near = np.float16(float(exact))
    if not np.isfinite(near):
        return near
    choices = [near, np.nextafter(near, np.float16(-np.inf)), np.nextafter(near, np.float16(np.inf))]
    choices = [c for c in choices if np.isfinite(c)]
    return min(choices, key=lambda c: (abs(Fraction(float(c)) - exact), c.view(np.uint16) & 1))


def test_fma_rounds_once(half):
    """Products and sums of all sizes, most of them a tie but for a digit far away."""
    rng = np.random.default_rng(9)
    x, y, z = rng.choice(FINITE, (3, 6000))
    x[:3000], y[:3000] = rng.uniform(1, 2, (2, 3000))
    z[:3000] = x[:3000].astype(float) * y[:3000] * rng.choice([2.0 ** -11, 2.0 ** -12, -1, 2.0 ** 11, 2.0 ** 13], 3000)
    got = evaluate(half, PRAGMA + kernel("f", "fma(a, b, c)", *["half"] * 4), "f", np.float16, x, y, z)
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z, strict=True)]
    expected = np.array([to_nearest(e) for e in exact], np.float16)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("width", ["", *WIDTHS])
def test_operators(half, width):
    """+ - * / and comparisons, each rounded by itself, as numpy does."""
    x, y = some_pairs(48000)
    n = len(x) // 48 * 48
    x, y = x[:n], y[:n]
    loads = (f"half{width} a = vload{width}(i, x), b = vload{width}(i, y);" if width else "half a = x[i], b = y[i];")
    type_ = f"half{width}"
    results = ["a + b", "a - b", "a * b", "a / b", "a * b + a"]

    def store(value, k):
        return (f"vstore{width}({value}, i, r + n * {k});" if width else f"(r + n * {k})[i] = {value};")
    source = (PRAGMA + "#pragma OPENCL FP_CONTRACT OFF\n"
              "kernel void k(global half *r, global const half *x, global const half *y, uint n) {"
              f"size_t i = get_global_id(0); {loads} {type_} v;"
              + "".join(f"v = {text}; {store('v', k)}" for k, text in enumerate(results)) + "}")
    got = np.zeros((len(results), n), np.float16)
    half.launch(half.build(source).k, (n // (width or 1),), None, [got, x, y, np.uint32(n)])
    expected = [x + y, x - y, x * y, x / y, x * y + x]
    for row, right in zip(got, expected, strict=True):
        assert_same(row, right, x, y)


def test_relational(half):
    x, y = some_pairs(2000)
    tests = {"isequal": x == y, "isnotequal": x != y, "isgreater": x > y, "isgreaterequal": x >= y, "isless": x < y,
             "islessequal": x <= y, "islessgreater": (x < y) | (x > y), "isordered": ~(np.isnan(x) | np.isnan(y)),
             "isunordered": np.isnan(x) | np.isnan(y)}
    one = {"isfinite": np.isfinite(x), "isinf": np.isinf(x), "isnan": np.isnan(x), "signbit": np.signbit(x),
           "isnormal": np.isfinite(x) & (np.abs(x) >= np.finfo(np.float16).tiny)}
    source = (PRAGMA + "".join(kernel(f, f"{f}(a, b)", "int", "half", "half") for f in tests)
              + "".join(kernel(f, f"{f}(a)", "int", "half", "half") for f in one)
              + "".join(kernel(f"v{f}", f"{f}((half3)(a, b, a)).z", "short", "half", "half") for f in one))
    for function, expected in (tests | one).items():
        np.testing.assert_array_equal(evaluate(half, source, function, np.int32, x, y), expected.astype(np.int32))
    for function, expected in one.items():
        np.testing.assert_array_equal(evaluate(half, source, f"v{function}", np.int16, x, y),
                                      -expected.astype(np.int16))


def test_common_and_geometric(half):
    rng = np.random.default_rng(2)
    x, y, z = rng.uniform(-4, 4, (3, 4096)).astype(np.float16)
    a, b, c = (v.astype(np.float64) for v in (x, y, z))
    low, high = np.minimum(b, c), np.maximum(b, c)
    t = np.clip((a - low) / (high - low), 0, 1)
    expected = {
        "clamp(a, fmin(b, c), fmax(b, c))": np.clip(a, low, high), "max(a, b)": np.maximum(a, b),
        "min(a, b)": np.minimum(a, b), "mix(a, b, c)": a + (b - a) * c, "step(a, b)": (b >= a) * 1.0,
        "smoothstep(fmin(b, c), fmax(b, c), a)": t * t * (3 - 2 * t),
        "select(a, b, (short)(c < 0))": np.where(c < 0, b, a),
        "dot((half3)(a, b, c), (half3)(c, a, b))": a * c + b * a + c * b,
        "length((half4)(a, b, c, 1))": np.sqrt(a * a + b * b + c * c + 1), "distance(a, b)": np.abs(a - b),
        "normalize((half2)(a, b)).y": b / np.hypot(a, b), "cross((half3)(a, b, c), (half3)(b, c, a)).x": b * a - c * c,
        "mad(a, b, c)": a * b + c, "bitselect(a, -a, (half)-0.0h)": -a,
        "shuffle((half2)(a, b), (ushort2)(1, 0)).x": b, "shuffle2((half2)(a), (half2)(c), (ushort2)(3, 0)).x": c,
        "max((half4)(a), b).w": np.maximum(a, b)}
    source = PRAGMA + "".join(kernel(f"f{n}", text, *["half"] * 4) for n, text in enumerate(expected))
    for n, (text, exact) in enumerate(expected.items()):
        got = evaluate(half, source, f"f{n}", np.float16, x, y, z)
        np.testing.assert_allclose(got, exact, rtol=2e-3, atol=2e-2 if "mad" in text else 4e-3, err_msg=text)


def test_exponents_and_pointers(half):
    source = PRAGMA + """kernel void k(global half *r, global int *e, global const half *a) {
        size_t i = get_global_id(0); int n; half t, x = a[i]; local half l; local int m;
        r[i * 8] = frexp(x, &n); e[i * 4] = n;
        r[i * 8 + 1] = fract(x, &t); r[i * 8 + 2] = t;
        r[i * 8 + 3] = modf(x, r + i * 8 + 4);
        r[i * 8 + 5] = sincos(x, &t); r[i * 8 + 6] = t;
        e[i * 4 + 1] = ilogb(x); r[i * 8 + 7] = ldexp(x, 3 - n);
        remquo(x, (half)3, e + i * 4 + 2); e[i * 4 + 3] = 0; }"""
    r, e = np.zeros((len(ALL), 8), np.float16), np.zeros((len(ALL), 4), np.int32)
    half.launch(half.build(source).k, (len(ALL),), (1,), [r, e, ALL])
    fraction, exponent = np.frexp(ALL)
    finite = np.isfinite(ALL)
    np.testing.assert_array_equal(r[:, 0], fraction)
    np.testing.assert_array_equal(e[finite, 0], exponent[finite])
    whole = np.floor(ALL)
    part = np.where(np.isinf(ALL), np.copysign(0, ALL), np.fmin(ALL - whole, np.float16(1 - 2.0 ** -11)))
    part[np.isnan(ALL)] = np.nan
    np.testing.assert_array_equal(r[:, 1], part)
    np.testing.assert_array_equal(r[:, 2], whole)
    np.testing.assert_array_equal(r[:, 3:5], np.stack(np.modf(ALL), 1))
    assert np.max(ulps(r[:, 5], np.sin(ALL.astype(LONG)))) <= 2
    assert np.max(ulps(r[:, 6], np.cos(ALL.astype(LONG)))) <= 2
    expected = np.select([ALL == 0, ~finite], [-2**31, 2**31 - 1], exponent - 1)
    np.testing.assert_array_equal(e[:, 1], expected)
    np.testing.assert_array_equal(r[finite, 7], np.ldexp(fraction, 3)[finite])
    quotient = [abs(round(Fraction(v) / 3)) % 128 * (-1 if v < 0 else 1) for v in ALL[finite].tolist()]
    np.testing.assert_array_equal(e[finite, 2], quotient)


# ---- conversions

def rounded(exact, mode):
    """Doubles as halves; the mode decides between the two neighbours."""
    near = exact.astype(np.float16)
    back = near.astype(np.float64)
    toward = {"_rtz": np.where(exact > 0, -np.inf, np.inf), "_rtp": np.full(len(exact), np.inf),
              "_rtn": np.full(len(exact), -np.inf)}.get(mode)
    if toward is None:
        return near
    wrong = (np.abs(back) > np.abs(exact)) if mode == "_rtz" else back < exact if mode == "_rtp" else back > exact
    return np.where(wrong, np.nextafter(near, toward.astype(np.float16)), near)


def doubles():
    rng = np.random.default_rng(3)
    between = (FINITE[:-1].astype(float) + np.nextafter(FINITE, np.float16(np.inf))[:-1]) / 2
    ties = rng.choice(between[np.isfinite(between)], 3000)
    return np.concatenate([ties, ties * (1 + 2.0 ** -50), ties * (1 - 2.0 ** -50), rng.uniform(-70000, 70000, 3000),
                           rng.uniform(-1e-4, 1e-4, 3000), [0.0, -0.0, 65519.9, 65520, 1e9, -1e300, 1e-300, math.inf]])


@pytest.mark.parametrize("mode", MODES)
def test_to_half(half, mode):
    names = ["float", "double", *INTEGERS]
    source = PRAGMA + "".join(kernel(f"of_{t}", f"convert_half{mode}(a)", "half", t)
                              + kernel(f"of_{t}4", f"convert_half4{mode}((({t}4)(a))).z", "half", t) for t in names)
    for name in names:
        if name in INTEGERS:
            info = np.iinfo(INTEGERS[name])
            values = np.random.default_rng(4).integers(info.min, info.max, 3000, INTEGERS[name], endpoint=True)
            small = np.arange(-70000, 70000, 7)
            values = np.concatenate([values, small[(small >= info.min) & (small <= info.max)].astype(INTEGERS[name])])
        else:
            values = doubles().astype(np.float32 if name == "float" else np.float64)
        expected = rounded(values.astype(np.float64), mode)
        for suffix in ("", "4"):
            got = evaluate(half, source, f"of_{name}{suffix}", np.float16, values)
            assert_same(got, expected, values)


@pytest.mark.parametrize("mode", MODES)
def test_few_bits_far_away(half, mode):
    """Integers of few bits that count, some of them larger than any half: LLVM takes those for exact."""
    source = PRAGMA + kernel("of_few", f"convert_half{mode}((float)((a & 1023) * 1600))", "half", "int") + \
        kernel("of_negative", f"convert_half{mode}((float)((a & 1023) * -1600))", "half", "int")
    values = np.arange(128, dtype=np.int32)
    for name, factor in (("of_few", 1600), ("of_negative", -1600)):
        expected = rounded((values * factor).astype(np.float64), mode)
        assert_same(evaluate(half, source, name, np.float16, values), expected, values)


@pytest.mark.parametrize("mode", MODES)
def test_from_half(half, mode):
    names = ["float", "double", *INTEGERS]
    source = PRAGMA + "".join(
        kernel(f"to_{t}", f"convert_{t}{'' if t in ('float', 'double') else '_sat'}{mode}(a)", t, "half")
        for t in names)
    whole = {"": np.trunc, "_rte": np.rint, "_rtz": np.trunc, "_rtp": np.ceil, "_rtn": np.floor}[mode]
    for name in names:
        kind = INTEGERS.get(name, np.float32 if name == "float" else np.float64)
        got = evaluate(half, source, f"to_{name}", kind, ALL)
        if name not in INTEGERS:
            np.testing.assert_array_equal(got, ALL.astype(kind))
            continue
        info = np.iinfo(kind)
        exact = whole(np.nan_to_num(ALL.astype(float), nan=0.0, posinf=1e30, neginf=-1e30))
        expected = [min(max(int(v), info.min), info.max) for v in exact.tolist()]
        sure = ~np.isnan(ALL) if half.is_model else np.full(len(ALL), True)     # docs/isa.md
        np.testing.assert_array_equal(got[sure], np.array(expected, kind)[sure])


# ---- memory, arguments, printf

def test_memory_and_arguments(half):
    """A half argument, structures, private and local arrays, vectors of three, strided copies of the group."""
    source = PRAGMA + """struct pair { half a; int n; half3 v; };
        kernel void k(global half *r, global const half *x, half s, half4 t, struct pair p, local half *l) {
            size_t i = get_global_id(0), j = get_local_id(0); half mine[4];
            event_t e = async_work_group_copy(l, x + i - j, get_local_size(0), 0);
            wait_group_events(1, &e);
            for (int k = 0; k < 4; k++) mine[k] = l[get_local_size(0) - 1 - j] * s + (half)k;
            half3 v = vload3(i, x) + p.v;
            vstore3(v, i, r);
            r[i * 3] += mine[i & 3] + t.w + p.a * (half)p.n; }"""
    n, s = 64, np.float16(0.5)
    x = np.random.default_rng(6).integers(-8, 8, n * 3).astype(np.float16)
    t = np.array([1, 2, 3, 4], np.float16)
    pair = np.zeros(1, np.dtype({"names": ["a", "n", "v"], "formats": ["f2", "i4", "4f2"], "offsets": [0, 4, 8],
                                 "itemsize": 16}))
    pair["a"], pair["n"], pair["v"] = 2, 3, [[1, 2, 3, 0]]
    got = np.zeros(n * 3, np.float16)
    half.launch(half.build(source).k, (n,), (16,), [got, x, s, t.tobytes(), pair.tobytes(), cl.LocalMemory(32)])
    expected = (x.reshape(n, 3) + np.array([1, 2, 3], np.float16)).reshape(-1)
    i = np.arange(n)
    expected[::3] += x[i // 16 * 16 + 15 - i % 16] * s + (i & 3).astype(np.float16) + np.float16(10)
    np.testing.assert_array_equal(got, expected)


def test_printf(half, capfd):
    v = np.array([1, 2, -0.5, 65504], np.float16)
    source = PRAGMA + 'kernel void k(half a, half4 v) { printf("%.3f %v4hf\\n", a, v); }'
    half.launch(half.build(source).k, (1,), (1,), [np.float16(1.5), v.tobytes()])
    assert capfd.readouterr().out.split() == ["1.500", "1.000000,2.000000,-0.500000,65504.000000"]
