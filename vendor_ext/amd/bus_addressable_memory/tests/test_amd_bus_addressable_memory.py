# SPDX-License-Identifier: Apache-2.0
"""cl_amd_bus_addressable_memory: one device writes into the memory of another one and tells it so."""
import ctypes
import os
import signal
import struct
import subprocess
import sys
import time
from ctypes import byref, c_size_t, c_uint32, c_void_p, create_string_buffer, memmove
from pathlib import Path

import pytest
from at_once import at_once
from clapi import E, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

SHARED, WINDOW, PAGE = 0x40000000, 0x80000000, 4096


class Address(ctypes.Structure):
    _fields_ = (("surface", ctypes.c_int64), ("signal", ctypes.c_int64))


@pytest.fixture
def shared(api, context, queue):
    """new(bytes, contents) -> buffer, its address on the bus"""
    made = []

    def new(size=PAGE, contents=None):
        flags = SHARED | (E.MEM_COPY_HOST_PTR if contents else 0)
        made.append(api.make("clCreateBuffer", context, flags, size, contents))
        where = Address()
        api.ok("clEnqueueMakeBuffersResidentAMD", queue, 1, handles(made[-1]), True, byref(where), 0, None, None)
        return made[-1], where

    yield new
    for each in made:
        api.ok("clReleaseMemObject", each)


@pytest.fixture
def window(api, other_context):
    """new(address, bytes) -> window, in another context"""
    made = []

    def new(where, size=PAGE):
        made.append(api.make("clCreateBuffer", other_context, WINDOW, size, byref(where)))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseMemObject", each)


@pytest.fixture
def other_queue(api, other_context, device):
    made = api.make("clCreateCommandQueue", other_context, device, 0)
    yield made
    api.ok("clReleaseCommandQueue", made)


@pytest.fixture
def wait_for(api, queue):
    """new(buffer, value) -> event of a wait for a signal"""
    made = []

    def new(buffer, value, *before):
        event = c_void_p()
        api.ok("clEnqueueWaitSignalAMD", queue, buffer, value, len(before), handles(*before) if before else None,
               byref(event))
        made.append(event)
        return event

    yield new
    for each in made:
        api.ok("clReleaseEvent", each)


def status(api, event):
    return struct.unpack("i", api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS))[0]


def test_is_listed(api, device):
    assert "cl_amd_bus_addressable_memory" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_addresses(api, shared):
    """Whole pages, the signal behind the contents, and no two the same."""
    seen = [shared(size)[1] for size in (1, PAGE, PAGE + 1, 3 << 20)]
    for where, pages in zip(seen, (1, 1, 2, 768), strict=True):
        assert where.surface % PAGE == 0 and where.signal == where.surface + pages * PAGE
        assert c_uint32.from_address(where.signal).value == 0
    assert len({where.surface for where in seen}) == 4


def test_contents_and_what_it_is(api, shared, contents):
    mem, where = shared(64, b"a" * 64)
    assert contents(mem, 64) == b"a" * 64
    assert api.number("clGetMemObjectInfo", mem, E.MEM_FLAGS) == SHARED | E.MEM_COPY_HOST_PTR
    memmove(where.surface, b"host", 4)
    assert contents(mem, 6) == b"hostaa"


def test_a_signal_follows_what_was_written(api, queue, other_queue, shared, window, wait_for, contents):
    mem, where = shared(64)
    there = window(where, 64)
    event = wait_for(mem, 7)
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == 0x4080
    assert status(api, event) > E.COMPLETE
    api.ok("clEnqueueWriteBuffer", other_queue, there, False, 0, 4, b"data", 0, None, None)
    api.ok("clEnqueueWriteSignalAMD", other_queue, there, 6, 0, 0, None, None)
    api.ok("clFinish", other_queue)
    assert status(api, event) > E.COMPLETE, "6 is less than 7"
    api.ok("clEnqueueWriteSignalAMD", other_queue, there, 7, 0, 0, None, None)
    api.ok("clWaitForEvents", 1, handles(event))
    assert contents(mem, 4) == b"data"
    api.ok("clWaitForEvents", 1, handles(wait_for(mem, 5)))      # it is more already
    api.ok("clWaitForEvents", 1, handles(wait_for(mem, 0)))


