# SPDX-License-Identifier: Apache-2.0
"""Makes the files that follow from the tables of this folder. Run by setup.py before Cython.

Output (none of it in git): spec/consts.pxd (enumerants for Cython), spec/names.py (their names, for messages and
tools), api/entries.pyx (the C functions of the API and the dispatch table), api/queries/*.pxi and spec/query_types.py
(what finds the answers to queries).
"""
import re
import sys
from pathlib import Path

if __name__ == "__main__":      # run as a file, before there is a package to import
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from clpy.spec import queries
from clpy.spec.entries import entries_pyx
from clpy.spec.tables import HERE, read_api, read_enums, read_queries

API = HERE.parent / "api"


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
    folder.mkdir(exist_ok=True)
    for stale in {path.name for path in folder.iterdir()} - set(texts):
        (folder / stale).unlink()
    for name, text in texts.items():
        write_if_changed(folder / name, text)


def main():
    enums, api = read_enums(), read_api()
    write_if_changed(HERE / "consts.pxd", consts_pxd(enums))
    write_if_changed(HERE / "names.py", names_py(enums))
    write_if_changed(API / "entries.pyx", entries_pyx(api))
    write_all(API / "queries", queries.parts(api))
    write_if_changed(HERE / "query_types.py", queries.types_py(read_queries(), dict(enums)))


if __name__ == "__main__":
    main()
