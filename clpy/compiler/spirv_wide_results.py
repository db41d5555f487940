# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of SPIR-V that the translator does not know, most of it with two words as its result: rules of
spirv_legalize.py.

    OpIAddCarry, OpISubBorrow         the carry out of the highest bit, from the bits of operands and result
    OpUMulExtended, OpSMulExtended    the low word is the product; the high one is a function of OpenCL C
    OpSizeOf                          the size, as a constant
"""
from array import array

OP_EXT_INST_IMPORT, OP_EXT_INST, OP_MEMORY_MODEL = 11, 12, 14
OP_I_ADD, OP_I_SUB, OP_I_MUL = 128, 130, 132
OP_ADD_CARRY, OP_SUB_BORROW, OP_U_MUL_EXTENDED, OP_S_MUL_EXTENDED = 149, 150, 151, 152
OP_BITCAST, OP_SIZE_OF = 124, 321
OP_SHIFT_RIGHT_LOGICAL, OP_OR, OP_XOR, OP_AND, OP_NOT = 194, 197, 198, 199, 200
FUNCTIONS = b"OpenCL.std"
HIGH_WORD = {OP_U_MUL_EXTENDED: 203, OP_S_MUL_EXTENDED: 160}     # u_mul_hi, s_mul_hi


def add_numbers(of):
    """How far the highest bit is moved down; sizes."""
    for i, opcode, _ in of.module.instructions():
        if opcode in (OP_ADD_CARRY, OP_SUB_BORROW):
            element, _ = of.element_and_count(of.types[of.words[i + 1]][1][0])
            of.add_number(element, of.top(element))
        elif opcode == OP_SIZE_OF:
            of.add_number(of.words[i + 1], size_behind(of, of.words[i + 3]))


def size_behind(of, pointer):
    return of.size_and_align(of.pointee(pointer))[0]


def size_of(of, type_id, result, pointer):
    of.emit(OP_BITCAST, type_id, result, of.numbers[type_id, size_behind(of, pointer)])
    return True


def memory_model(of, *operands):
    """Imports the functions where a product needs one and the module has no import of them."""
    of.functions = 0
    for i, opcode, count in of.module.instructions():
        if opcode == OP_EXT_INST_IMPORT and of.words[i + 2:i + count].tobytes().rstrip(b"\0") == FUNCTIONS:
            of.functions = of.words[i + 1]
    if not of.functions and any(opcode in HIGH_WORD for _, opcode, _ in of.module.instructions()):
        of.functions = of.new_id()
        of.emit(OP_EXT_INST_IMPORT, of.functions, *array("I", FUNCTIONS + bytes(4 - len(FUNCTIONS) % 4)))
    return False


def operation(of, opcode, type_id, *operands):
    result = of.new_id()
    of.emit(opcode, type_id, result, *operands)
    return result


def carried(opcode):
    def rule(of, type_id, result, left, right):
        word = of.types[type_id][1][0]
        element, count = of.element_and_count(word)
        value = operation(of, OP_I_ADD if opcode == OP_ADD_CARRY else OP_I_SUB, word, left, right)
        if opcode == OP_ADD_CARRY:
            both, rest = operation(of, OP_AND, word, left, right), operation(of, OP_OR, word, left, right)
            other = operation(of, OP_NOT, word, value)
        else:
            both = operation(of, OP_AND, word, operation(of, OP_NOT, word, left), right)
            rest = operation(of, OP_NOT, word, operation(of, OP_XOR, word, left, right))
            other = value
        bits = operation(of, OP_OR, word, both, operation(of, OP_AND, word, rest, other))
        of.construct(type_id, result, [value, highest_bit(of, word, element, count, bits)])
        return True
    return rule


def highest_bit(of, word, element, count, bits):
    by = of.numbers[element, of.top(element)]
    if count == 1:
        return operation(of, OP_SHIFT_RIGHT_LOGICAL, word, bits, by)
    parts = [operation(of, OP_SHIFT_RIGHT_LOGICAL, element, part, by) for part in of.elements(bits, element, count)]
    whole = of.new_id()
    of.construct(word, whole, parts)
    return whole


def extended(opcode):
    def rule(of, type_id, result, left, right):
        word = of.types[type_id][1][0]
        high = operation(of, OP_EXT_INST, word, of.functions, HIGH_WORD[opcode], left, right)
        of.construct(type_id, result, [operation(of, OP_I_MUL, word, left, right), high])
        return True
    return rule


RULES = {OP_MEMORY_MODEL: memory_model, OP_SIZE_OF: size_of}
RULES |= {opcode: carried(opcode) for opcode in (OP_ADD_CARRY, OP_SUB_BORROW)}
RULES |= {opcode: extended(opcode) for opcode in HIGH_WORD}
