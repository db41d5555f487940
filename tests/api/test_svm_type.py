# SPDX-License-Identifier: Apache-2.0
"""cl_khr_unified_svm: types, allocations with properties, what an address belongs to, suggestions."""
import ctypes
import struct
from ctypes import byref, c_size_t, c_uint32, c_uint64, create_string_buffer, string_at

import pytest
from clapi import E, handles, numbers, sizes

from clpy.device.fake.device import report

pytestmark = [pytest.mark.needs("cl_khr_unified_svm"), pytest.mark.usefixtures("no_leak")]

COARSE, FINE, DEVICE, HOST, SHARED, SYSTEM = range(6)
NO_TYPE = 0xFFFFFFFF
DEVICE_HANDLE, ACCESS, ALIGNMENT = (E.SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, E.SVM_ALLOC_ACCESS_FLAGS_KHR,
                                    E.SVM_ALLOC_ALIGNMENT_KHR)


def capability(*names):
    return sum(getattr(E, f"SVM_CAPABILITY_{name}_KHR") for name in names)


UNASSOCIATED, MAP = capability("DEVICE_UNASSOCIATED"), capability("HOST_MAP")
DEVICE_ACCESS = ("SINGLE_ADDRESS_SPACE", "DEVICE_READ", "DEVICE_WRITE")
# What each type has by the proposal's table: the registry's CL_SVM_TYPE_MACRO_*.
LEAST = {
    COARSE: capability(*DEVICE_ACCESS, "DEVICE_UNASSOCIATED", "CONTEXT_ACCESS", "HOST_MAP", "DEVICE_ATOMIC_ACCESS"),
    FINE: capability(*DEVICE_ACCESS, "DEVICE_UNASSOCIATED", "CONTEXT_ACCESS", "HOST_READ", "HOST_WRITE", "HOST_MAP",
                     "DEVICE_ATOMIC_ACCESS", "CONCURRENT_ACCESS"),
    DEVICE: capability(*DEVICE_ACCESS, "DEVICE_OWNED", "DEVICE_ATOMIC_ACCESS", "INDIRECT_ACCESS"),
    HOST: capability(*DEVICE_ACCESS, "DEVICE_UNASSOCIATED", "CONTEXT_ACCESS", "HOST_OWNED", "HOST_READ", "HOST_WRITE",
                     "INDIRECT_ACCESS"),
    SHARED: capability(*DEVICE_ACCESS, "HOST_READ", "HOST_WRITE", "INDIRECT_ACCESS"),
    SYSTEM: capability(*DEVICE_ACCESS, "SYSTEM_ALLOCATED", "DEVICE_UNASSOCIATED", "CONTEXT_ACCESS", "HOST_READ",
                       "HOST_WRITE", "HOST_MAP", "DEVICE_ATOMIC_ACCESS", "CONCURRENT_ACCESS",
                       "CONCURRENT_ATOMIC_ACCESS", "INDIRECT_ACCESS")}


def capabilities(api, function, of, name):
    return [value for value, in struct.iter_unpack("=Q", api.info(function, of, name))]


@pytest.fixture
def types(api, device):
    return capabilities(api, "clGetDeviceInfo", device, E.DEVICE_SVM_TYPE_CAPABILITIES_KHR)


@pytest.fixture
def alloc(api, context, device):
    """new(type, size, properties): with the device where the type needs one"""
    made = []

    def new(kind, size=64, *properties, within=None):
        if kind in (DEVICE, SHARED) and DEVICE_HANDLE not in properties:
            properties = (DEVICE_HANDLE, device, *properties)
        given = numbers(c_uint64, *properties, 0) if properties else None
        made.append((within or context, api.make("clSVMAllocWithPropertiesKHR", within or context, given, kind, size)))
        return made[-1][1]

    yield new
    for within, pointer in made:
        api.ok("clSVMFreeWithPropertiesKHR", within, None, 0, pointer)


def ask(api, context, pointer, name, device=None):
    data = api.info("clGetSVMPointerInfoKHR", context, device, pointer, getattr(E, f"SVM_INFO_{name}_KHR"))
    return data if name == "PROPERTIES" else int.from_bytes(data, "little")


