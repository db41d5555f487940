# SPDX-License-Identifier: Apache-2.0
"""Extensions of the host side: what is listed is there, under the names of the extension, and works."""
import ctypes
import subprocess
import sys
import uuid
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest
from clapi import E, handles, numbers, sizes

from clpy.spec.tables import read_api, read_extensions

pytestmark = pytest.mark.usefixtures("no_leak")

# Extension -> the functions it adds.
FUNCTIONS = {
    "cl_ext_buffer_device_address": ("clSetKernelArgDevicePointerEXT",),
    "cl_ext_image_from_buffer": (),
    "cl_ext_image_requirements_info": ("clGetImageRequirementsInfoEXT",),
    "cl_khr_command_buffer": (
        "clCreateCommandBufferKHR", "clRetainCommandBufferKHR", "clReleaseCommandBufferKHR",
        "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR", "clCommandBarrierWithWaitListKHR",
        "clCommandCopyBufferKHR", "clCommandCopyBufferRectKHR", "clCommandCopyBufferToImageKHR",
        "clCommandCopyImageKHR", "clCommandCopyImageToBufferKHR", "clCommandFillBufferKHR", "clCommandFillImageKHR",
        "clCommandNDRangeKernelKHR", "clGetCommandBufferInfoKHR", "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR"),
    "cl_khr_command_buffer_multi_device": ("clRemapCommandBufferKHR",),
    "cl_khr_command_buffer_mutable_dispatch": ("clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR"),
    "cl_khr_create_command_queue": ("clCreateCommandQueueWithPropertiesKHR",),
    "cl_khr_device_uuid": (),
    "cl_khr_extended_versioning": (),
    "cl_khr_external_memory": ("clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"),
    "cl_khr_external_memory_opaque_fd": (),
    "cl_khr_external_semaphore": ("clGetSemaphoreHandleForTypeKHR",),
    "cl_khr_external_semaphore_opaque_fd": (),
    "cl_khr_external_semaphore_sync_fd": ("clReImportSemaphoreSyncFdKHR",),
    "cl_khr_icd": (),
    "cl_khr_image2d_from_buffer": (),
    "cl_khr_priority_hints": (),
    "cl_khr_semaphore": (
        "clCreateSemaphoreWithPropertiesKHR", "clEnqueueWaitSemaphoresKHR", "clEnqueueSignalSemaphoresKHR",
        "clGetSemaphoreInfoKHR", "clRetainSemaphoreKHR", "clReleaseSemaphoreKHR"),
    "cl_khr_suggested_local_work_size": ("clGetKernelSuggestedLocalWorkSizeKHR",),
    "cl_khr_terminate_context": ("clTerminateContextKHR",),
    "cl_khr_throttle_hints": (),
    "cl_khr_unified_svm": ("clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR", "clGetSVMPointerInfoKHR",
                           "clGetSVMSuggestedTypeIndexKHR"),
}
OF_DEVICE = sorted(set(FUNCTIONS) - {"cl_khr_icd"})


def find(api, name, restype, *argtypes):
    """A function by its name, as applications look it up."""
    address = api.clGetExtensionFunctionAddressForPlatform(api.platform(), name.encode())
    assert address, name
    return ctypes.CFUNCTYPE(restype, *argtypes)(address)


class TestLists:
    @pytest.mark.parametrize("name", OF_DEVICE)
    @pytest.mark.needs("CPU")
    def test_device(self, api, device, name):
        assert name in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_platform(self, api, name):
        assert name in api.text("clGetPlatformInfo", api.platform(), E.PLATFORM_EXTENSIONS).split()

    @pytest.mark.parametrize("function", [name for names in FUNCTIONS.values() for name in names])
    def test_functions(self, api, function):
        look = api.clGetExtensionFunctionAddressForPlatform
        assert look(api.platform(), function.encode())
        assert look(api.platform(), function.encode() + b"X") is None

    def test_the_tables_say_the_same(self):
        rows = read_api()
        for name, functions in FUNCTIONS.items():
            assert {row.name for row in rows if row.extension == name} == set(functions)
        assert set(FUNCTIONS) <= {row.name for row in read_extensions()}

    def test_not_a_function_of_an_extension(self, api):
        """Core functions have their place in the dispatch table, and are not found by name."""
        for name in (b"clCreateCommandQueueWithProperties", b"clSVMAlloc", b"clNoSuchFunction", b""):
            assert api.clGetExtensionFunctionAddressForPlatform(api.platform(), name) is None

    def test_extended_versioning_names_the_same_numbers(self):
        for name in ("DEVICE_NUMERIC_VERSION", "DEVICE_EXTENSIONS_WITH_VERSION", "DEVICE_ILS_WITH_VERSION",
                     "DEVICE_BUILT_IN_KERNELS_WITH_VERSION", "PLATFORM_NUMERIC_VERSION",
                     "PLATFORM_EXTENSIONS_WITH_VERSION"):
            assert getattr(E, name) == getattr(E, name + "_KHR")

    def test_numeric_version_of_the_language(self, api, device):
        """The one query of cl_khr_extended_versioning that the core has not."""
        number = api.number("clGetDeviceInfo", device, E.DEVICE_OPENCL_C_NUMERIC_VERSION_KHR)
        text = api.text("clGetDeviceInfo", device, E.DEVICE_OPENCL_C_VERSION)
        assert text.startswith(f"OpenCL C {number >> 22}.{number >> 12 & 0x3ff} ")


