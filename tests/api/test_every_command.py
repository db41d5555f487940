# SPDX-License-Identifier: Apache-2.0
"""What holds for each kind of command: its type, its times, its callbacks, and that it does not run when what it waits
for has failed."""
import struct
import threading
from ctypes import CFUNCTYPE, byref, c_int32, c_uint32, c_void_p, create_string_buffer

import pytest
from clapi import E, event_status, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")
FAILED = E.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
NOTIFY = CFUNCTYPE(None, c_void_p, c_int32, c_void_p)
FUNCTION = CFUNCTYPE(None, c_void_p)
SIZE = 4096
BEFORE = bytes(range(256)) * (SIZE // 256)
BOX = (sizes(0, 0, 0), sizes(0, 0, 0), sizes(16, 16, 1), 16, 0, 16, 0)
PROFILE = [E.PROFILING_COMMAND_QUEUED, E.PROFILING_COMMAND_SUBMIT, E.PROFILING_COMMAND_START, E.PROFILING_COMMAND_END,
           E.PROFILING_COMMAND_COMPLETE]


class Things:
    """What the commands below work on; `changed` says whether any of them has left a trace."""

    def __init__(self, api, context, queue, buffer, kernel):
        self.api, self.context, self.queue = api, context, queue
        self.source, self.target = buffer(contents=bytes(SIZE)), buffer(contents=BEFORE)
        self.host = create_string_buffer(b"h" * SIZE, SIZE)
        self.kernel = kernel("kernel void k(global uint *a) { a[get_global_id(0)] = 77; }")
        api.ok("clSetKernelArg", self.kernel, 0, 8, byref(c_void_p(self.target)))
        self.svm = [api.clSVMAlloc(context, 0, SIZE, 0) for _ in range(2)]
        self.calls = []
        self.native = FUNCTION(lambda _: self.calls.append("native"))
        self.freed = FUNCTION4(lambda *_: self.calls.append("free"))
        self.maps = []

    def changed(self):
        host = create_string_buffer(SIZE)
        self.api.ok("clEnqueueReadBuffer", self.queue, self.target, 1, 0, SIZE, host, 0, None, None)
        return host.raw != BEFORE or self.host.raw != b"h" * SIZE or bool(self.calls)

    def map(self, *rest):
        pointer, error = self.api.new("clEnqueueMapBuffer", self.queue, self.source, 0, E.MAP_WRITE, 0, SIZE, *rest)
        if pointer:
            self.maps.append(pointer)
        return error

    def unmap(self, *rest):
        if not self.maps:
            self.maps.append(self.api.make("clEnqueueMapBuffer", self.queue, self.source, 1, E.MAP_READ, 0, SIZE, 0,
                                           None, None))
        return self.api.error("clEnqueueUnmapMemObject", self.queue, self.source, self.maps.pop(), *rest)

    def end(self):
        for pointer in self.maps:
            self.api.ok("clEnqueueUnmapMemObject", self.queue, self.source, pointer, 0, None, None)
        self.api.ok("clFinish", self.queue)
        for pointer in self.svm:
            self.api.clSVMFree(self.context, pointer)


FUNCTION4 = CFUNCTYPE(None, c_void_p, c_uint32, c_void_p, c_void_p)
NUMBER = c_uint32(5)

# name -> (type, what enqueues it: (things, wait count, wait list, event) -> error name)
COMMANDS = {
    "NDRangeKernel": ("NDRANGE_KERNEL", lambda t, *w: t.api.error(
        "clEnqueueNDRangeKernel", t.queue, t.kernel, 1, None, sizes(64), None, *w)),
    "Task": ("TASK", lambda t, *w: t.api.error("clEnqueueTask", t.queue, t.kernel, *w)),
    "NativeKernel": ("NATIVE_KERNEL", lambda t, *w: t.api.error(
        "clEnqueueNativeKernel", t.queue, t.native, None, 0, 0, None, None, *w)),
    "ReadBuffer": ("READ_BUFFER", lambda t, *w: t.api.error(
        "clEnqueueReadBuffer", t.queue, t.source, 0, 0, SIZE, t.host, *w)),
    "WriteBuffer": ("WRITE_BUFFER", lambda t, *w: t.api.error(
        "clEnqueueWriteBuffer", t.queue, t.target, 0, 0, SIZE, t.host, *w)),
    "CopyBuffer": ("COPY_BUFFER", lambda t, *w: t.api.error(
        "clEnqueueCopyBuffer", t.queue, t.source, t.target, 0, 0, SIZE, *w)),
    "ReadBufferRect": ("READ_BUFFER_RECT", lambda t, *w: t.api.error(
        "clEnqueueReadBufferRect", t.queue, t.source, 0, *BOX, t.host, *w)),
    "WriteBufferRect": ("WRITE_BUFFER_RECT", lambda t, *w: t.api.error(
        "clEnqueueWriteBufferRect", t.queue, t.target, 0, *BOX, t.host, *w)),
    "CopyBufferRect": ("COPY_BUFFER_RECT", lambda t, *w: t.api.error(
        "clEnqueueCopyBufferRect", t.queue, t.source, t.target, *BOX, *w)),
    "FillBuffer": ("FILL_BUFFER", lambda t, *w: t.api.error(
        "clEnqueueFillBuffer", t.queue, t.target, byref(NUMBER), 4, 0, SIZE, *w)),
    "MapBuffer": ("MAP_BUFFER", lambda t, *w: t.map(*w)),
    "UnmapMemObject": ("UNMAP_MEM_OBJECT", lambda t, *w: t.unmap(*w)),
    "MigrateMemObjects": ("MIGRATE_MEM_OBJECTS", lambda t, *w: t.api.error(
        "clEnqueueMigrateMemObjects", t.queue, 1, handles(t.source), 0, *w)),
    "MigrateMemObjectEXT": ("MIGRATE_MEM_OBJECT_EXT", lambda t, *w: t.api.error(
        "clEnqueueMigrateMemObjectEXT", t.queue, 1, handles(t.source), 0, *w)),
    "MarkerWithWaitList": ("MARKER", lambda t, *w: t.api.error("clEnqueueMarkerWithWaitList", t.queue, *w)),
    "BarrierWithWaitList": ("BARRIER", lambda t, *w: t.api.error("clEnqueueBarrierWithWaitList", t.queue, *w)),
    "SVMMemcpy": ("SVM_MEMCPY", lambda t, *w: t.api.error(
        "clEnqueueSVMMemcpy", t.queue, 0, t.host, t.svm[0], SIZE, *w)),
    "SVMMemFill": ("SVM_MEMFILL", lambda t, *w: t.api.error(
        "clEnqueueSVMMemFill", t.queue, t.host, byref(NUMBER), 4, SIZE, *w)),
    "SVMMap": ("SVM_MAP", lambda t, *w: t.api.error(
        "clEnqueueSVMMap", t.queue, 0, E.MAP_READ, t.svm[0], SIZE, *w)),
    "SVMUnmap": ("SVM_UNMAP", lambda t, *w: t.api.error("clEnqueueSVMUnmap", t.queue, t.svm[0], *w)),
    "SVMMigrateMem": ("SVM_MIGRATE_MEM", lambda t, *w: t.api.error(
        "clEnqueueSVMMigrateMem", t.queue, 1, handles(t.svm[0]), None, 0, *w)),
    "SVMFree": ("SVM_FREE", lambda t, *w: t.api.error(
        "clEnqueueSVMFree", t.queue, 1, handles(t.svm[1]), t.freed, None, *w)),
}
each_command = pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.needs("native kernels")) if name == "NativeKernel" else name
    for name in COMMANDS])
