# SPDX-License-Identifier: Apache-2.0
"""A module for spir64, as SPIR-V becomes one, as a module for a chip of AMD's, as Clang would have made it.

The two number memory in different ways, and pointers are in every type, so the module's text is rewritten and read
again. Then kernels are given what Clang gives them: structures by reference, the size of groups, the version of the
code object.
"""
import re

from clpy.compiler.amdgpu.target import TRIPLE
from clpy.compiler.analysis.builtin_table import base_name
from clpy.llvm.opcodes import AMDGPU_KERNEL

# Address space of spir64 -> the chip's: private, __global, __constant, __local, generic.
SPACES = {0: 5, 1: 1, 2: 4, 3: 3, 4: 0}
PRIVATE, LOCAL, CONSTANT, GENERIC = 5, 3, 4, 0
# Whose null is not the number 0: that is an address like any other.
NULL_IS_A_CAST = (PRIVATE, LOCAL)
# Types of Clang's for spir64 -> what Clang has for the chips.
OPAQUE = {"Image": f"ptr addrspace({CONSTANT})", "Sampler": f"ptr addrspace({CONSTANT})", "Event": "ptr",
          "Pipe": "ptr addrspace(1)", "ReserveId": "ptr addrspace(1)", "Queue": "ptr addrspace(1)",
          "DeviceEvent": "ptr addrspace(1)"}
# Names are taken whole, so that no part of one is taken for a word; so are strings, but for those in names.
TOKEN = re.compile(r"""
    (?P<symbol>@"[^"]*"|@[-\w.$]+) | (?P<kept>[%!$#^](?:"[^"]*"|[-\w.$]+)|[-\w.$]+:|;[^\n]*)
    | target\("spirv\.(?P<opaque>\w+)"[^)]*\) | (?P<string>"[^"]*")
    | ptr\ addrspace\((?P<pointer>\d+)\) | addrspace\((?P<space>\d+)\) | (?P<word>[-\w.$]+)""", re.VERBOSE)
WORDS = {"ptr": f"ptr addrspace({PRIVATE})", "spir_kernel": "amdgpu_kernel", "spir_func": ""}
ALLOCA = re.compile(r"^( +\S+ = alloca .*?, align \d+)", re.MULTILINE)
# Addresses of kernels, which are no private memory.
KERNEL = re.compile(r"addrspacecast \(ptr (@(?:\"[^\"]*\"|[-\w.$]+)) to ptr addrspace\(4\)\)")
LAYOUT = re.compile(r"^target (datalayout|triple) = .*\n", re.MULTILINE)
# Parts of a mangled name's types.
MANGLED = re.compile(r"(P)(?!U3AS)|U3AS(\d)|U7_Atomic|Dv\d+_|S[0-9A-Z]*_|(\d+)|.")
CLOCK = re.compile(r"_Z\d+clock_read_(hilo_)?(device|work_group|sub_group)v")
GROUP_SIZE = "1,256"       # of kernels that do not say, as Clang has it
CODE_OBJECT = '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'


def retarget(module, options, target):
    """The module of a SPIR-V program (compiler.il) for a chip; LLVMError or ValueError where it cannot be one."""
    from clpy.compiler.amdgpu import spirv_handles, spirv_memory
    from clpy.llvm import codegen
    from clpy.llvm.ir import functions
    from clpy.llvm.module import Module
    module.run_passes("function(sroa)")         # a pointer that needs no memory stays one
    spirv_handles.to_words(module)
    spirv_memory.widen(module)
    with codegen.machine(target) as machine:
        head = f'target datalayout = "{machine.datalayout}"\ntarget triple = "{TRIPLE}"\n'
    made = Module.from_text(head + rewritten(module.to_text()), "<SPIR-V>")
    made.link_bitcode((head + CODE_OBJECT).encode())
    spirv_handles.finish(made)
    for function in functions(made):
        if CLOCK.fullmatch(function.name):
            read_clock(made, function)
        cast_nulls(made, function)
        if not function.intrinsic:
            function.add_attribute("convergent")     # the translator does not say, LLVM finds out where it is not so
        if not function.is_declaration and function.call_conv == AMDGPU_KERNEL:
            complete(by_reference(made, function), options)
    wrong = made.verify()
    if wrong:
        raise ValueError(f"the translated module cannot be one for {target.cpu}: {wrong}")
    return made


