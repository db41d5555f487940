# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters that the processor has no instruction for, or a slow one, from a base that all lanes share: a
load or a store for each lane. No processor has them for bytes and shorts; none has scatters before AVX-512.

LLVM makes loads of them as well, from addresses that it computes as vectors of 64 bits and takes apart again. Here the
indices are taken from their vector as narrow as they are, and each load adds its own to the base, as the processor does
for nothing.
"""
from clpy.compiler import two_ways
from clpy.compiler.analysis.lane_addresses import EXTENSIONS, steps_of
from clpy.llvm.ir import Builder, Types, const_splat, functions

GATHER, SCATTER = "llvm.masked.gather.", "llvm.masked.scatter."
NARROW = (1, 2)             # bytes
MOST_LANES = 16
AVX512_BITS = 512
# Processors without AVX-512 whose gathers LLVM uses (its feature fast-gather).
GATHERING = frozenset(("skylake", "alderlake", "raptorlake", "meteorlake", "gracemont", "arrowlake", "arrowlake-s",
                       "lunarlake", "pantherlake", "sierraforest", "grandridge", "clearwaterforest"))


def is_for_all(mask):
    """Every lane is set in a constant mask."""
    if not mask.is_constant or mask.is_const_expr or mask.is_undef:
        return False
    lanes = [mask.const_element(i) for i in range(mask.type.count)]
    return all(lane is not None and lane.is_const_int and lane.zext for lane in lanes)


class Accesses:
    def __init__(self, module):
        self.types, self.b = Types(module), Builder(module)

    def replace(self, access, pointers):
        """A gather or a scatter of all lanes, whose base they share."""
        found = steps_of(pointers)
        if found is None or pointers.type.count > MOST_LANES:
            return
        step, constant = found
        b = self.b.before(access)
        base, index = step.operand(0), step.operand(1)
        for type_, numbers in reversed(constant):
            base = b.gep(type_, base, numbers, flags=0)
        places = (b.gep(step.gep_source_type, base, [place], flags=0) for place in self.places(index))
        if access.type.is_void:
            self.store_each(access.args[0], places)
        else:
            access.replace_with(self.load_each(access.type, places))
        access.erase()
        while pointers.opcode and not pointers.has_users:
            unused, pointers = pointers, pointers.operand(0)
            unused.erase()

    def part(self, gather):
        """In front of a gather with a mask another one, for when all lanes are in it; returns that."""
        pointers, mask, _ = gather.args
        b = self.b
        some, every, here = two_ways.part(b, gather, lambda: two_ways.are_all(
            b, two_ways.bits_of(b, self.types, mask)), ("gather", "some", "every"))
        whole = b.call(gather.callee, [pointers, const_splat(mask.type, 1), gather.type.poison])
        b.br(here)
        either = b.before(here.instructions[0]).phi(gather.type)
        gather.replace_with(either)
        either.add_incoming(gather, some)
        either.add_incoming(whole, every)
        return whole

    def load_each(self, type_, places):
        made = type_.poison
        for lane, place in enumerate(places):
            loaded = self.b.load(type_.element, place)
            loaded.align = 1
            made = self.b.insert_element(made, loaded, self.types.i64.const(lane))
        return made

    def store_each(self, value, places):
        for lane, place in enumerate(places):
            self.b.store(self.b.extract_element(value, self.types.i64.const(lane)), place).align = 1

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


def are_loads(type_, lowering):
    """Gathers of that type become loads in any case."""
    return type_.element.size in NARROW or (
        lowering.vector_bits < AVX512_BITS and not lowering.is_made_again and lowering.target.cpu not in GATHERING)


def run(module, lowering):
    if not lowering.optimize:
        return
    accesses = Accesses(module)
    may_part = lowering.vector_bits < AVX512_BITS and not lowering.is_made_again     # more code
    for function in [f for f in functions(module) if f.name.startswith((GATHER, SCATTER))]:
        for call in list(function.users):
            if call.type.is_void:
                _, pointers, mask = call.args
                wanted = lowering.vector_bits < AVX512_BITS
            else:
                pointers, mask, _ = call.args
                wanted = are_loads(call.type, lowering)
            if wanted and may_part and not call.type.is_void and not mask.is_constant and steps_of(pointers):
                call = accesses.part(call)
                mask = call.args[1]
            if wanted and is_for_all(mask):
                accesses.replace(call, pointers)
