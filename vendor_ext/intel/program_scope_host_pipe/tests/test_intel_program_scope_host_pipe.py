# SPDX-License-Identifier: Apache-2.0
"""cl_intel_program_scope_host_pipe: the host at one end of a pipe that is a variable of the program, a kernel at the
other."""
import ctypes
import sys
import threading
import time
from ctypes import byref, c_uint32, c_uint64
from pathlib import Path

import numpy as np
import pytest
from clapi import E, event_status, handles, numbers, sizes

sys.path.append(str(Path(__file__).parent))
import modules

pytestmark = pytest.mark.usefixtures("no_leak")

NAME = "cl_intel_program_scope_host_pipe"
NUMBER, NAMES = E.PROGRAM_NUM_HOST_PIPES_INTEL, E.PROGRAM_HOST_PIPE_NAMES_INTEL
FULL, EMPTY = -1106, -1107
ZAEHLER = "z\u00e4hler".encode()
LOCAL = 1 << 31         # CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL


@pytest.fixture
def built(api):
    """new(module, context) -> a program that is built."""
    made = []

    def new(module, context):
        made.append(api.make("clCreateProgramWithIL", context, module, len(module)))
        error = api.error("clBuildProgram", made[-1], 0, None, None, None, None)
        assert error == "CL_SUCCESS", log(api, made[-1])
        return made[-1]
    yield new
    for each in made:
        api.ok("clReleaseProgram", each)


@pytest.fixture
def other_queue(api, context, device):
    made = api.make("clCreateCommandQueue", context, device, E.QUEUE_PROFILING_ENABLE)
    yield made
    api.ok("clReleaseCommandQueue", made)


@pytest.fixture
def launch(api):
    """Enqueues a kernel of a program with this argument, if any, and lets go of it."""
    def call(queue, program, name, *args, n=1):
        kernel = api.make("clCreateKernel", program, name)
        for index, value in enumerate(args):
            api.ok("clSetKernelArg", kernel, index, ctypes.sizeof(value), byref(value))
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(n), None, 0, None, None)
        api.ok("clFlush", queue)
        api.ok("clReleaseKernel", kernel)
    return call


def log(api, program):
    device = handles(None)
    api.ok("clGetProgramInfo", program, E.PROGRAM_DEVICES, 8, device, None)
    return api.text("clGetProgramBuildInfo", program, device[0], E.PROGRAM_BUILD_LOG)


def read(api, queue, program, name=b"out", blocking=True, size=4, wait=(), event=None, to=None):
    """(error, the word)."""
    to = c_uint32(0xdead) if to is None else to
    error = api.error("clEnqueueReadHostPipeINTEL", queue, program, name, blocking, byref(to), size, len(wait),
                      handles(*wait) if wait else None, event)
    return error, to.value


def write(api, queue, program, value, name=b"in", blocking=True, size=4, wait=(), event=None):
    """`value`: the word, or where it stays until the command is complete."""
    data = c_uint32(value) if isinstance(value, int) else value
    return api.error("clEnqueueWriteHostPipeINTEL", queue, program, name, blocking, byref(data), size, len(wait),
                     handles(*wait) if wait else None, event)


def ended(api, event):
    """The status of a command that is complete, or failed."""
    api.clWaitForEvents(1, event)
    status = event_status(api, event[0])
    api.ok("clReleaseEvent", event[0])
    return status


def test_is_listed(api, device):
    assert NAME in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_queries(api, context, built, program):
    made = api.make("clCreateProgramWithIL", context, modules.echo(), len(modules.echo()))
    assert api.error("clGetProgramInfo", made, NUMBER, 0, None, None) == "CL_INVALID_PROGRAM_EXECUTABLE"
    assert api.error("clGetProgramInfo", made, NAMES, 0, None, None) == "CL_INVALID_PROGRAM_EXECUTABLE"
    api.ok("clReleaseProgram", made)
    echo = built(modules.echo(), context)
    assert api.number("clGetProgramInfo", echo, NUMBER) == 2
    assert sorted(api.text("clGetProgramInfo", echo, NAMES).split(";")) == ["in", "out"]
    small = ctypes.create_string_buffer(3)
    assert api.error("clGetProgramInfo", echo, NAMES, 3, small, None) == "CL_INVALID_VALUE"
    others = built(modules.others(), context)
    assert api.number("clGetProgramInfo", others, NUMBER) == 1
    assert api.text("clGetProgramInfo", others, NAMES) == "triples"
    plain = program("kernel void k(int a) { }")
    assert (api.number("clGetProgramInfo", plain, NUMBER), api.text("clGetProgramInfo", plain, NAMES)) == (0, "")


