# SPDX-License-Identifier: Apache-2.0
"""cl_intel_create_buffer_with_properties: buffers, and errors in the order of the specification."""
import struct
from ctypes import c_uint64, create_string_buffer

import pytest
from clapi import E, numbers

pytestmark = pytest.mark.usefixtures("no_leak")
CREATE = "clCreateBufferWithPropertiesINTEL"


def test_is_listed(api, device):
    assert "cl_intel_create_buffer_with_properties" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


@pytest.mark.parametrize("properties", [None, (0,), (E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0)])
def test_a_buffer(api, context, contents, properties):
    given = numbers(c_uint64, *properties) if properties else None
    made = api.make(CREATE, context, given, E.MEM_COPY_HOST_PTR, 8, create_string_buffer(b"contents", 8))
    assert contents(made, 8) == b"contents"
    asked = api.info("clGetMemObjectInfo", made, E.MEM_PROPERTIES)
    assert asked == struct.pack(f"={len(properties or ())}Q", *(properties or ()))
    api.ok("clReleaseMemObject", made)


def test_errors(api, context):
    def error(within=context, properties=None, flags=0, size=64, host=None):
        return api.new(CREATE, within, numbers(c_uint64, *properties, 0) if properties else None, flags, size, host)[1]

    twice = (E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1)
    assert error(within=None, properties=(1, 2)) == "CL_INVALID_CONTEXT"
    for properties in ((1, 2), (E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 7), twice):
        assert error(properties=properties, size=0) == "CL_INVALID_VALUE"
    assert error(flags=E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, size=0) == "CL_INVALID_VALUE"
    assert error(size=0, flags=E.MEM_USE_HOST_PTR) == "CL_INVALID_BUFFER_SIZE"
    assert error(flags=E.MEM_USE_HOST_PTR) == "CL_INVALID_HOST_PTR"
    assert error(host=create_string_buffer(64)) == "CL_INVALID_HOST_PTR"
    assert api.clCreateBufferWithPropertiesINTEL(context, None, 0, 0, None, None) is None
