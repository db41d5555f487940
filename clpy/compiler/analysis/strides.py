# SPDX-License-Identifier: Apache-2.0
"""Accesses with a small constant stride between lanes, and which lie in one interleaved structure. An analysis.

Lanes that load the members of an array of structures touch, together, memory without gaps: wide vectors and shuffles
get there what gathers would fetch lane by lane. Accesses of one block under one mask whose addresses differ by a
constant make a group; a `Piece` tells what the group touches around an access. The first load of a group reads for all;
the last store writes for all. So no store between loads may change what they read, and nothing between stores may look
at their place.
"""
from clpy.compiler.analysis.access import (
    Address,
    accessed_type,
    is_access,
    is_store,
    mask_of,
    pointer_of,
    stored_bytes,
)
from clpy.compiler.analysis.distinct import may_alias
from clpy.compiler.analysis.memory import odd_bits
from clpy.compiler.analysis.transfer import VARYING

FEW = 4        # elements from lane to lane that pay for any access
MOST = 16      # and where most of what lies between is touched as well
GATHERED = 3   # cost of a gather's or scatter's lane, in loads and shuffles of whole vectors
ANY_MASKED = 512   # bits of a register where masked accesses cost no more than others


class Group:
    """Accesses in a window of |stride| bytes; `members`: (instruction, bytes behind the window's start) in order."""

    def __init__(self, stride, members):
        self.stride = stride
        self.bytes = abs(stride)
        self.members = members
        self.touched = {at + i for inst, at in members for i in range(stored_bytes(accessed_type(inst)))}

    @property
    def is_complete(self):
        return len(self.touched) == self.bytes


class Piece:
    """Of an access: elements from lane to lane (`pitch`), its own place among them, and which ones are touched."""

    def __init__(self, group, inst, at):
        type_ = accessed_type(inst)
        size = type_.scalar.size
        self.group, self.at = group, at
        self.start = at % size                 # bytes from the window's start to that of the elements
        self.place = at // size
        self.pitch = group.bytes // size
        self.count = type_.count if type_.is_vector else 1
        self.touched = [all(self.start + slot * size + i in group.touched for i in range(size))
                        for slot in range(self.pitch)]

    def cost(self):
        """Of a full register of lanes: its part of the group's loads or stores, and shuffles."""
        shuffles = max(1, self.pitch - 1) if self.count == 1 else self.count
        return self.pitch / len(self.group.members) + shuffles


# --- addresses as sums


# --- groups

class Found:
    """Accesses that may make a group: (instruction, address) pairs; `since`: how many stores came before the first one,
    for loads without those that still wait for others, as they are written later."""

    def __init__(self, since):
        self.members, self.since = [], since


class Strides:
    """Finds the groups of a linearized function. `of`: access -> Piece; `last`: store that writes for its group ->
    Group. `bits`: of a vector register."""

    def __init__(self, shapes, bits):
        self.shapes, self.bits = shapes, bits
        self.of, self.last = {}, {}
        for block in shapes.cfg.blocks:
            self.search(block)

    def search(self, block):
        """Collect accesses by address, mask and stride. A load joins the loads before it if no store in between may
        change what it reads; a store waits for those behind it until something may look at its place."""
        loads, stores, written = {}, {}, []
        for inst in block.instructions:
            if inst.opcode == "fence" or (inst.opcode == "call" and inst.callee.name.startswith("clpy.guarded")):
                self.finish(loads)
                self.finish(stores)
                loads, stores, written = {}, {}, []
            if not is_access(inst) or not (is_store(inst) or stores or self.is_strided(inst)):
                continue
            address, key = Address(pointer_of(inst)), None
            if self.is_strided(inst):
                size = accessed_type(inst).scalar.size if is_store(inst) else 0
                key = (address.key, mask_of(inst), self.shapes[pointer_of(inst)], size)
            for other in [k for k, found in stores.items() if self.meets(inst, address, found.members, k == key)]:
                self.finish({other: stores.pop(other)})
            if key is not None and not is_store(inst):
                if key in loads and self.meets(inst, address, written[loads[key].since:], False):
                    self.finish({key: loads.pop(key)})
                since = min((found.since for found in stores.values()), default=len(written))
                loads.setdefault(key, Found(since)).members.append((inst, address))
            elif key is not None:
                stores.setdefault(key, Found(len(written))).members.append((inst, address))
            if is_store(inst):
                written.append((inst, address))
        self.finish(loads)
        self.finish(stores)

    def is_strided(self, inst):
        """Lanes lie apart by a few elements, or lie side by side in falling order."""
        type_, stride = accessed_type(inst), self.shapes[pointer_of(inst)]
        e = type_.scalar
        if stride in (0, VARYING) or not (e.is_float or e.is_int or e.is_pointer) or (e.is_int and odd_bits(e)):
            return False
        if stride == type_.size or stride % e.size or abs(stride) < stored_bytes(type_):
            return False
        return abs(stride) <= MOST * e.size and pointer_of(inst) not in self.shapes.inside

    def meets(self, inst, address, waiting, own):
        """Whether an access may be to the place of a store that waits for the others of its group, in one lane."""
        for store, other in waiting:
            if address.key != other.key:
                if self.may_alias(pointer_of(inst), pointer_of(store)):
                    return True
            elif not (own and address.constant == other.constant) and overlap(inst, address, store, other):
                return True
        return False

    def may_alias(self, a, b):
        """Whether two pointers may lead to the same memory."""
        return may_alias(self.shapes.cfg.function, a, b)

    def finish(self, found):
        """Cut each set of accesses into windows of a stride's size."""
        for (_, _, stride, size), one in found.items():
            members = sorted(one.members, key=lambda m: m[1].constant)
            while members:
                low = members[0][1].constant
                fits = [(i, a) for i, a in members if a.constant + stored_bytes(accessed_type(i)) <= low + abs(stride)
                        and (not size or (a.constant - low) % size == 0)]
                members = [m for m in members if m not in fits]
                self.consider(Group(stride, [(i, a.constant - low) for i, a in fits]), bool(size))

    def consider(self, group, stores):
        pieces = {inst: Piece(group, inst, at) for inst, at in group.members}
        if not all(self.is_worth(piece, inst) for inst, piece in pieces.items()) or (
                stores and not group.is_complete and self.bits < ANY_MASKED):
            return
        self.of.update(pieces)
        if stores:
            block = group.members[0][0].block
            self.last[[i for i in block.instructions if i in pieces][-1]] = group

    def is_worth(self, piece, inst):
        """Whether shuffles beat gathers."""
        if piece.pitch > FEW and 2 * sum(piece.touched) < piece.pitch:
            return False
        lanes = self.bits // 8 // max(accessed_type(inst).scalar.size, 4)
        return piece.cost() <= GATHERED * lanes * piece.count


def overlap(inst, address, other, place):
    """Whether two accesses with comparable addresses have a byte in common."""
    return address.constant < place.constant + stored_bytes(accessed_type(other)) and \
        place.constant < address.constant + stored_bytes(accessed_type(inst))
