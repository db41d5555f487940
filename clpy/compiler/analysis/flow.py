# SPDX-License-Identifier: Apache-2.0
"""Control flow of a function as numbers: order, dominators, post-dominators, loops.

Blocks are numbered in an order that is topological (back edges aside) and keeps the blocks of a loop together, as
partial linearization needs it (Moll and Hack, PLDI 2018). The graph must be reducible.
"""
from clpy.compiler.lowering import LoweringError

MOST_NESTED = 256     # loops; LLVM's time grows with more than the square, and 1,000 take minutes


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
    """Snapshot of the control flow of `function`; any change to its edges makes it stale."""

    def __init__(self, function):
        self.function = function
        blocks = depth_first_order(function)
        number = {b: i for i, b in enumerate(blocks)}
        succs = [unique(number[s] for s in b.successors) for b in blocks]
        loops = natural_loops(succs, dominators(succs, 0))
        if any(loop.depth > MOST_NESTED for loop in loops):
            raise LoweringError(f"loops are nested {max(loop.depth for loop in loops)} deep; {MOST_NESTED} is the most")
        order = loop_compact_order(succs, loops)
        self.blocks = [blocks[i] for i in order]
        self.number = {b: i for i, b in enumerate(self.blocks)}
        self.succs = [unique(self.number[s] for s in b.successors) for b in self.blocks]
        self.preds = predecessors(self.succs)
        self.idom = dominators(self.succs, 0)
        self.ipdom = post_dominators(self.succs)
        self.loops = natural_loops(self.succs, self.idom)
        self.loop_of = [None] * len(self.blocks)
        for loop in self.loops:  # outer loops first
            for b in loop.blocks:
                self.loop_of[b] = loop

    def dominates(self, a, b):
        while b > a:
            b = self.idom[b]
        return a == b

    def together(self, d, b):
        """All that leave block d come to block b, and in the same iteration of the loops around both."""
        p = self.ipdom[d]
        while p != b:
            if p == len(self.blocks):
                return False
            p = self.ipdom[p]
        loop = self.loop_of[d]
        while loop is not None:
            if b in loop.blocks and not all(self.dominates(b, latch) for latch in loop.latches):
                return False
            loop = loop.parent
        return True


def unique(items):
    return list(dict.fromkeys(items))


def depth_first_order(function):
    """Reachable blocks in reverse post-order."""
    order, seen = [], set()
    entry = function.entry
    stack = [(entry, iter(entry.successors))]
    seen.add(entry)
    while stack:
        block, rest = stack[-1]
        for s in rest:
            if s not in seen:
                seen.add(s)
                stack.append((s, iter(s.successors)))
                break
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    return order


def predecessors(succs):
    preds = [[] for _ in succs]
    for b, out in enumerate(succs):
        for s in out:
            preds[s].append(b)
    return preds


def dominators(succs, entry):
    """Immediate dominators of nodes numbered in reverse post-order (Cooper, Harvey, Kennedy 2001)."""
    preds = predecessors(succs)
    idom = [None] * len(succs)
    idom[entry] = entry
    changed = True
    while changed:
        changed = False
        for b in range(len(succs)):
            if b == entry:
                continue
            new = None
            for p in preds[b]:
                if idom[p] is None:
                    continue
                if new is None:
                    new = p
                    continue
                a = p
                while a != new:
                    while a > new:
                        a = idom[a]
                    while new > a:
                        new = idom[new]
            if new is not None and idom[b] != new:
                idom[b] = new
                changed = True
    return idom


def post_dominators(succs):
    """Immediate post-dominators; len(succs) stands for the virtual exit."""
    n = len(succs)
    reverse = [[] for _ in range(n + 1)]
    for b, out in enumerate(succs):
        for s in out:
            reverse[s].append(b)
        if not out:
            reverse[n].append(b)
    order, seen = [], {n}
    stack = [(n, iter(reverse[n]))]
    while stack:
        node, rest = stack[-1]
        for s in rest:
            if s not in seen:
                seen.add(s)
                stack.append((s, iter(reverse[s])))
                break
        else:
            order.append(node)
            stack.pop()
    order.reverse()
    place = {node: i for i, node in enumerate(order)}
    renumbered = [[place[s] for s in reverse[node] if s in place] for node in order]
    idom = dominators(renumbered, 0)
    out = [n] * n  # a block that never reaches the exit counts as post-dominated by it
    for node in range(n):
        if node in place and idom[place[node]] is not None:
            out[node] = order[idom[place[node]]]
    return out


def natural_loops(succs, idom):
    """Loops, outer before inner; latches with the same header make one loop."""
    preds = predecessors(succs)
    by_header = {}
    for b, out in enumerate(succs):
        for h in out:
            a = b
            while a > h:
                a = idom[a]
            if a == h:
                by_header.setdefault(h, Loop(h)).latches.append(b)
    for loop in by_header.values():
        work = [b for b in loop.latches if b != loop.header]
        while work:
            b = work.pop()
            if b not in loop.blocks:
                loop.blocks.add(b)
                work.extend(preds[b])
    loops = sorted(by_header.values(), key=lambda lp: -len(lp.blocks))
    for i, loop in enumerate(loops):
        for outer in reversed(loops[:i]):
            if loop.header in outer.blocks and outer is not loop:
                loop.parent, loop.depth = outer, outer.depth + 1
                break
        loop.exits = [(b, s) for b in sorted(loop.blocks) for s in succs[b] if s not in loop.blocks]
    return loops


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