def rewritten(text):
    text = KERNEL.sub(r"\1", ALLOCA.sub(r"\1, addrspace(0)", LAYOUT.sub("", text)))
    return TOKEN.sub(rewrite_token, text)


def rewrite_token(match):
    kind, text = match.lastgroup, match[0]
    if kind == "symbol":
        return "@" + rename(text[1:]) if text.startswith("@_Z") else text
    if kind == "opaque":
        return OPAQUE.get(match[kind], text)
    if kind == "pointer":
        space = number_of(match[kind])
        return f"ptr addrspace({space})" if space else "ptr"
    if kind == "space":
        return f"addrspace({number_of(match[kind])})"
    return WORDS.get(text, text) if kind == "word" else text


def number_of(space):
    if int(space) not in SPACES:
        raise ValueError(f"memory of a kind that there is not: {space}")
    return SPACES[int(space)]


def rename(symbol):
    """A function's mangled name with the chip's numbers of memory, as AMD's library has them: pointers to any memory
    have the number 0, those to private memory have one too."""
    start = len(re.match(r"_Z\d*", symbol)[0]) + len(base_name(symbol))
    made, at = [symbol[:start]], start
    while at < len(symbol):
        match = MANGLED.match(symbol, at)
        text, at = match[0], match.end()
        if match[1]:
            text = f"PU3AS{PRIVATE}"
        elif match[2]:
            text = f"U3AS{SPACES.get(int(match[2]), match[2])}"
        elif match[3]:          # a name: so many characters
            text, at = symbol[match.start():at + int(match[3])], at + int(match[3])
        made.append(text)
    return "".join(made)


def read_clock(module, function):
    """A body for a function of cl_khr_kernel_clock, of which Clang's are macros."""
    from clpy.llvm.ir import Builder, intrinsic
    builder = Builder(module).at_end(function.append_block())
    ticks = builder.call(intrinsic(module, "llvm.readcyclecounter", []), [])
    result = function.value_type.returns
    builder.ret(ticks if ticks.type == result else builder.cast("bitcast", ticks, result))
    function.set_internal()


def cast_nulls(module, function):
    """In code, a null pointer to private or local memory is what the chip makes of a null pointer."""
    from clpy.llvm.ir import Builder, Types
    null, builder = Types(module).pointer(GENERIC).null, Builder(module)
    for inst in function.instructions:
        for index, value in enumerate(inst.operands):
            type_ = value.type
            if type_.is_pointer and type_.address_space in NULL_IS_A_CAST and value.is_null:
                inst.set_operand(index, builder.before(inst).cast("addrspacecast", null, type_))


def by_reference(module, kernel):
    """The kernel with its structures in the argument segment, where Clang has them. What is there cannot be changed:
    the kernel has a copy."""
    from clpy.llvm.ir import Builder, Types, with_params
    structs = {i: struct for i in range(1, kernel.n_params + 1) if (struct := kernel.attribute_type("byval", i))}
    if not structs:
        return kernel
    types, signature = Types(module), kernel.value_type
    params = [types.pointer(CONSTANT) if i in structs else type_ for i, type_ in enumerate(signature.params, start=1)]
    made = with_params(module, kernel, params, ".by_value")
    builder = Builder(module).before(made.entry.instructions[0])
    for index, (old, new) in enumerate(zip(kernel.params, made.params, strict=True), start=1):
        new.name = old.name
        if index not in structs:
            made.copy_attributes(kernel, index, index)
            old.replace_with(new)
            continue
        struct, align = structs[index], kernel.attribute_value("align", index) or structs[index].align
        made.add_type_attribute("byref", struct, index)
        made.add_attribute("align", align, index)
        place = builder.alloca(struct)
        place.align = align
        builder.memcpy(place, align, new, align, types.i64.const(struct.size))
        old.replace_with(place)
    kernel.erase()
    return made


def complete(kernel, options):
    """What Clang says of a kernel."""
    from clpy.compiler.metadata import sizes
    wanted = sizes(kernel, "reqd_work_group_size")
    items = wanted[0] * wanted[1] * wanted[2]
    kernel.add_attribute("amdgpu-flat-work-group-size", f"{items},{items}" if items else GROUP_SIZE)
    kernel.add_attribute("uniform-work-group-size", "true" if options.uniform_group_size else "false")
