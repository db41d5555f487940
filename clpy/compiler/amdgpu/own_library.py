# SPDX-License-Identifier: Apache-2.0
"""Functions of OpenCL C for AMD's chips that AMD's own library does not have, has for pipes of another form, or has
wrong: library/*.cl, as bitcode, linked as far as a program uses them. They call functions of AMD's library in turn.

What OpenCL C cannot say for the chips is written here: the memory for values of a group's wavefronts, what the handles
of pipes and reservations are.
"""
import os
from functools import cache

from clpy.compiler.amdgpu import host_calls
from clpy.compiler.passes.images import OF_PIPE_ADDRESS, RESERVATION_NUMBER, RESERVATION_OF

FOLDER = os.path.join(os.path.dirname(__file__), "library")
PERMUTES = 8            # the generation that brought instructions with which lanes exchange words
MOST_WAVES = 16         # of a work-group
LOCAL = 3
HANDLES = ("__clpy_pipe_ro", "__clpy_pipe_wo", RESERVATION_NUMBER, RESERVATION_OF, *OF_PIPE_ADDRESS)
WAVE_VALUES = "__clpy_wave_values"
ATOMIC = ("atomicrmw", "cmpxchg", "load", "store")


@cache
def index(permutes):
    """{name of a function: the file that has it}."""
    other = f"exchange_gfx{6 if permutes else PERMUTES}.bc"
    found = {}
    with open(os.path.join(FOLDER, "index.txt"), encoding="ascii") as lines:
        for line in lines:
            file, *names = line.split()
            if file != other:
                found.update(dict.fromkeys(names, file))
    return found


@cache
def bitcode(file):
    with open(os.path.join(FOLDER, file), "rb") as data:
        return data.read()


def link(module, target):
    """Add the functions that the module needs, and those that they need. AMD's are left for later."""
    from clpy.compiler.amdgpu.device_library import undefined
    from clpy.llvm.codegen import link_needed
    known = index(target.generation >= PERMUTES)
    name_as_clang(module, known)
    done = set()
    while files := {known[function.name] for function in undefined(module) if function.name in known} - done:
        for file in sorted(files):
            link_needed(module, bitcode(file))
        done |= files
        for function in undefined(module):
            if function.name in host_calls.NUMBERS:
                host_calls.define(module, function)
    if done:
        define(module)
    if "float_atomics.bc" in done and not target.has_generic_pointers:
        say_plainly(module, known)


def name_as_clang(module, known):
    """Programs in SPIR-V call functions by names as AMD's library has them: a pointer to any memory is "U3AS0"."""
    from clpy.compiler.amdgpu.device_library import undefined
    from clpy.llvm.ir import declare
    for function in undefined(module):
        name = function.name.replace("U3AS0", "")
        if name != function.name and name in known:
            function.replace_with(declare(module, name, function.value_type))


def say_plainly(module, known):
    """Their pointers are to volatile memory of any kind. Which kind it is LLVM finds out only where an operation is not
    volatile itself; an atomic one is not left out for that."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if known.get(function.name) == "float_atomics.bc":
            for inst in function.instructions:
                if inst.opcode in ATOMIC:
                    inst.is_volatile = False


def define(module):
    """Bodies for what OpenCL C cannot say."""
    from clpy.compiler.amdgpu.device_library import undefined
    from clpy.llvm.ir import Builder
    for function in undefined(module):
        if function.name in HANDLES:
            builder = Builder(module).at_end(function.append_block())
            builder.ret(plain(builder, function.params[0], function.value_type.returns))
        elif function.name == WAVE_VALUES:
            wave_values(module, function)
        else:
            continue
        function.set_internal()
        function.add_attribute("alwaysinline")


def plain(builder, value, type_):
    """A handle as a number or a pointer, or the other way round."""
    if value.type == type_:
        return value
    if value.type.is_pointer:
        return builder.cast("addrspacecast" if type_.is_pointer else "ptrtoint", value, type_)
    return builder.cast("inttoptr", value, type_)


def wave_values(module, function):
    from clpy.llvm.ir import Builder, Types, add_global
    types = Types(module)
    values = types.array(types.i64, MOST_WAVES)
    memory = add_global(module, "clpy.wave_values", values, LOCAL)
    memory.initializer = values.poison
    memory.align = 8
    memory.set_internal()
    Builder(module).at_end(function.append_block()).ret(memory)
