# SPDX-License-Identifier: Apache-2.0
"""Relocatable code objects of AMD's chips, and what a linker would make of one: an image with all that lies in memory,
at offsets from the start of .text, in which everything refers to everything as it should.

Where the image will lie is not known. What code reaches relative to itself is final; words that hold addresses are
named by `pointers`. Nothing of the input is trusted: ValueError is all that may come of it.
"""
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from clpy.compiler.binary import ELF_64_LSB, HEADER, NOBITS, NULL, PROGBITS, SECTION, SYMBOL, SYMTAB, cut, string_at

EM_AMDGPU = 224
RELA, NOTE = 4, 7
ENTRY = struct.Struct("<QQq")     # of a section of relocations
SHF_WRITE, SHF_ALLOC = 1, 2
SHN_UNDEF, SHN_ABS = 0, 0xFFF1
STT_FUNC, STB_WEAK = 2, 2
MAX_SECTIONS, MAX_IMAGE, MAX_ALIGN = 1 << 14, 1 << 31, 1 << 16     # Intel's compiler has one for each kernel

# Types of relocation: R_AMDGPU_...
ABS32_LO, ABS32_HI, ABS64, REL32, REL64, ABS32 = range(1, 7)
GOTPCREL, GOTPCREL32_LO, GOTPCREL32_HI, REL32_LO, REL32_HI, REL16 = 7, 8, 9, 10, 11, 14
GOT_RELATIVE = {GOTPCREL: REL32, GOTPCREL32_LO: REL32_LO, GOTPCREL32_HI: REL32_HI}
# Type -> bytes of the place, bits that are dropped.
PLACES = {ABS32_LO: (4, 0), ABS32_HI: (4, 32), ABS64: (8, 0), REL32: (4, 0), REL64: (8, 0), ABS32: (4, 0),
          REL32_LO: (4, 0), REL32_HI: (4, 32)}
RELATIVE = (REL32, REL64, REL32_LO, REL32_HI)


class Placed(NamedTuple):
    """A section in the image; `data` is shorter than `size` where the rest is zero."""
    name: str
    offset: int
    data: bytes
    size: int
    writable: bool


class Symbol(NamedTuple):
    """`offset` in the image. `section` is its number in the file, None for a plain number."""
    name: str
    offset: int
    size: int
    section: int
    is_function: bool
    is_weak: bool


@dataclass
class Section:
    name: str
    kind: int
    flags: int
    size: int
    link: int
    info: int
    align: int
    data: bytearray
    place: int = 0      # in the image

    @property
    def in_memory(self):
        return bool(self.flags & SHF_ALLOC) and self.kind in (PROGBITS, NOBITS)


@dataclass
class CodeObject:
    """A code object, linked. `sections` is those in memory, .text first; `other` is the bytes of the rest by name."""
    machine: int                # the processor, EF_AMDGPU_MACH_*
    sections: list = field(default_factory=list)
    other: dict = field(default_factory=dict)
    symbols: list = field(default_factory=list)
    pointers: list = field(default_factory=list)    # [(offset of a 64-bit word, offset that it points to)]


def read(blob):
    """CodeObject of a relocatable ELF file."""
    try:
        view = memoryview(blob)
        if len(view) < HEADER.size or HEADER.unpack_from(view)[:4] != ELF_64_LSB:
            raise ValueError("not a 64-bit ELF file")
        head = HEADER.unpack_from(view)
        if head[5] != EM_AMDGPU:
            raise ValueError("not for a chip of AMD")
        sections = read_sections(view, head)
        place(sections)
        made = CodeObject(head[10] & 0xFF)
        made.symbols = read_symbols(sections)
        Linker(sections, made).run()
    except struct.error as why:
        raise ValueError(str(why)) from None
    in_memory = sorted((s for s in sections if s.in_memory), key=lambda s: s.place)
    made.sections = [Placed(s.name, s.place, bytes(s.data), s.size, bool(s.flags & SHF_WRITE)) for s in in_memory]
    made.other = {s.name: bytes(s.data) for s in sections if not s.in_memory}
    return made


def read_sections(view, head):
    table, size, count, strings = head[9], head[14], head[15], head[16]
    if size != SECTION.size or not 0 < count <= MAX_SECTIONS or table + count * size > len(view) or strings >= count:
        raise ValueError("bad section table")
    rows = [SECTION.unpack_from(view, table + i * size) for i in range(count)]
    if sum(row[5] for row in rows if row[1] not in (NULL, NOBITS)) > len(view):
        raise ValueError("sections that overlap")
    data = [cut(view, row[4], row[5]) if row[1] not in (NULL, NOBITS) else view[:0] for row in rows]
    return [Section(string_at(data[strings], row[0]), row[1], row[2], row[5], row[6], row[7], row[8], bytearray(part))
            for row, part in zip(rows, data, strict=True)]


