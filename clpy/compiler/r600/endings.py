# SPDX-License-Identifier: Apache-2.0
"""How kernels end. LLVM's code generator forgets the end of one whose last instructions are arithmetic, as barriers and
accesses to local memory are for it (its pass that makes clauses takes the return for a part of the last one). Behind
those nobody looks at local memory any more: they are left out.
"""
from clpy.compiler.amdgpu.code import is_kernel

BARRIER = "llvm.r600.group.barrier"
LOCAL = 3
POINTER_OF = {"store": 1, "atomicrmw": 0, "cmpxchg": 0}


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        if is_kernel(function):
            for fence in function.instructions_of("fence"):
                fence.erase()       # a wavefront's accesses are in the order of its code
            for block in function.blocks:
                if block.terminator.opcode == "ret":
                    clean(function, block)


def clean(function, block):
    """From a block's end on, and further in those that go to it and nowhere else, where it has nothing that stays."""
    for inst in reversed(block.instructions[:-1]):
        if is_nobodys(inst):
            inst.erase()
        elif inst.opcode in POINTER_OF or inst.opcode == "call":
            return
    for before in function.blocks:
        if before is not block and before.terminator.opcode == "br" and all(
                to == block for to in before.terminator.successors):
            clean(function, before)


def is_nobodys(inst):
    if inst.opcode == "call":
        return getattr(inst.callee, "name", "") == BARRIER
    place = POINTER_OF.get(inst.opcode)
    return place is not None and not inst.has_users and inst.operand(place).type.address_space == LOCAL