def test_the_host_signals(api, queue, shared, wait_for, user_event):
    """With a plain store; and the wait list of the command counts as well."""
    mem, where = shared()
    gate = user_event()
    event = wait_for(mem, 0xFFFFFFFF, gate)
    c_uint32.from_address(where.signal).value = 0xFFFFFFFF
    time.sleep(0.01)
    assert status(api, event) > E.COMPLETE
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert status(api, event) == E.COMPLETE


def test_many_waits_end_in_any_order(api, context, device, shared):
    queues = [api.make("clCreateCommandQueue", context, device, 0) for _ in range(8)]
    mems = [shared(PAGE) for _ in queues]

    def one(number):
        (mem, where), queue = mems[number], queues[number]
        for value in range(1, 20):
            event = c_void_p()
            api.ok("clEnqueueWaitSignalAMD", queue, mem, value, 0, None, byref(event))
            c_uint32.from_address(where.signal).value = value
            api.ok("clWaitForEvents", 1, handles(event))
            api.ok("clReleaseEvent", event)
        return True

    assert all(at_once(one, len(queues)))
    for queue in queues:
        api.ok("clReleaseCommandQueue", queue)


def test_events_of_waits_that_are_over_at_once(api, queue, shared):
    """The thread that looks at signals is done with a command while the call that enqueues it goes on."""
    mem, _ = shared()
    event = c_void_p()
    for _ in range(3000):
        api.ok("clEnqueueWaitSignalAMD", queue, mem, 0, 0, None, byref(event))
        api.ok("clRetainEvent", event)
        for _ in range(2):
            api.ok("clReleaseEvent", event)
    api.ok("clFinish", queue)


def test_signals_at_offsets(api, other_queue, shared, window):
    _mem, where = shared(2 * PAGE)
    there = window(where, 2 * PAGE)
    api.ok("clEnqueueWriteSignalAMD", other_queue, there, 5, PAGE - 4, 0, None, None)
    api.ok("clFinish", other_queue)
    assert c_uint32.from_address(where.signal + PAGE - 4).value == 5
    for offset, error in ((PAGE - 3, "CL_INVALID_BUFFER_SIZE"), (PAGE, "CL_INVALID_BUFFER_SIZE"),
                          ((1 << 64) - 1, "CL_INVALID_BUFFER_SIZE"), ((1 << 64) - 4, "CL_INVALID_BUFFER_SIZE"),
                          (2, "CL_INVALID_VALUE")):
        assert api.error("clEnqueueWriteSignalAMD", other_queue, there, 1, offset, 0, None, None) == error


def test_a_window_outlives_the_buffer(api, context, queue, other_context, other_queue):
    mem = api.make("clCreateBuffer", context, SHARED, 64, None)
    where = Address()
    api.ok("clEnqueueMakeBuffersResidentAMD", queue, 1, handles(mem), True, byref(where), 0, None, None)
    there = api.make("clCreateBuffer", other_context, WINDOW, 64, byref(where))
    api.ok("clReleaseMemObject", mem)
    api.ok("clEnqueueWriteBuffer", other_queue, there, True, 0, 4, b"data", 0, None, None)
    api.ok("clEnqueueWriteSignalAMD", other_queue, there, 3, 0, 0, None, None)
    api.ok("clFinish", other_queue)
    assert ctypes.string_at(where.surface, 4) == b"data" and c_uint32.from_address(where.signal).value == 3
    api.ok("clReleaseMemObject", there)
    assert api.new("clCreateBuffer", other_context, WINDOW, 64, byref(where))[1] == "CL_MEM_OBJECT_ALLOCATION_FAILURE"


