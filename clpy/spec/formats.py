# SPDX-License-Identifier: Apache-2.0
"""What follows from the formats.txt of vendors' extensions, for clpy/core: rows of the table of image formats, and
flags of memory objects by what they mean; and from their pixels.h, for the OpenCL C library: how kernels read them."""
import re

FLAGS = {"no_access": "MEM_NO_ACCESS", "unrestricted": "MEM_UNRESTRICTED", "not_read": "MEM_NOT_READ",
         "no_parts": "MEM_NO_PARTS", "visible": "MEM_VISIBLE"}
USES = {"read": "FORMAT_READ", "write": "FORMAT_WRITE", "read_write": "FORMAT_READ_WRITE"}
SETS = {"cpu": "FORMATS_CPU", "intel_gpu": "FORMATS_INTEL_GPU"}     # by what devices need to list such an extension
READERS = ("READ_F", "READ_UI")
MADE_BY = "Made by generate.py from formats.txt of vendors' extensions."


def format_line(row, enums):
    """(import or None, the line that adds a format)."""
    type_, group, step, uses, fill = row.cells
    pack, imported = "NULL", None
    if fill != "-":
        module, _, name = fill.rpartition(".")
        pack = f"{row.package.removeprefix('clpy.vendor_ext.')}.{fill}".replace(".", "_")
        imported = f"from {row.package}.{module} cimport {name} as {pack}"
    cells = [f"{enums[row.enum]:#x}", f"{enums[type_]:#x}", *group.split(),
             " | ".join(USES[use] for use in uses.split()),
             " | ".join(SETS[need] for need in row.needs if need in SETS), step, pack]
    return imported, f"    row = add_other({', '.join(cells)})"


def image_formats(rows, enums):
    """The text of image_formats.pxi."""
    made = [format_line(row, enums) if row.kind == "format" else
            (None, f"    add_plane(row, {enums[row.enum]:#x}, {row.cells[0]})")
            for row in rows if row.kind != "flag"]
    return "\n".join([f"# {MADE_BY}", f"from clpy.device.base cimport {', '.join(SETS.values())}",
                      *(imported for imported, _ in made if imported), "", "", "cdef int add_others() except -1:",
                      "    cdef ImageFormat *row", *(line for _, line in made), "    return 0"]) + "\n"


def memory_flags(rows, enums):
    """The text of memory_flags.pxi."""
    out = [f"# {MADE_BY}", "cdef extern from *:", '    """']
    for word, name in FLAGS.items():
        bits = [f"        | {enums[row.enum]:#x} \\\\" for row in rows if row.kind == "flag" and row.cells[0] == word]
        out += [f"    #define clpy_{name} (0ULL \\\\", *bits, "        | 0)"]
    # In place of MEM_VISIBLE, whose number is another flag's for other devices: context_has_visible_memory.
    out += ["    #define clpy_MEM_IS_VISIBLE (1ULL << 62)", '    """']
    names = (*FLAGS.values(), "MEM_IS_VISIBLE")
    out += [f'    const unsigned long long {name} "clpy_{name}"' for name in names]
    return "\n".join(out) + "\n"


def pixels_h(files):
    """vendor_pixels.h of the paths of all pixels.h."""
    out = ["/* SPDX-License-Identifier: Apache-2.0", " * Made by generate.py from pixels.h of vendors' extensions. */",
           *(f'#include "../../../{"/".join(path.parts[-4:])}"' for path in files)]
    for reader in READERS:
        names = [name for path in files for name in re.findall(rf"#define (\w+_{reader})\(M\)", path.read_text())]
        out += ["", f"#define VENDOR_{reader}(M) \\", *(f"    {name}(M) \\" for name in names)]
    return "\n".join(out) + "\n\n"


def parts(rows, enums):
    """File name -> text."""
    return {"image_formats.pxi": image_formats(rows, enums), "memory_flags.pxi": memory_flags(rows, enums)}
