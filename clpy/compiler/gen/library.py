# SPDX-License-Identifier: Apache-2.0
"""Functions of OpenCL C that are the CPU device's, as LLVM's code generator for SPIR-V or Intel's compiler make none of
them, or a wrong one: conversions are of numbers without a sign there, whatever they are of, and know no rounding of
integers; orders and scopes of atomic operations get lost; operations on bits and products of small integers came later
than this compiler. All others are Intel's own."""
import re

from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import base_name

STEMS, NAMES = ("convert_", "vloada_half", "atomic_", "bitfield_", "dot_", "__spirv_SDot", "__spirv_UDot",
               "__spirv_SUDot"), ("any", "all", "bit_reverse")
INTEGER_DOT = re.compile(r"_Z3dotDv\d_[chst]")      # those of floats are not ours
# Atomic operations of OpenCL C 1.2, and what is none.
NOT_OURS = {"atomic_work_item_fence", *(f"atomic_{name}" for name in (
    "add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"))}


def link(module):
    """Add those that the module calls, and those that they call."""
    from clpy.llvm.ir import functions, get_function
    missing = [function for function in functions(module) if function.is_declaration and not function.intrinsic]
    others = {f"clpy.others.{number}": function for number, function in enumerate(missing)
              if not is_ours(function.name)}
    if len(others) == len(missing):
        return
    names = {hidden: function.name for hidden, function in others.items()}
    own = {function.name for function in functions(module) if not function.is_declaration}
    for hidden, function in others.items():
        function.name = hidden
    library.link(module)
    for hidden, function in others.items():
        found = get_function(module, names[hidden])     # what one of ours calls
        if found is None:
            function.name = names[hidden]
        else:
            function.replace_with(found)
            function.erase()
    for function in functions(module):
        if not function.is_declaration and function.name not in own:
            function.set_internal()
            function.name = f"clpy.{function.name}"     # Intel's compiler might call its own ones like that


def is_ours(name):
    if INTEGER_DOT.match(name):
        return True
    name = base_name(name)
    return name in NAMES or (name.startswith(STEMS) and name not in NOT_OURS)
