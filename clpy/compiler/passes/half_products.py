# SPDX-License-Identifier: Apache-2.0
"""A product of halves is rounded before something is added to it: few CPUs can do both at once in that type, and those
that cannot would have to compute it in double. So a kernel gives the same bits on all of them, and at every width.
What must be rounded once, `fma`, is one instruction where there is such; the library computes it in double.
"""
from clpy.llvm.ir import Builder, functions, intrinsic

FUSED = "llvm.fmuladd."     # "may be fused or not": what the front end makes of x * y + z
FMA = "_Z3fmaD"             # the library's, of halves and vectors of them


def run(module, lowering):
    builder = Builder(module)
    if lowering.has_halves:
        fuse(module, builder)
    for function in functions(module):
        if not function.name.startswith(FUSED) or str(function.value_type.returns.scalar) != "half":
            continue
        for call in function.users:
            x, y, z = call.args
            call.replace_with(builder.before(call).binop("fadd", builder.binop("fmul", x, y), z))
            call.erase()


def fuse(module, builder):
    for function in functions(module):
        type_ = function.value_type.returns
        if function.name.startswith(FMA) and str(type_.scalar) == "half":
            for call in function.users:
                call.replace_with(builder.before(call).call(intrinsic(module, "llvm.fma", [type_]), call.args))
                call.erase()
