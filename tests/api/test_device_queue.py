# SPDX-License-Identifier: Apache-2.0
"""Queues on the device: what a device without them answers, and the objects on one that says it has them."""
from ctypes import byref, c_uint64, c_void_p

import pytest
from clapi import E, handles, numbers

from clpy.device.fake.device import report

pytestmark = pytest.mark.usefixtures("no_leak")
MODE = E.QUEUE_ON_DEVICE | E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
CREATE = "clCreateCommandQueueWithProperties"
LIMITS = ("QUEUE_ON_DEVICE_PREFERRED_SIZE", "QUEUE_ON_DEVICE_MAX_SIZE", "MAX_ON_DEVICE_QUEUES",
          "MAX_ON_DEVICE_EVENTS", "QUEUE_ON_DEVICE_PROPERTIES", "DEVICE_ENQUEUE_CAPABILITIES")


@pytest.fixture
def device(fake_device):
    return fake_device


@pytest.fixture
def number(api, device):
    return lambda name: api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


@pytest.fixture
def without(device):
    report(queues=False)
    yield
    report()


@pytest.fixture
def able(device):
    report(queues=True)
    yield
    report()


def properties(*values):
    return numbers(c_uint64, *values, 0)


@pytest.fixture
def make(api, context, device, able):
    made = []

    def new(*values, mode=MODE, within=None):
        made.append(api.make(CREATE, within or context, device, properties(E.QUEUE_PROPERTIES, mode, *values)))
        return made[-1]

    yield new
    for queue in made:
        api.ok("clReleaseCommandQueue", queue)


def asked(api, queue, name):
    return api.number("clGetCommandQueueInfo", queue, getattr(E, "QUEUE_" + name))


# ---- without them

def test_no_support_is_reported_everywhere(number, without):
    """"Must be 0 for devices that do not support on-device queues." """
    assert [number(name) for name in LIMITS] == [0] * len(LIMITS)


def test_no_support_errors(api, context, device, queue, without):
    assert api.new(CREATE, context, device, properties(E.QUEUE_PROPERTIES, MODE)) == (
        None, "CL_INVALID_QUEUE_PROPERTIES")
    assert api.new(CREATE, context, device, properties(E.QUEUE_PROPERTIES, MODE, E.QUEUE_SIZE, 1 << 40)) == (
        None, "CL_INVALID_QUEUE_PROPERTIES")
    assert api.error("clSetDefaultDeviceCommandQueue", context, device, queue) == "CL_INVALID_OPERATION"
    assert asked(api, queue, "DEVICE_DEFAULT") == 0


# ---- with them

def test_the_minimum(number, able):
    assert number("DEVICE_ENQUEUE_CAPABILITIES") & E.DEVICE_QUEUE_SUPPORTED
    assert number("QUEUE_ON_DEVICE_PREFERRED_SIZE") >= 16 << 10
    assert number("QUEUE_ON_DEVICE_MAX_SIZE") >= 256 << 10
    assert number("MAX_ON_DEVICE_QUEUES") >= 1
    assert number("MAX_ON_DEVICE_EVENTS") >= 1024
    wanted = E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | E.QUEUE_PROFILING_ENABLE
    assert number("QUEUE_ON_DEVICE_PROPERTIES") & wanted == wanted


def test_info(api, context, device, make, number):
    values = (E.QUEUE_SIZE, 32 << 10)
    queue = make(*values)
    assert asked(api, queue, "SIZE") == 32 << 10
    assert asked(api, queue, "PROPERTIES") == MODE
    assert asked(api, queue, "CONTEXT") == context
    assert asked(api, queue, "DEVICE") == device
    assert asked(api, queue, "REFERENCE_COUNT") == 1
    assert asked(api, queue, "DEVICE_DEFAULT") == 0
    assert api.info("clGetCommandQueueInfo", queue, E.QUEUE_PROPERTIES_ARRAY) == bytes(
        properties(E.QUEUE_PROPERTIES, MODE, *values))
    api.ok("clRetainCommandQueue", queue)
    assert asked(api, queue, "REFERENCE_COUNT") == 2
    api.ok("clReleaseCommandQueue", queue)
    assert asked(api, make(), "SIZE") == number("QUEUE_ON_DEVICE_PREFERRED_SIZE")
    assert api.error("clGetCommandQueueInfo", queue, 0, 0, None, None) == "CL_INVALID_VALUE"


