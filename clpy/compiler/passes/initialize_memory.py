# SPDX-License-Identifier: Apache-2.0
"""cl_khr_initialize_memory: where the context asks for it, private and local memory is zero before a kernel starts.

Private variables are cleared where the function begins, once: what an earlier turn of a loop left in them is the
kernel's own. "The only requirement is there should be no values set from outside the context, which can be read during
a kernel execution." So the variables of a function that was inlined into a loop keep their values too. Local memory is
cleared by who runs the groups; here its variables only lose their undefined contents, so that no load of one that is
never stored becomes undefined.
"""
from clpy.compiler.analysis.memory import LOCAL
from clpy.llvm.ir import Builder, Types, functions, global_variables, intrinsic

OF_LOCAL, OF_PRIVATE = 1, 2      # CL_CONTEXT_MEMORY_INITIALIZE_*


def drop_lifetimes(function):
    """They would make the contents undefined again."""
    for call in function.instructions_of("call"):
        if call.callee.name.startswith("llvm.lifetime."):
            call.erase()


def clear(module, builder, types, alloca):
    """Behind the alloca, or behind all of them, so that they stay together at the function's beginning."""
    kind = alloca.allocated_type
    if kind.target_ext_name:     # an event or the like: it has no bytes
        return
    count = alloca.operand(0)
    size = types.i64.const(kind.size * count.zext) if count.is_const_int else builder.mul(
        builder.cast("zext", count, types.i64) if count.type.width < 64 else count, types.i64.const(kind.size))
    builder.call(intrinsic(module, "llvm.memset", [alloca.type, types.i64]),
                 [alloca, types.int(8).const(0), size, types.int(1).const(0)])


def clear_private(module):
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        drop_lifetimes(function)
        for alloca in list(function.instructions_of("alloca")):
            after = alloca.next
            while after.opcode == "alloca":
                after = after.next
            clear(module, builder.before(after), types, alloca)


def run(module, lowering):
    if lowering.target.initialize & OF_LOCAL:
        for variable in global_variables(module):
            if variable.type.address_space == LOCAL and variable.initializer is not None:
                variable.initializer = variable.initializer.type.null
    if lowering.target.initialize & OF_PRIVATE:
        clear_private(module)
