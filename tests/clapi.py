# SPDX-License-Identifier: Apache-2.0
"""The C API through the system's ICD loader, for tests: every function of clpy/spec/api.txt by its name, with the types
of its row, and every enumerant of clpy/spec/enums.txt. Nothing is checked on the way, so a test can pass any value."""
import ctypes
from ctypes import byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

SPEC = Path(__file__).resolve().parents[1] / "clpy" / "spec"
PLATFORM_NAME = b"clpy"
HANDLES = {"cl_platform_id", "cl_device_id", "cl_context", "cl_command_queue", "cl_mem", "cl_program", "cl_kernel",
           "cl_event", "cl_sampler", "cl_command_buffer_khr", "cl_mutable_command_khr", "cl_semaphore_khr",
           "cl_accelerator_intel"}
WORDS = {"cl_int": c_int32, "cl_bool": c_uint32, "cl_uint": c_uint32, "size_t": c_size_t, "void": None,
         "cl_device_partition_property": c_size_t, "cl_context_properties": c_size_t}
# Bit fields are 64 bits wide, enumerations 32.
WIDE = ("_flags", "_properties", "_property", "_bitfield", "_capabilities", "cl_ulong", "cl_device_type")


def enumerants():
    rows = (line.split() for line in (SPEC / "enums.txt").read_text().splitlines() if line and line[0] != "#")
    return {name: int(value, 0) for name, value in rows}


E = type("E", (), {name[3:]: value for name, value in enumerants().items() if not name[3].isdigit()})
NAMES = {value: name for name, value in reversed(enumerants().items()) if value < 0 or name == "CL_SUCCESS"}


def ctype(declaration):
    """The ctypes type of `const size_t *region`, `cl_mem buffer` or a return type."""
    if "*" in declaration or "_fn " in declaration + " ":
        return c_void_p
    word = declaration.replace("const ", "").split()[0]
    if word in HANDLES:
        return c_void_p
    if word in WORDS:
        return WORDS[word]
    return c_uint64 if word.removesuffix("_khr").endswith(WIDE) else c_uint32


def signatures():
    """name -> (return type, argument types, is it found by its name only)."""
    found = {}
    vendors = sorted((SPEC.parents[1] / "vendor_ext").glob("*/*/api.txt"))
    for line in "\n".join(path.read_text() for path in (SPEC / "api.txt", *vendors)).splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and not line.startswith("#"):
            result, _, arguments = cells[5].partition("(")
            names = arguments.rstrip(")").split(",")
            found[cells[0]] = (ctype(result.strip()), [ctype(a.strip()) for a in names if a.strip()],
                               cells[1].startswith("cl_") and not cells[1].endswith(" slot"))
    return found


class API:
    """`api.clFoo(...)` calls it; `api.new("clCreateFoo", ...)` adds errcode_ret and gives (result, error name)."""

    def __init__(self):
        self.library = ctypes.CDLL("libOpenCL.so.1")
        self.signatures = signatures()

    def __getattr__(self, name):
        if name not in self.__dict__.get("signatures", ()):
            raise AttributeError(name)
        restype, argtypes, by_name = self.signatures[name]
        if by_name:
            address = self.clGetExtensionFunctionAddressForPlatform(self.platform(), name.encode())
            assert address, f"{name} is not found"
            function = ctypes.CFUNCTYPE(restype, *argtypes)(address)
        else:
            function = self.library[name]
            function.restype, function.argtypes = restype, argtypes
        setattr(self, name, function)
        return function

    def new(self, name, *args):
        error = c_int32(12345)
        result = getattr(self, name)(*args, byref(error))
        return result, NAMES.get(error.value, error.value)

    def error(self, name, *args):
        """The name of the error that a function which returns cl_int gives."""
        result = getattr(self, name)(*args)
        return NAMES.get(result, result)

    def make(self, name, *args):
        """A new object; fails the test on any error."""
        result, error = self.new(name, *args)
        assert error == "CL_SUCCESS", f"{name}: {error}"
        assert result
        return result

    def ok(self, name, *args):
        error = self.error(name, *args)
        assert error == "CL_SUCCESS", f"{name}: {error}"

    def info(self, name, *leading):
        """The bytes of a clGet*Info answer."""
        size = c_size_t()
        self.ok(name, *leading, 0, None, byref(size))
        buffer = ctypes.create_string_buffer(size.value or 1)
        self.ok(name, *leading, size.value, buffer, None)
        return buffer.raw[:size.value]

    def number(self, name, *leading):
        data = self.info(name, *leading)
        assert len(data) in (4, 8), f"{len(data)} bytes are no number"
        return int.from_bytes(data, "little")

    def text(self, name, *leading):
        data = self.info(name, *leading)
        assert data[-1:] == b"\0"
        return data[:-1].decode()

    def platform(self):
        count = c_uint32()
        self.ok("clGetPlatformIDs", 0, None, byref(count))
        platforms = (c_void_p * count.value)()
        self.ok("clGetPlatformIDs", count, platforms, None)
        for platform in platforms:
            if self.text("clGetPlatformInfo", platform, E.PLATFORM_NAME) == PLATFORM_NAME.decode():
                return platform
        raise AssertionError("the loader does not list clpy")

    def devices(self, kind=E.DEVICE_TYPE_ALL):
        platform, count = self.platform(), c_uint32()
        self.ok("clGetDeviceIDs", platform, kind, 0, None, byref(count))
        devices = (c_void_p * count.value)()
        self.ok("clGetDeviceIDs", platform, kind, count, devices, None)
        return list(devices)


def handles(*values):
    return (c_void_p * len(values))(*values)


def sizes(*values):
    return (c_size_t * len(values))(*values)


def numbers(kind, *values):
    return (kind * len(values))(*values)


__all__ = ["API", "E", "byref", "c_char_p", "c_size_t", "c_uint32", "c_void_p", "handles", "numbers", "sizes"]


def event_status(api, event):
    """Its execution status; below zero it is an error."""
    return c_int32.from_buffer_copy(api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS)).value
