# SPDX-License-Identifier: Apache-2.0
"""cl_intel_mem_force_host_memory: buffers with the flag, and errors in the order of the specification."""
from ctypes import addressof, c_char, create_string_buffer

import pytest
from clapi import E, sizes

pytestmark = pytest.mark.usefixtures("no_leak")
FORCE = E.MEM_FORCE_HOST_MEMORY_INTEL


@pytest.fixture
def line(api, device):
    return int.from_bytes(api.info("clGetDeviceInfo", device, E.DEVICE_GLOBAL_MEM_CACHELINE_SIZE), "little")


@pytest.fixture
def lines(line):
    """Two lines of the cache and a bit of a third."""
    room = create_string_buffer(4 * line)
    return (c_char * (3 * line)).from_buffer(room, -addressof(room) % line)


def test_is_listed(api, device):
    assert "cl_intel_mem_force_host_memory" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


@pytest.mark.parametrize("flags", [0, E.MEM_READ_ONLY, E.MEM_ALLOC_HOST_PTR])
def test_a_buffer(api, context, flags):
    made = api.make("clCreateBuffer", context, FORCE | flags, 7, None)
    told = int.from_bytes(api.info("clGetMemObjectInfo", made, E.MEM_FLAGS), "little")
    assert told & FORCE and told & flags == flags
    api.ok("clReleaseMemObject", made)


def test_with_contents(api, context, contents):
    made = api.make("clCreateBuffer", context, FORCE | E.MEM_COPY_HOST_PTR, 7, create_string_buffer(b"seven b", 7))
    assert contents(made, 7) == b"seven b"
    api.ok("clReleaseMemObject", made)


def test_memory_of_the_application(api, context, line, lines, contents):
    lines[:4] = b"here"
    made = api.make("clCreateBuffer", context, FORCE | E.MEM_USE_HOST_PTR, 2 * line, lines)
    assert contents(made, 4) == b"here"
    api.ok("clReleaseMemObject", made)


def test_errors(api, context, line, lines):
    def error(flags, size, host, within=context):
        return api.new("clCreateBuffer", within, flags, size, host)[1]

    beside = (c_char * line).from_buffer(lines, 4)
    assert error(FORCE | E.MEM_USE_HOST_PTR, line, beside, within=None) == "CL_INVALID_CONTEXT"
    assert error(FORCE | E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, 0, None) == "CL_INVALID_VALUE"
    assert error(FORCE | 1 << 40, line, None) == "CL_INVALID_VALUE"
    assert error(FORCE, 0, None) == "CL_INVALID_BUFFER_SIZE"
    assert error(FORCE | E.MEM_USE_HOST_PTR, line, None) == "CL_INVALID_HOST_PTR"
    assert error(FORCE, line, lines) == "CL_INVALID_HOST_PTR"
    assert error(FORCE | E.MEM_USE_HOST_PTR, line - 4, beside) == "CL_INVALID_HOST_PTR"
    assert error(FORCE | E.MEM_USE_HOST_PTR, line - 4, lines) == "CL_INVALID_BUFFER_SIZE"


def test_not_for_parts(api, context):
    parent = api.make("clCreateBuffer", context, FORCE, 64, None)
    region = sizes(0, 32)
    assert api.new("clCreateSubBuffer", parent, FORCE, E.BUFFER_CREATE_TYPE_REGION, region)[1] == "CL_INVALID_VALUE"
    part = api.make("clCreateSubBuffer", parent, 0, E.BUFFER_CREATE_TYPE_REGION, region)
    api.ok("clReleaseMemObject", part)
    api.ok("clReleaseMemObject", parent)
