# SPDX-License-Identifier: Apache-2.0
"""What a VLIW chip's program says of itself: `read_program` makes an IsaProgram of a code object.

A kernel finds in its constants, in this order: numbers of groups, of work-items, and sizes of groups (three words
each); its arguments, each aligned as in memory; the number of dimensions and the offset of the NDRange, and what printf
needs (library/printing.cl). The table of windows behind that is the engine's (isa/r600/memory.py).
"""
import struct
from dataclasses import dataclass, replace

from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_LOCAL, ARG_VALUE
from clpy.compiler.amdgpu import dwarf_lines
from clpy.compiler.amdgpu.elf import Placed
from clpy.compiler.amdgpu.facts import Copy, Hidden, IsaKernel, IsaProgram, Lines
from clpy.compiler.r600 import elf
from clpy.compiler.r600.target import PROCESSORS, VLIW5, wave_size

PAIR = struct.Struct("<II")
PAIRS = 3                       # of each function, in the order of the code
RESOURCES, LOCAL_ALLOCATION = 0x288D4, 0x288E8      # registers of the chip
BEFORE = 36                     # bytes of constants before the arguments
POINTER, WORD, WINDOW, WORD_BITS = 4, 4, 8, 32
MOST_GPRS, MOST_LOCAL = 128, 32 << 10
WINDOW_BITS, MOST_BUFFERS = 8, 100           # of 256 windows: the largest buffers take some more
STRUCT_ALIGN = 128
DESCRIPTOR = {
    "enable_sgpr_private_segment_buffer": 0, "enable_sgpr_dispatch_ptr": 0, "enable_sgpr_queue_ptr": 0,
    "enable_sgpr_kernarg_segment_ptr": 1, "enable_sgpr_dispatch_id": 0, "enable_sgpr_flat_scratch_init": 0,
    "enable_sgpr_private_segment_size": 0, "user_sgpr_count": 2, "enable_sgpr_workgroup_id_x": 1,
    "enable_sgpr_workgroup_id_y": 1, "enable_sgpr_workgroup_id_z": 1, "enable_sgpr_workgroup_info": 0,
    "enable_private_segment": 0, "enable_vgpr_workitem_id": 2, "float_denorm_mode_32": 0}
HIDDEN_BEFORE = [(kind, axis) for kind in ("block_count", "global_size", "group_size") for axis in "xyz"]
HIDDEN_BEHIND = [("grid_dims", WORD), ("global_offset_x", WORD), ("global_offset_y", WORD), ("global_offset_z", WORD)]
PRINTING = [("printf_buffer", WORD), ("image_base", 2 * WORD)]      # of kernels that print


@dataclass
class VliwKernel(IsaKernel):
    """`gprs`: registers of four words; `stack`: entries of the stack of masks; `structs`: arguments that code gets by
    their addresses; `looks`: it reads what others may write meanwhile; `cached`: it loads what it may not write alone;
    `prints`: it has a buffer for that."""
    gprs: int = 0
    stack: int = 0
    structs: int = 0
    looks: bool = False
    cached: bool = False
    prints: bool = False


@dataclass
class VliwProgram(IsaProgram):
    """`has_t`: a bundle has a fifth operation."""
    has_t: bool = True


def read_program(blob, infos, processor):
    """VliwProgram of a code object for a processor; ValueError for anything else. `infos` is the program's {name:
    KernelInfo}."""
    if processor not in PROCESSORS:
        raise ValueError(f"code for an unknown processor {processor}")
    code = elf.read(blob)
    functions = sorted((s for s in code.symbols if s.is_function), key=lambda symbol: symbol.offset)
    if len(code.config) != PAIR.size * PAIRS * len(functions):
        raise ValueError("registers of the chip for other functions")
    kernels = {symbol.name: read_kernel(symbol, infos[symbol.name], code, index)
               for index, symbol in enumerate(functions) if symbol.name in infos}
    missing = sorted(set(infos) - set(kernels))
    if missing:
        raise ValueError(f"no code of kernel {missing[0]}")
    lines = Lines(dwarf_lines.read(*code.lines))
    for kernel in kernels.values():
        kernel.wave_size = wave_size(processor)
        kernel.lines = lines.between(kernel.entry, kernel.entry + kernel.size)
    place_windows(kernels.values(), len(code.image) if code.addresses else 0)
    image = code.relocate(1 << WORD_BITS - WINDOW_BITS)
    return VliwProgram(processor, image, [Placed(".code", 0, image, len(image), False)], [],
                       {s.name: (s.offset, s.size) for s in code.symbols}, kernels, [], lines.rows, [], {},
                       is_vliw=True, has_t=PROCESSORS[processor] == VLIW5)


