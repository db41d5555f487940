# SPDX-License-Identifier: Apache-2.0
"""Which innermost loops of a work-item LLVM's loop vectorizer makes vectors of when work-items run one by one. An
analysis of the linearized function.

Such a loop counts to a bound that all lanes share and reads and writes neighbours from turn to turn, upwards or
downwards, or all members of structures. Where the lanes lie far apart, as with a row for each work-item, its vectors
are worth more than vectors of work-items. A sum of floats is no such loop: it has an order. All this is an estimate:
LLVM looks at run time whether indices wrap, or arguments and rows of one array overlap.
"""
from clpy.compiler.analysis.access import Address, accessed_type, is_access, is_store, mask_of, pointer_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import base_of

MOST = 8       # members of a structure: of more LLVM's vectors seldom pay
IN_ANY_ORDER = ("add", "mul", "and", "or", "xor")   # of integers


class InnerLoops:
    """`found`: the loops. `walks` knows how addresses move."""

    def __init__(self, walks):
        self.walks, self.cfg = walks, walks.cfg
        inner = [lp for lp in self.cfg.loops if not any(other.parent is lp for other in self.cfg.loops)]
        self.found = [lp for lp in inner if not walks.is_short(lp) and self.is_simple(lp)]

    def is_simple(self, loop):
        insts = [i for b in sorted(loop.blocks) for i in self.cfg.blocks[b].instructions]
        if len(loop.latches) != 1 or len(loop.exits) != 1 or not all(self.is_plain(i, loop) for i in insts):
            return False
        accesses = [i for i in insts if is_access(i)]
        return bool(accesses) and self.are_dense(accesses, loop) and \
            not any(is_store(a) and self.meet(a, b, loop) for a in accesses for b in accesses)

    def are_dense(self, accesses, loop):
        """What is written leaves no gaps, and most of what lies between what is read is read as well."""
        members = {}
        for inst in accesses:
            size, step = accessed_type(inst).size, abs(self.walks.step(pointer_of(inst), loop, True))
            if step > size:
                address = Address(pointer_of(inst), True)
                group = members.setdefault((address.key, is_store(inst), size, step), set())
                group.add(address.constant % step // size)
        return all((len(found) if writes else 2 * len(found)) >= step // size
                   for (_, writes, size, step), found in members.items())

    def is_plain(self, inst, loop):
        op = inst.opcode
        if is_access(inst):
            type_, pointer = accessed_type(inst), pointer_of(inst)
            if type_.is_vector or (mask_of(inst) is not None and self.cfg.is_inside(mask_of(inst), loop)):
                return False
            members, rest = divmod(abs(self.walks.step(pointer, loop, True)), type_.size)
            return (0 < members <= MOST and not rest) or (not is_store(inst) and not self.cfg.changes(pointer, loop))
        if op == "phi":
            return self.counts(inst, loop)
        if op == "call":
            return bool(intrinsic_base(inst.callee.name))
        if op == "br" and inst.n_operands > 1:
            return self.walks.shapes.uniform(inst.operand(0))
        return op not in ("load", "store", "atomicrmw", "cmpxchg", "fence", "switch", "udiv", "sdiv", "urem", "srem")

    def counts(self, phi, loop):
        """A counter, or a sum that has no order."""
        if self.cfg.number[phi.block] != loop.header:
            return False
        if self.walks.increment(phi, "", loop):
            return True
        following = next(v for v, block in phi.incoming if self.cfg.number[block] in loop.blocks)
        return phi.type.is_int and following.opcode in IN_ANY_ORDER and phi in following.operands

    def meet(self, store, other, loop):
        """They may be of one place in different turns, so that the order counts; of arguments that may overlap LLVM
        makes sure at run time. What is read before it is written in a later turn is no trouble."""
        if base_of(pointer_of(store)) != base_of(pointer_of(other)):
            return False
        a, b = Address(pointer_of(store), True), Address(pointer_of(other), True)
        if a.key == b.key and a.constant == b.constant:
            return False
        if a.key != b.key:            # rows of one array, which LLVM looks at like arguments
            return False
        step = self.walks.step(pointer_of(store), loop, True)
        ahead = (b.constant - a.constant) * step
        return not self.are_members(store, other, b.constant - a.constant, step) and (
            is_store(other) or ahead <= 0 or not self.comes_first(other, store))

    def are_members(self, store, other, distance, step):
        """They are of places in a structure that have nothing in common."""
        apart = distance % abs(step)
        return accessed_type(store).size <= apart <= abs(step) - accessed_type(other).size

    def comes_first(self, inst, other):
        if inst.block != other.block:
            return False
        insts = inst.block.instructions
        return insts.index(inst) < insts.index(other)

    def elements(self, loop):
        """Bytes of the largest element that is read or written."""
        return max(accessed_type(i).size for b in loop.blocks for i in self.cfg.blocks[b].instructions if is_access(i))
