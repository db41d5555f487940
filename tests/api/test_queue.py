# SPDX-License-Identifier: Apache-2.0
"""Command queues: making, queries, order, flush, finish."""
import time
from ctypes import byref, c_size_t, c_uint64, c_void_p, create_string_buffer

import pytest
from clapi import E, event_status, handles, numbers

OUT_OF_ORDER, PROFILING = E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, E.QUEUE_PROFILING_ENABLE
ON_DEVICE, ON_DEVICE_DEFAULT = E.QUEUE_ON_DEVICE, E.QUEUE_ON_DEVICE_DEFAULT


def properties(*values):
    return numbers(c_uint64, *values)


@pytest.fixture
def out_of_order(api, context, device):
    made = api.make("clCreateCommandQueue", context, device, OUT_OF_ORDER)
    yield made
    api.ok("clFinish", made)
    api.ok("clReleaseCommandQueue", made)


@pytest.mark.parametrize("mode", [0, OUT_OF_ORDER, PROFILING, OUT_OF_ORDER | PROFILING])
def test_info(api, context, device, mode):
    queue = api.make("clCreateCommandQueue", context, device, mode)
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_CONTEXT) == context
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_DEVICE) == device
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_PROPERTIES) == mode
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_REFERENCE_COUNT) == 1
    assert api.info("clGetCommandQueueInfo", queue, E.QUEUE_PROPERTIES_ARRAY) == b""
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_DEVICE_DEFAULT) == 0
    assert api.error("clGetCommandQueueInfo", queue, E.QUEUE_SIZE, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
    api.ok("clRetainCommandQueue", queue)
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_REFERENCE_COUNT) == 2
    api.ok("clReleaseCommandQueue", queue)
    api.ok("clReleaseCommandQueue", queue)
    assert api.error("clReleaseCommandQueue", queue) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clFinish", queue) == "CL_INVALID_COMMAND_QUEUE"


def test_info_errors(api, queue, context):
    small = create_string_buffer(4)
    for handle in (None, context):       # the loader follows the pointer, so others are for unit tests
        for name in ("clFlush", "clFinish", "clRetainCommandQueue", "clReleaseCommandQueue"):
            assert api.error(name, handle) == "CL_INVALID_COMMAND_QUEUE"
        assert api.error("clGetCommandQueueInfo", handle, E.QUEUE_CONTEXT, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clGetCommandQueueInfo", queue, E.QUEUE_CONTEXT, 4, small, None) == "CL_INVALID_VALUE"
    assert api.error("clGetCommandQueueInfo", queue, 0, 0, None, None) == "CL_INVALID_VALUE"
    size = c_size_t(77)
    api.ok("clGetCommandQueueInfo", queue, E.QUEUE_CONTEXT, 0, None, byref(size))
    assert size.value == 8


def test_create_errors(api, context, device, queue):
    def error(place=context, dev=device, mode=0):
        return api.new("clCreateCommandQueue", place, dev, mode)[1]

    assert error(place=None) == error(place=queue) == error(place=device) == "CL_INVALID_CONTEXT"
    assert error(dev=None) == error(dev=context) == "CL_INVALID_DEVICE"
    assert error(mode=1 << 40) == error(mode=ON_DEVICE | OUT_OF_ORDER) == "CL_INVALID_VALUE"
    assert error(place=None, dev=None, mode=1 << 40) == "CL_INVALID_CONTEXT"
    assert error(dev=None, mode=1 << 40) == "CL_INVALID_DEVICE"
    made = api.clCreateCommandQueue(context, device, 0, None)        # errcode_ret may be NULL
    api.ok("clReleaseCommandQueue", made)


def test_create_with_properties(api, context, device):
    name = "clCreateCommandQueueWithProperties"

    def error(*values, place=context, dev=device):
        made, code = api.new(name, place, dev, properties(*values))
        if made:
            api.ok("clReleaseCommandQueue", made)
        return code

    for values in ((0,), (E.QUEUE_PROPERTIES, 0, 0), (E.QUEUE_PROPERTIES, OUT_OF_ORDER | PROFILING, 0)):
        made = api.make(name, context, device, properties(*values))
        assert api.info("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES_ARRAY) == bytes(properties(*values))
        assert api.number("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES) == (values[1] if len(values) > 1 else 0)
        api.ok("clReleaseCommandQueue", made)
    made = api.make(name, context, device, None)
    assert api.info("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES_ARRAY) == b""
    api.ok("clReleaseCommandQueue", made)
    assert error(0, place=None) == "CL_INVALID_CONTEXT"
    assert error(0, dev=None) == "CL_INVALID_DEVICE"
    assert error(0x9999, 1, 0) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_PROPERTIES, 1 << 40, 0) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_PROPERTIES, 0, E.QUEUE_PROPERTIES, 0, 0) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_SIZE, 4096, 0) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_PROPERTIES, ON_DEVICE, 0) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_PROPERTIES, ON_DEVICE_DEFAULT | OUT_OF_ORDER, 0) == "CL_INVALID_VALUE"
    # valid, if not supported by every device
    able = api.number("clGetDeviceInfo", device, E.DEVICE_DEVICE_ENQUEUE_CAPABILITIES)
    code = "CL_SUCCESS" if able else "CL_INVALID_QUEUE_PROPERTIES"
    assert error(E.QUEUE_PROPERTIES, ON_DEVICE | OUT_OF_ORDER, 0) == code
    assert error(E.QUEUE_SIZE, 4096, E.QUEUE_PROPERTIES, ON_DEVICE | OUT_OF_ORDER, 0) == code


