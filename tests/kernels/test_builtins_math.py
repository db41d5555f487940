# SPDX-License-Identifier: Apache-2.0
"""Math functions within the specification's error limits, with its special values, at every vector width."""
import numpy as np
import pytest

from . import reference as ref
from .builtins import FLOATS, WIDTHS, evaluate, kernel, pairs, special, worst
from .reference import LONG

# name: (limit in ulp, range of random arguments (None: every bit pattern), reference on long doubles)
ONE = {
    "acos": (4, (-1, 1), np.arccos), "acosh": (4, (1, 1e4), np.arccosh), "acospi": (5, (-1, 1), lambda x: np.arccos(x) / ref.PI),
    "asin": (4, (-1, 1), np.arcsin), "asinh": (4, None, np.arcsinh), "asinpi": (5, (-1, 1), lambda x: np.arcsin(x) / ref.PI),
    "atan": (5, None, np.arctan), "atanh": (5, (-1, 1), np.arctanh), "atanpi": (5, None, lambda x: np.arctan(x) / ref.PI),
    "cbrt": (2, None, np.cbrt), "ceil": (0, (-100, 100), np.ceil), "cos": (4, None, np.cos), "cosh": (4, (-720, 720), np.cosh),
    "cospi": (4, (-50, 50), lambda x: ref.turns(x)[1]), "exp": (3, (-760, 720), np.exp), "exp2": (3, (-1080, 1030), np.exp2),
    "exp10": (3, (-330, 310), lambda x: np.power(LONG(10), x)), "expm1": (3, (-60, 720), np.expm1), "fabs": (0, None, np.abs),
    "floor": (0, (-100, 100), np.floor), "log": (3, None, np.log), "log10": (3, None, np.log10), "log1p": (2, (-1, 1e3), np.log1p),
    "log2": (3, None, np.log2), "rint": (0, (-100, 100), np.rint), "rsqrt": (2, None, lambda x: 1 / np.sqrt(x)),
    "sin": (4, None, np.sin), "sinh": (4, (-720, 720), np.sinh), "sinpi": (4, (-50, 50), lambda x: ref.turns(x)[0]),
    "sqrt": (3, None, np.sqrt), "tan": (5, None, np.tan), "tanh": (5, (-30, 30), np.tanh), "tanpi": (6, (-50, 50), ref.tanpi),
    "trunc": (0, (-100, 100), np.trunc),
}
TWO = {
    "atan2": (6, np.arctan2), "atan2pi": (6, lambda y, x: np.arctan2(y, x) / ref.PI), "copysign": (0, np.copysign),
    "fdim": (0, lambda x, y: np.where(x <= y, LONG(0), x - y)), "fmax": (0, np.fmax), "fmin": (0, np.fmin),
    "fmod": (0, np.fmod), "hypot": (4, np.hypot), "pow": (16, np.power),
}
