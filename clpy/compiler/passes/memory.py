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
