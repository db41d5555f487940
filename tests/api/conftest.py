# SPDX-License-Identifier: Apache-2.0
"""One API object, and a context and a queue for each test, released at its end."""
import struct
import sys
import time
from ctypes import byref, c_char_p, c_uint64, create_string_buffer
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clapi import API, E, handles, numbers
from recording import Recorder
from semaphores import BINARY


@cache
def the_api():
    return API()


def device_of(api, name):
    """The CPU device, or the one that `--device` names."""
    return api.devices(E.DEVICE_TYPE_CUSTOM if name == "fake" else E.DEVICE_TYPE_ALL)[0]


@pytest.fixture(scope="session")
def api():
    return the_api()


@pytest.fixture(scope="session")
def device(api, pytestconfig):
    return device_of(api, pytestconfig.getoption("--device"))


@pytest.fixture(scope="session")
def fake_device(api):
    """For tests of what no device can do: clpy.device.fake.device.report says what it reports."""
    return api.devices(E.DEVICE_TYPE_CUSTOM)[0]


def number(api, device, name):
    return api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


INTEL = 0x8086
# What a device may lack, in the words of the mark `needs`; a name of an extension is one more.
ABILITIES = {
    "CPU": lambda api, device: number(api, device, "TYPE") == E.DEVICE_TYPE_CPU,
    "host code": lambda api, device: number(api, device, "TYPE") != E.DEVICE_TYPE_GPU,
    "IL": lambda api, device: api.text("clGetDeviceInfo", device, E.DEVICE_IL_VERSION) != "",
    "native kernels": lambda api, device: number(api, device, "EXECUTION_CAPABILITIES") & E.EXEC_NATIVE_KERNEL,
    "device queues": lambda api, device: number(api, device, "DEVICE_ENQUEUE_CAPABILITIES"),
    "sub-devices": lambda api, device: number(api, device, "PARTITION_MAX_SUB_DEVICES") > 1,
    "generic pointers": lambda api, device: number(api, device, "GENERIC_ADDRESS_SPACE_SUPPORT"),
    "program variables": lambda api, device: number(api, device, "MAX_GLOBAL_VARIABLE_SIZE"),
    "ids of 64 bits": lambda api, device: number(api, device, "VENDOR_ID") != INTEL,    # Intel's compiler has 32
    "SVM of the system": lambda api, device: number(api, device, "SVM_CAPABILITIES") & E.DEVICE_SVM_FINE_GRAIN_SYSTEM,
}


def pytest_runtest_setup(item):
    """With `--device`: what that device says it has not is not tested on it. The CPU device has it all."""
    name = item.config.getoption("--device")
    wanted = [what for mark in item.iter_markers("needs") for what in mark.args]
    if not name or not wanted:
        return
    api = the_api()
    device = device_of(api, name)
    extensions = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for what in wanted:
        if not (what in extensions if what.startswith("cl_") else ABILITIES[what](api, device)):
            pytest.skip(f"{api.text('clGetDeviceInfo', device, E.DEVICE_NAME)} has no {what}")


@pytest.fixture
def no_leak(api):
    """The test leaves no more objects alive than it found. The library has our core: its census is ours."""
    from clpy.core.object import census
    before = census()                    # with what the test before is still letting go of, so fewer is right as well
    yield
    deadline = time.monotonic() + 5      # the last command drops its queue a moment after the wait for it returns
    while more_than(before) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert more_than(before) == {}


def more_than(before):
    from clpy.core.object import census
    return {kind: count for kind, count in census().items() if count > before[kind]}


@pytest.fixture
def context(api, device):
    made = api.make("clCreateContext", None, 1, handles(device), None, None)
    yield made
    api.ok("clReleaseContext", made)


@pytest.fixture
def other_context(api, device):
    made = api.make("clCreateContext", None, 1, handles(device), None, None)
    yield made
    api.ok("clReleaseContext", made)


@pytest.fixture
def semaphore(api, context):
    """new(further properties) -> cl_semaphore_khr"""
    made = []

    def new(*more, within=None):
        made.append(api.make("clCreateSemaphoreWithPropertiesKHR", within or context,
                             numbers(c_uint64, *BINARY, *more, 0)))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseSemaphoreKHR", each)


