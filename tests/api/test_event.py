# SPDX-License-Identifier: Apache-2.0
"""Events: queries, waiting, user events, callbacks, profiling, markers and barriers."""
import ctypes
import threading
import time
from ctypes import byref, c_int32, c_uint64, c_void_p, create_string_buffer

import pytest
from clapi import E, event_status, handles

NOTIFY = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_void_p)
FAILED = -14                     # CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST


@pytest.fixture
def marker(api, queue):
    made = []

    def new(*waits, on=None):
        event = c_void_p()
        api.ok("clEnqueueMarkerWithWaitList", on or queue, len(waits), handles(*waits) if waits else None, byref(event))
        made.append(event)
        return event

    yield new
    for event in made:
        api.ok("clReleaseEvent", event)


@pytest.fixture
def profiled(api, context, device):
    made = api.make("clCreateCommandQueue", context, device, E.QUEUE_PROFILING_ENABLE)
    yield made
    api.ok("clReleaseCommandQueue", made)


class Calls:
    """A callback that notes its calls."""

    def __init__(self):
        self.seen, self.changed = [], threading.Condition()
        self.function = NOTIFY(self.note)

    def note(self, event, status, data):
        with self.changed:
            self.seen.append((status, data, threading.get_native_id()))
            self.changed.notify_all()

    def wait(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.seen) >= count, 10), self.seen
        return [(status, data) for status, data, _ in self.seen]


# ---- queries

def test_info(api, queue, context, marker, user_event):
    event, user = marker(), user_event()
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == queue
    assert api.number("clGetEventInfo", user, E.EVENT_COMMAND_QUEUE) == 0
    assert api.number("clGetEventInfo", event, E.EVENT_CONTEXT) == context
    assert api.number("clGetEventInfo", user, E.EVENT_CONTEXT) == context
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_MARKER
    assert api.number("clGetEventInfo", user, E.EVENT_COMMAND_TYPE) == E.COMMAND_USER
    assert api.number("clGetEventInfo", user, E.EVENT_REFERENCE_COUNT) == 1
    assert event_status(api, user) == E.SUBMITTED
    assert event_status(api, event) == E.COMPLETE
    assert api.error("clGetEventInfo", event, 0, 0, None, None) == "CL_INVALID_VALUE"
    assert api.error("clGetEventInfo", event, E.EVENT_CONTEXT, 4, create_string_buffer(4), None) == "CL_INVALID_VALUE"


def test_wrong_handles(api, queue, context, user_event):
    user, released = user_event(), api.make("clCreateUserEvent", context)
    api.ok("clReleaseEvent", released)
    for handle in (None, queue, context, released):
        assert api.error("clRetainEvent", handle) == "CL_INVALID_EVENT"
        assert api.error("clReleaseEvent", handle) == "CL_INVALID_EVENT"
        assert api.error("clGetEventInfo", handle, E.EVENT_CONTEXT, 0, None, None) == "CL_INVALID_EVENT"
        assert api.error("clGetEventProfilingInfo", handle, 0, 0, None, None) == "CL_INVALID_EVENT"
        assert api.error("clSetUserEventStatus", handle, 0) == "CL_INVALID_EVENT"
        assert api.error("clSetEventCallback", handle, E.COMPLETE, None, None) == "CL_INVALID_EVENT"
        assert api.error("clWaitForEvents", 1, handles(handle)) == "CL_INVALID_EVENT"
    # Anything at all in a list: the loader does not look there.
    for handle in (None, queue, released, 1, 0xdeadbeef, 2**64 - 8, user + 8, user + 64, id(object())):
        assert api.error("clEnqueueMarkerWithWaitList", queue, 1, handles(handle), None) == \
            "CL_INVALID_EVENT_WAIT_LIST"
        assert api.error("clEnqueueWaitForEvents", queue, 1, handles(handle)) == "CL_INVALID_EVENT"
        assert api.error("clWaitForEvents", 2, handles(user, handle)) == "CL_INVALID_EVENT"


