# SPDX-License-Identifier: Apache-2.0
"""Sources in the type that an operation works in, and results as destinations and flags have them."""
from clpy.compiler.isa.gcn.lanes import OEQ, OGE, OGT, OLE, OLT

from . import operands, rounding
from .decode import FLOATS, SIZES
from .operands import SIGNED, type_of

UNE = 14
FLOAT_TESTS = {"eq": OEQ, "ne": UNE, "lt": OLT, "le": OLE, "gt": OGT, "ge": OGE}
INT_TESTS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


class Values:
    """Sources of an instruction in the type it works in: `bits` and `signed` of integers, `float` the name of a
    floating-point type or ""."""

    def __init__(self, c, instruction, sources=None):
        self.c, self.ins, self.width = c, instruction, instruction.width
        self.sources = instruction.sources if sources is None else sources
        types = [type_of(op) for op in self.sources]
        floating = [t for t in types if t in FLOATS]
        self.float = max(floating, key=SIZES.get) if floating else ""
        dst = instruction.dst
        sizes = [SIZES[t] for t in types if t not in FLOATS]
        if dst is not None and dst.type in SIZES and dst.type not in FLOATS:
            sizes.append(8 if dst.kind == "acc" and SIZES[dst.type] == 4 else SIZES[dst.type])
        self.bits = 8 * max(sizes, default=4)
        self.bits = max(self.bits, 16)
        self.signed = any(t in SIGNED for t in types)
        self.type = (c.element(self.float) if self.float else c.types.int(self.bits))
        self.at = [self.read(op) for op in self.sources]

    def read(self, op):
        c, value = self.c, operands.read(self.c, op, self.width)
        type_ = type_of(op)
        to = c.vector(self.type, self.width)
        if type_ in FLOATS:
            value = modified_float(c, op, value)
            return convert(c, value, to)
        if self.float:
            value = modified_int(c, op, value, type_)
            return c.b.cast("sitofp" if type_ in SIGNED else "uitofp", value, to)
        return modified_int(c, op, extended(c, value, type_, to), type_)


def extended(c, value, type_, to):
    if value.type == to:
        return value
    if value.type.element.width > to.element.width:
        return c.b.cast("trunc", value, to)
    return c.b.cast("sext" if type_ in SIGNED else "zext", value, to)


def modified_float(c, op, value):
    if op.abs:
        value = c.call("llvm.fabs", value)
    return c.b.fneg(value) if op.neg else value


def modified_int(c, op, value, type_):
    if op.abs:
        value = c.call("llvm.abs", value, c.number(1, 0), types=[value.type])
    if op.inv:
        return c.b.binop("xor", value, value.type.all_ones)
    return c.b.sub(value.type.null, value) if op.neg else value


# Results

def finish(c, ins, value, signed=True):
    """Flags and the destination get a result."""
    mask = c.mask_of(ins)
    if ins.condition is not None and ins.name not in ("cmp", "cmpn", "sel", "csel"):
        test, flag = ins.condition
        c.set_flags(flag, ins.offset, compare(c, test, value, value.type.null, signed), mask)
    store(c, ins, value, mask, signed)


def store(c, ins, value, mask, signed=True):
    dst = ins.dst
    if dst is None or dst.kind == "null":
        return
    operands.write(c, dst, converted(c, value, dst, ins.saturates, signed), mask)


def converted(c, value, dst, saturates, signed):
    """A result as the destination has it."""
    to = c.vector(c.element(dst.type), value.type.count)
    if value.type.element.is_float:
        if dst.type in FLOATS:
            narrows = to.element.size < value.type.element.size
            value = rounding.convert(c, value, to, True) if narrows else convert(c, value, to)
            return between_0_and_1(c, value) if saturates else value
        return c.call("llvm.fptosi.sat" if dst.type in SIGNED else "llvm.fptoui.sat", value, types=[to, value.type])
    if dst.type in FLOATS:
        if dst.kind == "acc":
            return c.cast(value, to)
        value = rounding.convert(c, value, to, signed)
        return between_0_and_1(c, value) if saturates else value
    if dst.kind == "acc":
        return value
    if saturates:
        value = clamped(c, value, dst.type, signed)
    if value.type == to:
        return value
    if value.type.element.width < to.element.width:
        return c.b.cast("sext" if signed else "zext", value, to)
    return c.b.cast("trunc", value, to)


def clamped(c, value, type_, signed):
    """An integer within the range of a type."""
    bits, width, element = 8 * SIZES[type_], value.type.count, value.type.element
    if type_ in SIGNED:
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    else:
        low, high = 0, (1 << bits) - 1
    if signed:
        if element.width > bits or (element.width == bits and type_ in SIGNED):
            if element.width > bits:
                value = c.call("llvm.smin", value, c.all(element, width, high))
                value = c.call("llvm.smax", value, c.all(element, width, low))
            return value
        return c.call("llvm.smax", value, c.all(element, width, 0))
    if element.width > bits or type_ in SIGNED:
        value = c.call("llvm.umin", value, c.all(element, width, high))
    return value


def compare(c, test, left, right, signed=True):
    if left.type.element.is_float:
        return c.b.fcmp(FLOAT_TESTS[test], left, right)
    name = INT_TESTS[test]
    if name not in ("eq", "ne"):
        name = ("s" if signed else "u") + name
    return c.b.icmp(name, left, right)


# Floats

def convert(c, value, to):
    if value.type == to:
        return value
    return c.b.cast("fptrunc" if value.type.element.size > to.element.size else "fpext", value, to)


def between_0_and_1(c, value):
    width, element = value.type.count, value.type.element
    value = c.call("llvm.maxnum", value, c.all(element, width, 0.0))
    return c.call("llvm.minnum", value, c.all(element, width, 1.0))
