# SPDX-License-Identifier: Apache-2.0
"""Random control flow, as lists of successors."""
from hypothesis import strategies as st

from clpy.compiler.analysis.graph import reachable

graphs = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=2, unique=True), min_size=n, max_size=n))


@st.composite
def reducible(draw):
    """Edges forward, and edges back to blocks that are on all ways here. All blocks can be reached."""
    n = draw(st.integers(1, 10))
    succs = [[] for _ in range(n)]
    for node in range(1, n):
        for before in draw(st.lists(st.integers(0, node - 1), min_size=1, max_size=2, unique=True)):
            succs[before].append(node)
    for node, header in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4)):
        if header not in succs[node] and on_all_ways(succs, header, node):
            succs[node].append(header)
    order = draw(st.permutations(range(1, n)))     # numbers say nothing
    name = [0, *order]
    out = [None] * n
    for node in range(n):
        out[name[node]] = [name[s] for s in succs[node]]
    return out


def on_all_ways(succs, node, other):
    """Each way from 0 to `other` goes through `node`: there is none without it."""
    return node == other or other not in reachable(succs, [0], {node})
