# SPDX-License-Identifier: Apache-2.0
"""What follows from the properties.txt of vendors' extensions: for contexts, queues, memory objects and kernels what
asks an extension whether it takes a property that the core does not have. The list itself is kept with the object."""

KINDS = {   # parameters of the functions, the last one the name is compared with; the error where nobody takes it
    "context": ("cl_ulong name, cl_ulong value", "CL_INVALID_PROPERTY"),
    "queue": ("const Device *dev, cl_ulong name, cl_ulong value", "CL_INVALID_VALUE"),
    "memory": ("cl_ulong name, cl_ulong value", "CL_INVALID_PROPERTY"),
    "kernel": ("Kernel *kernel, cl_ulong name, size_t size, const void *value", "CL_INVALID_VALUE"),
}


def part(kind, rows, enums):
    """The text of a .pxi."""
    params, error = KINDS[kind]
    names = ", ".join(param.split()[-1].lstrip("*") for param in params.split(","))
    rows = [row for row in rows if row.kind == kind]
    own = {row: f"{row.package.removeprefix('clpy.vendor_ext.')}.{row.check}".replace(".", "_") for row in rows}
    imports = [f"from {row.package}.{row.check.rpartition('.')[0]} cimport {row.check.rpartition('.')[2]} as {own[row]}"
               for row in rows]
    body = [line for row in rows for line in (f"    if name == {enums[row.enum]:#x}:",
                                              f"        return {own[row]}({names})")]
    return "\n".join(["# Made by generate.py from properties.txt of vendors' extensions.",
                      "from clpy.cl cimport cl_int, cl_ulong", f"from clpy.spec.consts cimport {error}", *imports,
                      "", "",
                      f"cdef cl_int other_{kind}_property({params}) noexcept nogil:", *body,
                      f"    return {error}"]) + "\n"


def parts(rows, enums):
    """File name -> text."""
    return {f"{kind}.pxi": part(kind, rows, enums) for kind in KINDS}
