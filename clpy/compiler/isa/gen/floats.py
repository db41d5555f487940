# SPDX-License-Identifier: Apache-2.0
"""The extended math of Gen.

Divisions and square roots that have to be right in the last bit are a sequence that begins with math.invm or
math.rsqtm, and whose steps (madm) go through accumulators of more precision than registers have. The result of the last
step, which has no such accumulator for its destination, is the rounded quotient or root: it is computed where the
sequence begins, and the steps between are plain fused multiply-adds.
"""
from clpy.compiler.isa.gcn.lanes import OEQ, OGT, OLT

from . import operands
from .values import Values, convert, finish, modified_float

PI_INVERSE = 0.15915494309189535
LIBRARY_WIDTH = 16


def of_library(c, name, value):
    """A function of 16 floats."""
    width = value.type.count
    if width > LIBRARY_WIDTH:
        halves = [of_library(c, name, c.pick(value, range(first, first + LIBRARY_WIDTH)))
                  for first in range(0, width, LIBRARY_WIDTH)]
        return c.b.shuffle(*halves, c.row(32, range(width)))
    return c.resized(c.run(name, c.resized(value, LIBRARY_WIDTH)), width)


def sine(c, name, value):
    turns = c.b.binop("fmul", value, c.all(value.type.element, value.type.count, PI_INVERSE))
    whole = c.call("llvm.roundeven", turns)
    return of_library(c, name, c.b.binop("fsub", turns, whole))


def power(c, value, exponent):
    magnitude = c.call("llvm.fabs", value)
    logarithm = of_library(c, "v_log_f32", magnitude)
    product = c.b.binop("fmul", logarithm, exponent)
    zero = c.b.fcmp(OEQ, exponent, exponent.type.null)
    product = c.b.select(zero, product.type.null, product)
    return of_library(c, "v_exp_f32", product)


def unary(c, name, value):
    element, width = value.type.element, value.type.count
    if name in ("inv", "rsqt", "sqt"):
        if name != "inv":
            value = c.call("llvm.sqrt", value)
        return value if name == "sqt" else c.b.binop("fdiv", c.all(element, width, 1.0), value)
    single = convert(c, value, c.vector(c.types.float, width))
    if name in ("sin", "cos"):
        single = sine(c, f"v_{name}_f32", single)
    else:
        single = of_library(c, {"exp": "v_exp_f32", "log": "v_log_f32"}[name], single)
    return convert(c, single, value.type)


def math(c, ins):
    name = ins.name.removeprefix("math.")
    v = Values(c, ins)
    if name in ("iqot", "irem"):
        finish(c, ins, divided(c, ins, v, name == "iqot"), v.signed)
    elif name == "fdiv":
        finish(c, ins, c.b.binop("fdiv", *v.at))
    elif name == "pow":
        finish(c, ins, power(c, *v.at))
    else:
        finish(c, ins, unary(c, name, v.at[0]))


def divided(c, ins, v, is_quotient):
    """What the host would stop at gives something: a division by zero, the lowest number by minus one."""
    left, right = v.at
    element, width = left.type.element, ins.width
    one = c.all(element, width, 1)
    by_zero = c.b.icmp("eq", right, right.type.null)
    safe = c.b.select(by_zero, one, right)
    if v.signed:
        lowest = c.b.icmp("eq", left, c.all(element, width, -(1 << v.bits - 1)))
        minus = c.b.icmp("eq", right, right.type.all_ones)
        safe = c.b.select(c.b.binop("and", lowest, minus), one, safe)
    name = ("s" if v.signed else "u") + ("div" if is_quotient else "rem")
    result = c.b.binop(name, left, safe)
    return c.b.select(by_zero, left.type.all_ones, result)


# Sequences that are right in the last bit

def begin_exact(c, ins):
    """math.invm, math.rsqtm: no channel is done early."""
    width = ins.width
    values = [plain(c, op, width) for op in ins.sources if op.kind != "null"]
    if ins.name == "math.invm":
        exact = c.b.binop("fdiv", *values)
        begin = c.b.binop("fdiv", c.all(values[1].type.element, width, 1.0), values[1])
    else:
        exact = c.call("llvm.sqrt", values[0])
        begin = c.b.binop("fdiv", c.all(exact.type.element, width, 1.0), exact)
    mask = c.mask_of(ins)
    place = c.room(exact.type, ("exact", ins.offset, width, str(exact.type)))
    c.b.store(exact, place)
    c.exact[ins.offset, width] = place
    # A channel whose sequence says nothing, of zeros and infinities, is done: its result stands.
    finite = usual(c, begin, exact)
    if ins.condition is not None:
        done = c.b.binop("xor", finite, finite.type.all_ones)
        c.set_flags(ins.condition[1], ins.offset, done, mask)
    operands.write(c, ins.dst, c.b.select(finite, begin, exact), mask)


def usual(c, *values):
    """Channels where each is a number, but neither zero nor infinite."""
    found = None
    for value in values:
        magnitude = c.call("llvm.fabs", value)
        infinity = c.all(value.type.element, value.type.count, float("inf"))
        one = c.b.binop("and", c.b.fcmp(OLT, magnitude, infinity), c.b.fcmp(OGT, magnitude, value.type.null))
        found = one if found is None else c.b.binop("and", found, one)
    return found


def step_exact(c, ins):
    """madm"""
    last = ins.dst.mme == "nomme"
    place = c.exact.get((ins.offset, ins.width))
    if last and place is not None:
        value = c.b.load(c.vector(c.element(ins.dst.type), ins.width), place)
    else:
        a, b, d = (plain(c, op, ins.width) for op in ins.sources)
        value = c.call("llvm.fma", b, d, a)
    operands.write(c, ins.dst, value, c.mask_of(ins))


def plain(c, op, width):
    op = op._replace(region=(width, width, 1), mme="") if op.kind == "r" and op.mme else op
    return modified_float(c, op, operands.read(c, op, width))


NAMES = ("inv", "log", "exp", "sqt", "rsqt", "sin", "cos", "fdiv", "pow", "iqot", "irem")
HANDLERS = {**{f"math.{name}": math for name in NAMES},
            "math.invm": begin_exact, "math.rsqtm": begin_exact, "madm": step_exact}
