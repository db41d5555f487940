# SPDX-License-Identifier: Apache-2.0
"""Intel's programs: relocatable ELF files with a section of code for each kernel, the program's variables, and what is
to be known of both as text. Nothing of the input is trusted: ValueError is all that may come of it.

All that lies in memory becomes one image, the code first. Code has addresses of variables in it, as numbers of 64 bits
that are a part of an instruction.
"""
import itertools
import re
import struct
from dataclasses import dataclass, field

from clpy.compiler.amdgpu import elf
from clpy.compiler.amdgpu.facts import text_of
from clpy.compiler.binary import ELF_64_LSB, HEADER, NOBITS, PROGBITS, SYMTAB
from clpy.compiler.gen import ze_info

EM_INTELGT = 205
REL, RELA = 9, 4
ENTRIES = {REL: struct.Struct("<QQ"), RELA: struct.Struct("<QQq")}
ADDRESS = 1                     # a type of relocation: all 64 bits
TEXT, INFO = ".text.", ".ze_info"
LINES, RELOCATED_LINES = ".debug_line", ".rela.debug_line"
PRIVATE_BASE, PRIVATE_SIZE = b"private_base_stateless", b"per_thread_memory_buffers:"
NEGATIVE = re.compile(rb"\n +size: +-\d")      # in the text
CODE_ALIGN, DATA_ALIGN = 64, 64
MOST_CODE = 1 << 26
POINTER = 8
# Not a kernel: what it is there for is the section's symbols.
NO_KERNELS = ("Intel_Symbol_Table_Void_Program",)


class Undefined(ValueError):
    """Code refers to what is not there; `name` is its symbol."""

    def __init__(self, name):
        super().__init__(f"undefined symbol {name}")
        self.name = name


