# SPDX-License-Identifier: Apache-2.0
"""A power to a small constant is a few products, or a root. Both have smaller errors than the function, and the same
results for zeros, infinities and numbers below zero.
"""
from clpy.compiler.analysis.builtin_table import library_name
from clpy.llvm.ir import Builder, const_splat, functions, intrinsic

NAMES = ("pow", "powr", "pown")
WHOLE = (-1, 2, 3, 4)          # beyond them, what is between may be infinite or 0 where the result is not
EQUAL, BELOW = 1, 4            # of floating-point numbers, false where one is no number: fcmp oeq, olt


def whole_power(b, x, exponent):
    if exponent == -1:
        return b.binop("fdiv", const_splat(x.type, 1.0), x)
    square = b.binop("fmul", x, x)
    if exponent == 2:
        return square
    return b.binop("fmul", square, x if exponent == 3 else square)


def root(module, b, x):
    """Of -0 it is 0, and of minus infinity infinity, unlike a square root."""
    infinity = float("inf")
    plain = b.binop("fadd", b.call(intrinsic(module, "llvm.sqrt", [x.type]), [x]), const_splat(x.type, 0.0))
    is_least = b.fcmp(EQUAL, x, const_splat(x.type, -infinity))
    return b.select(is_least, const_splat(x.type, infinity), plain)


def simpler(module, b, call, name):
    """What to compute instead, or None."""
    x, exponent = call.args
    for n in WHOLE:
        if exponent == const_splat(exponent.type, n):
            made = whole_power(b, x, n)
            break
    else:
        if name == "pown" or exponent != const_splat(exponent.type, 0.5):
            return None
        made = root(module, b, x)
    if name == "powr":
        made = b.select(b.fcmp(BELOW, x, const_splat(x.type, 0.0)), const_splat(x.type, float("nan")), made)
    return made


def run(module, lowering):
    builder = Builder(module)
    for function in functions(module):
        name = library_name(function)       # half numbers have functions of their own
        if name not in NAMES or len(function.params) != 2 or \
                str(function.value_type.returns.scalar) not in ("float", "double"):
            continue
        for call in list(function.users):
            if call.opcode == "call" and call.callee == function and \
                    (made := simpler(module, builder.before(call), call, name)) is not None:
                call.replace_with(made)
                call.erase()
