# SPDX-License-Identifier: Apache-2.0
"""Contexts: properties, counts, and the calls at their end."""
from ctypes import CFUNCTYPE, byref, c_char_p, c_size_t, c_uint32, c_void_p, cast

import pytest
from clapi import E, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

DESTRUCTOR = CFUNCTYPE(None, c_void_p, c_void_p)
NOTIFY = CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)


def address(function):
    return cast(function, c_void_p)


def properties(api, *pairs, platform=True):
    return sizes(*([E.CONTEXT_PLATFORM, api.platform()] if platform else []), *pairs, 0)


def refs(api, context):
    return api.number("clGetContextInfo", context, E.CONTEXT_REFERENCE_COUNT)


def test_info(api, device):
    given = properties(api, E.CONTEXT_INTEROP_USER_SYNC, 1)
    context = api.make("clCreateContext", given, 1, handles(device), None, None)
    assert refs(api, context) == 1
    assert api.number("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES) == 1
    assert api.info("clGetContextInfo", context, E.CONTEXT_DEVICES) == bytes(handles(device))
    assert api.info("clGetContextInfo", context, E.CONTEXT_PROPERTIES) == bytes(given)
    api.ok("clRetainContext", context)
    assert refs(api, context) == 2
    api.ok("clReleaseContext", context)
    assert refs(api, context) == 1
    api.ok("clReleaseContext", context)
    assert api.error("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES, 0, None, None) == "CL_INVALID_CONTEXT"
    assert api.error("clReleaseContext", context) == "CL_INVALID_CONTEXT"
    assert api.error("clRetainContext", context) == "CL_INVALID_CONTEXT"


def test_properties_are_those_that_were_given(api, context, device):
    assert api.info("clGetContextInfo", context, E.CONTEXT_PROPERTIES) == b""
    empty = api.make("clCreateContext", sizes(0), 1, handles(device), None, None)
    assert api.info("clGetContextInfo", empty, E.CONTEXT_PROPERTIES) == bytes(8)
    api.ok("clReleaseContext", empty)


def test_duplicate_devices_count_once(api, device):
    context = api.make("clCreateContext", None, 3, handles(device, device, device), None, None)
    assert api.number("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES) == 1
    api.ok("clReleaseContext", context)


@pytest.mark.parametrize("kind", ["CPU", "DEFAULT", "ALL"])
@pytest.mark.needs("CPU")
def test_from_type(api, device, kind):
    context = api.make("clCreateContextFromType", properties(api), getattr(E, "DEVICE_TYPE_" + kind), None, None)
    assert api.info("clGetContextInfo", context, E.CONTEXT_DEVICES)[:8] == bytes(handles(device))
    api.ok("clReleaseContext", context)


def test_an_object_keeps_its_context(api, device):
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    ended = []
    call = DESTRUCTOR(lambda *_: ended.append(1))
    api.ok("clSetContextDestructorCallback", context, address(call), None)
    mem = api.make("clCreateBuffer", context, 0, 64, None)
    api.ok("clReleaseContext", context)
    assert not ended
    assert api.number("clGetMemObjectInfo", mem, E.MEM_CONTEXT) == context
    assert api.number("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES) == 1
    api.ok("clReleaseMemObject", mem)
    assert ended == [1]


def test_destructor_callbacks_come_in_reverse_order(api, device):
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    seen = []
    call = DESTRUCTOR(lambda ctx, data: seen.append((ctx, data)))
    for data in (1, 2, 3):
        api.ok("clSetContextDestructorCallback", context, address(call), data)
    api.ok("clRetainContext", context)
    api.ok("clReleaseContext", context)
    assert seen == []
    api.ok("clReleaseContext", context)
    assert seen == [(context, 3), (context, 2), (context, 1)]


# ---- errors, in the order of the specification

def test_create_errors(api, device, context):
    def error(props, n, devices, notify=None, data=None):
        made, name = api.new("clCreateContext", props, n, devices, notify, data)
        assert made is None
        return name

    one = handles(device)
    assert error(sizes(E.CONTEXT_PLATFORM, 0, 0), 1, one) == "CL_INVALID_PLATFORM"
    assert error(properties(api, 0x7777, 1), 1, one) == "CL_INVALID_PROPERTY"
    assert error(properties(api, E.CONTEXT_INTEROP_USER_SYNC, 7), 1, one) == "CL_INVALID_PROPERTY"
    twice = (E.CONTEXT_INTEROP_USER_SYNC, 1) * 2
    assert error(properties(api, *twice), 1, one) == "CL_INVALID_PROPERTY"
    assert error(properties(api, 0x7777, 1), 0, None) == "CL_INVALID_PROPERTY", "before CL_INVALID_VALUE"
    assert error(None, 0, one) == "CL_INVALID_VALUE"
    assert error(None, 1, one, None, 1) == "CL_INVALID_VALUE"


def test_devices_must_be_devices(api, device, context):
    # In a list after a good one: a loader looks at the first only.
    made, name = api.new("clCreateContext", None, 2, handles(device, context), None, None)
    assert (made, name) == (None, "CL_INVALID_DEVICE")
    made, name = api.new("clCreateContext", None, 2, handles(device, None), None, None)
    assert (made, name) == (None, "CL_INVALID_DEVICE")
    notify = NOTIFY(lambda *_: None)
    context = api.make("clCreateContext", None, 1, handles(device), address(notify), 1)
    api.ok("clReleaseContext", context)


@pytest.mark.needs("CPU")
def test_from_type_errors(api, device):
    def error(props, kind, notify=None, data=None):
        made, name = api.new("clCreateContextFromType", props, kind, notify, data)
        assert made is None
        return name

    good = properties(api)
    assert error(properties(api, 0x7777, 1), E.DEVICE_TYPE_CPU) == "CL_INVALID_PROPERTY"
    assert error(good, E.DEVICE_TYPE_CPU, None, 1) == "CL_INVALID_VALUE"
    assert error(good, 0) == "CL_INVALID_DEVICE_TYPE"
    assert error(good, E.DEVICE_TYPE_GPU) == "CL_DEVICE_NOT_FOUND"


def test_other_errors(api, device, context):
    value = c_uint32()
    assert api.error("clGetContextInfo", device, E.CONTEXT_NUM_DEVICES, 4, byref(value), None) == "CL_INVALID_CONTEXT"
    assert api.error("clGetContextInfo", context, 0xDEAD, 4, byref(value), None) == "CL_INVALID_VALUE"
    assert api.error("clGetContextInfo", context, E.CONTEXT_NUM_DEVICES, 3, byref(value), None) == "CL_INVALID_VALUE"
    assert api.error("clSetContextDestructorCallback", device, None, None) == "CL_INVALID_CONTEXT"
    assert api.error("clSetContextDestructorCallback", context, None, None) == "CL_INVALID_VALUE"
    assert api.error("clRetainContext", device) == "CL_INVALID_CONTEXT"
    assert api.error("clReleaseContext", device) == "CL_INVALID_CONTEXT"
