# SPDX-License-Identifier: Apache-2.0
"""Calls of functions that the translator of SPIR-V names as Clang does, with pointers where Clang has opaque types.

A module may import functions of its own choice by the same names: what a call hands on is looked at first.
"""
from clpy.compiler.analysis.builtin_table import base_name
from clpy.llvm.ir import declare, functions
from clpy.llvm.opcodes import SPIR_FUNC

POINTERS = ".pointers"      # how the names of these functions end while their calls are replaced


def symbol_of(function):
    return function.name.removesuffix(POINTERS)


def refuse(call):
    raise ValueError(f"'{base_name(symbol_of(call.callee))}' has other parameters than it is declared with")


def check_pointers(call, indices):
    """That these arguments are there and pointers; -1 is the result."""
    args = call.args
    for index in indices:
        if index >= len(args) or not (args[index] if index >= 0 else call).type.is_pointer:
            refuse(call)


def call_instead(module, types, builder, symbol, returns, args):
    callee = declare(module, symbol, types.function(returns, [a.type for a in args]))
    callee.call_conv = SPIR_FUNC
    new = builder.call(callee, args)
    new.set_call_conv(SPIR_FUNC)
    return new


def replace_all(module, known, replace):
    """`replace(call, name)` for each call of a function that the module imports and whose name is `known`."""
    for function in functions(module):
        name = base_name(function.name)
        if not function.is_declaration or name not in known:
            continue
        function.name += POINTERS
        for call in [user for user in function.users if user.opcode == "call" and user.callee == function]:
            replace(call, name)
        if not function.has_users:
            function.erase()
