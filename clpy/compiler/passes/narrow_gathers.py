# SPDX-License-Identifier: Apache-2.0
"""Gathers of bytes and shorts from a base that all lanes share, which no processor has: a load for each lane.

LLVM makes loads of them as well, from addresses that it computes as vectors of 64 bits and takes apart again. Here the
indices are taken from their vector as narrow as they are, and each load adds its own to the base, as the processor does
for nothing.
"""
from clpy.compiler.analysis.lane_addresses import EXTENSIONS, steps_of
from clpy.llvm.ir import Builder, Types, functions

GATHER = "llvm.masked.gather."
SIZES = (1, 2)
MOST_LANES = 16


def is_for_all(mask):
    """Every lane is set in a constant mask."""
    if not mask.is_constant or mask.is_const_expr or mask.is_undef:
        return False
    lanes = [mask.const_element(i) for i in range(mask.type.count)]
    return all(lane is not None and lane.is_const_int and lane.zext for lane in lanes)


class Gathers:
    def __init__(self, module):
        self.types, self.b = Types(module), Builder(module)

    def replace(self, gather):
        found = steps_of(gather.args[0])
        if found is None or gather.type.count > MOST_LANES or not is_for_all(gather.args[1]):
            return
        step, constant = found
        b = self.b.before(gather)
        base, index = step.operand(0), step.operand(1)
        for type_, numbers in reversed(constant):
            base = b.gep(type_, base, numbers, flags=0)
        made = gather.type.poison
        for lane, place in enumerate(self.places(index)):
            loaded = b.load(gather.type.element, b.gep(step.gep_source_type, base, [place], flags=0))
            loaded.align = 1
            made = b.insert_element(made, loaded, self.types.i64.const(lane))
        pointers = gather.args[0]
        gather.replace_with(made)
        gather.erase()
        while pointers.opcode and not pointers.has_users:
            unused, pointers = pointers, pointers.operand(0)
            unused.erase()

    def places(self, index):
        """Each lane's index. 64 bits at a time are taken out of their vector: LLVM's scheduler puts all that is taken
        out before all loads, and parts of a word that it has in a register where they are needed."""
        b, i64 = self.b, self.types.i64
        extension = index.opcode if index.opcode in EXTENSIONS else "sext"
        narrow = index.operand(0) if index.opcode in EXTENSIONS else index
        bits, count = narrow.type.element.width, narrow.type.count
        if 64 % bits or count * bits % 64:
            for lane in range(count):
                yield b.cast(extension, b.extract_element(narrow, i64.const(lane)), i64)
            return
        words = b.cast("bitcast", narrow, self.types.vector(i64, count * bits // 64))
        down = {"sext": "ashr", "zext": "lshr"}[extension]
        for number in range(words.type.count):
            word = b.extract_element(words, i64.const(number))
            for first in range(0, 64, bits):
                if first + bits == 64:
                    yield b.binop(down, word, i64.const(first)) if first else word
                    break
                part = b.binop("lshr", word, i64.const(first)) if first else word
                yield b.cast(extension, b.cast("trunc", part, narrow.type.element), i64)


def run(module, lowering):
    if not lowering.optimize:
        return
    gathers = Gathers(module)
    for function in [f for f in functions(module) if f.name.startswith(GATHER)]:
        for call in list(function.users):
            if call.type.element.size in SIZES:
                gathers.replace(call)
