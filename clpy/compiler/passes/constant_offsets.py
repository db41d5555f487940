# SPDX-License-Identifier: Apache-2.0
"""What a constant adds to an index of 32 bits is added to the address: `a[n * 16 + 3]` with an unsigned n.

LLVM makes the sum an `or`, whose extension to 64 bits it does not take apart again: it does not see that sixteen stores
of a work-item are one behind the other, and each keeps an instruction of its own.
"""
from clpy.llvm.ir import Builder, Types, functions


def run(module, lowering):
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        found = {}
        for gep in function.instructions_of("getelementptr"):
            sum_ = sum_of(gep)
            if sum_ is not None:
                found.setdefault(sum_.operand(0), []).append((gep, sum_))
        for index, geps in found.items():
            if len(geps) > 1:       # else nothing is gained
                for gep, sum_ in geps:
                    take_apart(types, builder, gep, index, sum_.operand(1))


def sum_of(gep):
    """The disjoint `or` of a value and a constant that a pointer's one index extends; else None."""
    if gep.n_operands != 2 or gep.operand(1).opcode != "zext" or gep.type.is_vector:
        return None
    value = gep.operand(1).operand(0)
    if value.opcode != "or" or not value.is_disjoint or not value.operand(1).is_const_int:
        return None
    return value


def take_apart(types, builder, gep, index, constant):
    """Where both steps lead is in the object, if it is where their sum does: neither goes back."""
    builder.before(gep)
    first = builder.gep(gep.gep_source_type, gep.operand(0), [builder.cast("zext", index, types.i64)],
                        flags=gep.gep_flags)
    gep.replace_with(builder.gep(gep.gep_source_type, first, [types.i64.const(constant.zext)], flags=gep.gep_flags))
    gep.erase()
