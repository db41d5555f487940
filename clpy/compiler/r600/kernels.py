# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a VLIW chip's kernels, read from their IR as Clang makes it."""
from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_LOCAL, ARG_VALUE
from clpy.compiler import metadata
from clpy.compiler.amdgpu.code import is_kernel
from clpy.compiler.metadata import ADDRESS_CONSTANT, ADDRESS_GLOBAL, ADDRESS_LOCAL, ADDRESS_PRIVATE, HANDLE_SIZE
from clpy.errors import CompileError

GLOBAL, LOCAL, PRIVATE = 1, 3, 5
SHARED = (GLOBAL, LOCAL)
OPAQUE = ("image", "sampler_t")
CONST_RESTRICT = metadata.TYPE_QUALIFIER["const"] | metadata.TYPE_QUALIFIER["restrict"]
# Address space of a pointer -> kind, address qualifier.
SPACES = {1: (ARG_GLOBAL, ADDRESS_GLOBAL), 4: (ARG_CONSTANT, ADDRESS_CONSTANT), 3: (ARG_LOCAL, ADDRESS_LOCAL)}


def read_kernels(module, wave_size):
    """{name: KernelInfo} of a module, as far as declarations tell, for a chip with wavefronts of so many work-items."""
    from clpy.llvm.ir import functions
    return {f.name: read_kernel(f, wave_size) for f in functions(module) if is_kernel(f)}


def read_kernel(function, wave_size):
    types = metadata.texts(function, "kernel_arg_base_type")
    for name in types:
        if name.startswith(OPAQUE):
            raise CompileError(f"error: kernel {function.name} takes a {name}: this device has no images\n")

    def place(function, index, type_):
        return place_of(function, index, type_)

    info = metadata.read_kernel(function, place)
    info.preferred_multiple = wave_size
    structs = [i for i in range(function.n_params) if function.attribute_type("byref", i + 1) is not None]
    if structs:
        info.facts = {"structs": structs}
    return info


def place_of(function, index, type_):
    """(kind, address qualifier, size, align) of a parameter, as metadata.place."""
    if not type_.is_pointer:
        return ARG_VALUE, ADDRESS_PRIVATE, type_.size, type_.align
    struct = function.attribute_type("byref", index + 1)
    if struct is not None:
        return ARG_VALUE, ADDRESS_PRIVATE, struct.size, function.attribute_value("align", index + 1) or struct.align
    kind, space = SPACES.get(type_.address_space, (ARG_GLOBAL, ADDRESS_GLOBAL))
    if kind == ARG_LOCAL:
        return kind, space, HANDLE_SIZE, function.attribute_value("align", index + 1) or 1
    return kind, space, HANDLE_SIZE, HANDLE_SIZE


def note_waiting(infos, module, prints):
    """Which kernels read what others may write meanwhile: by volatile loads, or by atomic operations whose result is
    wanted; and which do so in a loop. `prints`: all of them get what printf needs."""
    from clpy.compiler.analysis.graph import laid_out
    from clpy.compiler.analysis.waiting_loops import WaitingLoops
    from clpy.llvm.ir import functions
    loops = WaitingLoops((GLOBAL,), PRIVATE)
    for kernel in functions(module):
        if not is_kernel(kernel) or kernel.name not in infos:
            continue
        info = infos[kernel.name]
        if prints:
            info.facts = {**info.facts, "prints": True}
        looks = any(load.is_volatile and load.operand(0).type.address_space in SHARED
                    for load in kernel.instructions_of("load"))
        info.may_spin = looks or any(one.has_users for one in kernel.instructions_of("atomicrmw", "cmpxchg"))
        info.spins = loops.may_be_in(kernel) and bool(loops.headers(laid_out(kernel)))
        if looks:
            info.facts = {**info.facts, "looks": True}
        if all(is_cached(kernel, index, arg) for index, arg in enumerate(info.args)):
            info.facts = {**info.facts, "cached": True}


def is_cached(kernel, index, arg):
    """Whether what the kernel loads of an argument's memory may be kept in the caches, which nothing is that it may
    write: constant memory, what is const and restrict; or it loads nothing. The code does not say of a load which
    argument's it is, so that all of them have to be so."""
    return (arg.kind != ARG_GLOBAL or arg.type_qualifier & CONST_RESTRICT == CONST_RESTRICT
            or kernel.has_attribute("writeonly", index + 1))
