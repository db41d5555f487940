# SPDX-License-Identifier: Apache-2.0
"""clGetPlatformIDs, clGetPlatformInfo, the look-up of functions, the timers, clUnload*."""
import ctypes
import os
import struct
import subprocess
import sys
import time
from ctypes import byref, c_uint32, c_uint64, c_void_p
from pathlib import Path

import pytest
from clapi import SPEC, E, handles

import clpy
from clpy.core.identity import EXTENSIONS
from clpy.spec.tables import read_api


@pytest.fixture
def platform(api):
    return api.platform()


def test_identity(api, platform):
    def text(name):
        return api.text("clGetPlatformInfo", platform, getattr(E, name))

    assert text("PLATFORM_NAME") == text("PLATFORM_VENDOR") == "clpy"
    assert text("PLATFORM_PROFILE") == "FULL_PROFILE"
    assert text("PLATFORM_VERSION").startswith("OpenCL 3.1 clpy ")
    assert text("PLATFORM_ICD_SUFFIX_KHR") == "CLPY"
    assert api.number("clGetPlatformInfo", platform, E.PLATFORM_NUMERIC_VERSION) == 3 << 22 | 1 << 12
    assert api.number("clGetPlatformInfo", platform, E.PLATFORM_HOST_TIMER_RESOLUTION) == 1


@pytest.mark.parametrize(("devices", "gpus"), [({}, 1), ({"CLPY_DEVICES": "cpu"}, 0)])
def test_identity_is_the_same_before_and_after_the_first_device(platform, devices, gpus, tmp_path):
    """Before, libclpy.so answers alone; after, the core."""
    script = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from clapi import API, E
api = API()
platform = api.platform()
names = ("PROFILE", "VERSION", "NAME", "VENDOR", "ICD_SUFFIX_KHR")
before = [api.info("clGetPlatformInfo", platform, getattr(E, "PLATFORM_" + n)) for n in names]
def core_is_there():
    return "libclpy-core.so" in open("/proc/self/maps").read()
assert not core_is_there()
counts = []
for when in range(2):
    for kind in (E.DEVICE_TYPE_GPU, E.DEVICE_TYPE_CPU, E.DEVICE_TYPE_ALL):
        n = ctypes.c_uint32(77)
        counts.append((api.clGetDeviceIDs(platform, kind, 0, None, ctypes.byref(n)), n.value))
    if when == 0:
        assert not core_is_there()
        api.devices()
        assert core_is_there() and "clpy" not in sys.modules
gpus = int(sys.argv[2])
assert counts[:3] == counts[3:] == [(0, 1) if gpus else (-1, 0), (0, 1), (0, 1 + gpus)], counts
assert before == [api.info("clGetPlatformInfo", platform, getattr(E, "PLATFORM_" + n)) for n in names]
assert platform == api.platform()
"""
    env = {name: value for name, value in os.environ.items() if name != "CLPY_DEVICES"}
    subprocess.run([sys.executable, "-c", script, str(SPEC.parents[1] / "tests"), str(gpus)], check=True, timeout=60,
                   env=env | devices | {"XDG_CONFIG_HOME": str(tmp_path)})


def test_extensions(api, platform, device):
    """The platform's own and those of all its devices, once each; the list with versions says the same."""
    names = api.text("clGetPlatformInfo", platform, E.PLATFORM_EXTENSIONS).split()
    of_device = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    assert len(set(names)) == len(names)
    assert set(names) == set(EXTENSIONS) | set(of_device)
    rows = api.info("clGetPlatformInfo", platform, E.PLATFORM_EXTENSIONS_WITH_VERSION)
    pairs = [struct.unpack("I64s", rows[i:i + 68]) for i in range(0, len(rows), 68)]
    assert [name.rstrip(b"\0").decode() for _, name in pairs] == names
    assert all(version >> 12 for version, _ in pairs)      # experimental ones are 0.something


def test_platform_ids(api):
    n = c_uint32()
    assert api.error("clGetPlatformIDs", 0, None, None) == "CL_INVALID_VALUE"
    assert api.error("clGetPlatformIDs", 0, handles(None), byref(n)) == "CL_INVALID_VALUE"


