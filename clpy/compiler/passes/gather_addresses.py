# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters have a base that all lanes share, and indices, where LLVM's code generator looks for them.

The processor takes a register with the base and a vector of indices, of 32 bits where they were extended from these.
LLVM makes that of addresses that are computed in the same block, by one step from the base. Where they come from
another block, as a loop's invariants do, or where constants were added to them, as for a member of a structure, it
computes vectors of addresses of 64 bits, which take twice the registers and two instructions for one.
"""
from clpy.compiler.analysis.lane_addresses import EXTENSIONS, steps_of
from clpy.llvm.ir import Builder, functions

POINTERS = {"llvm.masked.gather.": 0, "llvm.masked.scatter.": 1}     # which operand has the addresses
SIZES = (4, 8)                                                       # bytes of what the processor gathers


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
