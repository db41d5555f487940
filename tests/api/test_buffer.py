# SPDX-License-Identifier: Apache-2.0
"""Buffers and sub-buffers: making, asking, reading, writing, copying, migrating."""
import ctypes
import random
import subprocess
import sys
import threading
from ctypes import CFUNCTYPE, byref, c_uint32, c_uint64, c_void_p, cast, create_string_buffer
from pathlib import Path

import pytest
from clapi import E, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

DESTRUCTOR = CFUNCTYPE(None, c_void_p, c_void_p)
BIG = 5_000_011                  # odd, and enough to be split over threads


def address(function):
    return cast(function, c_void_p)


def some_bytes(n, seed=1):
    return random.Random(seed).randbytes(n)


def region(origin, size):
    return sizes(origin, size)


def mem_number(api, mem, name):
    return api.number("clGetMemObjectInfo", mem, getattr(E, "MEM_" + name))


@pytest.fixture
def align(api, device):
    return api.number("clGetDeviceInfo", device, E.DEVICE_MEM_BASE_ADDR_ALIGN) // 8


@pytest.fixture
def sub(api):
    made = []

    def new(parent, origin, size, flags=0):
        made.append(api.make("clCreateSubBuffer", parent, flags, E.BUFFER_CREATE_TYPE_REGION, region(origin, size)))
        return made[-1]

    yield new
    for mem in made:
        api.ok("clReleaseMemObject", mem)


# ---- making and asking

ACCESS = (0, E.MEM_READ_WRITE, E.MEM_READ_ONLY, E.MEM_WRITE_ONLY)
HOST = (0, E.MEM_HOST_READ_ONLY, E.MEM_HOST_WRITE_ONLY, E.MEM_HOST_NO_ACCESS)
POINTER = (0, E.MEM_ALLOC_HOST_PTR, E.MEM_USE_HOST_PTR, E.MEM_COPY_HOST_PTR,
           E.MEM_ALLOC_HOST_PTR | E.MEM_COPY_HOST_PTR)


@pytest.mark.parametrize("pointer", POINTER)
@pytest.mark.parametrize("host", HOST)
@pytest.mark.parametrize("access", ACCESS)
def test_flags_and_info(api, context, access, host, pointer):
    memory = create_string_buffer(some_bytes(1024), 1024)
    needs = pointer & (E.MEM_USE_HOST_PTR | E.MEM_COPY_HOST_PTR)
    mem = api.make("clCreateBuffer", context, access | host | pointer, 1024, memory if needs else None)
    assert mem_number(api, mem, "FLAGS") == access | host | pointer
    assert mem_number(api, mem, "TYPE") == E.MEM_OBJECT_BUFFER
    assert mem_number(api, mem, "SIZE") == 1024
    used = ctypes.addressof(memory) if pointer & E.MEM_USE_HOST_PTR else 0
    assert mem_number(api, mem, "HOST_PTR") == used
    assert mem_number(api, mem, "CONTEXT") == context
    assert [mem_number(api, mem, n) for n in ("MAP_COUNT", "ASSOCIATED_MEMOBJECT", "OFFSET", "USES_SVM_POINTER")] == [
        0] * 4
    assert api.info("clGetMemObjectInfo", mem, E.MEM_PROPERTIES) == b""
    assert mem_number(api, mem, "REFERENCE_COUNT") == 1
    api.ok("clRetainMemObject", mem)
    assert mem_number(api, mem, "REFERENCE_COUNT") == 2
    api.ok("clReleaseMemObject", mem)
    api.ok("clReleaseMemObject", mem)
    assert api.error("clReleaseMemObject", mem) == "CL_INVALID_MEM_OBJECT"


def test_with_properties(api, context):
    for given in (None, numbers(c_uint64, 0)):
        mem = api.make("clCreateBufferWithProperties", context, given, 0, 64, None)
        assert api.info("clGetMemObjectInfo", mem, E.MEM_PROPERTIES) == (bytes(given) if given else b"")
        api.ok("clReleaseMemObject", mem)


@pytest.mark.parametrize("size", [1, 4096, BIG])
def test_copy_host_ptr(api, buffer, contents, size):
    data = some_bytes(size)
    assert contents(buffer(contents=data), size) == data


