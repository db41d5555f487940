# SPDX-License-Identifier: Apache-2.0
"""Control flow (analysis/graph.py) on random graphs against the definitions, which are slow and plain."""
from hypothesis import given, settings
from random_graphs import graphs, on_all_ways, reducible

from clpy.compiler.analysis.graph import (
    Cfg,
    dominators,
    laid_out,
    loop_compact_order,
    natural_loops,
    postdominators,
    postorder,
    reachable,
)
from clpy.llvm.ir import Builder, Types, add_function
from clpy.llvm.module import Module


@settings(deadline=None)
@given(graphs)
def test_dominators(succs):
    idom, there = dominators(succs), reachable(succs, [0])
    for node in range(len(succs)):
        assert (idom[node] is None) == (node not in there)
        chain, at = {node}, node
        while node in there and at != 0:
            at = idom[at]
            chain.add(at)
        if node in there:
            assert chain == {other for other in there if on_all_ways(succs, other, node)}


def follows_always(succs, node, other):
    """Whether each way from `node` to the end goes through `other`, by leaving `other` out and looking for a way."""
    end = len(succs)
    edges = [list(s) or [end] for s in succs] + [[]]
    for n in {n for n in range(end) if end not in reachable(edges, [n])}:
        edges[n].append(end)
    return node == other or end not in reachable(edges, [node], {other})


@settings(deadline=None)
@given(graphs)
def test_postdominators(succs):
    above, end = postdominators(succs), len(succs)
    for node in range(end):
        chain, at = {node}, node
        while at != end:
            at = above[at]
            chain.add(at)
        for other in range(end):
            assert (other in chain) == follows_always(succs, node, other)


@settings(deadline=None)
@given(graphs)
def test_loops(succs):
    """A loop is a header and all that comes to one of its latches without it."""
    there = reachable(succs, [0])
    backward = [(b, h) for b in sorted(there) for h in succs[b] if on_all_ways(succs, h, b)]
    wanted = {}
    for latch, header in backward:
        body = {n for n in there if n == latch or latch in reachable(succs, [n], {header})} - {header}
        wanted.setdefault(header, [{header}, []])
        wanted[header][0] |= body if latch != header else set()
        wanted[header][1].append(latch)
    loops = natural_loops(succs, dominators(succs))
    assert {loop.header: [loop.blocks, loop.latches] for loop in loops} == wanted
    for n, loop in enumerate(loops):
        assert set(loop.exits) == {(b, s) for b in loop.blocks for s in succs[b] if s not in loop.blocks}
        around = [o for o in loops if o is not loop and loop.header in o.blocks]
        assert loop.depth == len(around) + 1 and all(loops.index(o) < n for o in around)
        assert loop.parent is (min(around, key=lambda o: len(o.blocks)) if around else None)


@settings(deadline=None)
@given(reducible())
def test_the_order_keeps_loops_together(succs):
    loops = natural_loops(succs, dominators(succs))
    order = loop_compact_order(succs, loops)
    place = {node: i for i, node in enumerate(order)}
    assert order[0] == 0 and sorted(order) == list(range(len(succs)))
    for node, targets in enumerate(succs):
        for s in targets:
            assert place[node] < place[s] or on_all_ways(succs, s, node)
    for loop in loops:
        places = {place[b] for b in loop.blocks}
        assert places == set(range(place[loop.header], place[loop.header] + len(places)))


@settings(deadline=None)
@given(graphs)
def test_postorder(succs):
    order = postorder(succs)
    assert sorted(order) == sorted(reachable(succs, [0]))
    place = {node: i for i, node in enumerate(order)}
    for node in order:      # where an edge leads forward, its end is behind it: else it is part of a circle
        assert all(place[s] < place[node] or node in reachable(succs, [s]) for s in succs[node])


def function_of(succs):
    """Blocks with edges, and nothing else in them."""
    module = Module.create()
    types, builder = Types(module), Builder(module)
    function = add_function(module, "f", types.function(types.void, [types.i32]))
    blocks = [function.append_block() for _ in succs]
    for block, targets in zip(blocks, succs, strict=True):
        builder.at_end(block)
        if targets:
            cases = [(types.i32.const(n), blocks[s]) for n, s in enumerate(targets)]
            builder.switch(function.params[0], blocks[targets[0]], cases)
        else:
            builder.ret()
    return function


@settings(deadline=None)
@given(reducible())
def test_a_graph_laid_out_is_the_same_graph(succs):
    """Whatever the numbers are: dominators, postdominators, loops, and who comes to whom together."""
    function = function_of(succs)
    plain, laid = Cfg(function), laid_out(function)
    assert set(plain.blocks) == set(laid.blocks)
    to = [laid.number[b] for b in plain.blocks] + [laid.exit]
    for n in range(len(succs)):
        assert to[plain.idom[n]] == laid.idom[to[n]] and to[plain.ipdom[n]] == laid.ipdom[to[n]]
        assert {to[s] for s in plain.succs[n]} == set(laid.succs[to[n]])
        one, other = plain.loop_of[n], laid.loop_of[to[n]]
        assert (one is None) == (other is None) and (one is None or {to[b] for b in one.blocks} == other.blocks)
        assert {b for b in range(len(succs)) if on_all_ways(succs, b, n)} == \
            {b for b in range(len(succs)) if laid.dominates(to[b], to[n])}


def test_endless_loops_are_left_for_the_exit():
    """0 goes to 1 or 2; 1 goes round for ever, 2 returns: the ways of 0 do not meet."""
    assert postdominators([[1, 2], [1], []]) == [3, 3, 3, 3]
