# SPDX-License-Identifier: Apache-2.0
"""Relocatable code objects of VLIW chips: ELF files of 32 bits. Nothing of the input is trusted: ValueError is all that
may come of it.

Code refers to the program's constants, most of which lie behind it in the same section, by addresses of 32 bits.
"""
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

HEADER = struct.Struct("<4sBBB9xHHIIIIIHHHHHH")
SECTION = struct.Struct("<IIIIIIIIII")
SYMBOL = struct.Struct("<IIIBBH")
RELOCATION = struct.Struct("<II")           # without an addend: it is in the place
IDENT = (b"\x7fELF", 1, 1, 1)
EM_AMDGPU = 224
PROGBITS, SYMTAB, NOBITS, REL, ALLOC = 1, 2, 8, 9, 2
ABS32, ABS32_LO = 6, 1
FUNCTION, OBJECT = 2, 1
MAX_SECTIONS, MAX_CODE, MOST_ALIGN = 256, 1 << 26, 1 << 12


class Symbol(NamedTuple):
    name: str
    offset: int
    size: int
    is_function: bool


@dataclass
class CodeObject:
    """`image`: the code, and behind it the constants that are not in the same section. `config`: pairs of the chip's
    registers and their values; `symbols` of the code; `addresses`: [(place of a word, what it refers to)], both
    offsets in the image, to which what is in the word is still to be added. `lines`: sections .debug_line and
    .debug_line_str, whose addresses are offsets in the code before anything is relocated."""
    image: bytearray
    config: bytes
    symbols: list = field(default_factory=list)
    addresses: list = field(default_factory=list)
    lines: tuple = (b"", b"")

    def relocate(self, base):
        """The image as bytes, for a chip on which it lies at an address."""
        image = bytearray(self.image)
        for place, offset in self.addresses:
            more = int.from_bytes(image[place:place + 4], "little")
            image[place:place + 4] = (more + offset + base & 0xFFFFFFFF).to_bytes(4, "little")
        return bytes(image)


def cut(data, offset, size):
    if offset + size > len(data):
        raise ValueError("a part that is not there")
    return data[offset:offset + size]


def string_at(table, offset):
    end = table.find(b"\0", offset)
    if offset > len(table) or end < 0:
        raise ValueError("a name that is not there")
    return bytes(table[offset:end]).decode("utf-8", "replace")


def read(blob):
    """CodeObject of an ELF file."""
    try:
        return read_file(bytes(blob))
    except struct.error as why:
        raise ValueError(f"not whole: {why}") from None


def read_file(blob):
    fields = HEADER.unpack_from(blob)
    if fields[:4] != IDENT or fields[5] != EM_AMDGPU:
        raise ValueError("no code object of a chip with 32 bits")
    at, entry, count, names = fields[9], fields[14], fields[15], fields[16]
    if entry != SECTION.size or not 0 < count <= MAX_SECTIONS or names >= count:
        raise ValueError("sections of another form")
    rows = [SECTION.unpack(cut(blob, at + i * entry, entry)) for i in range(count)]
    datas = [b"" if row[1] == NOBITS else cut(blob, row[4], row[5]) for row in rows]
    found = {string_at(datas[names], row[0]): i for i, row in enumerate(rows)}
    text = found.get(".text")
    if text is None or not datas[text]:
        raise ValueError("no code")
    config, *lines = [datas[found[name]] if name in found else b""
                      for name in (".AMDGPU.config", ".debug_line", ".debug_line_str")]
    table = next((i for i, row in enumerate(rows) if row[1] == SYMTAB), None)
    if table is None or rows[table][6] >= count:
        raise ValueError("no symbols")
    image, places = place_sections(rows, datas, text)
    symbols = read_symbols(datas[table], datas[rows[table][6]])
    made = CodeObject(image, config, [
        Symbol(name, offset, size, kind == FUNCTION) for name, offset, size, kind, section in symbols
        if section == text and name and kind in (FUNCTION, OBJECT)], lines=tuple(lines))
    for i, row in enumerate(rows):
        if row[1] == REL and row[7] in places:
            made.addresses += addresses(datas[i], symbols, places, rows[row[7]][5], row[7])
    return made


def place_sections(rows, datas, text):
    """(image, {number of a section: its place there}) of all that is in memory, the code first."""
    image, places = bytearray(datas[text]), {text: 0}
    for i, (_, kind, flags, _, _, size, _, _, align, _) in enumerate(rows):
        if i == text or not flags & ALLOC or kind not in (PROGBITS, NOBITS):
            continue
        if align > MOST_ALIGN or len(image) + size > MAX_CODE:
            raise ValueError("more constants than there is room for")
        image += bytes(-len(image) % max(align, 1))
        places[i] = len(image)
        image += datas[i] if kind == PROGBITS else bytes(size)
    if len(image) > MAX_CODE:
        raise ValueError("more code than there is room for")
    return image, places


def read_symbols(data, strings):
    """[(name, offset, size, kind, section)]"""
    made = []
    for at in range(0, len(data) - len(data) % SYMBOL.size, SYMBOL.size):
        name, value, size, info, _, section = SYMBOL.unpack_from(data, at)
        made.append((string_at(strings, name), value, size, info & 15, section))
    return made


def addresses(data, symbols, places, size, section):
    """As CodeObject has them, of one section's relocations."""
    made = []
    for at in range(0, len(data) - len(data) % RELOCATION.size, RELOCATION.size):
        place, info = RELOCATION.unpack_from(data, at)
        number, kind = info >> 8, info & 255
        if number >= len(symbols) or place + 4 > size or kind not in (ABS32, ABS32_LO):
            raise ValueError(f"a relocation of kind {kind}")
        name, value, _, _, of = symbols[number]
        if of not in places:
            raise ValueError(f"{name or 'something'} is in no section that is in memory")
        made.append((places[section] + place, places[of] + value))
    return made
