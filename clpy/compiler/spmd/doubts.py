# SPDX-License-Identifier: Apache-2.0
"""Regions of which an estimate cannot tell whether they are faster as vectors or one work-item after the other.

How many lanes are left in a loop that they leave one by one, how often a branch is taken that few take, whether the
places of a gather lie in one cache line: data decides that. A kernel that runs for long gets code that does it the
other way as well (Lowering.other), and launches tell which is faster (core/specialize.pyx). Where one of both is
clearly better nothing is tried, nor where they might differ in a last bit, as a kernel's results do not change while it
runs, or where work-items might wait for each other.
"""
from clpy.compiler.analysis.access import is_access, pointer_of
from clpy.compiler.analysis.builtin_table import MATH, row_of
from clpy.compiler.analysis.intrinsics import ALLOW_RECIPROCAL, INEXACT, intrinsic_base
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.analysis.strides import FEW
from clpy.compiler.spmd.layout import Unsupported

# Thresholds, no costs: kernels of public suites that were up to three times as fast the other way are inside.
IRREGULAR = 0.3      # of a vector's cost is for gathers, scatters and what runs lane by lane: in doubt
NEAR = 0.4           # so much of the scalar cost
FAR = 2.0            # likewise, of what is left scalar: vectors do not gain what the estimate takes them to lose
LONGEST = 2000       # instructions that are made for a trial


class Tried(Unsupported):
    """The region as vectors is not faster, as far as the estimate goes; `in_doubt`: it may be. `turns`: LLVM makes
    vectors of the turns of loops in it."""

    def __init__(self, why, in_doubt=False, turns=False):
        super().__init__(why)
        self.in_doubt, self.turns = in_doubt, turns


def agrees(cost):
    """Whether one lane and vectors get the same bits: libmvec's functions are not those of the C library."""
    for _, inst in cost.insts:
        if cost.shapes[inst] != VARYING:
            continue
        if inst.opcode == "call" and is_inexact(inst.callee.name):
            return False
        if inst.opcode == "fdiv" and inst.fast_math & ALLOW_RECIPROCAL:
            return False
    return True


def is_inexact(name):
    row = row_of(name)
    return intrinsic_base(name) in INEXACT or (row is not None and row.kind == MATH)


def may_wait(cost):
    """Whether work-items might wait for others in a loop, which others may have to run at the same time for."""
    return any(looks_at_others(inst) and (loop := cost.cfg.loop_of[b]) is not None and cost.is_uneven(loop)
               for b, inst in cost.insts)


def looks_at_others(inst):
    """It gets what work-items that run at the same time may have written."""
    if inst.opcode == "load":
        return inst.is_volatile or inst.is_atomic
    if inst.opcode == "call":
        return inst.has_users and inst.callee.name.startswith("clpy.guarded")
    return inst.opcode in ("atomicrmw", "cmpxchg")


def parts_lanes(cost):
    """Lanes part in a loop: they leave it one by one, or some of them skip a part of it."""
    return any(cost.cfg.loop_of[b] is not None and inst.opcode == "call" and inst.callee.name.startswith("clpy.any")
               for b, inst in cost.insts)


def irregular(cost, width):
    """The share of gathers, scatters and of what runs lane by lane in a vector's cost."""
    weights = [weight * cost.parting(b) for b, weight in enumerate(cost.weights)]
    return sum(weights[b] * cost.many(inst, width) for b, inst in cost.insts if is_irregular(cost, inst)) \
        / max(cost.vector(width), 1)


def is_irregular(cost, inst):
    if inst.opcode == "call" and inst.callee.name.startswith("clpy.guarded"):
        return True
    if not is_access(inst) or inst in cost.walks.of:
        return False
    piece = cost.strides.of.get(inst)
    return cost.shapes[pointer_of(inst)] == VARYING if piece is None else piece.pitch > FEW


def may_be_slower(cost, width):
    """Vectors, that were chosen."""
    return (is_free(cost, width)
            and (parts_lanes(cost) or cost.vector(width) > NEAR * width * cost.scalar()
                 or irregular(cost, width) > IRREGULAR))


def may_be_faster(cost, width):
    """Vectors, that were not chosen for what they cost, or as those of the source fill registers."""
    return is_free(cost, width) and cost.vector(width) < FAR * width * cost.scalar()


def is_free(cost, width):
    """Whether both ways do the same, and are short enough to be made."""
    return cost.code(width) <= LONGEST and agrees(cost) and not may_wait(cost)