def test_no_handle_leads_to_a_command_without_an_event(api, queue, marker, context, device):
    """The place of a released event may be taken by a command of the runtime's own that never ends."""
    stale = []
    for _ in range(40):
        event = c_void_p()
        api.ok("clEnqueueMarkerWithWaitList", queue, 0, None, byref(event))
        api.ok("clWaitForEvents", 1, byref(event))
        stale.append(event.value)
    for event in stale:
        api.ok("clReleaseEvent", event)
    queues = [api.make("clCreateCommandQueue", context, device, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
              for _ in range(40)]
    for event in stale:
        assert api.error("clRetainEvent", event) == api.error("clReleaseEvent", event) == "CL_INVALID_EVENT"
        assert api.error("clEnqueueMarkerWithWaitList", queue, 1, handles(event), None) == \
            "CL_INVALID_EVENT_WAIT_LIST"
    for each in queues:
        api.ok("clReleaseCommandQueue", each)


# ---- waiting

def test_wait_errors(api, queue, marker, user_event, other_context):
    event, stranger = marker(), user_event(other_context)
    assert api.error("clWaitForEvents", 0, handles(event)) == "CL_INVALID_VALUE"
    assert api.error("clWaitForEvents", 1, None) == "CL_INVALID_VALUE"
    assert api.error("clWaitForEvents", 2, handles(event, stranger)) == "CL_INVALID_CONTEXT"
    assert api.error("clEnqueueMarkerWithWaitList", queue, 1, handles(stranger), None) == "CL_INVALID_CONTEXT"
    assert api.error("clEnqueueBarrierWithWaitList", queue, 1, handles(stranger), None) == "CL_INVALID_CONTEXT"
    assert api.error("clEnqueueWaitForEvents", queue, 1, handles(stranger)) == "CL_INVALID_CONTEXT"
    assert api.error("clEnqueueWaitForEvents", queue, 0, handles(event)) == "CL_INVALID_VALUE"
    assert api.error("clEnqueueWaitForEvents", queue, 1, None) == "CL_INVALID_VALUE"
    for name in ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"):
        assert api.error(name, None, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        assert api.error(name, queue, 1, None, None) == "CL_INVALID_EVENT_WAIT_LIST"
        assert api.error(name, queue, 0, handles(event), None) == "CL_INVALID_EVENT_WAIT_LIST"
    assert api.error("clEnqueueMarker", queue, None) == "CL_INVALID_VALUE"
    assert api.error("clEnqueueMarker", None, None) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clEnqueueBarrier", None) == "CL_INVALID_COMMAND_QUEUE"


def test_errors_run_down_the_graph(api, queue, marker, user_event, buffer, contents):
    """A command that waits for a failed event does not run. The order of a queue alone passes no error on."""
    gate, mem = user_event(), buffer(contents=b"." * 16)
    first, fill = marker(gate), c_void_p()
    api.ok("clEnqueueFillBuffer", queue, mem, b"x", 1, 0, 8, 1, handles(first), byref(fill))
    api.ok("clEnqueueFillBuffer", queue, mem, b"y", 1, 8, 8, 0, None, None)
    api.ok("clSetUserEventStatus", gate, -7)
    assert contents(mem, 16) == b"." * 8 + b"y" * 8
    assert (event_status(api, gate), event_status(api, first), event_status(api, fill)) == (-7, FAILED, FAILED)
    assert api.error("clWaitForEvents", 1, handles(gate)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert api.error("clWaitForEvents", 1, handles(fill)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    late = marker(fill)                              # a wait list that has failed already
    assert event_status(api, late) == FAILED
    host = create_string_buffer(16)
    assert api.error("clEnqueueReadBuffer", queue, mem, 1, 0, 16, host, 1, handles(late), None) == \
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert host.raw == bytes(16)
    api.ok("clReleaseEvent", fill)


def test_event_out_may_be_a_waited_one(api, queue, marker):
    """Not allowed, and often done: the wait list is read before the event is written."""
    event = c_void_p(marker().value)
    api.ok("clEnqueueMarkerWithWaitList", queue, 1, byref(event), byref(event))
    api.ok("clWaitForEvents", 1, byref(event))
    api.ok("clReleaseEvent", event)


def test_many_waits(api, queue, marker, user_event):
    gates = [user_event() for _ in range(300)]
    behind = marker(*gates, *gates)
    for gate in gates:
        assert event_status(api, behind) == E.SUBMITTED
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(behind))


# ---- user events

def test_user_event_status(api, context, marker, user_event):
    user = user_event()
    assert api.error("clSetUserEventStatus", marker(), E.COMPLETE) == "CL_INVALID_EVENT"
    for value in (E.SUBMITTED, E.RUNNING, E.QUEUED, 7):
        assert api.error("clSetUserEventStatus", user, value) == "CL_INVALID_VALUE"
    api.ok("clSetUserEventStatus", user, E.COMPLETE)
    assert api.error("clSetUserEventStatus", user, E.COMPLETE) == "CL_INVALID_OPERATION"
    assert api.error("clSetUserEventStatus", user, -1) == "CL_INVALID_OPERATION"
    assert event_status(api, user) == E.COMPLETE
    assert api.new("clCreateUserEvent", None)[1] == "CL_INVALID_CONTEXT"


def test_user_event_released_while_waited_for(api, context, marker):
    """Commands keep it alive, so that it can still be set."""
    user = api.make("clCreateUserEvent", context)
    behind = marker(user)
    api.ok("clReleaseEvent", user)
    api.ok("clSetUserEventStatus", user, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(behind))
    assert api.error("clRetainEvent", user) == "CL_INVALID_EVENT"


def test_user_event_keeps_its_context(api, device):
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    user = api.make("clCreateUserEvent", context)
    api.ok("clReleaseContext", context)
    assert api.number("clGetEventInfo", user, E.EVENT_CONTEXT) == context
    api.ok("clReleaseEvent", user)
    assert api.error("clRetainContext", context) == "CL_INVALID_CONTEXT"


# ---- callbacks

@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_callbacks(api, queue, marker, user_event, before):
    """For each status, registered before or after it is reached; each is called once, with its own status."""
    gate, calls = user_event(), Calls()
    event = marker(gate)
    if not before:
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    for trigger in (E.COMPLETE, E.RUNNING, E.SUBMITTED):
        api.ok("clSetEventCallback", event, trigger, calls.function, 100 + trigger)
    if before:
        assert calls.wait(1) == [(E.SUBMITTED, 100 + E.SUBMITTED)]
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    assert sorted(calls.wait(3)) == [(t, 100 + t) for t in (E.COMPLETE, E.RUNNING, E.SUBMITTED)]
    time.sleep(0.02)
    assert len(calls.seen) == 3


def test_callback_of_a_failed_command(api, marker, user_event):
    gate, calls = user_event(), Calls()
    event = marker(gate)
    for each in (gate, event):
        api.ok("clSetEventCallback", each, E.COMPLETE, calls.function, None)
    api.ok("clSetUserEventStatus", gate, -9)
    assert sorted(calls.wait(2)) == [(FAILED, None), (-9, None)]


def test_several_callbacks_of_a_user_event(api, no_leak, device):
    """Its first one lies in the event itself; set or not, and released before the calls are made."""
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    for is_set in (True, False):
        calls, event = Calls(), api.make("clCreateUserEvent", context)
        for number in range(3):
            api.ok("clSetEventCallback", event, E.COMPLETE, calls.function, 7 + number)
        if is_set:
            api.ok("clSetUserEventStatus", event, E.COMPLETE)
        api.ok("clReleaseEvent", event)
        assert sorted(calls.wait(3)) == [(0, 7), (0, 8), (0, 9)] if is_set else calls.seen == []
    api.ok("clReleaseContext", context)


def test_callbacks_of_a_user_event_come_at_once(api, marker, user_event):
    """From the thread that sets the status, when what waited for the event is on its way."""
    gate, seen = user_event(), []
    behind = marker(gate)
    note = NOTIFY(lambda event, code, data: seen.append((data, event_status(api, behind), threading.get_native_id())))
    for trigger in (E.COMPLETE, E.RUNNING):
        api.ok("clSetEventCallback", gate, trigger, note, 7 + trigger)
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    me = threading.get_native_id()
    assert seen == [(7 + E.RUNNING, E.COMPLETE, me), (7, E.COMPLETE, me)]


@pytest.mark.parametrize("first", ["user event", "command"])
def test_user_events_that_set_each_other_off(api, context, marker, first):
    """A chain of any length needs no stack: only the first callback is called within a call."""
    events = [api.make("clCreateUserEvent", context) for _ in range(5000)]
    threads, inside, done = set(), threading.local(), threading.Event()
    deep = []

    def following(event, code, data):
        if getattr(inside, "call", None) is not None:
            deep.append(data)
        inside.call = data
        threads.add(threading.get_native_id())
        if data < len(events):
            api.ok("clSetUserEventStatus", events[data], code)
        else:
            done.set()
        inside.call = None

    function = NOTIFY(lambda event, code, data: following(event, code, data or 0))
    for number, event in enumerate(events):
        api.ok("clSetEventCallback", event, E.COMPLETE, function, number + 1)
    if first == "command":
        api.ok("clSetEventCallback", marker(), E.COMPLETE, function, 0)
    else:
        api.ok("clSetUserEventStatus", events[0], E.COMPLETE)
    assert done.wait(20)
    assert (len(threads), deep) == (2 if first == "user event" else 1, [])
    for event in events:
        api.ok("clReleaseEvent", event)


def test_callback_of_a_user_event_may_wait(api, queue, user_event, buffer, contents):
    gate, mem, read = user_event(), buffer(contents=b"." * 4), []

    def wait(event, code, data):
        api.ok("clEnqueueFillBuffer", queue, mem, b"z", 1, 0, 4, 0, None, None)
        api.ok("clFinish", queue)
        read.append(contents(mem, 4))

    function = NOTIFY(wait)
    api.ok("clSetEventCallback", gate, E.COMPLETE, function, None)
    api.ok("clEnqueueFillBuffer", queue, mem, b"y", 1, 0, 4, 1, handles(gate), None)
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    assert read == [b"zzzz"]


def test_callback_errors(api, marker):
    calls, event = Calls(), marker()
    assert api.error("clSetEventCallback", event, E.COMPLETE, None, None) == "CL_INVALID_VALUE"
    assert api.error("clSetEventCallback", event, E.QUEUED + 1, calls.function, None) == "CL_INVALID_VALUE"
    assert api.error("clSetEventCallback", event, -1, calls.function, None) == "CL_INVALID_VALUE"


def test_callback_may_enqueue_and_release(api, queue, buffer, contents):
    mem, done, kept = buffer(contents=b"." * 4), threading.Event(), []

    def first(event, status, data):
        following = c_void_p()
        api.ok("clEnqueueFillBuffer", queue, mem, b"z", 1, 0, 4, 0, None, byref(following))
        api.ok("clSetEventCallback", following, E.COMPLETE, kept[1], None)
        api.ok("clReleaseEvent", following)
        api.ok("clReleaseEvent", event)              # the reference of the application

    def second(event, status, data):
        done.set()

    kept.extend((NOTIFY(first), NOTIFY(second)))
    event = c_void_p()
    api.ok("clEnqueueMarker", queue, byref(event))
    api.ok("clSetEventCallback", event, E.COMPLETE, kept[0], None)
    assert done.wait(10)
    assert contents(mem, 4) == b"zzzz"


def test_callbacks_come_without_a_flush(api, queue, kernel, buffer):
    """For a kernel that nobody waits for, and whose time is not known yet."""
    run, mem, calls = kernel("kernel void k(global int *a) { a[0] = 7; }"), buffer(contents=bytes(4)), Calls()
    event, size = c_void_p(), (ctypes.c_size_t * 1)(1)
    api.ok("clSetKernelArg", run, 0, 8, byref(c_void_p(mem)))
    api.ok("clEnqueueNDRangeKernel", queue, run, 1, None, size, None, 0, None, byref(event))
    api.ok("clSetEventCallback", event, E.COMPLETE, calls.function, None)
    calls.wait(1)
    api.ok("clReleaseEvent", event)


def test_polling_without_a_flush_ends(api, queue, kernel, buffer):
    run, mem = kernel("kernel void k(global int *a) { a[0] = 7; }"), buffer(contents=bytes(4))
    event, size = c_void_p(), (ctypes.c_size_t * 1)(1)
    api.ok("clSetKernelArg", run, 0, 8, byref(c_void_p(mem)))
    api.ok("clEnqueueNDRangeKernel", queue, run, 1, None, size, None, 0, None, byref(event))
    end = time.monotonic() + 10
    while event_status(api, event) != E.COMPLETE:
        assert time.monotonic() < end
    api.ok("clReleaseEvent", event)


# ---- profiling

PROFILE = [E.PROFILING_COMMAND_QUEUED, E.PROFILING_COMMAND_SUBMIT, E.PROFILING_COMMAND_START, E.PROFILING_COMMAND_END,
           E.PROFILING_COMMAND_COMPLETE]


@pytest.mark.needs("host code")
def test_profiling(api, profiled, buffer, user_event, marker):
    gate, mem, fill = user_event(), buffer(1 << 20), c_void_p()
    begin = time.monotonic_ns()
    held = marker(gate, on=profiled)
    api.ok("clEnqueueFillBuffer", profiled, mem, b"x", 1, 0, 1 << 20, 0, None, byref(fill))
    for name in PROFILE:
        assert api.error("clGetEventProfilingInfo", fill, name, 0, None, None) == "CL_PROFILING_INFO_NOT_AVAILABLE"
    time.sleep(0.01)
    opened = time.monotonic_ns()
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", profiled)
    end = time.monotonic_ns()
    for event in (held, fill):
        queued, submit, start, finished, complete = (api.number("clGetEventProfilingInfo", event, p) for p in PROFILE)
        assert begin <= queued <= submit <= start <= finished <= complete <= end
        assert submit < opened <= finished
    assert api.error("clGetEventProfilingInfo", fill, 0, 0, None, None) == "CL_INVALID_VALUE"
    small = create_string_buffer(4)
    assert api.error("clGetEventProfilingInfo", fill, PROFILE[0], 4, small, None) == "CL_INVALID_VALUE"
    api.ok("clReleaseEvent", fill)


def test_profiling_only_where_asked_for(api, marker, user_event):
    user = user_event()
    api.ok("clSetUserEventStatus", user, E.COMPLETE)
    value = c_uint64()
    for event in (marker(), user):
        assert api.error("clGetEventProfilingInfo", event, PROFILE[0], 8, byref(value), None) == \
            "CL_PROFILING_INFO_NOT_AVAILABLE"
