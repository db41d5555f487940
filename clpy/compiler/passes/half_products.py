# SPDX-License-Identifier: Apache-2.0
"""A product of halves is rounded before something is added to it: few CPUs can do both at once in that type, and those
that cannot would have to compute it in double. So a kernel gives the same bits on all of them, and at every width.
"""
from clpy.llvm.ir import Builder, functions

FUSED = "llvm.fmuladd."     # "may be fused or not": what the front end makes of x * y + z


def run(module, lowering):
    builder = Builder(module)
    for function in functions(module):
        if not function.name.startswith(FUSED) or str(function.value_type.returns.scalar) != "half":
            continue
        for call in function.users:
            x, y, z = call.args
            call.replace_with(builder.before(call).binop("fadd", builder.binop("fmul", x, y), z))
            call.erase()
