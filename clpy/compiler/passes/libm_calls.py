# SPDX-License-Identifier: Apache-2.0
"""Functions of double that are calls of the C library's vector forms in short code, and arithmetic elsewhere.

The library has them as arithmetic: a call amid other work costs the registers of all that work. Where there is next to
no other work, libmvec's forms are up to twice as fast.
"""
from clpy.compiler.analysis.builtin_table import library_name
from clpy.compiler.analysis.calls import BODY
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import Builder, Types, const_splat, declare, functions

# The C library's function that is within the specification's limits as a vector; log is its log10, times ln 10.
CALLS = {"sin": "sin", "cos": "cos", "exp2": "exp2", "log2": "log2", "log10": "log10", "log": "log10"}
LN_10_LESS_2 = 0.302585092994045684      # ln 10 to more than a double's digits, with the 2
SHORT = 60                               # instructions of the kernel, as the front end makes them
FEW = 3                                  # of such calls in it
PURE = ("nounwind", "willreturn", "nofree", "nosync")


def is_ours(function):
    """Of one double."""
    return (library_name(function) in CALLS and len(function.params) == 1
            and str(function.value_type.returns) == "double")


def is_kernel_body(function):
    """The front end makes a function of each kernel, and one that calls it."""
    return is_kernel(function) or function.name.startswith(BODY)


def is_short(function):
    """With what it calls, which the program's own functions may not be."""
    code = [inst for block in function.blocks for inst in block.instructions]
    calls = [inst.callee for inst in code if inst.opcode == "call"]
    return (len(code) <= SHORT and sum(map(is_ours, calls)) <= FEW and is_kernel_body(function)
            and all(callee.name.startswith(("_Z", "llvm.")) for callee in calls))


def c_function(module, name, type_):
    """errno and the rounding mode do not exist for kernels."""
    made = declare(module, name, type_)
    made.add_attribute("memory", 0)
    for attribute in PURE:
        made.add_attribute(attribute)
    return made


def replace(module, types, call, name):
    b, x = Builder(module).before(call), call.args[0]
    made = b.call(c_function(module, CALLS[name], types.function(call.type, [x.type])), [x])
    if name == "log":
        part = b.binop("fmul", made, const_splat(call.type, LN_10_LESS_2))
        made = b.binop("fadd", part, b.binop("fmul", made, const_splat(call.type, 2.0)))
    call.replace_with(made)
    call.erase()


def run(module, lowering):
    if lowering.target.lockstep or not lowering.optimize:
        return
    types, short = Types(module), {}
    for function in [f for f in functions(module) if is_ours(f)]:
        for call in [user for user in function.users if user.opcode == "call" and user.callee == function]:
            caller = call.function
            if caller not in short:
                short[caller] = is_short(caller)
            if short[caller]:
                replace(module, types, call, library_name(function))
