# SPDX-License-Identifier: Apache-2.0
"""What compilers write into SPIR-V that is not quite valid, or newer, and the translator fails at: rules of
spirv_legalize.py.

    OpSConvert, OpUConvert, OpFConvert   to the width that the value has: a copy (Clang's, for convert_int_sat(int))
    OpDecorate Alignment 4294967168      128 with its sign extended (Clang's, for vectors of 16 longs); others that are
                                         no power of two are dropped, as they tell nothing
    DebugSource of a file alone          with an empty text (newer translators': older ones want all operands)
"""
from array import array

OP_DECORATE, OP_U_CONVERT, OP_S_CONVERT, OP_F_CONVERT, OP_BITCAST = 71, 113, 114, 115, 124
ALIGNMENT = 44
OP_STRING, OP_EXT_INST, OP_EXT_INST_IMPORT, DEBUG_SOURCE = 7, 12, 11, 35
DEBUG_INFO = b"OpenCL.DebugInfo.100"
OF_A_FILE = 5           # operands of a DebugSource without a text
SIGN = 0xFFFFFF00


def convert(of, type_id, result, value):
    if width_and_count(of, type_id) != width_and_count(of, of.type_of[value]):
        return False
    of.emit(OP_BITCAST, type_id, result, value)
    return True


def width_and_count(of, type_id):
    """Bits of an element, and how many there are."""
    element, count = of.element_and_count(type_id)
    return of.types[element][1][0], count


def decorate(of, target, decoration, *operands):
    if decoration != ALIGNMENT or len(operands) != 1:
        return False
    align = operands[0] & ~SIGN if operands[0] >= SIGN else operands[0]
    if align == operands[0] and is_power_of_two(align):
        return False
    if is_power_of_two(align):
        of.emit(OP_DECORATE, target, decoration, align)
    return True


def is_power_of_two(number):
    return number > 0 and number & (number - 1) == 0


def text_in(words):
    """A literal string, without the zeros at its end."""
    return array("I", words).tobytes().rstrip(b"\0")


def note_instruction_set(of, result, *name):
    if text_in(name) == DEBUG_INFO:
        of.debug_info = result
    return False


def debug_source(of, *operands):
    if len(operands) != OF_A_FILE or operands[2] != of.debug_info or operands[3] != DEBUG_SOURCE:
        return False
    text = of.new_id()
    of.emit(OP_STRING, text, 0)
    of.emit(OP_EXT_INST, *operands, text)
    return True


RULES = {OP_DECORATE: decorate, OP_U_CONVERT: convert, OP_S_CONVERT: convert, OP_F_CONVERT: convert,
         OP_EXT_INST_IMPORT: note_instruction_set, OP_EXT_INST: debug_source}
