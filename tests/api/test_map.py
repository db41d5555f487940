# SPDX-License-Identifier: Apache-2.0
"""clEnqueueMapBuffer and clEnqueueUnmapMemObject."""
import ctypes
from ctypes import byref, c_void_p, string_at

import pytest
from clapi import E, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.fixture
def map_of(api, queue):
    def call(mem, flags, offset, size, blocking=1):
        return api.make("clEnqueueMapBuffer", queue, mem, blocking, flags, offset, size, 0, None, None)
    return call


@pytest.fixture
def unmap(api, queue):
    return lambda mem, pointer: api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)


def map_count(api, mem):
    return api.number("clGetMemObjectInfo", mem, E.MEM_MAP_COUNT)


def test_read_and_write_through_a_map(api, queue, buffer, contents, map_of, unmap):
    mem = buffer(contents=b"0123456789")
    pointer = map_of(mem, E.MAP_READ | E.MAP_WRITE, 2, 4)
    assert string_at(pointer, 4) == b"2345"
    ctypes.memmove(pointer, b"WXYZ", 4)
    unmap(mem, pointer)
    assert contents(mem, 10) == b"01WXYZ6789"


def test_no_copy_is_made(api, buffer, map_of, unmap):
    """Maps of the same buffer are addresses in the same storage."""
    mem = buffer(4096)
    whole, part = map_of(mem, E.MAP_READ, 0, 4096), map_of(mem, E.MAP_READ, 100, 10)
    assert part == whole + 100
    again = map_of(mem, E.MAP_READ, 0, 4096)
    assert again == whole
    assert map_count(api, mem) == 3
    for pointer in (whole, part, again):
        unmap(mem, pointer)
    assert map_count(api, mem) == 0


def test_sub_buffer(api, device, buffer, map_of, unmap):
    align = api.number("clGetDeviceInfo", device, E.DEVICE_MEM_BASE_ADDR_ALIGN) // 8
    mem = buffer(contents=b"a" * align + b"b" * align)
    child = api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(align, align))
    whole, part = map_of(mem, E.MAP_READ, 0, align * 2), map_of(child, E.MAP_READ, 1, 5)
    assert part == whole + align + 1
    assert string_at(part, 5) == b"bbbbb"
    assert (map_count(api, mem), map_count(api, child)) == (1, 1)
    unmap(child, part)
    unmap(mem, whole)
    api.ok("clReleaseMemObject", child)


def test_event_and_order(api, queue, buffer, user_event):
    mem, gate, mapped, unmapped = buffer(contents=b"old!"), user_event(), c_void_p(), c_void_p()
    api.ok("clEnqueueWriteBuffer", queue, mem, 0, 0, 4, b"new!", 1, handles(gate), None)
    pointer = api.make("clEnqueueMapBuffer", queue, mem, 0, E.MAP_READ, 0, 4, 0, None, byref(mapped))
    assert api.number("clGetEventInfo", mapped, E.EVENT_COMMAND_TYPE) == E.COMMAND_MAP_BUFFER
    assert api.number("clGetEventInfo", mapped, E.EVENT_COMMAND_EXECUTION_STATUS) != E.COMPLETE
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(mapped))
    assert string_at(pointer, 4) == b"new!"
    api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, byref(unmapped))
    assert api.number("clGetEventInfo", unmapped, E.EVENT_COMMAND_TYPE) == E.COMMAND_UNMAP_MEM_OBJECT
    api.ok("clWaitForEvents", 1, byref(unmapped))
    api.ok("clReleaseEvent", mapped)
    api.ok("clReleaseEvent", unmapped)


def test_a_buffer_that_was_never_unmapped_can_be_released(api, context, queue):
    mem = api.make("clCreateBuffer", context, 0, 64, None)
    api.make("clEnqueueMapBuffer", queue, mem, 1, E.MAP_WRITE, 0, 64, 0, None, None)
    api.ok("clReleaseMemObject", mem)
    assert api.error("clReleaseMemObject", mem) == "CL_INVALID_MEM_OBJECT"


