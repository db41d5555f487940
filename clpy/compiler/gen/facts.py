# SPDX-License-Identifier: Apache-2.0
"""What a Gen chip's program says of itself: `read_program` makes an IsaProgram of IGC's ELF file.

A hardware thread begins with its header in r0. Behind that lie in registers the local ids of its work-items, 16 bits
each, and then the payload, which is the first part of the kernarg segment here: what the kernel is called with, and
what the launch says. Behind the payload are a table of the addresses of buffers and of what stands for images, by the
numbers in the code's messages (binding table indices), and one of samplers, which real chips have elsewhere.
"""
from dataclasses import dataclass, field

from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_IMAGE, ARG_LOCAL, ARG_PIPE, ARG_QUEUE, ARG_SAMPLER, ARG_VALUE
from clpy.compiler.amdgpu import dwarf_lines
from clpy.compiler.amdgpu.facts import Copy, Hidden, IsaKernel, IsaProgram, Lines, entries, number, text_of
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.gen import zebin
from clpy.compiler.gen.target import PROCESSORS
from clpy.compiler.metadata import KernelInfo
from clpy.compiler.r600.facts import DESCRIPTOR

POINTER, WORD, REGISTER = 8, 4, 32
SIMDS = (8, 16, 32)
MOST_GRFS, MOST_SLM, MOST_SCRATCH, MOST_PAYLOAD = 128, 64 << 10, 1 << 21, 96 * REGISTER
MOST_SURFACES = 256
AXES = "xyz"
# What the launch gives: IGC's name -> ours, for each axis.
OF_AXES = {"local_size": "local_size", "group_count": "group_count", "global_size": "global_size",
           "enqueued_local_size": "group_size", "global_id_offset": "global_offset"}
OF_LAUNCH = {"work_dimensions": "grid_dims"}
PRINTING = "printf_buffer"
OFFSET = "buffer_offset"
BUFFERS = (ARG_GLOBAL, ARG_CONSTANT, ARG_PIPE)
OPAQUE = {"image": ARG_IMAGE, "sampler": ARG_SAMPLER}
NOTHING = ("sampler_snap_wa",)      # not wanted: coordinates that rounding spoils
# Kinds of images, by the numbers that AMD's descriptors have for them.
IMAGE_TYPES = {"image_buffer": 8, "image_1d": 8, "image_2d": 9, "image_2d_depth": 9, "image_3d": 10,
               "image_1d_array": 12, "image_2d_array": 13, "image_2d_array_depth": 13}
# What a kernel wants to know of an image -> where that is in a clpy_image; of a sampler, which of its bits. Such a Copy
# says FIELD + that.
FIELD = 0x100
SAMPLER_FIELDS = {"sampler_address": 0xE, "sampler_normalized": 1}
IMAGE_FIELDS = {"image_width": 24, "image_height": 28, "image_depth": 32, "image_array_size": 36,
                "image_channel_order": 40, "image_channel_data_type": 44, "image_num_mip_levels": 52,
                "image_num_samples": 56}
# Samplers of the program's source, as OpenCL C has them.
ADDRESSING = {"none": 0, "clamp_edge": 2, "clamp_border": 4, "repeat": 6, "mirror": 8}
FILTERS = {"nearest": 0x10, "linear": 0x20}
MOST_SAMPLERS = 16


@dataclass
class GenKernel(IsaKernel):
    """`simd`: work-items of a hardware thread; `grfs`: its registers, of 32 bytes. `per_thread_bytes` of local ids (one
    register where there are none) and `payload_bytes` are whole registers. `surfaces`: where in kernarg the table of
    `n_surfaces` addresses is, 8 bytes each, and behind it that of `n_samplers` samplers. `own_samplers`: [number, bits
    as OpenCL C has them] of those of the source. `private_at`: where in the payload the address of the thread's private
    memory is, -1: nowhere; `thread_scratch`: its bytes. `early`: numbers in the table of surfaces whose places are
    counted from before the buffer (isa/gcn/launch.py)."""
    simd: int = 8
    grfs: int = MOST_GRFS
    per_thread_bytes: int = 0
    payload_bytes: int = 0
    surfaces: int = 0
    n_surfaces: int = 0
    early: list = field(default_factory=list)
    samplers: int = 0
    n_samplers: int = 0
    own_samplers: list = field(default_factory=list)
    private_at: int = -1
    thread_scratch: int = 0
    barriers: int = 0
    looks: bool = False             # reads what others may write meanwhile


@dataclass
class GenProgram(IsaProgram):
    """`addresses`: {place in the code of a number of 64 bits: where in the image it points to}."""
    is_gen: bool = True
    addresses: dict = field(default_factory=dict)


