# SPDX-License-Identifier: Apache-2.0
"""Loads in a loop by which each lane walks along a row of its own, element after element. An analysis.

Between lanes the addresses are far apart (the length of a row is a constant), or nobody knows how far (it is an
argument), so each iteration would gather. But what a lane reads in the next iterations lies side by side: a block of so
many iterations as a register has lanes is read with one vector per lane, and transposed. That is right where nothing in
the loop may change what the block holds, and every iteration makes the load for the same lanes.
"""
from clpy.compiler.analysis.access import Address, accessed_type, is_access, is_store, mask_of, pointer_of
from clpy.compiler.analysis.own_vectors import is_filled

SIZES = (2, 4, 8)     # bytes of elements; of bytes gathers of words take less
LEAST_BITS = 256      # of a register, for which masked loads are instructions
SHORT = 16            # iterations that are too few


class Walks:
    """`of`: load -> the loop in which it walks. `strips` (spmd/strips.py), where loops have been taken apart: its `of`
    says which loads walk in which loop, of one block's turns, and loops `left` are too short."""

    def __init__(self, shapes, bits, strides, strips=None):
        self.shapes, self.cfg, self.strides, self.of, self.strips = shapes, shapes.cfg, strides, {}, {}
        if bits < LEAST_BITS:
            return
        for loop in self.cfg.loops:
            first = self.cfg.blocks[loop.header]
            if strips is not None and first in strips.of:
                self.strips[loop] = strips.of[first]
                self.of.update(dict.fromkeys(strips.of[first].loads, loop))
            elif strips is None or first not in strips.left:
                self.search(loop)

    def search(self, loop):
        blocks = [self.cfg.blocks[b] for b in loop.blocks if self.cfg.loop_of[b] is loop]
        loads = [i for block in blocks for i in block.instructions if self.is_candidate(i, loop)]
        if not loads or self.is_short(loop):
            return
        stores = [i for b in loop.blocks for i in self.cfg.blocks[b].instructions if may_write(i)]
        for load in loads:
            if all(is_access(s) and not self.strides.may_alias(pointer_of(load), pointer_of(s)) for s in stores):
                self.of[load] = loop

    def is_candidate(self, inst, loop):
        if inst.opcode != "call" or not inst.callee.name.startswith("clpy.mload"):
            return False
        pointer, type_ = pointer_of(inst), accessed_type(inst)
        if type_.size not in SIZES or not (is_whole(type_, inst.args[2].zext) or type_.is_int or type_.is_float):
            return False
        near = self.shapes[pointer] in (0, type_.size) or inst in self.strides.of
        if near or pointer in self.shapes.inside or self.cfg.is_inside(mask_of(inst), loop):
            return False
        every = len(loop.latches) == 1 and self.cfg.dominates(self.cfg.number[inst.block], loop.latches[0])
        return every and self.step(pointer, loop) == type_.size

    def step(self, pointer, loop, probable=False):
        """Bytes that the pointer moves from one iteration to the next; 0 when that is not known. `probable`: if no
        index wraps."""
        total = 0
        for (leaf, how), factor in Address(pointer, probable).terms.items():
            if not factor or not self.cfg.changes(leaf, loop):
                continue
            by = self.increment(leaf, "" if probable and how != "low" else how, loop)
            if not by:
                return 0
            total += factor * by
        return total

    def increment(self, phi, how, loop):
        """What is added to a header's phi in each iteration, exactly so in its extension; 0 when there is no such."""
        if phi.opcode != "phi" or self.cfg.number[phi.block] != loop.header or how not in ("", "sext", "zext"):
            return 0
        following = [v for v, block in phi.incoming if self.cfg.number[block] in loop.blocks]
        if len(following) != 1 or not following[0].opcode:
            return 0
        new = following[0]
        if new.opcode == "add" and new.operand(0) == phi and new.operand(1).is_const_int and (
                not how or (new.nsw if how == "sext" else new.nuw)):
            return new.operand(1).sext
        if new.opcode == "getelementptr" and new.operand(0) == phi:
            address = Address(new)
            return address.constant if address.key == Address(phi).key else 0
        return 0

    def tests(self, loop):
        """What decides whether the loop goes on, comparisons of integers."""
        ends = [self.cfg.blocks[b].terminator for b, _ in loop.exits]
        return [end.operand(0) for end in ends if end.n_operands > 1 and end.operand(0).opcode == "icmp"]

    def is_short(self, loop):
        """Known to run a few iterations only."""
        return any(v.is_const_int and 0 <= v.sext < SHORT for test in self.tests(loop) for v in test.operands)

    def ends(self, loop):
        """(counter, bound) where all lanes' counter goes up by one to a bound that is known before the loop is entered,
        but not now; else None."""
        for test in self.tests(loop):
            for left, bound in (test.operands, test.operands[::-1]):
                phi = left.operand(0) if left.opcode == "add" else left
                if (left.type.is_int and not bound.is_constant and not self.cfg.is_inside(bound, loop)
                        and self.increment(phi, "", loop) == 1 and self.shapes.uniform(phi)
                        and self.shapes.uniform(bound)):
                    return phi, bound
        return None


def is_whole(type_, align):
    """A short vector that may be read as one number."""
    return type_.is_vector and is_filled(type_) and align >= type_.size


def may_write(inst):
    if inst.opcode == "fence" or (inst.opcode == "call" and inst.callee.name.startswith("clpy.guarded")):
        return True
    return is_access(inst) and is_store(inst)
