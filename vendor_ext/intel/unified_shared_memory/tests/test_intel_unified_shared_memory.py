# SPDX-License-Identifier: Apache-2.0
"""cl_intel_unified_shared_memory: allocations of the three kinds, in kernels and in commands; errors in the order of
the specification."""
import ctypes
import struct
import threading
from ctypes import byref, c_uint32, c_uint64, c_void_p, create_string_buffer, string_at

import pytest
from clapi import E, event_status, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

HOST, DEVICE, SHARED = "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL"
FLAGS, COMBINED, DEVICE_FIRST, HOST_FIRST = (
    E.MEM_ALLOC_FLAGS_INTEL, E.MEM_ALLOC_WRITE_COMBINED_INTEL, E.MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
    E.MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL)
LOCATION = E.MEM_ALLOC_BUFFER_LOCATION_INTEL
NONE = ctypes.create_string_buffer(64)       # memory that is no allocation of ours
TYPES = {HOST: E.MEM_TYPE_HOST_INTEL, DEVICE: E.MEM_TYPE_DEVICE_INTEL, SHARED: E.MEM_TYPE_SHARED_INTEL}
ALL = 15                                     # CL_UNIFIED_SHARED_MEMORY_*: access, atomic, concurrent, both


def properties(*values):
    return numbers(c_uint64, *values, 0)


@pytest.fixture
def usm(api, context, device):
    """new(function, size, properties): freed at the end of the test"""
    made = []

    def new(function=SHARED, size=64, given=None, owner=device, within=None):
        within = within or context
        arguments = (within,) if function == HOST else (within, owner)
        made.append((within, api.make(function, *arguments, given, size, 0)))
        return made[-1][1]

    yield new
    for within, pointer in made:
        api.ok("clMemFreeINTEL", within, pointer)


def ask(api, context, pointer, name):
    return int.from_bytes(api.info("clGetMemAllocInfoINTEL", context, pointer, getattr(E, f"MEM_ALLOC_{name}_INTEL")),
                          "little")


class TestDevice:
    @pytest.mark.parametrize(("name", "least"), [
        ("HOST_MEM", ALL), ("DEVICE_MEM", 3), ("SINGLE_DEVICE_SHARED_MEM", ALL), ("CROSS_DEVICE_SHARED_MEM", ALL),
        ("SHARED_SYSTEM_MEM", ALL)])
    def test_capabilities(self, api, device, name, least):
        assert api.number("clGetDeviceInfo", device, getattr(E, f"DEVICE_{name}_CAPABILITIES_INTEL")) == least

    def test_is_listed(self, api, device):
        assert "cl_intel_unified_shared_memory" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()

    def test_a_device_without_it_does_not_answer(self, api):
        from clpy.device.fake.device import report
        fake = api.devices(E.DEVICE_TYPE_CUSTOM)[0]
        report(svm_types=())
        try:
            assert api.error("clGetDeviceInfo", fake, E.DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, 0, None,
                             None) == "CL_INVALID_VALUE"
        finally:
            report()


