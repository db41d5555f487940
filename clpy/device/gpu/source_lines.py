# SPDX-License-Identifier: Apache-2.0
"""The counters of a launch by the lines of its source.

What was followed of a block of machine code stands for all wavefronts that went through it. Where a sample never came
to a line there is nothing to tell but what is counted. Lines whose instructions are one step, as those of arithmetic on
Gen chips are, have equal parts of what each of them took.
"""
from clpy.device.gpu.counters import instructions_of
from clpy.device.gpu.timing.result import STALLS

USES = ("accesses", "lines", "conflicts")         # the order of USE_* in timing/model.pxd


class Line:
    """Of all wavefronts: instructions that they executed, in all and by the counter that they are part of, those that
    vectors of work-items took part in, and how many of the work-items; accesses to memory, lines that they touched,
    cycles that were lost, by reason."""

    def __init__(self, counters):
        self.instructions = self.vector = self.lanes = 0
        self.counters = counters
        self.by_counter = dict.fromkeys(counters, 0)
        self.is_followed = False
        self.uses = dict.fromkeys(USES, 0.0)
        self.stalls = dict.fromkeys(STALLS, 0.0)

    def count(self, step, count, visits, lanes):
        """So many instructions of a step."""
        self.instructions += visits * count
        for name, counts in self.counters.items():
            if counts(step):
                self.by_counter[name] += visits * count
        if step.unit.lower() in ("valu", "vmem", "lds"):
            self.vector += visits * count
            self.lanes += lanes * count

    def follow(self, uses, stalls, scale):
        self.is_followed = True
        for name, value in zip(USES, uses, strict=True):
            self.uses[name] += value * scale
        for name, value in zip(STALLS, stalls, strict=True):
            self.stalls[name] += value * scale

    def told(self, number, wave_lanes):
        told = {"line": number, "instructions": self.instructions,
                "by_counter": {name: n for name, n in self.by_counter.items() if n},
                "active": 100 * self.lanes / (self.vector * wave_lanes) if self.vector else None}
        if not self.is_followed:
            return told
        return told | {
            "lines_per_access": self.uses["lines"] / self.uses["accesses"] if self.uses["accesses"] else None,
            "conflict_cycles": round(self.uses["conflicts"]),
            "exposed_cycles": {name: round(cycles) for name, cycles in self.stalls.items() if round(cycles)}}


def followed(told, at):
    """(uses, stalls) of a step, by its number in the program."""
    n_uses, n_stalls = len(USES), len(STALLS)
    return told.uses[at * n_uses:(at + 1) * n_uses], told.stalls[at * n_stalls:(at + 1) * n_stalls]


def by_line(told):
    """Of a launch_time.Told, in the order of lines; 0 is what belongs to none."""
    lines, at, counters = {}, 0, instructions_of(told.kernel.chip)
    for number, block in enumerate(told.program.blocks):
        visits = told.visits[number]
        for step in block:
            for which, count in getattr(step, "lines", ()) or [(step.line, step.count)]:
                line = lines.setdefault(which, Line(counters))
                line.count(step, count, told.counts[number], told.lanes[number])
                if visits:
                    line.follow(*followed(told, at), told.counts[number] / visits * count / step.count)
            at += 1
        at += not block          # one without steps has one that takes no time
    return [line.told(number, told.resources.lanes) for number, line in sorted(lines.items()) if line.instructions]
