# SPDX-License-Identifier: Apache-2.0
"""A restricted pointer of a kernel that waits for others.

`restrict` speaks of what one work-item does. Across a barrier, or an atomic operation, others may have changed what it
points to, and programs rely on that. LLVM, for which an argument that is `noalias` is not seen by a barrier, would take
a value from before it. So the attribute becomes the compiler's own, which it gives back to the parts between barriers.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.distinct import orders_memory
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import functions


def run(module, lowering):
    for kernel in filter(is_kernel, functions(module)):
        found = [i for i, p in enumerate(kernel.params)
                 if kernel.has_attribute("noalias", i + 1) and kernel.attribute_type("byval", i + 1) is None]
        if found and orders_memory(kernel):
            for index in found:
                kernel.remove_attribute("noalias", index + 1)
            kernel.add_attribute(fr.DISTINCT, ",".join(map(str, found)))