def test_create_errors(api, context, device, able, number):
    def error(*values):
        return api.new(CREATE, context, device, properties(*values))[1]

    most = number("QUEUE_ON_DEVICE_MAX_SIZE")
    assert error(E.QUEUE_PROPERTIES, MODE, E.QUEUE_SIZE, most + 1) == "CL_INVALID_QUEUE_PROPERTIES"
    assert error(E.QUEUE_PROPERTIES, MODE, E.QUEUE_SIZE, 0) == "CL_INVALID_QUEUE_PROPERTIES"
    assert error(E.QUEUE_PROPERTIES, E.QUEUE_ON_DEVICE) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_PROPERTIES, MODE | 1 << 40) == "CL_INVALID_VALUE"
    assert error(E.QUEUE_SIZE, 4096) == "CL_INVALID_VALUE"
    for hint in ((E.QUEUE_PRIORITY_KHR, E.QUEUE_PRIORITY_LOW_KHR), (E.QUEUE_THROTTLE_KHR, E.QUEUE_THROTTLE_LOW_KHR)):
        assert error(E.QUEUE_PROPERTIES, MODE, *hint) == "CL_INVALID_QUEUE_PROPERTIES"


def test_no_more_than_the_device_says(api, context, device, make, number, other_context):
    queues = [make() for _ in range(number("MAX_ON_DEVICE_QUEUES"))]
    one_more = properties(E.QUEUE_PROPERTIES, MODE)
    assert api.new(CREATE, context, device, one_more) == (None, "CL_OUT_OF_RESOURCES")
    make(within=other_context)           # the limit is of a context
    api.ok("clRetainCommandQueue", queues[0])
    api.ok("clReleaseCommandQueue", queues[0])
    assert api.new(CREATE, context, device, one_more) == (None, "CL_OUT_OF_RESOURCES")
    extra = queues.pop()
    api.ok("clReleaseCommandQueue", extra)
    again = api.make(CREATE, context, device, one_more)
    assert again == extra or asked(api, again, "REFERENCE_COUNT") == 1       # the fixture releases it


def test_the_default_queue(api, context, device, make, queue, other_context):
    default = make(mode=MODE | E.QUEUE_ON_DEVICE_DEFAULT)
    assert asked(api, default, "DEVICE_DEFAULT") == asked(api, queue, "DEVICE_DEFAULT") == default
    # "will return the default device queue that has already been created and increment its reference count by 1"
    assert make(E.QUEUE_SIZE, 4096, mode=MODE | E.QUEUE_ON_DEVICE_DEFAULT) == default
    assert asked(api, default, "REFERENCE_COUNT") == 2
    other = make()
    assert asked(api, other, "DEVICE_DEFAULT") == default
    api.ok("clSetDefaultDeviceCommandQueue", context, device, other)
    assert asked(api, default, "DEVICE_DEFAULT") == asked(api, queue, "DEVICE_DEFAULT") == other
    elsewhere = make(within=other_context)
    assert asked(api, elsewhere, "DEVICE_DEFAULT") == 0, "a default is of one context"
    for wrong in (queue, elsewhere, None):
        assert api.error("clSetDefaultDeviceCommandQueue", context, device, wrong) == "CL_INVALID_COMMAND_QUEUE"
    assert api.error("clSetDefaultDeviceCommandQueue", None, device, other) == "CL_INVALID_CONTEXT"
    assert api.error("clSetDefaultDeviceCommandQueue", context, None, other) == "CL_INVALID_DEVICE"


def test_a_released_default_is_none(api, context, device, queue, able):
    default = api.make(CREATE, context, device, properties(E.QUEUE_PROPERTIES, MODE | E.QUEUE_ON_DEVICE_DEFAULT))
    api.ok("clReleaseCommandQueue", default)
    assert asked(api, queue, "DEVICE_DEFAULT") == 0
    assert api.error("clReleaseCommandQueue", default) == "CL_INVALID_COMMAND_QUEUE"


def test_the_host_cannot_enqueue_to_it(api, context, make, buffer, user_event, kernel):
    queue, mem, event = make(), buffer(64), c_void_p()
    k = kernel("kernel void k(global int *a) { *a = 1; }")
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
    for name, arguments in (
            ("clEnqueueNDRangeKernel", (k, 1, None, byref(c_uint64(1)), None, 0, None, None)),
            ("clEnqueueReadBuffer", (mem, 1, 0, 8, byref(c_uint64()), 0, None, None)),
            ("clEnqueueMarkerWithWaitList", (0, None, byref(event))), ("clEnqueueBarrier", ()), ("clFlush", ()),
            ("clFinish", ()), ("clEnqueueWaitForEvents", (1, handles(user_event())))):
        assert api.error(name, queue, *arguments) == "CL_INVALID_COMMAND_QUEUE", name
