# SPDX-License-Identifier: Apache-2.0
"""LLVM's own optimizer on the finished kernel functions, for the CPU that runs them.

Vectors of work-items leave little for LLVM's vectorizers to find, and much code: a shorter list of passes builds them
in two thirds of the time and makes the same loops. Scalar work-item loops get the full list.

LLVM 22's loop vectorizer miscompiles a division under a condition whose operands do not change in the loop and whose
result is part of an address: it takes the result from the first lane, which may not have divided. So a function that
divides in a loop, where not every iteration does, is kept from it. An attribute of the function says so, for marks on
the loops themselves may get lost when other passes change them.
"""
from clpy.llvm.ir import functions

from .cfg import Graph, postorder, reachable

FULL = "default<O3>"
COMBINE = "instcombine<no-verify-fixpoint>"  # else it is an error when one round of it leaves something to do
VECTORS = (f"always-inline,globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},simplifycfg,"
           f"loop-mssa(licm<allowspeculation>),loop(indvars,loop-deletion),gvn,{COMBINE},dse,"
           f"loop-mssa(licm<allowspeculation>),loop-unroll<O2>,{COMBINE},simplifycfg)")
PLAIN = "function(sroa,simplifycfg)"  # -cl-opt-disable: what the lowering itself needs to be sane
INLINED = "always-inline,globaldce"
NO_VECTORS = "noimplicitfloat"  # what LLVM's vectorizers ask for; gone again before code is generated


def choose(lowering):
    if not lowering.optimize:
        return PLAIN
    all_vectors = lowering.report and all(width > 1 for _, width, _, _ in lowering.report)
    return VECTORS if all_vectors else FULL


def divides_conditionally(function):
    """Some division is in a loop that can go round without it."""
    divisions = {inst.block for inst in function.instructions_of("udiv", "sdiv", "urem", "srem")
                 if not inst.operand(1).is_constant}
    if not divisions:
        return False
    graph = Graph(function)
    numbers = {graph.number[block] for block in divisions}
    rank = {node: i for i, node in enumerate(postorder(graph.succ, 0))}
    backward = [(n, h) for n in rank for h in graph.succ[n] if rank[h] >= rank[n]]
    for latch, head in backward:
        body = reachable(graph.pred, [latch], stop=(head,))
        inside = numbers & body - {latch}
        if any(latch in reachable(graph.succ, [head], stop=(number,)) for number in inside):
            return True
    return False


def run(module, lowering):
    passes = choose(lowering)
    if passes != FULL:
        module.run_passes(passes, lowering.machine)
        return
    module.run_passes(INLINED, lowering.machine)
    kept = [f for f in functions(module) if not f.is_declaration and divides_conditionally(f)]
    for function in kept:
        function.add_attribute(NO_VECTORS)
    module.run_passes(FULL, lowering.machine)
    for function in functions(module):
        function.remove_attribute(NO_VECTORS)
