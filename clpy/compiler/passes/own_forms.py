# SPDX-License-Identifier: Apache-2.0
"""The library's own forms of functions, for vectors of doubles (builtins/vectors_512.cl), which the vectorizer called.
LLVM's optimizer inlines them.
"""
from clpy.compiler import library
from clpy.compiler.analysis.libmvec import OWN_SYMBOLS
from clpy.llvm.ir import functions

SYMBOLS = frozenset(OWN_SYMBOLS.values())


def used(module):
    return [function for function in functions(module) if function.name in SYMBOLS]


def run(module, lowering):
    if not used(module):
        return
    library.link(module)
    for function in used(module):     # others than the declarations before
        function.set_internal()