def test_use_host_ptr_is_the_storage(api, context, queue, contents):
    memory = create_string_buffer(some_bytes(4096), 4096)
    mem = api.make("clCreateBuffer", context, E.MEM_USE_HOST_PTR, 4096, memory)
    assert contents(mem, 4096) == memory.raw
    api.ok("clEnqueueWriteBuffer", queue, mem, 1, 100, 5, b"hello", 0, None, None)
    pointer = api.make("clEnqueueMapBuffer", queue, mem, 1, E.MAP_READ, 100, 5, 0, None, None)
    assert pointer == ctypes.addressof(memory) + 100
    assert memory.raw[100:105] == b"hello"
    api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)
    api.ok("clFinish", queue)
    api.ok("clReleaseMemObject", mem)


def test_alignment(api, buffer, queue, align):
    for size in (1, 100, 5000, 3 << 20):
        mem = buffer(size)
        pointer = api.make("clEnqueueMapBuffer", queue, mem, 1, E.MAP_READ, 0, size, 0, None, None)
        assert pointer % align == 0
        api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)


def test_create_errors(api, device, context):
    most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_MEM_ALLOC_SIZE)
    memory = create_string_buffer(64)

    def error(ctx, flags, size, pointer=None):
        mem, name = api.new("clCreateBuffer", ctx, flags, size, pointer)
        assert mem is None
        return name

    assert error(device, 0, 64) == "CL_INVALID_CONTEXT"
    for flags in (E.MEM_READ_WRITE | E.MEM_READ_ONLY, E.MEM_READ_ONLY | E.MEM_WRITE_ONLY,
                  E.MEM_READ_WRITE | E.MEM_WRITE_ONLY, E.MEM_HOST_READ_ONLY | E.MEM_HOST_WRITE_ONLY,
                  E.MEM_HOST_NO_ACCESS | E.MEM_HOST_WRITE_ONLY, 1 << 10, 1 << 12, 1 << 63):
        assert error(context, flags, 64) == "CL_INVALID_VALUE", hex(flags)
    for flags in (E.MEM_ALLOC_HOST_PTR, E.MEM_COPY_HOST_PTR):
        assert error(context, E.MEM_USE_HOST_PTR | flags, 64, memory) == "CL_INVALID_VALUE"
    assert error(context, 1 << 63, 0) == "CL_INVALID_VALUE", "before CL_INVALID_BUFFER_SIZE"
    assert error(context, 0, 0) == "CL_INVALID_BUFFER_SIZE"
    assert error(context, 0, most + 1) == "CL_INVALID_BUFFER_SIZE"
    assert error(context, 0, 2**64 - 1) == "CL_INVALID_BUFFER_SIZE"
    assert error(context, 0, 0, memory) == "CL_INVALID_BUFFER_SIZE", "before CL_INVALID_HOST_PTR"
    assert error(context, E.MEM_USE_HOST_PTR, 64) == "CL_INVALID_HOST_PTR"
    assert error(context, E.MEM_COPY_HOST_PTR, 64) == "CL_INVALID_HOST_PTR"
    assert error(context, 0, 64, memory) == "CL_INVALID_HOST_PTR"
    assert error(context, E.MEM_ALLOC_HOST_PTR, 64, memory) == "CL_INVALID_HOST_PTR"
    mem, name = api.new("clCreateBufferWithProperties", context, numbers(c_uint64, 0x7777, 1, 0), 0, 0, None)
    assert (mem, name) == (None, "CL_INVALID_PROPERTY")


def test_errcode_ret_may_be_null(api, context):
    assert api.clCreateBuffer(context, 0, 0, None, None) is None
    mem = api.clCreateBuffer(context, 0, 16, None, None)
    api.ok("clReleaseMemObject", mem)


