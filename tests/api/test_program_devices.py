# SPDX-License-Identifier: Apache-2.0
"""Programs for several devices, one a part of the other: builds, binaries and links for some of them."""
from ctypes import addressof, byref, c_int32, c_void_p, create_string_buffer

import pytest
import spirv_source
from clapi import E, handles, sizes

pytestmark = [pytest.mark.needs("sub-devices"), pytest.mark.usefixtures("no_leak")]

SOURCE = "kernel void k(global int *a) { a[get_global_id(0)] += 2; }"
USER = "int f(int x); kernel void k(global int *a) { a[0] = f(a[0]); }"
BODY = "int f(int x) { return x * 3; }"


@pytest.fixture
def part(api, device):
    """A sub-device with one compute unit."""
    made = handles(None)
    properties = sizes(E.DEVICE_PARTITION_BY_COUNTS, 1, E.DEVICE_PARTITION_BY_COUNTS_LIST_END, 0)
    api.ok("clCreateSubDevices", device, properties, 1, made, None)
    yield made[0]
    api.ok("clReleaseDevice", made[0])


@pytest.fixture
def both(api, device, part):
    made = api.make("clCreateContext", None, 2, handles(device, part), None, None)
    yield made
    api.ok("clReleaseContext", made)


def build_info(api, program, device, query):
    return c_int32(api.number("clGetProgramBuildInfo", program, device, query)).value


def binary_sizes(api, program):
    values = sizes(0, 0)
    api.ok("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES, 16, values, None)
    return list(values)


def run(api, context, device, kernel, start=1):
    """What the kernel makes of the first element on a device, or the error of its launch."""
    value = c_int32(start)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 4, byref(value))
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    error = api.error("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, 0, None, None)
    if error == "CL_SUCCESS":
        api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 4, byref(value), 0, None, None)
    api.ok("clReleaseMemObject", mem)
    api.ok("clReleaseCommandQueue", queue)
    return value.value if error == "CL_SUCCESS" else error


def test_built_for_both_and_from_both_binaries(api, device, part, both, program):
    made = program(SOURCE, "", within=both)
    assert api.info("clGetProgramInfo", made, E.PROGRAM_DEVICES) == bytes(handles(device, part))
    lengths = binary_sizes(api, made)
    assert all(lengths)
    blobs = [create_string_buffer(size) for size in lengths]
    api.ok("clGetProgramInfo", made, E.PROGRAM_BINARIES, 16, handles(*map(addressof, blobs)), None)
    again = api.make("clCreateProgramWithBinary", both, 2, handles(device, part), sizes(*lengths),
                     handles(*map(addressof, blobs)), None)
    api.ok("clBuildProgram", again, 0, None, None, None, None)
    for each in (made, again):
        kernel = api.make("clCreateKernel", each, b"k")
        assert [run(api, both, d, kernel) for d in (device, part)] == [3, 3]
        api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", again)


def test_built_for_one(api, device, part, both, program):
    """The other has no executable, no binary, no status but none; a later build of it leaves the first alone."""
    made = program(SOURCE, None, within=both)
    api.ok("clBuildProgram", made, 1, handles(part), b"", None, None)
    assert build_info(api, made, device, E.PROGRAM_BUILD_STATUS) == E.BUILD_NONE
    assert build_info(api, made, part, E.PROGRAM_BUILD_STATUS) == E.BUILD_SUCCESS
    first, second = binary_sizes(api, made)
    assert (first, second > 0) == (0, True)
    kernel = api.make("clCreateKernel", made, b"k")
    assert run(api, both, part, kernel) == 3
    assert run(api, both, device, kernel) == "CL_INVALID_PROGRAM_EXECUTABLE"
    assert api.error("clBuildProgram", made, 1, handles(device), b"", None, None) == "CL_INVALID_OPERATION"
    api.ok("clReleaseKernel", kernel)
    api.ok("clBuildProgram", made, 1, handles(device), b"-cl-opt-disable", None, None)
    assert api.text("clGetProgramBuildInfo", made, part, E.PROGRAM_BUILD_OPTIONS) == ""
    assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_OPTIONS) == "-cl-opt-disable"
    assert all(binary_sizes(api, made))


def test_links_for_the_devices_that_have_objects(api, device, part, both, program):
    """"All programs contain a compiled binary or library for the device": linked. "None": left out. Else an error."""
    user, body = program(USER, None, within=both), program(BODY, None, within=both)

    def compile_for(each, *devices):
        api.ok("clCompileProgram", each, len(devices), handles(*devices), None, 0, None, None, None, None)

    def link(*devices):
        chosen = (len(devices), handles(*devices)) if devices else (0, None)
        return api.new("clLinkProgram", both, *chosen, None, 2, handles(user, body), None, None)

    assert link() == (None, "CL_INVALID_OPERATION")
    compile_for(user, part)
    compile_for(body, part)
    linked, error = link()
    assert error == "CL_SUCCESS"
    assert build_info(api, linked, part, E.PROGRAM_BINARY_TYPE) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
    assert build_info(api, linked, device, E.PROGRAM_BINARY_TYPE) == E.PROGRAM_BINARY_TYPE_NONE
    kernel = api.make("clCreateKernel", linked, b"k")
    assert run(api, both, part, kernel, 5) == 15
    assert run(api, both, device, kernel, 5) == "CL_INVALID_PROGRAM_EXECUTABLE"
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", linked)
    compile_for(user, device)
    assert link() == (None, "CL_INVALID_OPERATION"), "one of two has an object for the first device"
    linked, error = link(part)
    assert error == "CL_SUCCESS"
    assert api.info("clGetProgramInfo", linked, E.PROGRAM_DEVICES) == bytes(handles(part))
    api.ok("clReleaseProgram", linked)
    compile_for(body, device)
    linked, error = link()
    assert error == "CL_SUCCESS"
    kernel = api.make("clCreateKernel", linked, b"k")
    assert [run(api, both, d, kernel, 5) for d in (device, part)] == [15, 15]
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", linked)


def test_binaries_of_which_one_is_wrong(api, device, part, both, program):
    made = program(SOURCE, "", within=both)
    lengths = binary_sizes(api, made)
    blobs = [create_string_buffer(size) for size in lengths]
    api.ok("clGetProgramInfo", made, E.PROGRAM_BINARIES, 16, handles(*map(addressof, blobs)), None)
    blobs[1][lengths[1] // 2] = bytes([blobs[1].raw[lengths[1] // 2] ^ 255])
    status = (c_int32 * 2)(7, 7)
    args = (both, 2, handles(device, part), sizes(*lengths), handles(*map(addressof, blobs)), status)
    assert api.new("clCreateProgramWithBinary", *args) == (None, "CL_INVALID_BINARY")
    assert list(status) == [0, E.INVALID_BINARY]
    # An address that is NULL is skipped, the others are filled.
    target = create_string_buffer(lengths[0])
    api.ok("clGetProgramInfo", made, E.PROGRAM_BINARIES, 16, handles(addressof(target), None), None)
    assert target.raw == blobs[0].raw


def test_spirv_for_both(api, device, part, both):
    module = spirv_source.kernel()
    made = api.make("clCreateProgramWithIL", both, module, len(module))
    api.ok("clBuildProgram", made, 0, None, None, None, None)
    kernel = api.make("clCreateKernel", made, b"k")
    assert [run(api, both, d, kernel) for d in (device, part)] == [2, 2]
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseProgram", made)
