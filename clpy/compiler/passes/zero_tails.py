# SPDX-License-Identifier: Apache-2.0
"""Large constants that are mostly zeros are not in the object: it names one, and how it begins (compiler/zeros.py).

An array of 1 GB with three numbers would be written to the object, copied from there, and copied once more when it is
loaded. As memory that nobody wrote to it takes none.
"""
import hashlib

from clpy.compiler import zeros
from clpy.llvm.ir import Global, add_global, const_packed, global_variables

WORTH_IT = 1 << 20       # bytes of zeros
LONGEST_HEAD = 4096      # values, or arrays of such, in front of them


def run(module, lowering):
    for variable in global_variables(module):
        if not variable.is_fixed or variable.is_declaration or not variable.has_users:
            continue
        head = head_of(variable)
        if head is not None:
            move(module, variable, head)


def head_of(variable):
    """What is in front of the zeros that a constant ends in; None where it stays. As Clang has it, those are the last
    element of a structure."""
    value = variable.initializer
    if value.is_null:
        return [] if value.type.size >= WORTH_IT else None
    if not value.type.is_struct or not 1 < value.n_operands <= LONGEST_HEAD:
        return None
    *head, tail = [value.operand(i) for i in range(value.n_operands)]
    if not tail.is_null or tail.type.size < WORTH_IT or any(has_addresses(each) for each in head):
        return None
    packed = sum(each.type.size for each in head) + tail.type.size
    return head if packed == value.type.size else None


def has_addresses(value):
    """Whether the loader has to know of others' places to write it."""
    return isinstance(value, Global) or value.is_const_expr or any(has_addresses(each) for each in value.operands)


def move(module, variable, head):
    kept = const_packed(module, head)
    text = f"{variable.name} {kept}"
    name = zeros.name_of(variable.value_type.size, hashlib.blake2b(text.encode(), digest_size=12).hexdigest())
    place = add_global(module, name, variable.value_type, variable.address_space)
    place.align = variable.align
    if head:
        begin = add_global(module, f"{variable.name}.head", kept.type)
        begin.initializer = kept
        begin.set_internal()
        begin.set_section(zeros.section_of(name))
    variable.replace_with(place)
    variable.erase()
