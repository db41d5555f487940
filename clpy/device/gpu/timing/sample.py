# SPDX-License-Identifier: Apache-2.0
"""The time of a launch from some of its groups.

A round is as many groups as the device holds. Rounds are traced from the first on until the time of a round stands
still; then two more rounds of groups spread evenly over the rest of the NDRange. What is left takes the mean time of
the rounds that stood still, as often as there are rounds of it; or, where the exact counts of all wavefronts say that
its groups have more or less to do, the time of all that was traced, by the work. Launches of a few rounds are traced
as a whole.

    sampler = Sampler(simulation)
    while groups := sampler.wants():
        sampler.add(sinks)           # of those groups
    estimate = sampler.estimate(...)
"""
from itertools import pairwise
from typing import NamedTuple

WHOLE = 8                    # rounds: what has no more is traced as a whole
STEADY = 0.02                # rounds whose times differ by less stand still
MOST = 12                    # rounds that are waited for it
SPREAD = 2                   # rounds


class Estimate(NamedTuple):
    """`uncertainty`: how far rounds that should take the same time were apart, as a part of `cycles`; 0 where all
    groups were traced. `scale`: all groups by those that were traced."""
    cycles: float
    uncertainty: float
    scale: float


class Sampler:

    def __init__(self, simulation):
        self.simulation = simulation
        x, y, z = simulation.groups
        self.total = x * y * z
        self.round = simulation.round
        self.taken = 0               # groups that were asked for from the first on
        self.traced = 0
        self.spread = False          # those in between were asked for
        self.is_whole = self.total <= WHOLE * self.round

    def wants(self):
        """The numbers of the groups to be traced next; nothing: it is enough."""
        if self.simulation.is_done:
            return range(0)
        if self.spread:
            return range(0)
        if self.is_whole or not self.stands_still():
            return range(self.taken, min(self.taken + max(self.simulation.wants, self.round), self.total))
        step = (self.total - self.taken) // (SPREAD * self.round)
        return range(self.taken, self.total, max(step, 1))[:SPREAD * self.round]

    def add(self, sinks):
        groups = self.wants()
        self.traced += self.simulation.add(sinks)
        if not self.is_whole and self.stands_still():
            self.spread = True
        else:
            self.taken = groups.stop
        self.simulation.run(last=self.spread or self.taken == self.total)

    def rounds(self):
        """Cycles of each round that is done, but for the last, which ends as the device runs empty."""
        ends = self.simulation.group_ends()[self.round - 1::self.round]
        times = [later - earlier for earlier, later in pairwise(ends)]
        return times[:-1] if self.simulation.is_done else times

    def stands_still(self):
        times = self.rounds()
        if self.taken >= MOST * self.round or self.taken == self.total:
            return True
        return len(times) >= 2 and abs(times[-1] - times[-2]) <= STEADY * times[-1]

    def estimate(self, work=None, traced_work=None):
        """`work`: of all groups, `traced_work`: of those that were traced, in any unit; None: they all do the same."""
        cycles = self.simulation.result().cycles
        rest = self.total - self.traced
        if rest <= 0:
            return Estimate(cycles, 0.0, 1.0)
        times = self.rounds()
        steady = [time for time in times if abs(time - times[-1]) <= 5 * STEADY * times[-1]] or times[-1:]
        mean = sum(steady) / len(steady)
        apart = max((max(steady) - min(steady)) / mean, STEADY)
        more = (work - traced_work) / rest / (traced_work / self.traced) if work and traced_work else 1.0
        extra = mean * rest / self.round
        if abs(more - 1) > STEADY:
            # Groups differ: the time of a unit of work is that of all that were traced, fast and slow ones.
            apart += abs(more - 1) * apart + STEADY
            extra = cycles * (work - traced_work) / traced_work
        return Estimate(cycles + extra, apart * extra / (cycles + extra), self.total / self.traced)
