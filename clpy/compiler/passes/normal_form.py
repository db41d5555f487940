# SPDX-License-Identifier: Apache-2.0
"""SSA form and light cleaning before kernels are cut: the less there is, the less lives across a barrier.

None of these passes duplicates a convergent call. The heavy optimizer comes at the end, on the work-group function.
"""
from clpy.llvm.variables import leave_spaces

SSA = "sroa,early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>"
# Loop-invariant and repeated values are found before a cut would hide them.
BEFORE_CUTS = "loop-mssa(licm<allowspeculation>),gvn,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,adce"


def run(module, lowering):
    if lowering.optimize:
        module.run_passes(f"function({SSA})")
    else:
        leave_spaces(module)
        module.run_passes("function(sroa)")