def test_errors_of_buffers(api, context, other_context, shared, window):
    _mem, where = shared(2 * PAGE)
    room = create_string_buffer(PAGE)

    def error(flags, size=64, pointer=None):
        return api.new("clCreateBuffer", other_context, flags, size, pointer)[1]

    for flags in (E.MEM_ALLOC_HOST_PTR, E.MEM_USE_HOST_PTR):
        assert error(SHARED | flags, 64, room if flags == E.MEM_USE_HOST_PTR else None) == "CL_INVALID_VALUE"
    assert error(SHARED, 64, room) == error(SHARED | E.MEM_COPY_HOST_PTR) == "CL_INVALID_HOST_PTR"
    for flags in (E.MEM_ALLOC_HOST_PTR, E.MEM_USE_HOST_PTR, E.MEM_COPY_HOST_PTR, E.MEM_READ_WRITE, E.MEM_READ_ONLY,
                  SHARED):
        assert error(WINDOW | flags, 64, byref(where)) == "CL_INVALID_VALUE"
    assert error(WINDOW) == "CL_INVALID_HOST_PTR"
    for surface, mark in ((0, where.signal), (where.surface, 0), (where.surface + 1, where.signal),
                          (where.surface, where.signal + 64)):
        assert error(WINDOW, 64, byref(Address(surface, mark))) == "CL_INVALID_HOST_PTR"
    for surface, mark, size in ((where.surface + PAGE, where.signal, 64), (where.surface, where.surface, 64),
                                (PAGE, 2 * PAGE, 64), (-PAGE, -PAGE, 64), (where.surface, where.signal, 2 * PAGE + 1)):
        assert error(WINDOW, size, byref(Address(surface, mark))) == "CL_MEM_OBJECT_ALLOCATION_FAILURE"
    assert error(WINDOW, 0, byref(where)) == "CL_INVALID_BUFFER_SIZE"
    window(where)
    assert error(WINDOW, 64, byref(where)) == "CL_OUT_OF_RESOURCES", "one window of a buffer"
    assert error(WINDOW << 1, 64, byref(where)) == "CL_INVALID_VALUE"


def test_the_flag_as_the_header_has_it(api, other_context, shared):
    """(1 << 31) as a cl_mem_flags."""
    _, where = shared()
    there = api.make("clCreateBuffer", other_context, 0xFFFFFFFF80000000 | E.MEM_WRITE_ONLY, 64, byref(where))
    assert api.number("clGetMemObjectInfo", there, E.MEM_FLAGS) == WINDOW | E.MEM_WRITE_ONLY
    api.ok("clReleaseMemObject", there)


def test_what_cannot_be_done_with_them(api, queue, other_queue, shared, window):
    mem, where = shared()
    there, room, region = window(where), create_string_buffer(64), sizes(0, 64)
    for each in (mem, there):
        assert api.new("clCreateSubBuffer", each, 0, E.BUFFER_CREATE_TYPE_REGION, region)[1] == "CL_INVALID_VALUE"
    assert api.error("clEnqueueReadBuffer", other_queue, there, True, 0, 64, room, 0, None, None) == (
        "CL_INVALID_OPERATION")
    for flags in (E.MAP_READ, E.MAP_WRITE, E.MAP_WRITE_INVALIDATE_REGION):
        assert api.new("clEnqueueMapBuffer", other_queue, there, True, flags, 0, 64, 0, None, None)[1] == (
            "CL_INVALID_OPERATION")
    pointer = api.make("clEnqueueMapBuffer", queue, mem, True, E.MAP_READ, 0, 64, 0, None, None)
    api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)


