# SPDX-License-Identifier: Apache-2.0
"""What a chip's program says of itself: `read_program` makes an IsaProgram of a code object.

The program is an image: .text at offset 0, behind it what else lies in memory. All offsets are in the image. What code
reaches relative to itself (s_getpc, then an addition) is resolved; words of data that hold addresses are in `pointers`.
"""
import bisect
import re
from dataclasses import asdict, dataclass, field

from clpy.abi_layout import ARG_LOCAL, ARG_SAMPLER, ARG_VALUE
from clpy.compiler.amdgpu import descriptor, dwarf_lines, elf, listing, messagepack
from clpy.compiler.frame import INITIALIZE

NT_METADATA, OWNER = 32, b"AMDGPU"
# EF_AMDGPU_MACH_* of a code object -> processor.
PROCESSORS = {0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x26: "gfx704", 0x28: "gfx801",
              0x29: "gfx802", 0x2A: "gfx803", 0x2C: "gfx900", 0x2F: "gfx906"}
WAVE_SIZE = 64
HIDDEN = "hidden_"
# What the compiler writes into a format of printf for characters that metadata may not have; not for the backslash.
ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "v": "\v", "72": ":"}
ESCAPED = re.compile(r"\\(72|[abfnrv])")
# Kinds of images as descriptors have them.
IMAGE_TYPES = {"image1d_t": 8, "image1d_buffer_t": 8, "image2d_t": 9, "image2d_depth_t": 9, "image3d_t": 10,
               "image1d_array_t": 12, "image2d_array_t": 13, "image2d_array_depth_t": 13}
MAX_LDS, MAX_KERNARG = 1 << 16, 1 << 20


@dataclass(frozen=True)
class Copy:
    """An argument's way from the argument block to the kernarg segment: `block` and `kernarg` are its offsets there.
    `kind` is an ARG_* of clpy.abi_layout. A LOCAL one is a size_t in the block, 32 bits in the segment; what stands for
    an image or a sampler is 8 bytes in the segment, the address of a descriptor. `image`: what the chip's descriptors
    call the kind of image, 0 for what is none."""
    kind: int
    block: int
    kernarg: int
    size: int
    image: int = 0


@dataclass(frozen=True)
class Hidden:
    """An argument that the runtime gives: `kind` as in the metadata, without "hidden_"."""
    kind: str
    offset: int
    size: int


@dataclass
class IsaKernel:
    """A kernel's machine code: `size` bytes at `entry`. `lines` are (offset, line of the source), each for the code
    from there on; line 0 is nobody's."""
    name: str
    entry: int
    size: int
    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    kernarg_align: int
    wave_size: int = WAVE_SIZE
    descriptor: dict = field(default_factory=dict)
    copies: list = field(default_factory=list)
    hidden: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    uses_dynamic_stack: bool = False
    vgpr_spills: int = 0
    sgpr_spills: int = 0
    windows: int = 0            # of chips with addresses of 32 bits: where the table of windows is (r600/memory.py)
    window_bits: int = 0        # bits of an address that say which window
    image_window: int = 0       # how many of them the program's constants have

    def to_dict(self):
        """Plain data for JSON."""
        return asdict(self)


@dataclass
class IsaProgram:
    """A program. `sections` are elf.Placed (name, offset, data, size, writable) with .text as the first, `symbols`
    {name: (offset, size)}, `pointers` [(offset of a 64-bit word, offset that it points to)], `listing` the
    listing.Instructions of .text, `lines` as an IsaKernel's, `places` [(offset, header or "", line)] those of headers
    too, `formats` printf's {number: (sizes of arguments, text)}."""
    processor: str
    text: bytes
    sections: list
    pointers: list
    symbols: dict
    kernels: dict
    listing: list
    lines: list
    places: list
    formats: dict
    is_vliw: bool = False
    is_gen: bool = False


