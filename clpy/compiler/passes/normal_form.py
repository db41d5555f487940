# SPDX-License-Identifier: Apache-2.0
"""SSA form and light cleaning before kernels are cut: the less there is, the less lives across a barrier.

None of these passes duplicates a convergent call. The heavy optimizer comes at the end, on the work-group function.
"""
from clpy.compiler.analysis.memory import GENERIC, GLOBAL, LOCAL, space_of
from clpy.llvm.ir import Builder, Types, functions
from clpy.llvm.variables import leave_spaces

SSA = "sroa,early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>"
# Loop-invariant and repeated values are found before a cut would hide them.
BEFORE_CUTS = "loop-mssa(licm<allowspeculation>),gvn,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,adce"


def name_spaces(module):
    """Atomic operations through a generic pointer get one to the memory that it is seen to lead to: those on local
    memory need no lock (local_atomics.py), and HIP and SYCL have generic pointers only."""
    builder, types = Builder(module), Types(module)
    for function in functions(module):
        for inst in function.instructions_of("atomicrmw", "cmpxchg"):
            pointer = inst.operand(0)
            space = space_of(pointer)
            if pointer.type.address_space == GENERIC and space in (LOCAL, GLOBAL):
                inst.set_operand(0, builder.before(inst).cast("addrspacecast", pointer, types.pointer(space)))


def run(module, lowering):
    if lowering.optimize:
        module.run_passes(f"function({SSA})")
        name_spaces(module)
    else:
        leave_spaces(module)
        module.run_passes("function(sroa)")
