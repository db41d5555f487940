# SPDX-License-Identifier: Apache-2.0
"""LLVM's own optimizer on the finished kernel functions, for the CPU that runs them.

Vectors of work-items leave little for LLVM's vectorizers to find, and much code: a shorter list of passes builds them
in two thirds of the time and makes the same loops. Scalar work-item loops get the full list. Each kernel of a program
gets the one that it would get alone.

Functions that LLVM's loop vectorizer would miscompile (`loop_vectorizer`), and the longest, are kept from it. An
attribute of the function says so, for marks on the loops themselves may get lost when other passes change them.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.libmvec import RARE_FORMS, is_form
from clpy.compiler.analysis.loop_vectorizer import miscompiles
from clpy.compiler.spmd.progress import COROUTINE, SPLIT
from clpy.llvm.ir import functions

FULL = "default<O3>"
FIRST = "default<O2>"        # of code that is made again once it has run for long: in four fifths of the time
COMBINE = "instcombine<no-verify-fixpoint>"  # else it is an error when one round of it leaves something to do
VECTORS = (f"always-inline,globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},simplifycfg,"
           f"loop-mssa(licm<allowspeculation>),loop(indvars,loop-deletion),gvn,{COMBINE},dse,"
           f"loop-mssa(licm<allowspeculation>),loop-unroll<O2>,{COMBINE},simplifycfg)")
# Of such code, in half the time. Loops over the group gain nothing by the rest; a kernel's own may.
FIRST_VECTORS = (f"always-inline,globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},"
                 f"loop-mssa(licm<allowspeculation>),loop-unroll-full,gvn,dse,{COMBINE},simplifycfg)")
# Where there are, beside vectors, loops in a work-item that gain much as vectors of LLVM's.
FIRST_TURNS = (f"always-inline,globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},"
               "loop(loop-rotate),loop-mssa(licm<allowspeculation>),loop(indvars),loop-vectorize,"
               f"{COMBINE},simplifycfg,loop-mssa(licm<allowspeculation>),loop-unroll-full,gvn,dse,"
               f"{COMBINE},simplifycfg)")
# Of such code where it is longest: what takes time by its length alone. SLP and value numbering take most of O2's,
# the second the square of how many blocks there are.
FIRST_LONGEST = (f"globaldce,function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,{COMBINE},"
                 f"loop-mssa(licm<allowspeculation>),dse,{COMBINE},simplifycfg)")
PLAIN = "function(sroa,simplifycfg)"  # -cl-opt-disable: what the lowering itself needs to be sane
INLINED = "always-inline,globaldce"
MOST = 6000          # instructions of a function that LLVM's vectorizers look at: they take minutes for twice as many
LONGEST = 20_000     # and of one that is worth no more than passes which take seconds for a hundred thousand
LONG = "clpy-longest"
OTHERS = (fr.VECTORS, fr.TURNS, LONG)
NO_VECTORS = "noimplicitfloat"  # what LLVM's vectorizers ask for; gone again before code is generated


def choose(module, lowering):
    if not lowering.optimize:
        return PLAIN
    kernels = fr.code_functions(module)
    if kernels and all(f.has_attribute(fr.VECTORS) for f in kernels):
        return vectors(lowering)
    return FIRST if lowering.first else FULL


def vectors(lowering):
    return FIRST_VECTORS if lowering.is_made_again else VECTORS


class Apart:
    """For the time of the block LLVM's passes leave these functions as they are. They may still become others, with
    fewer parameters: an attribute says which they are."""
    ADDED = "clpy-apart"
    MARKS = ("noinline", "optnone")      # the second needs the first

    def __init__(self, module, kept):
        self.module, self.kept = module, kept

    def __enter__(self):
        for function in self.kept:
            added = [mark for mark in self.MARKS if not function.has_attribute(mark)]
            function.add_attribute(self.ADDED, " ".join(added))
            for mark in added:
                function.add_attribute(mark)

    def __exit__(self, *why):
        for function in functions(self.module):
            for mark in reversed((function.attribute_text(self.ADDED) or "").split()):
                function.remove_attribute(mark)
            function.remove_attribute(self.ADDED)


class Hoisted:
    """For the time of the block LLVM may let calls of libmvec's forms leave a loop that may have no turn."""
    MARK = "speculatable"

    def __init__(self, module):
        self.module = module

    def forms(self):
        return [f for f in functions(self.module) if is_form(f) and not f.name.endswith(RARE_FORMS)]

    def __enter__(self):
        for form in self.forms():
            form.add_attribute(self.MARK)

    def __exit__(self, *why):
        for form in self.forms():
            form.remove_attribute(self.MARK)


def run(module, lowering):
    with Hoisted(module):
        optimize(module, lowering)


def optimize(module, lowering):
    if any(f.has_attribute(COROUTINE) for f in functions(module)):
        module.run_passes(SPLIT, lowering.machine)
    passes = choose(module, lowering)
    if passes not in (FULL, FIRST):
        module.run_passes(passes, lowering.machine)
        return
    module.run_passes(INLINED, lowering.machine)
    kept = [f for f in functions(module) if not f.is_declaration and may_get_vectors(f, lowering)
            and (f.n_instructions > MOST or miscompiles(f))]
    for function in kept:
        function.add_attribute(NO_VECTORS)
        if lowering.is_made_again and function.n_instructions > LONGEST and not function.has_attribute(fr.VECTORS):
            function.add_attribute(LONG)
    for wanted, mark in ((passes, None), (vectors(lowering), fr.VECTORS), (FIRST_TURNS, fr.TURNS),
                         (FIRST_LONGEST, LONG)):
        run_on(module, wanted, lowering, mark)
    for function in functions(module):
        function.remove_attribute(NO_VECTORS)
        function.remove_attribute(LONG)


def may_get_vectors(function, lowering):
    """Whether LLVM's vectorizers may see it. To ask for what they get wrong takes as long as some passes."""
    return not (lowering.is_made_again and function.has_attribute(fr.VECTORS))


def run_on(module, passes, lowering, mark):
    """On the functions with that attribute; None: with none that other passes are for."""
    bodies = [f for f in functions(module) if not f.is_declaration]
    others = [f for f in bodies if not (f.has_attribute(mark) if mark else not any(map(f.has_attribute, OTHERS)))]
    if len(others) < len(bodies):
        with Apart(module, others):
            module.run_passes(passes, lowering.machine)
