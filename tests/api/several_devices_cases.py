# SPDX-License-Identifier: Apache-2.0
"""A context of several devices: memory, events and programs that they share. The devices are parts of one with
TEST_UNITS compute units; test_sub_device.py runs this file in a process of its own."""
import ctypes
import os
import struct
import threading
from ctypes import CFUNCTYPE, addressof, byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p, create_string_buffer

import pytest
from clapi import E, event_status, handles, sizes

os.environ["CLPY_NUM_THREADS"] = os.environ["TEST_UNITS"]        # the library is not loaded yet

pytestmark = pytest.mark.usefixtures("no_leak")
SIZE = 4096
NOTIFY = CFUNCTYPE(None, c_void_p, c_void_p)
SOURCE = """
#ifndef STEP
#define STEP 1
#endif
kernel void add(global uint *a) { a[get_global_id(0)] += STEP; }
"""


@pytest.fixture
def parts(api, device):
    made = handles(None, None)
    equally = (c_size_t * 3)(E.DEVICE_PARTITION_EQUALLY, 1, 0)
    api.ok("clCreateSubDevices", device, equally, int(os.environ["TEST_UNITS"]), made, None)
    yield list(made)
    for part in made:
        api.ok("clReleaseDevice", part)


@pytest.fixture
def shared(api, parts):
    made = api.make("clCreateContext", None, 2, handles(*parts), None, None)
    yield made
    api.ok("clReleaseContext", made)


@pytest.fixture
def queues(api, shared, parts):
    made = [api.make("clCreateCommandQueue", shared, part, E.QUEUE_PROFILING_ENABLE) for part in parts]
    yield made
    for queue in made:
        api.ok("clFinish", queue)
        api.ok("clReleaseCommandQueue", queue)


def read(api, queue, mem, size=SIZE, wait=()):
    host = create_string_buffer(size)
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, size, host, len(wait), handles(*wait) if wait else None, None)
    return host.raw


# ---- memory

