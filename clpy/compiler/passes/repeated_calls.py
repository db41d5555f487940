# SPDX-License-Identifier: Apache-2.0
"""Functions of the library that loops call are inlined, where the pass inline has left that open.

Which loops there are is known when those over small arrays are unrolled: a transform's seven factors, each with a sine
and a cosine, are a loop of seven turns in its source and fourteen calls afterwards.
"""
from clpy.compiler.analysis.calls import is_repeated
from clpy.compiler.analysis.libmvec import FORMS, MOST_GROWTH, REPEATED, SHARED
from clpy.llvm.ir import functions

CLEAN = "early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>"


def is_inlined(function, known):
    """Whether loops call it, and copies of it add little."""
    return is_repeated(function, known) and function.n_instructions * (len(function.users) - 1) <= MOST_GROWTH


def run(module, lowering):
    known = {}
    open_ = [f for f in functions(module) if f.has_attribute(REPEATED)]
    inlined = [f for f in open_ if is_inlined(f, known)]
    for function in open_:
        function.remove_attribute(REPEATED)
    callers = {user.function for function in inlined for user in function.users}
    for function in inlined:
        for attribute in (FORMS, SHARED, "noinline"):
            function.remove_attribute(attribute)
        function.add_attribute("alwaysinline")
    if inlined:
        module.run_passes("always-inline,globaldce")
        for caller in callers - set(inlined):
            caller.run_passes(CLEAN)
