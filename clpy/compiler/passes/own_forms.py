# SPDX-License-Identifier: Apache-2.0
"""The library's own forms of functions, for vectors, which the vectorizer called: of doubles (builtins/vectors_512.cl),
and of what the pass inline kept apart.

Code that is made again calls the machine code of them that there is (library_code.py); of those of doubles, where there
would be much code: they may be in loops. Else LLVM's optimizer inlines those, and the others are functions of the
module.
"""
from clpy.compiler import library, library_code
from clpy.compiler.analysis.libmvec import FORMS, MOST_GROWTH, OWN_SYMBOLS, SHARED, apart
from clpy.llvm.ir import declare, functions

SYMBOLS = frozenset(OWN_SYMBOLS.values())


def symbols(kept, vector_bits):
    """Names of all forms of these functions that the module may have called."""
    widths = [1 << i for i in range(1, 5)]
    return {apart(f, width, vector_bits)[0] for f in kept for width in widths}


def call_shared(module, function):
    """Let all that call a function call its shared code."""
    code = declare(module, library_code.name_of(function.name), function.value_type)
    library.mark_pure(code)
    function.replace_with(code)
    function.erase()


def link_forms(module, names):
    """Those that are called, with what they need."""
    here = {function.name for function in functions(module) if not function.is_declaration}
    used = {function.name for function in functions(module) if function.name in names} - here
    if not used:
        return
    library.link(module)
    for function in functions(module):
        if function.is_declaration or function.name in here:
            continue
        function.set_internal()
        if function.name in used and function.name not in SYMBOLS:
            function.remove_attribute("alwaysinline")
            function.add_attribute("noinline")


def run(module, lowering):
    kept = [f for f in functions(module) if f.has_attribute(FORMS)]
    shared = [f for f in kept if f.has_attribute(SHARED)]
    names = symbols(kept, lowering.vector_bits)
    of_shared = symbols(shared, lowering.vector_bits)
    for function in [*shared, *(f for f in functions(module) if f.name in of_shared)]:
        call_shared(module, function)
    link_forms(module, SYMBOLS.union(names) - of_shared)
    if lowering.is_made_again:
        for function in [f for f in functions(module) if f.name in SYMBOLS and would_grow(f)]:
            call_shared(module, function)


def would_grow(function):
    return function.n_instructions * (len(function.users) - 1) > MOST_GROWTH