def read_program(blob, infos=None, is_listed=True):
    """IsaProgram of a code object; ValueError for anything else. `infos` is the program's {name: KernelInfo}: with it
    the kernels know where their arguments are in the argument block. `is_listed`: what the compiler wrote down of its
    code is wanted, and compared with it."""
    code = elf.read(blob)
    if code.machine not in PROCESSORS:
        raise ValueError(f"code for an unknown processor {code.machine:#x}")
    text = code.sections[0]
    lines = Lines(dwarf_lines.read(code.other.get(".debug_line", b""), code.other.get(".debug_line_str", b"")))
    functions = {s.offset for s in code.symbols if s.is_function and s.section and s.offset < text.size}
    metadata = read_metadata(find_note(code.other.get(".note", b"")))
    symbols = {s.name: s for s in code.symbols if s.name and s.section}
    kernels = {}
    for entry in entries(metadata, "amdhsa.kernels", dict):
        kernel = read_kernel(entry, code, symbols, lines)
        if kernel.name in kernels:
            raise ValueError(f"two kernels {kernel.name}")
        kernels[kernel.name] = kernel
        if infos is not None:
            kernel.copies = copies(entry, kernel, infos)
    return IsaProgram(
        PROCESSORS[code.machine], text.data, code.sections, code.pointers,
        {name: (s.offset, s.size) for name, s in symbols.items()}, kernels,
        listed(code, functions, lines) if is_listed else [],
        lines.rows, lines.places, dict(read_format(text) for text in entries(metadata, "amdhsa.printf", str)))


def listed(code, functions, lines):
    """What the compiler wrote down of its code; nothing where the code is not the compiler's."""
    if listing.SECTION not in code.other:
        return []
    return listing.read(code.other[listing.SECTION], code.sections[0].data, functions, lines.at)


class Lines:
    """Lines of the source by offset: `rows` is [(offset, line)] without repetitions. Lines of headers are 0 there, and
    in `places` with the header's name."""

    def __init__(self, rows):
        self.rows, self.places = [], []
        for row in rows:
            append(self.rows, (row.offset, 0 if row.file else row.line))
            append(self.places, (row.offset, row.file, row.line))
        self.offsets = [offset for offset, _ in self.rows]

    def at(self, offset):
        index = bisect.bisect_right(self.offsets, offset)
        return self.rows[index - 1][1] if index else 0

    def between(self, start, end):
        inside = self.rows[bisect.bisect_right(self.offsets, start):bisect.bisect_left(self.offsets, end)]
        return [(start, self.at(start)), *inside]


def append(rows, row):
    """Add a row (offset, ...); the last of those with one offset counts, and none repeats the one before."""
    if rows and rows[-1][0] == row[0]:
        rows.pop()
    if not rows or rows[-1][1:] != row[1:]:
        rows.append(row)


def find_note(notes):
    """The metadata among a section's notes."""
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = (int.from_bytes(notes[at + i:at + i + 4], "little") for i in (0, 4, 8))
        start = at + 12 + -(-name_size // 4) * 4
        if kind == NT_METADATA and notes[at + 12:at + 12 + name_size].rstrip(b"\0") == OWNER:
            if start + size > len(notes):
                break
            return notes[start:start + size]
        at = start + -(-size // 4) * 4
    raise ValueError("code without metadata")


def read_metadata(note):
    made = messagepack.read(note)
    if not isinstance(made, dict):
        raise ValueError("metadata of another form")
    return made


def entries(data, name, kind):
    """The list data[name], each of a kind; empty where it is not there."""
    found = data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(entry, kind) for entry in found):
        raise ValueError(f"metadata: {name}")
    return found


def number(data, name, most=1 << 32, least=0):
    value = data.get(name, 0)
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"metadata: {name} is {value!r}"[:200])
    return value


def text_of(data, name):
    value = data.get(name)
    if not isinstance(value, str):
        raise ValueError(f"metadata: {name} is no text")
    return value


