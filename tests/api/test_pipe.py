# SPDX-License-Identifier: Apache-2.0
"""Pipes, which the device does not have and says so."""
import pytest
from clapi import E, handles

pytestmark = pytest.mark.usefixtures("no_leak")


def test_the_device_says_so(api, device):
    for name in (E.DEVICE_PIPE_SUPPORT, E.DEVICE_MAX_PIPE_ARGS, E.DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                 E.DEVICE_PIPE_MAX_PACKET_SIZE):
        assert api.number("clGetDeviceInfo", device, name) == 0


def test_create(api, context, queue):
    """The errors in order: that of the context comes first, that of the device before any of the values."""
    for flags, size, packets, properties in ((0, 4, 16, None), (1 << 40, 4, 16, None), (0, 0, 0, handles(1, 2, 0))):
        arguments = (flags, size, packets, properties)
        assert api.new("clCreatePipe", context, *arguments) == (None, "CL_INVALID_OPERATION")
        for handle in (None, queue):
            assert api.new("clCreatePipe", handle, *arguments) == (None, "CL_INVALID_CONTEXT")
    assert api.clCreatePipe(context, 0, 4, 16, None, None) is None       # errcode_ret may be NULL


def test_info(api, buffer, queue):
    for handle in (None, buffer(64), queue):
        assert api.error("clGetPipeInfo", handle, E.PIPE_PACKET_SIZE, 0, None, None) == "CL_INVALID_MEM_OBJECT"