def place(sections):
    """Give what lies in memory a place: .text first, at 0."""
    texts = [s for s in sections if s.name == ".text" and s.in_memory]
    if len(texts) != 1 or texts[0].kind != PROGBITS:
        raise ValueError("not one section .text")
    end = 0
    for section in [*texts, *(s for s in sections if s.in_memory and s is not texts[0])]:
        align = section.align or 1
        if align & (align - 1) or align > MAX_ALIGN:
            raise ValueError(f"alignment {align} of {section.name}")
        section.place = -(-end // align) * align
        end = section.place + section.size
        if end > MAX_IMAGE:
            raise ValueError("sections are too large")


def read_symbols(sections):
    """The symbols, in the order of the file: relocations name them by number."""
    tables = [s for s in sections if s.kind == SYMTAB]
    if len(tables) != 1 or tables[0].link >= len(sections) or tables[0].size % SYMBOL.size:
        raise ValueError("not one table of symbols")
    names, made = sections[tables[0].link].data, []
    for name, info, _, index, value, size in SYMBOL.iter_unpack(tables[0].data):
        text = string_at(names, name) if name else ""
        section, offset = None, value
        if index < len(sections) and index != SHN_UNDEF:
            section = index
            if value + size > sections[index].size:
                raise ValueError(f"symbol {text} is not in its section")
            offset += sections[index].place
        elif index not in (SHN_UNDEF, SHN_ABS):
            section = index     # of a kind that is not known here: wrong only if something refers to it
        made.append(Symbol(text, offset, size, SHN_UNDEF if index == SHN_UNDEF else section,
                           info & 15 == STT_FUNC, info >> 4 == STB_WEAK))
    return made


class Linker:
    """Resolves the relocations of `sections` in place."""

    def __init__(self, sections, made):
        self.sections = sections
        self.made = made
        self.got = {}       # number of a symbol -> its place in the table of addresses
        self.start = max((s.place + s.size for s in sections if s.in_memory), default=0) + 7 & ~7

    def run(self):
        for rows in [s for s in self.sections if s.kind == RELA]:
            if rows.info >= len(self.sections) or rows.size % ENTRY.size:
                raise ValueError(f"bad relocations {rows.name}")
            for offset, info, addend in ENTRY.iter_unpack(rows.data):
                self.resolve(self.sections[rows.info], offset, info & 0xFFFFFFFF, info >> 32, addend)
        self.place_table()

    def resolve(self, section, offset, kind, number, addend):
        if number >= len(self.made.symbols):
            raise ValueError("a relocation without a symbol")
        symbol = self.made.symbols[number]
        target = self.target(symbol)
        here = section.place + offset
        if kind in GOT_RELATIVE:
            target, kind = self.entry(number), GOT_RELATIVE[kind]
        if kind == REL16:
            self.put(section, offset, 2, ((target + addend - here) >> 2) & 0xFFFF)
            return
        if kind not in PLACES:
            raise ValueError(f"relocation of an unknown kind {kind}")
        size, shift = PLACES[kind]
        value = target + addend - (here if kind in RELATIVE else 0)
        if kind not in RELATIVE and section.in_memory and self.is_address(symbol):
            if kind != ABS64:
                raise ValueError(f"half an address of {symbol.name} in {section.name}")
            self.made.pointers.append((here, value))
        self.put(section, offset, size, (value >> shift) & ((1 << 8 * size) - 1))

    def target(self, symbol):
        if symbol.section is None:
            return symbol.offset
        if symbol.section == SHN_UNDEF:
            if symbol.is_weak or not symbol.name:
                return 0
            raise ValueError(f"undefined symbol {symbol.name}")
        if symbol.section >= len(self.sections):
            raise ValueError(f"symbol {symbol.name} is in no section")
        return symbol.offset

    def entry(self, number):
        """Place in the image of a word with the address of a symbol."""
        return self.got.setdefault(number, self.start + 8 * len(self.got))

    def place_table(self):
        if not self.got:
            return
        words = [self.made.symbols[number].offset for number in self.got]
        self.sections.append(Section(".got", PROGBITS, SHF_ALLOC, 8 * len(words), 0, 0, 8,
                                     bytearray(struct.pack(f"<{len(words)}Q", *words)), self.start))
        self.made.pointers += [(place, self.made.symbols[number].offset) for number, place in self.got.items()
                               if self.is_address(self.made.symbols[number])]

    def is_address(self, symbol):
        return bool(symbol.section) and symbol.section < len(self.sections) and self.sections[symbol.section].in_memory

    @staticmethod
    def put(section, offset, size, value):
        if offset + size > len(section.data):
            raise ValueError(f"a relocation outside {section.name}")
        section.data[offset:offset + size] = value.to_bytes(size, "little")
