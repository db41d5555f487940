# SPDX-License-Identifier: Apache-2.0
"""Barriers of all work-groups in SPIR-V (SPV_INTEL_device_barrier), which the translator does not know: opcodes of our
own, for which spirv_imports.py has functions of the library.

    OpControlBarrier of all invocations of the device   MEET
    OpLoad of the variable that says whether it may be  MAY_MEET; the variable goes
"""
from array import array

from clpy.compiler.spirv import HEADER_WORDS, OP_CAPABILITY, OP_CONSTANT, OP_DECORATE, OP_ENTRY_POINT, Module

CAPABILITY = 6185
EXTENSION = b"SPV_INTEL_device_barrier"
MEET, MAY_MEET = 0xFFF0, 0xFFF1         # no instructions of SPIR-V have these
OP_NAME, OP_VARIABLE, OP_LOAD, OP_CONTROL_BARRIER = 5, 59, 61, 224
BUILT_IN, MAY_MEET_BUILT_IN = 11, 6186
DEVICE = 1              # a scope


def meet(of, type_id, semantics):
    return "_Z20intel_device_barrierj", (semantics,)


def may_meet(of, type_id):
    return "_Z29intel_is_device_barrier_validv", ()


def replace(module):
    """Module with those opcodes; the one given where it declares no such barriers."""
    words, instructions = module.words, list(module.instructions())
    if not any(opcode == OP_CAPABILITY and words[i + 1] == CAPABILITY for i, opcode, _ in instructions):
        return module
    variables = {words[i + 1] for i, opcode, count in instructions if opcode == OP_DECORATE and count == 4
                 and (words[i + 2], words[i + 3]) == (BUILT_IN, MAY_MEET_BUILT_IN)}
    device = {words[i + 2] for i, opcode, count in instructions if opcode == OP_CONSTANT and count == 4
              and words[i + 3] == DEVICE}
    out = array("I", words[:HEADER_WORDS])
    for i, opcode, count in instructions:
        operands = words[i + 1:i + count]
        if opcode == OP_CONTROL_BARRIER and count == 4 and operands[0] in device:
            out.extend((2 << 16 | MEET, operands[2]))
        elif opcode == OP_LOAD and count > 3 and operands[2] in variables:
            out.extend((3 << 16 | MAY_MEET, operands[0], operands[1]))
        elif opcode == OP_ENTRY_POINT:
            kept = without(operands, variables)
            out.extend((len(kept) + 1 << 16 | OP_ENTRY_POINT, *kept))
        elif not is_of(opcode, operands, variables):
            out.extend(words[i:i + count])
    return Module(out, module.version)


def without(operands, variables):
    """Of an entry point: its model, its function and its name, then the variables that it uses."""
    end = 2
    while end < len(operands) and operands[end] >> 24:         # the name ends with a word that has a zero byte last
        end += 1
    return [*operands[:end + 1], *(each for each in operands[end + 1:] if each not in variables)]


def is_of(opcode, operands, variables):
    """Is it the variable, its name or a decoration of it?"""
    if opcode == OP_VARIABLE:
        return operands[1] in variables
    return opcode in (OP_NAME, OP_DECORATE) and operands[0] in variables