def test_a_failed_blocking_map_leaves_nothing_mapped(api, queue, buffer, user_event):
    mem, gate = buffer(64), user_event()
    api.ok("clSetUserEventStatus", gate, -5)
    pointer, error = api.new("clEnqueueMapBuffer", queue, mem, 1, E.MAP_WRITE, 0, 64, 1, handles(gate), None)
    assert (pointer, error) == (None, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST")
    assert map_count(api, mem) == 0


# ---- errors, in the order of the specification

READ, WRITE, INVALIDATE = E.MAP_READ, E.MAP_WRITE, E.MAP_WRITE_INVALIDATE_REGION


def test_map_errors(api, queue, context, other_context, buffer, user_event):
    mem = buffer(64)

    def error(q=queue, m=mem, flags=READ, offset=0, size=64, n=0, events=None):
        pointer, name = api.new("clEnqueueMapBuffer", q, m, 1, flags, offset, size, n, events, None)
        assert pointer is None
        return name

    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(m=buffer(64, within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(m=None) == error(m=queue) == "CL_INVALID_MEM_OBJECT"
    assert error(offset=1) == error(size=65) == error(offset=2**64 - 1) == "CL_INVALID_VALUE"
    assert error(size=0) == "CL_INVALID_VALUE"
    for flags in (8, 1 << 40, INVALIDATE | READ, INVALIDATE | WRITE):
        assert error(flags=flags) == "CL_INVALID_VALUE", flags
    assert error(n=1) == error(events=handles(user_event())) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(m=buffer(64, E.MEM_HOST_NO_ACCESS), n=1) == "CL_INVALID_EVENT_WAIT_LIST", "before CL_INVALID_OPERATION"
    assert map_count(api, mem) == 0


@pytest.mark.parametrize(("host", "allowed"), [
    (0, {READ, WRITE, READ | WRITE, INVALIDATE}), (E.MEM_HOST_READ_ONLY, {READ}),
    (E.MEM_HOST_WRITE_ONLY, {WRITE, INVALIDATE}), (E.MEM_HOST_NO_ACCESS, set())])
def test_host_access_flags(api, queue, buffer, host, allowed):
    for flags in (READ, WRITE, READ | WRITE, INVALIDATE):
        mem = buffer(64, host)
        pointer, error = api.new("clEnqueueMapBuffer", queue, mem, 1, flags, 0, 64, 0, None, None)
        assert error == ("CL_SUCCESS" if flags in allowed else "CL_INVALID_OPERATION"), flags
        if pointer:
            api.ok("clEnqueueUnmapMemObject", queue, mem, pointer, 0, None, None)


def test_regions_mapped_for_writing_do_not_overlap(api, queue, device, buffer, map_of, unmap):
    align = api.number("clGetDeviceInfo", device, E.DEVICE_MEM_BASE_ADDR_ALIGN) // 8
    mem = buffer(align * 2)
    child = api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(align, align))

    def error(m, flags, offset, size):
        pointer, name = api.new("clEnqueueMapBuffer", queue, m, 1, flags, offset, size, 0, None, None)
        if pointer:
            unmap(m, pointer)
        return name

    pointer = map_of(mem, WRITE, align, 16)
    assert error(mem, WRITE, align + 15, 4) == error(mem, INVALIDATE, 0, align * 2) == "CL_INVALID_OPERATION"
    assert error(child, WRITE, 0, 1) == "CL_INVALID_OPERATION"
    assert error(child, WRITE, 16, 1) == error(mem, WRITE, 0, align) == error(mem, READ, align, 16) == "CL_SUCCESS"
    unmap(mem, pointer)
    assert error(mem, WRITE, align, 16) == "CL_SUCCESS", "from the enqueue of the unmap on"
    api.ok("clReleaseMemObject", child)


def test_unmap_errors(api, queue, context, other_context, device, buffer, map_of):
    mem, other = buffer(64), buffer(64)
    pointer = map_of(mem, READ, 8, 8)

    def error(q=queue, m=mem, p=pointer, n=0, events=None):
        return api.error("clEnqueueUnmapMemObject", q, m, p, n, events, None)

    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(m=None) == error(m=queue) == "CL_INVALID_MEM_OBJECT"
    assert error(p=pointer - 8) == error(p=None) == error(m=other) == "CL_INVALID_VALUE"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    foreign = api.make("clCreateCommandQueue", other_context, device, 0)
    assert error(q=foreign) == "CL_INVALID_CONTEXT"
    api.ok("clReleaseCommandQueue", foreign)
    assert map_count(api, mem) == 1, "none of these unmapped it"
    assert error() == "CL_SUCCESS"
    assert error() == "CL_INVALID_VALUE", "it is unmapped already"
