# SPDX-License-Identifier: Apache-2.0
"""Functions of OpenCL C that LLVM's code generator for SPIR-V or Intel's compiler make none of, or a wrong one. Some
are written for these chips (library/*.cl), more are the CPU device's: conversions are of numbers without a sign there,
whatever they are of, and know no rounding of integers; orders and scopes of atomic operations get lost; operations on
bits, products of small integers and the clock came later than this compiler; of some mathematical functions special
values are wrong. All others are Intel's own."""
import os
import re
from functools import cache

from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import base_name
from clpy.compiler.gen import corrections
from clpy.compiler.spirv_named_barriers import INIT, WAIT

FOLDER = os.path.join(os.path.dirname(__file__), "library")
MATH, COPIES, LEVELS = "math.bc", "async_boxes.bc", "levels.bc"
HIDDEN = "clpy_others_"     # in library/math.cl, before the name of a function of Intel's that the file has too

STEMS, NAMES = ("convert_", "vloada_half", "atomic_", "bitfield_", "clock_read_", "dot_", "__spirv_SDot",
                "__spirv_UDot", "__spirv_SUDot"), ("any", "all", "bit_reverse", INIT, WAIT)
# Mangled ones, of which Intel's are right for other types.
OF_SOME_TYPES = re.compile(r"_Z(3dotDv\d_([chst]|Dh)|3nan|5fract(Dv\d+_)?Dh|7atan2pi(Dv\d+_)?f"
                           r"|(5sinpi|5cospi|5tanpi)(Dv\d+_)?d)")
# Atomic operations of OpenCL C 1.2, and what is none.
NOT_OURS = {"atomic_work_item_fence", *(f"atomic_{name}" for name in (
    "add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"))}


@cache
def bitcode(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def link_copies(module):
    """Functions of the group's copies that are written with the group's other functions."""
    from clpy.llvm.codegen import link_needed
    link_needed(module, bitcode(COPIES))


def link(module):
    """Add those that the module calls, and those that they call."""
    from clpy.llvm.codegen import link_needed
    from clpy.llvm.ir import functions
    own = {function.name for function in functions(module) if not function.is_declaration}
    link_needed(module, bitcode(LEVELS))
    link_needed(module, bitcode(MATH))
    link_others(module)
    for function in functions(module):
        if not function.is_declaration and function.name not in own:
            corrections.take_over(function)
    for function in functions(module):
        name = base_name(function.name)
        if function.is_declaration and name.startswith(HIDDEN):
            corrections.rename(module, function, name, name.removeprefix(HIDDEN))


def link_others(module):
    """The CPU device's."""
    from clpy.llvm.ir import functions, get_function
    missing = [function for function in functions(module) if function.is_declaration and not function.intrinsic]
    others = {f"clpy.others.{number}": function for number, function in enumerate(missing)
              if not is_ours(function.name)}
    if len(others) == len(missing):
        return
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


def is_ours(name):
    if OF_SOME_TYPES.match(name):
        return True
    name = base_name(name)
    return name in NAMES or (name.startswith(STEMS) and name not in NOT_OURS)