@pytest.mark.parametrize("blocking", [True, False])
def test_a_kernel_answers(api, context, queue, other_queue, built, launch, blocking):
    """More packets than there are places, in their order; who does not block asks again."""
    echo, n = built(modules.echo(), context), 50
    launch(queue, echo, b"echo", c_uint32(n))
    got, put = [], 0
    deadline = time.monotonic() + 30
    while len(got) < n and time.monotonic() < deadline:
        if blocking:
            assert write(api, other_queue, echo, 10 * put) == "CL_SUCCESS"
            error, word = read(api, other_queue, echo)
            assert error == "CL_SUCCESS"
            got, put = [*got, word], put + 1
            continue
        event = handles(None)
        if put < n:
            assert write(api, other_queue, echo, 10 * put, blocking=False, event=event) == "CL_SUCCESS"
            status = ended(api, event)
            assert status in (E.COMPLETE, FULL)
            put += status == E.COMPLETE
        to = c_uint32()
        assert read(api, other_queue, echo, blocking=False, event=event, to=to)[0] == "CL_SUCCESS"
        status = ended(api, event)
        assert status in (E.COMPLETE, EMPTY)
        got += [to.value] * (status == E.COMPLETE)
    assert got == [10 * i + 1 for i in range(n)]
    api.ok("clFinish", queue)


def test_full_and_empty(api, context, queue, built):
    """A command that failed for that is no fault of its queue, and what comes behind it in order runs."""
    echo, event = built(modules.echo(), context), handles(None)
    assert read(api, queue, echo, blocking=False)[0] == "CL_SUCCESS"
    assert api.error("clFinish", queue) == "CL_SUCCESS"
    for i in range(6):
        assert write(api, queue, echo, i, blocking=False, event=event) == "CL_SUCCESS"
        assert ended(api, event) == (E.COMPLETE if i < 4 else FULL)
    assert read(api, queue, echo, blocking=False, event=event)[0] == "CL_SUCCESS"
    assert api.number("clGetEventInfo", event[0], E.EVENT_COMMAND_TYPE) == E.COMMAND_READ_HOST_PIPE_INTEL
    # "the execution status of any of the events in event_wait_list is a negative integer value"
    assert write(api, queue, echo, 1, wait=event) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert ended(api, event) == EMPTY


def test_both_ends_are_the_host(api, context, queue, other_queue, built):
    """A pipe that it may read and write: what does not fit waits until there is room."""
    ids, events = built(modules.ids(), context), []
    for i in range(256):
        assert write(api, queue, ids, i, ZAEHLER) == "CL_SUCCESS"
    writer = threading.Thread(target=lambda: events.append(write(api, queue, ids, 256, ZAEHLER)))
    writer.start()
    time.sleep(0.01)
    assert not events
    assert [read(api, other_queue, ids, ZAEHLER)[1] for _ in range(257)] == list(range(257))
    writer.join()
    assert events == ["CL_SUCCESS"]


def test_who_waits_first_is_served_first(api, context, queue, other_queue, built):
    ids, got = built(modules.ids(), context), {}

    def take(key, on):
        got[key] = read(api, on, ids, ZAEHLER)
    readers = [threading.Thread(target=take, args=(key, on)) for key, on in (("a", queue), ("b", other_queue))]
    for reader in readers:
        reader.start()
        time.sleep(0.03)
    third = threading.Thread(target=take, args=("c", other_queue))
    third.start()
    event = handles(None)
    feeder = api.make("clCreateCommandQueue", context, device_of(api, queue), 0)
    assert read(api, feeder, ids, ZAEHLER, blocking=False, event=event)[0] == "CL_SUCCESS"
    assert ended(api, event) == EMPTY
    for value in (5, 6, 7):
        assert write(api, feeder, ids, value, ZAEHLER) == "CL_SUCCESS"
    for reader in (*readers, third):
        reader.join()
    assert got == {"a": ("CL_SUCCESS", 5), "b": ("CL_SUCCESS", 6), "c": ("CL_SUCCESS", 7)}
    api.ok("clReleaseCommandQueue", feeder)


def device_of(api, queue):
    device = handles(None)
    api.ok("clGetCommandQueueInfo", queue, E.QUEUE_DEVICE, 8, device, None)
    return device[0]


