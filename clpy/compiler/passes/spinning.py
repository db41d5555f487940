# SPDX-License-Identifier: Apache-2.0
"""Kernels that go around in a loop until another work-group has written something (analysis/waiting_loops.py).

The language promises no group that others run meanwhile, yet programs for GPUs count on it, as long as all groups of a
launch find room there: barriers of all groups, flags that each group raises for the next. The runtime sees to it that
such groups are not the only ones that run, and is called in each turn, so that those that wait leave the processor to
others (clpy/device/host/gang.pyx).
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.memory import GENERIC, GLOBAL, PRIVATE
from clpy.compiler.analysis.waiting_loops import WaitingLoops
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import Builder, Types, declare, functions

SPIN = "__clpy_spin"
LOOPS = WaitingLoops((GLOBAL, GENERIC), PRIVATE)


def turn(module, header):
    types = Types(module)
    spin = declare(module, SPIN, types.function(types.void, []))
    spin.add_attribute("nounwind")
    spin.add_attribute("cold")         # of many work-items one after the other, in a loop
    Builder(module).before(header.first_non_phi).call(spin, [])


def run(module, lowering):
    for kernel in functions(module):
        if not is_kernel(kernel) or not LOOPS.may_be_in(kernel):
            continue
        headers = LOOPS.headers(laid_out(kernel))
        for header in headers:
            turn(module, header)
        if headers:
            kernel.add_attribute(fr.SPINS, "")
            lowering.kernels[kernel.name].spins = True
