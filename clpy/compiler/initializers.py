# SPDX-License-Identifier: Apache-2.0
"""Objects of a program that are constructed before its first kernel (C++ for OpenCL): Clang makes a function for each
source. They become one kernel that nobody sees; before any other one runs, passes/initializers.py has it run."""
from clpy.compiler.frame import INITIALIZE
from clpy.llvm.ir import SPIR_FUNC, SPIR_KERNEL, Builder, Types, add_function, get_global

TABLE = "llvm.global_ctors"


def gather(module, kernel_convention=SPIR_KERNEL, function_convention=SPIR_FUNC):
    """Make the kernel, where there is something to be constructed: the lowest priority first, then in order. It is
    returned, or None."""
    table = get_global(module, TABLE)
    if table is None or table.is_declaration:
        return None
    rows = [table.initializer.operand(i) for i in range(table.initializer.n_operands)]
    found = [(row.operand(0).zext, row.operand(1)) for row in rows if row.operand(1).call_conv == SPIR_KERNEL]
    table.erase()
    if not found:
        return None
    types = Types(module)
    kernel = add_function(module, INITIALIZE, types.function(types.void, []))
    kernel.call_conv = kernel_convention
    builder = Builder(module).at_end(kernel.append_block("entry"))
    for _, function in sorted(found, key=lambda row: row[0]):
        function.call_conv = function_convention
        function.set_internal()
        builder.call(function, [])
    builder.ret()
    return kernel
