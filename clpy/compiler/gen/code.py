# SPDX-License-Identifier: Apache-2.0
"""From a linked module of kernels to a chip's program: LLVM's SPIR-V, then Intel's compiler."""
from clpy.compiler import metadata, served
from clpy.compiler.amdgpu.code import inline_all, refuse_assembly, refuse_recursion
from clpy.compiler.gen import (
    async_copies,
    corrections,
    library,
    ocloc,
    pipes,
    pointer_arrays,
    printf_calls,
    queues,
    source_lines,
    variables,
    zebin,
)
from clpy.compiler.gen.target import GenTarget
from clpy.errors import CompileError

SPIRV_EXTENSIONS = "+SPV_INTEL_subgroups,+SPV_INTEL_media_block_io,+SPV_INTEL_split_barrier"
MOST_ALIGN = 32         # that Intel's compiler has for all kernels
SECONDS, MEMORY = 120, 2 << 30      # that SPIR-V may take


def make(module, infos, target, options, clock, look):
    """(The chip's program, names of the kernels that print, variables.take's variables) of a module with the program
    and nothing else. `look(module)` sees it without calls of the program's own functions."""
    refuse_assembly(module)
    refuse_recursion(module)
    library.link_copies(module)
    module = async_copies.lower(pipes.lower(queues.lower(module, infos)))
    prints = printf_calls.lower(module)
    library.link(module)
    corrections.run(module)
    inline_functions(module)
    corrections.lower_bits(module)
    corrections.pass_addresses(module)
    corrections.name_members(module)
    look(module)
    pointer_arrays.run(module)
    begun = variables.take(module)
    clock.lap("library")
    blob = code_of(module, target, options, clock)
    if zebin.has_no_size(blob) and align_less(module):
        blob = code_of(module, target, options, clock)
    return blob, prints, begun


def code_of(module, target, options, clock):
    """Lines are worth no failure: what cannot be compiled with them is compiled without."""
    ir = module.to_bitcode()
    for has_lines in (True, False):
        try:
            spirv = spirv_of(ir, target, has_lines)
            clock.lap("SPIR-V")
            blob = ocloc.compile(spirv, target.device, flags(options), has_lines)
            clock.lap("code")
            return blob
        except CompileError:
            if not has_lines:
                raise


def align_less(module):
    """Of some kernels with vectors of 16 long numbers in private memory Intel's compiler says that they have none of
    it, or less, unless those have a smaller alignment. Whether there are some."""
    from clpy.llvm.ir import functions
    found = [variable for function in functions(module) for variable in function.instructions_of("alloca")
             if variable.align > MOST_ALIGN]
    for variable in found:
        variable.align = MOST_ALIGN
    return bool(found)


def inline_functions(module):
    """Intel's compiler calls what is not to be inlined, by a stack that the translation does not have."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if not function.is_declaration and not metadata.is_kernel(function):
            function.set_internal()
    inline_all(module)


def flags(options):
    """What Intel's compiler is told: the rest is in the code. It always optimizes: what it does not, it calls, with a
    stack."""
    return [flag for is_wanted, flag in ((options.denorms_are_zero, "-cl-denorms-are-zero"),
                                         (options.correct_divide_sqrt, "-cl-fp32-correctly-rounded-divide-sqrt"),
                                         (options.uniform_group_size, "-cl-uniform-work-group-size")) if is_wanted]


def spirv_of(ir, target, has_lines):
    """Some programs may end LLVM's code generator, or take all memory: it works in a process of its own."""
    try:
        return served.ask(emit, (ir, target.processor, has_lines), SECONDS, MEMORY)
    except served.Ended as why:
        raise CompileError(f"error: LLVM makes no SPIR-V of the program: {why}\n") from None


def emit(job):
    """SPIR-V of bitcode."""
    from clpy.llvm import codegen
    from clpy.llvm.module import LLVMError, Module
    ir, processor, has_lines = job
    target = GenTarget(processor)
    try:
        module = Module.from_bitcode(ir)
        codegen.set_option("spirv-ext", SPIRV_EXTENSIONS)       # which a machine reads when it is made
        with codegen.machine(target, True) as machine:
            codegen.set_option("disable-cgp", "true")   # it makes additions with carry, which end Intel's compiler
            module.set_triple(target.triple)
            module.set_datalayout(machine.datalayout)
            places = source_lines.mark(module) if has_lines else []
            return source_lines.place(machine.object(module), places)
    except LLVMError as why:
        raise CompileError(f"error: LLVM makes no SPIR-V of the program: {why}\n") from None
