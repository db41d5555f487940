# SPDX-License-Identifier: Apache-2.0
"""Masked loads stay where they are, before what writes after them.

LLVM 22's optimizer makes one load of a masked load and a select with the same mask, and puts it where the select is:
behind a write in between, of which it then reads the result (llvm/llvm-project issue 215453). It does not look through
a freeze, which costs nothing.
"""
from clpy.llvm.ir import Builder, Function, functions

LOAD = "llvm.masked.load."
CHOICES = ("select", "phi")
WRITES = ("store", "call", "atomicrmw", "cmpxchg")


def is_masked_load(inst):
    return inst.opcode == "call" and isinstance(inst.callee, Function) and inst.callee.name.startswith(LOAD)


def writes(inst):
    """It may write memory. (Of the calls that are left nearly all do.)"""
    return inst.opcode in WRITES and not is_masked_load(inst)


def run(module, lowering):
    builder = Builder(module)
    for function in functions(module):
        for load in [call for call in function.instructions_of("call") if is_masked_load(call)]:
            choices = [user for user in load.users if user.opcode in CHOICES]
            if choices and may_be_passed(load, choices):
                builder.before(load.next)
                kept = builder.freeze(load)
                for choice in choices:
                    for index, operand in enumerate(choice.operands):
                        if operand == load:
                            choice.set_operand(index, kept)


def may_be_passed(load, choices):
    """Something may write between the load and one of them: behind it in its block, or anywhere on a way to another."""
    if any(choice.block != load.block for choice in choices):
        return True
    inst, left = load.next, len(choices)
    while inst is not None and left:
        if writes(inst):
            return True
        left -= inst in choices
        inst = inst.next
    return False
