# SPDX-License-Identifier: Apache-2.0
"""Steps that indices usually have from lane to lane, which are worth a look at run time.

An index is held inside bounds, steps to a neighbour that a border has not, or is put together from parts of an id, as
in sorting networks and transforms: in `2 * i - (i & (n - 1))` and `i / n * 2 * n + i % n` lanes count by 1 as long as
all of them are in one of the blocks of n, which are mostly larger than a vector.
"""
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.transfer import VARYING

DEPTH = 10          # instructions behind each other
LEAST = 3           # bits: blocks of fewer lanes are not usual
HELD = "smin", "smax", "umin", "umax"


def usual_step(shapes, value, depth=0):
    """The step of an integer from lane to lane where no lane is at a border; None where nothing is usual."""
    if shapes[value] != VARYING:
        return shapes[value]
    if depth > DEPTH or not value.opcode:
        return None
    op = value.opcode
    if op == "select":
        return of_ways(shapes, value.operands[1:], depth)
    if op == "call":
        return of_ways(shapes, value.args, depth) if intrinsic_base(value.callee.name) in HELD else None
    if op in ("sext", "zext") and value.operand(0).type.width == 1:
        return 0        # 1 next to a border, or 0 there
    rule = RULES.get(op)
    return rule(shapes, value, [usual_step(shapes, v, depth + 1) for v in value.operands]) if rule else None


def of_ways(shapes, ways, depth):
    """Of one of two: that which counts, if one does. Both the same for all lanes: so is usually what is chosen."""
    steps = [usual_step(shapes, v, depth + 1) for v in ways]
    return 1 if 1 in steps else 0 if all(step == 0 for step in steps) else None


def _same(shapes, value, steps):
    return steps[0]


def _sum(shapes, value, steps):
    a, b = steps
    return None if None in steps else a - b if value.opcode == "sub" else a + b


def _product(shapes, value, steps):
    """By a constant, or of what is usually the same for all lanes."""
    if steps == [0, 0]:
        return 0
    step, by = steps[0], value.operand(1)
    if step is None or not by.is_const_int:
        return None
    return step << by.zext if value.opcode == "shl" else step * by.sext


def _block(shapes, value, steps):
    """The number of a block of lanes."""
    step, by = steps[0], value.operand(1)
    if step == 0 and steps[1] == 0:
        return 0
    small = by.is_const_int and (by.zext >> LEAST == 0 if value.opcode in ("udiv", "sdiv") else by.zext < LEAST)
    return 0 if step == 1 and steps[1] == 0 and not small else None


def _place(shapes, value, steps):
    """The place in a block of lanes."""
    by = value.operand(1)
    small = by.is_const_int and by.zext >> LEAST == 0
    return steps[0] if steps[0] in (0, 1) and steps[1] == 0 and not small else None


def _bits(shapes, value, steps):
    """The lower bits of a number are its place in a block; without them it is the block's."""
    if steps == [0, 0]:
        return 0
    if steps not in ([1, 0], [0, 1]):
        return None
    mask = value.operand(1 if steps[0] == 1 else 0)
    if mask.is_const_int and not is_upper(mask) and mask.zext >> (LEAST - 1) == 0:
        return None
    return 0 if is_upper(mask) else 1


def is_upper(mask):
    if mask.is_const_int:
        return mask.sext < 0
    if mask.opcode == "sub":
        return mask.operand(0).is_const_int and mask.operand(0).zext == 0
    return mask.opcode == "xor" and mask.operand(1).is_const_int and mask.operand(1).sext == -1


def _flipped(shapes, value, steps):
    """Other bits than those that tell lanes of a vector apart: more is rare, and seen at run time."""
    return 1 if steps in ([1, 0], [0, 1]) else 0 if steps == [0, 0] else None


RULES = {"sext": _same, "zext": _same, "trunc": _same, "freeze": _same, "add": _sum, "sub": _sum, "mul": _product,
         "shl": _product, "udiv": _block, "sdiv": _block, "lshr": _block, "ashr": _block, "urem": _place,
         "srem": _place, "and": _bits, "xor": _flipped, "or": _flipped}
