# SPDX-License-Identifier: Apache-2.0
"""Every query about a device is answered by every device, with a value of the size that its type has. test_queries.py
runs this file in a process of its own, with TEST_DEVICES for devices."""
import os
from ctypes import byref, c_size_t

import pytest
from clapi import E
from test_queries import number

from clpy.spec.tables import read_queries

os.environ["CLPY_DEVICES"] = os.environ["TEST_DEVICES"]      # the library is not loaded yet


def rows(function):
    return [query for query in read_queries() if query.function == function and query.version != "3.1"]


def size_of(api, function, handle, query):
    """Bytes of the answer; None where the query is not known."""
    size = c_size_t(12345)
    error = api.error(function, handle, number(query), 0, None, byref(size))
    assert error in ("CL_SUCCESS", "CL_INVALID_VALUE")
    return size.value if error == "CL_SUCCESS" else None


def is_right(query, size):
    if query.count is None:
        return size == query.element_size
    if query.count:
        return size == query.element_size * int(query.count)
    return size % query.element_size == 0 and (size or query.element != "char")


def test_there_are_all_devices(api):
    assert len(api.devices()) == len(os.environ["TEST_DEVICES"].split(","))


@pytest.mark.parametrize("query", rows("clGetDeviceInfo"), ids=lambda query: query.enum)
def test_every_device_answers(api, query):
    for device in api.devices():
        size = size_of(api, "clGetDeviceInfo", device, query)
        if size is None:
            assert query.version not in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
            assert query.version.startswith("cl_"), api.text("clGetDeviceInfo", device, E.DEVICE_NAME)
        else:
            assert is_right(query, size)


@pytest.mark.parametrize("query", rows("clGetPlatformInfo"), ids=lambda query: query.enum)
def test_the_platform_answers(api, query):
    assert is_right(query, size_of(api, "clGetPlatformInfo", api.platform(), query))
