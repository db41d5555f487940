# SPDX-License-Identifier: Apache-2.0
"""Asks for what later vectors read side by side, where a processor comes to it late. A part of widening (widen.py)."""
from clpy.compiler.analysis.columns import share_slots
from clpy.compiler.analysis.graph import postorder
from clpy.compiler.spmd.lanes import CACHE_LINE, Part
from clpy.llvm.ir import intrinsic

LONG = 48           # instructions: a processor does not look far enough ahead to the next vectors
OF_CALL = 24        # that a function of the library counts for
AHEAD = 1024        # bytes
TO_READ = 0, 3, 1   # of llvm.prefetch: a load, into all caches, data


def of_each_vector(block, shapes):
    """Instructions of a block but for those that are done once for all vectors of a row."""
    calls = [inst for inst in block.instructions_of("call") if not inst.callee.name.startswith(("clpy.", "llvm."))]
    once = sum(not inst.is_void and shapes.uniform(inst) for inst in block.instructions)
    return len(block.instructions) - once + OF_CALL * len(calls)


def longest_way(cfg, shapes):
    """Instructions from the entry to the end of a function without loops."""
    ways = {}
    for n in postorder(cfg.succs):
        after = max((ways[s] for s in cfg.succs[n]), default=0)
        ways[n] = of_each_vector(cfg.blocks[n], shapes) + after
    return ways[0]


def takes_long(cfg, shapes):
    """It computes for so long that the next vector's memory is asked for late, and stores past the caches wait. By the
    longest way alone: a vector goes one, where there are some with a mask and without."""
    return not cfg.loops and longest_way(cfg, shapes) >= LONG


class Ahead(Part):
    """`long`: what takes_long says."""

    def __init__(self, forms, long):
        super().__init__(forms)
        self.asks = long and not share_slots(self.shapes.cfg, self.shapes)

    def ask(self, at, size):
        """For each line of what the vector some turns later than this one will read, whose `size` bytes are `at`: no
        fault, wherever that is."""
        if not self.asks:
            return
        b, t = self.b, self.t
        f = intrinsic(self.module, "llvm.prefetch", [at.type])
        for start in range(0, size, CACHE_LINE):
            b.call(f, [b.gep(t.i8, at, [t.i64.const(AHEAD + start)], flags=0), *map(t.i32.const, TO_READ)])