class TestAllocations:
    @pytest.mark.parametrize("function", [HOST, DEVICE, SHARED])
    def test_queries(self, api, context, device, usm, function):
        pointer = usm(function, 1000)
        for at in (pointer, pointer + 999):
            assert ask(api, context, at, "TYPE") == TYPES[function]
            assert ask(api, context, at, "BASE_PTR") == pointer
            assert ask(api, context, at, "SIZE") == 1000
            assert ask(api, context, at, "DEVICE") == (0 if function == HOST else device)
            assert ask(api, context, at, "FLAGS") == 0
        assert pointer % 128 == 0

    @pytest.mark.parametrize("function", [HOST, DEVICE, SHARED])
    def test_alignment(self, api, context, device, function):
        """Above that of the largest type, too, as chipStar's hipHostMalloc and Intel's compute-samples ask for it."""
        owner = () if function == HOST else (device,)
        for alignment in (1, 128, 256, 4096, 1 << 21):
            made = [api.make(function, context, *owner, None, 100, alignment) for _ in range(3)]
            for pointer in made:
                assert pointer % alignment == 0
                assert ask(api, context, pointer + 99, "BASE_PTR") == pointer
                assert ask(api, context, pointer - 1, "SIZE") == ask(api, context, pointer + 100, "SIZE") == 0
                ctypes.memset(pointer, 1, 100)
            for pointer in made:
                api.ok("clMemFreeINTEL", context, pointer)

    def test_shared_by_all(self, api, context, usm):
        pointer = usm(SHARED, owner=None)
        assert ask(api, context, pointer, "TYPE") == TYPES[SHARED]
        assert ask(api, context, pointer, "DEVICE") == 0

    @pytest.mark.parametrize(("function", "flags"), [(HOST, COMBINED), (DEVICE, COMBINED), (SHARED, DEVICE_FIRST),
                                                     (SHARED, COMBINED | HOST_FIRST)])
    def test_flags(self, api, context, usm, function, flags):
        assert ask(api, context, usm(function, given=properties(FLAGS, flags)), "FLAGS") == flags

    def test_addresses_of_nobody(self, api, context, other_context, usm):
        svm = api.clSVMAlloc(context, 0, 64, 0)
        for pointer, within in ((None, context), (NONE, context), (svm, context), (usm(), other_context)):
            assert ask(api, within, pointer, "TYPE") == E.MEM_TYPE_UNKNOWN_INTEL
            assert [ask(api, within, pointer, name) for name in ("BASE_PTR", "SIZE", "DEVICE", "FLAGS")] == [0] * 4
        api.clSVMFree(context, svm)

    @pytest.mark.parametrize("function", [HOST, DEVICE, SHARED])
    def test_errors(self, api, context, device, function):
        def error(within=context, owner=device, given=None, size=64, alignment=0):
            return api.new(function, *((within,) if function == HOST else (within, owner)), given, size, alignment)[1]

        most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_MEM_ALLOC_SIZE)
        assert error(within=None, alignment=3) == "CL_INVALID_CONTEXT"
        if function != HOST:
            assert error(owner=c_void_p(context), alignment=3) == "CL_INVALID_DEVICE"
            assert error(owner=api.devices(E.DEVICE_TYPE_CUSTOM)[0]) == "CL_INVALID_DEVICE"
        if function == DEVICE:
            assert error(owner=None) == "CL_INVALID_DEVICE"
        for alignment in (3, 1 << 22, 1 << 31):
            assert error(alignment=alignment, given=properties(1, 2)) == "CL_INVALID_VALUE"
        wrong = [(1, 2), (FLAGS, 8), (FLAGS, 1, FLAGS, 1), (FLAGS, DEVICE_FIRST | HOST_FIRST),
                 (FLAGS, 1, 7, 7, 9, 9, 3, 3)]
        for given in wrong if function == SHARED else [*wrong, (FLAGS, DEVICE_FIRST), (FLAGS, HOST_FIRST)]:
            assert error(given=properties(*given), size=0) == "CL_INVALID_PROPERTY"
        for size in (0, most + 1, 1 << 63):
            assert error(size=size) == "CL_INVALID_BUFFER_SIZE"

    @pytest.mark.parametrize("function", [HOST, DEVICE, SHARED])
    def test_location(self, api, context, device, usm, function):
        """cl_intel_mem_alloc_buffer_location: all memory is in one region, number 0."""
        assert "cl_intel_mem_alloc_buffer_location" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
        for given in (None, properties(LOCATION, 0), properties(LOCATION, 0, FLAGS, COMBINED)):
            assert api.info("clGetMemAllocInfoINTEL", context, usm(function, 64, given), LOCATION) == bytes(4)
        owner = () if function == HOST else (device,)
        for value in (1, 2, 1 << 32, (1 << 64) - 1):
            assert api.new(function, context, *owner, properties(LOCATION, value), 64, 0)[1] == "CL_INVALID_PROPERTY"

    @pytest.mark.parametrize(("create", "refusal"), [("clCreateBufferWithProperties", "CL_INVALID_PROPERTY"),
                                                     ("clCreateBufferWithPropertiesINTEL", "CL_INVALID_VALUE")])
    def test_location_of_buffers(self, api, context, create, refusal):
        for given in (None, properties(LOCATION, 0)):
            buffer = api.make(create, context, given, 0, 64, None)
            assert api.info("clGetMemObjectInfo", buffer, LOCATION) == bytes(4)
            assert api.error("clGetMemObjectInfo", buffer, LOCATION, 3, NONE, None) == "CL_INVALID_VALUE"
            api.ok("clReleaseMemObject", buffer)
        for wrong in (properties(LOCATION, 1), properties(LOCATION, 0, LOCATION, 0)):
            assert api.new(create, context, wrong, 0, 64, None)[1] == refusal

    def test_a_context_without_it_knows_no_locations(self, api):
        from clpy.device.fake.device import report
        report(svm_types=())
        try:
            fake = api.make("clCreateContext", None, 1, handles(api.devices(E.DEVICE_TYPE_CUSTOM)[0]), None, None)
            buffer = api.make("clCreateBuffer", fake, 0, 64, None)
            assert api.error("clGetMemObjectInfo", buffer, LOCATION, 4, NONE, None) == "CL_INVALID_VALUE"
            api.ok("clReleaseMemObject", buffer)
            api.ok("clReleaseContext", fake)
        finally:
            report()

    def test_without_the_error(self, api, context):
        assert api.clHostMemAllocINTEL(context, None, 0, 0, None) is None

    def test_of_devices_that_lack_a_type(self, api):
        """SVM_TYPE_*: 1 fine grain, 2 device, 3 host, 4 shared."""
        from clpy.device.fake.device import report
        fake = api.devices(E.DEVICE_TYPE_CUSTOM)[0]
        within = api.make("clCreateContext", None, 1, handles(fake), None, None)
        try:
            for function, types in ((HOST, (2,)), (DEVICE, (1, 3, 4)), (SHARED, (2, 3))):
                report(svm_types=types)
                arguments = (within,) if function == HOST else (within, fake)
                assert api.new(function, *arguments, None, 64, 3)[1] == "CL_INVALID_OPERATION"
            report(svm_types=(1,))
            api.ok("clMemFreeINTEL", within, api.make(SHARED, within, fake, None, 64, 0))
        finally:
            report()
            api.ok("clReleaseContext", within)