@dataclass
class Zebin:
    """`sections`: elf.Placed, all code as the first one, .text. `kernels`: {name: (place, bytes)} of code; `about`:
    {name: what is said of it}; `symbols`: {name: (place, bytes)}; `pointers` [(place of a word of data, where it points
    to)]; `addresses` {place in the code of a number of 64 bits: likewise}; `lines`: section .debug_line."""
    sections: list
    kernels: dict
    about: dict
    symbols: dict
    pointers: list = field(default_factory=list)
    addresses: dict = field(default_factory=dict)
    lines: bytes = b""

    def place_of(self, name):
        if name not in self.symbols:
            raise Undefined(name)
        return self.symbols[name]

    def fill(self, name, data):
        """A variable begins with these bytes. What the file has not is behind all else."""
        if name not in self.symbols:
            last = self.sections[-1]
            self.symbols[name] = -(-(last.offset + last.size) // DATA_ALIGN) * DATA_ALIGN, len(data)
            self.sections.append(elf.Placed(".data.more", self.symbols[name][0], data, len(data), True))
            return
        place, size = self.symbols[name]
        for index, section in enumerate(self.sections[1:], 1):
            at = place - section.offset
            if at >= 0 and at + len(data) <= section.size and len(data) == size:
                whole = section.data[:at].ljust(at, b"\0") + data + section.data[at + size:]
                self.sections[index] = section._replace(data=whole)
                return
        raise ValueError(f"variable {name} is of another size")

    def point(self, name, at, target, more):
        """A word of a variable is the address of a place in another one, or behind it."""
        (place, size), (to, room) = self.place_of(name), self.place_of(target)
        if not 0 <= at <= size - POINTER or not 0 <= more <= room:
            raise ValueError(f"an address outside variable {name}")
        self.pointers.append((place + at, to + more))
        check_apart([place for place, _ in self.pointers])


def read(blob):
    """The Zebin of an ELF file."""
    try:
        return read_file(memoryview(bytes(blob)))
    except struct.error as why:
        raise ValueError(f"not whole: {why}") from None


def has_no_size(blob):
    """Whether the compiler's own arithmetic may have gone wrong: some kernel has less than no private memory, or wants
    to know where it is and has none."""
    return bool(NEGATIVE.search(blob)) or blob.count(PRIVATE_BASE) > blob.count(PRIVATE_SIZE)


def is_for_intel(blob):
    return len(blob) >= HEADER.size and HEADER.unpack_from(blob)[5] == EM_INTELGT


def read_file(view):
    if len(view) < HEADER.size or HEADER.unpack_from(view)[:4] != ELF_64_LSB:
        raise ValueError("not a 64-bit ELF file")
    head = HEADER.unpack_from(view)
    if not is_for_intel(view):
        raise ValueError("not for a chip of Intel")
    sections = elf.read_sections(view, head)
    code = [s for s in sections if s.name.startswith(TEXT) and s.in_memory and s.kind == PROGBITS
            and s.name.removeprefix(TEXT) not in NO_KERNELS]
    data = [s for s in sections if s.in_memory and not s.name.startswith(TEXT)]
    text = place(code, data)
    kernels = {s.name.removeprefix(TEXT): (s.place, s.size) for s in code}
    if len(kernels) != len(code):
        raise ValueError("a kernel twice")
    other = {s.name: bytes(s.data) for s in sections if not s.in_memory}
    made = Zebin([elf.Placed(".text", 0, text, len(text), False)], kernels,
                 said(ze_info.read(other.get(INFO, b""))), {})
    known = {id(s) for s in (*code, *data)}
    if any(s.kind == SYMTAB for s in sections):
        relocate(sections, known, {id(s) for s in code}, made)
        made.lines = lines_of(sections, {s.name: s.place for s in code})
    made.sections += [elf.Placed(s.name, s.place, bytes(s.data), s.size, bool(s.flags & elf.SHF_WRITE)) for s in data]
    return made


def place(code, data):
    """Give all sections their places; the code as one."""
    text = bytearray()
    for section in code:
        text += bytes(-len(text) % CODE_ALIGN)
        section.place = len(text)
        text += section.data
        if len(text) > MOST_CODE:
            raise ValueError("more code than there is room for")
    end = len(text)
    for section in data:
        align = max(section.align, DATA_ALIGN)
        if align & (align - 1) or align > elf.MAX_ALIGN:
            raise ValueError(f"alignment {align} of {section.name}")
        section.place = -(-end // align) * align
        end = section.place + section.size
        if end > elf.MAX_IMAGE:
            raise ValueError("sections are too large")
    return bytes(text)


def said(info):
    """{name: dict} of kernels."""
    rows = info.get("kernels") if isinstance(info, dict) else 0
    rows = [] if rows is None else rows         # of a program without kernels
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("nothing is said of kernels")
    names = [name for name in (text_of(row, "name") for row in rows) if name not in NO_KERNELS]
    made = {row["name"]: row for row in rows if row["name"] in names}
    if len(made) != len(names):
        raise ValueError("a kernel is described twice")
    return made


def relocate(sections, known, code, made):
    symbols = elf.read_symbols(sections)

    def is_placed(symbol):
        return bool(symbol.section) and symbol.section < len(sections) and id(sections[symbol.section]) in known

    made.symbols.update({s.name: (s.offset, s.size) for s in symbols if s.name and is_placed(s)})
    for rows in [s for s in sections if s.kind in ENTRIES]:
        if rows.info >= len(sections) or rows.size % ENTRIES[rows.kind].size:
            raise ValueError(f"bad relocations {rows.name}")
        section = sections[rows.info]
        for offset, info, *addend in ENTRIES[rows.kind].iter_unpack(rows.data) if id(section) in known else ():
            number, kind = info >> 32, info & 0xFFFFFFFF
            if number >= len(symbols):
                raise ValueError("a relocation without a symbol")
            if not is_placed(symbols[number]):
                raise Undefined(symbols[number].name)
            if kind != ADDRESS:
                raise ValueError(f"relocation of an unknown kind {kind}")
            # What stands in an instruction means nothing.
            place, target = resolved(section, offset, symbols[number], [0] if id(section) in code else addend)
            if id(section) in code:
                made.addresses[place] = target
            else:
                made.pointers.append((place, target))
    check_apart([*made.addresses])
    check_apart([place for place, _ in made.pointers])


def resolved(section, offset, symbol, addend):
    """(place of a number, where it points to) in the image; what is to be added to a symbol's place is `addend`, or
    there."""
    if section.kind == NOBITS or offset + POINTER > len(section.data):
        raise ValueError(f"a relocation outside {section.name}")
    more = addend[0] if addend else int.from_bytes(section.data[offset:offset + POINTER], "little", signed=True)
    target = symbol.offset + more
    if not 0 <= target <= elf.MAX_IMAGE:
        raise ValueError(f"an address outside the program in {section.name}")
    return section.place + offset, target


def lines_of(sections, places):
    """Section .debug_line with addresses of the code as one; `places`: {section of code: its place}. Which section a
    symbol of these relocations is in the compiler has wrong: its name tells."""
    found = [s for s in sections if s.name == LINES]
    if not found:
        return b""
    lines, symbols = bytearray(found[0].data), elf.read_symbols(sections)
    for rows in [s for s in sections if s.name == RELOCATED_LINES and s.kind == RELA]:
        for offset, info, addend in ENTRIES[RELA].iter_unpack(rows.data):
            number, kind = info >> 32, info & 0xFFFFFFFF
            if number >= len(symbols) or symbols[number].name not in places or kind != ADDRESS:
                raise ValueError("line tables of no code")
            if offset + POINTER > len(lines):
                raise ValueError(f"a relocation outside {LINES}")
            target = places[symbols[number].name] + addend
            if not 0 <= target <= MOST_CODE:
                raise ValueError("lines outside the code")
            lines[offset:offset + POINTER] = target.to_bytes(POINTER, "little")
    return bytes(lines)


def check_apart(places):
    places.sort()
    if any(after < before + POINTER for before, after in itertools.pairwise(places)):
        raise ValueError("addresses that overlap")
