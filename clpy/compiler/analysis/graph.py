# SPDX-License-Identifier: Apache-2.0
"""Control flow as numbers: order, dominators and postdominators, loops, reachability.

The functions work on lists of successors, `succs[node]`, and know nothing of LLVM; a Cfg has a function's.
"""
from functools import cached_property

from clpy.compiler.lowering import LoweringError
from clpy.llvm.ir import control_flow

MOST_NESTED = 256     # loops; LLVM's time grows with more than the square, and 1,000 take minutes
CHANGING = ("phi", "load", "call", "atomicrmw", "cmpxchg")     # what may differ from turn to turn by itself


class Loop:
    """A natural loop; block numbers. `exits` are the edges (inside, outside)."""

    def __init__(self, header):
        self.header = header
        self.blocks = {header}
        self.latches = []
        self.exits = []
        self.parent = None
        self.depth = 1

    def __contains__(self, block):
        return block in self.blocks


class Cfg:
    """Snapshot of the control flow of `function`; any change to its edges makes it stale. Blocks have the numbers of
    their places in `blocks`, the order of the function where not given; 0 is the entry. `exit` stands behind every
    return. `succs`: where they lead to, if it is known. What costs time is found out when it is asked for."""

    def __init__(self, function, blocks=None, succs=None):
        self.function = function
        self.blocks, self.succs = control_flow(function.blocks) if blocks is None else (blocks, succs)
        self.preds = predecessors(self.succs)
        self.exit = len(self.blocks)

    @cached_property
    def number(self):
        return {b: i for i, b in enumerate(self.blocks)}

    @cached_property
    def idom(self):
        return dominators(self.succs, preds=self.preds)

    @cached_property
    def ipdom(self):
        return postdominators(self.succs)

    @cached_property
    def loops(self):
        """Outer ones before inner ones."""
        return natural_loops(self.succs, self.idom)

    @cached_property
    def loop_of(self):
        """Block -> the innermost loop that has it, or None."""
        out = [None] * len(self.blocks)
        for loop in self.loops:
            for b in loop.blocks:
                out[b] = loop
        return out

    def dominates(self, a, b):
        """Only in an order in which a block stands behind those that dominate it."""
        while b > a:
            b = self.idom[b]
        return a == b

    def dominated_by(self, a):
        """The blocks that block a dominates, itself the first; likewise."""
        found = {a}
        for b in range(a + 1, len(self.blocks)):
            if self.idom[b] in found:
                found.add(b)
        return [self.blocks[b] for b in sorted(found)]

    def is_inside(self, value, loop):
        return bool(value.opcode) and self.number[value.block] in loop.blocks

    def changes(self, value, loop, depth=0):
        """The value may differ between turns of the loop: it is not computed from values of outside alone."""
        if not self.is_inside(value, loop):
            return False
        return depth > 8 or value.opcode in CHANGING or any(self.changes(v, loop, depth + 1) for v in value.operands)

    def together(self, d, b):
        """All that leave block d come to block b, and in the same iteration of the loops around both."""
        p = self.ipdom[d]
        while p != b:
            if p == self.exit:
                return False
            p = self.ipdom[p]
        loop = self.loop_of[d]
        while loop is not None:
            if b in loop.blocks and not all(self.dominates(b, latch) for latch in loop.latches):
                return False
            loop = loop.parent
        return True


def laid_out(function):
    """The Cfg of the blocks that can be reached, in a topological order (edges back aside) that keeps the blocks of a
    loop together, as partial linearization needs it (Moll and Hack, PLDI 2018). The graph must be reducible."""
    first = Cfg(function, *reachable_blocks(function))
    if len(first.blocks) == 1 and not first.succs[0]:
        first.idom, first.ipdom, first.loops, first.loop_of = [0], [1, 1], [], [None]
        return first
    if not first.loops:
        return first                     # reverse postorder is such an order
    deepest = max(loop.depth for loop in first.loops)
    if deepest > MOST_NESTED:
        raise LoweringError(f"loops are nested {deepest} deep; {MOST_NESTED} is the most")
    order = loop_compact_order(first.succs, first.loops)
    cfg = Cfg(function, *in_order(first.blocks, first.succs, order))
    place = {old: new for new, old in enumerate(order)}
    cfg.idom = [place[first.idom[old]] for old in order]     # the numbers are others, the tree is the same
    return cfg


def reachable_blocks(function):
    """In reverse postorder, and where they lead to."""
    blocks, succs = control_flow([function.entry])
    if len(blocks) == 1:
        return blocks, succs
    return in_order(blocks, succs, postorder(succs)[::-1])


def in_order(blocks, succs, order):
    """Blocks and where they lead to with other numbers: `order` has the old ones."""
    place = {old: new for new, old in enumerate(order)}
    return [blocks[old] for old in order], [[place[s] for s in succs[old]] for old in order]


def predecessors(succs):
    preds = [[] for _ in succs]
    for node, targets in enumerate(succs):
        for target in targets:
            preds[target].append(node)
    return preds