@pytest.mark.parametrize("bad", [0xDEAD, 1])
def test_invalid_platform(api, bad, device):
    """A device is no platform. The loader reads a handle's first word, so the handle has to be readable."""
    handle = (c_uint64 * 8)()
    ctypes.cast(handle, ctypes.POINTER(c_void_p))[0] = c_void_p.from_address(device).value
    for wrong in (device, ctypes.addressof(handle)):
        assert api.error("clGetPlatformInfo", wrong, E.PLATFORM_NAME, 0, None, None) == "CL_INVALID_PLATFORM"
        assert api.error("clUnloadPlatformCompiler", wrong) == "CL_INVALID_PLATFORM"
        assert not api.clGetExtensionFunctionAddressForPlatform(wrong, b"clIcdGetPlatformIDsKHR")
    assert api.error("clGetPlatformInfo", api.platform(), bad, 0, None, None) == "CL_INVALID_VALUE"


def test_too_little_room(api, platform):
    room = ctypes.create_string_buffer(b"????", 4)
    for name in (E.PLATFORM_NAME, E.PLATFORM_EXTENSIONS, E.PLATFORM_HOST_TIMER_RESOLUTION):
        assert api.error("clGetPlatformInfo", platform, name, 3, room, None) == "CL_INVALID_VALUE"
        assert room.raw == b"????"
    assert api.error("clGetPlatformInfo", platform, E.PLATFORM_NAME, 0, None, None) == "CL_SUCCESS"


def test_unload_compiler(api, platform, kernel):
    """A kernel is built, the compiler is unloaded, the next is built."""
    kernel("kernel void k(global int *x) { x[0] = 1; }")
    api.ok("clUnloadPlatformCompiler", platform)
    api.ok("clUnloadCompiler")
    kernel("kernel void k(global int *x) { x[0] = 2; }")


def test_timers(api, device):
    a, b, c = c_uint64(), c_uint64(), c_uint64()
    start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    api.ok("clGetHostTimer", device, byref(a))
    api.ok("clGetDeviceAndHostTimer", device, byref(b), byref(c))
    assert start <= a.value <= c.value <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    first = b.value
    time.sleep(0.02)
    api.ok("clGetDeviceAndHostTimer", device, byref(b), byref(c))
    assert 15e6 < b.value - first < 10e9
    assert api.error("clGetHostTimer", device, None) == "CL_INVALID_VALUE"
    assert api.error("clGetDeviceAndHostTimer", device, None, byref(c)) == "CL_INVALID_VALUE"
    assert api.error("clGetDeviceAndHostTimer", device, byref(b), None) == "CL_INVALID_VALUE"
    assert api.error("clGetHostTimer", api.platform(), byref(a)) == "CL_INVALID_DEVICE"


def test_extension_functions(api, platform):
    """The driver knows functions of extensions that work, and nothing else; a loader adds some of its own."""
    driver = ctypes.CDLL(str(Path(clpy.__file__).with_name("libclpy.so")))
    find = driver.clGetExtensionFunctionAddress
    find.restype = c_void_p
    assert find(b"clIcdGetPlatformIDsKHR") and find(None) is None and find(b"") is None
    for row in read_api():
        assert bool(find(row.name.encode())) == ((row.extension and row.status == "done")
                                                 or row.name == "clGetPlatformInfo"), row.name
    through_loader = api.clGetExtensionFunctionAddressForPlatform
    assert not through_loader(platform, b"clNoSuchFunctionKHR")


def c_function(module, name, result, *arguments):
    """A function that a module offers to cimport."""
    capsule = module.__pyx_capi__[name]
    ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
    ctypes.pythonapi.PyCapsule_GetName.argtypes = [ctypes.py_object]
    ctypes.pythonapi.PyCapsule_GetPointer.restype = c_void_p
    ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = ctypes.pythonapi.PyCapsule_GetPointer(capsule, ctypes.pythonapi.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(result, *arguments)(address)


NAME = ctypes.create_string_buffer(b"clTestFunctionCLPY")       # must live for ever


def test_an_extension_adds_functions(api, platform):
    """What modules of vendor_ext do: a name is found by applications, the last address for it counts."""
    from clpy.api import functions
    add = c_function(functions, "function_add", ctypes.c_int, c_void_p, c_void_p, ctypes.c_int)
    find = api.clGetExtensionFunctionAddressForPlatform
    assert not find(platform, NAME.value)
    for address in (0x1000, 0x2000):
        assert add(ctypes.addressof(NAME), address, 1) == 0
        assert find(platform, NAME.value) == address
    assert add(ctypes.addressof(NAME), 0x3000, 0) == 0          # of the core: not for applications
    assert not find(platform, NAME.value)
