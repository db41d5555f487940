# SPDX-License-Identifier: Apache-2.0
"""Functions of double that are calls of the C library's, which vectors have forms of, or arithmetic.

The library has them as arithmetic for any processor: a call amid other work costs the registers of all that work. Where
there is next to no other work, libmvec's forms are up to twice as fast, and become calls. For wide vectors the library
has forms of its own, which are inlined later (passes/own_forms.py): all become calls. But sin and cos of the same
number, which have most of the arithmetic in common.
"""
from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import library_name
from clpy.compiler.analysis.calls import BODY
from clpy.compiler.analysis.libmvec import OWN, OWN_BITS
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import Builder, Function, Types, const_splat, declare, functions

# The C library's function that is within the specification's limits as a vector; log is its log10, times ln 10.
CALLS = {"sin": "sin", "cos": "cos", "exp2": "exp2", "log2": "log2", "log10": "log10", "log": "log10"}
LN_10_LESS_2 = 0.302585092994045684      # ln 10 to more than a double's digits, with the 2
SHORT = 60                               # instructions of the kernel, as the front end makes them
FEW = 3                                  # of such calls in it


POW = "_Z3powdd"
TOGETHER = {"sin": "cos", "cos": "sin"}


def is_ours(function, names=CALLS):
    """Of one double, or of two."""
    name = library_name(function)
    return (name in names and str(function.value_type.returns) == "double"
            and [str(type_) for type_ in function.value_type.params] == ["double"] * (2 if name == "pow" else 1))


def is_kernel_body(function):
    """The front end makes a function of each kernel, and one that calls it."""
    return is_kernel(function) or function.name.startswith(BODY)


def is_short(function):
    """With what it calls, which the program's own functions may not be."""
    code = function.instructions
    calls = [inst.callee for inst in code if inst.opcode == "call"]
    return (len(code) <= SHORT and sum(map(is_ours, calls)) <= FEW and is_kernel_body(function)
            and all(callee.name.startswith(("_Z", "llvm.")) for callee in calls))


def c_function(module, name, type_):
    made = declare(module, name, type_)
    library.mark_pure(made)
    return made


def replace(module, types, call, name, is_log=False):
    """By the C library's function of that name. is_log: by log10, where the natural logarithm is wanted."""
    b, arguments = Builder(module).before(call), call.args
    made = b.call(c_function(module, name, types.function(call.type, [x.type for x in arguments])), arguments)
    if is_log:
        part = b.binop("fmul", made, const_splat(call.type, LN_10_LESS_2))
        made = b.binop("fadd", part, b.binop("fmul", made, const_splat(call.type, 2.0)))
    call.replace_with(made)
    call.erase()


def has_company(call, name):
    """Is the cosine asked for of what the sine is asked for?"""
    other = TOGETHER.get(name)
    return other is not None and any(
        user.opcode == "call" and isinstance(user.callee, Function) and library_name(user.callee) == other
        and user.function == call.function for user in call.args[0].users)


def calls_of(module, names, these=is_ours):
    """(call, name) of all calls of ours."""
    for function in [f for f in functions(module) if these(f, names)]:
        for call in [user for user in function.users if user.opcode == "call" and user.callee == function]:
            yield call, library_name(function)


def is_whole_power(function, names):
    """pown of a double."""
    return library_name(function) in names and [str(type_) for type_ in function.value_type.params] == ["double", "i32"]


def make_powers(module):
    """A double holds any int, and pow of it is what pown is."""
    for call, _ in calls_of(module, ("pown",), is_whole_power):
        x, n = call.args
        pow_ = declare(module, POW, Types(module).function(call.type, [x.type, x.type]))
        b = Builder(module).before(call)
        call.replace_with(b.call(pow_, [x, b.cast("sitofp", n, x.type)]))
        call.erase()


def run(module, lowering):
    if lowering.target.lockstep or not lowering.optimize:
        return
    types, short = Types(module), {}
    if lowering.vector_bits >= OWN_BITS:
        make_powers(module)
        for call, name in [each for each in calls_of(module, OWN) if not has_company(*each)]:
            replace(module, types, call, name)
        return
    for call, name in calls_of(module, CALLS):
        caller = call.function
        if caller not in short:
            short[caller] = is_short(caller)
        if short[caller]:
            replace(module, types, call, CALLS[name], is_log=name == "log")