def test_errors_of_commands(api, context, queue, other_queue, shared, window, buffer, user_event):
    mem, where = shared()
    there, plain, out = window(where), buffer(64), Address()

    def wait(queue, mem, n=0, events=None):
        return api.error("clEnqueueWaitSignalAMD", queue, mem, 1, n, events, None)

    def write(queue, mem, n=0, events=None):
        return api.error("clEnqueueWriteSignalAMD", queue, mem, 1, 0, n, events, None)

    def resident(queue, n, mems, addresses, count=0, events=None):
        return api.error("clEnqueueMakeBuffersResidentAMD", queue, n, mems, False, addresses, count, events, None)

    for bad in (None, 4711, context):
        assert wait(bad, mem) == write(bad, there) == "CL_INVALID_COMMAND_QUEUE"
        assert resident(bad, 1, handles(mem), byref(out)) == "CL_INVALID_COMMAND_QUEUE"
        assert wait(queue, bad) == write(other_queue, bad) == "CL_INVALID_MEM_OBJECT"
        assert resident(queue, 1, handles(bad), byref(out)) == "CL_INVALID_OPERATION"
    assert wait(queue, plain) == wait(other_queue, there) == "CL_INVALID_MEM_OBJECT"
    assert write(queue, plain) == write(queue, mem) == "CL_INVALID_MEM_OBJECT"
    assert wait(other_queue, mem) == write(queue, there) == "CL_INVALID_CONTEXT"
    assert resident(other_queue, 1, handles(mem), byref(out)) == "CL_INVALID_CONTEXT"
    for given in ((0, handles(mem), byref(out)), (1, None, byref(out)), (1, handles(mem), None),
                  (2, handles(mem, plain), byref(out)), (1, handles(there), byref(out))):
        assert resident(queue, *given) == "CL_INVALID_OPERATION"
    for events in ((1, None), (0, handles(mem)), (1, handles(mem))):
        assert wait(queue, mem, *events) == write(other_queue, there, *events) == "CL_INVALID_EVENT_WAIT_LIST"
        assert resident(queue, 1, handles(mem), byref(out), *events) == "CL_INVALID_EVENT_WAIT_LIST"


def test_addresses_come_when_the_command_has_run(api, queue, shared, user_event):
    """Of several buffers, behind an event."""
    pairs, gate, out = [shared(), shared()], user_event(), (Address * 2)()
    mems = handles(*(mem for mem, _ in pairs))
    api.ok("clEnqueueMakeBuffersResidentAMD", queue, 2, mems, False, out, 1, handles(gate), None)
    assert [each.surface for each in out] == [0, 0]
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert [(each.surface, each.signal) for each in out] == [(where.surface, where.signal) for _, where in pairs]