class TestTypes:
    def test_of_the_device(self, types):
        assert len(types) == len(LEAST)
        for kind, least in LEAST.items():
            assert types[kind] & least == least
            assert bool(types[kind] & UNASSOCIATED) == (kind not in (DEVICE, SHARED))
            assert not types[kind] & capability("DEVICE_OWNED") or not types[kind] & UNASSOCIATED
            assert not types[kind] & capability("HOST_OWNED") or types[kind] & UNASSOCIATED

    def test_of_the_platform(self, api, types):
        """"either a super-set of the entry in the array returned by the platform query [...] or zero"."""
        platform = capabilities(api, "clGetPlatformInfo", api.platform(), E.PLATFORM_SVM_TYPE_CAPABILITIES_KHR)
        each = [capabilities(api, "clGetDeviceInfo", device, E.DEVICE_SVM_TYPE_CAPABILITIES_KHR)
                for device in api.devices()]
        assert [len(found) for found in each] == [len(platform)] * len(each)
        for kind, common in enumerate(platform):
            having = [found[kind] for found in each if found[kind]]
            assert having
            assert all(found & common == common for found in having)

    def test_not_the_other_one(self, api, device):
        room = create_string_buffer(256)
        assert api.error("clGetDeviceInfo", device, E.PLATFORM_SVM_TYPE_CAPABILITIES_KHR, 256, room,
                         None) == "CL_INVALID_VALUE"
        assert api.error("clGetPlatformInfo", api.platform(), E.DEVICE_SVM_TYPE_CAPABILITIES_KHR, 256, room,
                         None) == "CL_INVALID_VALUE"


KERNELS = """
kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }
kernel void follow(global ulong *where, int n) { global int *x = (global int *)where[0]; x[get_global_id(0)] += n; }
"""


class TestAllocations:
    @pytest.mark.parametrize("kind", LEAST)
    def test_kernels_and_commands(self, api, queue, kernel, buffer, alloc, types, kind):
        """As an argument, and indirectly; in and out by commands, and by the host where the type allows it."""
        pointer, back = alloc(kind, 256), create_string_buffer(64)
        api.ok("clEnqueueSVMMemcpy", queue, 1, pointer + 64, struct.pack("=16i", *range(16)), 64, 0, None, None)
        for name, target in (("add", None), ("follow", buffer(contents=struct.pack("=Q", pointer + 64)))):
            k = kernel(KERNELS, name)
            api.ok("clSetKernelExecInfo", k, E.KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 4, byref(c_uint32(1)))
            if target is None:
                api.ok("clSetKernelArgSVMPointer", k, 0, pointer + 64)
            else:
                api.ok("clSetKernelArg", k, 0, 8, handles(target))
            api.ok("clSetKernelArg", k, 1, 4, struct.pack("=i", 100))
            api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(16), None, 0, None, None)
        api.ok("clEnqueueSVMMemcpy", queue, 1, back, pointer + 64, 64, 0, None, None)
        assert struct.unpack("=16i", back.raw) == tuple(range(200, 216))
        if types[kind] & capability("HOST_READ"):
            assert string_at(pointer + 64, 64) == back.raw
        mapped = api.error("clEnqueueSVMMap", queue, 1, E.MAP_READ, pointer, 256, 0, None, None)
        assert mapped == ("CL_SUCCESS" if types[kind] & MAP else "CL_INVALID_VALUE")
        assert api.error("clEnqueueSVMUnmap", queue, pointer, 0, None, None) == mapped

    @pytest.mark.parametrize("kind", LEAST)
    @pytest.mark.parametrize("alignment", [0, 1, 2, 4, 8, 16, 32, 64, 128])
    def test_alignment(self, alloc, kind, alignment):
        for size in (1, 200, 3 << 20):
            assert alloc(kind, size, ALIGNMENT, alignment) % (alignment or 128) == 0

    def test_of_no_size(self, api, context):
        """"must return a NULL pointer and must not generate an error"."""
        assert api.new("clSVMAllocWithPropertiesKHR", context, None, COARSE, 0) == (None, "CL_SUCCESS")

    def test_keeps_context_and_device(self, api, device):
        """The application may let go of both."""
        parts, count = handles(None), c_uint32()
        equally = (c_size_t * 3)(E.DEVICE_PARTITION_EQUALLY, 1, 0)
        divisible = api.error("clCreateSubDevices", device, equally, 0, None, byref(count)) == "CL_SUCCESS"
        if divisible:
            parts = handles(*[None] * count.value)
            api.ok("clCreateSubDevices", device, equally, count, parts, None)
        using = parts[0] if divisible else device
        context = api.make("clCreateContext", None, 1, handles(using), None, None)
        pointer = api.make("clSVMAllocWithPropertiesKHR", context, numbers(c_uint64, DEVICE_HANDLE, using, 0), DEVICE,
                           64)
        api.ok("clRetainContext", context)
        api.ok("clReleaseContext", context)
        for part in parts if divisible else ():
            api.ok("clReleaseDevice", part)
        assert ask(api, context, pointer, "ASSOCIATED_DEVICE_HANDLE") == using
        ctypes.memset(pointer, 1, 64)
        api.ok("clSVMFreeWithPropertiesKHR", context, None, 0, pointer)
        api.ok("clReleaseContext", context)

    def test_either_free_takes_either(self, api, context, queue):
        old = api.clSVMAlloc(context, 0, 64, 0)
        api.ok("clSVMFreeWithPropertiesKHR", context, None, 0, old)
        for enqueued in (False, True):
            new = api.make("clSVMAllocWithPropertiesKHR", context, None, HOST, 64)
            if enqueued:
                api.ok("clEnqueueSVMFree", queue, 2, handles(new, None), None, None, 0, None, None)
                api.ok("clFinish", queue)
            else:
                api.clSVMFree(context, new)
            assert ask(api, context, new, "BASE_PTR") == 0


