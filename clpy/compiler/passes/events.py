# SPDX-License-Identifier: Apache-2.0
"""Events of async copies vanish: they carry nothing on a device that copies at once, and no back end has their type."""
from clpy.llvm.ir import functions

EVENT = "spirv.Event"


def is_event(value):
    return value.type.target_ext_name == EVENT


def run(module, lowering):
    for function in functions(module):
        dead = []
        for inst in function.instructions_of("store", "load", "phi", "select", "freeze"):
            if inst.opcode == "store" and is_event(inst.operand(0)):
                dead.append(inst)
            elif not inst.is_void and is_event(inst):
                inst.replace_with(inst.type.null)
                dead.append(inst)
        for inst in dead:
            inst.erase()
