# SPDX-License-Identifier: Apache-2.0
"""Every query of clpy/spec/queries.txt is answered, with a value of the size that its type has, and obeys the protocol
of (size, value, size_ret)."""
import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_char_p, c_size_t
from pathlib import Path

import pytest
from clapi import E, handles
from image_model import RGBA8, desc

from clpy.spec.tables import read_api, read_queries

CASES = str(Path(__file__).with_name("every_device_cases.py"))
DONE = {row.name for row in read_api() if not row.refusal}
SOURCE = b"kernel void k(global int *x, local float *y, int n) { x[get_global_id(0)] = n; }"
# What a query needs that the objects of this test have not: the error of the specification.
ERRORS = {
    "CL_QUEUE_SIZE": "CL_INVALID_COMMAND_QUEUE",            # not a queue on the device
    "CL_KERNEL_GLOBAL_WORK_SIZE": "CL_INVALID_VALUE",       # not a built-in kernel
    "CL_MEM_DEVICE_ADDRESS_EXT": "CL_INVALID_OPERATION",    # not a buffer that was asked to have one
    "CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT": "CL_INVALID_IMAGE_DESCRIPTOR",      # not of a 3D image
}

EXACT = ("CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",)       # the size that is given says how many dimensions


def queries():
    return [query for query in read_queries() if query.function in DONE]


def missing(api, device, function):
    """The error of a function whose optional feature the device does not have, as it says itself."""
    if function == "clGetSamplerInfo" and not api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT):
        return "CL_INVALID_SAMPLER"
    if function == "clGetImageInfo" and not api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT):
        return "CL_INVALID_MEM_OBJECT"
    if function == "clGetPipeInfo" and not api.number("clGetDeviceInfo", device, E.DEVICE_PIPE_SUPPORT):
        return "CL_INVALID_MEM_OBJECT"
    if function == "clGetKernelSubGroupInfo" and not api.number("clGetDeviceInfo", device, E.DEVICE_MAX_NUM_SUB_GROUPS):
        return "CL_INVALID_OPERATION"
    return None


def arguments(function, leading, name):
    """clGetKernelSubGroupInfo has an input between the name and the answer: a work-group size."""
    return (*leading, name, 8, byref(c_size_t(64))) if function == "clGetKernelSubGroupInfo" else (*leading, name)


def number(query):
    return getattr(E, query.enum.removeprefix("CL_")) if query.enum.startswith("CL_") else int(query.enum, 0)