def test_info_errors(api, context, buffer):
    mem, value = buffer(64), c_uint32()
    assert api.error("clGetMemObjectInfo", context, E.MEM_TYPE, 4, byref(value), None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clGetMemObjectInfo", mem, 0xDEAD, 4, byref(value), None) == "CL_INVALID_VALUE"
    assert api.error("clGetMemObjectInfo", mem, E.MEM_SIZE, 4, byref(value), None) == "CL_INVALID_VALUE"
    assert api.error("clRetainMemObject", context) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clReleaseMemObject", context) == "CL_INVALID_MEM_OBJECT"


def test_destructor_callbacks(api, context, queue):
    seen = []
    call = DESTRUCTOR(lambda mem, data: seen.append((mem, data)))
    memory = create_string_buffer(64)
    mem = api.make("clCreateBuffer", context, E.MEM_USE_HOST_PTR, 64, memory)
    for data in (1, 2, 3):
        api.ok("clSetMemObjectDestructorCallback", mem, address(call), data)
    child = api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, region(0, 16))
    api.ok("clReleaseMemObject", mem)
    assert seen == [], "a sub-buffer keeps its parent"
    api.ok("clReleaseMemObject", child)
    assert seen == [(mem, 3), (mem, 2), (mem, 1)]
    assert api.error("clSetMemObjectDestructorCallback", context, address(call), None) == "CL_INVALID_MEM_OBJECT"


def test_destructor_callback_errors(api, buffer):
    assert api.error("clSetMemObjectDestructorCallback", buffer(16), None, None) == "CL_INVALID_VALUE"


def test_a_command_keeps_its_buffer(api, context, device, queue, user_event):
    """Released while a command that uses it waits: it ends when the command has."""
    seen = []
    call = DESTRUCTOR(lambda *_: seen.append(1))
    mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 5, b"abcde")
    api.ok("clSetMemObjectDestructorCallback", mem, address(call), None)
    gate, host = user_event(), create_string_buffer(5)
    api.ok("clEnqueueReadBuffer", queue, mem, 0, 0, 5, host, 1, handles(gate), None)
    api.ok("clReleaseMemObject", mem)
    assert seen == [] and host.raw == bytes(5)
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert host.raw == b"abcde"
    api.ok("clReleaseCommandQueue", api.make("clCreateCommandQueue", context, device, 0))
    assert seen == [1]


# ---- sub-buffers

def test_sub_buffer_info_and_contents(api, buffer, sub, contents, queue, align):
    data = some_bytes(align * 4)
    mem = buffer(contents=data)
    child = sub(mem, align, align * 2)
    assert mem_number(api, child, "SIZE") == align * 2
    assert mem_number(api, child, "OFFSET") == align
    assert mem_number(api, child, "ASSOCIATED_MEMOBJECT") == mem
    assert mem_number(api, child, "TYPE") == E.MEM_OBJECT_BUFFER
    assert contents(child, align * 2) == data[align:align * 3]
    api.ok("clEnqueueWriteBuffer", queue, child, 1, 4, 3, b"xyz", 0, None, None)
    assert contents(mem, 3, align + 4) == b"xyz"


def test_sub_buffer_flags_are_inherited(api, context, sub, align):
    memory = create_string_buffer(align * 2)
    flags = E.MEM_READ_ONLY | E.MEM_HOST_READ_ONLY | E.MEM_USE_HOST_PTR
    mem = api.make("clCreateBuffer", context, flags, align * 2, memory)
    child = sub(mem, align, align)
    assert mem_number(api, child, "FLAGS") == flags
    assert mem_number(api, child, "HOST_PTR") == ctypes.addressof(memory) + align
    narrow = sub(mem, 0, align, E.MEM_HOST_NO_ACCESS)
    assert mem_number(api, narrow, "FLAGS") == E.MEM_READ_ONLY | E.MEM_HOST_NO_ACCESS | E.MEM_USE_HOST_PTR
    api.ok("clReleaseMemObject", mem)


