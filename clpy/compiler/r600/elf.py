# SPDX-License-Identifier: Apache-2.0
"""Relocatable code objects of VLIW chips: ELF files of 32 bits. Nothing of the input is trusted: ValueError is all that
may come of it.

Code refers to the program's constants, which lie behind it in the same section, by their offsets from its start.
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
SYMTAB, NOBITS, REL = 2, 8, 9
ABS32, ABS32_LO = 6, 1
FUNCTION, OBJECT = 2, 1
MAX_SECTIONS, MAX_CODE = 256, 1 << 26


class Symbol(NamedTuple):
    name: str
    offset: int
    size: int
    is_function: bool


@dataclass
class CodeObject:
    """`text`: the code with its constants, in which everything refers to everything as it should; `config`: pairs of
    the chip's registers and their values; `symbols` of the code."""
    text: bytes
    config: bytes
    symbols: list = field(default_factory=list)


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
    if text is None or not datas[text] or len(datas[text]) > MAX_CODE:
        raise ValueError("no code")
    config = datas[found[".AMDGPU.config"]] if ".AMDGPU.config" in found else b""
    table = next((i for i, row in enumerate(rows) if row[1] == SYMTAB), None)
    if table is None or rows[table][6] >= count:
        raise ValueError("no symbols")
    symbols = read_symbols(datas[table], datas[rows[table][6]])
    code = bytearray(datas[text])
    for i, row in enumerate(rows):
        if row[1] == REL and row[7] == text:
            relocate(code, datas[i], symbols, text)
    return CodeObject(bytes(code), config, [
        Symbol(name, offset, size, kind == FUNCTION) for name, offset, size, kind, section in symbols
        if section == text and name and kind in (FUNCTION, OBJECT)])


def read_symbols(data, strings):
    """[(name, offset, size, kind, section)]"""
    made = []
    for at in range(0, len(data) - len(data) % SYMBOL.size, SYMBOL.size):
        name, value, size, info, _, section = SYMBOL.unpack_from(data, at)
        made.append((string_at(strings, name), value, size, info & 15, section))
    return made


def relocate(code, data, symbols, text):
    for at in range(0, len(data) - len(data) % RELOCATION.size, RELOCATION.size):
        place, info = RELOCATION.unpack_from(data, at)
        number, kind = info >> 8, info & 255
        if number >= len(symbols) or place + 4 > len(code) or kind not in (ABS32, ABS32_LO):
            raise ValueError(f"a relocation of kind {kind}")
        name, value, _, _, section = symbols[number]
        if section != text:
            raise ValueError(f"{name} is in no code")
        more = int.from_bytes(code[place:place + 4], "little")
        code[place:place + 4] = (more + value & 0xFFFFFFFF).to_bytes(4, "little")
