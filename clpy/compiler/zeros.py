# SPDX-License-Identifier: Apache-2.0
"""Large constants that end in zeros (passes/zero_tails.py) get their places when the code is loaded. An object calls
for one by a name that says how many bytes it has; a section of another such name has what it begins with."""
from clpy.compiler import binary

PREFIX = "__clpy_zeros."
HEADS = ".clpy.head."


def name_of(size, digest):
    return f"{PREFIX}{size}.{digest}"


def section_of(name):
    """The section with what the constant begins with: assemblers take a section's name for a symbol, too."""
    return HEADS + name.removeprefix(PREFIX)


def places(loaded, names, objects):
    """{name: address} of those of the undefined `names` of the objects that are such constants; `loaded` keeps them.
    MemoryError where there is no room."""
    wanted = {name for name in names if name.startswith(PREFIX)}
    if not wanted:
        return {}
    from clpy.llvm.zeros import Zeros
    heads = {section.name: section.data for each in objects for section in binary.read_sections(each)
             if section.name.startswith(HEADS)}
    found = {name: Zeros(size_of(name), bytes(heads.get(section_of(name), b""))) for name in wanted}
    loaded.kept += found.values()
    return {name: constant.address for name, constant in found.items()}


def size_of(name):
    """0 for a name that this version does not make."""
    size = name.removeprefix(PREFIX).partition(".")[0]
    return int(size) if size.isdecimal() and len(size) < 19 else 0