def test_sub_buffer_errors(api, context, buffer, sub, align):
    def error(parent, flags, size=align, origin=0, kind=E.BUFFER_CREATE_TYPE_REGION, info=True):
        mem, name = api.new("clCreateSubBuffer", parent, flags, kind, region(origin, size) if info else None)
        assert mem is None
        return name

    mem = buffer(align * 4)
    child = sub(mem, 0, align * 2)
    assert error(context, 0) == "CL_INVALID_MEM_OBJECT"
    assert error(child, 0) == "CL_INVALID_MEM_OBJECT"
    for parent, flags in ((E.MEM_WRITE_ONLY, E.MEM_READ_WRITE), (E.MEM_WRITE_ONLY, E.MEM_READ_ONLY),
                          (E.MEM_READ_ONLY, E.MEM_READ_WRITE), (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY),
                          (E.MEM_HOST_WRITE_ONLY, E.MEM_HOST_READ_ONLY), (E.MEM_HOST_READ_ONLY, E.MEM_HOST_WRITE_ONLY),
                          (E.MEM_HOST_NO_ACCESS, E.MEM_HOST_READ_ONLY), (E.MEM_HOST_NO_ACCESS, E.MEM_HOST_WRITE_ONLY),
                          (0, E.MEM_USE_HOST_PTR), (0, E.MEM_COPY_HOST_PTR), (0, E.MEM_ALLOC_HOST_PTR),
                          (0, E.MEM_READ_ONLY | E.MEM_WRITE_ONLY), (0, 1 << 50)):
        assert error(buffer(align, parent), flags) == "CL_INVALID_VALUE", (parent, flags)
    assert error(mem, 0, kind=0x1234) == "CL_INVALID_VALUE"
    assert error(mem, 0, info=False) == "CL_INVALID_VALUE"
    assert error(mem, 0, align * 4, align) == "CL_INVALID_VALUE"
    assert error(mem, 0, 2**64 - 1, align) == "CL_INVALID_VALUE"
    assert error(mem, 0, 0) == "CL_INVALID_BUFFER_SIZE"
    assert error(mem, 0, 8, 4) == "CL_MISALIGNED_SUB_BUFFER_OFFSET"


# ---- reading, writing, copying

@pytest.mark.parametrize("blocking", [0, 1])
@pytest.mark.parametrize(("size", "offset"), [(1, 0), (4096, 0), (777, 33), (BIG, 0), (BIG - 13, 7)])
def test_write_then_read(api, queue, buffer, size, offset, blocking):
    mem, data, back = buffer(BIG), some_bytes(size, size), create_string_buffer(size)
    api.ok("clEnqueueWriteBuffer", queue, mem, blocking, offset, size, data, 0, None, None)
    api.ok("clEnqueueReadBuffer", queue, mem, blocking, offset, size, back, 0, None, None)
    if not blocking:
        api.ok("clFinish", queue)
    assert back.raw == data


@pytest.mark.parametrize("size", [1, 1000, BIG])
def test_copy(api, queue, buffer, contents, size):
    data = some_bytes(size)
    source, target = buffer(contents=data), buffer(contents=bytes(size + 9))
    api.ok("clEnqueueCopyBuffer", queue, source, target, 0, 5, size, 0, None, None)
    assert contents(target, size + 9) == bytes(5) + data + bytes(4)


def test_copy_within_a_buffer(api, queue, buffer, contents):
    mem = buffer(contents=b"0123456789")
    api.ok("clEnqueueCopyBuffer", queue, mem, mem, 0, 5, 5, 0, None, None)
    assert contents(mem, 10) == b"0123401234"


def test_nothing_to_move(api, queue, buffer, contents):
    mem, host = buffer(contents=b"abcd"), create_string_buffer(4)
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 4, 0, host, 0, None, None)
    api.ok("clEnqueueWriteBuffer", queue, mem, 1, 4, 0, host, 0, None, None)
    api.ok("clEnqueueCopyBuffer", queue, mem, mem, 1, 1, 0, 0, None, None)
    assert contents(mem, 4) == b"abcd"


@pytest.mark.parametrize("function", ["clEnqueueReadBuffer", "clEnqueueWriteBuffer"])
def test_event_and_order(api, queue, buffer, user_event, function):
    """The command waits for its list, is the kind its function says, and completes."""
    mem, host, gate, event = buffer(contents=bytes(16)), create_string_buffer(16), user_event(), c_void_p()
    api.ok(function, queue, mem, 0, 0, 16, host, 1, handles(gate), byref(event))
    status = api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS)
    assert status in (E.QUEUED, E.SUBMITTED)
    kind = E.COMMAND_READ_BUFFER if "Read" in function else E.COMMAND_WRITE_BUFFER
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == kind
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(event))
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS) == E.COMPLETE
    api.ok("clReleaseEvent", event)


