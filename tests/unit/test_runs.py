# SPDX-License-Identifier: Apache-2.0
"""How work-groups are spread over threads: all of them once, neighbours in one thread, no thread idle long; for as many
threads as few machines have, with given times of groups."""
import random

import pytest

from clpy.device.host.rehearsal import rehearse

THREADS = (1, 2, 3, 16, 64, 128)
LEAST_NS = 5000                  # what one claim takes at least


def the_same(groups):
    return [20_000] * groups


def heavy_last(groups):
    return [50_000] * (groups - 1) + [1_000_000]


def heavy_half(groups):
    return [10_000] * (groups - groups // 2) + [90_000] * (groups // 2)


def triangle(groups):
    return [1_000 + 100 * g for g in range(groups)]


def scattered(groups):
    chance = random.Random(7)
    return [chance.choice((1_000, 2_000, 300_000)) for _ in range(groups)]


TIMES = (the_same, heavy_last, heavy_half, triangle, scattered)


def took(claims):
    return max(end for _, end, _, _, _ in claims)


def ideal(group_ns, threads):
    return max(sum(group_ns) / threads, max(group_ns))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("per_thread", (1, 4, 30))
def test_each_group_runs_once(threads, times, per_thread):
    for groups in (threads, threads * per_thread, threads * per_thread + 1):
        for claims in rehearse(times(groups), threads, 3):
            spans = sorted((first, n) for _, _, _, first, n in claims)
            assert [first for first, _ in spans] == [sum(n for _, n in spans[:i]) for i in range(len(spans))]
            assert sum(n for _, n in spans) == groups


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("times", TIMES)
def test_known_costs_leave_no_thread_idle_long(threads, times):
    group_ns = times(threads * 30)
    last = took(rehearse(group_ns, threads, 4)[-1])
    # at the end threads wait for one claim: a group, or as many as take LEAST_NS
    assert last <= 1.1 * ideal(group_ns, threads) + max(group_ns) * (times is not heavy_last) + LEAST_NS


@pytest.mark.parametrize("threads", (2, 16, 64))
def test_heavy_last_group_begins_with_the_second_launch(threads):
    first, second = rehearse(heavy_last(4 * threads), threads)
    assert took(first) > 1_100_000
    assert took(second) <= 1_050_000


@pytest.mark.parametrize("threads", (2, 16, 64))
def test_neighbours_run_in_one_thread(threads):
    groups = 100 * threads
    for claims in rehearse(the_same(groups), threads, 3):
        of = {g: thread for _, _, thread, first, n in claims for g in range(first, first + n)}
        changes = sum(of[g] != of[g + 1] for g in range(groups - 1))
        assert changes < 2 * threads


def test_a_run_keeps_its_thread_from_launch_to_launch():
    def of(claims):
        return [thread for _, _, thread, _, _ in sorted(claims, key=lambda claim: claim[3])]

    launches = rehearse(the_same(160), 16, 3)
    assert sorted(set(of(launches[1]))) == list(range(16))
    assert of(launches[1]) == of(launches[2])


@pytest.mark.parametrize("threads", (2, 4, 16))
def test_threads_that_held_each_other_up_keep_to_their_own_groups(threads):
    """16 groups write to a line each, and the threads begin one after the other: who is done first must not help in a
    line that another one writes to. Launches that know of it take no longer than they must."""
    group_ns, late = [2_000] * (16 * threads), 10_000 // threads
    lasts = [took(claims) for claims in rehearse(group_ns, threads, 20, 16, late)]
    assert max(lasts) > 4 * ideal(group_ns, threads)
    assert sorted(lasts)[15] <= ideal(group_ns, threads) + threads * late


@pytest.mark.parametrize("threads", (2, 4, 16))
@pytest.mark.parametrize("times", TIMES)
def test_groups_that_are_long_by_themselves_are_balanced_as_before(threads, times):
    """To see that they do not hold each other up takes a launch now and then."""
    group_ns = times(30 * threads)
    lasts = [took(claims) for claims in rehearse(group_ns, threads, 60)][2:]
    longest = ideal(group_ns, threads) + max(group_ns) + LEAST_NS
    assert sum(last > 1.1 * longest for last in lasts) <= 1
