# SPDX-License-Identifier: Apache-2.0
"""The order of blocks in partial linearization: which edges stay, which wait, which blocks can be skipped as one.

Moll and Hack, PLDI 2018. Blocks are laid out in the topological order of graph.laid_out. A uniform branch stays, unless
blocks wait that come before its target; both targets of a divergent branch wait for their turn. A divergent loop is
left by its latch, and where its header ends it for all lanes that are still in it. Works on block numbers; changes no
IR.
"""


class Unsupported(Exception):
    """This function cannot be linearized; the message says why, and the line of the source where it is known."""

    def at(self, inst):
        """The same, of an instruction, unless it names one already."""
        place = inst.place
        return self if not place or " at " in str(self) else Unsupported(f"{self} at {place}")


class Layout:
    """The new control flow, in block numbers: which edges stay, which blocks are guarded, where each block goes."""

    def __init__(self, cfg, shapes, divergent_loops, wanted_guards=frozenset()):
        self.cfg = cfg
        self.shapes = shapes
        self.divergent_loops = set(divergent_loops)
        self.wanted_guards = wanted_guards
        while not self.try_build():
            pass

    def try_build(self):
        """False when a loop had to be declared divergent on the way."""
        cfg = self.cfg
        self.deferred = [set() for _ in cfg.blocks]
        self.target = {}      # (block, original successor) -> new successor, for edges of uniform branches
        self.next = {}        # block -> the one successor of a linearized or divergent block
        self.out = {}         # latch of a divergent loop -> where the loop goes when no lane is left
        self.guard = {}       # block -> where to go when no lane is in its mask
        self.leaves = set()   # edges of uniform branches by which all lanes leave a divergent loop that are still in it
        return all(self.placed(b) for b in range(len(cfg.blocks)))

    def placed(self, b):
        try:
            return self.place(b)
        except Unsupported as why:
            raise why.at(self.cfg.blocks[b].terminator) from None

    def latch(self, loop):
        return loop.latches[0]

    def seen_from(self, loop, target):
        """Where an edge from inside `loop` to `target` leads once divergent loops are left by their latch only."""
        while loop is not None and target not in loop.blocks:
            if loop.header in self.divergent_loops:
                return self.latch(loop)
            loop = loop.parent
        return target

    def choose(self, targets):
        """Go to the first of the targets; the others are reached from there."""
        first = min(targets)
        self.deferred[first] |= targets - {first}
        return first

    def place(self, b):
        cfg, waiting = self.cfg, set(self.deferred[b])
        loop = cfg.loop_of[b]
        if b in self.wanted_guards:
            self.add_guard(b, waiting)
        succs = cfg.succs[b]
        if loop is not None and loop.header in self.divergent_loops and b == self.latch(loop):
            outside = {self.seen_from(loop.parent, t) for _, t in loop.exits} | waiting
            if not outside or outside & loop.blocks:
                raise Unsupported("a loop that lanes leave one by one has no exit")
            self.out[b] = self.choose(outside)
            return True
        if loop is not None and loop.header not in self.divergent_loops and waiting & loop.blocks and any(
                s not in loop.blocks or s <= b for s in succs):
            return self.make_divergent(loop)      # leaving or going round would run past blocks that wait
        if not succs:
            if waiting:
                raise Unsupported("a block waits behind the return")
            return True
        targets = {s: self.seen_from(loop, s) for s in succs}
        if self.ends_loop(b, loop, waiting):
            for s in succs:
                if s not in loop.blocks:
                    self.leaves.add((b, s))
                    targets[s] = self.seen_from(loop.parent, s)
        elif b in self.shapes.divergent or (loop is not None and any(
                s not in loop.blocks and loop.header in self.divergent_loops for s in succs) and len(succs) > 1):
            self.next[b] = self.choose(waiting | set(targets.values()))
            return True
        for s, t in targets.items():
            self.target[b, s] = s if s <= b else self.choose(waiting | {t})
        return True

    def ends_loop(self, b, loop, waiting):
        """Block b, the header of a divergent loop, leaves it for all lanes at once, and for where its latch does."""
        if loop is None or loop.header not in self.divergent_loops or b != loop.header or b in self.shapes.divergent:
            return False
        outside = {self.seen_from(loop.parent, t) for _, t in loop.exits}
        leaving = sum(s not in loop.blocks for s in self.cfg.succs[b])
        return leaving == 1 and len(self.cfg.succs[b]) == 2 and len(outside) == 1 and not waiting & loop.blocks

    def make_divergent(self, loop):
        if loop is None or loop.header in self.divergent_loops:
            raise Unsupported("blocks cannot be put in one line")
        self.divergent_loops.add(loop.header)
        return False

    # --- guards: skip a part that no lane takes

    def add_guard(self, b, waiting):
        """Blocks dominated by b run only under b's mask; if they lie in one piece they can be skipped together."""
        cfg = self.cfg
        part = {b}
        for x in range(b + 1, len(cfg.blocks)):
            if cfg.idom[x] not in part:
                break
            part.add(x)
        loop = cfg.loop_of[b]
        leaving = {self.seen_from(cfg.loop_of[x], s) for x in part for s in cfg.succs[x] if s not in part}
        leaving |= waiting
        if loop is not None and loop.header in self.divergent_loops and self.latch(loop) in part:
            behind = waiting - loop.blocks
            if leaving - part - {loop.header} - {t for _, t in loop.exits} - behind:
                return
            outside = {self.seen_from(loop.parent, t) for _, t in loop.exits} | behind
            if outside:
                self.guard[b] = self.choose(outside)
            return
        leaving -= part
        if not leaving or (loop is not None and loop.header in leaving) or min(leaving) <= max(part):
            return
        self.guard[b] = self.choose(leaving)
