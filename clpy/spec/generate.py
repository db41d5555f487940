# SPDX-License-Identifier: Apache-2.0
"""Makes the files that follow from the tables of this folder. Run by setup.py before Cython.

Output (none of it in git): spec/consts.pxd (enumerants for Cython), spec/names.py (their names, for messages and
tools), api/entries.pyx (the C functions of the API and the dispatch table), api/queries/*.pxi and spec/query_types.py
(what finds the answers to queries), api/properties/*.pxi (properties of vendors' extensions), core/of_vendors/*.pxi
and compiler/builtins/vendor_pixels.h (their image formats and built-in kernels), spec/extension_table.py (the
extensions); and, in git, the table of them in docs/extensions.md. Tables of the same names in the folders below
vendor_ext are read too.
"""
import re
import sys
from pathlib import Path

if __name__ == "__main__":      # run as a file, before there is a package to import
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from clpy.spec import built_in, extensions, formats, properties, queries
from clpy.spec.entries import entries_pyx
from clpy.spec.tables import (
    HERE,
    everywhere,
    read_api,
    read_built_in,
    read_enums,
    read_extensions,
    read_formats,
    read_options,
    read_properties,
    read_queries,
    read_spirv,
    vendor_folders,
)

API = HERE.parent / "api"
BUILTINS = HERE.parent / "compiler" / "builtins"
PAGE = HERE.parents[1] / "docs" / "extensions.md"


def write_if_changed(path, text):
    """Leave the time stamp alone when nothing changed, so that nothing is rebuilt."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def consts_pxd(rows):
    """Enumerants as C literals: an enum would force them all to one type."""
    out = ["# Made by generate.py from enums.txt.", "", "cdef extern from *:", '    """']
    for name, value in rows:
        literal = f"{value}" if -2**31 <= value < 2**31 else f"{value:#x}ULL"
        out.append(f"    #define clpy_{name} ({literal})")
    out.append('    """')
    for name, value in rows:
        ctype = "int" if -2**31 <= value < 2**31 else "unsigned long long"
        out.append(f'    const {ctype} {name} "clpy_{name}"')
    return "\n".join(out) + "\n"


def names_py(rows):
    """Values by name for Python code, and names of error codes."""
    errors = {}
    for name, value in rows:
        if name == "CL_SUCCESS" or (value < 0 and not re.match("CL_BUILD_(NONE|ERROR|IN_PROGRESS)", name)):
            errors.setdefault(value, name)
    out = ["# Made by generate.py from enums.txt.",
           '"""Names of enumerants, for messages and tools. Not imported on the way to the first call."""', "",
           "ERRORS = {"]
    out += [f'    {value}: "{name}",' for value, name in errors.items()]
    out += ["}", "", "VALUES = {"]
    out += [f'    "{name}": {value},' for name, value in rows]
    out += ["}", "", "",
            "def error_name(code):", '    """CL_INVALID_VALUE for -30; the number itself where there is no name."""',
            '    return ERRORS.get(code, f"error {code}")']
    return "\n".join(out) + "\n"


def write_all(folder, texts):
    """Exactly these files in a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    for stale in {path.name for path in folder.iterdir()} - set(texts):
        (folder / stale).unlink()
    for name, text in texts.items():
        write_if_changed(folder / name, text)


def of_vendors(read):
    """Rows of a table that only vendors' extensions have."""
    return [row for folder in vendor_folders() for row in read(folder)]


def texts():
    """What is made, but for the parts in api/queries: path -> text."""
    enums, api, rows = everywhere(read_enums), everywhere(read_api), everywhere(read_extensions)
    asked = everywhere(read_queries)
    # those of vendors as numbers: with each of them all modules would be made anew
    made = {HERE / "consts.pxd": consts_pxd(read_enums()), HERE / "names.py": names_py(enums),
            HERE / "query_types.py": queries.types_py(asked, dict(enums)),
            HERE / "extension_table.py": extensions.table_py(rows, of_vendors(read_options),
                                                                        of_vendors(read_spirv),
                                                                        of_vendors(read_built_in)),
            API / "entries.pyx": entries_pyx(api)}
    if PAGE.exists():       # not where only the package is
        page = PAGE.read_text()
        made[PAGE] = extensions.with_table(page, extensions.page_table(rows, api, asked, page))
    return made


def main():
    for path, text in texts().items():
        write_if_changed(path, text)
    enums = dict(everywhere(read_enums))
    write_all(API / "queries", queries.parts(everywhere(read_api), enums))
    write_all(API / "properties", properties.parts(of_vendors(read_properties), enums))
    write_all(HERE.parent / "core" / "of_vendors", {**formats.parts(of_vendors(read_formats), enums),
                                                    "built_in.pxi": built_in.part(of_vendors(read_built_in))})
    pixels = [folder / "pixels.h" for folder in vendor_folders() if (folder / "pixels.h").exists()]
    BUILTINS.mkdir(exist_ok=True, parents=True)
    write_if_changed(BUILTINS / "vendor_pixels.h", formats.pixels_h(pixels))


if __name__ == "__main__":
    main()
