# SPDX-License-Identifier: Apache-2.0
"""What follows from the properties.txt of vendors' extensions: for contexts, queues, memory objects, kernels and ways
to divide a device what asks an extension whether it takes a property that the core does not have. The list itself is
kept with the object. A property of contexts may also bring devices to those that are made from a type. Flags of buffers
and of queues are asked about the same way, each that is set."""

KINDS = {   # parameters of the functions, the last one the name is compared with; the error where nobody takes it
    "context": ("cl_ulong name, cl_ulong value, context_notify_fn notify", "CL_INVALID_PROPERTY"),
    "queue": ("const Device *dev, const cl_ulong *list, cl_ulong name, cl_ulong value", "CL_INVALID_VALUE"),
    "memory": ("cl_ulong name, cl_ulong value", "CL_INVALID_PROPERTY"),
    "partition": ("const Device *dev, cl_ulong name", "CL_INVALID_VALUE"),
    "kernel": ("Kernel *kernel, cl_ulong name, size_t size, const void *value", "CL_INVALID_VALUE"),
}
FLAGS = {   # of what has flags: parameters, of which `flags` is compared; what the file imports besides
    "buffer": ("const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr",
               ["from clpy.core.context cimport Context", "from clpy.core.memory cimport Store"]),
    "queue": ("Queue *queue, cl_ulong flags", ["from clpy.core.command cimport Queue"]),
}

STORE = "Context *ctx, cl_ulong flags, size_t size, const void *host_ptr, Store **out"
DEVICES = "cl_ulong name, cl_ulong value, cl_device_type type, Device **found, cl_uint *n"


def part(kind, rows, enums):
    """The text of a .pxi."""
    params, error = KINDS[kind]
    rows = [row for row in rows if row.kind == kind]
    imports, body = asking([(row, row.check) for row in rows], names_of(params), enums)
    text = [f"cdef cl_int other_{kind}_property({params}) noexcept nogil:", *body, f"    return {error}"]
    if kind == "context":
        more, body = asking([(row, row.more) for row in rows if row.more],
                            names_of(DEVICES).removeprefix("name, "), enums)
        imports = ["from clpy.cl cimport cl_device_type, cl_uint, context_notify_fn",
                   "from clpy.device.base cimport Device", "from clpy.spec.consts cimport CL_SUCCESS", *imports, *more]
        text += ["", "", f"cdef cl_int other_context_devices({DEVICES}) noexcept nogil:", *body,
                 "    return CL_SUCCESS"]
    return "\n".join(["# Made by generate.py from properties.txt of vendors' extensions.",
                      "from clpy.cl cimport cl_int, cl_ulong", f"from clpy.spec.consts cimport {error}", *imports,
                      "", "", *text]) + "\n"


def flags_part(kind, rows, enums):
    """The text of buffer_flags.pxi: OTHER_BUFFER_FLAGS, and what asks about those that are set. Likewise of queues."""
    params, more = FLAGS[kind]
    rows = [row for row in rows if row.kind == f"{kind}_flag"]
    bits, body = [], []
    for row in rows:
        bits.append(f"OTHER_{kind.upper()}_FLAGS |= <cl_ulong>{enums[row.enum]:#x}")
        body += [f"    if err == CL_SUCCESS and flags & <cl_ulong>{enums[row.enum]:#x}:",
                 f"        err = {own_name(row, row.check)}({names_of(params)})"]
    stores, store = stores_part(rows, enums) if kind == "buffer" else ([], [])
    return "\n".join(["# Made by generate.py from properties.txt of vendors' extensions.",
                      "from clpy.cl cimport cl_int, cl_ulong", *more,
                      "from clpy.spec.consts cimport CL_SUCCESS", *[imported(row, row.check) for row in rows],
                      *[imported(row, row.more) for row in rows if row.more], "",
                      f"cdef cl_ulong OTHER_{kind.upper()}_FLAGS = 0", *bits, *stores, "", "",
                      f"cdef cl_int other_{kind}_flags({params}) noexcept nogil:",
                      "    cdef cl_int err = CL_SUCCESS", *body, "    return err", *store]) + "\n"


def stores_part(rows, enums):
    """(lines of OTHER_BUFFER_STORES, the flags that bring a store; lines of what makes it)."""
    bits, body = ["cdef cl_ulong OTHER_BUFFER_STORES = 0"], []
    for row in rows:
        if row.more:
            bits.append(f"OTHER_BUFFER_STORES |= <cl_ulong>{enums[row.enum]:#x}")
            body += [f"    if flags & <cl_ulong>{enums[row.enum]:#x}:",
                     f"        return {own_name(row, row.more)}({names_of(STORE)})"]
    return bits, ["", "", f"cdef cl_int other_buffer_store({STORE}) noexcept nogil:", *body, "    return CL_SUCCESS"]


def own_name(row, function):
    """What a function of an extension is called where it is asked."""
    return f"{row.package.removeprefix('clpy.vendor_ext.')}.{function}".replace(".", "_")


def imported(row, function):
    module, _, name = function.rpartition(".")
    return f"from {row.package}.{module} cimport {name} as {own_name(row, function)}"


def names_of(params):
    return ", ".join(param.split()[-1].lstrip("*") for param in params.split(","))


def asking(rows, names, enums):
    """(imports, lines) that call the function of each (row, "module.function") for its property."""
    imports, body = [], []
    for row, function in rows:
        imports.append(imported(row, function))
        body += [f"    if name == {enums[row.enum]:#x}:", f"        return {own_name(row, function)}({names})"]
    return imports, body


def parts(rows, enums):
    """File name -> text."""
    return {**{f"{kind}.pxi": part(kind, rows, enums) for kind in KINDS},
            **{f"{kind}_flags.pxi": flags_part(kind, rows, enums) for kind in FLAGS}}
