# SPDX-License-Identifier: Apache-2.0
"""A number of double that becomes an integer and a number again is cut off: `(double)(int)x`, as generators of random
numbers have it in chains of which each step waits for the one before. Two conversions take twice as long as a rounding
and a sum, which makes -0 the 0 that it was, and longs have none of their own before AVX-512. What does not fit the
integer is undefined in OpenCL C. Of float both take as long.
"""
from clpy.llvm.ir import Builder, const_splat, functions, intrinsic

THERE = {"sitofp": "fptosi", "uitofp": "fptoui"}


def run(module, lowering):
    if not (lowering.optimize and lowering.can_round):
        return
    builder = Builder(module)
    for function in functions(module):
        for back in function.instructions_of(*THERE):
            there = back.operand(0)
            if there.opcode == THERE[back.opcode] and is_double(back) and is_double(there.operand(0)):
                cut_off(module, builder, back, there)


def is_double(value):
    return str(value.type.scalar) == "double"


def cut_off(module, builder, back, there):
    if any(user.opcode != back.opcode for user in there.users):
        return         # the integer is there anyway
    builder.before(back)
    rounded = builder.call(intrinsic(module, "llvm.trunc", [back.type]), [there.operand(0)])
    back.replace_with(builder.binop("fadd", rounded, const_splat(back.type, 0.0)))
    back.erase()
    if not there.has_users:
        there.erase()
