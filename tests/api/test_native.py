# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNativeKernel."""
import ctypes
import threading
from ctypes import CFUNCTYPE, addressof, byref, c_int32, c_uint64, c_void_p, string_at

import pytest
from clapi import E, handles

pytestmark = [pytest.mark.needs("native kernels"), pytest.mark.usefixtures("no_leak")]

FUNCTION = CFUNCTYPE(None, c_void_p)


class Args(ctypes.Structure):
    _fields_ = (("n", c_int32), ("source", c_void_p), ("target", c_void_p))


@pytest.fixture
def enqueue(api, queue):
    """call(function, args, mems, places, wait list, event)"""
    def call(function, args=None, mems=(), places=(), wait=(), event=None):
        size = ctypes.sizeof(args) if args is not None else 0
        return api.error("clEnqueueNativeKernel", queue, function, byref(args) if size else None, size, len(mems),
                         handles(*mems) if mems else None, handles(*places) if places else None, len(wait),
                         handles(*wait) if wait else None, event)
    return call


def places(args):
    return [addressof(args) + Args.source.offset, addressof(args) + Args.target.offset]


def test_the_device_says_so(api, device):
    assert api.number("clGetDeviceInfo", device, E.DEVICE_EXECUTION_CAPABILITIES) == (
        E.EXEC_KERNEL | E.EXEC_NATIVE_KERNEL)


def test_buffers_become_pointers(api, queue, buffer, contents, enqueue):
    source, target = buffer(contents=b"native"), buffer(contents=b"......")
    calls = []

    @FUNCTION
    def copy(pointer):
        args = Args.from_address(pointer)
        calls.append((args.n, string_at(args.source, args.n)))
        ctypes.memmove(args.target, args.source, args.n)

    args = Args(6, source, target)
    assert enqueue(copy, args, (source, target), places(args)) == "CL_SUCCESS"
    args.n = 1                   # "the memory region pointed to by args can be reused"
    assert contents(target, 6) == b"native"
    assert calls == [(6, b"native")]
    assert (args.source, args.target) == (source, target), "the application's own copy is left alone"


def test_without_arguments(api, queue, enqueue):
    calls = []
    function = FUNCTION(calls.append)
    assert enqueue(function) == "CL_SUCCESS"
    api.ok("clFinish", queue)
    assert calls == [None]


def test_null_for_a_buffer(api, queue, buffer, enqueue):
    """"The buffer object values specified in mem_list are memory object handles [...] or NULL." """
    seen = []
    function = FUNCTION(lambda pointer: seen.append(Args.from_address(pointer).source))
    args = Args(0, 4711, 0)
    assert enqueue(function, args, (None, buffer(64)), places(args)) == "CL_SUCCESS"
    api.ok("clFinish", queue)
    assert seen == [None]


def test_order_events_and_held_buffers(api, queue, context, user_event, enqueue):
    """It waits for its list, is in order with kernels, and its buffer may be released by then."""
    gate, event, log = user_event(), c_void_p(), []
    mem = api.make("clCreateBuffer", context, 0, 4, None)

    @FUNCTION
    def function(pointer):
        target = Args.from_address(pointer).target
        log.append(string_at(target, 4))
        ctypes.memmove(target, b"done", 4)

    args, back = Args(0, 0, 0), ctypes.create_string_buffer(4)
    api.ok("clEnqueueFillBuffer", queue, mem, b"fill", 4, 0, 4, 1, handles(gate), None)
    assert enqueue(function, args, (mem,), places(args)[1:], (gate,), byref(event)) == "CL_SUCCESS"
    api.ok("clEnqueueReadBuffer", queue, mem, 0, 0, 4, back, 0, None, None)
    api.ok("clReleaseMemObject", mem)
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_NATIVE_KERNEL
    assert log == []
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert (log, back.raw) == ([b"fill"], b"done")
    api.ok("clReleaseEvent", event)


def test_the_call_does_not_wait_for_the_function(api, queue, enqueue):
    """It may wait for what the thread that enqueued it does next."""
    opened, ran = threading.Event(), []
    function = FUNCTION(lambda _: ran.append(opened.wait(60)))
    assert enqueue(function) == "CL_SUCCESS"
    opened.set()
    api.ok("clFinish", queue)
    assert ran == [True]


def test_a_failed_wait_list_keeps_it_from_running(api, queue, user_event, enqueue):
    gate, event, calls = user_event(), c_void_p(), []
    function = FUNCTION(calls.append)
    assert enqueue(function, wait=(gate,), event=byref(event)) == "CL_SUCCESS"
    api.ok("clSetUserEventStatus", gate, -1)
    assert api.error("clWaitForEvents", 1, byref(event)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    api.ok("clReleaseEvent", event)
    assert calls == []


def test_profiling(api, context, device):
    queue = api.make("clCreateCommandQueue", context, device, E.QUEUE_PROFILING_ENABLE)
    event, function = c_void_p(), FUNCTION(lambda _: None)
    api.ok("clEnqueueNativeKernel", queue, function, None, 0, 0, None, None, 0, None, byref(event))
    api.ok("clFinish", queue)
    times = [api.number("clGetEventProfilingInfo", event, name) for name in (
        E.PROFILING_COMMAND_QUEUED, E.PROFILING_COMMAND_SUBMIT, E.PROFILING_COMMAND_START, E.PROFILING_COMMAND_END)]
    assert times == sorted(times) and times[0] > 0
    api.ok("clReleaseEvent", event)
    api.ok("clReleaseCommandQueue", queue)


def test_errors_in_order(api, context, other_context, queue, buffer, user_event):
    function, words, mem = FUNCTION(lambda _: None), (c_uint64 * 2)(), buffer(64)
    args, one, at = byref(words), handles(mem), handles(addressof(words))
    beyond, before = handles(addressof(words) + 9), handles(addressof(words) - 8)
    foreign = handles(buffer(64, within=other_context))

    def error(*leading, n=0, events=None):
        return api.error("clEnqueueNativeKernel", *leading, n, events, None)
    assert error(None, None, None, 0, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
    for leading in ((None, args, 16, 1, one, at), (function, None, 16, 0, None, None),
                    (function, None, 0, 1, one, at), (function, args, 0, 0, None, None),
                    (function, args, 16, 1, None, at), (function, args, 16, 1, one, None),
                    (function, args, 16, 0, one, None), (function, args, 16, 0, None, at),
                    (function, args, 16, 1, one, beyond), (function, args, 16, 1, one, before),
                    (function, args, 4, 1, one, at)):
        assert error(queue, *leading, n=1) == "CL_INVALID_VALUE"
    assert error(queue, function, args, 16, 1, handles(context), at, n=1) == "CL_INVALID_MEM_OBJECT"
    assert error(queue, function, args, 16, 1, foreign, at) == "CL_INVALID_CONTEXT"
    assert error(queue, function, args, 16, 1, one, at, n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    events = handles(user_event(other_context))
    assert error(queue, function, args, 16, 1, one, at, n=1, events=events) == "CL_INVALID_CONTEXT"
    assert error(queue, function, args, 16, 1, one, at) == "CL_SUCCESS"
    api.ok("clFinish", queue)