def test_blocking_read_of_a_failed_wait_list(api, queue, buffer, user_event):
    mem, host, gate = buffer(contents=b"abcd"), create_string_buffer(4), user_event()
    api.ok("clSetUserEventStatus", gate, -5)
    assert api.error("clEnqueueReadBuffer", queue, mem, 1, 0, 4, host, 1, handles(gate),
                     None) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert host.raw == bytes(4)


def test_a_failed_blocking_call_gives_no_event(api, no_leak, device):
    """Nobody releases the event of a call that returned an error."""
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    queue, gate = api.make("clCreateCommandQueue", context, device, 0), api.make("clCreateUserEvent", context)
    mem, host, event = api.make("clCreateBuffer", context, 0, 4, None), create_string_buffer(4), c_void_p(99)
    api.ok("clSetUserEventStatus", gate, -5)
    assert api.error("clEnqueueReadBuffer", queue, mem, 1, 0, 4, host, 1, handles(gate),
                     byref(event)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert event.value is None
    for name, handle in (("Event", gate), ("MemObject", mem), ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{name}", handle)


def test_blocking_read_comes_after_what_is_ahead(api, queue, buffer, user_event):
    """The short way of a blocking call must not be taken past a command that waits."""
    mem, gate, host = buffer(contents=b"old!"), user_event(), create_string_buffer(4)
    api.ok("clEnqueueWriteBuffer", queue, mem, 0, 0, 4, b"new!", 1, handles(gate), None)
    timer = threading.Timer(0.05, lambda: api.clSetUserEventStatus(gate, E.COMPLETE))
    timer.start()
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 4, host, 0, None, None)
    timer.join()
    assert host.raw == b"new!"


# ---- errors of the transfers, in the order of the specification

@pytest.mark.parametrize("function", ["clEnqueueReadBuffer", "clEnqueueWriteBuffer"])
def test_read_write_errors(api, queue, context, other_context, buffer, user_event, function):
    mem, host = buffer(64), create_string_buffer(64)

    def error(q=queue, m=mem, offset=0, size=64, pointer=host, n=0, events=None):
        return api.error(function, q, m, 1, offset, size, pointer, n, events, None)

    foreign = buffer(64, within=other_context)
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(q=context, m=None, pointer=None) == "CL_INVALID_COMMAND_QUEUE"
    assert error(m=foreign) == "CL_INVALID_CONTEXT"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(m=None) == "CL_INVALID_MEM_OBJECT"
    assert error(m=queue) == "CL_INVALID_MEM_OBJECT"
    for offset, size in ((1, 64), (65, 0), (64, 1), (2**64 - 1, 2), (1, 2**64 - 1)):
        assert error(offset=offset, size=size) == "CL_INVALID_VALUE"
    assert error(pointer=None) == "CL_INVALID_VALUE"
    assert error(pointer=None, n=1) == "CL_INVALID_VALUE", "before CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(events=handles(user_event())) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(mem)) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=2, events=handles(user_event(), None)) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error() == "CL_SUCCESS"


def test_host_access_flags(api, queue, buffer):
    host = create_string_buffer(64)

    def errors(flags):
        mem = buffer(64, flags)
        return [api.error(f, queue, mem, 1, 0, 64, host, 0, None, None) == "CL_SUCCESS"
                for f in ("clEnqueueReadBuffer", "clEnqueueWriteBuffer")]

    assert errors(0) == [True, True]
    assert errors(E.MEM_HOST_READ_ONLY) == [True, False]
    assert errors(E.MEM_HOST_WRITE_ONLY) == [False, True]
    assert errors(E.MEM_HOST_NO_ACCESS) == [False, False]
    mem = buffer(64, E.MEM_HOST_NO_ACCESS)
    assert api.error("clEnqueueReadBuffer", queue, mem, 1, 0, 64, host, 0, None, None) == "CL_INVALID_OPERATION"


def test_copy_errors(api, queue, context, other_context, buffer, sub, user_event, align):
    mem, other = buffer(align * 4), buffer(align * 4)

    def error(q=queue, a=mem, b=other, at=0, to=0, size=align, n=0, events=None):
        return api.error("clEnqueueCopyBuffer", q, a, b, at, to, size, n, events, None)

    foreign = buffer(64, within=other_context)
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(a=foreign) == error(b=foreign) == "CL_INVALID_CONTEXT"
    assert error(a=None) == error(b=None) == error(a=queue) == "CL_INVALID_MEM_OBJECT"
    assert error(at=align * 4) == error(to=align * 4) == error(at=2**64 - 1, size=2) == "CL_INVALID_VALUE"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(b=mem, to=align - 1) == "CL_MEM_COPY_OVERLAP"
    assert error(b=mem, at=align - 1) == "CL_MEM_COPY_OVERLAP"
    assert error(b=mem, at=align) == error(b=mem, to=align) == "CL_SUCCESS"
    left, right = sub(mem, 0, align * 2), sub(mem, align, align * 2)
    assert error(a=left, b=right, at=align) == "CL_MEM_COPY_OVERLAP"
    assert error(a=left, b=mem) == "CL_MEM_COPY_OVERLAP"
    assert error(a=left, b=right) == "CL_SUCCESS"


# ---- migrating

def test_migrate(api, queue, buffer):
    mem, other, event = buffer(64), buffer(64), c_void_p()
    for flags in (0, E.MIGRATE_MEM_OBJECT_HOST, E.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        api.ok("clEnqueueMigrateMemObjects", queue, 2, handles(mem, other), flags, 0, None, byref(event))
        api.ok("clWaitForEvents", 1, byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_MIGRATE_MEM_OBJECTS
        api.ok("clReleaseEvent", event)


def test_migrate_by_the_extension(api, queue, buffer):
    mem, other, event = buffer(64), buffer(64), c_void_p()
    for flags in (0, E.MIGRATE_MEM_OBJECT_HOST_EXT):
        api.ok("clEnqueueMigrateMemObjectEXT", queue, 2, handles(mem, other), flags, 0, None, byref(event))
        api.ok("clWaitForEvents", 1, byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_MIGRATE_MEM_OBJECT_EXT
        api.ok("clReleaseEvent", event)
    assert api.error("clEnqueueMigrateMemObjectEXT", queue, 1, handles(mem), E.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                     None, None) == "CL_INVALID_VALUE"


@pytest.mark.parametrize("function", ["clEnqueueMigrateMemObjects", "clEnqueueMigrateMemObjectEXT"])
def test_migrate_errors(api, queue, context, other_context, buffer, function):
    one = handles(buffer(64))

    def error(q=queue, n=1, mems=one, flags=0, waits=0):
        return api.error(function, q, n, mems, flags, waits, None, None)

    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(mems=handles(buffer(64, within=other_context))) == "CL_INVALID_CONTEXT"
    assert error(mems=handles(queue)) == "CL_INVALID_MEM_OBJECT"
    assert error(n=0) == error(mems=None) == error(flags=4) == "CL_INVALID_VALUE"
    assert error(waits=1) == "CL_INVALID_EVENT_WAIT_LIST"


def test_out_of_memory():
    """With little address space left, a buffer that does not fit gives its own error, and nothing else breaks."""
    run = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=60, check=False,
                         cwd=Path(__file__).parents[1])
    assert (run.returncode, run.stdout.split()) == (0, ["CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_SUCCESS"]), run.stderr


OUT_OF_MEMORY = """
import resource
from clapi import API, E, handles
api = API()
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
print(api.new("clCreateBuffer", context, 0, 256 << 20, None)[1])
mem, error = api.new("clCreateBuffer", context, 0, 1 << 20, None)
print(error)
api.ok("clReleaseMemObject", mem)
api.ok("clReleaseContext", context)
"""


def test_many_buffers_come_and_go(api, context):
    live = []
    for turn in range(2000):
        live.append(api.make("clCreateBuffer", context, 0, 1 + turn % 5000, None))
        if len(live) > 50:
            api.ok("clReleaseMemObject", live.pop(turn % 50))
    assert len(set(live)) == len(live)
    for mem in live:
        api.ok("clReleaseMemObject", mem)
