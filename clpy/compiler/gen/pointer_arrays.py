# SPDX-License-Identifier: Apache-2.0
"""Arrays of pointers in private memory, as arrays of words: LLVM's code generator for SPIR-V guesses what a variable of
pointers holds, and makes some of them one pointer, or one byte."""
from clpy.llvm.ir import Builder, Types, functions


def words_of(types, type_):
    """The type in place of an array of pointers, None for any other."""
    if not type_.is_array:
        return None
    element = types.i64 if type_.element.is_pointer else words_of(types, type_.element)
    return element and types.array(element, type_.count)


def run(module):
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        for alloca in function.instructions_of("alloca"):
            words = words_of(types, alloca.allocated_type)
            if words is not None:
                made = builder.before(alloca).alloca(words)
                made.align = alloca.align
                alloca.replace_with(made)
                alloca.erase()
                steps(types, builder, made)


def steps(types, builder, variable):
    for step in variable.users:
        if step.opcode != "getelementptr":
            continue
        type_ = step.gep_source_type
        words = types.i64 if type_.is_pointer else words_of(types, type_)
        if words is not None:
            base, *indices = step.operands
            step.replace_with(builder.before(step).gep(words, base, indices, flags=step.gep_flags))
            step.erase()
