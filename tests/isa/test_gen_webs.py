# SPDX-License-Identifier: Apache-2.0
"""Which parts of a Gen thread's registers belong together (compiler/isa/gen/webs.py)."""
from clpy.compiler.isa.gen.webs import Access, Webs


class Node:
    def __init__(self, accesses):
        self.accesses = accesses


def block(*accesses):
    """Of ("load" or "store", first byte, bytes)."""
    return Node([Access(None, first, first + size, 4, kind == "store") for kind, first, size in accesses])


def webs_of(*nodes, ways=None, stops=(), often=lambda node: 1):
    """`ways`: {number of a node: numbers of those behind it}; one after the other where it does not say."""
    ways = {i: [i + 1] for i in range(len(nodes) - 1)} if ways is None else ways
    after = {node: [nodes[to] for to in ways.get(i, ())] for i, node in enumerate(nodes)}
    webs = Webs(list(nodes), after.get, list(stops), often)
    return webs, [[webs.find(access.web) for access in node.accesses] for node in nodes]


def test_a_register_that_is_used_for_two_things_is_two_webs():
    _, [(store, load, other_store, other_load)] = webs_of(
        block(("store", 0, 64), ("load", 0, 64), ("store", 0, 64), ("load", 0, 64)))
    assert store == load and other_store == other_load and store != other_store


def test_what_is_loaded_at_once_is_one_web():
    webs, [(low, high, both)] = webs_of(block(("store", 0, 32), ("store", 32, 32), ("load", 0, 64)))
    assert low == high == both
    assert webs.spans[both] == (0, 64)


def test_part_of_a_register_that_is_written_later_is_of_the_same_web():
    _, [(store, part, load)] = webs_of(block(("store", 0, 64), ("store", 8, 4), ("load", 0, 64)))
    assert store == part == load


def test_what_nobody_reads_again_is_of_its_own():
    _, [(first, load, second)] = webs_of(block(("store", 0, 64), ("load", 0, 64), ("store", 0, 32)))
    assert first == load != second


def test_a_value_goes_from_block_to_block_and_around_a_loop():
    first, loop, last = block(("store", 0, 64)), block(("load", 0, 64), ("store", 0, 64)), block(("load", 0, 64))
    webs, found = webs_of(first, loop, last, ways={0: [1], 1: [1, 2]})
    assert len({web for webs_of_block in found for web in webs_of_block}) == 1
    assert [webs.parts(node) for node in (first, loop, last)] == [[], [(found[0][0], 0, 64)], [(found[0][0], 0, 64)]]


def test_what_comes_from_either_side_of_a_branch_is_one_web():
    webs, found = webs_of(block(), block(("store", 0, 32)), block(("store", 0, 32)), block(("load", 0, 32)),
                          ways={0: [1, 2], 1: [3], 2: [3]})
    assert found[1] == found[2] == found[3]
    assert webs.parts(webs.nodes[0]) == []


def test_what_a_thread_begins_with_is_wanted_at_its_begin():
    webs, [(load,)] = webs_of(block(("load", 96, 8)))
    assert webs.parts(webs.nodes[0]) == [(load, 96, 104)]


def test_what_would_be_copied_more_often_than_it_is_used_stays_in_the_file():
    begin, loop = block(("store", 0, 64), ("store", 64, 64)), block(*[("load", 0, 64)] * 9, ("load", 64, 64))
    webs, found = webs_of(begin, loop, ways={0: [1], 1: [1]}, stops=[loop])
    often, rarely = found[0]
    assert webs.in_file == {rarely} and often != rarely
    assert webs.units() == {often: 4}


def test_a_variable_has_the_largest_elements_that_fit_all():
    webs, [(web, *_)] = webs_of(block(("store", 0, 64), ("load", 2, 2), ("load", 0, 64)))
    assert webs.units() == {web: 2}
