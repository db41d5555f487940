# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters have a base that all lanes share, and indices, where LLVM's code generator looks for them.

The processor takes a register with the base and a vector of indices, of 32 bits where they were extended from these.
LLVM makes that of addresses that are computed in the same block, by one step from the base. Where they come from
another block, as a loop's invariants do, or where constants were added to them, as for a member of a structure, it
computes vectors of addresses of 64 bits, which take twice the registers and two instructions for one.
"""
from clpy.llvm.ir import Builder, functions

POINTERS = {"llvm.masked.gather.": 0, "llvm.masked.scatter.": 1}     # which operand has the addresses
SIZES = (4, 8)                                                       # bytes of what the processor gathers
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


class Addresses:
    def __init__(self, module):
        self.b = Builder(module)

    def bring(self, call, operand):
        """Compute the addresses of one call in its own block, unless they are there as wanted."""
        pointers = call.operand(operand)
        found = steps_of(pointers)
        if found is None:
            return
        step, constant = found
        index = step.operand(1)
        extended = index.opcode in EXTENSIONS and index.block != call.block
        if step.block == call.block and not constant and not extended:
            return
        b = self.b.before(call)
        base = step.operand(0)
        for type_, numbers in reversed(constant):
            base = b.gep(type_, base, numbers, flags=0)
        if extended:
            index = b.cast(index.opcode, index.operand(0), index.type)
        call.set_operand(operand, b.gep(step.gep_source_type, base, [index], flags=0))
        if pointers.opcode and not pointers.has_users:
            pointers.erase()


def run(module, lowering):
    if not lowering.optimize:
        return
    addresses = Addresses(module)
    for function in functions(module):
        operand = next((n for name, n in POINTERS.items() if function.name.startswith(name)), None)
        if operand is None:
            continue
        for call in list(function.users):
            type_ = call.operand(0).type if operand else call.type
            if type_.element.size in SIZES:
                addresses.bring(call, operand)
