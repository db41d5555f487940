# SPDX-License-Identifier: Apache-2.0
"""Blocks of regions of memory with rows (SPV_INTEL_2d_block_io), which the translator does not know: calls of functions
of the library, by spirv_imports.py. What their pointers point to says the function's name, not the type: they become
pointers to bytes before, so that each function has one type.
"""
from array import array

from clpy.compiler.spirv import HEADER_WORDS, OP_CAPABILITY, OP_FUNCTION, OP_TYPE_INT, Module

CAPABILITIES = (6228, 6229, 6230)
EXTENSION = b"SPV_INTEL_2d_block_io"
LOAD, LOAD_TRANSFORM, LOAD_TRANSPOSE, PREFETCH, STORE = range(6231, 6236)
KINDS = {LOAD: "read", LOAD_TRANSFORM: "read_transform", LOAD_TRANSPOSE: "read_transpose", PREFETCH: "prefetch",
         STORE: "write"}
OP_TYPE_POINTER, OP_BITCAST = 32, 124
CROSS_WORKGROUP, FUNCTION_STORAGE = 5, 7
SHAPE = 4               # operands before the pointers: bytes of an element, columns, rows, blocks


def operands_of(opcode):
    return SHAPE + 5 + (opcode != PREFETCH)


def letter(opcode, bits, columns):
    """Of the type that a work-item's part is given as."""
    if opcode in (LOAD_TRANSFORM, LOAD_TRANSPOSE) or bits == 32:
        return "j"
    return "t" if bits * columns >= 256 else "h"


def call(opcode):
    """What spirv_imports.py calls."""
    def function(of, type_id, size, columns, rows, blocks, *rest):
        bits, columns = 8 * of.values[size], of.values[columns]
        name = f"intel_sub_group_2d_block_{KINDS[opcode]}_{bits}b_{of.values[rows]}r{columns}x{of.values[blocks]}c"
        mine, rest = (rest[:1], rest[1:]) if opcode == STORE else (rest[5:], rest[:5])
        part = "P" + letter(opcode, bits, columns) if mine else ""
        for value in rest[1:]:
            kind, operands = of.types[of.element_and_count(of.type_of[value])[0]]
            if kind != OP_TYPE_INT or operands[0] != 32:
                raise ValueError("a region whose sizes or coordinates are no numbers of 32 bits")
        return f"_Z{len(name)}{name}PU3AS1viiiDv2_i{part}", (*rest, *mine)
    return function


def replace(module):
    """Module whose blocks are behind pointers to bytes; the one given where it declares none."""
    words = module.words
    if not any(opcode == OP_CAPABILITY and words[i + 1] in CAPABILITIES for i, opcode, _ in module.instructions()):
        return module
    out, new = array("I", words[:HEADER_WORDS]), words[3] + 3
    byte = next((words[i + 1] for i, opcode, _ in module.instructions()
                 if opcode == OP_TYPE_INT and words[i + 2] == 8), 0)
    at_first = True
    for i, opcode, count in module.instructions():
        operands = list(words[i + 1:i + count])
        if opcode == OP_FUNCTION and at_first:
            at_first = False
            if not byte:
                byte = words[3]
                out.extend((4 << 16 | OP_TYPE_INT, byte, 8, 0))
            out.extend((4 << 16 | OP_TYPE_POINTER, words[3] + 1, CROSS_WORKGROUP, byte))
            out.extend((4 << 16 | OP_TYPE_POINTER, words[3] + 2, FUNCTION_STORAGE, byte))
        if opcode in KINDS and len(operands) >= operands_of(opcode):
            del operands[operands_of(opcode):]           # how memory is accessed, where it says that
            base, mine = (SHAPE + 1, SHAPE) if opcode == STORE else (SHAPE, SHAPE + 5)
            for place, type_id in ((base, words[3] + 1), (mine, words[3] + 2)):
                if place < len(operands):
                    out.extend((4 << 16 | OP_BITCAST, type_id, new, operands[place]))
                    operands[place], new = new, new + 1
        out.extend((len(operands) + 1 << 16 | opcode, *operands))
    out[3] = new
    return Module(out, module.version)
