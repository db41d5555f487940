# SPDX-License-Identifier: Apache-2.0
"""cl_intel_command_queue_families: one family, with one queue that can do all."""
import struct
from ctypes import c_uint64

import pytest
from clapi import E, numbers

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.fixture
def make(api, context, device):
    """Value and error of a queue with properties."""
    return lambda *given: api.new("clCreateCommandQueueWithProperties", context, device, numbers(c_uint64, *given, 0))


def test_is_listed(api, device):
    assert "cl_intel_command_queue_families" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_the_family(api, device):
    answer = api.info("clGetDeviceInfo", device, E.DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL)
    properties, capabilities, count, name = struct.unpack("=QQI64s4x", answer)
    assert properties == api.number("clGetDeviceInfo", device, E.DEVICE_QUEUE_ON_HOST_PROPERTIES)
    assert (capabilities, count) == (E.QUEUE_DEFAULT_CAPABILITIES_INTEL, 1)
    assert name.rstrip(b"\0") and name.endswith(b"\0")


@pytest.mark.parametrize("more", [(), ("QUEUE_FAMILY_INTEL", "QUEUE_INDEX_INTEL"),
                                  ("QUEUE_INDEX_INTEL", "QUEUE_FAMILY_INTEL")])
def test_queues_of_it(api, make, more):
    made, error = make(*[value for name in more for value in (getattr(E, name), 0)], E.QUEUE_PROPERTIES,
                       E.QUEUE_PROFILING_ENABLE)
    assert error == "CL_SUCCESS"
    for name in (E.QUEUE_FAMILY_INTEL, E.QUEUE_INDEX_INTEL):
        assert api.info("clGetCommandQueueInfo", made, name) == bytes(4)
    api.ok("clReleaseCommandQueue", made)


def test_errors(make):
    family, index = E.QUEUE_FAMILY_INTEL, E.QUEUE_INDEX_INTEL
    for given in ((family, 0), (index, 0), (family, 1, index, 0), (family, 0, index, 1), (family, 1 << 32, index, 0),
                  (family, 0, family, 0), (family, 0, index, 0, index, 0)):
        assert make(*given) == (None, "CL_INVALID_VALUE"), given