def read_kernel(symbol, info, code, index):
    if symbol.offset % 8 or not symbol.size or symbol.offset + symbol.size > len(code.image):
        raise ValueError(f"no code of kernel {symbol.name}")
    registers = dict(PAIR.unpack_from(code.config, PAIR.size * (PAIRS * index + i)) for i in range(PAIRS))
    resources, local = registers.get(RESOURCES, 0), 4 * registers.get(LOCAL_ALLOCATION, 0)
    gprs = max(resources & 0xFF, 2)     # T0 and T1 are there in any case
    if gprs > MOST_GPRS or local > MOST_LOCAL:
        raise ValueError(f"kernel {symbol.name} takes more than the chip has")
    copies, end, structs = arguments(info)
    end = -(-end // WORD) * WORD
    hidden = [Hidden(f"{kind}_{axis}", WORD * i, WORD) for i, (kind, axis) in enumerate(HIDDEN_BEFORE)]
    prints = info.facts.get("prints") is True
    for kind, size in HIDDEN_BEHIND + PRINTING * prints:
        hidden.append(Hidden(kind, end, size))
        end += size
    for index in structs:
        end = -(-end // STRUCT_ALIGN) * STRUCT_ALIGN
        copies[index] = replace(copies[index], kernarg=end, image=copies[index].kernarg)
        end += copies[index].size
    return VliwKernel(symbol.name, symbol.offset, symbol.size, vgprs=0, sgprs=104, lds_bytes=local, scratch_bytes=0,
                      kernarg_bytes=end, kernarg_align=16, descriptor=DESCRIPTOR, copies=copies, hidden=hidden,
                      gprs=gprs, stack=resources >> 8 & 0xFF, structs=len(structs),
                      looks=info.facts.get("looks") is True, cached=info.facts.get("cached") is True,
                      prints=prints)


def place_windows(kernels, image_bytes):
    """Gives each kernel its table of windows, behind all else. A window has 16 MiB; what is larger takes several. The
    first is nobody's, then come the program's constants, if their addresses are anywhere (`image_bytes`, else 0)."""
    for kernel in kernels:
        buffers = (kernel.structs + kernel.prints
                   + sum(copy.kind in (ARG_GLOBAL, ARG_CONSTANT) for copy in kernel.copies))
        if buffers > MOST_BUFFERS:
            raise ValueError(f"kernel {kernel.name} has {buffers} buffers; there is room for {MOST_BUFFERS}")
        kernel.windows = -(-kernel.kernarg_bytes // WINDOW) * WINDOW
        kernel.window_bits, kernel.image_window = WINDOW_BITS, -(-image_bytes >> WORD_BITS - WINDOW_BITS)
        kernel.kernarg_bytes = kernel.windows + (WINDOW << WINDOW_BITS)


def arguments(info):
    """(Copies of the arguments, where the last one ends, numbers of the structures): each is aligned from the first
    one's place on. Code takes what is in a structure's place for its address: the structure itself is elsewhere, and
    its Copy's `image` is that place."""
    copies, at = [], 0
    structs = info.facts.get("structs", [])
    if not isinstance(structs, list) or any(type(index) is not int or not 0 <= index < len(info.args)
                                            or info.args[index].kind != ARG_VALUE for index in structs):
        raise ValueError(f"kernel {info.name} has other structures")
    for arg in info.args:
        if arg.kind not in (ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL):
            raise ValueError(f"argument {len(copies)} of kernel {info.name} is of a kind that the chip does not have")
        size = arg.size if arg.kind == ARG_VALUE else POINTER
        align = arg.align if arg.kind == ARG_VALUE else POINTER
        at = -(-at // max(align, 1)) * max(align, 1)
        copies.append(Copy(arg.kind, arg.offset, BEFORE + at, arg.size if arg.kind == ARG_VALUE else POINTER))
        at += size
    return copies, BEFORE + at, structs
