# SPDX-License-Identifier: Apache-2.0
"""Which line of the source machine code comes from: the line programs of DWARF 4 and 5 in .debug_line.

Columns, statements and discriminators are passed over. Input may be hostile: ValueError, nothing else.
"""
from typing import NamedTuple

# Standard opcodes, and those behind a zero byte.
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
END_SEQUENCE, SET_ADDRESS = 1, 2
# Forms in the tables of files, and what the tables say.
STRING, DATA1, DATA16, LINE_STRP, STRP, UDATA = 0x08, 0x0B, 0x1E, 0x1F, 0x0E, 0x0F
PATH = 1
SOURCE = "<source>"         # as the front end calls it
MAX_ROWS, MAX_NAME = 1 << 22, 1 << 12


class Row(NamedTuple):
    offset: int
    file: str       # "" for the source itself, else the name of a header
    line: int       # 0: the compiler's own, or behind the end of a function


def read(section, strings):
    """The Rows of a section .debug_line, relocated, by offset; `strings` is .debug_line_str. Tables of version 4 do not
    tell which file is the source: it is called so."""
    reader, rows = Reader(section), []
    while reader.at < len(section):
        size = reader.number(4)
        if size >= 0xFFFFFFF0:
            raise ValueError("line tables of 64-bit DWARF")
        rows += unit(Reader(reader.take(size)), strings, MAX_ROWS - len(rows))
    return sorted(rows, key=lambda row: row.offset)


class Reader:
    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0

    def take(self, size):
        part = self.data[self.at:self.at + size]
        if len(part) != size:
            raise ValueError("line tables end too soon")
        self.at += size
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def uleb(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a number without an end")

    def sleb(self):
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if self.data[self.at - 1] & 64 else value

    def text(self):
        end = self.data.find(0, self.at)
        if end < 0:
            raise ValueError("a name without an end")
        return self.take(end + 1 - self.at)[:-1]


def unit(reader, strings, most):
    """Rows of one unit's program."""
    version = reader.number(2)
    if version not in (4, 5):
        raise ValueError("line tables of another version of DWARF")
    if version == 5:
        reader.take(2)                          # sizes of addresses and of segment selectors
    header = Reader(reader.take(reader.number(4)))
    step = header.number(1)
    header.take(2)                              # operations of an instruction, whether rows begin statements
    base, span, opcodes = header.number(1), header.number(1), header.number(1)
    base -= (base & 128) << 1
    lengths = header.take(max(opcodes, 1) - 1)
    if not span or len(lengths) < FIXED_ADVANCE_PC:
        raise ValueError("line tables of an unknown kind")
    files = older_files(header) if version == 4 else newer_files(header, strings)
    if not files:
        raise ValueError("line tables of no file")
    return run(reader, files, (step, base, span, lengths), most)


def older_files(header):
    """Names of files, whose numbers begin with 1, and of the source before them."""
    folders, names = [""], []
    while folder := header.text():
        folders.append(folder.decode("utf-8", "replace") + "/")
    while name := header.text():
        folder = header.uleb()
        header.uleb(), header.uleb()            # its time and size
        if folder >= len(folders):
            raise ValueError("a file in no folder")
        names.append(folders[folder] + name.decode("utf-8", "replace"))
    return [SOURCE, *names]


def newer_files(header, strings):
    table(header, strings)                      # folders
    return table(header, strings)


def table(header, strings):
    """Names of a table of folders or of files."""
    forms = [(header.uleb(), header.uleb()) for _ in range(header.number(1))]
    names, count = [], header.uleb()
    if not forms and count:
        raise ValueError("names of nothing")
    for _ in range(count):
        name = ""
        for what, form in forms:
            value = field(header, form, strings)
            if what == PATH:
                name = value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
        names.append(name)
    return names


def field(header, form, strings):
    if form == STRING:
        return header.text()
    if form == LINE_STRP:
        start = header.number(4)
        end = strings.find(0, start, start + MAX_NAME)
        if end < 0:
            raise ValueError("a name without an end")
        return strings[start:end]
    if form == UDATA:
        return header.uleb()
    sizes = {STRP: 4, DATA1: 1, DATA16: 16}
    if form not in sizes:
        raise ValueError(f"line tables with the unknown form {form:#x}")
    return header.number(sizes[form])


def run(reader, files, numbers, most):
    """The program's rows; `numbers`: bytes of an instruction, and how special opcodes are made."""
    step, base, span, lengths = numbers
    rows, address, file, line = [], 0, 1, 1
    advance = (255 - len(lengths) - 1) // span * step

    def emit(ended=False):
        if len(rows) >= most:
            raise ValueError("too many lines")
        name = files[file] if file < len(files) and not ended else files[0]
        rows.append(Row(address, "" if name == files[0] else name, 0 if ended else line))

    while reader.at < len(reader.data):
        opcode = reader.number(1)
        if opcode > len(lengths):
            opcode -= len(lengths) + 1
            address += opcode // span * step
            line += base + opcode % span
            emit()
        elif opcode == 0:
            body = Reader(reader.take(reader.uleb()))
            kind = body.number(1)
            if kind == SET_ADDRESS:
                address = body.number(min(len(body.data) - 1, 8))
            elif kind == END_SEQUENCE:
                emit(ended=True)
                address, file, line = 0, 1, 1
        elif opcode == COPY:
            emit()
        elif opcode == ADVANCE_PC:
            address += reader.uleb() * step
        elif opcode == ADVANCE_LINE:
            line += reader.sleb()
        elif opcode == SET_FILE:
            file = reader.uleb()
        elif opcode == CONST_ADD_PC:
            address += advance
        elif opcode == FIXED_ADVANCE_PC:
            address += reader.number(2)
        else:
            for _ in range(lengths[opcode - 1]):
                reader.uleb()
    return rows
