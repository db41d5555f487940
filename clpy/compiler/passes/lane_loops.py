# SPDX-License-Identifier: Apache-2.0
"""Masked accesses that the processor has no instruction for, in code that is made again: a loop over their lanes.

LLVM makes a branch for each lane, so that a scatter of eight is sixteen blocks, and takes as long for it as for a
hundred other instructions. A loop over the bits of the mask is one block, whatever the number of lanes; what differs
between lanes is taken from the stack. What has run for long is made anew without.
"""
from clpy.compiler import two_ways
from clpy.compiler.analysis.lane_addresses import EXTENSIONS, steps_of
from clpy.compiler.analysis.memory import odd_bits
from clpy.llvm.ir import Builder, Types, functions, intrinsic

KINDS = GATHER, SCATTER, LOAD, STORE = [f"llvm.masked.{name}." for name in ("gather", "scatter", "load", "store")]
LEAST = 4                   # lanes: fewer are as short apart
AVX_BITS, AVX512_BITS = 256, 512
STACK = 16                  # bytes that it is aligned to, in any function
NARROW = (1, 2)             # bytes: none has them before AVX-512


class Loops:
    def __init__(self, module):
        self.module, self.types, self.b = module, Types(module), Builder(module)
        self.slots = {}

    def replace(self, access, mask):
        """A load, a store, a gather or a scatter. Only a load has lanes of its own type that come out of it."""
        b, i64 = self.b.before(access), self.types.i64
        value = access.args[0] if access.type.is_void else access.args[-1]
        pointer = access.args[1 if access.type.is_void else 0]
        kept = self.slot(access, value.type, "kept")
        if access.type.is_void or not value.is_undef:
            b.store(value, kept).align = STACK
        place = self.by_index(access, pointer) if pointer.type.is_vector else self.beside(pointer, value.type.element)
        bits = two_ways.bits_of(b, self.types, mask)
        here = access.block
        head = here.split_before(access, "lanes")
        loop = access.function.append_block("lane")
        b.before(head.terminator)
        first = b.cast("zext", bits, i64)
        b.cond_br(b.icmp("ne", first, i64.const(0)), loop, here)
        head.terminator.erase()
        self.turn(loop, here, (first, head), access, kept, place)
        if not access.type.is_void:
            whole = b.before(access).load(value.type, kept)
            whole.align = STACK
            access.replace_with(whole)
        access.erase()
        while pointer.opcode and not pointer.has_users and pointer.type.is_vector:
            unused, pointer = pointer, pointer.operand(0)
            unused.erase()

    def turn(self, loop, here, enter, access, kept, place):
        """The block for one lane: the lowest that is left."""
        b, i64, is_store = self.b.at_end(loop), self.types.i64, access.type.is_void
        element = (access.args[0].type if is_store else access.type).element
        left = b.phi(i64)
        left.add_incoming(*enter)
        lane = b.call(intrinsic(self.module, "llvm.cttz", [i64]), [left, self.types.i1.const(1)])
        at, own = place(lane), b.gep(element, kept, [lane], flags=0)
        loaded = b.load(element, own if is_store else at)
        stored = b.store(loaded, at if is_store else own)
        (stored if is_store else loaded).align = 1
        rest = b.binop("and", left, b.sub(left, i64.const(1)))
        left.add_incoming(rest, loop)
        b.cond_br(b.icmp("eq", rest, i64.const(0)), here, loop)

    def beside(self, pointer, element):
        """Where a lane's place is, by its number: side by side."""
        return lambda lane: self.b.gep(element, pointer, [lane], flags=0)

    def by_index(self, access, pointers):
        """Likewise, each somewhere else: by indices from a base that all share, or by addresses."""
        b, found = self.b, steps_of(pointers)
        if found is None:
            slot = self.slot(access, pointers.type, "places")
            b.store(pointers, slot).align = STACK
            return lambda lane: b.load(pointers.type.element, b.gep(pointers.type.element, slot, [lane], flags=0))
        step, constant = found
        narrow, extension = self.in_memory(step.operand(1))
        base, slot = step.operand(0), self.slot(access, narrow.type, "places")
        for type_, numbers in reversed(constant):
            base = b.gep(type_, base, numbers, flags=0)
        b.store(narrow, slot).align = STACK

        def place(lane):
            own = b.load(narrow.type.element, b.gep(narrow.type.element, slot, [lane], flags=0))
            own = own if own.type == self.types.i64 else b.cast(extension, own, self.types.i64)
            return b.gep(step.gep_source_type, base, [own], flags=0)
        return place

    def in_memory(self, index):
        """(vector of what lies in memory element by element, how a number of it becomes one of 64 bits)"""
        if index.opcode in EXTENSIONS and not odd_bits(index.operand(0).type):
            return index.operand(0), index.opcode
        if not odd_bits(index.type):
            return index, "sext"
        wide = self.types.vector(self.types.i64, index.type.count)
        return self.b.cast("sext" if index.type.element.width < 64 else "trunc", index, wide), "sext"

    def slot(self, access, type_, name):
        """Room on the stack, which all loops of a function share."""
        key = access.function, type_, name
        if key not in self.slots:
            self.slots[key] = Builder(self.module).before(access.function.entry.first).alloca(type_)
            self.slots[key].align = STACK
        return self.slots[key]


def is_missing(name, type_, lowering):
    """Whether the processor has no such instruction for elements of that type."""
    if odd_bits(type_) or (name.startswith(STORE) and type_.element.size in NARROW):
        return False        # passes/narrow_stores.py: as short, and without a turn for each lane
    return lowering.vector_bits < AVX_BITS or type_.element.size in NARROW or name.startswith(SCATTER)


def run(module, lowering):
    if not lowering.optimize or not lowering.is_made_again or lowering.vector_bits >= AVX512_BITS:
        return
    loops = Loops(module)
    for function in [f for f in functions(module) if f.name.startswith(tuple(KINDS))]:
        for call in list(function.users):
            type_ = call.args[0].type if call.type.is_void else call.type
            mask = call.args[-1] if call.type.is_void else call.args[-2]
            if type_.count >= LEAST and not mask.is_constant and is_missing(function.name, type_, lowering):
                loops.replace(call, mask)
