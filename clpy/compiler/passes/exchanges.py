# SPDX-License-Identifier: Apache-2.0
"""What a work-item exchanges in local memory under a condition is written in any case, as it was where it is not met.

`if (key[i] > key[j]) { swap keys; swap values; }` is what sorting does, and whether is anyone's guess: one by one that
is a branch that a processor foresees every other time, and of vectors a store for each lane behind one.

A work-item may write back what a place had if no other changes that place meanwhile. Where it has read the place
itself, with nothing in between that orders memory, another's store would be a race. So it would where it has read the
place of the same number in another array, and that one is written together with the first. A group runs on one thread,
so that nobody else sees the store. That is done for exchanges alone, of two places or more: programs set single places
by several work-items at once, as if one of them had to win.
"""
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import LOCAL
from clpy.compiler.analysis.transfer import PURE
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import Builder, functions

MOST = 24                                  # instructions that are always run then
SLOW = frozenset(("udiv", "sdiv", "urem", "srem", "fdiv", "frem"))


def is_plain(inst):
    """A load or store of local memory that is nothing but that."""
    pointer = inst.operands[-1]
    return pointer.type.address_space == LOCAL and not inst.is_volatile and not inst.is_atomic


def place_of(pointer):
    """(array, index) of a variable of the program in local memory, else None."""
    if pointer.opcode != "getelementptr" or not pointer.operand(0).is_constant:
        return None
    array, *indices = pointer.operands
    if not hasattr(array, "value_type") or not array.value_type.is_array or not all(
            i.is_const_int and i.zext == 0 for i in indices[:-1]):
        return None
    own = pointer.gep_source_type
    steps = own.size if len(indices) == 1 else own.element.size if len(indices) == 2 and own.is_array else 0
    return (array, indices[-1]) if steps == array.value_type.element.size else None


class Exchange:
    """A block that `before` may skip, which only loads, computes and stores."""

    def __init__(self, before, block):
        self.before, self.block = before, block
        self.stores = [i for i in block.instructions if i.opcode == "store"]

    def read_before(self):
        """Pointers that are read in any case, with nothing behind it that orders memory."""
        found = []
        for inst in reversed(self.before.instructions):
            op = inst.opcode
            if op in ("atomicrmw", "cmpxchg", "fence") or (op == "call" and not intrinsic_base(inst.callee.name)):
                break
            if op == "load" and is_plain(inst):
                found.append(inst.operand(0))
        return found

    def may_run(self):
        """Whether nothing of it can be seen by others or fault where the condition is not met."""
        insts = self.block.instructions[:-1]
        if not self.stores or len(insts) > MOST:
            return False
        for inst in insts:
            op = inst.opcode
            if op in ("load", "store"):
                if not is_plain(inst):
                    return False
            elif op not in PURE or op in SLOW:
                return False
        read = self.read_before()
        places = [place for place in map(place_of, read) if place is not None]
        written = {s.operand(1) for s in self.stores if s.operand(1) in read}
        owned = [place_of(pointer) for pointer in written]
        if len(written) < 2:
            return False
        for inst in insts:
            if inst.opcode in ("load", "store") and inst.operands[-1] not in read:
                place = place_of(inst.operands[-1])
                among = places if inst.opcode == "load" else [place for place in owned if place is not None]
                if place is None or not any(is_like(place, other) for other in among):
                    return False
        return True

    def make(self, builder):
        """Before the branch; the block stays, and is empty."""
        end = self.before.terminator
        condition = end.operand(0)
        first = end.successors[0] == self.block
        first_store, behind = None, set()
        for inst in self.block.instructions[:-1]:
            inst.detach()
            builder.before(end).insert(inst)
            behind.add(inst)
            if inst.opcode != "store":
                continue
            if first_store is None:
                first_store, behind = inst, set()
            value, pointer = inst.operands
            # Where the condition is not met, the stores in front of this one change nothing.
            old = builder.before(inst if pointer in behind else first_store).load(value.type, pointer)
            old.align = inst.align
            kept = builder.before(inst).select(condition, *((value, old) if first else (old, value)))
            inst.set_operand(0, kept)


def is_like(place, other):
    """The same number in an array that is no shorter."""
    (array, index), (known, known_index) = place, other
    a, b = array.value_type, known.value_type
    return index == known_index and a.element == b.element and a.count >= b.count


def found(function):
    """Blocks with one way in, from a block that goes on where they do."""
    ways = {}
    for block in function.blocks:
        for successor in block.successors:
            ways[successor] = ways.get(successor, 0) + 1
    for before in function.blocks:
        end = before.terminator
        if end.opcode != "br" or not end.is_conditional:
            continue
        for block, other in (end.successors, end.successors[::-1]):
            if block != other and ways[block] == 1 and block.successors == [other]:
                yield Exchange(before, block)


def run(module, lowering):
    if not lowering.optimize or lowering.target.lockstep:        # an observer sees the accesses as they are written
        return
    builder = Builder(module)
    for function in functions(module):
        if not is_kernel(function):
            continue
        changed = [exchange for exchange in found(function) if exchange.may_run()]
        for exchange in changed:
            exchange.make(builder)
        if changed:
            function.run_passes("simplifycfg,early-cse<memssa>")
