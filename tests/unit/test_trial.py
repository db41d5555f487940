# SPDX-License-Identifier: Apache-2.0
"""Which of two codes is faster, by what a few launches of each took: what counts, and what does not."""
import random

import pytest

from clpy.core.trial import try_out

N = 5000


def of(ns):
    return [ns] * N


def test_what_is_clear_ends_early():
    assert try_out(of(1000), of(500)) == (True, 2)
    assert try_out(of(1000), of(1500)) == (False, 2)
    assert try_out(of(1000), of(5500)) == (False, 1)      # hopeless: once is enough


def test_what_is_about_the_same_stays():
    assert try_out(of(1000), of(985)) == (False, 8)
    assert try_out(of(1000), of(960)) == (True, 8)


@pytest.mark.parametrize("late", [1, 40])
def test_launches_may_be_enqueued_long_before_they_run(late):
    assert try_out(of(1000), of(500), late)[0]
    assert not try_out(of(500), of(1000), late)[0]


def test_launches_that_do_more_and_more_or_differ_in_turns():
    for ns in ([1000 + 300 * n for n in range(N)], [9000 - 500 * min(n, 16) for n in range(N)],
               [1000 if n % 2 else 4000 for n in range(N)], [1000 if n % 4 < 2 else 4000 for n in range(N)]):
        assert try_out(ns, [n * 7 // 10 for n in ns])[0]
        assert not try_out([n * 7 // 10 for n in ns], ns)[0]
        assert not try_out(ns, ns)[0]


def test_interruptions_do_not_count():
    """A third of the launches takes up to five times as long."""
    draw, right = random.Random(5), 0
    for _ in range(100):
        usual, other = ([ns * draw.choice([1, 1, 2 + 3 * draw.random()]) for _ in range(N)] for ns in (1000, 800))
        right += try_out([int(ns) for ns in usual], [int(ns) for ns in other])[0]
    assert right >= 85


def test_a_launch_that_never_ends_ends_the_trial():
    assert try_out(of(1000), of(500), late=N + 1)[0] is False
