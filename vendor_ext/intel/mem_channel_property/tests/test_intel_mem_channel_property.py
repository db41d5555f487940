# SPDX-License-Identifier: Apache-2.0
"""cl_intel_mem_channel_property: a hint, kept with the buffer."""
import struct
from ctypes import c_uint64

import pytest
from clapi import E, numbers

pytestmark = pytest.mark.usefixtures("no_leak")


def test_is_listed(api, device):
    assert "cl_intel_mem_channel_property" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


@pytest.mark.parametrize("channel", [0, 1, 99, 0xFFFFFFFF])
def test_any_channel(api, context, channel):
    made = api.make("clCreateBufferWithProperties", context, numbers(c_uint64, E.MEM_CHANNEL_INTEL, channel, 0), 0, 64,
                    None)
    assert api.info("clGetMemObjectInfo", made, E.MEM_PROPERTIES) == struct.pack("=3Q", E.MEM_CHANNEL_INTEL, channel, 0)
    api.ok("clReleaseMemObject", made)


def test_twice(api, context):
    given = numbers(c_uint64, E.MEM_CHANNEL_INTEL, 1, E.MEM_CHANNEL_INTEL, 1, 0)
    assert api.new("clCreateBufferWithProperties", context, given, 0, 64, None)[1] == "CL_INVALID_PROPERTY"
