# SPDX-License-Identifier: Apache-2.0
"""Pipes, of which Intel's compiler has none: the functions on them are the CPU device's (builtins/pipe.cl), and before
LLVM makes SPIR-V a pipe becomes the address of its memory, a reservation a number."""
from clpy.compiler.amdgpu.own_library import HANDLES, plain
from clpy.compiler.gen.library import bitcode
from clpy.compiler.passes.images import PIPE, RESERVATION

FUNCTIONS = "pipe.bc"
GLOBAL = 1              # address space
# LLVM's text of a type -> of what takes its place.
PLAIN = {f'target("{PIPE}", 0)': f"ptr addrspace({GLOBAL})", f'target("{PIPE}", 1)': f"ptr addrspace({GLOBAL})",
         f'target("{RESERVATION}")': "i64"}


def lower(module):
    """The module without pipes: another one, where it has any."""
    from clpy.llvm.codegen import link_needed
    from clpy.llvm.ir import functions
    from clpy.llvm.module import Module
    if not any(map(takes_part, functions(module))):
        return module
    link_needed(module, bitcode(FUNCTIONS))
    text = module.to_text()
    for type_, other in PLAIN.items():
        text = text.replace(type_, other)
    module = Module.from_text(text)
    for function in functions(module):
        if function.name in HANDLES:
            write_plain(module, function)
    return module


def takes_part(function):
    """Whether pipes or reservations come or go there."""
    signature = function.value_type
    return any(type_.target_ext_name in (PIPE, RESERVATION) for type_ in (signature.returns, *signature.params))


def write_plain(module, function):
    """What turns a pipe or a reservation into what it is by now, or the other way round."""
    from clpy.llvm.ir import Builder
    b = Builder(module).at_end(function.append_block())
    b.ret(plain(b, function.params[0], function.value_type.returns))
    function.set_internal()
