# SPDX-License-Identifier: Apache-2.0
"""Makes the files that follow from the tables of this folder. Run by setup.py before Cython.

Output (none of it in git): spec/consts.pxd (enumerants for Cython).
"""
from pathlib import Path

HERE = Path(__file__).parent


def read_enums():
    """Rows (name, value) of enums.txt, in order."""
    rows = []
    for line in (HERE / "enums.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, value = line.split()
            rows.append((name, int(value, 0)))
    return rows


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


def main():
    write_if_changed(HERE / "consts.pxd", consts_pxd(read_enums()))


if __name__ == "__main__":
    main()
