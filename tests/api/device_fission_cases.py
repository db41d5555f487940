# SPDX-License-Identifier: Apache-2.0
"""cl_ext_device_fission, for a device with TEST_UNITS compute units; test_sub_device.py runs this file as it runs
sub_device_cases.py."""
from ctypes import byref, c_uint32, c_uint64

import pytest
from clapi import E, handles, numbers
from sub_device_cases import UNITS, Place, divisible, long_list, units

pytestmark = pytest.mark.usefixtures("no_leak")
ROOM = 16


def fission(api, device, *values, room=ROOM):
    """(error, sub-devices, number told) of clCreateSubDevicesEXT."""
    out, count = handles(*[None] * ROOM), c_uint32()
    error = api.error("clCreateSubDevicesEXT", device, numbers(c_uint64, *[value & (1 << 64) - 1 for value in values]),
                      room, out, byref(count))
    return error, [part for part in out if part], count.value


def released(api, *parts):
    for part in parts:
        api.ok("clReleaseDeviceEXT", part)


def test_fission_is_listed(api, device):
    assert "cl_ext_device_fission" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    assert set(long_list(api, device, E.DEVICE_PARTITION_TYPES_EXT)) == {
        E.DEVICE_PARTITION_EQUALLY_EXT, E.DEVICE_PARTITION_BY_COUNTS_EXT, E.DEVICE_PARTITION_BY_NAMES_EXT,
        E.DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT}
    assert api.number("clGetDeviceInfo", device, E.DEVICE_PARENT_DEVICE_EXT) == 0
    assert api.number("clGetDeviceInfo", device, E.DEVICE_REFERENCE_COUNT_EXT) == 1
    assert long_list(api, device, E.DEVICE_PARTITION_STYLE_EXT) == []
    for name in ("clRetainDeviceEXT", "clReleaseDeviceEXT"):
        api.ok(name, device)


@divisible
@pytest.mark.parametrize(("scheme", "wanted"), [
    ([E.DEVICE_PARTITION_EQUALLY_EXT, 1, 0], [1] * UNITS),
    ([E.DEVICE_PARTITION_BY_COUNTS_EXT, 1, UNITS - 1, 0, 0], [1, UNITS - 1]),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, UNITS - 1, 0, -1, 0], [2]),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, 1, -1, 0], [1]),
])
def test_fission(api, device, scheme, wanted):
    error, parts, count = fission(api, device, *scheme)
    assert (error, count) == ("CL_SUCCESS", len(wanted))
    assert [units(api, part) for part in parts] == wanted
    for part in parts:
        assert long_list(api, part, E.DEVICE_PARTITION_STYLE_EXT) == scheme
        assert api.number("clGetDeviceInfo", part, E.DEVICE_PARENT_DEVICE_EXT) == device
        api.ok("clRetainDeviceEXT", part)
        assert api.number("clGetDeviceInfo", part, E.DEVICE_REFERENCE_COUNT_EXT) == 2
        released(api, part)
        with Place(api, part) as place:
            mem = api.make("clCreateBuffer", place.context, 0, 4000, None)
            place.launch("busy", mem, 1, 1000)
            api.ok("clFinish", place.queue)
            api.ok("clReleaseMemObject", mem)
    released(api, *parts)


@divisible
def test_fission_with_little_room(api, device):
    """As many as there is room for, and the number of all."""
    error, parts, count = fission(api, device, E.DEVICE_PARTITION_EQUALLY_EXT, 1, 0, room=1)
    assert (error, len(parts), count) == ("CL_SUCCESS", 1, UNITS)
    released(api, *parts)


@divisible
def test_fission_along_domains(api, device):
    names = {E.AFFINITY_DOMAIN_NUMA_EXT, *range(E.AFFINITY_DOMAIN_L1_CACHE_EXT, E.AFFINITY_DOMAIN_L4_CACHE_EXT + 1)}
    listed = set(long_list(api, device, E.DEVICE_AFFINITY_DOMAINS_EXT))
    assert listed <= names
    for name in [*names, E.AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT]:
        error, parts, count = fission(api, device, E.DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, name, 0)
        if name in listed or (name not in names and listed):
            assert error == "CL_SUCCESS" and count == len(parts) > 1
            scheme, along, end = long_list(api, parts[0], E.DEVICE_PARTITION_STYLE_EXT)
            assert scheme == E.DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT and end == 0
            assert along == name if name in names else along in listed
            released(api, *parts)
        else:
            assert error == "CL_DEVICE_PARTITION_FAILED_EXT"


@divisible
@pytest.mark.parametrize(("scheme", "error"), [
    ([E.DEVICE_PARTITION_EQUALLY_EXT, 0, 0], "CL_INVALID_PARTITION_COUNT_EXT"),
    ([E.DEVICE_PARTITION_EQUALLY_EXT, UNITS + 1, 0], "CL_INVALID_PARTITION_COUNT_EXT"),
    ([E.DEVICE_PARTITION_EQUALLY_EXT, -1, 0], "CL_INVALID_PARTITION_COUNT_EXT"),
    ([E.DEVICE_PARTITION_EQUALLY_EXT, UNITS, 0], "CL_DEVICE_PARTITION_FAILED_EXT"),
    ([E.DEVICE_PARTITION_EQUALLY_EXT, 1, E.DEVICE_PARTITION_EQUALLY_EXT, 1, 0], "CL_INVALID_VALUE"),
    ([E.DEVICE_PARTITION_BY_COUNTS_EXT, UNITS, 1, 0, 0], "CL_INVALID_PARTITION_COUNT_EXT"),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, UNITS, -1, 0], "CL_INVALID_PARTITION_NAME_EXT"),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, -2, -1, 0], "CL_INVALID_PARTITION_NAME_EXT"),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, 0, 0, -1, 0], "CL_INVALID_VALUE"),
    ([E.DEVICE_PARTITION_BY_NAMES_EXT, -1, 0], "CL_INVALID_VALUE"),
    ([E.DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, 5, 0], "CL_INVALID_VALUE"),
    ([E.DEVICE_PARTITION_EQUALLY, 1, 0], "CL_INVALID_VALUE"),
    ([0], "CL_INVALID_VALUE"),
])
def test_fission_refuses(api, device, scheme, error):
    assert fission(api, device, *scheme) == (error, [], 0)


def test_fission_without_places_for_the_answer(api, device):
    scheme, out = numbers(c_uint64, E.DEVICE_PARTITION_EQUALLY_EXT, 1, 0), handles(None)
    assert api.error("clCreateSubDevicesEXT", device, scheme, 0, None, None) == "CL_INVALID_VALUE"
    assert api.error("clCreateSubDevicesEXT", device, scheme, 0, out, None) == "CL_INVALID_VALUE"
    assert api.error("clCreateSubDevicesEXT", device, None, 1, out, None) == "CL_INVALID_VALUE"
    assert api.error("clCreateSubDevicesEXT", None, scheme, 1, out, None) == "CL_INVALID_DEVICE"
