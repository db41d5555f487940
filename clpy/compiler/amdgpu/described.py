# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a code object's kernels, as its metadata has them: all that is known where nobody compiled here.

The form is that of LLVM's AMDGPU backend, code object V3 and later. Whatever it says, ValueError is all that comes of
it, and what it says more than once is the same each time.
"""
import re

from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_IMAGE, ARG_LOCAL, ARG_PIPE, ARG_SAMPLER, ARG_VALUE
from clpy.compiler import metadata
from clpy.compiler.amdgpu import elf, facts
from clpy.compiler.amdgpu.kernels import WAVE
from clpy.compiler.metadata import (
    ACCESS,
    ADDRESS_CONSTANT,
    ADDRESS_GLOBAL,
    ADDRESS_LOCAL,
    ADDRESS_PRIVATE,
    BLOCK_ALIGN,
    HANDLE_SIZE,
    ArgInfo,
    KernelInfo,
)
from clpy.compiler.options import parse_options

# .value_kind -> kind, address qualifier.
KINDS = {"by_value": (ARG_VALUE, ADDRESS_PRIVATE), "global_buffer": (ARG_GLOBAL, ADDRESS_GLOBAL),
         "dynamic_shared_pointer": (ARG_LOCAL, ADDRESS_LOCAL), "image": (ARG_IMAGE, ADDRESS_GLOBAL),
         "sampler": (ARG_SAMPLER, ADDRESS_PRIVATE), "pipe": (ARG_PIPE, ADDRESS_GLOBAL)}
SIZES = {ARG_LOCAL: 4}                  # in the kernarg segment, of all but values; HANDLE_SIZE for others
QUALIFIERS = {".is_const": 1, ".is_restrict": 2, ".is_volatile": 4, ".is_pipe": 8}
NAME = re.compile(r"[A-Za-z_]\w{0,1000}", re.ASCII)     # what OpenCL C could call a kernel
LARGEST_ALIGN = 128                     # of a type of OpenCL C: __local memory of which nothing is said has that
MOST_ARGUMENTS = 4096                   # bytes of a kernarg segment, without what the runtime adds
MOST_KERNARG = MOST_ARGUMENTS + 1024
MOST_SCRATCH = 8191 * 1024 // WAVE      # bytes of a work-item: the chip counts a wavefront's in 13 bits of KiB
VECTORS, SCALARS = (4, 4), (8, 16)      # registers in a step of the descriptor, and in one of allocation


def read_kernels(code):
    """{name: KernelInfo} of a code object, without the memory that kernels.add_facts adds."""
    note = elf.read(code).other.get(".note")
    if not note:
        raise ValueError("there is no metadata (.amdgpu_metadata)")
    made = {}
    for entry in facts.entries(facts.read_metadata(facts.find_note(note)), "amdhsa.kernels", dict):
        info = read_kernel(entry)
        if info.name in made:
            raise ValueError(f"two kernels {info.name}")
        made[info.name] = info
    return made


def read_kernel(entry):
    name = facts.text_of(entry, ".name")
    if not NAME.fullmatch(name):
        raise ValueError(f"metadata: a kernel cannot be called {name[:100]!r}")
    given = [arg for arg in facts.entries(entry, ".args", dict)
             if not facts.text_of(arg, ".value_kind").startswith(facts.HIDDEN)]
    info = KernelInfo(name, preferred_multiple=WAVE)
    images, end = [], 0
    for index, arg in enumerate(given):
        try:
            info.args.append(read_argument(arg, end))
        except ValueError as why:
            raise ValueError(f"argument {index} of kernel {name}: {why}") from None
        end = -(-(info.args[-1].offset + info.args[-1].size) // HANDLE_SIZE) * HANDLE_SIZE
        images.append(info.args[-1].type_name if info.args[-1].kind == ARG_IMAGE else "")
    if end > MOST_ARGUMENTS:
        raise ValueError(f"kernel {name} takes {end} bytes of arguments: there may be {MOST_ARGUMENTS}")
    info.args_size = -(-end // BLOCK_ALIGN) * BLOCK_ALIGN
    info.facts = {"images": images} if any(images) else {}
    info.reqd_size = sizes(entry, ".reqd_workgroup_size")
    info.size_hint = sizes(entry, ".workgroup_size_hint")
    info.vec_hint = text(entry, ".vec_type_hint")
    info.attributes = " ".join(metadata.attributes(info))
    metadata.check_layout(info)
    return info


def read_argument(arg, offset):
    """ArgInfo of an argument that the host sets; `offset` is where it lies in the argument block."""
    name = facts.text_of(arg, ".value_kind")
    if name not in KINDS:
        raise ValueError(f"a .value_kind that is not taken: {name[:100]}")
    kind, space = KINDS[name]
    if kind == ARG_GLOBAL and arg.get(".address_space") == "constant":
        kind, space = ARG_CONSTANT, ADDRESS_CONSTANT
    size = facts.number(arg, ".size", MOST_ARGUMENTS, 1)
    if kind != ARG_VALUE and size != SIZES.get(kind, HANDLE_SIZE):
        raise ValueError(f".size is {size}, of a {name} {SIZES.get(kind, HANDLE_SIZE)}")
    type_name = text(arg, ".type_name")
    if kind == ARG_IMAGE and type_name not in facts.IMAGE_TYPES:
        raise ValueError(f"an image whose .type_name is {type_name[:100]!r}, none of OpenCL C")
    align = HANDLE_SIZE
    if kind == ARG_LOCAL:
        align = facts.number(arg, ".pointee_align", metadata.MOST_ALIGN) or LARGEST_ALIGN
    return ArgInfo(
        kind=kind, offset=offset, size=size if kind == ARG_VALUE else HANDLE_SIZE, align=align,
        address_qualifier=space, access_qualifier=ACCESS.get(text(arg, ".access"), ACCESS["none"]),
        type_qualifier=sum(bit for word, bit in QUALIFIERS.items() if arg.get(word) is True),
        name=text(arg, ".name"), type_name=type_name)


def text(data, name):
    """A text that an application may ask for, "" where there is none."""
    found = data.get(name, "")
    if not isinstance(found, str) or "\0" in found:
        raise ValueError(f"metadata: {name} is no text")
    return found


def sizes(entry, name):
    found = entry.get(name)
    if found is None:
        return 0, 0, 0
    if not isinstance(found, list) or len(found) != 3 or any(type(n) is not int or not 0 < n < 1 << 31 for n in found):
        raise ValueError(f"metadata: {name} is not three sizes")
    return tuple(found)


def options_for(code, options):
    """Kernels whose metadata says that all their groups have one size are told of no other."""
    found = facts.read_metadata(facts.find_note(elf.read(code).other[".note"]))
    if not any(entry.get(".uniform_work_group_size") == 1 for entry in facts.entries(found, "amdhsa.kernels", dict)):
        return options
    return parse_options(f"{options.text} -cl-uniform-work-group-size", options.stage)


def check(program):
    """What the metadata says of a kernel and its descriptor says too: the chip's dispatcher would believe that."""
    for kernel in program.kernels.values():
        given = kernel.descriptor
        same(kernel, "bytes of local memory", kernel.lds_bytes, given["group_segment_fixed_size"])
        same(kernel, "bytes of private memory", kernel.scratch_bytes, given["private_segment_fixed_size"])
        if given["kernarg_size"]:               # who writes descriptors by hand may leave it out
            same(kernel, "bytes of arguments", kernel.kernarg_bytes, given["kernarg_size"])
        at_most(kernel, "arguments", kernel.kernarg_bytes, MOST_KERNARG)
        at_most(kernel, "private memory", kernel.scratch_bytes, MOST_SCRATCH)
        enough(kernel, "vector", kernel.vgprs, given["granulated_workitem_vgpr_count"], VECTORS)
        enough(kernel, "scalar", kernel.sgprs, given["granulated_wavefront_sgpr_count"], SCALARS)


def same(kernel, what, metadata_says, descriptor_says):
    if metadata_says != descriptor_says:
        raise ValueError(f"kernel {kernel.name}: the metadata has {metadata_says} {what}, the descriptor "
                         f"{descriptor_says}")


def at_most(kernel, what, size, most):
    if size > most:
        raise ValueError(f"kernel {kernel.name} has {size} bytes of {what}: there may be {most}")


def enough(kernel, what, count, steps, sizes):
    most = -(-(steps + 1) * sizes[0] // sizes[1]) * sizes[1]
    if count > most:
        raise ValueError(f"kernel {kernel.name}: the metadata has {count} {what} registers, the descriptor {most}")
