# SPDX-License-Identifier: Apache-2.0
"""What the tables of clpy/spec, and those of vendors' extensions, say of each function, in the form that the calls at
random need: where it is, the types of its parameters, which of them are handles, which objects it makes, what it may
return, which queries it answers."""
import ctypes
import re

from clpy.spec import tables
from clpy.spec.names import VALUES, error_name

SUCCESS = 0
ALWAYS_ALLOWED = ("CL_SUCCESS", "CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY", "CL_CONTEXT_TERMINATED_KHR")
NUMBERS = {"cl_int": ctypes.c_int32, "cl_bool": ctypes.c_uint32, "cl_uint": ctypes.c_uint32,
           "size_t": ctypes.c_size_t, "cl_ulong": ctypes.c_uint64, "void": None,
           "cl_device_partition_property": ctypes.c_size_t, "cl_context_properties": ctypes.c_size_t}
WIDE = ("_flags", "_properties", "_property", "_bitfield", "cl_device_type", "_capabilities")
INVALID = {"cl_platform_id": "CL_INVALID_PLATFORM", "cl_device_id": "CL_INVALID_DEVICE",
           "cl_context": "CL_INVALID_CONTEXT", "cl_command_queue": "CL_INVALID_COMMAND_QUEUE",
           "cl_mem": "CL_INVALID_MEM_OBJECT", "cl_sampler": "CL_INVALID_SAMPLER", "cl_program": "CL_INVALID_PROGRAM",
           "cl_kernel": "CL_INVALID_KERNEL", "cl_event": "CL_INVALID_EVENT",
           "cl_semaphore_khr": "CL_INVALID_SEMAPHORE_KHR", "cl_command_buffer_khr": "CL_INVALID_COMMAND_BUFFER_KHR",
           "cl_mutable_command_khr": "CL_INVALID_MUTABLE_COMMAND_KHR",
           "cl_accelerator_intel": "CL_INVALID_ACCELERATOR_INTEL"}
HANDLES = frozenset(INVALID)


class Param:
    """One parameter: `type` without const and without the star that `points` stands for."""

    def __init__(self, declared, name):
        self.name = name
        self.const = "const" in declared
        self.points = declared.count("*")
        self.type = declared.replace("const", "").replace("*", "").strip()
        if self.points and (self.type, name) == ("cl_ulong", "properties"):      # of cl_ext_device_fission
            self.type = "cl_device_partition_property"
        self.is_handle = self.type in HANDLES and not self.points
        self.handles_in = self.type in HANDLES and self.points == 1 and self.const
        # clEnqueueCommandBufferKHR takes queues that are not const
        self.handles_in |= name == "queues" and self.points == 1
        self.handles_out = self.type in HANDLES and self.points == 1 and not self.handles_in

    @property
    def ctype(self):
        if self.points or self.type.endswith("_fn") or self.type in HANDLES:
            return ctypes.c_void_p
        if self.type in NUMBERS:
            return NUMBERS[self.type]
        return ctypes.c_uint64 if self.type.endswith(WIDE) else ctypes.c_uint32


class Function:
    def __init__(self, row, address, allowed, queries):
        self.name, self.returns, self.queries = row.name, row.returns, queries
        self.params = [Param(t, n) for t, n in row.params]
        self.records = self.name.startswith("clCommand")
        self.refuses = bool(row.refusal)
        result = ctypes.c_void_p if "*" in row.returns or row.returns in HANDLES else NUMBERS[row.returns]
        self.call = ctypes.CFUNCTYPE(result, *(p.ctype for p in self.params))(address)
        self.gives_code = row.returns == "cl_int"
        self.makes = row.returns if row.returns in HANDLES else None
        self.allowed = {VALUES[code] for code in (*ALWAYS_ALLOWED, *allowed)}
        first = self.params[0] if self.params and self.params[0].is_handle else None
        self.first_invalid = None if first is None or self.refuses else VALUES[INVALID[first.type]]
        self.allocates = "*" in row.returns and "Alloc" in row.name
        self.frees = "Free" in row.name and "Enqueue" not in row.name
        self.may_block = self.name in ("clFinish", "clWaitForEvents") or "Blocking" in row.name or any(
            p.name.startswith("blocking") for p in self.params)
        # What clGet* gives is the application's only where it says so, and nothing it does.
        self.outs = [i for i, p in enumerate(self.params) if p.handles_out and not self.name.startswith("clGet")
                     and p.type != "cl_mutable_command_khr"]

    def permits(self, code):
        return code in self.allowed


def addresses(rows):
    """By name: from the dispatch table where there is a slot, from the lookup of extensions' functions else."""
    from clpy.api import entries
    header = ctypes.c_void_p * sum(row.has_slot for row in rows)
    table = header.from_address(entries.dispatch_address())
    found = dict(zip(slot_names(), table, strict=True))
    look_up = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(found["clGetExtensionFunctionAddress"])
    for row in rows:
        if not row.has_slot:
            found[row.name] = look_up(row.name.encode())
    return found


def slot_names():
    """In the order of the header, which is the order of the table."""
    from pathlib import Path
    text = Path("/usr/include/CL/cl_icd.h").read_text().split("typedef struct _cl_icd_dispatch {")[1].split("}")[0]
    return re.findall(r"\bcl_api_\w+\s+(\w+);", text)


def numbers_of_queries():
    """function -> the numbers of its queries."""
    found = {}
    for query in tables.everywhere(tables.read_queries):
        found.setdefault(query.function, []).append(VALUES.get(query.enum) or int(query.enum, 0))
    return found


def errors():
    """function -> the codes it may return, by name."""
    found = {}
    for name, codes in tables.everywhere(lambda folder: tables.read_errors(folder).items()):
        found.setdefault(name, []).extend(code for code in codes if code not in found.get(name, ()))
    return found


def functions():
    """Every function that can be called, by name."""
    rows, allowed, queries = tables.everywhere(tables.read_api), errors(), numbers_of_queries()
    where = addresses(rows)
    return {row.name: Function(row, where[row.name], [*allowed[row.name], *refusal(row)], queries.get(row.name, ()))
            for row in rows if where[row.name]}


def refusal(row):
    return [row.refusal] if row.refusal and row.refusal.startswith("CL_") else []


def enumerants(pattern):
    return [value for name, value in VALUES.items() if re.match(pattern, name)]


__all__ = ["HANDLES", "NUMBERS", "SUCCESS", "VALUES", "Function", "Param", "enumerants", "error_name", "functions"]
