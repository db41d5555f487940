# SPDX-License-Identifier: Apache-2.0
"""Queues on the device and kernels that enqueue others, of which Intel's compiler has none: queues and events become
numbers, blocks' kernels their numbers, and functions on them calls of the host (include/clpy_host_calls.h)."""
from clpy.abi_layout import ARG_QUEUE
from clpy.compiler import device_queues
from clpy.compiler.amdgpu import host_calls
from clpy.compiler.gen.library import bitcode
from clpy.compiler.isa.gcn.operands import LOCAL_APERTURE
from clpy.compiler.metadata import is_kernel
from clpy.compiler.passes import blocks
from clpy.llvm.ir import Builder, Types, functions, with_params

FUNCTIONS, CALLS = "device_queue.bc", "host_calls.bc"
PRIVATE, GLOBAL, GENERIC = 0, 1, 4      # address spaces
# Of a pointer to any memory: where the bits are that say which it is, what they say of local memory, the address.
TAG_AT, LOCAL_TAG, ADDRESS_BITS, LOCAL_BYTES = 61, 2, 48, 64 << 10
PLAIN = tuple((name, "i64") for name in (device_queues.QUEUE, device_queues.EVENT))
CASTS = {**dict.fromkeys(device_queues.OPAQUE_OF.values(), "ptrtoint"),
         **dict.fromkeys(device_queues.POINTER_OF.values(), "inttoptr")}


def lower(module, infos):
    """The module without them: another one, where it has any."""
    from clpy.llvm.codegen import link_needed
    blocks.forget_addresses(module)
    if not device_queues.has_types(module) and not any(info.is_block for info in infos.values()):
        return module
    blocks.number_kernels(module, infos)
    link_needed(module, bitcode(FUNCTIONS))
    module = device_queues.plain(module, PLAIN, CASTS)
    for function in functions(module):
        if function.is_declaration and function.name in host_calls.NUMBERS:
            host_calls.define(module, function, as_word, PRIVATE)
    link_needed(module, bitcode(CALLS))
    for function in functions(module):
        if is_kernel(function):
            take_plain(module, function, infos[function.name])
    return module


def as_word(builder, types, value):
    """An argument of a call of the host, which knows local memory by other bits of an address than the chip."""
    if not value.type.is_pointer or value.type.address_space != GENERIC:
        return host_calls.as_word(builder, types, value)
    word, number = builder.cast("ptrtoint", value, types.i64), types.i64.const
    is_local = builder.icmp("eq", builder.binop("lshr", word, number(TAG_AT)), number(LOCAL_TAG))
    local = builder.binop("or", builder.binop("and", word, number(LOCAL_BYTES - 1)), number(LOCAL_APERTURE << 32))
    return builder.select(is_local, local, builder.binop("and", word, number((1 << ADDRESS_BITS) - 1)))


def take_plain(module, old, info):
    """A block's kernel takes what is captured from global memory, where the core puts it, and no kernel a queue as a
    pointer, as those of SPIR-V do."""
    types = Types(module)
    before = [param.type for param in old.params]
    after = [types.i64 if arg.kind == ARG_QUEUE else type_ for arg, type_ in zip(info.args, before, strict=True)]
    if info.is_block:
        after[0] = types.pointer(GLOBAL)
    if after == before:
        return
    made = with_params(module, old, after, ".pointers")
    builder = Builder(module).before(made.entry.instructions[0])
    for index, (param, new) in enumerate(zip(old.params, made.params, strict=True), start=1):
        if new.type == param.type:
            made.copy_attributes(old, index, index)
            param.replace_with(new)
        else:
            param.replace_with(builder.cast("addrspacecast" if new.type.is_pointer else "inttoptr", new, param.type))
    old.erase()
