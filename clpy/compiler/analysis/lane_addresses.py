# SPDX-License-Identifier: Apache-2.0
"""Addresses of gathers and scatters as a base that all lanes share, indices, and steps by constants behind them."""

EXTENSIONS = ("sext", "zext")


def same_for_all(value):
    """The number that an index is for all lanes, None where it is not one."""
    if value.is_const_int:
        return value
    if not value.type.is_vector or not value.is_constant or value.is_const_expr or value.is_undef:
        return None
    elements = [value.const_element(i) for i in range(value.type.count)]
    first = elements[0]
    return first if first is not None and first.is_const_int and all(e == first for e in elements) else None


def steps_of(pointers):
    """(the step from the base that lanes share, the steps by constants behind it, last one first), else None."""
    constant = []
    while pointers.opcode == "getelementptr":
        base, indices = pointers.operand(0), pointers.operands[1:]
        if not base.type.is_vector:
            return (pointers, constant) if len(indices) == 1 and indices[0].type.is_vector else None
        numbers = [same_for_all(index) for index in indices]
        if None in numbers:
            return None
        constant.append((pointers.gep_source_type, numbers))
        pointers = base
    return None
