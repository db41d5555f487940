# SPDX-License-Identifier: Apache-2.0
"""What follows from the kernels.txt of vendors' extensions: which functions make the data of arguments of their
built-in kernels, and check and shape their launches."""
from clpy.spec.properties import imported, own_name


def part(rows):
    """The text of built_in.pxi."""
    imports, body = [], []
    for row in rows:
        if row.function == "-":
            continue
        imports.append(imported(row, row.function))
        name = own_name(row, row.function)
        if row.kind == "argument":
            body.append(f'    has_argument(kernel, b"{row.kernel}", b"{row.cell}", {name})')
        else:
            body.append(f'    {"has_shape" if row.kind == "kernel" else "has_most"}(kernel, b"{row.kernel}", {name})')
    return "\n".join(["# Made by generate.py from kernels.txt of vendors' extensions.", *dict.fromkeys(imports), "", "",
                      "cdef void of_vendors(KernelCode *kernel) noexcept nogil:", *body, "    pass"]) + "\n"