class TestFreeing:
    @pytest.mark.parametrize("function", ["clMemFreeINTEL", "clMemBlockingFreeINTEL"])
    def test_errors(self, api, context, other_context, usm, function):
        pointer, svm = usm(), api.clSVMAlloc(context, 0, 64, 0)
        assert api.error(function, None, pointer) == "CL_INVALID_CONTEXT"
        assert api.error(function, context, None) == "CL_SUCCESS"
        for within, wrong in ((context, NONE), (context, pointer + 1), (other_context, pointer), (context, svm)):
            assert api.error(function, within, wrong) == "CL_INVALID_VALUE"
        api.clSVMFree(context, svm)

    @pytest.mark.parametrize("function", ["clMemFreeINTEL", "clMemBlockingFreeINTEL"])
    def test_once(self, api, context, device, function):
        pointer = api.make(DEVICE, context, device, None, 64, 0)
        api.ok(function, context, pointer)
        assert api.error(function, context, pointer) == "CL_INVALID_VALUE"
        assert ask(api, context, pointer, "TYPE") == E.MEM_TYPE_UNKNOWN_INTEL

    def test_functions_of_svm_leave_it(self, api, context, usm):
        pointer = usm()
        assert api.error("clSVMFreeWithPropertiesKHR", context, None, 0, pointer) == "CL_INVALID_VALUE"
        api.clSVMFree(context, pointer)
        assert ask(api, context, pointer, "SIZE") == 64

    def test_blocking_waits(self, api, context, device, queue, user_event):
        source, target = (api.make(SHARED, context, device, None, 64, 0) for _ in range(2))
        gate, freed = user_event(), []
        ctypes.memset(source, 7, 64)
        api.ok("clEnqueueMemcpyINTEL", queue, 0, target, source, 64, 1, handles(gate), None)
        thread = threading.Thread(target=lambda: freed.append(api.error("clMemBlockingFreeINTEL", context, source)))
        thread.start()
        assert ask(api, context, source, "SIZE") == 64 and not freed     # the copy has not begun
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        thread.join()
        assert freed == ["CL_SUCCESS"] and string_at(target, 64) == b"\7" * 64
        api.ok("clMemFreeINTEL", context, target)

    def test_a_context_lives_as_long_as_its_memory(self, api, device):
        within = api.make("clCreateContext", None, 1, handles(device), None, None)
        pointer = api.make(HOST, within, None, 64, 0)
        api.ok("clReleaseContext", within)
        api.ok("clMemFreeINTEL", within, pointer)


