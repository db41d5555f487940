# SPDX-License-Identifier: Apache-2.0
"""Linking user code with the OpenCL C library."""
from functools import cache
from pathlib import Path

BITCODE = Path(__file__).parent / "builtins" / "builtins.bc"
SPIR_KERNEL = 76


@cache
def bitcode():
    return BITCODE.read_bytes()


def hide_functions(module):
    """Make all but the kernels internal: a user's function may have the name of one that the library uses."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if not function.is_declaration and function.call_conv != SPIR_KERNEL:
            function.set_internal()


def link(module):
    """Add the library functions that the module needs."""
    from clpy.llvm.codegen import link_needed
    link_needed(module, bitcode())


def readable(symbol):
    """The OpenCL C name in a mangled symbol."""
    if symbol.startswith("_Z"):
        digits = symbol[2:]
        size = digits[:len(digits) - len(digits.lstrip("0123456789"))]
        if size:
            return digits[len(size):len(size) + int(size)]
    return symbol