class TestPointerInfo:
    @pytest.mark.parametrize("kind", LEAST)
    def test_within(self, api, context, device, types, alloc, kind):
        """The first byte, one inside, the last; with the device and without."""
        flags = E.SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR | E.SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
        given = (ALIGNMENT, 64, ACCESS, flags, DEVICE_HANDLE, device)
        pointer = alloc(kind, 100, *given)
        for at in (pointer, pointer + 4, pointer + 99):
            for of in (None, device):
                assert ask(api, context, at, "TYPE_INDEX", of) == kind
                assert ask(api, context, at, "CAPABILITIES", of) == types[kind]
                assert ask(api, context, at, "PROPERTIES", of) == struct.pack("=7Q", *given, 0)
                assert ask(api, context, at, "ACCESS_FLAGS", of) == flags
                assert ask(api, context, at, "BASE_PTR", of) == pointer
                assert ask(api, context, at, "SIZE", of) == 100
                assert ask(api, context, at, "ASSOCIATED_DEVICE_HANDLE", of) == device

    def test_defaults(self, api, context, types, alloc):
        for properties, told in (((), b""), ((DEVICE_HANDLE, 0), struct.pack("=3Q", DEVICE_HANDLE, 0, 0))):
            pointer = alloc(COARSE, 64, *properties)
            assert ask(api, context, pointer, "PROPERTIES") == told
            assert ask(api, context, pointer, "ACCESS_FLAGS") == 0
            assert ask(api, context, pointer, "ASSOCIATED_DEVICE_HANDLE") == 0
            assert ask(api, context, pointer, "CAPABILITIES") == types[COARSE]

    def test_empty_list(self, api, context):
        pointer = api.make("clSVMAllocWithPropertiesKHR", context, numbers(c_uint64, 0), FINE, 64)
        assert ask(api, context, pointer, "PROPERTIES") == bytes(8)
        api.ok("clSVMFreeWithPropertiesKHR", context, numbers(c_uint64, 0), 0, pointer)

    def test_of_the_older_function(self, api, context):
        for flags, kind in ((0, COARSE), (E.MEM_SVM_FINE_GRAIN_BUFFER, FINE)):
            pointer = api.clSVMAlloc(context, flags, 64, 0)
            assert ask(api, context, pointer, "TYPE_INDEX") == kind
            assert ask(api, context, pointer, "PROPERTIES") == b""
            assert ask(api, context, pointer, "SIZE") == 64
            api.clSVMFree(context, pointer)

    def test_elsewhere(self, api, context, device, other_context, alloc):
        own = create_string_buffer(64)
        for at in (None, ctypes.addressof(own), alloc(FINE, 64, within=other_context), alloc(HOST, 100) + 100, 1):
            for of in (None, device):
                assert ask(api, context, at, "TYPE_INDEX", of) == NO_TYPE
                assert ask(api, context, at, "PROPERTIES", of) == b""
                for name in ("CAPABILITIES", "ACCESS_FLAGS", "BASE_PTR", "SIZE", "ASSOCIATED_DEVICE_HANDLE"):
                    assert ask(api, context, at, name, of) == 0

    def test_errors(self, api, context, device, queue, alloc):
        name, pointer, room, size = "clGetSVMPointerInfoKHR", alloc(FINE), create_string_buffer(8), E.SVM_INFO_SIZE_KHR
        for bad in (None, queue):
            assert api.error(name, bad, queue, pointer, 0, 8, room, None) == "CL_INVALID_CONTEXT"
        assert api.error(name, context, queue, pointer, 0, 8, room, None) == "CL_INVALID_DEVICE"
        assert api.error(name, context, None, pointer, 0x2070, 8, room, None) == "CL_INVALID_VALUE"
        assert api.error(name, context, None, pointer, size, 7, room, None) == "CL_INVALID_VALUE"