def test_many_work_items_and_another_kernel(api, context, queue, built, launch, buffer, contents):
    """What all items of a launch have written the host reads, and a kernel what the host has."""
    ids, n = built(modules.ids(), context), 200
    launch(queue, ids, b"fill", n=n)
    assert sorted(read(api, queue, ids, ZAEHLER)[1] for _ in range(n)) == list(range(n))
    for i in range(n):
        assert write(api, queue, ids, 3 * i, ZAEHLER) == "CL_SUCCESS"
    to = buffer(4 * n)
    api.ok("clEnqueueFillBuffer", queue, to, byref(c_uint32(n)), 4, 0, 4, 0, None, None)
    launch(queue, ids, b"move", c_uint64(to))
    assert np.array_equal(np.frombuffer(contents(to, 4 * n), np.uint32), 3 * np.arange(n))


def test_wait_lists_and_times(api, context, other_queue, built, user_event):
    ids, event, nine, to = built(modules.ids(), context), handles(None, None), c_uint32(9), c_uint32()
    before = user_event()
    one = (ctypes.c_void_p * 1).from_buffer(event)
    assert write(api, other_queue, ids, nine, ZAEHLER, blocking=False, wait=[before], event=one) == "CL_SUCCESS"
    two = (ctypes.c_void_p * 1).from_buffer(event, 8)
    assert read(api, other_queue, ids, ZAEHLER, blocking=False, wait=[event[0]], event=two, to=to)[0] == "CL_SUCCESS"
    assert event_status(api, event[0]) == E.SUBMITTED
    api.ok("clSetUserEventStatus", before, 0)
    api.ok("clWaitForEvents", 2, event)
    assert to.value == 9
    times = [api.number("clGetEventProfilingInfo", each, what) for each in event
             for what in (E.PROFILING_COMMAND_SUBMIT, E.PROFILING_COMMAND_START, E.PROFILING_COMMAND_END)]
    assert times[:3] == sorted(times[:3]) and times[3:] == sorted(times[3:]) and times[2] <= times[5]
    for each in event:
        api.ok("clReleaseEvent", each)


def test_a_long_chain(api, context, queue, built, user_event):
    """Commands that complete each other need no stack for it."""
    ids, before, n = built(modules.ids(), context), user_event(), 1000
    data, to = (c_uint32 * n)(*range(n)), (c_uint32 * n)()
    api.ok("clEnqueueMarkerWithWaitList", queue, 1, handles(before), None)
    for i in range(n):
        assert write(api, queue, ids, c_uint32.from_buffer(data, 4 * i), ZAEHLER, blocking=False) == "CL_SUCCESS"
        place = c_uint32.from_buffer(to, 4 * i)
        assert read(api, queue, ids, ZAEHLER, blocking=False, to=place)[0] == "CL_SUCCESS"
    api.ok("clSetUserEventStatus", before, 0)
    api.ok("clFinish", queue)
    assert list(to) == list(range(n))


def test_queues_of_the_caller(api, context, device, queue, built, launch):
    local, error = api.new("clCreateCommandQueue", context, device, LOCAL)
    if error != "CL_SUCCESS":
        pytest.skip("no queue runs its commands in the caller")
    echo = built(modules.echo(), context)
    launch(queue, echo, b"echo", c_uint32(20))
    for i in range(20):
        assert write(api, local, echo, i) == "CL_SUCCESS"
        assert read(api, local, echo) == ("CL_SUCCESS", i + 1)
    assert read(api, local, echo, blocking=False)[0] == "CL_SUCCESS"
    api.ok("clFinish", queue)
    api.ok("clReleaseCommandQueue", local)


def test_errors(api, context, other_context, queue, built):
    echo, others = built(modules.echo(), context), built(modules.others(), context)
    empty = api.make("clCreateProgramWithIL", context, modules.echo(), len(modules.echo()))
    foreign = built(modules.echo(), other_context)
    word = byref(c_uint32())
    for function, mine, theirs in (("clEnqueueReadHostPipeINTEL", b"out", b"in"),
                                   ("clEnqueueWriteHostPipeINTEL", b"in", b"out")):
        def call(queue, program, name, ptr=word, size=4, n=0, events=None, function=function):
            return api.error(function, queue, program, name, False, ptr, size, n, events, None)
        assert call(None, None, None) == "CL_INVALID_COMMAND_QUEUE"
        assert call(queue, None, mine) == call(queue, queue, mine) == "CL_INVALID_PROGRAM"
        assert call(queue, foreign, mine) == "CL_INVALID_CONTEXT"
        assert call(queue, empty, mine) == "CL_INVALID_PROGRAM_EXECUTABLE"
        assert call(queue, echo, None) == call(queue, echo, mine, None) == "CL_INVALID_VALUE"
        assert call(queue, echo, b"no") == "CL_INVALID_VALUE"
        assert call(queue, echo, mine, size=8) == call(queue, echo, theirs, size=0) == "CL_INVALID_PIPE_SIZE"
        assert call(queue, echo, mine, n=1) == "CL_INVALID_EVENT_WAIT_LIST"
        assert call(queue, echo, theirs) == "CL_INVALID_OPERATION"
        assert call(queue, others, b"hidden", size=12) == call(queue, others, b"word") == "CL_INVALID_OPERATION"
    api.ok("clReleaseProgram", empty)