def read_program(blob, infos, processor):
    """GenProgram of an ELF file of IGC's for a processor; ValueError for anything else. `infos` is the program's {name:
    KernelInfo}."""
    if processor not in PROCESSORS:
        raise ValueError(f"code for an unknown processor {processor}")
    code = zebin.read(blob)
    for info in infos.values():
        begin(code, info.facts.get("variables", []))
    if INITIALIZE in code.kernels:
        infos = {**infos, INITIALIZE: KernelInfo(INITIALIZE)}
    missing = sorted({*infos} - {*code.kernels} | {*infos} - {*code.about})
    if missing:
        raise ValueError(f"no code of kernel {missing[0]}")
    lines = Lines(dwarf_lines.read(code.lines, b""))
    kernels = {name: read_kernel(name, *code.kernels[name], code.about[name], infos[name], lines) for name in infos}
    symbols = code.symbols | code.kernels
    return GenProgram(processor, code.sections[0].data, code.sections, code.pointers, symbols, kernels, [], lines.rows,
                      lines.places, {}, addresses=code.addresses)


def begin(code, variables):
    """Puts what variables begin with into the image (variables.py has its form)."""
    if not isinstance(variables, list):
        raise ValueError("variables of another form")
    for row in variables:
        if not isinstance(row, list) or [type(part) for part in row] != [str, str, list]:
            raise ValueError("a variable of another form")
        name, digits, addresses = row
        data = bytes.fromhex(digits)
        code.fill(name, data)
    for name, _, addresses in variables:
        for row in addresses:
            if not isinstance(row, list) or [type(part) for part in row] != [int, str, int]:
                raise ValueError("an address of another form")
            code.point(name, *row)


