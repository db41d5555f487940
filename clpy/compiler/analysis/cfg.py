# SPDX-License-Identifier: Apache-2.0
"""Control flow as numbers: a function's blocks with successors, postdominators, reachability, live values.

Blocks are numbered in the order of the function, 0 is the entry. Sets of values are bits of a Python integer.
"""
from clpy.llvm.ir import Inst


class Graph:
    """`exit` is a virtual block after every return; it is the last number."""

    def __init__(self, function):
        self.blocks = function.blocks
        self.number = {block: i for i, block in enumerate(self.blocks)}
        self.succ = [list(dict.fromkeys(self.number[s] for s in b.successors)) for b in self.blocks]
        self.exit = len(self.blocks)
        self.pred = predecessors(self.succ)


def predecessors(succ):
    pred = [[] for _ in succ]
    for node, targets in enumerate(succ):
        for target in targets:
            pred[target].append(node)
    return pred


def reachable(succ, start, stop=()):
    """Nodes reachable from `start` (a list, included) without going through nodes of `stop`."""
    seen, pending = set(), [n for n in start if n not in stop]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending.extend(s for s in succ[node] if s not in seen and s not in stop)
    return seen


def postdominators(succ):
    """Immediate postdominator of each node; the virtual exit, number len(succ), follows nodes without successors
    and nodes that cannot reach any of those (endless loops), which only makes the answers more careful."""
    end = len(succ)
    edges = [list(s) or [end] for s in succ] + [[]]
    back = predecessors(edges)
    stuck = set(range(end)) - reachable(back, [end])
    for node in stuck:
        edges[node].append(end)
    back = predecessors(edges)
    order = postorder(back, end)
    rank = {node: i for i, node in enumerate(order)}
    above = {end: end}
    changed = True
    while changed:
        changed = False
        for node in reversed(order):
            if node == end:
                continue
            best = None
            for s in edges[node]:
                if s in above:
                    best = s if best is None else common(above, rank, s, best)
            if above.get(node) != best:
                above[node] = best
                changed = True
    return above


def postorder(succ, start):
    order, seen, pending = [], {start}, [(start, iter(succ[start]))]
    while pending:
        node, rest = pending[-1]
        step = next((s for s in rest if s not in seen), None)
        if step is None:
            order.append(node)
            pending.pop()
        else:
            seen.add(step)
            pending.append((step, iter(succ[step])))
    return order


def common(above, rank, a, b):
    while a != b:
        while rank[a] < rank[b]:
            a = above[a]
        while rank[b] < rank[a]:
            b = above[b]
    return a


class Liveness:
    """Which instructions' values are live at the start of each block.

    `live_in[b]` has bit i set when the value of `values[i]` may be used later on a path from the start of block b.
    """

    def __init__(self, graph):
        self.graph = graph
        self.values, self.index, self.home = [], {}, {}
        contents = [block.instructions for block in graph.blocks]
        for number, instructions in enumerate(contents):
            for inst in instructions:
                if not inst.is_void:
                    self.index[inst] = len(self.values)
                    self.home[inst] = number
                    self.values.append(inst)
        self.solve(*self.local_sets(contents))

    def local_sets(self, contents):
        """(used before defined, defined, used by phis of successors) per block."""
        graph, index, home = self.graph, self.index, self.home
        use, define, edge = ([0] * len(contents) for _ in range(3))
        for number, instructions in enumerate(contents):
            for inst in instructions:
                if inst.opcode == "phi":
                    for value, block in inst.incoming:
                        if isinstance(value, Inst):
                            edge[graph.number[block]] |= 1 << index[value]
                else:
                    for op in inst.operands:
                        if isinstance(op, Inst) and home[op] != number:
                            use[number] |= 1 << index[op]
                if inst in index:
                    define[number] |= 1 << index[inst]
        return use, define, edge

    def solve(self, use, define, edge):
        graph = self.graph
        self.live_in = [0] * len(use)
        pending = set(range(len(use)))
        while pending:
            number = pending.pop()
            out = edge[number]
            for s in graph.succ[number]:
                out |= self.live_in[s]
            value = use[number] | (out & ~define[number])
            if value != self.live_in[number]:
                self.live_in[number] = value
                pending.update(graph.pred[number])

    def at(self, block):
        """The live values at the start of a block, in the order of the function."""
        bits, out = self.live_in[block], []
        while bits:
            low = bits & -bits
            out.append(self.values[low.bit_length() - 1])
            bits ^= low
        return out
