# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of this folder, and those of the same names in the folders of vendors' extensions."""
import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
VENDORS = HERE.parents[1] / "vendor_ext"        # a folder of theirs for each vendor, and in it one for each extension

# Bytes of a value; 8 of any other type: handles, pointers, sizes and bit fields.
SIZES = {"char": 1, "unsigned char": 1, "cl_uchar": 1, "cl_bool": 4, "cl_uint": 4, "cl_int": 4, "cl_version": 4,
         "cl_float": 4, "cl_build_status": 4, "cl_command_type": 4, "cl_name_version": 68, "cl_image_format": 8,
         "cl_mem_object_type": 4, "cl_addressing_mode": 4, "cl_filter_mode": 4, "cl_device_mem_cache_type": 4,
         "cl_device_local_mem_type": 4, "cl_program_binary_type": 4, "cl_kernel_arg_address_qualifier": 4,
         "cl_kernel_arg_access_qualifier": 4, "cl_device_integer_dot_product_acceleration_properties": 24}


class Row(NamedTuple):
    """One function of api.txt."""

    name: str
    version: str        # "1.0" ... "3.1", or the name of an extension, with " slot" behind it where it has one
    status: str         # "done", "absent", or "refuses CODE"
    gil: bool
    python: bool        # and the handler runs Python code: on a thread that signal handlers do not interrupt
    waits: bool         # the handler gets a Wait for the end of the call
    writes_error: bool  # a python row whose handler gets errcode_ret: it may return an object and an error
    handler: str        # "module.function", or "object_retain KIND_MEM" and the like
    returns: str
    params: list        # [(C type, name)]
    package: str = "clpy.api"    # that has the handler's module

    @property
    def has_slot(self):
        """Is it in the ICD dispatch table?"""
        return self.version.endswith(" slot") if self.extension else self.version != "3.1"

    @property
    def extension(self):
        """Its name, "" of a function of the core."""
        return self.version.removesuffix(" slot") if self.version.startswith("cl_") else ""

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
    package: str = ""   # of a vendor's extension: that has the module of the answer

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


class Extension(NamedTuple):
    """One row of extensions.txt."""

    name: str
    version: tuple
    level: list         # "platform", "device"
    needs: list         # one of them; empty: nothing
    features: list
    package: str = ""   # of a vendor's: its folder, as a package

    @property
    def folder(self):
        return HERE.parents[1].joinpath(*self.package.split("."))

    def brings(self, file):
        return bool(self.package) and (self.folder / file).exists()


class Property(NamedTuple):
    """One row of a properties.txt."""

    kind: str           # "context", "queue", "memory", "kernel", "partition", "buffer_flag" or "queue_flag"
    extension: str
    enum: str
    check: str          # "module.function"
    package: str
    more: str = ""      # "module.function" that adds devices to contexts of a type, or makes a buffer's store


class Format(NamedTuple):
    """One row of a formats.txt, of its kind."""

    kind: str           # "format", "plane" or "flag"
    extension: str
    enum: str           # order of a format or of an image of its plane; a flag of memory objects
    cells: list         # what follows: see vendor_ext/README.md
    package: str
    needs: list         # of the extension


class BuiltIn(NamedTuple):
    """One row of a kernels.txt, of its kind."""

    kind: str           # "kernel", "argument" or "range"
    extension: str
    kernel: str
    cell: str           # files of a kernel's source, name of an argument
    function: str       # "module.function", "-" for none
    package: str


class Option(NamedTuple):
    """One row of an options.txt."""

    text: str
    extension: str
    stages: list        # "build", "compile"
    arguments: list     # that Clang gets for it


def vendor_folders():
    """Of the extensions below vendor_ext, in order."""
    return sorted(path.parent for path in VENDORS.glob("*/*/extensions.txt"))


def package_of(folder):
    """clpy.vendor_ext.amd.media_ops"""
    return ".".join(("clpy.vendor_ext", *folder.parts[-2:])) if folder else ""


def everywhere(read):
    """Rows of a table here and in all folders of vendors."""
    return [row for folder in (None, *vendor_folders()) for row in read(folder)]


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
                        [(t.strip(), n) for t, n in params], package_of(folder) or "clpy.api"))
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
        queries.append(Query(*cells, package_of(folder)))
    return queries


