# SPDX-License-Identifier: Apache-2.0
"""The math functions, what the specification allows each (OpenCL C, relative error as ULPs), and how it is computed in
more digits: an expression of C in x, y or n of the wide type W, in which M(f) is f of that type's library.

0.5 stands where a result has to be rounded correctly.
"""
from dataclasses import dataclass

CORRECT = 0.5
TYPES = ("half", "float", "double")


@dataclass(frozen=True)
class Function:
    name: str
    limits: tuple               # in ulp, of half, float, double; None: nothing is asked
    exact: str
    call: str                   # in OpenCL C, of a and b
    second: str = ""            # type of the second argument: "" for none, "T", or "int"
    near: str = "any"           # of arguments at random, what some of them are: see reference.c


def one(name, limits, exact=None, near="any"):
    return Function(name, limits, exact or f"M({name})(x)", f"{name}(a)", near=near)


def two(name, limits, exact=None, second="T", near="any"):
    return Function(name, limits, exact or f"M({name})(x, y)", f"{name}(a, b)", second, near)


FUNCTIONS = (
    one("acos", (2, 4, 4)), one("acosh", (2, 4, 4)), one("acospi", (2, 5, 5), "M(acos)(x) / PI"),
    one("asin", (2, 4, 4)), one("asinh", (2, 4, 4)), one("asinpi", (2, 5, 5), "M(asin)(x) / PI"),
    one("atan", (2, 5, 5)), one("atanh", (2, 5, 5)), one("atanpi", (2, 5, 5), "M(atan)(x) / PI"),
    one("cbrt", (2, 2, 2)), one("cos", (2, 4, 4)), one("cosh", (2, 4, 4)), one("cospi", (2, 4, 4), "cos_turns(x)"),
    one("erf", (4, 16, 16)), one("erfc", (4, 16, 16)),
    one("exp", (2, 3, 3)), one("exp2", (2, 3, 3)), one("exp10", (2, 3, 3), "ten_to(x)"), one("expm1", (2, 3, 3)),
    one("lgamma", (None, None, None)),
    one("log", (2, 3, 3)), one("log2", (2, 3, 3)), one("log10", (2, 3, 3)), one("log1p", (2, 2, 2)),
    one("rsqrt", (1, 2, 2), "1 / M(sqrt)(x)"), one("sin", (2, 4, 4)), one("sinh", (2, 4, 4)),
    one("sinpi", (2, 4, 4), "sin_turns(x)"), one("sqrt", (1, 3, CORRECT)),
    one("tan", (2, 5, 5)), one("tanh", (2, 5, 5)), one("tanpi", (2, 6, 6), "tan_turns(x)"), one("tgamma", (4, 16, 16)),
    Function("1 / x", (1, 2.5, CORRECT), "1 / x", "1 / a"),
    Function("x / y", (1, 2.5, CORRECT), "x / y", "a / b", "T"),
    two("atan2", (2, 6, 6)), two("atan2pi", (2, 6, 6), "M(atan2)(x, y) / PI"), two("hypot", (2, 4, 4)),
    two("pow", (4, 16, 16), near="power"), two("powr", (4, 16, 16), "x < 0 ? NAN : powr_of(x, y)", near="power"),
    two("pown", (4, 16, 16), "M(pow)(x, y)", "int", "power"), two("rootn", (4, 16, 16), "root(x, y)", "int"),
    two("ldexp", (CORRECT,) * 3, "M(ldexp)(x, n)", "int"),
    two("fdim", (CORRECT,) * 3, "x <= y ? 0 : x - y"), two("fmod", (CORRECT,) * 3), two("remainder", (CORRECT,) * 3),
    Function("remquo", (CORRECT,) * 3, "M(remainder)(x, y)", "({ int quotient; remquo(a, b, &quotient); })", "T"),
    *(one(name, (CORRECT,) * 3) for name in ("ceil", "fabs", "floor", "logb", "rint", "round", "trunc")),
    *(two(name, (CORRECT,) * 3) for name in ("copysign", "fmax", "fmin")),
    two("maxmag", (CORRECT,) * 3, "larger(x, y)"), two("minmag", (CORRECT,) * 3, "smaller(x, y)"),
)


def kernel(function, name):
    """OpenCL C for an element type."""
    second = {"": "", "T": f", global const {name} *y", "int": ", global const int *y"}[function.second]
    load = {"": "", "T": f"{name} b = y[i]; ", "int": "int b = y[i]; "}[function.second]
    enable = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if name == "half" else ""
    return (f"{enable}kernel void k(global {name} *r, global const {name} *x{second})\n"
            f"{{ size_t i = get_global_id(0); {name} a = x[i]; {load}r[i] = {function.call}; }}\n")
