# SPDX-License-Identifier: Apache-2.0
"""Conversions to floating-point numbers in other modes of rounding than to nearest. Code sets a mode in cr0 around
those that want it; the host's mode stays as it is, and what it rounded the wrong way moves to the number next to it."""
from clpy.compiler.isa.gcn.lanes import OGT, OLT

NEAREST, UP, DOWN, ZERO = range(4)      # bits 4 and 5 of cr0
SHIFT, BITS = 4, 3


def after(instruction, mode):
    """The mode behind an instruction that writes cr0."""
    literals = [op.value for op in instruction.sources if op.kind == "imm"]
    if not literals:
        return mode
    value = literals[0] >> SHIFT & BITS
    name = instruction.name
    return {"or": mode | value, "and": mode & value, "xor": mode ^ value}.get(name, value)


def convert(c, value, to, signed):
    """A vector of floats, or of integers, as one of narrower floats."""
    nearest = to_nearest(c, value, to, signed)
    if c.rounding == NEAREST:
        return nearest
    below, above = sides(c, value, nearest, signed)
    width = to.count
    bits = c.vector(c.types.int(8 * to.element.size), width)
    negative = c.b.icmp("slt", c.cast(nearest, bits), bits.null)
    if c.rounding == ZERO:          # what is further from zero than it was
        moves = c.b.select(negative, below, above)
        return stepped(c, nearest, moves, bits.all_ones)
    moves = below if c.rounding == UP else above
    grows = negative if c.rounding == DOWN else c.b.binop("xor", negative, negative.type.all_ones)
    one = c.all(bits.element, width, 1)
    return stepped(c, nearest, moves, c.b.select(grows, one, bits.all_ones))


def to_nearest(c, value, to, signed):
    if value.type.element.is_float:
        return c.b.cast("fptrunc", value, to)
    return c.b.cast("sitofp" if signed else "uitofp", value, to)


def sides(c, value, nearest, signed):
    """Which channels' rounded number is below what it was made of, and which above."""
    if value.type.element.is_float:
        back = c.b.cast("fpext", nearest, value.type)
        return c.b.fcmp(OLT, back, value), c.b.fcmp(OGT, back, value)
    width = value.type.count
    wide = c.vector(c.types.i64, width)
    whole = value if value.type == wide else c.b.cast("sext" if signed else "zext", value, wide)
    back = c.call("llvm.fptosi.sat" if signed else "llvm.fptoui.sat", nearest, types=[wide, nearest.type])
    kind = "s" if signed else "u"
    # The float next above the largest number is that number, as far as an integer can say.
    highest = c.all(c.types.i64, width, (1 << 63) - 1 if signed else (1 << 64) - 1)
    over = c.b.icmp("eq", back, highest)
    return c.b.icmp(kind + "lt", back, whole), c.b.binop("or", over, c.b.icmp(kind + "gt", back, whole))


def stepped(c, value, which, step):
    """Some channels' floats moved by one unit in the last place: by `step` in their bits."""
    bits = c.cast(value, step.type)
    return c.cast(c.b.select(which, c.b.add(bits, step), bits), value.type)