def reachable(succs, start, stop=()):
    """Nodes reachable from `start` (a list, included) without going through nodes of `stop`."""
    seen, pending = set(), [n for n in start if n not in stop]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending.extend(s for s in succs[node] if s not in seen and s not in stop)
    return seen


def postorder(succs, start=0):
    """The nodes that can be reached, each behind those that it leads to first."""
    order, seen, pending = [], {start}, [(start, iter(succs[start]))]
    while pending:
        node, rest = pending[-1]
        for step in rest:
            if step not in seen:
                seen.add(step)
                pending.append((step, iter(succs[step])))
                break
        else:
            order.append(node)
            pending.pop()
    return order


def dominators(succs, entry=0, preds=None):
    """Immediate dominator of each node, None for those that cannot be reached; the entry's is itself (Cooper, Harvey,
    Kennedy 2001)."""
    order = postorder(succs, entry)
    rank = [-1] * len(succs)
    for i, node in enumerate(order):
        rank[node] = i
    preds, idom = preds or predecessors(succs), [None] * len(succs)
    idom[entry] = entry
    changed = True
    while changed:
        changed = False
        for node in reversed(order):
            if node == entry:
                continue
            best = None
            for p in preds[node]:
                if idom[p] is None:
                    continue
                best = p if best is None else meeting(idom, rank, p, best)
            if idom[node] != best:
                idom[node] = best
                changed = True
    return idom


def meeting(idom, rank, a, b):
    """The last node that is on all ways to a and to b."""
    while a != b:
        while rank[a] < rank[b]:
            a = idom[a]
        while rank[b] < rank[a]:
            b = idom[b]
    return a


def postdominators(succs):
    """Immediate postdominator of each node; the virtual exit, number len(succs), follows nodes without successors and
    nodes that cannot reach any of those (endless loops), which only makes the answers more careful."""
    end = len(succs)
    back = predecessors([s or [end] for s in succs] + [[]])
    for stuck in set(range(end)) - reachable(back, [end]):
        back[end].append(stuck)
    return dominators(back, end)


def natural_loops(succs, idom):
    """Loops, outer before inner; latches with the same header make one loop."""
    preds, by_header = predecessors(succs), {}
    depth = depths(idom)
    for b, targets in enumerate(succs):
        for h in targets:
            a = b
            while depth[a] > depth[h]:
                a = idom[a]
            if a == h and idom[b] is not None:
                by_header.setdefault(h, Loop(h)).latches.append(b)
    for loop in by_header.values():
        pending = [b for b in loop.latches if b != loop.header]
        while pending:
            b = pending.pop()
            if b not in loop.blocks and idom[b] is not None:
                loop.blocks.add(b)
                pending.extend(preds[b])
    loops = sorted(by_header.values(), key=lambda lp: -len(lp.blocks))
    for i, loop in enumerate(loops):
        for outer in reversed(loops[:i]):
            if loop.header in outer.blocks and outer is not loop:
                loop.parent, loop.depth = outer, outer.depth + 1
                break
        loop.exits = [(b, s) for b in sorted(loop.blocks) for s in succs[b] if s not in loop.blocks]
    return loops


def depths(idom):
    """How deep each node is in the tree of dominators; 0 for those that cannot be reached."""
    out = [None if above is not None else 0 for above in idom]
    for node in range(len(idom)):
        way = []
        while out[node] is None and idom[node] != node:
            way.append(node)
            node = idom[node]
        out[node] = out[node] or 0
        for below in reversed(way):
            out[below] = out[idom[below]] + 1
    return out


def loop_compact_order(succs, loops):
    """A topological order in which no foreign block stands between the blocks of a loop."""
    inner = {}
    for loop in loops:  # outer first, so the innermost one stays
        for b in loop.blocks:
            inner[b] = loop

    def node_of(b, level):
        """The loop that is a direct child of `level` and holds b, or b itself."""
        loop, child = inner.get(b), None
        while loop is not level and loop is not None:
            child, loop = loop, loop.parent
        return child if child is not None else b

    def nodes_of(entry, level):
        """The blocks of a level and, each as one node, the loops in it."""
        members = None if level is None else level.blocks
        post, seen = [], set()

        def outgoing(node):
            if isinstance(node, Loop):
                edges = [s for _, s in node.exits]
            else:
                edges = succs[node]
            return [node_of(s, level) for s in edges
                    if (members is None or s in members) and not (level is not None and s == level.header)]

        start = node_of(entry, level)
        seen.add(start)
        stack = [(start, iter(outgoing(start)))]
        while stack:
            node, rest = stack[-1]
            for s in rest:
                if s not in seen:
                    seen.add(s)
                    stack.append((s, iter(outgoing(s))))
                    break
            else:
                post.append(node)
                stack.pop()
        return reversed(post)

    # Inside a loop the header itself must not be taken for the loop again. Loops may be nested as deep as one likes.
    out, pending = [], [nodes_of(0, None)]
    while pending:
        node = next(pending[-1], None)
        if node is None:
            pending.pop()
        elif isinstance(node, Loop):
            pending.append(nodes_of(node.header, node))
        else:
            out.append(node)
    return out
