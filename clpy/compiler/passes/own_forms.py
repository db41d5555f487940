# SPDX-License-Identifier: Apache-2.0
"""The library's own forms of functions, for vectors, which the vectorizer called: of doubles (builtins/vectors_512.cl),
and of what the pass inline kept apart.

LLVM's optimizer inlines them, but for those, and for others that there would be much code of where it is made again.
"""
from clpy.compiler import library
from clpy.compiler.analysis.libmvec import FORMS, MOST_GROWTH, OWN_SYMBOLS, apart
from clpy.llvm.ir import functions

SYMBOLS = frozenset(OWN_SYMBOLS.values())


def symbols(module, vector_bits):
    """Names of all forms that the module may have called."""
    kept = [f for f in functions(module) if f.has_attribute(FORMS)]
    widths = [1 << i for i in range(1, 5)]
    return SYMBOLS.union(apart(f, width, vector_bits)[0] for f in kept for width in widths)


def is_called(function, lowering):
    """Whether it stays a function of its own."""
    size = function.n_instructions
    return function.name not in SYMBOLS or (lowering.is_made_again and size * (len(function.users) - 1) > MOST_GROWTH)


def run(module, lowering):
    names = symbols(module, lowering.vector_bits)
    here = {function.name for function in functions(module) if not function.is_declaration}
    used = {function.name for function in functions(module) if function.name in names} - here
    if not used:
        return
    library.link(module)
    for function in functions(module):
        if function.is_declaration or function.name in here:
            continue
        function.set_internal()
        if function.name in used and is_called(function, lowering):
            function.remove_attribute("alwaysinline")
            function.add_attribute("noinline")
