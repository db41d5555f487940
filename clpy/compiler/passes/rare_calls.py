# SPDX-License-Identifier: Apache-2.0
"""What is called for rare arguments alone keeps all registers of its caller.

The library's functions are arithmetic, with a call behind a branch for what that does not cover (e^x where the result
is no normal number, sines of large numbers). The calling convention has the caller save vector registers, so that LLVM
puts what lives across the branch, sums of a loop for instance, into memory in each turn. A function in between that
saves them itself takes a few dozen instructions where the call is made, and none where it is not.

Such a function may not end with vzeroupper, which LLVM adds where 256 bits were in use and none are returned: it clears
what was restored.

Where vectors fill registers of 512 bits there is no such convention: LLVM's keeps the lower 256 bits.
"""
from clpy.compiler.analysis.libmvec import RARE_FORMS, is_form
from clpy.llvm.ir import Builder, add_function, functions

KEEPS_ALL = 15              # LLVM's preserve_allcc
MOST_BITS = 256
COLD = "cold"       # functions of the module that the library marks (builtins/math_trigonometric.cl), or the program


def is_rare_form(function):
    return is_form(function) and function.name.endswith(RARE_FORMS)


def is_cold(function):
    """Of the module, and called by name alone."""
    return (not function.is_declaration and function.is_internal and function.has_attribute(COLD)
            and all(is_call_of(user, function) for user in function.users))


def is_call_of(user, function):
    return user.opcode == "call" and user.callee == function and function not in user.args


def let_keep(function, target):
    function.call_conv = KEEPS_ALL
    function.add_attribute("target-features", f"{target.features},-vzeroupper".lstrip(","))
    for call in function.users:
        call.set_call_conv(KEEPS_ALL)


def put_between(module, function, target):
    """Let all calls of it be calls of a function that does nothing else."""
    calls = [user for user in function.users if is_call_of(user, function)]
    if not calls:
        return
    between = add_function(module, f"rare.{function.name}", function.value_type)
    between.set_internal()
    for attribute in (COLD, "noinline", "nounwind"):
        between.add_attribute(attribute)
    b = Builder(module).at_end(between.append_block())
    b.ret(b.call(function, between.params))
    for call in calls:
        call.replace_with(b.before(call).call(between, call.args))
        call.erase()
    let_keep(between, target)


def run(module, lowering):
    if lowering.vector_bits > MOST_BITS or not lowering.optimize:
        return
    for function in [f for f in functions(module) if is_cold(f)]:
        let_keep(function, lowering.target)
    for function in [f for f in functions(module) if is_rare_form(f)]:
        put_between(module, function, lowering.target)
