# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a chip's kernels, read from their IR as Clang makes it for AMD's chips."""
from clpy.abi_layout import (
    ARG_CONSTANT,
    ARG_GLOBAL,
    ARG_IMAGE,
    ARG_LOCAL,
    ARG_QUEUE,
    ARG_SAMPLER,
    ARG_VALUE,
)
from clpy.compiler import metadata
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.metadata import (
    ADDRESS_CONSTANT,
    ADDRESS_GLOBAL,
    ADDRESS_LOCAL,
    ADDRESS_PRIVATE,
    HANDLE_SIZE,
)

WAVE = 64
GENERIC, GLOBAL, PRIVATE = 0, 1, 5      # AMD's address spaces
FEWEST = 2              # kernels: with a single one a build and a launch take what the build took
SHORT = 4 << 10         # bytes of code of all kernels, each with all functions: translated in less than a second
PAST_L1 = " glc"        # in the text of instructions that read past the L1
# Address space of a pointer -> kind, address qualifier. Images are pointers too: their types' names tell.
SPACES = {1: (ARG_GLOBAL, ADDRESS_GLOBAL), 4: (ARG_CONSTANT, ADDRESS_CONSTANT), 3: (ARG_LOCAL, ADDRESS_LOCAL)}
OPAQUE = {"sampler_t": (ARG_SAMPLER, ADDRESS_PRIVATE), "queue_t": (ARG_QUEUE, ADDRESS_PRIVATE)}


def read_kernels(module):
    """{name: KernelInfo} of a module, as far as declarations tell."""
    from clpy.compiler.amdgpu.code import is_kernel
    from clpy.llvm.ir import functions
    return {f.name: read_kernel(f) for f in functions(module) if is_kernel(f)}


def read_kernel(function):
    types = metadata.texts(function, "kernel_arg_base_type")

    def place(function, index, type_):
        return place_of(function, index, type_, types[index] if index < len(types) else "")

    info = metadata.read_kernel(function, place)
    info.preferred_multiple = WAVE
    info.is_block = is_block(function)
    if any(arg.kind == ARG_IMAGE for arg in info.args):
        info.facts = {"images": [name if name.startswith("image") else "" for name in types]}
    return info


def is_block(function):
    """Whether it is the kernel of a block: a host's kernel takes no pointer to any memory."""
    return (function.n_params > 0 and function.params[0].type.is_pointer
            and function.params[0].type.address_space == GENERIC)


def place_of(function, index, type_, base_type):
    """(kind, address qualifier, size, align) of a parameter, as metadata.place."""
    if not type_.is_pointer:
        return ARG_VALUE, ADDRESS_PRIVATE, type_.size, type_.align
    struct = function.attribute_type("byref", index + 1)
    if struct is not None:
        return ARG_VALUE, ADDRESS_PRIVATE, struct.size, function.attribute_value("align", index + 1) or struct.align
    if base_type.startswith("image") and base_type.endswith("_t"):
        return ARG_IMAGE, ADDRESS_GLOBAL, HANDLE_SIZE, HANDLE_SIZE
    if base_type in OPAQUE:
        return (*OPAQUE[base_type], HANDLE_SIZE, HANDLE_SIZE)
    kind, space = SPACES.get(type_.address_space, (ARG_GLOBAL, ADDRESS_GLOBAL))
    if kind == ARG_LOCAL:
        return kind, space, HANDLE_SIZE, function.attribute_value("align", index + 1) or 1
    return kind, space, HANDLE_SIZE, HANDLE_SIZE


def waiting(program):
    """Offsets of instructions that read past the L1: atomic and volatile loads, and atomic operations whose result is
    wanted. Code that is to depend on what other groups write meanwhile has some."""
    return [instruction.offset for instruction in program.listing if PAST_L1 in instruction.text]


def is_listing_wanted(blob):
    """Whether `waiting` could find any in a code object, of whose instructions most know nothing else."""
    return PAST_L1.encode() in blob


def may_wait(kernel, kernels, places):
    """Whether one of the places is in the kernel, or in no kernel: functions may be any kernel's."""
    others = [other for other in kernels if other is not kernel]
    return any(not any(other.entry <= place < other.entry + other.size for other in others) for place in places)


def note_memory(infos, module):
    """Which kernels wait in a loop for what other groups write, as far as that is in the kernel itself; and
    `facts["leads"]`, the numbers of the arguments whose contents may decide where a kernel goes in memory."""
    from clpy.compiler.amdgpu.code import is_kernel
    from clpy.compiler.amdgpu.leading import leading
    from clpy.compiler.analysis.graph import laid_out
    from clpy.compiler.analysis.waiting_loops import WaitingLoops
    from clpy.llvm.ir import functions
    loops = WaitingLoops((GENERIC, GLOBAL), PRIVATE)
    for kernel in functions(module):
        if is_kernel(kernel) and kernel.name in infos and loops.may_be_in(kernel):
            infos[kernel.name].spins = bool(loops.headers(laid_out(kernel)))
        if is_kernel(kernel) and kernel.name in infos:
            found = leading(kernel)
            if found is not None:
                infos[kernel.name].facts["leads"] = sorted(found)


def wait(infos, program):
    """Whether kernels wait for code of the host until somebody needs it. Those do not that the program's own code may
    begin: blocks, and what constructs its objects."""
    functions = sum(size for name, (at, size) in program.symbols.items()
                    if name not in program.kernels and at < len(program.text))
    code = sum(kernel.size + functions for kernel in program.kernels.values())
    return (len(program.kernels) >= FEWEST and code > SHORT and INITIALIZE not in program.kernels
            and not any(info.is_block for info in infos.values()))


def add_facts(infos, program):
    """What the machine code says: memory per group and per work-item, whether groups may wait for each other, and
    whether the kernels wait for their code."""
    places, waits = waiting(program), wait(infos, program)
    for name, info in infos.items():
        kernel = program.kernels[name]
        info.local_bytes = kernel.lds_bytes
        info.private_bytes = kernel.scratch_bytes
        info.may_spin = may_wait(kernel, program.kernels.values(), places)
        info.facts = {**info.facts, "waits": waits}