def test_query_errors(api, context, usm):
    pointer, size = usm(), c_uint32()
    name = E.MEM_ALLOC_TYPE_INTEL
    assert api.error("clGetMemAllocInfoINTEL", None, pointer, 1, 4, byref(size), None) == "CL_INVALID_CONTEXT"
    assert api.error("clGetMemAllocInfoINTEL", context, pointer, 1, 4, byref(size), None) == "CL_INVALID_VALUE"
    assert api.error("clGetMemAllocInfoINTEL", context, pointer, name, 3, byref(size), None) == "CL_INVALID_VALUE"
    assert api.error("clGetMemAllocInfoINTEL", context, pointer, name, 4, byref(size), None) == "CL_SUCCESS"


LIST = """
struct node { global struct node *next; int value; };
kernel void k(global struct node *first, global int *sum, int n) {
    int total = 0;
    for (global struct node *at = first; at; at = at->next) total += at->value;
    atomic_add(sum, total * n);
}
"""


class TestKernels:
    @pytest.mark.parametrize("function", [HOST, DEVICE, SHARED])
    def test_a_list(self, api, context, queue, kernel, usm, function):
        """Memory that is reached through a pointer in memory; an argument in the middle of an allocation."""
        nodes, sums, made = usm(function, 64), usm(SHARED, 64), kernel(LIST)
        content = struct.pack("=QqQqQqQq", nodes + 32, 5, 0, 0, nodes + 48, 7, 0, 30)
        api.ok("clEnqueueMemcpyINTEL", queue, 1, nodes, content, 64, 0, None, None)
        api.ok("clEnqueueMemFillINTEL", queue, sums, byref(c_uint32(0)), 4, 64, 0, None, None)
        api.ok("clSetKernelArgMemPointerINTEL", made, 0, c_void_p(nodes))
        api.ok("clSetKernelArgMemPointerINTEL", made, 1, c_void_p(sums + 8))
        api.ok("clSetKernelArg", made, 2, 4, byref(c_uint32(3)))
        for name in ("HOST", "DEVICE", "SHARED"):
            api.ok("clSetKernelExecInfo", made, getattr(E, f"KERNEL_EXEC_INFO_INDIRECT_{name}_ACCESS_INTEL"), 4,
                   byref(c_uint32(1)))
        api.ok("clSetKernelExecInfo", made, E.KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, handles(nodes))
        api.ok("clEnqueueNDRangeKernel", queue, made, 1, None, sizes(2), None, 0, None, None)
        api.ok("clFinish", queue)
        assert struct.unpack("=4i", string_at(sums, 16)) == (0, 0, 2 * 3 * 42, 0)

    def test_argument_errors(self, api, kernel, usm):
        made = kernel("kernel void k(global int *a, int b, constant int *c, local int *d) { *a = b + *c + *d; }")
        assert api.error("clSetKernelArgMemPointerINTEL", None, 9, usm()) == "CL_INVALID_KERNEL"
        assert api.error("clSetKernelArgMemPointerINTEL", made, 4, usm()) == "CL_INVALID_ARG_INDEX"
        for index in (1, 3):
            assert api.error("clSetKernelArgMemPointerINTEL", made, index, usm()) == "CL_INVALID_ARG_VALUE"
        for pointer in (None, usm(), usm(HOST) + 60, NONE, c_void_p(12345)):      # any pointer value is valid
            for index in (0, 2):
                api.ok("clSetKernelArgMemPointerINTEL", made, index, pointer)

    @pytest.mark.parametrize("name", ["INDIRECT_HOST_ACCESS", "INDIRECT_DEVICE_ACCESS", "INDIRECT_SHARED_ACCESS"])
    def test_access_errors(self, api, kernel, name):
        made, number = kernel("kernel void k(int b) { }"), getattr(E, f"KERNEL_EXEC_INFO_{name}_INTEL")
        for size, value in ((4, None), (3, byref(c_uint32(1))), (8, byref(c_uint64(1))), (0, None)):
            assert api.error("clSetKernelExecInfo", made, number, size, value) == "CL_INVALID_VALUE"
        for value in (0, 1):
            api.ok("clSetKernelExecInfo", made, number, 4, byref(c_uint32(value)))

    def test_pointer_errors(self, api, kernel, usm):
        made, number = kernel("kernel void k(int b) { }"), E.KERNEL_EXEC_INFO_USM_PTRS_INTEL
        for size, value in ((8, None), (0, handles(1)), (7, handles(1))):
            assert api.error("clSetKernelExecInfo", made, number, size, value) == "CL_INVALID_VALUE"
        api.ok("clSetKernelExecInfo", made, number, 24, handles(usm(), usm(DEVICE), None))
        api.ok("clSetKernelExecInfo", made, number, 0, None)

    def test_of_devices_that_lack_a_type(self, api):
        from clpy.device.fake.device import report
        fake = api.devices(E.DEVICE_TYPE_CUSTOM)[0]
        within = api.make("clCreateContext", None, 1, handles(fake), None, None)
        text = (ctypes.c_char_p * 1)(b"kernel void k(int b) { }")
        program = api.make("clCreateProgramWithSource", within, 1, text, None)
        api.ok("clBuildProgram", program, 0, None, b"", None, None)
        made = api.make("clCreateKernel", program, b"k")
        names = ("INDIRECT_HOST_ACCESS", "INDIRECT_DEVICE_ACCESS", "INDIRECT_SHARED_ACCESS", "USM_PTRS")
        try:
            for types, able in (((), ()), ((2,), ("INDIRECT_DEVICE_ACCESS", "USM_PTRS")),
                                ((1,), ("INDIRECT_SHARED_ACCESS", "USM_PTRS"))):
                report(svm_types=types)
                for name in names:
                    number = getattr(E, f"KERNEL_EXEC_INFO_{name}_INTEL")
                    error = api.error("clSetKernelExecInfo", made, number, 1, None)
                    assert error == ("CL_INVALID_VALUE" if name in able else "CL_INVALID_OPERATION")
        finally:
            report()
            for kind, handle in (("Kernel", made), ("Program", program), ("Context", within)):
                api.ok(f"clRelease{kind}", handle)