def test_what_is_not_supported(api, queue, context, device):
    assert api.error("clSetCommandQueueProperty", None, PROFILING, 1, None) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clSetCommandQueueProperty", queue, PROFILING, 1, None) == "CL_INVALID_OPERATION"
    assert api.error("clSetDefaultDeviceCommandQueue", None, device, queue) == "CL_INVALID_CONTEXT"
    assert api.error("clSetDefaultDeviceCommandQueue", context, None, queue) == "CL_INVALID_DEVICE"
    able = api.number("clGetDeviceInfo", device, E.DEVICE_DEVICE_ENQUEUE_CAPABILITIES)
    assert api.error("clSetDefaultDeviceCommandQueue", context, device, queue) == (
        "CL_INVALID_COMMAND_QUEUE" if able else "CL_INVALID_OPERATION")


def test_a_queue_keeps_its_context(api, device):
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    api.ok("clReleaseContext", context)
    assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_CONTEXT) == context
    assert api.number("clGetContextInfo", context, E.CONTEXT_REFERENCE_COUNT) == 0
    assert api.error("clReleaseContext", context) == "CL_INVALID_CONTEXT"
    api.ok("clRetainContext", context)       # it is alive, and the application may want it again
    api.ok("clReleaseContext", context)
    api.ok("clReleaseCommandQueue", queue)
    assert api.error("clRetainContext", context) == "CL_INVALID_CONTEXT"


def test_released_queue_completes_its_commands(api, context, device, user_event):
    """clReleaseCommandQueue flushes; the queue lives until its commands are done."""
    queue, gate, event = api.make("clCreateCommandQueue", context, device, 0), user_event(), c_void_p()
    api.ok("clEnqueueMarkerWithWaitList", queue, 1, handles(gate), byref(event))
    api.ok("clReleaseCommandQueue", queue)
    assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == queue
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(event))
    api.ok("clReleaseEvent", event)
    assert api.error("clFinish", queue) == "CL_INVALID_COMMAND_QUEUE"


def marker(api, queue, *waits):
    event = c_void_p()
    api.ok("clEnqueueMarkerWithWaitList", queue, len(waits), handles(*waits) if waits else None, byref(event))
    return event


def test_in_order(api, queue, user_event):
    gate = user_event()
    first = marker(api, queue, gate)
    second = marker(api, queue)
    assert event_status(api, first) == event_status(api, second) == E.SUBMITTED
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert event_status(api, first) == event_status(api, second) == E.COMPLETE
    for event in (first, second):
        api.ok("clReleaseEvent", event)


def test_out_of_order(api, out_of_order, user_event):
    """A marker without a list waits for all before, a barrier holds up what comes after, nothing else does."""
    open_event, gate, gate2 = user_event(), user_event(), user_event()
    api.ok("clSetUserEventStatus", open_event, E.COMPLETE)
    held = marker(api, out_of_order, gate)
    free = marker(api, out_of_order, open_event)
    assert (event_status(api, held), event_status(api, free)) == (E.SUBMITTED, E.COMPLETE)
    behind_all = marker(api, out_of_order)
    past_the_marker = marker(api, out_of_order, open_event)
    assert (event_status(api, behind_all), event_status(api, past_the_marker)) == (E.SUBMITTED, E.COMPLETE)
    barrier = c_void_p()
    api.ok("clEnqueueBarrierWithWaitList", out_of_order, 1, handles(gate2), byref(barrier))
    behind_barrier = marker(api, out_of_order, open_event)
    assert (event_status(api, barrier), event_status(api, behind_barrier)) == (E.SUBMITTED, E.SUBMITTED)
    api.ok("clSetUserEventStatus", gate2, E.COMPLETE)
    assert [event_status(api, e) for e in (barrier, behind_barrier, held)] == [E.COMPLETE, E.COMPLETE, E.SUBMITTED]
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", out_of_order)
    assert event_status(api, behind_all) == E.COMPLETE
    for event in (held, free, behind_all, past_the_marker, barrier, behind_barrier):
        api.ok("clReleaseEvent", event)


def test_barrier_waits_for_all(api, out_of_order, user_event):
    open_event, gate = user_event(), user_event()
    api.ok("clSetUserEventStatus", open_event, E.COMPLETE)
    held = marker(api, out_of_order, gate)
    api.ok("clEnqueueBarrier", out_of_order)
    after = marker(api, out_of_order, open_event)
    assert event_status(api, after) == E.SUBMITTED
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", out_of_order)
    assert event_status(api, after) == E.COMPLETE
    for event in (held, after):
        api.ok("clReleaseEvent", event)


@pytest.mark.parametrize("mode", [0, OUT_OF_ORDER])
def test_a_long_chain_completes(api, context, device, user_event, mode):
    """In a loop: a chain of this length would end the stack otherwise."""
    queue, gate = api.make("clCreateCommandQueue", context, device, mode), user_event()
    last = gate
    for _ in range(20000):
        event = marker(api, queue, last)
        if last is not gate:
            api.ok("clReleaseEvent", last)
        last = event
    assert event_status(api, last) == E.SUBMITTED
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clFinish", queue)
    assert event_status(api, last) == E.COMPLETE
    api.ok("clReleaseEvent", last)
    api.ok("clReleaseCommandQueue", queue)


def test_finish_waits_for_other_threads_work(api, queue, buffer, user_event):
    import threading
    gate, mem, host = user_event(), buffer(contents=bytes(64)), create_string_buffer(64)
    api.ok("clEnqueueFillBuffer", queue, mem, b"x", 1, 0, 64, 1, handles(gate), None)
    api.ok("clEnqueueReadBuffer", queue, mem, 0, 0, 64, host, 0, None, None)
    thread = threading.Thread(target=lambda: (time.sleep(0.05), api.ok("clSetUserEventStatus", gate, E.COMPLETE)))
    thread.start()
    api.ok("clFinish", queue)
    assert host.raw == b"x" * 64
    thread.join()
