# SPDX-License-Identifier: Apache-2.0
"""Which registers of a wavefront are wanted again: by nodes made by hand, in loops and behind them."""
from types import SimpleNamespace

from clpy.compiler.isa.gcn import liveness
from clpy.compiler.isa.gcn.registers import SCC, Step


class Node(SimpleNamespace):
    """Scalar registers that it takes and leaves, (loaded, stored) vector registers of its steps."""
    __hash__ = object.__hash__

    def __init__(self, loaded=(), stored=(), steps=()):
        super().__init__(loaded=set(loaded), stored=set(stored), next=[], live=None, wanted=None,
                         steps=[Step(set(taken), set(left)) for taken, left in steps])


def numbers(bits):
    return [n for n in range(liveness.VECTORS) if bits >> n & 1]


def test_a_loop_keeps_what_its_next_turn_takes():
    """begin: v1 = ..; v2 = ..; s4 = ..   loop: v3 = f(v1, v3), by s4 and SCC   end: g(v3)"""
    begin = Node(stored=[4, SCC], steps=[((), [1, 2]), ((), [3])])
    loop = Node(loaded=[4, SCC], stored=[SCC], steps=[([1, 3], [3, 5])])
    end = Node(steps=[([3], [6])])
    begin.next, loop.next = [loop], [loop, end]
    liveness.work_out([begin, loop, end])
    assert [numbers(bits) for bits in begin.wanted] == [[1], [1, 3]]        # nobody wants v2
    assert [numbers(bits) for bits in loop.wanted] == [[1, 3]]              # nor v5, but v1 again
    assert [numbers(bits) for bits in end.wanted] == [[]]
    assert liveness.scalars_in(begin.live) == [] and liveness.scalars_in(end.live) == []
    assert liveness.scalars_in(loop.live) == [4, SCC]


def test_what_goes_round_through_many_nodes_is_wanted_in_all():
    """The last one takes what the first one leaves, and all lie in a circle."""
    nodes = [Node() for _ in range(500)]
    for node, following in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        node.next = [following]
    nodes[0].steps, nodes[-1].steps, nodes[-1].loaded = [Step(set(), {255})], [Step({255}, set())], {105}
    liveness.work_out(nodes)
    assert all(numbers(node.live) == [255] for node in nodes[1:])
    assert numbers(nodes[0].live) == [] and numbers(nodes[0].wanted[0]) == [255]
    assert all(liveness.scalars_in(node.live) == [105] for node in nodes)
