# SPDX-License-Identifier: Apache-2.0
"""Objects of a program that are constructed before its first kernel (C++ for OpenCL): Clang makes a function for each
source. They become one kernel that nobody sees; the pass `initializers` has every kernel see to it that it has run."""
from clpy.compiler.frame import INITIALIZE
from clpy.llvm.ir import SPIR_FUNC, SPIR_KERNEL, Builder, Types, add_function, get_global

TABLE = "llvm.global_ctors"


def gather(module):
    """Make the kernel, where there is something to be constructed: the lowest priority first, then in order."""
    table = get_global(module, TABLE)
    if table is None or table.is_declaration:
        return
    rows = [table.initializer.operand(i) for i in range(table.initializer.n_operands)]
    found = [(row.operand(0).zext, row.operand(1)) for row in rows if row.operand(1).call_conv == SPIR_KERNEL]
    table.erase()
    if not found:
        return
    types = Types(module)
    kernel = add_function(module, INITIALIZE, types.function(types.void, []))
    kernel.call_conv = SPIR_KERNEL
    builder = Builder(module).at_end(kernel.append_block("entry"))
    for _, function in sorted(found, key=lambda row: row[0]):
        function.call_conv = SPIR_FUNC
        function.set_internal()
        builder.call(function, [])
    builder.ret()
