# SPDX-License-Identifier: Apache-2.0
"""Programs that are built with -g: a debugger is told what their machine code comes from. It gets the object files,
whose sections say where they lie in memory, and finds lines and variables in them."""
from clpy.compiler.binary import HEADER, SECTION, SHF_ALLOC, SYMBOL, SYMTAB, read_sections, string_at


def placed(blob, addresses):
    """The object file as it lies in memory, where its functions have these addresses. Sections that none of them is in
    are none of the memory's."""
    out = bytearray(blob)
    sections = read_sections(blob)
    bases = {}
    for symbols in sections:
        if symbols.kind == SYMTAB:
            strings = sections[symbols.link].data
            for name, _, _, section, value, _ in SYMBOL.iter_unpack(symbols.data):
                if address := addresses.get(string_at(strings, name)):
                    bases[section] = address - value
    table = HEADER.unpack_from(blob)[9]
    for number in range(len(sections)):
        at = table + number * SECTION.size
        row = list(SECTION.unpack_from(out, at))
        if number in bases:
            row[3] = bases[number]
        else:
            row[2] &= ~SHF_ALLOC
        SECTION.pack_into(out, at, *row)
    return bytes(out)


def show(loaded, objects, addresses):
    """Tell a debugger of the objects, for as long as `loaded` exists."""
    from clpy.llvm.debugger import Shown
    loaded.shown = [Shown(placed(blob, addresses)) for blob in objects]
