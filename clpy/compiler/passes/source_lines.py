# SPDX-License-Identifier: Apache-2.0
"""The kernel functions say which function of the source they are, so that LLVM makes line tables of them: a fault can
then be told by the line it came from. Instructions have kept their places through all passes; code does not change.
"""
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import frame as fr
from clpy.llvm.lines import place_lines
from clpy.llvm.variables import join_variables


def run(module, lowering):
    place_lines(module, KERNEL_PREFIX, fr.ROLE)
    if not lowering.optimize:
        for kernel in fr.kernel_functions(module):
            join_variables(kernel)
