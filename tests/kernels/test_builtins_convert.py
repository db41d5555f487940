# SPDX-License-Identifier: Apache-2.0
"""convert_ between all types, with every rounding mode, saturated and not, and vload_half and vstore_half."""
import math

import numpy as np
import pytest

from .builtins import FLOATS, INTEGERS, TYPES, WIDTHS, corners, special
from .rounding import MODES, saturated, to_floating

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
SUFFIXES = ("", *(f"_{mode}" for mode in MODES))


def inputs(name):
    """Values that round, and values at and just beyond the limits of the other types."""
    dtype = TYPES[name]
    if name in INTEGERS:
        return corners(dtype)
    limits = [sign * (2.0 ** k + d) for k in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-1, -0.5, 0, 0.5, 1)
              for sign in (1, -1)]
    halves = np.arange(-6, 6, 0.5)
    rng = np.random.default_rng(1)
    random = rng.uniform(-1, 1, 150) * 2.0 ** rng.integers(-4, 66, 150)
    values = np.concatenate([special(dtype), np.array([*limits, *halves, *random], dtype)])
    if dtype is np.float64:     # halfway between floats, and beyond them
        random = rng.uniform(1, 2, 60).astype(np.float32).astype(float)
        near = np.concatenate([random + 2.0 ** -24, random + 2.0 ** -24 + 2.0 ** -50, random + 2.0 ** -24 - 2.0 ** -50])
        tiny = np.array([1e-45, 7e-46, 1.4e-46, 3.4028235677973366e38, 3.4028235677973362e38, 1e39])
        values = np.concatenate([values, near, -near, tiny, -tiny])
    return np.concatenate([values, np.zeros(-len(values) % 48, dtype)])


def calls(target, width):
    """(function, mode, saturated): every conversion to a type."""
    size = str(width) if width > 1 else ""
    for suffix in SUFFIXES:
        default = "rte" if target in FLOATS else "rtz"
        yield f"convert_{target}{size}{suffix}", suffix[1:] or default, False
        if target in INTEGERS:
            yield f"convert_{target}{size}_sat{suffix}", suffix[1:] or default, True


def source_for(source, target, width):
    load = f"vload{width}(i, a)" if width > 1 else "a[i]"
    kind = f"{source}{width}" if width > 1 else source
    stores = "".join(f"vstore{width}({f}(x), i, r + {k} * n);\n" if width > 1 else f"r[{k} * n + i] = {f}(x);\n"
                     for k, (f, _, _) in enumerate(calls(target, width)))
    return (f"kernel void to_{target}{width}(global {target} *r, global const {source} *a, ulong n)"
            f"{{ size_t i = get_global_id(0); {kind} x = {load}; {stores} }}\n")


def expected(values, target, mode):
    """With, for each element, whether the unsaturated conversion is defined."""
    if target in FLOATS:
        exact = [to_floating(v, TYPES[target], mode) for v in values]
        return np.array(exact, TYPES[target]), np.ones(len(values), bool)
    exact = [saturated(v, TYPES[target], mode) for v in values]
    info = np.iinfo(TYPES[target])
    # Just beyond a limit the exact value saturates as well: one further tells whether it was needed.
    wider = [math.isfinite(v) and info.min - 1 < v < info.max + 1 and
             saturated(v, np.int64 if v < 0 else np.uint64, mode) == e for v, e in zip(values, exact, strict=True)]
    return np.array(exact, TYPES[target]), np.array(wider)


