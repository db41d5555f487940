# SPDX-License-Identifier: Apache-2.0
"""Integer division never traps: OpenCL C leaves the result of x/0 and INT_MIN/-1 open, but the program must go on.

The divisor becomes 1 in these cases, by a select: no branch, and it vanishes where the divisor is known. This runs
first, before an optimizer could conclude from a division that its divisor is not zero.
"""
from clpy.compiler.analysis.builtin_table import ID, row_of
from clpy.llvm.ir import Builder, const_splat, functions


def elements(value):
    """The elements of a constant integer or vector; None when it is no such constant."""
    if value.is_const_int:
        return [value]
    if not value.is_constant or not value.type.is_vector:
        return None
    out = [value.const_element(i) for i in range(value.type.count)]
    return out if all(e is not None and e.is_const_int for e in out) else None


def is_safe(divisor, signed):
    """A constant that no dividend makes trap."""
    known = elements(divisor)
    if known is None:
        return False
    return all(e.sext != 0 and not (signed and e.sext == -1) for e in known if e.type.width <= 64)


def guard(builder, inst, signed):
    """Replace the divisor of `inst` by 1 where it would trap."""
    ty = inst.type
    dividend, divisor = inst.operand(0), builder.freeze(inst.operand(1))
    bad = builder.icmp("eq", divisor, ty.null)
    if signed:
        dividend = builder.freeze(dividend)
        lowest = const_splat(ty, -1 << (ty.scalar.width - 1)) if ty.scalar.width <= 64 else None
        overflow = builder.icmp("eq", divisor, ty.all_ones)
        if lowest is not None:
            overflow = builder.binop("and", overflow, builder.icmp("eq", dividend, lowest))
        bad = builder.binop("or", bad, overflow)
        inst.set_operand(0, dividend)
    inst.set_operand(1, builder.select(bad, const_splat(ty, 1), divisor))


def run(module, lowering):
    builder = Builder(module)
    for function in functions(module):
        row = row_of(function.name)
        if row is not None and row.kind == ID:
            function.add_attribute("noundef", index=0)     # or the freezes would hide that it is an id
        for inst in function.instructions_of("udiv", "sdiv", "urem", "srem"):
            signed = inst.opcode in ("sdiv", "srem")
            if not is_safe(inst.operand(1), signed):
                guard(builder.before(inst), inst, signed)
