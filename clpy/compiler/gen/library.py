# SPDX-License-Identifier: Apache-2.0
"""Functions of OpenCL C that are the CPU device's, as LLVM's code generator for SPIR-V or Intel's compiler make none of
them, or a wrong one: conversions are of numbers without a sign there, whatever they are of, and know no rounding of
integers. All others are Intel's own."""
from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import base_name
from clpy.llvm.opcodes import SPIR_KERNEL

OURS = ("convert_",)


def link(module):
    """Add those that the module calls, and those that they call."""
    from clpy.llvm.ir import functions, get_function
    missing = [function for function in functions(module) if function.is_declaration]
    if not any(is_ours(function.name) for function in missing):
        return
    others = {f"clpy.others.{number}": function for number, function in enumerate(missing)
              if not is_ours(function.name) and not function.intrinsic}
    names = {hidden: function.name for hidden, function in others.items()}
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
        if not function.is_declaration and function.call_conv != SPIR_KERNEL:
            function.set_internal()


def is_ours(name):
    return base_name(name).startswith(OURS)