def read_kernel(name, entry, size, about, info, lines):
    environment = about.get("execution_env")
    if not isinstance(environment, dict):
        raise ValueError(f"nothing is said of how kernel {name} runs")
    simd = number(environment, "simd_size", max(SIMDS))
    if simd not in SIMDS or not size or size % 8:
        raise ValueError(f"kernel {name} is of no size")
    if environment.get("has_stack_calls") is True:
        raise ValueError(f"kernel {name} calls functions with a stack")
    payload = Payload(info, number_table(about))
    for row in entries_of(about, "payload_arguments"):
        payload.add(row)
    payload.finish()
    ids = sum(size for _, size in spans(entries_of(about, "per_thread_payload_arguments"), MOST_PAYLOAD))
    scratch = limited(name, "private memory of a hardware thread", MOST_SCRATCH, sum(
        number(row, "size") * (simd if row.get("is_simt_thread") is True else 1)
        for row in entries_of(about, "per_thread_memory_buffers")))
    local = limited(name, "local memory", MOST_SLM, number(environment, "slm_size"))
    return GenKernel(
        name, entry, size, vgprs=0, sgprs=0, lds_bytes=local,
        scratch_bytes=-(-scratch // 64), kernarg_bytes=payload.end, kernarg_align=REGISTER,
        descriptor=DESCRIPTOR, copies=payload.copies, hidden=payload.hidden,
        lines=lines.between(entry, entry + size), simd=simd,
        grfs=number(environment, "grf_count", MOST_GRFS) or MOST_GRFS, per_thread_bytes=max(whole(ids), REGISTER),
        payload_bytes=payload.bytes, surfaces=payload.surfaces, n_surfaces=payload.n_surfaces,
        early=payload.early,
        samplers=payload.samplers, n_samplers=payload.n_samplers,
        own_samplers=[sampler_of(row) for row in entries_of(about, "inline_samplers")],
        private_at=payload.private_at, thread_scratch=scratch, barriers=number(environment, "barrier_count", 32),
        looks=info.facts.get("looks") is True)


def limited(name, what, most, size):
    if size > most:
        raise ValueError(f"kernel {name} takes {size} bytes of {what}; there are {most}")
    return size


def whole(size):
    """So many bytes as whole registers."""
    return -(-size // REGISTER) * REGISTER


def entries_of(about, name):
    return entries(about, name, dict) if about.get(name) is not None else []


def spans(rows, most):
    """[(offset, size)] of rows, none of which ends behind `most`."""
    made = [(number(row, "offset", most), number(row, "size", most)) for row in rows]
    if any(offset + size > most for offset, size in made):
        raise ValueError("more before the kernel than registers")
    return made


def number_table(about):
    """{number of an argument: its numbers in the table of surfaces}."""
    made = {}
    for row in entries_of(about, "binding_table_indices"):
        made.setdefault(number(row, "arg_index", 1 << 16), []).append(number(row, "bti_value", MOST_SURFACES - 1))
    return made


def word(row, name):
    """A text of a row, "" where there is none."""
    found = row.get(name)
    return found if isinstance(found, str) else ""


def sampler_of(row):
    """[number, bits] of a sampler of the source."""
    addressing, filtered = text_of(row, "addrmode"), text_of(row, "filtermode")
    if addressing not in ADDRESSING or filtered not in FILTERS:
        raise ValueError("a sampler of no kind")
    return [number(row, "sampler_index", MOST_SAMPLERS - 1),
            ADDRESSING[addressing] | FILTERS[filtered] | (row.get("normalized") is True)]


class Payload:
    """Where arguments and what the launch says go. `end`: of all that a launch fills."""

    def __init__(self, info, table):
        self.info, self.table = info, table
        self.copies, self.hidden = [], []
        self.images, self.sampler_copies, self.moved = {}, [], []
        self.bytes = self.end = 0
        self.private_at = -1

    def add(self, row):
        kind = text_of(row, "arg_type")
        (offset, size), = spans([row], MOST_PAYLOAD)
        self.bytes = max(self.bytes, whole(offset + size))
        if kind in OF_AXES and size == WORD * len(AXES):
            for axis, letter in enumerate(AXES):
                self.hidden.append(Hidden(f"{OF_AXES[kind]}_{letter}", offset + WORD * axis, WORD))
        elif kind in OF_LAUNCH and size == WORD:
            self.hidden.append(Hidden(OF_LAUNCH[kind], offset, size))
        elif kind == "private_base_stateless" and size == POINTER:
            self.private_at = offset
        elif kind == OFFSET and size == WORD:
            self.moved.append(number(row, "arg_index", 1 << 16))
            self.hidden.append(Hidden(OFFSET, offset, size))
        elif kind == "arg_byvalue":
            self.add_value(row, offset, size)
        elif kind in IMAGE_FIELDS and size == WORD:
            self.add_field(row, offset, ARG_IMAGE, IMAGE_FIELDS[kind])
        elif kind in SAMPLER_FIELDS and size == WORD:
            self.add_field(row, offset, ARG_SAMPLER, SAMPLER_FIELDS[kind])
        elif kind == "arg_bypointer" and word(row, "addrspace") in OPAQUE:
            self.add_opaque(row)
        elif kind in ("arg_bypointer", "buffer_address"):
            self.add_pointer(row, offset, size)
        elif kind not in NOTHING:
            raise ValueError(f"kernel {self.info.name} wants to know {kind[:60]}, which nobody knows")

    def is_printing(self, index):
        """Whether it is the argument that nobody sets: the buffer of printf."""
        return index == len(self.info.args) and self.info.facts.get("prints") is True

    def argument(self, row):
        index = number(row, "arg_index", 1 << 16)
        if index >= len(self.info.args):
            raise ValueError(f"kernel {self.info.name} has no argument {index}")
        return self.info.args[index]

    def add_value(self, row, offset, size):
        """A part of an argument, or all of it, which may have more room than bytes."""
        arg, start = self.argument(row), number(row, "source_offset", MOST_PAYLOAD)
        if arg.kind not in (ARG_VALUE, ARG_QUEUE) or start >= arg.size:
            raise ValueError(f"an argument of kernel {self.info.name} is no value")
        self.copies.append(Copy(ARG_VALUE, arg.offset + start, offset, min(size, arg.size - start)))

    def add_pointer(self, row, offset, size):
        if not size:
            return              # by its number in the table
        if self.is_printing(number(row, "arg_index", 1 << 16)) and size == POINTER:
            self.hidden.append(Hidden(PRINTING, offset, size))
            return
        arg = self.argument(row)
        wanted = (POINTER,) if arg.kind in BUFFERS else (WORD, POINTER)
        if arg.kind not in (*BUFFERS, ARG_LOCAL) or size not in wanted:
            raise ValueError(f"an argument of kernel {self.info.name} is no pointer")
        self.copies.append(Copy(arg.kind, arg.offset, offset, WORD if arg.kind == ARG_LOCAL else POINTER))

    def add_field(self, row, offset, kind, what):
        arg = self.argument(row)
        if arg.kind != kind:
            raise ValueError(f"an argument of kernel {self.info.name} is no image or sampler")
        self.copies.append(Copy(kind, arg.offset, offset, WORD, FIELD + what))

    def add_opaque(self, row):
        arg, space = self.argument(row), row["addrspace"]
        if arg.kind != OPAQUE[space]:
            raise ValueError(f"an argument of kernel {self.info.name} is no {space}")
        if space == "image":
            self.images[row["arg_index"]] = IMAGE_TYPES.get(word(row, "image_type"), 0)
        else:
            self.sampler_copies.append((arg, number(row, "sampler_index", MOST_SAMPLERS - 1)))

    def finish(self):
        """The tables of surfaces and of samplers."""
        self.surfaces = self.bytes
        self.n_surfaces = max((bti + 1 for table in self.table.values() for bti in table), default=0)
        self.samplers = self.surfaces + POINTER * self.n_surfaces
        self.n_samplers = max((index + 1 for _, index in self.sampler_copies), default=0)
        self.end = self.samplers + POINTER * self.n_samplers
        self.early = [bti for index in self.moved for bti in self.table.get(index, ())]
        for index, table in sorted(self.table.items()):
            if self.is_printing(index):
                self.hidden += [Hidden(PRINTING, self.surfaces + POINTER * bti, POINTER) for bti in table]
                continue
            arg = self.argument({"arg_index": index})
            if arg.kind not in (*BUFFERS, ARG_IMAGE):
                raise ValueError(f"argument {index} of kernel {self.info.name} is no buffer")
            self.copies += [Copy(arg.kind, arg.offset, self.surfaces + POINTER * bti, POINTER,
                                 self.images.get(index, 0)) for bti in table]
        self.copies += [Copy(ARG_SAMPLER, arg.offset, self.samplers + POINTER * index, WORD)
                        for arg, index in self.sampler_copies]
