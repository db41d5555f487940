# SPDX-License-Identifier: Apache-2.0
"""Vectors of bits that say which lanes take part. An analysis."""
MASK_REGISTERS = 512     # bits of a register where masks have registers
DEEP = 6


def is_mask(type_):
    return type_.is_vector and type_.element.is_int and type_.element.width == 1


def element_bits(type_):
    """Of a vector."""
    element = type_.element
    return 64 if element.is_pointer else element.size * 8 if element.is_float else element.width


def compared_bits(mask, depth):
    """Bits of the elements whose comparison the mask is, 0 if that is not seen."""
    op = mask.opcode
    if op in ("icmp", "fcmp"):
        bits = element_bits(mask.operand(0).type)
        return bits if bits in (8, 16, 32, 64) else 0
    values = mask.operands if op in ("and", "or", "xor", "select", "freeze", "phi") and depth < DEEP else ()
    return next((bits for v in values if is_mask(v.type) and (bits := compared_bits(v, depth + 1))), 0)