def read_subjects():
    """Function -> its Subject."""
    found = {}
    for number, cells in everywhere(lambda folder: rows_of("queries.txt", folder)):
        if cells[0].startswith("@"):
            function, params, uses = [*cells, "", ""][:3]
            function = function.removeprefix("@").strip()
            found[function] = Subject(function, params, [use.strip() for use in uses.split(",") if use.strip()])
        elif cells[0] not in found:
            raise wrong("queries.txt", number, "a row before the line of its function", cells)
    return found


def read_extensions(folder=None):
    """Rows of extensions.txt, in order."""
    extensions = []
    for number, cells in rows_of("extensions.txt", folder):
        if len(cells) != 5 or not re.fullmatch(r"cl_\w+", cells[0]) or not re.fullmatch(r"\d+\.\d+\.\d+", cells[1]) or \
                not re.fullmatch("(platform|device)( device)?", cells[2]):
            raise wrong("extensions.txt", number, "not a row of the table", cells)
        name, version, level, needs, features = cells
        extensions.append(Extension(name, tuple(map(int, version.split("."))), level.split(),
                                    [] if needs == "-" else needs.split(" or "),
                                    [] if features == "-" else features.split(), package_of(folder)))
    return extensions


def read_properties(folder):
    """Rows of a properties.txt."""
    rows = []
    for number, cells in rows_of("properties.txt", folder):
        kinds = ("context", "queue", "memory", "kernel", "partition", "buffer_flag", "queue_flag")
        with_more = ("context", "buffer_flag")
        if len(cells) not in (4, 5) or cells[0] not in (kinds if len(cells) == 4 else with_more):
            raise wrong("properties.txt", number, "not a row of the table", cells)
        rows.append(Property(*cells[:4], package_of(folder), *cells[4:]))
    return rows


def read_formats(folder):
    """Rows of a formats.txt."""
    needs = {row.name: row.needs for row in read_extensions(folder)}
    rows = []
    for number, cells in rows_of("formats.txt", folder):
        if len(cells) != {"format": 8, "plane": 4, "flag": 4}.get(cells[0]) or cells[1] not in needs:
            raise wrong("formats.txt", number, "not a row of the table", cells)
        rows.append(Format(*cells[:3], cells[3:], package_of(folder), needs[cells[1]]))
    return rows


def read_built_in(folder):
    """Rows of a kernels.txt."""
    rows = []
    for number, cells in rows_of("kernels.txt", folder):
        kind, may_lack = cells[0], cells[0] == "kernel"
        if len(cells) != 5 or kind not in ("kernel", "argument", "range") or (cells[4] == "-" and not may_lack):
            raise wrong("kernels.txt", number, "not a row of the table", cells)
        rows.append(BuiltIn(*cells, package_of(folder)))
    return rows


def read_options(folder):
    """Rows of an options.txt."""
    rows = []
    for number, cells in rows_of("options.txt", folder):
        if len(cells) != 4 or not cells[0].startswith("-") or set(cells[2].split()) - {"build", "compile"}:
            raise wrong("options.txt", number, "not a row of the table", cells)
        rows.append(Option(cells[0], cells[1], cells[2].split(), cells[3].split()))
    return rows


def read_spirv(folder):
    """Rows (extension of SPIR-V, extension, ((number, name) of each capability, ...), how the names of functions on
    values begin that are structures in OpenCL C, or "") of a spirv.txt."""
    rows = []
    for number, cells in rows_of("spirv.txt", folder):
        capabilities = [cell.split() for cell in cells[2].split(",")] if len(cells) in (3, 4) else [()]
        if any(len(pair) != 2 or not pair[0].isdigit() for pair in capabilities):
            raise wrong("spirv.txt", number, "not a row of the table", cells)
        rows.append((cells[0], cells[1], tuple((int(value), name) for value, name in capabilities), "".join(cells[3:])))
    return rows


def wrong(name, number, why, cells):
    return SystemExit(f"clpy/spec/{name}:{number}: {why}: {' | '.join(cells)}")
