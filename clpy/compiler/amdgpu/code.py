# SPDX-License-Identifier: Apache-2.0
"""From a linked module of kernels to a chip's code object: AMD's library, LLVM's passes for the chip, its code."""
from clpy.compiler import initializers
from clpy.compiler.amdgpu import atomic_addresses, corrections, device_library, images, own_library, printf_calls
from clpy.compiler.amdgpu.library_parts import DENORMALS
from clpy.compiler.amdgpu.listing import FEATURE
from clpy.compiler.amdgpu.retarget import GENERIC
from clpy.compiler.analysis.calls import call_graph, recursion
from clpy.compiler.library import forget_linkers, forget_places
from clpy.compiler.passes import powers
from clpy.compiler.program import CompileError, refuse_undefined
from clpy.llvm.opcodes import AMDGPU_KERNEL

C_CONVENTION = 0
ACCESSES = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}     # opcode -> which operand is the pointer


def is_kernel(function):
    return not function.is_declaration and function.call_conv == AMDGPU_KERNEL


def refuse_assembly(module):
    """Whatever stands there would have to be translated, and nothing tells where in the code it is."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if any(call.calls_assembly for call in function.instructions_of("call")):
            raise CompileError(f"error: inline assembly in {function.name}: models of chips have none; "
                               "write it in OpenCL C\n")


def gather_initializers(module):
    """The kernel that constructs the program's objects, of one work-item."""
    kernel = initializers.gather(module, AMDGPU_KERNEL, C_CONVENTION)
    if kernel is not None:
        kernel.add_attribute("amdgpu-flat-work-group-size", "1,1")
        kernel.add_attribute("uniform-work-group-size", "true")


def refuse_recursion(module):
    """Kernels that call themselves have no stack that is deep enough, whatever its depth."""
    wrong = recursion(call_graph(module))
    if wrong:
        raise CompileError(f"error: {wrong}\n")


def inline_all(module):
    """For chips without calls: internal functions become part of those that call them."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if not function.is_declaration and function.is_internal:
            function.remove_attribute("noinline")
            function.remove_attribute("optnone")
            function.add_attribute("alwaysinline")
    module.run_passes("always-inline,globaldce")


def keep_kernels(module):
    """All but the kernels are the module's own, and what no kernel reaches is dropped. All code lies in one section,
    in which it is read."""
    from clpy.llvm.ir import functions, global_variables
    forget_linkers(module)
    for variable in global_variables(module):
        if not variable.is_declaration and not variable.name.startswith("llvm."):
            variable.set_internal()
    for function in functions(module):
        if not function.is_declaration and function.call_conv != AMDGPU_KERNEL:
            function.set_internal()
    module.run_passes("globaldce")


def link_library(module, options, target, is_listed=True):
    """The functions of OpenCL C that the module uses. `is_listed`: its instructions are to be written down."""
    from clpy.llvm.ir import functions, global_variables
    signatures = rename_signatures(module)
    own = [value.name for value in (*functions(module), *global_variables(module))
           if not value.is_declaration and not value.is_internal]
    refuse_assembly(module)
    refuse_recursion(module)
    own_library.link(module, target)
    corrections.before_the_library(module, target.flushes_denormals or options.denorms_are_zero)
    printf_calls.lower(module)
    images.replace(module)
    powers.run(module, None)        # LLVM's own rule forgets that powr of what is below zero is no number
    device_library.link(module, options, target)
    refuse_undefined(function.name for function in device_library.undefined(module))
    # The library's other names of functions would keep all of them.
    kept = f"<{';'.join(f'preserve-gv={name}' for name in own)}>" if own else ""
    module.run_passes(f"internalize{kept},globaldce")
    for function in functions(module):
        function.name = signatures.get(function.name, function.name)
    fit(module, target, options, FEATURE if is_listed else "")


def rename_signatures(module):
    """Kernels of static C++ may be called by their signatures, where a list of passes would end: {new name: old}."""
    from clpy.llvm.ir import functions
    renamed = {}
    for function in functions(module):
        if any(mark in function.name for mark in "(,;<>") and not function.is_declaration:
            new = f"clpy.signature.{len(renamed)}"
            renamed[new], function.name = function.name, new
    return renamed


def fit(module, target, options, feature):
    """The library's functions say of no chip and of no mode of denormal numbers that they are for it: they are for that
    of the program, or they could not be inlined."""
    from clpy.llvm.ir import functions
    flush = "preserve-sign,preserve-sign" if target.flushes_denormals or options.denorms_are_zero else ""
    for function in functions(module):
        if function.is_declaration:
            continue
        features = function.attribute_text("target-features") or ""
        if feature not in features:
            function.add_attribute("target-features", f"{features},{feature}".lstrip(","))
        function.add_attribute("target-cpu", target.cpu)
        if flush and function.attribute_text(DENORMALS) is None:
            function.add_attribute(DENORMALS, flush)


def level(options, target):
    """The library takes pointers to any memory, which the oldest chips do not have: there they have to be optimized
    away, whatever the program says."""
    if not options.opt_disable:
        return 2
    return 0 if target.has_generic_pointers else 1


def make(module, target, options, clock, look):
    """The code object of a module with the program and nothing else; the module is of no further use. `look(module)`
    sees it when it is optimized."""
    from clpy.llvm import codegen
    with codegen.machine(target, not options.opt_disable) as machine:
        link_library(module, options, target)
        clock.lap("library")
        optimize(module, target, options, machine)
        clock.lap("passes")
        look(module)
        blob = machine.object(module)
    clock.lap("code")
    return blob


def optimize(module, target, options, machine):
    module.run_passes(f"default<O{level(options, target)}>", machine.ref)
    forget_places(module)           # behind the passes, which call cold what always calls something cold
    if not target.has_floor:        # gfx6; behind the passes, of which one makes llvm.floor of calls of floor
        corrections.lower_floor(module)
        atomic_addresses.run(module)
    if not target.has_generic_pointers:
        refuse_generic_pointers(module)


def refuse_generic_pointers(module):
    """For chips that have no pointers to any memory, where the optimizer left some."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        for opcode, place in ACCESSES.items():
            if any(inst.operand(place).type.address_space == GENERIC for inst in function.instructions_of(opcode)):
                raise CompileError(f"error: {function.name} reads or writes by a pointer that may lead to memory of "
                                   "several kinds (global, local, private): this chip has no such pointers\n")


def assembly(ir, target, options):
    """The code of a program's bitcode as the text that the assembler takes."""
    from clpy.llvm import codegen
    from clpy.llvm.module import Module
    module = Module.from_bitcode(ir)
    with codegen.machine(target, not options.opt_disable) as machine:
        link_library(module, options, target, is_listed=False)
        optimize(module, target, options, machine)
        return machine.assembly(module)
