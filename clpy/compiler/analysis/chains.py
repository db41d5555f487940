# SPDX-License-Identifier: Apache-2.0
"""Loops whose turns wait for the ones before: what a turn computes of its own results takes longer than all of it needs
of the processor. Another vector beside it is free then. An analysis of the linearized function.

Latencies are those of Intel's and AMD's cores of the last years, in cycles; two operations begin in each. They are
rough: what matters is whether the processor waits for the better part of a turn.
"""
from clpy.compiler.analysis.access import is_access
from clpy.compiler.analysis.intrinsics import intrinsic_base

FREE = ("phi", "bitcast", "freeze", "extractelement", "insertelement", "shufflevector", "getelementptr")
LATENCY = {"fadd": 4, "fsub": 4, "fmul": 4, "fdiv": 12, "mul": 8, "sitofp": 4, "uitofp": 4, "fptosi": 4, "fptoui": 4,
           "fpext": 4, "fptrunc": 4, "fcmp": 4, "icmp": 3, "udiv": 30, "sdiv": 30, "urem": 30, "srem": 30, "select": 2}
INTRINSIC = {"fma": 4, "fmuladd": 4, "sqrt": 15}
OTHERS = 1
LOAD = 7
PER_CYCLE = 2
LONG, MANY = 200, 12     # instructions and phis of a loop that is looked at: longer ones have enough to do
TURNS = 4                # of a circle through several values, each of which the next one needs


class Chains:
    """`work(inst)`: operations that an instruction of all lanes takes."""

    def __init__(self, cfg, shapes, work):
        self.cfg, self.shapes, self.work = cfg, shapes, work

    def room(self):
        """For how many vectors at a time the deepest loops have room, that of them with the least."""
        deepest = max((loop.depth for loop in self.cfg.loops), default=0)
        return min((self.room_in(loop) for loop in self.cfg.loops if loop.depth == deepest), default=1)

    def depth(self):
        """Cycles of the longest chain in a turn of the deepest loops, that of them with the shortest one."""
        deepest = max((loop.depth for loop in self.cfg.loops), default=0)
        return min((self.depth_in(loop) for loop in self.cfg.loops if loop.depth == deepest), default=0)

    def depth_in(self, loop):
        known = {}
        for b in sorted(loop.blocks):
            for inst in self.cfg.blocks[b].instructions:
                known[inst] = max((known.get(v, 0) for v in inst.operands), default=0) + self.cycles(inst)
        return max(known.values())

    def room_in(self, loop):
        insts = [i for b in sorted(loop.blocks) for i in self.cfg.blocks[b].instructions]
        phis = [i for i in insts if self.is_carried(i, loop)]
        if len(loop.latches) != 1 or len(insts) > LONG or len(phis) > MANY:
            return 1
        work = sum(self.work(i) for i in insts if self.takes_time(i) or is_access(i)) / PER_CYCLE
        return self.longest(phis, insts, loop) / work if work else 1

    def is_carried(self, inst, loop):
        return inst.opcode == "phi" and self.cfg.number[inst.block] == loop.header and not self.shapes.uniform(inst)

    def takes_time(self, inst):
        return not inst.is_void and inst.opcode not in FREE and not self.shapes.uniform(inst) and not is_fused(inst)

    def longest(self, phis, insts, loop):
        """Cycles of a turn, the mean of the longest circle that comes back to a phi after a few of them."""
        ways, most = {phi: self.ways(phi, phis, insts, loop) for phi in phis}, 0
        for phi in phis:
            reached = {phi: 0}
            for turn in range(1, TURNS + 1):
                after = {}
                for at, cycles in reached.items():
                    for to, more in ways[at].items():
                        after[to] = max(after.get(to, 0), cycles + more)
                reached = after
                most = max(most, reached.get(phi, 0) / turn)
        return most

    def ways(self, phi, phis, insts, loop):
        """phi -> cycles from `phi` to what it is in the next turn, where there is a way."""
        known = {phi: 0}
        for inst in insts:       # in an order of the linearized function in which each comes after what it needs
            if inst not in phis:
                before = max((known.get(v, -1) for v in inst.operands), default=-1)
                if before >= 0:
                    known[inst] = before + self.cycles(inst)
        following = {other: self.following(other, loop) for other in phis}
        return {other: known[v] for other, v in following.items() if v in known}

    def following(self, phi, loop):
        return next(v for v, block in phi.incoming if self.cfg.number[block] in loop.blocks)

    def cycles(self, inst):
        if is_access(inst):
            return LOAD
        if not self.takes_time(inst):
            return 0
        name = intrinsic_base(inst.callee.name) if inst.opcode == "call" else None
        return INTRINSIC.get(name, OTHERS) if name else LATENCY.get(inst.opcode, OTHERS)


def is_fused(inst):
    """A product that becomes one operation with the sum it is for."""
    users = list(inst.users) if inst.opcode == "fmul" else []
    return len(users) == 1 and users[0].opcode in ("fadd", "fsub")
