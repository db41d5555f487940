# SPDX-License-Identifier: Apache-2.0
"""Exact rounding of rational numbers: what a conversion should give, slowly."""
import math
from fractions import Fraction

import numpy as np

MODES = ("rte", "rtz", "rtp", "rtn")


def to_integer(value, mode):
    """A finite number as an integer."""
    value = Fraction(value)
    return {"rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}[mode](value)


def saturated(value, dtype, mode):
    """Any number as an element of an integer type."""
    info = np.iinfo(dtype)
    if isinstance(value, float) and not math.isfinite(value):
        return 0 if math.isnan(value) else info.max if value > 0 else info.min
    return min(max(to_integer(value, mode), info.min), info.max)


def neighbours(value, dtype):
    """The largest finite or infinite number of a type not above a rational one, and the smallest not below it."""
    largest = Fraction(float(np.finfo(dtype).max))
    if value > largest:
        return dtype(np.finfo(dtype).max), dtype(np.inf)
    if value < -largest:
        return dtype(-np.inf), dtype(-np.finfo(dtype).max)
    with np.errstate(over="ignore"):
        near = dtype(float(value))
    if np.isinf(near):
        near = np.copysign(np.finfo(dtype).max, near)
    exact = Fraction(float(near))
    if exact == value:
        return near, near
    other = np.nextafter(near, dtype(np.inf if exact < value else -np.inf))
    return (near, other) if exact < value else (other, near)


def nearest(value, below, above, dtype):
    """Of two neighbours the nearer, or the even one. Infinity counts as the number that would follow the largest."""
    info = np.finfo(dtype)
    after = Fraction(2) ** int(info.maxexp)
    low, high = (Fraction(float(v)) if np.isfinite(v) else after * int(np.sign(v)) for v in (below, above))
    if value - low != high - value:
        return below if value - low < high - value else above
    bits = f"u{np.dtype(dtype).itemsize}"
    return below if int(below.view(bits)) % 2 == 0 else above


def to_floating(value, dtype, mode):
    """Any number as an element of a floating-point type."""
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return dtype(value)
    value = Fraction(value)
    below, above = neighbours(value, dtype)
    if below == above:
        return below
    if mode == "rte":
        return nearest(value, below, above, dtype)
    up = mode == "rtp" or (mode == "rtz" and value < 0)
    result = above if up else below
    return dtype(-0.0) if result == 0 and value < 0 else result
