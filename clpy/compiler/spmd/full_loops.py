# SPDX-License-Identifier: Apache-2.0
"""Loops that lanes leave one by one have turns of their own for as long as all lanes are in them.

`for (i = id; i < n; i += size)` goes on in nearly all turns for all lanes, whose bodies full_paths.py has twice. What
the copy without a mask comes back to is the header, though: it joins masks, blends what lanes leave with, and asks
whether any lane and whether all of them go on. Instead

    H: live = phi(true, go, true from the copy)          T: is any lane to leave? --> H     else the copy, and back to T
       go = live and condition; ...            becomes
       all lanes? --> the copy                           H: live = phi(true from T, go); ...     without the copy

`T` computes the condition and nothing else; what the header has for the copy is in the copy, where nobody has left.
"""
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.spmd.full_paths import is_any
from clpy.llvm.ir import Builder, Inst, Types, declare

ANY_OUTSIDE = "clpy.any.outside"      # a lane does not meet the condition; or one's number wraps on the way to it
EFFECTS = ("call", "load", "store", "atomicrmw", "cmpxchg", "fence")


class FullLoop:
    """A loop whose header ends with the question of a full path. `start`: the block before it; `latch`: the last one
    of the copy, `part`; `live`, `condition`, `go`: the header's masks, the last of which is the others together."""

    def __init__(self, cfg, header, active, true):
        self.header, self.true = header, true
        self.end = header.terminator
        self.found = self.end.opcode == "br" and self.end.is_conditional and self.find(cfg, active)

    def find(self, cfg, active):
        return self.find_copy(cfg) and self.find_masks(active) and self.condition_is_plain()

    def find_copy(self, cfg):
        number = cfg.number[self.header]
        self.rest, self.copy = self.end.successors
        if cfg.preds[cfg.number[self.copy]] != [number] or self.copy.phis or not is_any(self.end.operand(0)):
            return False
        self.part = cfg.dominated_by(cfg.number[self.copy])
        before = [cfg.blocks[b] for b in cfg.preds[number]]
        latches = [block for block in before if block in self.part]
        starts = [block for block in before if not cfg.dominates(number, cfg.number[block])]
        if len(latches) != 1 or len(starts) != 1:
            return False
        self.latch, self.start = latches[0], starts[0]
        leaving = {block for block in self.part if any(s not in self.part for s in block.successors)}
        last = self.latch.terminator
        return leaving == {self.latch} and last.opcode == "br" and last.successors[0] == self.header and (
            not last.is_conditional or (is_any(last.operand(0)) and last.operand(0).args[0] == self.true))

    def find_masks(self, active):
        """The lanes that go on are those that are in the loop and meet the condition; in the copy all are."""
        asked = self.end.operand(0).args[0]
        if asked.opcode != "xor" or asked.operand(1) != self.true or asked.operand(0).opcode != "select":
            return False
        self.go = asked.operand(0)
        self.live, self.condition, none = self.go.operands
        if self.live not in self.header.phis or not none.is_const_int or none.zext:
            return False
        comes = {block: value for value, block in self.live.incoming}
        return comes[self.latch] == self.true and comes[self.start] in (active, self.true)

    def condition_is_plain(self):
        """What it is made of in the header, in order, has no effects and depends on none."""
        wanted, self.steps = {self.condition}, []
        for inst in reversed(self.header.instructions):
            if inst not in wanted or inst.opcode == "phi":
                continue
            if inst.opcode in EFFECTS:
                return False
            self.steps.insert(0, inst)
            wanted.update(value for value in inst.operands if isinstance(value, Inst))
        return self.live not in wanted and self.condition in self.steps


class FullLoops:
    """Of a linearized function all of whose lanes take part, behind FullPaths."""

    def __init__(self, module, function):
        self.module, self.function = module, function
        self.b, self.true = Builder(module), Types(module).i1.const(1)
        self.active = next(p for p in function.params if p.name == "active")

    def run(self):
        loop = self.first()
        if loop is None:
            return
        while loop is not None:
            self.part(loop)
            loop = self.first()
        self.function.run_passes("instsimplify,dce")

    def first(self):
        cfg = laid_out(self.function)
        loops = (FullLoop(cfg, cfg.blocks[loop.header], self.active, self.true) for loop in cfg.loops)
        return next((loop for loop in loops if loop.found), None)

    def part(self, loop):
        together = self.function.append_block("together")
        values = self.head(loop, together)
        inside = self.body(loop, values)
        for phi in loop.header.phis:
            if phi != loop.live:
                comes = {block: value for value, block in phi.incoming}
                values[phi].add_incoming(comes[loop.start], loop.start)
                values[phi].add_incoming(inside.get(comes[loop.latch], comes[loop.latch]), loop.latch)
        self.lead_back(loop, together)
        for phi in loop.header.phis:
            self.come_from(phi, [loop.start, loop.latch], values[phi], together)
        end = loop.start.terminator
        for n, successor in enumerate(end.successors):
            if successor == loop.header:
                end.set_successor(n, together)
        asked = loop.end.operand(0)
        self.b.before(loop.end).br(loop.rest)
        loop.end.erase()
        if not asked.users:
            asked.erase()

    def head(self, loop, together):
        """The block that asks whether anybody leaves. Returns what the header's values are there."""
        b, values = self.b.at_end(together), {loop.live: self.true}
        for phi in loop.header.phis:
            if phi != loop.live:
                values[phi] = b.phi(phi.type, phi.name)
        for step in loop.steps:
            values[step] = b.insert(step.clone())
            values[step].exchange_operands(values)
        outside = declare(self.module, ANY_OUTSIDE, loop.end.operand(0).callee.value_type)
        b.cond_br(b.call(outside, [values[loop.condition]]), loop.header, loop.copy)
        return values

    def body(self, loop, values):
        """What the header has besides, at the start of the copy, where all lanes go on. Returns its values there."""
        inside = values | {loop.condition: self.true, loop.go: self.true}
        b, done = self.b.before(loop.copy.first), {*loop.steps, loop.go, loop.end, loop.end.operand(0)}
        for inst in loop.header.instructions:
            if inst.opcode == "phi" or inst in done:
                continue
            if is_any(inst) and inst.args[0] == loop.go:
                inside[inst] = self.true
                continue
            inside[inst] = b.insert(inst.clone())
            inside[inst].exchange_operands(inside)
        for block in loop.part:
            for inst in block.instructions:
                inst.exchange_operands(inside)
        return inside

    def lead_back(self, loop, together):
        """The copy goes back to where all lanes are together, and never on from its end."""
        last = loop.latch.terminator
        for behind in {s for s in last.successors if s != loop.header}:
            for phi in behind.phis:
                self.come_from(phi, [loop.latch])
        asked = last.operand(0) if last.is_conditional else None
        self.b.before(last).br(together)
        last.erase()
        if asked is not None and not asked.users:
            asked.erase()

    def come_from(self, phi, gone, value=None, block=None):
        """Without what came from the blocks that are gone, and with the value from the block."""
        new = self.b.before(phi).phi(phi.type, phi.name)
        for each, before in phi.incoming:
            if before not in gone:
                new.add_incoming(each, before)
        if block is not None:
            new.add_incoming(value, block)
        phi.replace_with(new)
        phi.erase()
