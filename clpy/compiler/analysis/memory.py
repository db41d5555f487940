# SPDX-License-Identifier: Apache-2.0
"""Which object a pointer leads to, as far as the address arithmetic shows."""
from clpy.llvm.ir import Inst

PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC = range(5)
STEPS = ("getelementptr", "addrspacecast", "bitcast")


def base_of(pointer):
    """The value that `pointer` is computed from, through address arithmetic and casts; constants' too."""
    while True:
        if isinstance(pointer, Inst):
            is_step = pointer.opcode in STEPS
        else:
            is_step = pointer.is_const_expr and pointer.const_opcode in STEPS
        if not is_step:
            return pointer
        pointer = pointer.operand(0)


def space_of(pointer):
    """Address space of the object that `pointer` leads to, GENERIC when that is not seen. Context memory and the
    launch's own records have none of their own: they count as PRIVATE here."""
    space = pointer.type.address_space
    return base_of(pointer).type.address_space if space == GENERIC else space


def is_private(pointer):
    """May lead to an alloca of the running work-item (parameters of the frame and of the kernel do not)."""
    if pointer.type.address_space not in (PRIVATE, GENERIC):
        return False
    base = base_of(pointer)
    return not base.is_argument and base.type.address_space in (PRIVATE, GENERIC)


def odd_bits(type_):
    """Bits of an integer, or of a vector's integers, that memory cannot hold as they are; they are stored wider, since
    a vector of them would lie packed in memory. 0 for other types."""
    e = type_.scalar
    return e.width if e.is_int and e.width not in (8, 16, 32, 64, 128) else 0


def wider_bits(bits):
    return max(8, 1 << (bits - 1).bit_length())


def stored_size(type_):
    """(size, alignment) of a value in context memory."""
    bits = odd_bits(type_)
    if not bits:
        return type_.size, type_.align
    count = type_.count if type_.is_vector else 1
    size = wider_bits(bits) // 8 << (count - 1).bit_length()
    return size, size
