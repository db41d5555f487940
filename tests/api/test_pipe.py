# SPDX-License-Identifier: Apache-2.0
"""Pipes: what a device without them answers, and the objects on one that says it has them."""
from ctypes import byref, c_void_p

import pytest
from clapi import E, handles

from clpy.device.fake.device import report

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.fixture
def device(fake_device):
    return fake_device


@pytest.fixture
def without(device):
    report(pipes=False)
    yield
    report()


@pytest.fixture
def able(device):
    report(pipes=True)
    yield
    report()


@pytest.fixture
def pipe(api, context, able):
    made = []

    def new(size=16, packets=8, flags=0):
        made.append(api.make("clCreatePipe", context, flags, size, packets, None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseMemObject", each)


# ---- without them

@pytest.mark.usefixtures("without")
def test_the_device_says_so(api, device):
    for name in (E.DEVICE_PIPE_SUPPORT, E.DEVICE_MAX_PIPE_ARGS, E.DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                 E.DEVICE_PIPE_MAX_PACKET_SIZE):
        assert api.number("clGetDeviceInfo", device, name) == 0


@pytest.mark.usefixtures("without")
def test_create_without(api, context, queue):
    """The errors in order: that of the context comes first, that of the device before any of the values."""
    for flags, size, packets, properties in ((0, 4, 16, None), (1 << 40, 4, 16, None), (0, 0, 0, handles(1, 2, 0))):
        arguments = (flags, size, packets, properties)
        assert api.new("clCreatePipe", context, *arguments) == (None, "CL_INVALID_OPERATION")
        for handle in (None, queue):
            assert api.new("clCreatePipe", handle, *arguments) == (None, "CL_INVALID_CONTEXT")
    assert api.clCreatePipe(context, 0, 4, 16, None, None) is None       # errcode_ret may be NULL


def test_info(api, buffer, queue):
    for handle in (None, buffer(64), queue):
        assert api.error("clGetPipeInfo", handle, E.PIPE_PACKET_SIZE, 0, None, None) == "CL_INVALID_MEM_OBJECT"


# ---- with them

def test_the_minimum(api, device, able):
    def number(name):
        return api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))

    assert number("PIPE_SUPPORT") == 1
    assert number("MAX_PIPE_ARGS") >= 16
    assert number("PIPE_MAX_ACTIVE_RESERVATIONS") >= 1
    assert number("PIPE_MAX_PACKET_SIZE") >= 1024


@pytest.mark.parametrize("flags", [0, E.MEM_READ_WRITE, E.MEM_HOST_NO_ACCESS, E.MEM_READ_WRITE | E.MEM_HOST_NO_ACCESS])
def test_create(api, context, pipe, flags):
    made = pipe(12, 100, flags)
    assert api.number("clGetPipeInfo", made, E.PIPE_PACKET_SIZE) == 12
    assert api.number("clGetPipeInfo", made, E.PIPE_MAX_PACKETS) == 100
    assert api.info("clGetPipeInfo", made, E.PIPE_PROPERTIES) == b""
    expected = {"TYPE": E.MEM_OBJECT_PIPE, "FLAGS": flags or E.MEM_READ_WRITE | E.MEM_HOST_NO_ACCESS, "HOST_PTR": 0,
                "MAP_COUNT": 0, "REFERENCE_COUNT": 1, "CONTEXT": context, "ASSOCIATED_MEMOBJECT": 0, "OFFSET": 0,
                "USES_SVM_POINTER": 0}
    for name, value in expected.items():
        assert api.number("clGetMemObjectInfo", made, getattr(E, "MEM_" + name)) == value, name
    assert api.number("clGetMemObjectInfo", made, E.MEM_SIZE) >= 12 * 100


def test_create_errors(api, context, device, queue, able):
    most = api.number("clGetDeviceInfo", device, E.DEVICE_PIPE_MAX_PACKET_SIZE)

    def error(flags=0, size=16, packets=8, properties=None, place=context):
        return api.new("clCreatePipe", place, flags, size, packets, properties)[1]

    assert error(place=None) == error(place=queue, flags=1 << 40) == "CL_INVALID_CONTEXT"
    for flags in (E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_COPY_HOST_PTR, E.MEM_HOST_READ_ONLY, 1 << 40):
        assert error(flags=flags, size=0) == "CL_INVALID_VALUE"
    assert error(properties=handles(0), size=0) == "CL_INVALID_VALUE"
    assert error(size=0) == error(size=most + 1) == error(packets=0) == "CL_INVALID_PIPE_SIZE"
    assert error(size=most, packets=0xffffffff) == "CL_MEM_OBJECT_ALLOCATION_FAILURE"


def test_info_errors(api, pipe, buffer):
    made, small = pipe(), c_void_p()
    assert api.error("clGetPipeInfo", buffer(64), E.PIPE_PACKET_SIZE, 0, None, None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clGetPipeInfo", made, E.MEM_SIZE, 0, None, None) == "CL_INVALID_VALUE"
    assert api.error("clGetPipeInfo", made, E.PIPE_PACKET_SIZE, 3, byref(small), None) == "CL_INVALID_VALUE"


def test_it_is_no_buffer(api, queue, pipe, kernel, buffer):
    """"Pipe objects are not accessible from the host"."""
    made, host, other = pipe(), c_void_p(), buffer(64)
    k = kernel("kernel void k(global int *a) { *a = 1; }")
    assert api.error("clSetKernelArg", k, 0, 8, byref(c_void_p(made))) == "CL_INVALID_MEM_OBJECT"
    for name in ("clEnqueueReadBuffer", "clEnqueueWriteBuffer"):
        assert api.error(name, queue, made, 1, 0, 8, byref(host), 0, None, None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clEnqueueCopyBuffer", queue, made, other, 0, 0, 8, 0, None, None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clEnqueueCopyBuffer", queue, other, made, 0, 0, 8, 0, None, None) == "CL_INVALID_MEM_OBJECT"
    assert api.error("clEnqueueFillBuffer", queue, made, byref(host), 4, 0, 8, 0, None, None) == (
        "CL_INVALID_MEM_OBJECT")
    assert api.new("clEnqueueMapBuffer", queue, made, 1, E.MAP_READ, 0, 8, 0, None, None)[1] == "CL_INVALID_MEM_OBJECT"
    region = (c_void_p * 2)(0, 8)
    assert api.new("clCreateSubBuffer", made, 0, E.BUFFER_CREATE_TYPE_REGION, region)[1] == "CL_INVALID_MEM_OBJECT"
    api.ok("clEnqueueMigrateMemObjects", queue, 1, handles(made), 0, 0, None, None)
    api.ok("clFinish", queue)
