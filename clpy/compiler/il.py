# SPDX-License-Identifier: Apache-2.0
"""From SPIR-V to a module for spir64 as Clang makes one: the translator's bitcode, made to fit our pipeline."""

from clpy.compiler import spirv, spirv_environment, spirv_legalize, translator
from clpy.compiler.metadata import NUM_SUB_GROUPS
from clpy.compiler.options import C_STANDARDS
from clpy.compiler.spirv_repairs import DEBUG_INFO
from clpy.records import replace

# The translator asks for line tables of version 4; of two versions the larger one is taken.
NEWER_LINES = '!llvm.module.flags = !{!0}\n!0 = !{i32 7, !"Dwarf Version", i32 5}\n'


class ModuleError(Exception):
    """The module cannot be read; the text is for the build log."""


def options_for(options):
    """Options of a program from IL. "-cl-std" and what concerns sources has no meaning for it; its groups may have any
    size, unless -cl-uniform-work-group-size says otherwise."""
    return replace(options, std=max(C_STANDARDS))


def read(il):
    """LLVM Module of a SPIR-V module, given as bytes."""
    from clpy.llvm.module import LLVMError, Module
    try:
        parsed = spirv.parse(il)
        try:
            bitcode = translator.translate(spirv_legalize.legalize(parsed).to_bytes())
        except translator.TranslationError as why:
            raise ModuleError(f"{str(why).rstrip()}{unknown_capabilities(parsed)}") from None
        module = Module.from_bitcode(bitcode)
        if DEBUG_INFO in il:
            module.link(Module.from_text(NEWER_LINES))
        fit(module)
        require_sub_groups(module, spirv.sub_group_counts(parsed))
    except (ValueError, LLVMError) as why:
        raise ModuleError(str(why)) from None
    wrong = module.verify()
    if wrong:
        raise ModuleError(f"the translated module is wrong: {wrong}")
    return module


def unknown_capabilities(parsed):
    """What the translator may have failed at, in words: not all that it cannot read it names."""
    known = {number for number, _, _ in spirv_environment.CAPABILITIES}
    asked = {parsed.words[i + 1] for i, opcode, count in parsed.instructions()
             if opcode == spirv_legalize.OP_CAPABILITY and count == 2} - known
    numbers = ", ".join(map(str, sorted(asked)))
    return f"\nThe module asks for capabilities that no device has: {numbers}" if asked else ""


def fit(module):
    """No aggregates in memory, no casts that do nothing (typed pointers leave some), the opaque types of Clang."""
    from clpy.compiler import aggregates, spirv_blocks, spirv_handles, spirv_pipes, spirv_values
    from clpy.llvm.ir import functions
    aggregates.run(module)
    for function in functions(module):
        for cast in function.instructions_of("bitcast"):
            if cast.operand(0).type == cast.type:
                cast.replace_with(cast.operand(0))
                cast.erase()
    spirv_blocks.run(module)
    spirv_pipes.run(module)
    spirv_handles.run(module)
    spirv_values.run(module)


def require_sub_groups(module, counts):
    """What the translator does not say of kernels; `counts`: {name: sub-groups of a work-group}."""
    from clpy.llvm.ir import Types, get_function
    for name, count in counts.items():
        kernel = get_function(module, name)
        if kernel is not None:
            kernel.set_metadata(NUM_SUB_GROUPS, Types(module).i32.const(count))
