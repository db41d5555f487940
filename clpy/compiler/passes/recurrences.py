# SPDX-License-Identifier: Apache-2.0
"""Recurrences along rows: what one turn of a loop stores and the next one loads stays in a register.

`x[k] = f(x[k - 1])` waits for memory to hand each value on, where it could wait for f alone; on a Zen 3 that took 1.7
times as long. LLVM does so in what it optimizes as scalar code. The list for vectors (passes/optimize.py) has no passes
for that, as lanes that each walk along a row of their own scatter and gather. Regions of which a group's work-items may
run one by one for long (analysis/rows.py) are seen to here, before they become a part of the kernel's function.

It takes the device's data layout: indices of 32 bits are made wider where 64 are as good, so that LLVM sees one address
follow another.
"""
from clpy.compiler import frame as fr
from clpy.llvm.ir import functions

PASSES = "loop(loop-rotate,indvars),loop-load-elim"


def run(module, lowering):
    if not lowering.optimize:
        return
    for function in functions(module):
        if function.has_attribute(fr.IN_TURN):
            function.run_passes(PASSES)