def test_structures_and_rebuilds(api, context, queue, built):
    """A capacity of none is one packet; a program that is built anew has new pipes, as has one of the same module."""
    one, two = (built(modules.others(), context) for _ in range(2))
    data, to = (c_uint32 * 3)(1, 2, 3), (c_uint32 * 3)()
    for name, ptr in (("Write", data), ("Read", to), ("Write", data)):
        api.ok(f"clEnqueue{name}HostPipeINTEL", queue, one, b"triples", True, ptr, 12, 0, None, None)
    assert list(to) == [1, 2, 3]

    def count(program):
        event = handles(None)
        api.ok("clEnqueueReadHostPipeINTEL", queue, program, b"triples", False, to, 12, 0, None, event)
        return ended(api, event) == E.COMPLETE
    assert not count(two)
    api.ok("clBuildProgram", one, 0, None, None, None, None)
    assert not count(one)


def test_modules_that_are_wrong(api, context):
    no_value = modules.ECHO.replace("%1 = OpVariable %pps CrossWorkgroup %cps", "%1 = OpVariable %pps CrossWorkgroup")
    for module, why in ((modules.others(1 << 28), "of 12 bytes"),
                        (modules.module(no_value, []), "no variable of the program")):
        program = api.make("clCreateProgramWithIL", context, module, len(module))
        assert api.error("clBuildProgram", program, 0, None, None, None, None) == "CL_BUILD_PROGRAM_FAILURE"
        assert why in log(api, program)
        api.ok("clReleaseProgram", program)


def test_binaries(api, context, device, queue, other_queue, built, launch):
    """They have the names."""
    echo = built(modules.echo(), context)
    size = api.number("clGetProgramInfo", echo, E.PROGRAM_BINARY_SIZES)
    binary = ctypes.create_string_buffer(size)
    pointers = handles(ctypes.addressof(binary))
    api.ok("clGetProgramInfo", echo, E.PROGRAM_BINARIES, 8, pointers, None)
    program = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(size), pointers, None)
    api.ok("clBuildProgram", program, 0, None, None, None, None)
    assert sorted(api.text("clGetProgramInfo", program, NAMES).split(";")) == ["in", "out"]
    launch(queue, program, b"echo", c_uint32(1))
    assert write(api, other_queue, program, 41) == "CL_SUCCESS"
    assert read(api, other_queue, program) == ("CL_SUCCESS", 42)
    api.ok("clReleaseProgram", program)


def test_parts_of_a_device(api, device, built, launch):
    """What is built for several at once is one for all of them, pipes too."""
    parts, count = handles(None, None), c_uint32()
    one_unit = numbers(ctypes.c_ssize_t, E.DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0)
    if api.error("clCreateSubDevices", device, one_unit, 2, parts, byref(count)) != "CL_SUCCESS":
        pytest.skip("the device has one compute unit")
    context = api.make("clCreateContext", None, 2, parts, None, None)
    program = built(modules.echo(), context)
    queues = [api.make("clCreateCommandQueue", context, each, 0) for each in parts]
    launch(queues[0], program, b"echo", c_uint32(3))
    for i in range(3):
        assert write(api, queues[1], program, i) == "CL_SUCCESS"
        assert read(api, queues[1], program) == ("CL_SUCCESS", i + 1)
    for each in queues:
        api.ok("clReleaseCommandQueue", each)
    for function, each in (("Context", context), ("Device", parts[0]), ("Device", parts[1])):
        api.ok(f"clRelease{function}", each)


def test_terminating_a_context(api, device, built):
    """A read that waits ends, and so does the call."""
    properties = numbers(ctypes.c_ssize_t, E.CONTEXT_TERMINATE_KHR, 1, 0)
    context = api.make("clCreateContext", properties, 1, handles(device), None, None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    ids, got = built(modules.ids(), context), []
    reader = threading.Thread(target=lambda: got.append(read(api, queue, ids, ZAEHLER)[0]))
    reader.start()
    time.sleep(0.02)
    assert not got
    api.ok("clTerminateContextKHR", context)
    reader.join(10)
    assert got == ["CL_CONTEXT_TERMINATED_KHR"]
    api.ok("clReleaseCommandQueue", queue)
    api.ok("clReleaseContext", context)
