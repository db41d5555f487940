# SPDX-License-Identifier: Apache-2.0
"""Integer, relational and common functions, bit for bit, for every type and width."""
from itertools import pairwise

import numpy as np
import pytest

from .builtins import FLOATS, INTEGERS, TYPES, WIDTHS, corners, evaluate, kernel, pairs, special

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def widths_for(name):
    """The scalar and two of the five widths: the types take turns, since all widths of a function are one macro."""
    first = list(TYPES).index(name)
    return 1, WIDTHS[first % 5], WIDTHS[(first + 2) % 5]


def wide(a):
    return a.astype(object)     # Python's integers


def clamp(values, dtype):
    info = np.iinfo(dtype)
    return np.array([min(max(int(v), info.min), info.max) for v in values], dtype)


def wrap(values, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    return np.array([int(v) % (1 << bits) for v in values], f"u{bits // 8}").view(dtype)


def bits_of(a):
    return 8 * a.itemsize


def unsigned(a):
    return wide(a.view(f"u{a.itemsize}"))


def rotated(a, n):
    size = bits_of(a)
    return [(v << s | v >> (size - s)) for v, s in zip(unsigned(a), unsigned(n) % size, strict=True)]


# function: exact result of three arguments as Python integers, and how it becomes the type
INTEGER = {
    "abs(a)": lambda a, b, c: wrap(np.abs(wide(a)), a.dtype),
    "abs_diff(a, b)": lambda a, b, c: wrap(np.abs(wide(a) - wide(b)), a.dtype),
    "add_sat(a, b)": lambda a, b, c: clamp(wide(a) + wide(b), a.dtype),
    "sub_sat(a, b)": lambda a, b, c: clamp(wide(a) - wide(b), a.dtype),
    "hadd(a, b)": lambda a, b, c: wrap((wide(a) + wide(b)) // 2, a.dtype),
    "rhadd(a, b)": lambda a, b, c: wrap((wide(a) + wide(b) + 1) // 2, a.dtype),
    "max(a, b)": lambda a, b, c: np.maximum(a, b),
    "min(a, b)": lambda a, b, c: np.minimum(a, b),
    "clamp(a, min(b, c), max(b, c))": lambda a, b, c: np.clip(a, np.minimum(b, c), np.maximum(b, c)),
    "clz(a)": lambda a, b, c: np.array([bits_of(a) - int(v).bit_length() for v in unsigned(a)], a.dtype),
    "ctz(a)": lambda a, b, c: np.array([(v & -v).bit_length() - 1 if v else bits_of(a) for v in unsigned(a)], a.dtype),
    "popcount(a)": lambda a, b, c: np.array([int(v).bit_count() for v in unsigned(a)], a.dtype),
    "rotate(a, b)": lambda a, b, c: wrap(rotated(a, b), a.dtype),
    "mul_hi(a, b)": lambda a, b, c: wrap((wide(a) * wide(b)) >> bits_of(a), a.dtype),
    "mad_hi(a, b, c)": lambda a, b, c: wrap(((wide(a) * wide(b)) >> bits_of(a)) + wide(c), a.dtype),
    "mad_sat(a, b, c)": lambda a, b, c: clamp(wide(a) * wide(b) + wide(c), a.dtype),
    "bitselect(a, b, c)": lambda a, b, c: (a & ~c) | (b & c),
}


def vector_kernel(name, calls, result, width, types, conversion=""):
    """All calls on vectors of `width`: the result of call k for element i is in row k."""
    suffix = str(width) if width > 1 else ""
    names = "abcdef"[:len(types)]
    params = "".join(f", global const {t} *{v}s" for t, v in zip(types, names, strict=True))
    if width > 1:
        loads = "".join(f"{t}{suffix} {v} = vload{width}(i, {v}s);" for t, v in zip(types, names, strict=True))
        stores = "".join(f"vstore{width}({conversion}({c}), i, r + {k} * count);\n" for k, c in enumerate(calls))
    else:
        loads = "".join(f"{t} {v} = {v}s[i];" for t, v in zip(types, names, strict=True))
        stores = "".join(f"r[{k} * count + i] = {c};\n" for k, c in enumerate(calls))
    return (f"kernel void {name}{suffix}(global {result} *r, ulong count{params})"
            f"{{ size_t i = get_global_id(0); {loads} {stores} }}\n")


def run_calls(machine, source, name, width, calls, result, arrays):
    """The rows; arrays are cut to a multiple of the width."""
    count = len(arrays[0]) // width * width
    out = np.zeros((len(calls), count), result)
    program = machine.build(source, "-cl-std=CL3.0")     # ctz is younger than 1.2
    machine.launch(getattr(program, name + (str(width) if width > 1 else "")), (count // width,), None,
                   [out, np.uint64(count), *[a[:count].copy() for a in arrays]])
    return out


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_functions(machine, name):
    dtype = INTEGERS[name]
    a, b = pairs(corners(dtype), 600)
    c = np.random.default_rng(3).permutation(a)
    # The result of abs and abs_diff is unsigned: as_ makes it the type again.
    calls = {width: [call.replace("abs", f"as_{name}{width if width > 1 else ''}(abs") + ")" if "abs" in call else call
                     for call in INTEGER] for width in widths_for(name)}
    source = "".join(vector_kernel("k", calls[w], name, w, [name] * 3) for w in calls)
    for width, row_calls in calls.items():
        rows = run_calls(machine, source, "k", width, row_calls, dtype, [a, b, c])
        for call, exact, row in zip(INTEGER, INTEGER.values(), rows, strict=True):
            n = len(row)
            np.testing.assert_array_equal(row, exact(a[:n], b[:n], c[:n]), err_msg=f"{call}, width {width}")


def test_24_bits_and_upsample(machine):
    for name in ("int", "uint"):
        rng = np.random.default_rng(4)
        low, high = (-2**23, 2**23) if name == "int" else (0, 2**24)
        a, b = (rng.integers(low, high, 240).astype(INTEGERS[name]) for _ in range(2))
        c = rng.integers(0, 2**31, 240).astype(INTEGERS[name])
        calls = ["mul24(a, b)", "mad24(a, b, c)"]
        source = "".join(vector_kernel("k", calls, name, w, [name] * 3) for w in (1, *WIDTHS))
        for width in (1, *WIDTHS):
            rows = run_calls(machine, source, "k", width, calls, INTEGERS[name], [a, b, c])
            np.testing.assert_array_equal(rows[0], (a * b)[:rows.shape[1]])
            np.testing.assert_array_equal(rows[1], (a * b + c)[:rows.shape[1]])
    order = ["char", "short", "int", "long"]
    for low_name, result in pairwise(order):
        for sign in ("", "u"):
            high, low = corners(INTEGERS[sign + low_name]), corners(INTEGERS["u" + low_name])
            n = min(len(high), len(low)) // 48 * 48
            bits = 8 * low.itemsize
            source = "".join(vector_kernel("k", ["upsample(a, b)"], sign + result, w, [sign + low_name, "u" + low_name])
                             for w in widths_for(sign + low_name))
            exact = wrap((wide(high[:n]) << bits) | wide(low[:n]), INTEGERS[sign + result])
            for width in widths_for(sign + low_name):
                row = run_calls(machine, source, "k", width, [""], INTEGERS[sign + result], [high[:n], low[:n]])[0]
                np.testing.assert_array_equal(row, exact[:len(row)])


RELATIONS = {
    "isequal(a, b)": lambda a, b: a == b, "isnotequal(a, b)": lambda a, b: a != b,
    "isgreater(a, b)": lambda a, b: a > b, "isgreaterequal(a, b)": lambda a, b: a >= b,
    "isless(a, b)": lambda a, b: a < b, "islessequal(a, b)": lambda a, b: a <= b,
    "islessgreater(a, b)": lambda a, b: (a < b) | (a > b), "isfinite(a)": lambda a, b: np.isfinite(a),
    "isinf(a)": lambda a, b: np.isinf(a), "isnan(a)": lambda a, b: np.isnan(a),
    "isnormal(a)": lambda a, b: np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny),
    "isordered(a, b)": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "isunordered(a, b)": lambda a, b: np.isnan(a) | np.isnan(b), "signbit(a)": lambda a, b: np.signbit(a),
}


@pytest.mark.parametrize("name", FLOATS)
def test_relational(machine, name):
    """1 for true from scalars, -1 (all bits) in vectors, whose elements are as wide as what was compared."""
    a, b = pairs(special(FLOATS[name]), 480)
    lane = "int" if name == "float" else "long"
    source = vector_kernel("k", RELATIONS, "int", 1, [name] * 2)
    source += "".join(vector_kernel("k", RELATIONS, lane, w, [name] * 2) for w in WIDTHS)
    for width in (1, *WIDTHS):
        rows = run_calls(machine, source, "k", width, RELATIONS, INTEGERS["int" if width == 1 else lane], [a, b])
        for call, exact, row in zip(RELATIONS, RELATIONS.values(), rows, strict=True):
            n = len(row)
            expected = exact(machine.seen(a[:n]), machine.seen(b[:n])).astype(int) * (1 if width == 1 else -1)
            np.testing.assert_array_equal(row, expected, err_msg=f"{call}, width {width}")


@pytest.mark.parametrize("name", TYPES)
def test_select(machine, name):
    """By the sign bit of a lane, or by any bit of a scalar, for signed and unsigned conditions."""
    dtype = np.dtype(TYPES[name])
    base = {1: "char", 2: "short", 4: "int", 8: "long"}[dtype.itemsize]
    a = np.arange(96).astype(dtype)
    b = a[::-1].copy()
    condition = np.tile(np.array([0, 1, -1, np.iinfo(INTEGERS[base]).min], INTEGERS[base]), 24)
    for kind in (base, "u" + base):
        source = "".join(vector_kernel("k", ["select(a, b, c)"], name, w, [name, name, kind])
                         for w in widths_for(name))
        for width in widths_for(name):
            row = run_calls(machine, source, "k", width, [""], dtype, [a, b, condition.view(INTEGERS[kind])])[0]
            chosen = condition != 0 if width == 1 else condition < 0
            np.testing.assert_array_equal(row, np.where(chosen, b, a)[:len(row)])


@pytest.mark.parametrize("name", ["char", "short", "int", "long"])
def test_any_all(machine, name):
    dtype = INTEGERS[name]
    source = "".join(
        f"kernel void k{w}(global int *r, global const {name} *a) {{ size_t i = get_global_id(0);"
        f"{name}{w if w > 1 else ''} x = {f'vload{w}(i, a)' if w > 1 else 'a[i]'}; r[2 * i] = any(x);"
        f"r[2 * i + 1] = all(x); }}" for w in (1, *WIDTHS))
    rng = np.random.default_rng(5)
    for width in (1, *WIDTHS):
        values = rng.choice(np.array([0, 1, -1, np.iinfo(dtype).min], dtype), (60, width), p=[0.2, 0.1, 0.4, 0.3])
        values[0], values[1], values[2] = 1, -1, 0
        got = np.zeros((60, 2), np.int32)
        machine.launch(getattr(machine.build(source), f"k{width}"), (60,), None, [got, values])
        np.testing.assert_array_equal(got, np.stack([(values < 0).any(1), (values < 0).all(1)], 1))


@pytest.mark.parametrize("name", FLOATS)
def test_bitselect_of_floats(machine, name):
    dtype = FLOATS[name]
    whole = np.uint32 if dtype is np.float32 else np.uint64
    a, b, c = np.random.default_rng(6).integers(0, np.iinfo(whole).max, (3, 200), whole)
    got = evaluate(machine, kernel("it", "bitselect(a, b, c)", name, name, name, name), "it", dtype,
                   a.view(dtype), b.view(dtype), c.view(dtype))
    np.testing.assert_array_equal(got.view(whole), (a & ~c) | (b & c))


COMMON = {
    "max(a, b)": (0, lambda a, b, c: np.where(a < b, b, a)), "min(a, b)": (0, lambda a, b, c: np.where(b < a, b, a)),
    "clamp(a, -1.0f, 2.0f)": (0, lambda a, b, c: np.clip(a, -1, 2)),
    "mix(a, b, c)": (1e-6, lambda a, b, c: a + (b - a) * c), "mix(a, b, q)": (1e-6, lambda a, b, c: a + (b - a) * 0.25),
    "step(a, b)": (0, lambda a, b, c: np.where(b < a, 0, 1)),
    "step(q, b)": (0, lambda a, b, c: np.where(b < 0.25, 0, 1)),
    "smoothstep(q, s, a)": (1e-6, lambda a, b, c: (t := np.clip((a - 0.25) / 0.75, 0, 1)) * t * (3 - 2 * t)),
    "smoothstep(b, b + 1, a)": (1e-6, lambda a, b, c: (t := np.clip(a - b, 0, 1)) * t * (3 - 2 * t)),
    "max(a, q)": (0, lambda a, b, c: np.maximum(a, 0.25)), "min(a, q)": (0, lambda a, b, c: np.minimum(a, 0.25)),
}


@pytest.mark.parametrize("name", FLOATS)
def test_common(machine, name):
    dtype = FLOATS[name]
    a, b, c = np.random.default_rng(7).uniform(-3, 3, (3, 96)).astype(dtype)
    calls = [call.replace("q", f"({name})0.25").replace("s,", f"({name})1,") if "smoothstep(q" in call
             else call.replace("q", f"({name})0.25").replace("-1.0f, 2.0f", f"({name})-1, ({name})2")
             for call in COMMON]
    source = "".join(vector_kernel("k", calls, name, w, [name] * 3) for w in (1, *WIDTHS))
    for width in (1, *WIDTHS):
        rows = run_calls(machine, source, "k", width, calls, dtype, [a, b, c])
        for call, (tolerance, exact), row in zip(COMMON, COMMON.values(), rows, strict=True):
            n = len(row)
            np.testing.assert_allclose(row, exact(a[:n], b[:n], c[:n]), rtol=0, atol=tolerance,
                                       err_msg=f"{call}, width {width}")


@pytest.mark.parametrize("name", FLOATS)
def test_geometric(machine, name):
    """In ordinary ranges, and where squares overflow or vanish."""
    dtype = FLOATS[name]
    rng = np.random.default_rng(8)
    scales = [1, 1, 2.0 ** 100, 2.0 ** -100] if dtype is np.float32 else [1, 1, 2.0 ** 900, 2.0 ** -900]
    for width in (1, 2, 3, 4):
        suffix = str(width) if width > 1 else ""
        load = f"vload{width}(i, {{}})" if width > 1 else "{}[i]"
        store = f"vstore{width}(normalize(x), i, r + 3 * n)" if width > 1 else "r[3 * n + i] = normalize(x)"
        fast = ("" if name == "double" else f"r[{3 + width} * n + i] = fast_length(x); r[{4 + width} * n + i]"
                f"= fast_distance(x, y); r[{5 + width} * n + i] = length(x / length(x) - fast_normalize(x));")
        source = f"""kernel void k(global {name} *r, global const {name} *a, global const {name} *b, ulong n) {{
            size_t i = get_global_id(0); {name}{suffix} x = {load.format('a')}, y = {load.format('b')};
            r[i] = dot(x, y); r[n + i] = length(x); r[2 * n + i] = distance(x, y); {store}; {fast} }}"""
        scale = np.repeat(scales, 50)[:, None]
        a, b = ((rng.uniform(-1, 1, (200, width)) * scale).astype(dtype) for _ in range(2))
        a[0] = 0
        out = np.zeros((6 + width, 200), dtype)
        machine.launch(machine.build(source).k, (200,), None, [out, a, b, np.uint64(200)])
        x, y = a.astype(np.longdouble), b.astype(np.longdouble)
        eps = np.finfo(dtype).eps
        np.testing.assert_allclose(out[0][:100], (x * y).sum(1)[:100].astype(dtype), rtol=0, atol=8 * eps)
        length, distance = np.sqrt((x * x).sum(1)), np.sqrt(((x - y) ** 2).sum(1))
        np.testing.assert_allclose(out[1], length.astype(dtype), rtol=4 * eps)
        np.testing.assert_allclose(out[2], distance.astype(dtype), rtol=4 * eps)
        units = np.where(length[:, None] == 0, x, x / np.where(length == 0, 1, length)[:, None])
        np.testing.assert_allclose(out[3:3 + width].reshape(200, width), units.astype(dtype), rtol=4 * eps, atol=0)
        if name == "float":
            np.testing.assert_allclose(out[3 + width][:100], length[:100].astype(dtype), rtol=1e-4)
            np.testing.assert_allclose(out[4 + width][:100], distance[:100].astype(dtype), rtol=1e-4)
            np.testing.assert_allclose(out[5 + width][1:100], 0, atol=1e-4)


@pytest.mark.parametrize("width", [2, 3, 4])
def test_normalize_doubles_of_all_sizes(machine, width):
    """Elements from the smallest to the largest in one vector: what is small beside the length is not lost."""
    rng = np.random.default_rng(width)
    a = rng.uniform(1, 2, (4000, width)) * 2.0 ** rng.uniform(-1074, 1023, (4000, width))
    near = rng.uniform(-1074, 1022, 2000)[:, None]
    a[:2000] = rng.uniform(1, 2, (2000, width)) * 2.0 ** np.maximum(near - rng.uniform(0, 1074, (2000, width)), -1074)
    a *= rng.choice([-1, 1], a.shape)
    source = f"""kernel void k(global double *r, global const double *a) {{ size_t i = get_global_id(0);
        vstore{width}(normalize(vload{width}(i, a)), i, r); }}"""
    out = np.zeros_like(a)
    machine.launch(machine.build(source).k, (len(a),), None, [out, a])
    x = a.astype(np.longdouble)
    exact = x / np.sqrt((x * x).sum(1))[:, None]
    ulp = np.maximum(np.spacing(np.abs(exact.astype(np.float64))), 2.0 ** -1074)
    assert (np.abs(out - exact) / ulp).max() <= 2 + 0.5 * width


@pytest.mark.parametrize("name", FLOATS)
def test_cross(machine, name):
    dtype = FLOATS[name]
    a, b = np.random.default_rng(9).integers(-50, 50, (2, 40, 4)).astype(dtype)
    source = f"""kernel void k(global {name}4 *r, global const {name}4 *a, global const {name}4 *b) {{
        size_t i = get_global_id(0); r[2 * i] = cross(a[i], b[i]);
        r[2 * i + 1] = ({name}4)(cross(a[i].xyz, b[i].xyz), 7); }}"""
    out = np.zeros((40, 2, 4), dtype)
    machine.launch(machine.build(source).k, (40,), None, [out, a, b])
    exact = np.cross(a[:, :3], b[:, :3])
    np.testing.assert_array_equal(out[:, 0], np.concatenate([exact, np.zeros((40, 1))], 1))
    np.testing.assert_array_equal(out[:, 1, :3], exact)
