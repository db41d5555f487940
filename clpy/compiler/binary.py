# SPDX-License-Identifier: Apache-2.0
"""Program binaries: ELF files in the layout of AMD's BIF 2.0, which existing tools read.

    .source   the OpenCL C text         .llvmir   the program as bitcode, before the builtins and any lowering
    .text     the native objects        .comment  our metadata, JSON

All but the last may be left out (-fno-bin-llvmir ...); what there is has to be enough to make code of.

The machine code is what has to be trusted: it runs with all the rights of the process. It ends with a seal that says
which bitcode and which metadata belong to it, and no others are taken beside it (program.unpack). Bitcode without
machine code is read in a process of its own (foreign). Of all the rest every offset and value is checked. The checksum
is there to find damage.
"""
import hashlib
import struct
from collections import namedtuple
from itertools import accumulate

from clpy import notation
from clpy.abi_layout import ABI_VERSION
from clpy.errors import CLError

CL_INVALID_BINARY = -42
FORMAT = "clpy-2"
OLD_FORMATS = ("clpy-1",)       # without a seal
SEAL_BYTES = 32
UNSEALED = ("checksum", "log")  # metadata that changes nothing about the code
OBJECT, LIBRARY, EXECUTABLE = 1, 2, 4  # cl_program_binary_type