def read_kernel(entry, code, symbols, lines):
    """IsaKernel of its entry in the metadata."""
    name = text_of(entry, ".name")
    described, body = symbols.get(text_of(entry, ".symbol")), symbols.get(name)
    text = code.sections[0]
    if body is None or not body.size or body.offset + body.size > text.size or body.offset % 4:
        raise ValueError(f"no code of kernel {name}")
    fields = descriptor.read(descriptor_bytes(described, code, name))
    if described.offset + fields["kernel_code_entry_byte_offset"] != body.offset:
        raise ValueError(f"kernel {name} begins elsewhere")
    if number(entry, ".wavefront_size", WAVE_SIZE) != WAVE_SIZE:
        raise ValueError(f"wavefronts of another size in kernel {name}")
    return IsaKernel(
        name, body.offset, body.size,
        vgprs=number(entry, ".vgpr_count", 256), sgprs=number(entry, ".sgpr_count", 128),
        lds_bytes=number(entry, ".group_segment_fixed_size", MAX_LDS),
        scratch_bytes=number(entry, ".private_segment_fixed_size"),
        kernarg_bytes=number(entry, ".kernarg_segment_size", MAX_KERNARG),
        kernarg_align=number(entry, ".kernarg_segment_align", MAX_KERNARG), descriptor=fields,
        hidden=hidden(entry), lines=lines.between(body.offset, body.offset + body.size),
        uses_dynamic_stack=entry.get(".uses_dynamic_stack") is True,
        vgpr_spills=number(entry, ".vgpr_spill_count"), sgpr_spills=number(entry, ".sgpr_spill_count"))


def descriptor_bytes(symbol, code, name):
    for section in code.sections:
        if symbol is not None and section.offset <= symbol.offset < section.offset + len(section.data):
            at = symbol.offset - section.offset
            return section.data[at:at + descriptor.SIZE]
    raise ValueError(f"no descriptor of kernel {name}")


def arguments(entry):
    """[(kind, offset, size)] of a kernel's arguments, in the order of the segment."""
    size = number(entry, ".kernarg_segment_size", MAX_KERNARG)
    made = [(text_of(arg, ".value_kind"), number(arg, ".offset", size), number(arg, ".size", size))
            for arg in entries(entry, ".args", dict)]
    if any(offset + length > size for _, offset, length in made):
        raise ValueError("an argument outside the kernarg segment")
    return made


def hidden(entry):
    return [Hidden(kind.removeprefix(HIDDEN), offset, size) for kind, offset, size in arguments(entry)
            if kind.startswith(HIDDEN) and kind != HIDDEN + "none"]


def copies(entry, kernel, infos):
    """The Copies of a kernel that KernelInfo has the arguments of."""
    given = [row for row in arguments(entry) if not row[0].startswith(HIDDEN)]
    if kernel.name == INITIALIZE and not given:
        return []
    info = infos.get(kernel.name)
    if info is None or len(info.args) != len(given):
        raise ValueError(f"the arguments of kernel {kernel.name} are others")
    made = []
    images = info.facts.get("images") or [""] * len(info.args)
    if not isinstance(images, list) or len(images) != len(given):
        raise ValueError(f"the images of kernel {kernel.name} are others")
    for (_, offset, size), arg, image in zip(given, info.args, images, strict=True):
        wanted = {ARG_LOCAL: 4, ARG_VALUE: arg.size}.get(arg.kind, 8)
        if size != wanted:
            raise ValueError(f"argument {len(made)} of kernel {kernel.name} has another size")
        made.append(Copy(arg.kind, arg.offset, offset, 4 if arg.kind == ARG_SAMPLER else arg.size,
                         IMAGE_TYPES.get(image, 0)))
    return made


def read_format(text):
    """(number, (sizes of the arguments, text)) of a format of printf: "number:count:size:...:text"."""
    parts = text.split(":", 2)
    if len(parts) != 3 or not parts[0].isdigit() or not parts[1].isdigit():
        raise ValueError("metadata: a format of printf")
    rest = parts[2].split(":", int(parts[1])) if int(parts[1]) < 1 << 16 else []
    sizes = rest[:-1]
    if len(sizes) != int(parts[1]) or not all(size.isdigit() for size in sizes):
        raise ValueError("metadata: a format of printf")
    return int(parts[0]), ([int(size) for size in sizes], ESCAPED.sub(lambda match: ESCAPES[match[1]], rest[-1]))
