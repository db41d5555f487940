# SPDX-License-Identifier: Apache-2.0
"""Calling a builtin for many arguments, arguments worth trying, and distances in units of the last place."""
import numpy as np

WIDTHS = (2, 3, 4, 8, 16)
INTEGERS = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16,
            "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
FLOATS = {"float": np.float32, "double": np.float64}
TYPES = {**INTEGERS, **FLOATS}


def name_of(dtype):
    return next(name for name, kind in TYPES.items() if np.dtype(kind) == dtype)


def kernel(name, body, result, *arguments):
    """Source of a kernel k_NAME that stores `body` (an expression in a, b, c) for each element."""
    letters = "abcdef"[:len(arguments)]
    params = ", ".join(f"global const {t} *{v}s" for t, v in zip(arguments, letters, strict=True))
    loads = " ".join(f"{t} {v} = {v}s[i];" for t, v in zip(arguments, letters, strict=True))
    return (f"kernel void k_{name}(global {result} *r, {params})"
            f"{{ size_t i = get_global_id(0); {loads} r[i] = {body}; }}\n")


def evaluate(machine, source, name, result, *arguments, options=""):
    """Run k_NAME with one work-item per element; the array it wrote."""
    out = np.zeros(len(arguments[0]), result)
    arrays = [np.ascontiguousarray(a) for a in arguments]
    machine.launch(getattr(machine.build(source, options), f"k_{name}"), (len(out),), None, [out, *arrays])
    return out


def special(dtype):
    """Zeros, infinities, NaN, the ends of the normal and denormal ranges, small integers and halves, of both signs."""
    info = np.finfo(dtype)
    positive = [0, info.smallest_subnormal, info.smallest_subnormal * 3, info.tiny, np.nextafter(info.tiny, dtype(0)),
                info.max, np.nextafter(info.max, dtype(0)), np.inf, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 7, 10, 100,
                127, 128, 1 << 20, 1 << 24, np.nextafter(dtype(1), dtype(0)), np.nextafter(dtype(1), dtype(2)),
                np.pi, np.pi / 2, np.e, 88, 709, 1e-5]
    values = np.array(positive, dtype)
    return np.concatenate([values, -values, np.array([np.nan], dtype)])


def corners(dtype):
    """Values of an integer type next to its ends, to zero and to powers of two, and random ones."""
    info = np.iinfo(dtype)
    near = {info.min, info.max, info.max // 2, info.max // 3, 0, 85}
    near |= {1 << k for k in range(info.bits)}
    values = {v + d for v in near for d in (-1, 0, 1)} | {-v for v in near}
    kept = np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)
    rng = np.random.default_rng(1)
    return np.concatenate([kept, rng.integers(info.min, info.max, 200, dtype, endpoint=True)])


def pairs(values, limit=4000):
    """Every value with every other, or a random choice of those."""
    a, b = (m.ravel() for m in np.meshgrid(values, values))
    if len(a) > limit:
        chosen = np.random.default_rng(2).choice(len(a), limit, replace=False)
        a, b = a[chosen], b[chosen]
    return a, b


def ulps(got, exact):
    """|got - exact| in units of the last place of `got`'s type at `exact` (a wider type). 0 where both are NaN or the
    same infinity, infinite where only one of them is. A value beyond the largest number may round to infinity."""
    dtype = got.dtype.type
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        exponent = np.frexp(np.abs(exact))[1].astype(np.int64) - 1 - info.nmant
        unit = np.ldexp(exact.dtype.type(1), np.maximum(exponent, np.frexp(info.smallest_subnormal)[1] - 1))
        error = np.abs(got.astype(exact.dtype) - exact) / unit
    error = np.where(np.isnan(got) & np.isnan(exact), 0, error)
    error = np.where(got == rounded, np.where(np.isinf(got), 0, error), error)
    beyond = np.isinf(rounded) & np.isfinite(exact) & (np.abs(got) == info.max)
    return np.where(beyond, 1, np.where(np.isnan(error), np.inf, error)).astype(float)


def worst(machine, got, exact, *arguments):
    """The largest error and, for the message, where it is. Where the device takes denormal numbers for zeros, and gives
    zeros for them, those are no errors."""
    errors = ulps(got, exact)
    if machine.flushes(got.dtype):
        tiny = np.finfo(got.dtype).tiny
        small = [(a != 0) & (np.abs(a) < tiny) for a in arguments if a.dtype == got.dtype]
        small.append((got == 0) & (np.abs(exact) < tiny * (1 + 1e-6)))      # or was, before it was rounded
        errors = np.where(np.any(small, axis=0), 0, errors)
    at = int(np.argmax(errors))
    return errors[at], f"{[a[at] for a in arguments]} gives {got[at]!r}, not {exact[at]!r}: {errors[at]:.3g} ulp"