@pytest.mark.parametrize("source", TYPES)
def test_conversions(machine, source):
    """Scalars to every type, and vectors of one width: the pairs of types take turns, since widths are one macro. What
    is no number should become 0 where it saturates, but need not: in AMD's library it is the smallest one."""
    values = machine.seen(inputs(source))
    plain = values.tolist()
    saturated = np.full(len(values), True) if source not in FLOATS or not machine.is_model else ~np.isnan(values)
    turns = {target: WIDTHS[(k + list(TYPES).index(source)) % 5] for k, target in enumerate(TYPES)}
    program = machine.build("".join(source_for(source, t, w) for t in TYPES for w in (1, turns[t])))
    for target in TYPES:
        exact = {mode: expected(plain, target, mode) for mode in MODES}
        for width in (1, turns[target]):
            table = list(calls(target, width))
            count = len(values) // width * width
            got = np.zeros((len(table), count), TYPES[target])
            kernel = getattr(program, f"to_{target}{width}")
            machine.launch(kernel, (count // width,), None, [got, values[:count].copy(), np.uint64(count)])
            for (function, mode, saturates), row in zip(table, got, strict=True):
                right, defined = (machine.seen(a[:count]) for a in exact[mode])
                checked = saturated[:count] if saturates else defined
                row = machine.seen(row)
                np.testing.assert_array_equal(row[checked], right[checked], err_msg=f"{function}({source})")
                if target in FLOATS and source in FLOATS:
                    np.testing.assert_array_equal(np.signbit(row), np.signbit(right), err_msg=f"{function}({source})")


@pytest.mark.parametrize("width", (1, *WIDTHS))
def test_vload_half(machine, width):
    """Every half there is; the aligned form of a vector of three takes four places."""
    halves = np.arange(1 << 16, dtype=np.uint16)
    size = str(width) if width > 1 else ""
    store = f"vstore{width}(x, i, r)" if width > 1 else "r[i] = x"
    aligned = f"vloada_half{size}(i, (A const half *)a)" if width > 1 else "vload_half(i, (A const half *)a)"
    source = "".join(f"""
        kernel void load_{space}(global float *r, {space} const ushort *a) {{
            size_t i = get_global_id(0); float{size} x = vload_half{size}(i, ({space} const half *)a); {store}; }}
        kernel void aligned_{space}(global float *r, {space} const ushort *a) {{
            size_t i = get_global_id(0); float{size} x = {aligned.replace("A const", space + " const")}; {store}; }}
        """ for space in ("global", "constant"))
    program = machine.build(source)
    exact = halves.view(np.float16).astype(np.float32)
    for space in ("global", "constant"):
        for form, stride in (("load", width), ("aligned", 4 if width == 3 else width)):
            count = len(halves) // stride
            got = np.zeros(count * width, np.float32)
            machine.launch(getattr(program, f"{form}_{space}"), (count,), None, [got, halves])
            right = exact[:count * stride].reshape(count, stride)[:, :width].ravel()
            np.testing.assert_array_equal(got, right)


def half_inputs(dtype):
    rng = np.random.default_rng(2)
    halves = rng.integers(0, 0x7c00, 100, np.uint16).view(np.float16).astype(float)
    gap = np.spacing(halves.astype(np.float16)).astype(float)
    near = np.concatenate([halves, halves + gap / 2, halves + gap / 2 * (1 + 2.0 ** -11), halves + gap * 0.4999])
    if dtype is np.float64:     # so near to halfway that a float cannot tell
        near = np.concatenate([near, halves + gap / 2 * (1 + 2.0 ** -40), halves + gap / 2 * (1 - 2.0 ** -40)])
    edge = np.array([65504, 65519.99, 65520, 65536, 1e9, np.inf, 2.0 ** -24, 2.0 ** -25, 2.0 ** -25 * 1.001, 1e-30, 0])
    values = np.concatenate([near, -near, edge, -edge]).astype(dtype)
    return np.concatenate([values, np.zeros(-len(values) % 48, dtype)])


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("width", (1, *WIDTHS))
def test_vstore_half(machine, width, name):
    """Every rounding mode, to its place and to no other."""
    values = half_inputs(FLOATS[name])
    count = len(values) // width
    size = str(width) if width > 1 else ""
    load = f"vload{width}(i, a)" if width > 1 else "a[i]"
    forms = ("", "a") if width > 1 else ("",)
    table = [(form, suffix) for form in forms for suffix in SUFFIXES]
    stores = "".join(f"vstore{form}_half{size}{suffix}(x, i, (global half *)(r + {k} * n));\n"
                     for k, (form, suffix) in enumerate(table))
    source = (f"kernel void k(global ushort *r, global const {name} *a, ulong n)"
              f"{{ size_t i = get_global_id(0); {name}{size} x = {load}; {stores} }}")
    room = count * (4 if width == 3 else width)
    got = np.full((len(table), room), 0x5555, np.uint16)
    machine.launch(machine.build(source).k, (count,), None, [got, values, np.uint64(room)])
    for (form, suffix), row in zip(table, got, strict=True):
        mode = suffix[1:] or "rte"
        right = np.array([to_floating(float(v), np.float16, mode) for v in values[:count * width]], np.float16)
        stride = 4 if form and width == 3 else width
        places = np.full(room, 0x5555, np.uint16)
        places[:count * stride].reshape(count, stride)[:, :width] = right.view(np.uint16).reshape(count, width)
        np.testing.assert_array_equal(row, places, err_msg=f"vstore{form}_half{size}{suffix}")
