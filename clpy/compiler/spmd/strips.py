# SPDX-License-Identifier: Apache-2.0
"""Loops in which lanes walk along rows (analysis/walks.py), as strips: as many turns at a time as a block of rows
holds.

A loop that knows how many turns are left reads blocks without a look at the ends of pages, and when its strip is
unrolled the block is values in registers:

    while turns left >= TURNS: for (u = 0; u < TURNS; u++) body        for what is left: body

What is left gathers. That takes an innermost loop of few instructions, whose one counter goes up by one to a bound that
does not change, and which nothing else leaves. Its test may be at the end; one turn at least is left for that.
"""
from collections import namedtuple

from clpy.compiler.spmd.clone import copy_blocks
from clpy.llvm.ir import Builder, Types, intrinsic

MOST = 60          # instructions of a turn: there will be a copy for each of a block's
ASKED = ("slt", "ult", "ne")
SWAPPED = {"sgt": "slt", "ugt": "ult", "ne": "ne"}
OTHERWISE = {"sge": "slt", "uge": "ult", "eq": "ne", "sle": "sgt", "ule": "ugt"}


class Strip(namedtuple("Strip", "counter latch loads")):
    """Of a loop that takes one: what counts its turns from 0, and the loads by which lanes walk."""
    __slots__ = ()


class Turns:
    """How many a loop has. `test`: what its counter and the bound are as long as it goes on, slt, ult or ne, None where
    that is not known; `at_top`: it is asked before each turn."""

    def __init__(self, walks, loop):
        cfg, self.test = walks.cfg, None
        if len(loop.latches) != 1 or len(loop.exits) != 1 or any(lp.parent is loop for lp in cfg.loops):
            return
        leaves = loop.exits[0][0]
        self.at_top = leaves not in loop.latches
        end = cfg.blocks[leaves].terminator
        test = end.operand(0)
        if test.opcode != "icmp" or leaves not in (loop.header, loop.latches[0]):
            return
        stays = cfg.number[end.successors[0]] in loop.blocks
        said = test.predicate if stays else OTHERWISE.get(test.predicate)
        for phi in cfg.blocks[loop.header].phis:
            looked_at = phi if self.at_top else next(v for v, block in phi.incoming if cfg.number[block] in loop.blocks)
            if looked_at not in test.operands or walks.increment(phi, "", loop) != 1 or not walks.shapes.uniform(phi):
                continue
            first = test.operand(0) == looked_at
            predicate, bound = said if first else SWAPPED.get(said), test.operand(int(first))
            if predicate in ASKED and not cfg.is_inside(bound, loop) and walks.shapes.uniform(bound):
                self.test, self.counter, self.bound = predicate, phi, bound

    def are_left(self, module, b, counter, many):
        """Whether there are so many, and behind them one more where the test is at the end."""
        type_ = counter.type
        if self.test == "ne":
            left = b.sub(self.bound, counter)
            return b.icmp("uge", left if self.at_top else b.sub(left, type_.const(1)), type_.const(many))
        sign = "s" if self.test == "slt" else "u"
        left = b.call(intrinsic(module, f"llvm.{sign}sub.sat", [type_]), [self.bound, counter])
        return b.icmp(sign + ("ge" if self.at_top else "gt"), left, type_.const(many))


class Strips:
    """Takes a linearized function's loops apart. `of`: the first block of a loop of one strip -> Strip; `left`: those
    of loops for the turns that are left."""

    def __init__(self, module, function, walks, bits):
        self.module, self.function, self.walks, self.bits = module, function, walks, bits
        self.cfg, self.b, self.types = walks.cfg, Builder(module), Types(module)
        self.of, self.left = {}, set()

    def run(self):
        """Whether there are any now."""
        for loop in dict.fromkeys(self.walks.of.values()):
            turns = Turns(self.walks, loop)
            before = [p for p in self.cfg.preds[loop.header] if p not in loop.blocks]
            size = sum(len(self.cfg.blocks[b].instructions) for b in loop.blocks)
            if turns.test and len(before) == 1 and size <= MOST:
                self.take_apart(loop, turns, self.cfg.blocks[before[0]])
        return bool(self.of)

    def take_apart(self, loop, turns, before):
        cfg, b = self.cfg, self.b
        header, latch = cfg.blocks[loop.header], cfg.blocks[loop.latches[0]]
        loads = [load for load, inside in self.walks.of.items() if inside is loop]
        head, values = self.function.append_block("strips"), {}
        copies = copy_blocks(self.module, [cfg.blocks[n] for n in sorted(loop.blocks)], self.function, values)
        first, last, after = copies[header], copies[latch], self.function.append_block("strip.end")
        b.at_end(after).br(head)
        b.at_end(head)
        begins = {phi: b.phi(phi.type, phi.name) for phi in header.phis}
        for phi, begin in begins.items():
            start, following = (next(v for v, block in phi.incoming if block == where) for where in (before, latch))
            values[phi] = enters(b, values[phi], before, (begin, head))
            begin.add_incoming(start, before)
            begin.add_incoming(following, after)
        for begin in begins.values():
            begin.set_operand(1, values.get(begin.operand(1), begin.operand(1)))
        many = max(self.bits // 8 // load.type.size for load in loads)
        b.at_end(head)
        b.cond_br(turns.are_left(self.module, b, begins[turns.counter], many), first, header)
        if turns.at_top:
            inside = next(s for s in first.successors if s in copies.values())
            self.b.before(first.terminator).br(inside)
            first.terminator.erase()
        self.of[first] = Strip(self.counted(first, last, head, after, many), last, [values[load] for load in loads])
        for phi, begin in begins.items():
            enters(b, phi, before, (begin, head))
        end = before.terminator
        for n, block in enumerate(end.successors):
            if block == header:
                end.set_successor(n, head)
        self.left.add(header)

    def counted(self, first, last, head, after, many):
        """The counter of a strip's turns; the strip ends by it and goes on by `after`, a block of its own: a branch to
        `head` would say of the loop over strips, once its own loop is unrolled, that this one is to be unrolled as
        well (lanes of 128 numbers became 11,000 instructions, which took 1.6 times as long)."""
        b, i64 = self.b, self.types.i64
        counter = b.before(first.first).phi(i64, "turn")
        b.before(last.terminator)
        following = b.add(counter, i64.const(1), nuw=True, nsw=True)
        b.cond_br(b.icmp("eq", following, i64.const(many)), after, first)
        last.terminator.erase()
        counter.add_incoming(i64.const(0), head)
        counter.add_incoming(following, last)
        return counter


def enters(b, phi, before, way):
    """The phi, with another way in; `way`: the value and the block that it comes from for what came from `before`."""
    new = b.before(phi).phi(phi.type, phi.name)
    for value, block in phi.incoming:
        new.add_incoming(*(way if block == before else (value, block)))
    phi.replace_with(new)
    phi.erase()
    return new
