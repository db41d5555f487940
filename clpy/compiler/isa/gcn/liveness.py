# SPDX-License-Identifier: Apache-2.0
"""Which registers have a value that the code wants again. A set of registers is a number with a bit for each: vector
registers first, then the scalar ones and SCC."""
from .registers import SCC

VECTORS, SCALARS = 768, 128     # VLIW chips have 128 registers of four words, and the engine needs a few more
SCC_BIT = VECTORS + SCALARS
ALL_VECTORS = (1 << VECTORS) - 1


def vectors(numbers):
    """The set of some vector registers."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def scalars(keys):
    """The set of some scalar registers."""
    bits = 0
    for key in keys:
        bits |= 1 << (SCC_BIT if key == SCC else VECTORS + key)
    return bits


def scalars_in(live):
    """The scalar registers of a set."""
    keys = [number for number in range(SCALARS) if live >> VECTORS + number & 1]
    return [*keys, *([SCC] if live >> SCC_BIT & 1 else [])]


def work_out(nodes):
    """For each Node what is `live` where it begins, and `wanted` behind each of its steps."""
    before = {node: [] for node in nodes}
    for node in nodes:
        node.live = 0
        for to in node.next:
            before[to].append(node)
    effects = {node: effect(node) for node in nodes}
    waiting = dict.fromkeys(nodes)
    while waiting:
        node, _ = waiting.popitem()
        taken, kept = effects[node]
        live = taken | behind(node) & kept
        if live != node.live:
            node.live = live
            waiting.update(dict.fromkeys(before[node]))
    for node in nodes:
        node.wanted = wanted(node)


def behind(node):
    live = 0
    for to in node.next:
        live |= to.live
    return live


def effect(node):
    """(what a node takes, what it does not change)"""
    taken, kept = scalars(node.loaded), ~scalars(node.stored)
    for step in reversed(node.steps):
        stored, loaded = vectors(step.stored), vectors(step.loaded)
        taken, kept = taken & ~stored | loaded, kept & ~stored
    return taken, kept


def wanted(node):
    """For each step of a node the vector registers that are wanted behind it."""
    live, found = behind(node) & ALL_VECTORS, []
    for step in reversed(node.steps):
        found.append(live)
        live = live & ~vectors(step.stored) | vectors(step.loaded)
    found.reverse()
    return found
