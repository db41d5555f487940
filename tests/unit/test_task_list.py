# SPDX-License-Identifier: Apache-2.0
"""The lists of tasks that threads work at: whatever threads do when, a task that is complete is in none, and one that
has something to claim comes to somebody."""
import random

import pytest

from clpy.device.host.rehearsal import Turns


def test_in_their_order():
    turns = Turns()
    for most in (1, 2, 1):
        turns.come(most)
    assert [turns.take() for _ in range(5)] == [0, 1, 1, 2, None]
    assert turns.leave(0, True) and not turns.leave(1, True) and turns.leave(1, True) and turns.leave(2, True)
    assert turns.waiting() == []


def test_one_ends_behind_one_that_was_given_back():
    turns = Turns()
    turns.come(1)
    turns.come(4)
    assert [turns.take(), turns.take()] == [0, 1]
    assert not turns.leave(0, False) and turns.waiting() == [0, 1]
    assert turns.leave(1, True) and turns.waiting() == [0]
    turns.come(1)                # behind the one that is left
    assert turns.waiting() == [0, 2] and [turns.take(), turns.take(), turns.take()] == [0, 2, None]


@pytest.mark.parametrize("seed", range(200))
def test_any_order(seed):
    """Three threads that come and go at random: all tasks become complete, once."""
    chance = random.Random(seed)
    turns, at_work, exhausted, complete, come = Turns(), [], set(), [], 0
    while len(complete) < 16:
        step = chance.random()
        if come < 16 and step < .3:
            turns.come(chance.choice((1, 2, 4)))
            come += 1
        elif len(at_work) < 3 and step < .6:
            task = turns.take()
            left = set(range(come)) - exhausted - set(at_work)
            assert task is not None or not left
            if task is not None:
                assert task not in complete
                at_work.append(task)
        elif at_work:
            task = at_work.pop(chance.randrange(len(at_work)))
            if chance.random() < .5:
                exhausted.add(task)
            if turns.leave(task, task in exhausted):
                complete.append(task)
            assert not set(turns.waiting()) & set(complete)
    assert sorted(complete) == list(range(16)) and turns.waiting() == []
