# SPDX-License-Identifier: Apache-2.0
"""What compilers write into SPIR-V that is not quite valid, and the translator fails at: rules of spirv_legalize.py.

    OpSConvert, OpUConvert, OpFConvert   to the width that the value has: a copy (Clang's, for convert_int_sat(int))
    OpDecorate Alignment 4294967168      128 with its sign extended (Clang's, for vectors of 16 longs); others that are
                                         no power of two are dropped, as they tell nothing
"""
OP_DECORATE, OP_U_CONVERT, OP_S_CONVERT, OP_F_CONVERT, OP_BITCAST = 71, 113, 114, 115, 124
ALIGNMENT = 44
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


RULES = {OP_DECORATE: decorate, OP_U_CONVERT: convert, OP_S_CONVERT: convert, OP_F_CONVERT: convert}
