# SPDX-License-Identifier: Apache-2.0
"""A vector that is truncated and shuffled is shuffled as it was, in elements of the narrow type.

LLVM 22 miscompiles shuffles of a vector truncated from 64 bits that put neighbours together again, which is what
turning vectors of the source and turning them back leaves: the lowest element and the upper half of what it was, in
place of the lowest two (tests/kernels/test_builtins_memory.py has such a kernel).
"""
from clpy.llvm.ir import Builder, Inst, Types, const_vector, functions

WIDE = 64


def is_truncated(value):
    return isinstance(value, Inst) and value.opcode == "trunc" and value.type.is_vector and \
        value.operand(0).type.element.width == WIDE


def narrow_elements(builder, types, trunc):
    """The same as `trunc`: the lowest part of each element of the vector that it truncates."""
    wide, element = trunc.operand(0), trunc.type.element
    parts, count = WIDE // element.width, trunc.type.count
    whole = builder.cast("bitcast", wide, types.vector(element, parts * count))
    lowest = const_vector([types.i32.const(parts * i) for i in range(count)])
    return builder.shuffle(whole, whole.type.poison, lowest)


def run(module, lowering):
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        for trunc in function.instructions_of("trunc"):
            shuffles = [user for user in trunc.users if user.opcode == "shufflevector"] if is_truncated(trunc) else []
            if not shuffles or trunc.type.element.width not in (8, 16, 32):
                continue
            narrow = narrow_elements(builder.before(trunc), types, trunc)
            for shuffle in shuffles:
                for n in range(2):
                    if shuffle.operand(n) == trunc:
                        shuffle.set_operand(n, narrow)
            if not trunc.users:
                trunc.erase()