SECTIONS = (".source", ".llvmir", ".text", ".comment")
HEADER = struct.Struct("<4sBBB9xHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
ELF_64_LSB = (b"\x7fELF", 2, 1, 1)
CLASS_32 = b"\1"         # the byte behind the first four
ET_NONE, EM_NONE = 0, 0
NULL, PROGBITS, SYMTAB, STRTAB, NOBITS = 0, 1, 2, 3, 8
SHN_UNDEF = 0
SHF_WRITE, SHF_ALLOC = 1, 2
MAX_SECTIONS = 64


def write_elf(sections):
    """An ELF file with the sections {name: bytes}, in order."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".shstrtab"))
    headers, body, offset = [bytes(SECTION.size)], [], HEADER.size
    for name, data, kind in [*((n, d, PROGBITS) for n, d in sections.items()), (".shstrtab", names, STRTAB)]:
        at = names.index(b"\0" + name.encode() + b"\0") + 1
        headers.append(SECTION.pack(at, kind, 0, 0, offset, len(data), 0, 0, 16, 0))
        data += bytes(-len(data) % 16)
        body.append(data)
        offset += len(data)
    head = HEADER.pack(*ELF_64_LSB, ET_NONE, EM_NONE, 1, 0, 0, offset, 0, HEADER.size, 0, 0, SECTION.size,
                       len(headers), len(headers) - 1)
    return b"".join([head, *body, *headers])


# `size` is that in memory; `data`, a memoryview, is empty for what only takes room there.
Section = namedtuple("Section", "name kind flags size link data")


def read_sections(blob):
    """The Sections of a 64-bit little-endian ELF file; ValueError for anything else."""
    view = memoryview(blob)
    if len(view) < HEADER.size:
        raise ValueError("too short")
    head = HEADER.unpack_from(view)
    if head[:4] != ELF_64_LSB:
        raise ValueError("not a 64-bit ELF file")
    table, entry, count, strings = head[9], head[14], head[15], head[16]
    if entry != SECTION.size or not 0 < count <= MAX_SECTIONS or table + count * entry > len(view):
        raise ValueError("bad section table")
    rows = [SECTION.unpack_from(view, table + i * entry) for i in range(count)]
    data = [cut(view, row[4], row[5]) if row[1] not in (NULL, NOBITS) else view[:0] for row in rows]
    if strings >= count:
        raise ValueError("bad string table")
    return [Section(string_at(data[strings], row[0]), row[1], row[2], row[5], row[6], part)
            for row, part in zip(rows, data, strict=True)]


def cut(view, offset, size):
    if offset + size > len(view):
        raise ValueError("section beyond the end")
    return view[offset:offset + size]


def string_at(table, offset):
    text = bytes(table[offset:offset + 4096])
    if offset >= len(table) or b"\0" not in text:
        raise ValueError("bad name")
    return text[:text.index(b"\0")].decode("utf-8", "replace")


def cut_all(data, sizes):
    """Pieces of `data`, of these sizes, that are all of it."""
    if not isinstance(sizes, list) or not all(type(n) is int and n >= 0 for n in sizes) or sum(sizes) != len(data):
        raise ValueError("bad sizes of objects")
    return [data[end - size:end] for end, size in zip(accumulate(sizes), sizes, strict=True)]


def of_64_bits(objects):
    """All but code of chips with 32 bits (compiler/r600/elf.py), which needs nothing and has no variables."""
    return [obj for obj in objects if obj[4:5] != CLASS_32]


def undefined_symbols(*objects):
    """Names that relocatable objects need from elsewhere, each once."""
    names = {}
    for obj in of_64_bits(objects):
        sections = read_sections(obj)
        for section in sections:
            if section.kind == SYMTAB and section.link < len(sections):
                strings = sections[section.link].data
                symbols = SYMBOL.iter_unpack(section.data)
                names.update((string_at(strings, row[0]), None) for row in symbols if row[3] == SHN_UNDEF and row[0])
    return list(names)


def defined_symbols(prefix, *objects):
    """Names that relocatable objects have for something of their own, of those with the prefix."""
    found = []
    for obj in objects:
        if prefix.encode() not in obj:
            continue
        sections = read_sections(obj)
        for section in sections:
            if section.kind == SYMTAB and section.link < len(sections):
                strings = sections[section.link].data
                found += [name for row in SYMBOL.iter_unpack(section.data) if row[3] != SHN_UNDEF
                          and (name := string_at(strings, row[0])).startswith(prefix)]
    return found


def variable_bytes(*objects):
    """Storage of relocatable objects' variables: their sections that can be written."""
    return sum(section.size for obj in of_64_bits(objects) for section in read_sections(obj)
               if section.flags & SHF_WRITE)


def pack(kind, parts, meta, sealed=False):
    """A binary. `parts` are the bytes of .source, .llvmir and .text, None for what is left out; .text gets a seal if it
    is to be `sealed`; `meta` goes to .comment with our marks."""
    sections = {name: part for name, part in zip(SECTIONS, parts, strict=False) if part is not None}
    meta = {"format": FORMAT, "abi": ABI_VERSION, "kind": kind, **meta}
    if sealed:
        sections[".text"] += seal(sections.get(".llvmir", b""), meta)
    meta["checksum"] = checksum(sections, meta)
    sections[".comment"] = notation.dumps(meta, sort_keys=True).encode()
    return write_elf(sections)


def seal(ir, meta):
    """What the machine code says of the bitcode it was made from and of the metadata that describes it."""
    state = hashlib.blake2b(digest_size=SEAL_BYTES)
    state.update(len(ir).to_bytes(8, "little"))
    state.update(ir)
    state.update(notation.dumps({k: v for k, v in meta.items() if k not in UNSEALED}, sort_keys=True).encode())
    return state.digest()


def sealed_code(sections, meta):
    """The machine code without its seal; ValueError where bitcode or metadata do not belong to it."""
    code, mark = sections[".text"][:-SEAL_BYTES], sections[".text"][-SEAL_BYTES:]
    if mark != seal(sections[".llvmir"], meta):
        raise ValueError("the metadata or the bitcode do not belong to the machine code")
    return code


def checksum(sections, meta):
    state = hashlib.blake2b(digest_size=16)
    for name in SECTIONS[:3]:
        part = sections.get(name, b"")
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    state.update(notation.dumps({k: v for k, v in meta.items() if k != "checksum"}, sort_keys=True).encode())
    return state.hexdigest()


def unpack(blob):
    """(kind, {section: bytes}, meta) of a binary of ours; CLError(CL_INVALID_BINARY) for anything else.

    Its machine code is for the ABI version meta["abi"]."""
    try:
        found = {s.name: bytes(s.data) for s in read_sections(blob) if s.name in SECTIONS}
        if ".comment" not in found:
            raise ValueError("there is no .comment")
        found = dict.fromkeys(SECTIONS, b"") | found
        meta = notation.loads(found.pop(".comment"))
        if not isinstance(meta, dict) or meta.get("format") not in (FORMAT, *OLD_FORMATS):
            raise ValueError("not made by this version of clpy")
        if meta.get("checksum") != checksum(found, meta):
            raise ValueError("the checksum is wrong")
        if type(meta.get("kind")) is not int or meta["kind"] not in (OBJECT, LIBRARY, EXECUTABLE):
            raise ValueError("of an unknown kind")
    except (ValueError, struct.error, RecursionError) as why:
        raise CLError(CL_INVALID_BINARY, str(why)) from None
    return meta["kind"], found, meta
