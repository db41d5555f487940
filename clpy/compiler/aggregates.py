# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of whole structures and arrays become those of their members.

Clang makes none, SPIR-V has them; LLVM's optimizer sees little through them, and there are no vectors of structures.
"""
from clpy.llvm.ir import Builder, Types, functions

MOST_MEMBERS = 1024     # larger ones stay as they are


def is_aggregate(type_):
    return type_.is_struct or type_.is_array


def members(type_):
    return type_.fields if type_.is_struct else [type_.element] * type_.count


def leaves(type_):
    """How many members there are in the end, at most MOST_MEMBERS + 1."""
    if not is_aggregate(type_):
        return 1
    if type_.is_array:
        return min(type_.count, MOST_MEMBERS + 1) * leaves(type_.element)
    return sum(map(leaves, type_.fields))


class Splitter:
    def __init__(self, module):
        self.b = Builder(module)
        self.t = Types(module)

    def places(self, type_, pointer, align):
        """(index, type, pointer, alignment) of each member."""
        for i, member in enumerate(members(type_)):
            zero, index = self.t.i32.const(0), self.t.i32.const(i)
            known = min(align, member.align) if type_.align >= member.align else 1     # a packed structure
            yield i, member, self.b.gep(type_, pointer, [zero, index]), known

    def load(self, type_, pointer, align, volatile):
        if not is_aggregate(type_):
            made = self.b.load(type_, pointer)
            made.align, made.is_volatile = align, volatile
            return made
        value = type_.poison
        for i, member, place, known in self.places(type_, pointer, align):
            value = self.b.insert_value(value, self.load(member, place, known, volatile), i)
        return value

    def store(self, value, pointer, align, volatile):
        if not is_aggregate(value.type):
            made = self.b.store(value, pointer)
            made.align, made.is_volatile = align, volatile
            return
        for i, _, place, known in self.places(value.type, pointer, align):
            self.store(self.b.extract_value(value, i), place, known, volatile)


def run(module, lowering=None):
    splitter = Splitter(module)
    for function in functions(module):
        for inst in function.instructions_of("load", "store"):
            type_ = inst.type if inst.opcode == "load" else inst.operand(0).type
            if not is_aggregate(type_) or leaves(type_) > MOST_MEMBERS:
                continue
            splitter.b.before(inst)
            if inst.opcode == "load":
                inst.replace_with(splitter.load(type_, inst.operand(0), inst.align, inst.is_volatile))
            else:
                splitter.store(inst.operand(0), inst.operand(1), inst.align, inst.is_volatile)
            inst.erase()