def test_a_failed_event_ends_the_wait(api, queue, shared, wait_for, user_event):
    mem, _ = shared()
    gate = user_event()
    event = wait_for(mem, 1, gate)
    api.ok("clSetUserEventStatus", gate, -1)
    assert api.error("clWaitForEvents", 1, handles(event)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"


def test_a_context_that_is_terminated_waits_no_longer(api, device):
    context = api.make("clCreateContext", numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0), 1, handles(device), None,
                       None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    mem = api.make("clCreateBuffer", context, SHARED, 64, None)
    event = c_void_p()
    api.ok("clEnqueueWaitSignalAMD", queue, mem, 1, 0, None, byref(event))
    api.ok("clTerminateContextKHR", context)
    assert status(api, event) == E.CONTEXT_TERMINATED_KHR
    for kind, each in (("Event", event), ("MemObject", mem), ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{kind}", each)


PREFIX = """
import ctypes, os, sys
sys.path[:0] = {paths!r}
from ctypes import byref, c_void_p, create_string_buffer
from clapi import API, E, handles, sizes
SHARED, WINDOW = 0x40000000, 0x80000000
api = API()
"""

MODELS = PREFIX + """
class Side:
    def __init__(self, device, computes):
        self.context = api.make("clCreateContext", None, 1, handles(device), None, None)
        self.queue = api.make("clCreateCommandQueue", self.context, device, 0)
        self.here = api.make("clCreateBuffer", self.context, SHARED, 4096, None)
        self.where = (ctypes.c_int64 * 2)()
        api.ok("clEnqueueMakeBuffersResidentAMD", self.queue, 1, handles(self.here), True, self.where, 0, None, None)
        self.kernel = computes and self.make_kernel()

    def make_kernel(self):
        source = "kernel void send(global int *to, global const int *from, int by) {{ " \\
                 "to[get_global_id(0)] = from[get_global_id(0)] + by; }}"
        text = (ctypes.c_char_p * 1)(source.encode())
        program = api.make("clCreateProgramWithSource", self.context, 1, text, None)
        api.ok("clBuildProgram", program, 0, None, None, None, None)
        return api.make("clCreateKernel", program, b"send")

    def look(self, other):
        self.there = api.make("clCreateBuffer", self.context, WINDOW, 4096, other.where)

    def launch(self, by):
        for i, argument in enumerate((self.there, self.here)):
            api.ok("clSetKernelArg", self.kernel, i, 8, byref(c_void_p(argument)))
        api.ok("clSetKernelArg", self.kernel, 2, 4, byref(ctypes.c_int32(by)))
        api.ok("clEnqueueNDRangeKernel", self.queue, self.kernel, 1, None, sizes(1024), None, 0, None, None)

    def send(self, value, by=0):
        if self.kernel:
            self.launch(by)
        else:
            api.ok("clEnqueueCopyBuffer", self.queue, self.here, self.there, 0, 0, 4096, 0, None, None)
        api.ok("clEnqueueWriteSignalAMD", self.queue, self.there, value, 0, 0, None, None)
        api.ok("clFlush", self.queue)

    def await_signal(self, value):
        api.ok("clEnqueueWaitSignalAMD", self.queue, self.here, value, 0, None, None)

cpu, one, two = api.devices()
a, b = Side(one, True), Side(two, False)
a.look(b)
b.look(a)
zero = create_string_buffer(4096)
api.ok("clEnqueueWriteBuffer", a.queue, a.here, True, 0, 4096, zero, 0, None, None)
for turn in range(1, 6):           # there and back: all is enqueued before any of it has run
    b.await_signal(turn)
    b.send(turn)
    a.send(turn, 10)
    a.await_signal(turn)
read = create_string_buffer(4096)
api.ok("clEnqueueReadBuffer", a.queue, a.here, True, 0, 4096, read, 0, None, None)
print(set(read.raw[i:i + 4] for i in range(0, 4096, 4)) == {{(50).to_bytes(4, "little")}})
# the host takes part with the CPU device
c = Side(cpu, True)
api.ok("clReleaseMemObject", a.there)
c.look(b)
b.await_signal(9)
c.send(9, 3)
api.ok("clFinish", b.queue)
print("and the host")
"""

INTERRUPTED = PREFIX + """
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueue", context, device, 0)
mem = api.make("clCreateBuffer", context, SHARED, 4096, None)
event = c_void_p()
api.ok("clEnqueueWaitSignalAMD", queue, mem, 1, 0, None, byref(event))
while int.from_bytes(api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS), "little") < 1 << 31:
    try:
        print("waits", flush=True)
        api.clFinish(queue)
    except KeyboardInterrupt:      # where it came before the call, once more
        pass
print(api.error("clWaitForEvents", 1, handles(event)), api.error("clFinish", queue))
api.ok("clEnqueueWaitSignalAMD", queue, mem, 1, 0, None, None)
print("left waiting")
"""


def python(source, **more):
    paths = [str(Path(__file__).resolve().parents[4] / "tests")]
    return subprocess.Popen([sys.executable, "-c", source.format(paths=paths)], text=True, stdout=subprocess.PIPE,
                            env={**os.environ, **more})


def test_two_models_and_the_host():
    child = python(MODELS, CLPY_DEVICES="cpu,gpu:tahiti,gpu:hawaii")
    assert child.communicate()[0] == "True\nand the host\n"
    assert child.returncode == 0


def test_an_interrupt_ends_the_wait_and_a_process_ends_with_one():
    child = python(INTERRUPTED)
    lines = []
    for line in child.stdout:
        if line == "waits\n":
            child.send_signal(signal.SIGINT)
        else:
            lines.append(line)
    assert lines == ["CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST CL_SUCCESS\n", "left waiting\n"]
    assert child.wait() == 0
