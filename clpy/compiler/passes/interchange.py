# SPDX-License-Identifier: Apache-2.0
"""Exchange two nested loops of a work-item where the inner one then goes along rows of memory instead of down columns.

`for j: for k: c[j] += m[k * n + j]` reads a column in its inner loop. With k outside, each turn of the inner loop is
next to the one before, in memory and for LLVM's loop vectorizer. The sums stay the same to the bit: every c[j] is added
to in the same order. LLVM's own pass refuses that, since its dependence test only sees that c[j] is written in all
turns of k.

The nest must be perfect: two counters that go up by one, with the same kind of test, whose bounds and starts do not
change in it, and all else in the inner loop. What is written must lie at a place that one counter alone moves, by at
least its size; what may overlap it (by `restrict` and address spaces) must be the same place. Calls, other phis and
values that leave the nest forbid it.
"""
from clpy.compiler.analysis.access import Address, accessed_type, is_store, pointer_of
from clpy.compiler.analysis.distinct import may_alias
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import functions

FAR = 8      # cost of an access that jumps from turn to turn, where one to the next place costs 1 and none 0
PURE = ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "fneg",
        "select", "icmp", "fcmp", "sext", "zext", "trunc", "sitofp", "uitofp", "fptosi", "fptoui", "fpext", "fptrunc",
        "bitcast", "getelementptr", "extractelement", "insertelement", "shufflevector", "freeze", "addrspacecast")


class Counter:
    """The counter of a loop that is left by its header only; `fits` tells whether it is such a loop."""

    def __init__(self, cfg, loop):
        self.loop, self.fits = loop, False
        header = cfg.blocks[loop.header]
        insts = header.instructions
        if len(loop.latches) != 1 or [b for b, _ in loop.exits] != [loop.header] or \
                [i.opcode for i in insts] != ["phi", "icmp", "br"]:
            return
        self.phi, self.test, _ = insts
        inside = [cfg.number[block] in loop.blocks for _, block in self.phi.incoming]
        if len(inside) != 2 or inside[0] == inside[1] or self.test.operand(0) != self.phi or len(self.test.users) != 1:
            return
        self.way_in = inside.index(False)
        self.start, self.next = self.phi.incoming[self.way_in][0], self.phi.incoming[1 - self.way_in][0]
        self.bound = self.test.operand(1)
        self.fits = self.test.predicate in ("slt", "ult") and self.counts_up() and len(self.next.users) == 1

    def counts_up(self):
        """By one: then it ends even where the loop was never reached before the exchange."""
        add = self.next
        return add.opcode == "add" and add.operand(0) == self.phi and add.operand(1).is_const_int and \
            add.operand(1).sext == 1

    def like(self, other):
        return (self.phi.type == other.phi.type and self.test.predicate == other.test.predicate
                and (self.next.nsw, self.next.nuw) == (other.next.nsw, other.next.nuw))


class Nest:
    """An outer loop, and an inner one that is all there is in it."""

    def __init__(self, cfg, inner):
        self.cfg, self.function = cfg, cfg.function
        self.inner, self.outer = Counter(cfg, inner), Counter(cfg, inner.parent)
        self.body = [i for b in inner.blocks if b != inner.header for i in cfg.blocks[b].instructions]
        self.accesses = [i for i in self.body if i.opcode in ("load", "store")]
        self.addresses = {i: Address(pointer_of(i)) for i in self.accesses}

    def is_perfect(self):
        outer, inner = self.outer, self.inner
        if not (outer.fits and inner.fits and outer.like(inner)):
            return False
        if any(self.is_inside(v) for c in (outer, inner) for v in (c.start, c.bound)):
            return False
        around = [i for b in outer.loop.blocks - inner.loop.blocks - {outer.loop.header}
                  for i in self.cfg.blocks[b].instructions]
        if any(i.opcode != "br" and i != outer.next for i in around):
            return False
        return all(self.may_move(i) for i in self.body) and all(self.is_inside(u) for u in outer.phi.users)

    def is_inside(self, value):
        return bool(value.opcode) and self.cfg.number[value.block] in self.outer.loop.blocks

    def may_move(self, inst):
        op = inst.opcode
        if op == "br":
            return True
        if op in ("load", "store"):
            if inst.is_volatile or inst.is_atomic or accessed_type(inst).is_vector:
                return False
        elif op == "call":
            if not intrinsic_base(inst.callee.name):
                return False
        elif op not in PURE:
            return False
        blocks = self.inner.loop.blocks
        return all(self.cfg.number[user.block] in blocks for user in inst.users)

    # --- how addresses move

    def counters(self, value, found, depth=0):
        """Add the counters that a value depends on to `found`; False when it depends on what is not known."""
        if value in (self.inner.phi, self.outer.phi):
            found.add(value)
            return True
        if not self.is_inside(value):
            return True
        return depth < 10 and value.opcode in PURE and all(self.counters(v, found, depth + 1) for v in value.operands)

    def step(self, inst, counter):
        """Bytes that an access moves by when the counter grows by one; None: it moves, nobody knows how far."""
        total = 0
        for (leaf, how), factor in self.addresses[inst].terms.items():
            found = set()
            known = self.counters(leaf, found)
            if leaf == counter.phi and how != "low" and not total:
                total = factor
            elif factor and (not known or counter.phi in found):
                return None
        return total

    def cost(self, counter):
        """Of the memory that the nest touches with this counter inside."""
        return sum(0 if step == 0 else 1 if step == accessed_type(i).size else FAR
                   for i in self.accesses for step in [self.step(i, counter)])

    def pays(self):
        return self.cost(self.outer) < self.cost(self.inner)

    # --- legality

    def is_legal(self):
        stores = [i for i in self.accesses if is_store(i)]
        return all(self.of_one_counter(s) for s in stores) and all(
            self.in_order(s, other) for s in stores for other in self.accesses)

    def of_one_counter(self, store):
        """In all turns in which it writes to some byte, one counter is the same."""
        steps = [self.step(store, c) for c in (self.inner, self.outer)]
        return None not in steps and sorted(map(bool, steps)) == [False, True] and \
            max(map(abs, steps)) >= accessed_type(store).size

    def in_order(self, store, other):
        if not may_alias(self.function, pointer_of(store), pointer_of(other)):
            return True
        a, b = self.addresses[store], self.addresses[other]
        return a.key == b.key and a.constant == b.constant and accessed_type(store).size == accessed_type(other).size

    def exchange(self):
        """The counters change their places: starts and bounds, and what the body knows them by."""
        outer, inner = self.outer, self.inner
        other = {outer.phi: inner.phi, inner.phi: outer.phi}
        for inst in self.body:
            if inst != inner.next:
                for n, v in enumerate(inst.operands):
                    if v in other:
                        inst.set_operand(n, other[v])
        for one, two in ((outer, inner), (inner, outer)):
            one.phi.set_operand(one.way_in, two.start)
            one.test.set_operand(1, two.bound)


def nests_of(function):
    """The innermost nests of two loops."""
    cfg = laid_out(function)
    if not all(cfg.dominates(s, b) for b, succs in enumerate(cfg.succs) for s in succs if s <= b):
        return      # irreducible
    for loop in cfg.loops:
        siblings = [other for other in cfg.loops if other.parent is loop.parent]
        if loop.parent is not None and len(siblings) == 1 and not any(other.parent is loop for other in cfg.loops):
            yield Nest(cfg, loop)


def run(module, lowering):
    if not lowering.optimize:
        return
    for function in filter(is_kernel, functions(module)):
        for nest in nests_of(function):
            if nest.is_perfect() and nest.pays() and nest.is_legal():
                nest.exchange()
