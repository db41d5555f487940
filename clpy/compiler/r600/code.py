# SPDX-License-Identifier: Apache-2.0
"""From a linked module of kernels to a VLIW chip's code object: libclc, LLVM's passes for the chip, its code."""
from clpy.compiler import served
from clpy.compiler.amdgpu.code import inline_all, keep_kernels, refuse_assembly, refuse_recursion, rename_signatures
from clpy.compiler.amdgpu.corrections import saturate_nans
from clpy.compiler.amdgpu.device_library import undefined
from clpy.compiler.library import forget_places
from clpy.compiler.program import CompileError, refuse_undefined
from clpy.compiler.r600 import corrections, library, printf_calls, returning, words
from clpy.compiler.r600.target import VliwTarget

SECONDS, MEMORY = 120, 2 << 30      # that code may take
# The chip's control flow has structure: loops with several ways in are made some with one.
PASSES = "default<O2>,function(lower-switch,fix-irreducible)"
# LLVM's code generator knows few operations on vectors, though loads and stores of up to four words. It puts more into
# a bundle where it sees them, so that they are taken apart only where it has to be.
APART = "function(scalarizer,early-cse,instcombine<no-verify-fixpoint>,dce)"


def link_library(module, target):
    """The functions of OpenCL C that the module uses; whether it prints."""
    from clpy.llvm.ir import functions, global_variables
    signatures = rename_signatures(module)
    own = [value.name for value in (*functions(module), *global_variables(module))
           if not value.is_declaration and not value.is_internal]
    refuse_assembly(module)
    refuse_recursion(module)
    refuse_variables(module)
    prints = printf_calls.lower(module)
    saturate_nans(module)
    library.link(module, target)
    refuse_undefined(function.name for function in undefined(module))
    kept = f"<{';'.join(f'preserve-gv={name}' for name in own)}>" if own else ""
    module.run_passes(f"internalize{kept},globaldce")
    for function in functions(module):
        function.name = signatures.get(function.name, function.name)
        if not function.is_declaration:
            function.add_attribute("target-cpu", target.cpu)
    return prints


def refuse_variables(module):
    """The chip's code has no variables of the program that kernels write."""
    from clpy.llvm.ir import global_variables
    for variable in global_variables(module):
        if variable.type.address_space == 1 and not variable.is_declaration:
            raise CompileError(f"error: {variable.name}: variables of the program in global memory need OpenCL C 2.0\n")


def make(module, target, clock, look):
    """The code object of a module with the program and nothing else; the module is of no further use. There are no
    calls on these chips: all functions become part of the kernels. LLVM makes wrong code of what is not optimized, so
    that it always is. `look(module, prints)` sees it when it is optimized; whether any of its kernels prints."""
    prints = link_library(module, target)
    inline_all(module)
    keep_kernels(module)
    clock.lap("library")
    module.run_passes(PASSES)
    forget_places(module)
    look(module, prints)
    clock.lap("passes")
    blob = emit_safely(module.to_bitcode(), target)
    clock.lap("code")
    return blob


def emit_safely(ir, target):
    """Some programs take the code generator all memory there is, or end it: it works in a process of its own."""
    try:
        for apart in (False, True):
            try:
                return served.ask(emit, (ir, target.processor, apart), SECONDS, MEMORY)
            except (CompileError, served.Ended):
                if apart:
                    raise
    except served.Ended as why:
        raise CompileError(f"error: LLVM's code generator for VLIW chips fails with the program: {why}\n") from None


def emit(job):
    """The code of bitcode. `apart`: operations on vectors become some on their parts, and so do accesses of two
    words."""
    from clpy.llvm import codegen
    from clpy.llvm.module import LLVMError, Module
    ir, processor, apart = job
    target = VliwTarget(processor)
    try:
        module = Module.from_bitcode(ir)
        with codegen.machine(target, True) as machine:
            codegen.set_option("disable-promote-alloca-to-vector", "true")
            if apart or corrections.has_vectors(module):
                module.run_passes(APART, machine.ref)
            corrections.run(module)
            if apart:
                words.run(module)
            returning.run(module)
            return machine.object(module)
    except LLVMError as why:
        raise CompileError(f"error: LLVM's code generator for VLIW chips refuses the program: {why}\n") from None
