# SPDX-License-Identifier: Apache-2.0
"""LLVM's own optimizer on the finished kernel functions, for the CPU that runs them.

Vectors of work-items leave little for LLVM's vectorizers to find, and much code: a shorter list of passes builds them
in two thirds of the time and makes the same loops. Scalar work-item loops get the full list.
"""
FULL = "default<O3>"
COMBINE = "instcombine<no-verify-fixpoint>"  # else it is an error when one round of it leaves something to do
VECTORS = (f"always-inline,globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},simplifycfg,"
           f"loop-mssa(licm<allowspeculation>),loop(indvars,loop-deletion),gvn,{COMBINE},dse,"
           f"loop-mssa(licm<allowspeculation>),loop-unroll<O2>,{COMBINE},simplifycfg)")
PLAIN = "function(sroa,simplifycfg)"  # -cl-opt-disable: what the lowering itself needs to be sane


def choose(lowering):
    if not lowering.optimize:
        return PLAIN
    all_vectors = lowering.report and all(width > 1 for _, width, _, _ in lowering.report)
    return VECTORS if all_vectors else FULL


def run(module, lowering):
    module.run_passes(choose(lowering), lowering.machine)
