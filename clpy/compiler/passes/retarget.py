# SPDX-License-Identifier: Apache-2.0
"""From the SPIR-like target to the device's: triple, data layout, calling conventions, no convergent calls.

The address spaces stay on the pointers: the back end of x86 treats those below 256 alike, casts between them cost
nothing, and the alias analyses can still tell them apart.
"""
from clpy.llvm.ir import Function, functions

CONVENTION_C = 0


def run(module, lowering):
    module.set_triple(lowering.target.triple)
    if lowering.datalayout:
        module.set_datalayout(lowering.datalayout)
    for function in functions(module):
        function.remove_attribute("convergent")  # there is nothing left that must not be moved or duplicated
        if not function.intrinsic:
            function.call_conv = CONVENTION_C
    for function in functions(module):
        for call in function.instructions_of("call"):
            call.remove_call_attribute("convergent")
            if isinstance(call.callee, Function):
                call.set_call_conv(call.callee.call_conv)
