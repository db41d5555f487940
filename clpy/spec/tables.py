# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of this folder, and those of the same names in the folders of vendors' extensions."""
import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent

# Bytes of a value; 8 of any other type: handles, pointers, sizes and bit fields.
SIZES = {"char": 1, "unsigned char": 1, "cl_uchar": 1, "cl_bool": 4, "cl_uint": 4, "cl_int": 4, "cl_version": 4,
         "cl_float": 4, "cl_build_status": 4, "cl_command_type": 4, "cl_name_version": 68, "cl_image_format": 8,
         "cl_mem_object_type": 4, "cl_addressing_mode": 4, "cl_filter_mode": 4, "cl_device_mem_cache_type": 4,
         "cl_device_local_mem_type": 4, "cl_program_binary_type": 4, "cl_kernel_arg_address_qualifier": 4,
         "cl_kernel_arg_access_qualifier": 4, "cl_device_integer_dot_product_acceleration_properties": 24}


class Row(NamedTuple):
    """One function of api.txt."""

    name: str
    version: str        # "1.0" ... "3.1", "ext" (extension with a slot) or "khr" (extension without)
    status: str         # "done", "absent", or "refuses CODE"
    gil: bool
    python: bool        # and the handler runs Python code: on a thread that signal handlers do not interrupt
    waits: bool         # the handler gets a Wait for the end of the call
    writes_error: bool  # a python row whose handler gets errcode_ret: it may return an object and an error
    handler: str        # "module.function", or "object_retain KIND_MEM" and the like
    returns: str
    params: list        # [(C type, name)]

    @property
    def has_slot(self):
        """Is it in the ICD dispatch table?"""
        return self.version not in ("3.1", "khr")

    @property
    def is_extension(self):
        return self.version in ("ext", "khr")

    @property
    def counts(self):
        """Does it no more than count a reference?"""
        return self.handler.startswith(("object_retain ", "object_release "))

    @property
    def refusal(self):
        return self.status.removeprefix("refuses ") if self.status.startswith("refuses ") else None


class Query(NamedTuple):
    """One row of queries.txt."""

    function: str
    version: str        # of the core, or the name of an extension
    enum: str           # or a number that has no name
    type: str
    answer: str

    @property
    def element(self):
        """Type of one value: "cl_uint" of cl_uint[] and cl_uint[3]."""
        return self.type.partition("[")[0]

    @property
    def count(self):
        """Values there are: a number, "" where that differs; None: it is one value and no array."""
        return re.search(r"\[(\d*)\]", self.type)[1] if "[" in self.type else None

    @property
    def element_size(self):
        return SIZES.get(self.element, 8)

    @property
    def in_python(self):
        return self.answer in ("device", "shared")


class Subject(NamedTuple):
    """One function of queries.txt: what its answers are made from."""

    function: str
    params: str
    uses: list          # functions of other modules, with their modules


def rows_of(name, folder=None):
    """(line number, cells) of a table."""
    path = (folder or HERE) / name
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        if line and not line.startswith("#"):
            yield number, [cell.strip() for cell in line.split("|")]


def read_enums(folder=None):
    """Rows (name, value) of enums.txt, in order."""
    rows = [cells[0].split() for _, cells in rows_of("enums.txt", folder)]
    return [(name, int(value, 0)) for name, value in rows]


def read_api(folder=None):
    """Rows of api.txt, in order."""
    rows = []
    for number, cells in rows_of("api.txt", folder):
        try:
            name, version, status, gil, handler, signature = cells
            returns, params = re.fullmatch(r"(.*?) ?\((.*)\)", signature).groups()
            params = [re.fullmatch(r"(.*?)(\w+)", p.strip()).groups() for p in params.split(",") if p.strip()]
        except (ValueError, AttributeError):
            raise wrong("api.txt", number, "not a row of the table", cells) from None
        if gil not in ("gil", "python", "python err", "nogil", "wait") or \
                not re.fullmatch(r"done|absent|refuses \w+", status):
            raise wrong("api.txt", number, "status or gil column is wrong", cells)
        rows.append(Row(name, version, status, gil.startswith(("gil", "python")), gil.startswith("python"),
                        gil == "wait", gil == "python err", handler, returns,
                        [(t.strip(), n) for t, n in params]))
    return rows


def read_errors(folder=None):
    """errors.txt: function -> the codes it may return, by name."""
    return {cells[0]: cells[1].split() for _, cells in rows_of("errors.txt", folder)}


def read_queries(folder=None):
    """Rows of queries.txt, in order."""
    queries = []
    for number, cells in rows_of("queries.txt", folder):
        if cells[0].startswith("@"):
            continue
        if len(cells) != 5 or not re.fullmatch(r"[\w *]+(\[\d*\])?", cells[3]) or not cells[4]:
            raise wrong("queries.txt", number, "not a row of the table", cells)
        queries.append(Query(*cells))
    return queries


def read_subjects():
    """Function -> its Subject."""
    found = {}
    for number, cells in rows_of("queries.txt"):
        if cells[0].startswith("@"):
            function, params, uses = [*cells, "", ""][:3]
            function = function.removeprefix("@").strip()
            found[function] = Subject(function, params, [use.strip() for use in uses.split(",") if use.strip()])
        elif cells[0] not in found:
            raise wrong("queries.txt", number, "a row before the line of its function", cells)
    return found


def wrong(name, number, why, cells):
    return SystemExit(f"clpy/spec/{name}:{number}: {why}: {' | '.join(cells)}")
