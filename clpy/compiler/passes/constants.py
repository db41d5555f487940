# SPDX-License-Identifier: Apache-2.0
"""What kernels read through arguments in constant memory is marked as what does not change.

Constant memory keeps its values for as long as a kernel runs (OpenCL 3.0, 3.3.1). LLVM, which does not know of such
memory, would read it again behind each write to a buffer, vector after vector. Objects of the program are left alone:
some are constructed before its first kernel.
"""
from clpy.compiler.analysis.distinct import roots_of
from clpy.compiler.analysis.memory import CONSTANT
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import functions, md_node


def run(module, lowering):
    if not lowering.optimize:
        return
    for kernel in filter(is_kernel, functions(module)):
        for load in kernel.instructions_of("load"):
            pointer = load.operand(0)
            if pointer.type.address_space == CONSTANT and not load.is_volatile and not load.is_atomic and \
                    all(root.is_argument for root in roots_of(pointer)):
                load.set_metadata("invariant.load", md_node(module, []))