class TestSuggestions:
    def suggest(self, api, context, required, desired=0, properties=None, size=0):
        index = c_uint32(12345)
        api.ok("clGetSVMSuggestedTypeIndexKHR", context, required, desired,
               numbers(c_uint64, *properties, 0) if properties else None, size, byref(index))
        return index.value

    @pytest.mark.parametrize("kind", LEAST)
    def test_each_type_by_what_it_has(self, api, context, device, types, kind):
        for properties in (None, (DEVICE_HANDLE, device), (DEVICE_HANDLE, 0, ACCESS, 0, ALIGNMENT, 64)):
            for size in (0, 4096):
                assert self.suggest(api, context, types[kind], 0, properties, size) == kind
                assert self.suggest(api, context, 0, types[kind], properties, size) == kind

    def test_each_capability(self, api, context, types):
        for bit in range(15):
            assert types[self.suggest(api, context, 1 << bit)] & 1 << bit

    def test_what_none_has(self, api, context):
        assert self.suggest(api, context, 1 << 40) == NO_TYPE
        assert self.suggest(api, context, capability("DEVICE_OWNED", "HOST_OWNED")) == NO_TYPE
        assert self.suggest(api, context, 0, 1 << 40) != NO_TYPE, "only desired"

    def test_errors(self, api, context, queue):
        name, index = "clGetSVMSuggestedTypeIndexKHR", c_uint32(7)
        bad = numbers(c_uint64, 4711, 0, 0)
        assert api.error(name, queue, 0, 0, bad, 0, byref(index)) == "CL_INVALID_CONTEXT"
        assert api.error(name, context, 0, 0, bad, 0, None) == "CL_INVALID_PROPERTY"
        assert api.error(name, context, 0, 0, None, 0, None) == "CL_INVALID_VALUE"
        assert index.value == 7


def try_alloc(api, context, kind, *properties, size=64):
    return api.new("clSVMAllocWithPropertiesKHR", context, numbers(c_uint64, *properties, 0), kind, size)