def test_a_buffer_and_its_parts_on_both(api, queues, shared, buffer):
    """Overlapping sub-buffers, each written on another device: what one wrote the other sees after the event."""
    mem, event = buffer(contents=bytes(SIZE), within=shared), c_void_p()
    low, high = (api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(at, SIZE // 2))
                 for at in (0, SIZE // 4))
    api.ok("clEnqueueFillBuffer", queues[0], low, b"l", 1, 0, SIZE // 2, 0, None, byref(event))
    second = c_void_p()
    api.ok("clEnqueueFillBuffer", queues[1], high, b"h", 1, 0, SIZE // 2, 1, handles(event.value), byref(second))
    third = c_void_p()
    api.ok("clEnqueueCopyBuffer", queues[0], low, mem, SIZE // 4, SIZE - 16, 16, 1, handles(second.value), byref(third))
    expected = b"l" * (SIZE // 4) + b"h" * (SIZE // 2) + bytes(SIZE // 4 - 16) + b"h" * 16
    assert read(api, queues[1], mem, wait=(third.value,)) == expected
    assert api.error("clEnqueueCopyBuffer", queues[0], low, high, SIZE // 4, 0, 16, 0, None, None) == (
        "CL_MEM_COPY_OVERLAP")
    for each in (event, second, third):
        api.ok("clReleaseEvent", each)
    for each in (low, high):
        api.ok("clReleaseMemObject", each)


def test_mapped_by_one_and_unmapped_by_the_other(api, queues, shared, buffer):
    mem = buffer(contents=bytes(SIZE), within=shared)
    first = api.make("clEnqueueMapBuffer", queues[0], mem, 1, E.MAP_WRITE_INVALIDATE_REGION, 0, 16, 0, None, None)
    assert api.new("clEnqueueMapBuffer", queues[1], mem, 1, E.MAP_WRITE, 8, 16, 0, None, None)[1] == (
        "CL_INVALID_OPERATION"), "regions mapped for writing do not overlap, whatever the queue"
    second = api.make("clEnqueueMapBuffer", queues[1], mem, 1, E.MAP_READ, 0, 16, 0, None, None)
    assert first == second, "nothing is copied"
    assert api.number("clGetMemObjectInfo", mem, E.MEM_MAP_COUNT) == 2
    ctypes.memmove(first, b"from the host...", 16)
    for pointer in (first, second):
        api.ok("clEnqueueUnmapMemObject", queues[1], mem, pointer, 0, None, None)
    api.ok("clFinish", queues[1])
    assert read(api, queues[0], mem, 16) == b"from the host..."
    assert api.number("clGetMemObjectInfo", mem, E.MEM_MAP_COUNT) == 0


@pytest.mark.parametrize("flags", [E.MEM_ALLOC_HOST_PTR, E.MEM_USE_HOST_PTR, 0])
def test_a_map_is_the_storage(api, queues, shared, buffer, flags):
    host = create_string_buffer(SIZE + 4096)
    place = (addressof(host) + 4095) & ~4095
    mem = api.make("clCreateBuffer", shared, flags, SIZE, place if flags & E.MEM_USE_HOST_PTR else None)
    pointers = {api.make("clEnqueueMapBuffer", queue, mem, 1, E.MAP_READ, 0, SIZE, 0, None, None) for queue in queues}
    assert len(pointers) == 1
    if flags & E.MEM_USE_HOST_PTR:
        assert pointers == {place}
    pointer = pointers.pop()
    for queue in queues:
        api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)
        api.ok("clFinish", queue)
    if flags & E.MEM_USE_HOST_PTR:       # what a device writes is there, without a map even
        api.ok("clEnqueueFillBuffer", queues[1], mem, b"w", 1, 0, SIZE, 0, None, None)
        api.ok("clFinish", queues[1])
        assert ctypes.string_at(place, SIZE) == b"w" * SIZE
    api.ok("clReleaseMemObject", mem)


@pytest.mark.parametrize("flags", [0, E.MIGRATE_MEM_OBJECT_HOST, E.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED])
def test_migration(api, queues, shared, buffer, flags):
    mems = [buffer(contents=b"m" * SIZE, within=shared) for _ in range(2)]
    event = c_void_p()
    api.ok("clEnqueueMigrateMemObjects", queues[0], 2, handles(*mems), flags, 0, None, byref(event))
    api.ok("clEnqueueMigrateMemObjects", queues[1], 2, handles(*mems), flags, 1, handles(event.value), None)
    api.ok("clFinish", queues[1])
    if not flags & E.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED:
        assert read(api, queues[0], mems[1]) == b"m" * SIZE
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_MIGRATE_MEM_OBJECTS
    api.ok("clReleaseEvent", event)


# ---- events

def test_a_failure_passes_from_device_to_device(api, queues, shared, buffer, user_event):
    gate, mem = user_event(shared), buffer(contents=bytes(SIZE), within=shared)
    first, second = c_void_p(), c_void_p()
    api.ok("clEnqueueFillBuffer", queues[0], mem, b"1", 1, 0, SIZE, 1, handles(gate), byref(first))
    api.ok("clEnqueueFillBuffer", queues[1], mem, b"2", 1, 0, SIZE, 1, handles(first.value), byref(second))
    api.ok("clEnqueueWaitForEvents", queues[0], 1, handles(second.value))
    api.ok("clSetUserEventStatus", gate, -7)
    assert api.error("clWaitForEvents", 1, handles(second.value)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    for queue in queues:
        api.clFinish(queue)
    assert read(api, queues[1], mem) == bytes(SIZE)
    for event in (first, second):
        assert event_status(api, event) == E.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        api.ok("clReleaseEvent", event)


# ---- programs

def build(api, program, devices, options, notify=None):
    api.ok("clBuildProgram", program, len(devices), handles(*devices) if devices else None, options, notify, None)


@pytest.fixture
def made(api, shared):
    program = api.make("clCreateProgramWithSource", shared, 1, (c_char_p * 1)(SOURCE.encode()), None)
    yield program
    api.ok("clReleaseProgram", program)


def run(api, kernel, queue, mem):
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(16), None, 0, None, None)
    api.ok("clFinish", queue)


def test_other_options_for_each_device(api, queues, shared, parts, made, buffer):
    """And again with others, on one of them: the other one's build stays."""
    mem = buffer(contents=bytes(64), within=shared)
    total = 0
    for steps in ((3, 100), (5, 100)):
        if total == 0:
            build(api, made, parts[1:], b"-DSTEP=100")
        build(api, made, parts[:1], b"-DSTEP=%d" % steps[0])
        for part, step in zip(parts, steps, strict=True):
            assert api.text("clGetProgramBuildInfo", made, part, E.PROGRAM_BUILD_OPTIONS) == f"-DSTEP={step}"
        kernel = api.make("clCreateKernel", made, b"add")
        for queue in queues:
            run(api, kernel, queue, mem)
        api.ok("clReleaseKernel", kernel)
        total += sum(steps)
        assert struct.unpack("=16I", read(api, queues[0], mem, 64)) == (total,) * 16


def test_built_for_one_only(api, queues, shared, parts, made, buffer):
    build(api, made, parts[:1], None)
    status = [struct.unpack("=i", api.info("clGetProgramBuildInfo", made, part, E.PROGRAM_BUILD_STATUS))[0]
              for part in parts]
    assert status == [E.BUILD_SUCCESS, E.BUILD_NONE]
    kernel, mem = api.make("clCreateKernel", made, b"add"), buffer(contents=bytes(64), within=shared)
    run(api, kernel, queues[0], mem)
    assert api.error("clEnqueueNDRangeKernel", queues[1], kernel, 1, None, sizes(16), None, 0, None, None) == (
        "CL_INVALID_PROGRAM_EXECUTABLE")
    assert api.error("clGetKernelWorkGroupInfo", kernel, None, E.KERNEL_WORK_GROUP_SIZE, 0, None, None) == (
        "CL_INVALID_DEVICE"), "several devices: one has to be named"
    api.ok("clReleaseKernel", kernel)


def test_a_build_in_the_background(api, queues, shared, parts, made, buffer):
    done = threading.Event()
    notify = NOTIFY(lambda *_: done.set())
    build(api, made, [], b"-DSTEP=2", notify)
    assert done.wait(60)
    kernel, mem = api.make("clCreateKernel", made, b"add"), buffer(contents=bytes(64), within=shared)
    for queue in queues:
        run(api, kernel, queue, mem)
    assert struct.unpack("=16I", read(api, queues[0], mem, 64)) == (4,) * 16
    api.ok("clReleaseKernel", kernel)


def test_after_the_compiler_was_unloaded(api, queues, shared, made, buffer):
    build(api, made, [], None)
    kernel, mem = api.make("clCreateKernel", made, b"add"), buffer(contents=bytes(64), within=shared)
    api.ok("clUnloadPlatformCompiler", api.platform())
    api.ok("clUnloadCompiler")
    for queue in queues:
        run(api, kernel, queue, mem)
    api.ok("clReleaseKernel", kernel)
    build(api, made, [], b"-DSTEP=7")    # it comes back
    kernel = api.make("clCreateKernel", made, b"add")
    run(api, kernel, queues[1], mem)
    assert struct.unpack("=16I", read(api, queues[0], mem, 64)) == (9,) * 16
    api.ok("clReleaseKernel", kernel)


def test_binaries_of_each_device(api, queues, shared, parts, made, buffer):
    build(api, made, [], b"-DSTEP=4")
    lengths = struct.unpack("=2Q", api.info("clGetProgramInfo", made, E.PROGRAM_BINARY_SIZES))
    rooms = [create_string_buffer(length) for length in lengths]
    pointers = (c_void_p * 2)(*map(addressof, rooms))
    api.ok("clGetProgramInfo", made, E.PROGRAM_BINARIES, 16, pointers, None)
    status = (c_int32 * 2)(9, 9)
    other = api.make("clCreateProgramWithBinary", shared, 2, handles(*parts), sizes(*lengths), pointers, status)
    assert list(status) == [0, 0]
    build(api, other, [], None)
    kernel, mem = api.make("clCreateKernel", other, b"add"), buffer(contents=bytes(64), within=shared)
    for queue in queues:
        run(api, kernel, queue, mem)
    assert struct.unpack("=16I", read(api, queues[0], mem, 64)) == (8,) * 16
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", other)


def test_compile_and_link_for_several(api, queues, shared, parts, buffer):
    """Compiled for both, linked for both; then one unit is missing for a device."""
    texts = (b"uint step(void) { return 6; }", b"uint step(void); kernel void add(global uint *a)"
             b" { a[get_global_id(0)] += step(); }")
    units = [api.make("clCreateProgramWithSource", shared, 1, (c_char_p * 1)(text), None) for text in texts]
    for unit in units:
        api.ok("clCompileProgram", unit, 0, None, None, 0, None, None, None, None)
    linked = api.make("clLinkProgram", shared, 0, None, None, 2, handles(*units), None, None)
    kernel, mem = api.make("clCreateKernel", linked, b"add"), buffer(contents=bytes(64), within=shared)
    for queue in queues:
        run(api, kernel, queue, mem)
    assert struct.unpack("=16I", read(api, queues[0], mem, 64)) == (12,) * 16
    api.ok("clReleaseKernel", kernel)
    half = api.make("clCreateProgramWithSource", shared, 1, (c_char_p * 1)(texts[0]), None)
    api.ok("clCompileProgram", half, 1, handles(parts[0]), None, 0, None, None, None, None)
    assert api.new("clLinkProgram", shared, 0, None, None, 2, handles(half, units[1]), None, None)[1] == (
        "CL_INVALID_OPERATION")
    only = api.make("clLinkProgram", shared, 1, handles(parts[0]), None, 2, handles(half, units[1]), None, None)
    for each in (*units, linked, half, only):
        api.ok("clReleaseProgram", each)


def test_a_device_of_another_context(api, device, shared, parts, made):
    assert api.new("clCreateCommandQueue", shared, device, 0)[1] == "CL_INVALID_DEVICE"
    assert api.error("clBuildProgram", made, 1, handles(device), None, None, None) == "CL_INVALID_DEVICE"
    assert api.error("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_STATUS, 0, None, None) == (
        "CL_INVALID_DEVICE")
    count = c_uint32()
    api.ok("clGetContextInfo", shared, E.CONTEXT_NUM_DEVICES, 4, byref(count), None)
    assert count.value == 2
    assert struct.unpack("=2Q", api.info("clGetContextInfo", shared, E.CONTEXT_DEVICES)) == tuple(parts)