class TestCreateCommandQueue:
    @pytest.fixture
    def create(self, api):
        function = find(api, "clCreateCommandQueueWithPropertiesKHR", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)

        def call(context, device, *values):
            error = c_int32(99)
            return function(context, device, numbers(c_uint64, *values) if values else None, byref(error)), error.value
        return call

    def test_same_as_the_core_function(self, api, context, device, create):
        for values in ((), (0,), (E.QUEUE_PROPERTIES, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0)):
            made, error = create(context, device, *values)
            assert error == 0
            given, mode = bytes(numbers(c_uint64, *values)), values[1] if len(values) == 3 else 0
            assert api.info("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES_ARRAY) == given
            assert api.number("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES) == mode
            api.ok("clReleaseCommandQueue", made)

    def test_errors(self, context, device, create):
        assert create(None, device) == (None, E.INVALID_CONTEXT)
        assert create(context, None) == (None, E.INVALID_DEVICE)
        assert create(context, device, E.QUEUE_PROPERTIES, 1 << 40, 0) == (None, E.INVALID_VALUE)


class TestHints:
    """cl_khr_priority_hints and cl_khr_throttle_hints."""

    VALUES = ((E.QUEUE_PRIORITY_KHR, (E.QUEUE_PRIORITY_HIGH_KHR, E.QUEUE_PRIORITY_MED_KHR, E.QUEUE_PRIORITY_LOW_KHR)),
              (E.QUEUE_THROTTLE_KHR, (E.QUEUE_THROTTLE_HIGH_KHR, E.QUEUE_THROTTLE_MED_KHR, E.QUEUE_THROTTLE_LOW_KHR)))

    def create(self, api, context, device, *values):
        return api.new("clCreateCommandQueueWithProperties", context, device, numbers(c_uint64, *values, 0))

    def run(self, api, queue, buffer):
        """A queue with a hint works like any other."""
        mem, back = buffer(4), create_string_buffer(4)
        api.ok("clEnqueueFillBuffer", queue, mem, b"hint", 4, 0, 4, 0, None, None)
        api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 4, back, 0, None, None)
        assert back.raw == b"hint"

    @pytest.mark.parametrize(("name", "values"), VALUES)
    def test_accepted_and_reported(self, api, context, device, buffer, name, values):
        for value in values:
            for rest in ((), (E.QUEUE_PROPERTIES, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)):
                made, error = self.create(api, context, device, name, value, *rest)
                assert error == "CL_SUCCESS"
                assert api.info("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES_ARRAY) == bytes(
                    numbers(c_uint64, name, value, *rest, 0))
                assert api.number("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES) == (rest[1] if rest else 0)
                self.run(api, made, buffer)
                api.ok("clReleaseCommandQueue", made)

    def test_together(self, api, context, device, buffer):
        made, error = self.create(api, context, device, E.QUEUE_PRIORITY_KHR, E.QUEUE_PRIORITY_HIGH_KHR,
                                  E.QUEUE_THROTTLE_KHR, E.QUEUE_THROTTLE_LOW_KHR)
        assert error == "CL_SUCCESS"
        self.run(api, made, buffer)
        api.ok("clReleaseCommandQueue", made)

    @pytest.mark.parametrize(("name", "values"), VALUES)
    def test_errors(self, api, context, device, name, values):
        for value in (0, 3, 5, 7, 8, 1 << 33):
            assert self.create(api, context, device, name, value) == (None, "CL_INVALID_VALUE")
        assert self.create(api, context, device, name, values[0], name, values[0]) == (None, "CL_INVALID_VALUE")
        on_device = E.QUEUE_ON_DEVICE | E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
        assert self.create(api, context, device, E.QUEUE_PROPERTIES, on_device, name, values[0]) == (
            None, "CL_INVALID_QUEUE_PROPERTIES")


class TestDeviceUUID:
    QUERIES = ("DEVICE_UUID", "DRIVER_UUID")

    def test_values(self, api, device):
        found = [uuid.UUID(bytes=api.info("clGetDeviceInfo", device, getattr(E, name))) for name in self.QUERIES]
        assert len(set(found)) == 2
        assert all((each.variant, each.version) == (uuid.RFC_4122, 8) for each in found)
        assert api.number("clGetDeviceInfo", device, E.DEVICE_LUID_VALID) == 0
        assert len(api.info("clGetDeviceInfo", device, E.DEVICE_LUID)) == E.LUID_SIZE
        assert api.info("clGetDeviceInfo", device, E.DEVICE_NODE_MASK) == bytes(4)

    def test_names_of_the_extension(self):
        for name in (*self.QUERIES, "DEVICE_LUID_VALID", "DEVICE_LUID", "DEVICE_NODE_MASK", "UUID_SIZE", "LUID_SIZE"):
            assert getattr(E, name) == getattr(E, name + "_KHR")

    def test_sizes(self, api, device):
        for name in self.QUERIES:
            room = create_string_buffer(16)
            assert api.error("clGetDeviceInfo", device, getattr(E, name), 15, room, None) == "CL_INVALID_VALUE"
            assert room.raw == bytes(16)

    def test_same_in_every_process(self, api, device):
        here = [api.info("clGetDeviceInfo", device, getattr(E, name)).hex() for name in self.QUERIES]
        script = f"""if 1:
            import sys
            sys.path.insert(0, {str(Path(__file__).parents[1])!r})
            from clapi import API, E
            api = API()
            for name in {self.QUERIES!r}:
                print(api.info("clGetDeviceInfo", api.devices()[0], getattr(E, name)).hex())
        """
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.split() == here

    def test_the_identity_of_the_machine_is_not_told(self, api, device):
        """Its number, where there is one, is a secret of the machine: it is not to be found in the UUID."""
        path = Path("/etc/machine-id")
        number = path.read_text().strip() if path.exists() else ""
        assert api.info("clGetDeviceInfo", device, E.DEVICE_UUID).hex() != number


@pytest.mark.needs("cl_ext_buffer_device_address")
class TestBufferDeviceAddress:
    SOURCE = """
        kernel void tell(global int *buffer, global ulong *address) { *address = (ulong)buffer; }
        kernel void follow(global ulong *address, global int *out) { *out = **(global int * global *)address; }
        kernel void before(global int *middle, global int *out) { *out = middle[-2]; }
        kernel void other(constant int *c, local int *l, int n) { l[0] = c[n]; }"""

    @pytest.fixture
    def with_address(self, api, context):
        """new(contents) -> (buffer, its address)"""
        made = []

        def new(data, flags=E.MEM_COPY_HOST_PTR):
            wanted = numbers(c_uint64, E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0)
            made.append(api.make("clCreateBufferWithProperties", context, wanted, flags, len(data),
                                 data if flags else None))
            assert api.info("clGetMemObjectInfo", made[-1], E.MEM_PROPERTIES) == bytes(wanted)
            return made[-1], api.number("clGetMemObjectInfo", made[-1], E.MEM_DEVICE_ADDRESS_EXT)

        yield new
        for mem in made:
            api.ok("clReleaseMemObject", mem)

    @pytest.fixture
    def set_pointer(self, api):
        return find(api, "clSetKernelArgDevicePointerEXT", c_int32, c_void_p, c_uint32, c_uint64)

    def run(self, api, queue, kernel, *args):
        for index, arg in enumerate(args):
            if arg is not None:
                api.ok("clSetKernelArg", kernel, index, 8, handles(arg))
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 0, None, None)

    @pytest.mark.parametrize("flags", [0, E.MEM_COPY_HOST_PTR])
    def test_is_what_kernels_see(self, api, queue, kernel, buffer, contents, with_address, flags):
        (mem, address), told = with_address(bytes(64), flags), buffer(8)
        for _ in range(2):       # "a single fixed device-side address for its lifetime"
            self.run(api, queue, kernel(self.SOURCE, "tell"), mem, told)
            assert int.from_bytes(contents(told, 8), "little") == address != 0

    def test_over_shared_virtual_memory(self, api, context):
        """"the device-side address is guaranteed to match the host_ptr"."""
        pointer = api.clSVMAlloc(context, 0, 64, 0)
        mem = api.make("clCreateBufferWithProperties", context,
                       numbers(c_uint64, E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0), E.MEM_USE_HOST_PTR, 64, pointer)
        assert api.number("clGetMemObjectInfo", mem, E.MEM_DEVICE_ADDRESS_EXT) == pointer
        api.ok("clReleaseMemObject", mem)
        api.clSVMFree(context, pointer)

    def test_indirect_access(self, api, queue, kernel, buffer, contents, with_address):
        (_, address), out = with_address((4711).to_bytes(4, "little")), buffer(4)
        k = kernel(self.SOURCE, "follow")
        api.ok("clSetKernelExecInfo", k, E.KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, byref(c_uint64(address)))
        self.run(api, queue, k, buffer(contents=address.to_bytes(8, "little")), out)
        assert int.from_bytes(contents(out, 4), "little") == 4711

    def test_argument(self, api, queue, kernel, buffer, contents, with_address, set_pointer):
        """An address in the middle; memory before it is the kernel's too."""
        (_, address), out, k = with_address(bytes(range(64))), buffer(4), kernel(self.SOURCE, "before")
        assert set_pointer(k, 0, address + 16) == 0
        self.run(api, queue, k, None, out)
        assert contents(out, 4) == bytes(range(8, 12))

    def test_argument_errors(self, api, queue, kernel, with_address, set_pointer):
        address, other = with_address(bytes(64))[1], kernel(self.SOURCE, "other")
        assert set_pointer(None, 0, address) == set_pointer(queue, 9, address) == E.INVALID_KERNEL
        for index in range(4):   # constant, local, a value, none
            assert set_pointer(other, index, address) == E.INVALID_ARG_INDEX
        # "it's legal to pass invalid pointers as the value"
        assert set_pointer(kernel(self.SOURCE, "tell"), 0, 12345) == 0

    def test_exec_info_errors(self, api, kernel):
        k, name = kernel(self.SOURCE, "follow"), E.KERNEL_EXEC_INFO_DEVICE_PTRS_EXT
        assert api.error("clSetKernelExecInfo", k, name, 8, None) == "CL_INVALID_VALUE"
        assert api.error("clSetKernelExecInfo", k, name, 7, byref(c_uint64(0))) == "CL_INVALID_VALUE"
        assert api.error("clSetKernelExecInfo", k, name, 0, None) == "CL_SUCCESS"

    def test_query_errors(self, api, context, buffer, with_address):
        name, room = E.MEM_DEVICE_ADDRESS_EXT, create_string_buffer(8)
        off = api.make("clCreateBufferWithProperties", context,
                       numbers(c_uint64, E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 0, 0), 0, 64, None)
        for mem in (buffer(64), off):
            assert api.error("clGetMemObjectInfo", mem, name, 8, room, None) == "CL_INVALID_OPERATION"
        assert api.error("clGetMemObjectInfo", with_address(bytes(8))[0], name, 7, room, None) == "CL_INVALID_VALUE"
        api.ok("clReleaseMemObject", off)

    def test_property_errors(self, api, context):
        yes = (E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1)
        for values in ((*yes, *yes), (yes[0], 2), (yes[0] + 1, 1), (*yes, 4711, 1)):
            for flags in (0, 1 << 50):       # before the flags
                assert api.new("clCreateBufferWithProperties", context, numbers(c_uint64, *values, 0), flags, 64,
                               None) == (None, "CL_INVALID_PROPERTY")


class TestSuggestedLocalWorkSize:
    SOURCE = """kernel void k(global uint *size) { if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)
        for (uint i = 0; i < 3; i++) size[i] = get_local_size(i); }"""

    @pytest.mark.parametrize("shape", [(1,), (7,), (4096,), (1000003,), (64, 64), (33, 1000), (3, 5, 7), (128, 16, 4)])
    @pytest.mark.parametrize("std", ["CL1.2", "CL3.0"])
    def test_is_what_a_launch_takes(self, api, queue, kernel, buffer, contents, shape, std):
        """"the work-group size that would be chosen if the kernel were enqueued with [...] a NULL local work size"."""
        suggest = find(api, "clGetKernelSuggestedLocalWorkSizeKHR", c_int32, c_void_p, c_void_p, c_uint32, c_void_p,
                       c_void_p, c_void_p)
        k, mem, found = kernel(self.SOURCE, options=f"-cl-std={std}"), buffer(12), sizes(0, 0, 0)
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        assert suggest(queue, k, len(shape), None, sizes(*shape), found) == 0
        api.ok("clEnqueueNDRangeKernel", queue, k, len(shape), None, sizes(*shape), None, 0, None, None)
        taken = list((c_uint32 * 3).from_buffer_copy(contents(mem, 12)))
        assert list(found)[:len(shape)] == taken[:len(shape)]
