# SPDX-License-Identifier: Apache-2.0
"""cl_amd_event_callback: clSetEventCallback for CL_QUEUED beside the states of the core."""
import queue
from ctypes import CFUNCTYPE, c_int32, c_void_p

from clapi import API, E, handles

NOTIFY = CFUNCTYPE(None, c_void_p, c_int32, c_void_p)


def test_all_states():
    api = API()
    device = api.devices()[0]
    assert "cl_amd_event_callback" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    event, told = api.make("clCreateUserEvent", context), queue.Queue()
    notify = NOTIFY(lambda _, status, data: told.put((data, status)))
    # it is queued and submitted already, and stays so until the host says that it is complete
    for state in (E.QUEUED, E.SUBMITTED):
        api.ok("clSetEventCallback", event, state, notify, 100 + state)
        assert told.get(timeout=60) == (100 + state, state)
    api.ok("clSetEventCallback", event, E.COMPLETE, notify, 100)
    assert told.empty()
    api.ok("clSetUserEventStatus", event, E.COMPLETE)
    assert told.get(timeout=60) == (100, E.COMPLETE)
    assert api.error("clSetEventCallback", event, E.QUEUED, None, None) == "CL_INVALID_VALUE"
    api.ok("clReleaseEvent", event)
    api.ok("clReleaseContext", context)
