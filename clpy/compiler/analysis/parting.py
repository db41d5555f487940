# SPDX-License-Identifier: Apache-2.0
"""Where lanes part, and which phis differ for it: two rules for the analysis of shapes, for two ways to run lanes.

`InStep`: the lanes go through the function together, those of a side that not all take wait for each other at its end.
A loop's counter is the same in all lanes as long as they are in it; what leaves a loop does so through a phi (LCSSA),
one edge leads back to its header, where lanes meet before it, and the graph is reducible: normal form has it so.
`Apart`: the work-items go through the function one after the other, on any graph. One rule covers control and time
then: behind a branch that parts them every phi differs up to and including the place where all ways meet again, the
phis of loops among them, and loop-carried values change through phis only. Where all come by the same edge, and once,
phis do not differ. At a barrier, a block of `cuts`, all that have not ended are together again; that they come to the
same one is for the caller to look at.
"""
from clpy.compiler.analysis.graph import reachable


class Apart:
    trusts_attributes = True       # a function without memory, by its attribute, is one of its arguments
    in_step = False

    def __init__(self, shapes, cuts=()):
        self.shapes, self.cfg, self.cuts = shapes, shapes.cfg, frozenset(cuts)
        self.divergent = set()     # numbers of blocks whose branch parts the lanes

    def spread(self):
        """Looks at branches again; returns the phis that vary for it and did not before."""
        cfg, out = self.cfg, set()
        for b, block in enumerate(cfg.blocks):
            if b in self.divergent or len(cfg.succs[b]) < 2 or self.shapes.uniform(block.terminator.operand(0)):
                continue
            self.divergent.add(b)
            out |= self.shapes.taint(self.joins(b))
        return out

    def joins(self, b):
        """Blocks that work-items which parted in block b come to by several edges, or several times."""
        cfg, meet = self.cfg, self.cfg.ipdom[b]
        stop = {meet} | self.cuts
        parted = reachable(cfg.succs, cfg.succs[b], stop)
        ways = parted | {b}
        again = {x for x in parted if cfg.blocks[x].phis and x in reachable(cfg.succs, cfg.succs[x], stop)}
        return again | {x for x in parted | {meet} - {cfg.exit} if len(ways.intersection(cfg.preds[x])) > 1}


class InStep:
    trusts_attributes = False      # the call would be an effect, which linearization puts into a function of its own
    in_step = True

    def __init__(self, shapes):
        self.shapes, self.cfg = shapes, shapes.cfg
        self.divergent = set()         # numbers of blocks whose branch parts the lanes
        self.divergent_loops = set()   # headers of loops that lanes leave in different iterations

    def spread(self):
        """Looks at branches and loops again; returns the phis that vary for it and did not before."""
        cfg, out = self.cfg, set()
        for b, block in enumerate(cfg.blocks):
            end = block.terminator
            if b in self.divergent or end.opcode not in ("br", "switch") or end.n_operands < 2:
                continue
            if not self.shapes.uniform(end.operand(0)):
                self.divergent.add(b)
                out |= self.shapes.taint(self.joins(b))
        for loop in cfg.loops:
            if loop.header not in self.divergent_loops and any(self.exit_parts_lanes(loop, b) for b, _ in loop.exits):
                self.divergent_loops.add(loop.header)
                out |= self.shapes.taint(self.behind(loop))
        return out

    def behind(self, loop):
        """Blocks where lanes that left a loop at different times meet: where it ends, and behind that, where there are
        several such places."""
        ends = {out for _, out in loop.exits}
        return ends if len(ends) == 1 else ends.union(*(self.joins(b) for b, _ in loop.exits))

    def exit_parts_lanes(self, loop, b):
        """Whether an exit in block b lets lanes go at different times: by its own branch, or as few reach b."""
        return b in self.divergent or any(d in loop.blocks and not self.cfg.together(d, b) and self.reaches(d, b, loop)
                                          for d in self.divergent)

    def reaches(self, d, b, loop):
        """There is a way from d to b inside one iteration of the loop."""
        seen, pending = set(), [d]
        while pending:
            x = pending.pop()
            if x == b:
                return True
            following = {s for s in self.cfg.succs[x] if s in loop.blocks and s != loop.header} - seen
            seen |= following
            pending.extend(following)
        return False

    def joins(self, d):
        """Blocks where lanes that parted at d may meet again. The phis of a header join iterations, not lanes, unless
        there are several ways into the loop."""
        return [b for b in self.influence(d) if not self.is_entered_once(d, b)]

    def is_entered_once(self, d, b):
        """Block b is the header of a loop that lanes which parted at d come into by one way, or are in."""
        loop = self.cfg.loop_of[b]
        return loop is not None and loop.header == b and (
            d in loop.blocks or sum(p not in loop.blocks for p in self.cfg.preds[b]) == 1)

    def influence(self, d):
        """Blocks reached from d before its lanes are together again, and where they are; not around a loop of d."""
        cfg = self.cfg
        stop, seen, pending = cfg.ipdom[d], set(), list(cfg.succs[d])
        while pending:
            b = pending.pop()
            if b in seen:
                continue
            seen.add(b)
            if b == stop:
                continue
            pending.extend(s for s in cfg.succs[b] if not (s <= b and cfg.loop_of[d] is not None and d in cfg.loop_of[b]
                                                           and s in cfg.loop_of[d].blocks))
        return seen