@pytest.fixture
def queue(api, context, device):
    made = api.make("clCreateCommandQueue", context, device, 0)
    yield made
    api.ok("clFinish", made)
    api.ok("clReleaseCommandQueue", made)


@pytest.fixture
def buffer(api, context):
    """new(size, flags, contents) -> cl_mem"""
    made = []

    def new(size=None, flags=0, contents=None, within=None):
        if contents is not None:
            flags |= E.MEM_COPY_HOST_PTR
            size = len(contents)
        made.append(api.make("clCreateBuffer", within or context, flags, size, contents))
        return made[-1]

    yield new
    for mem in made:
        api.ok("clReleaseMemObject", mem)


@pytest.fixture
def contents(api, queue):
    """The bytes of a buffer now."""
    def read(mem, size, offset=0):
        host = create_string_buffer(size)
        api.ok("clEnqueueReadBuffer", queue, mem, 1, offset, size, host, 0, None, None)
        return host.raw
    return read


@pytest.fixture
def user_event(api, context):
    made = []

    def new(within=None):
        made.append(api.make("clCreateUserEvent", within or context))
        return made[-1]

    yield new
    for event in made:
        api.clSetUserEventStatus(event, E.COMPLETE)      # nothing may wait for ever; an error when it was set before
        api.ok("clReleaseEvent", event)


@pytest.fixture
def program(api, context, device):
    """new(source or list of sources, options to build with or None not to) -> cl_program"""
    made = []

    def new(source, options="", within=None):
        parts = [source] if isinstance(source, (str, bytes)) else source
        strings = (c_char_p * len(parts))(*[p.encode() if isinstance(p, str) else p for p in parts])
        made.append(api.make("clCreateProgramWithSource", within or context, len(parts), strings, None))
        if options is not None:
            error = api.error("clBuildProgram", made[-1], 0, None, options.encode(), None, None)
            if error != "CL_SUCCESS":
                log = api.text("clGetProgramBuildInfo", made[-1], device, E.PROGRAM_BUILD_LOG)
                raise AssertionError(f"{error}\n{log}")
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseProgram", each)


@pytest.fixture
def kernel(api, program):
    """new(source, name, options) -> cl_kernel"""
    made = []

    def new(source, name="k", options="", within=None):
        made.append(api.make("clCreateKernel", program(source, options, within), name.encode()))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseKernel", each)


@pytest.fixture
def queues(api, context, device):
    """new(properties) -> another queue"""
    made = []

    def new(properties=0, within=None):
        made.append(api.make("clCreateCommandQueue", within or context, device, properties))
        return made[-1]

    yield new
    for each in made:
        api.ok("clFinish", each)
        api.ok("clReleaseCommandQueue", each)


@pytest.fixture
def buffers(api, queue):
    """new(queues, property list) -> a command buffer in the recording state"""
    made = []

    def new(*on, properties=None):
        on = on or (queue,)
        made.append(api.make("clCreateCommandBufferKHR", len(on), handles(*on),
                             numbers(c_uint64, *properties, 0) if properties else None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseCommandBufferKHR", each)


@pytest.fixture
def record(api, buffers):
    """new(queues) -> a Recorder on a new command buffer"""
    def new(*on, queue=None, properties=None):
        return Recorder(api, buffers(*on, properties=properties), queue)
    return new


@pytest.fixture
def set_args(api, kernel):
    """new(source, arguments) -> a kernel with its arguments set: numbers as int, larger ones are handles"""
    def new(source, *args, name="k", options=""):
        k = kernel(source, name, options)
        for i, arg in enumerate(args):
            if isinstance(arg, int) and arg < 1 << 31:
                api.ok("clSetKernelArg", k, i, 4, struct.pack("=i", arg))
            else:
                api.ok("clSetKernelArg", k, i, 8, handles(arg))
        return k
    return new


@pytest.fixture
def pitch_align(api, device):
    """A pitch that is given for an image of two dimensions in a buffer is a multiple of this number."""
    return max(1, api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_PITCH_ALIGNMENT))


@pytest.fixture
def image(api, context):
    """new(format, descriptor, flags, host pointer) -> cl_mem"""
    made = []

    def new(image_format, descriptor, flags=0, host=None, within=None):
        made.append(api.make("clCreateImage", within or context, flags, byref(image_format), byref(descriptor), host))
        return made[-1]

    yield new
    for mem in made:
        api.ok("clReleaseMemObject", mem)