each_mode = pytest.mark.parametrize("mode", [0, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE], ids=["in", "out"])


@pytest.fixture
def things(api, context, device, buffer, kernel, mode):
    queue = api.make("clCreateCommandQueue", context, device, mode | E.QUEUE_PROFILING_ENABLE)
    made = Things(api, context, queue, buffer, kernel)
    yield made
    made.end()
    api.ok("clReleaseCommandQueue", queue)


@each_mode
@each_command
def test_type_and_times(api, context, things, name, mode):
    kind, enqueue = COMMANDS[name]
    event = c_void_p()
    assert enqueue(things, 0, None, byref(event)) == "CL_SUCCESS"
    api.ok("clWaitForEvents", 1, handles(event.value))
    assert event_status(api, event) == E.COMPLETE
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == getattr(E, "COMMAND_" + kind)
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == things.queue
    assert api.number("clGetEventInfo", event, E.EVENT_CONTEXT) == context
    times = [api.number("clGetEventProfilingInfo", event, each) for each in PROFILE]
    assert times[0] > 0 and times == sorted(times)
    api.ok("clReleaseEvent", event)


@each_mode
@each_command
def test_a_failed_wait_list(api, things, user_event, name, mode):
    """The command does not run, its event says so, and each of its callbacks is called with the error, once."""
    gate, event, seen = user_event(), c_void_p(), []
    done = threading.Event()

    @NOTIFY
    def notify(_, reached, trigger):
        seen.append((trigger or 0, reached))
        if len(seen) == 3:
            done.set()

    assert COMMANDS[name][1](things, 1, handles(gate), byref(event)) == "CL_SUCCESS"
    for trigger in (E.COMPLETE, E.RUNNING):
        api.ok("clSetEventCallback", event, trigger, notify, trigger)
    api.ok("clSetUserEventStatus", gate, -42)
    api.ok("clSetEventCallback", event, E.SUBMITTED, notify, E.SUBMITTED)
    assert api.error("clWaitForEvents", 1, handles(event.value)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert event_status(api, event) == FAILED
    assert done.wait(10)
    # The one that was registered late may have come for the status that was reached before the failure.
    assert sorted(seen)[:2] == [(E.COMPLETE, FAILED), (E.RUNNING, FAILED)] and sorted(seen)[2][0] == E.SUBMITTED
    assert not things.changed()
    api.ok("clReleaseEvent", event)


@each_mode
def test_the_old_functions(api, context, things, user_event, mode):
    """clEnqueueWaitForEvents, clEnqueueMarker and clEnqueueBarrier beside their successors."""
    gate, marker, late = user_event(), c_void_p(), c_void_p()
    api.ok("clEnqueueFillBuffer", things.queue, things.target, byref(NUMBER), 4, 0, 16, 1, handles(gate), None)
    api.ok("clEnqueueMarker", things.queue, byref(marker))
    assert event_status(api, marker) > E.COMPLETE, "a marker waits for all that was enqueued before it"
    api.ok("clEnqueueBarrier", things.queue)
    api.ok("clEnqueueReadBuffer", things.queue, things.target, 0, 0, 16, things.host, 0, None, byref(late))
    assert event_status(api, late) > E.COMPLETE, "nothing passes a barrier"
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 2, handles(marker.value, late.value))
    assert things.host.raw[:16] == struct.pack("=4I", 5, 5, 5, 5)
    for event in (marker, late):
        api.ok("clReleaseEvent", event)
    second, last = user_event(), c_void_p()
    api.ok("clEnqueueWaitForEvents", things.queue, 1, handles(second))
    api.ok("clEnqueueMarkerWithWaitList", things.queue, 0, None, byref(last))
    assert event_status(api, last) > E.COMPLETE, "what is enqueued later waits for the events"
    api.ok("clSetUserEventStatus", second, E.COMPLETE)
    api.ok("clWaitForEvents", 1, handles(last.value))
    api.ok("clReleaseEvent", last)