COMMANDS = {     # name -> (type of the command, the arguments between the queue and the wait list)
    "MemFill": ("MEMFILL", lambda to: (to, byref(c_uint64(1)), 8, 64)),
    "Memcpy": ("MEMCPY", lambda to: (0, to, NONE, 64)),
    "MigrateMem": ("MIGRATEMEM", lambda to: (to, 64, 0)),
    "MemAdvise": ("MEMADVISE", lambda to: (to, 64, 0))}


class TestCommands:
    @pytest.mark.parametrize("size", [1, 2, 16, 128])
    def test_fill(self, api, queue, usm, size):
        pattern, pointer = bytes(range(1, size + 1)), usm(DEVICE, 4096)
        api.ok("clEnqueueMemFillINTEL", queue, pointer, pattern, size, 4096, 0, None, None)
        api.ok("clFinish", queue)
        assert string_at(pointer, 4096) == pattern * (4096 // size)

    def test_fill_errors(self, api, queue, usm):
        pointer, pattern = usm(size=512), create_string_buffer(512)
        for to, what, size, whole in ((None, pattern, 4, 64), (pointer + 2, pattern, 4, 64), (pointer, None, 4, 64),
                                      (pointer, pattern, 0, 64), (pointer, pattern, 3, 63),
                                      (pointer, pattern, 256, 512), (pointer, pattern, 8, 60)):
            assert api.error("clEnqueueMemFillINTEL", queue, to, what, size, whole, 1, None, None) == "CL_INVALID_VALUE"
        api.ok("clEnqueueMemFillINTEL", queue, pointer, pattern, 4, 0, 0, None, None)

    def test_copies(self, api, queue, usm):
        """Between all kinds of memory, that of the system among them."""
        host = create_string_buffer(bytes(range(64)), 64)
        kinds = [usm(HOST), usm(DEVICE), usm(SHARED), usm(SHARED, owner=None), create_string_buffer(64), host]
        for source in kinds:
            for target in kinds:
                if source is target:
                    continue
                api.ok("clEnqueueMemcpyINTEL", queue, 0, source, bytes(range(64)), 64, 0, None, None)
                api.ok("clEnqueueMemFillINTEL", queue, target, byref(c_uint32(0)), 4, 64, 0, None, None)
                api.ok("clEnqueueMemcpyINTEL", queue, 1, target, source, 64, 0, None, None)
                assert string_at(target, 64) == bytes(range(64))

    def test_copy_errors(self, api, queue, usm, user_event):
        pointer, failed = usm(size=128), user_event()
        for to, source in ((None, pointer), (pointer, None), (None, None)):
            assert api.error("clEnqueueMemcpyINTEL", queue, 0, to, source, 64, 1, None, None) == "CL_INVALID_VALUE"
        assert api.error("clEnqueueMemcpyINTEL", queue, 0, pointer, pointer + 63, 64, 1, None,
                         None) == "CL_INVALID_EVENT_WAIT_LIST"
        api.ok("clSetUserEventStatus", failed, -5)
        assert api.error("clEnqueueMemcpyINTEL", queue, 1, pointer, pointer + 64, 64, 1, handles(failed),
                         None) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        for to in (pointer, pointer + 63):
            assert api.error("clEnqueueMemcpyINTEL", queue, 0, to, pointer, 64, 0, None, None) == "CL_MEM_COPY_OVERLAP"
        api.ok("clEnqueueMemcpyINTEL", queue, 1, pointer + 64, pointer, 64, 0, None, None)

    def test_hints(self, api, queue, usm):
        pointer = usm()
        for flags in (0, 1, 2, 3):
            api.ok("clEnqueueMigrateMemINTEL", queue, pointer, 64, flags, 0, None, None)
        for flags in (4, 1 << 40):
            assert api.error("clEnqueueMigrateMemINTEL", queue, pointer, 64, flags, 1, None, None) == "CL_INVALID_VALUE"
        for advice in (0, 0x4208, 0x420F):
            api.ok("clEnqueueMemAdviseINTEL", queue, pointer, 64, advice, 0, None, None)
        for advice in (1, 0x4207, 0x4210):
            assert api.error("clEnqueueMemAdviseINTEL", queue, pointer, 64, advice, 1, None, None) == "CL_INVALID_VALUE"

    @pytest.mark.parametrize("name", COMMANDS)
    def test_events(self, api, queue, usm, name):
        kind, arguments = COMMANDS[name]
        event = c_void_p()
        api.ok(f"clEnqueue{name}INTEL", queue, *arguments(usm()), 0, None, byref(event))
        api.ok("clWaitForEvents", 1, byref(event))
        assert event_status(api, event) == E.COMPLETE
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == getattr(E, f"COMMAND_{kind}_INTEL")
        api.ok("clReleaseEvent", event)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_errors_of_all(self, api, context, other_context, queue, usm, user_event, name):
        enqueue, arguments = f"clEnqueue{name}INTEL", COMMANDS[name][1](usm())
        assert api.error(enqueue, c_void_p(context), *arguments, 1, None, None) == "CL_INVALID_COMMAND_QUEUE"
        other = user_event(within=other_context)
        assert api.error(enqueue, queue, *arguments, 1, handles(other), None) == "CL_INVALID_CONTEXT"
        for count, events in ((1, None), (0, handles(other)), (1, handles(queue))):
            assert api.error(enqueue, queue, *arguments, count, events, None) == "CL_INVALID_EVENT_WAIT_LIST"