class TestErrors:
    """In the order of the lists."""

    def test_alloc(self, api, context, device, queue):
        for bad in (None, queue):
            assert try_alloc(api, bad, 99, 4711, 0) == (None, "CL_INVALID_CONTEXT")
        for bad in ((4711, 0), (ALIGNMENT, 3), (ALIGNMENT, 256), (ACCESS, 1 << 2), (ACCESS, 1 << 10), (ACCESS, 1 << 40),
                    (DEVICE_HANDLE, queue), (DEVICE_HANDLE, 4096), (ALIGNMENT, 8, ALIGNMENT, 8),
                    (ACCESS, 0, ALIGNMENT, 8, ACCESS, 0), (DEVICE_HANDLE, device, DEVICE_HANDLE, device)):
            assert try_alloc(api, context, 99, *bad) == (None, "CL_INVALID_PROPERTY")
        for bad in (len(LEAST), NO_TYPE):
            assert try_alloc(api, context, bad) == (None, "CL_INVALID_VALUE")
        for kind in (DEVICE, SHARED):    # "required unless the specified SVM type contains" the capability
            assert try_alloc(api, context, kind) == (None, "CL_INVALID_PROPERTY")
            assert try_alloc(api, context, kind, DEVICE_HANDLE, 0) == (None, "CL_INVALID_PROPERTY")
        assert try_alloc(api, context, FINE, size=1 << 60) == (None, "CL_OUT_OF_RESOURCES")

    def test_free(self, api, context, other_context, queue, alloc):
        name, pointer = "clSVMFreeWithPropertiesKHR", alloc(HOST)
        bad = numbers(c_uint64, 4711, 0, 0)
        assert api.error(name, queue, bad, 1, pointer + 1) == "CL_INVALID_CONTEXT"
        assert api.error(name, context, bad, 1, pointer + 1) == "CL_INVALID_PROPERTY"
        assert api.error(name, context, None, 1, pointer) == "CL_INVALID_VALUE"
        assert api.error(name, context, None, 1 << 40, pointer) == "CL_INVALID_VALUE"
        assert api.error(name, context, None, 0, pointer + 1) == "CL_INVALID_VALUE"
        assert api.error(name, other_context, None, 0, pointer) == "CL_INVALID_VALUE"
        assert api.error(name, context, numbers(c_uint64, 0), 0, None) == "CL_SUCCESS"

    def test_exec_info(self, api, kernel):
        k, name = kernel(KERNELS, "add"), E.KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR
        for size, value in ((4, None), (0, None), (8, byref(c_uint64(1)))):
            assert api.error("clSetKernelExecInfo", k, name, size, value) == "CL_INVALID_VALUE"
        for value in (0, 1):
            assert api.error("clSetKernelExecInfo", k, name, 4, byref(c_uint32(value))) == "CL_SUCCESS"


class TestDevicesWithLess:
    @pytest.fixture
    def device(self, fake_device):
        return fake_device

    def test_a_device_without_the_type(self, api, context, device):
        report(svm_types=[COARSE, FINE])
        try:
            for properties in ((), (DEVICE_HANDLE, device)):
                assert try_alloc(api, context, HOST, *properties) == (None, "CL_INVALID_OPERATION")
            found = capabilities(api, "clGetDeviceInfo", device, E.DEVICE_SVM_TYPE_CAPABILITIES_KHR)
            assert [bool(each) for each in found] == [True, True, False, False, False, False]
        finally:
            report()

    def test_without_the_extension(self, api, context, queue):
        """Then a pointer that is NULL is an error even of no size, and so is memory that no function allocated."""
        own = create_string_buffer(64)
        calls = (("clEnqueueSVMMemcpy", queue, 1, None, own, 0, 0, None, None),
                 ("clEnqueueSVMMemcpy", queue, 1, own, None, 0, 0, None, None),
                 ("clEnqueueSVMMemFill", queue, None, b"1234", 4, 0, 0, None, None),
                 ("clEnqueueSVMMigrateMem", queue, 1, handles(None), None, 0, 0, None, None),
                 ("clEnqueueSVMMigrateMem", queue, 1, handles(ctypes.addressof(own)), sizes(64), 0, 0, None, None))
        assert [api.error(*call) for call in calls] == ["CL_SUCCESS"] * len(calls)
        report(svm_types=[])
        try:
            assert [api.error(*call) for call in calls] == ["CL_INVALID_VALUE"] * len(calls)
        finally:
            report()