@pytest.fixture(scope="module")
def objects(api, device):
    """What each function is asked about: its leading arguments."""
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    queue = api.make("clCreateCommandQueue", context, device, E.QUEUE_PROFILING_ENABLE)
    buffer = api.make("clCreateBuffer", context, 0, 4096, None)
    program = api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(SOURCE), None)
    api.ok("clBuildProgram", program, 0, None, b"-cl-kernel-arg-info", None, None)
    kernel = api.make("clCreateKernel", program, b"k")
    event = ctypes.c_void_p()
    api.ok("clEnqueueFillBuffer", queue, buffer, byref(ctypes.c_uint8(1)), 1, 0, 4096, 0, None, byref(event))
    api.ok("clFinish", queue)
    sampler = image = None
    if api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT):
        sampler = api.make("clCreateSampler", context, 0, E.ADDRESS_CLAMP, E.FILTER_NEAREST)
        image_format = (ctypes.c_uint32 * 2)(E.RGBA, E.UNORM_INT8)
        image = api.make("clCreateImage2D", context, 0, image_format, 4, 4, 0, None)
    pipe = (api.make("clCreatePipe", context, 0, 4, 16, None)
            if api.number("clGetDeviceInfo", device, E.DEVICE_PIPE_SUPPORT) else None)
    recorded, command = api.make("clCreateCommandBufferKHR", 1, handles(queue), None), ctypes.c_void_p()
    for i, arg in enumerate(((8, handles(buffer)), (64, None), (4, byref(ctypes.c_int(1))))):
        api.ok("clSetKernelArg", kernel, i, *arg)
    api.ok("clCommandNDRangeKernelKHR", recorded, None, None, kernel, 1, None, byref(c_size_t(4)), None, 0, None, None,
           byref(command))
    semaphore = api.make("clCreateSemaphoreWithPropertiesKHR", context, (ctypes.c_uint64 * 6)(
        E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR, E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
        E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0))
    pointer = api.make("clSVMAllocWithPropertiesKHR", context, (ctypes.c_uint64 * 3)(
        E.SVM_ALLOC_ALIGNMENT_KHR, 16, 0), 0, 64)
    yield {"clGetPlatformInfo": (api.platform(),), "clGetDeviceInfo": (device,), "clGetContextInfo": (context,),
           "clGetCommandQueueInfo": (queue,), "clGetMemObjectInfo": (buffer,), "clGetProgramInfo": (program,),
           "clGetProgramBuildInfo": (program, device), "clGetKernelInfo": (kernel,), "clGetKernelArgInfo": (kernel, 0),
           "clGetKernelWorkGroupInfo": (kernel, device), "clGetEventInfo": (event,),
           "clGetEventProfilingInfo": (event,), "clGetSamplerInfo": (sampler,), "clGetImageInfo": (image,),
           "clGetKernelSubGroupInfo": (kernel, device), "clGetPipeInfo": (pipe,),
           "clGetCommandBufferInfoKHR": (recorded,), "clGetMutableCommandInfoKHR": (command,),
           "clGetSemaphoreInfoKHR": (semaphore,), "clGetSVMPointerInfoKHR": (context, None, pointer),
           "clGetImageRequirementsInfoEXT": (context, None, 0, byref(RGBA8), byref(desc("IMAGE2D_ARRAY", 4, 4, 4)))}
    api.ok("clReleaseCommandBufferKHR", recorded)
    api.ok("clReleaseSemaphoreKHR", semaphore)
    api.ok("clSVMFreeWithPropertiesKHR", context, None, 0, pointer)
    if pipe:
        api.ok("clReleaseMemObject", pipe)
    if sampler:
        api.ok("clReleaseSampler", sampler)
        api.ok("clReleaseMemObject", image)
    for release, handle in (("Event", event), ("Kernel", kernel), ("Program", program), ("MemObject", buffer),
                            ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{release}", handle)


@pytest.mark.needs("cl_khr_unified_svm")
@pytest.mark.parametrize("query", queries(), ids=lambda query: f"{query.function}-{query.enum}")
def test_query(api, device, objects, query):
    function, enum, element, one, count = query.function, query.enum, query.element, query.element_size, query.count
    leading = arguments(function, objects[function], number(query))
    size = c_size_t(12345)
    error = api.error(function, *leading, 0, None, byref(size))
    expected = missing(api, device, function) or ERRORS.get(enum)
    if expected:
        assert error == expected
        return
    assert error == "CL_SUCCESS"
    if count is None:
        assert size.value == one
    elif count:
        assert size.value == one * int(count)
    else:
        assert size.value % one == 0
        assert size.value >= one or element != "char", "a string has its closing zero"
    if enum == "CL_PROGRAM_BINARIES":
        return          # the values are pointers to write through: tests/api/test_program.py
    room = ctypes.create_string_buffer(b"\xA5" * (size.value + 8), size.value + 8)
    more = 0 if enum in EXACT else 8
    assert api.error(function, *leading, size.value + more, room, None) == "CL_SUCCESS"
    assert room.raw[size.value:] == b"\xA5" * 8, "more was written than was said"
    if element == "char":
        assert room.raw[size.value - 1:size.value] == b"\0" and b"\0" not in room.raw[:size.value - 1]
    if size.value:
        room = ctypes.create_string_buffer(b"\xA5" * size.value, size.value)
        assert api.error(function, *leading, size.value - 1, room, None) == "CL_INVALID_VALUE"
        assert room.raw == b"\xA5" * size.value, "something was written though there was too little room"


@pytest.mark.needs("cl_khr_unified_svm")
@pytest.mark.parametrize("function", sorted({query.function for query in queries()}))
def test_unknown_query(api, device, objects, function):
    expected = missing(api, device, function) or "CL_INVALID_VALUE"
    for name in (0, 0x7FFF, 0xFFFFFFFF):
        assert api.error(function, *arguments(function, objects[function], name), 0, None, None) == expected


@pytest.mark.parametrize("devices", ["cpu,gpu:tahiti", "gpu:vega20,cpu"])
def test_every_device(devices):
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", CASES], text=True,
                         env={**os.environ, "TEST_DEVICES": devices}, capture_output=True)
    assert run.returncode == 0, run.stdout
