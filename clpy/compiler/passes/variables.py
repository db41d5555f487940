# SPDX-License-Identifier: Apache-2.0
"""For a debugger, in programs that are built with -g and -cl-opt-disable: every variable of a kernel has a place in
memory where its value is at any time, across barriers too, and the ids of the work-item are variables.

The places are private memory like any other to the passes that follow. Vectors of work-items have no such places, and
code that is optimized would not be with them.
"""
from clpy.llvm.variables import keep_variables


def run(module, lowering):
    if not lowering.optimize:
        keep_variables(module)
