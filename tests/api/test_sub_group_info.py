# SPDX-License-Identifier: Apache-2.0
"""clGetKernelSubGroupInfo: what a device without sub-groups answers, and one that says it has them."""
from ctypes import byref, c_size_t

import pytest
from clapi import E, sizes

from clpy.device.fake.device import report

pytestmark = pytest.mark.usefixtures("no_leak")
NAME, SIZE = "clGetKernelSubGroupInfo", 16
PLAIN = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"
QUERIES = [E.KERNEL_MAX_NUM_SUB_GROUPS, E.KERNEL_COMPILE_NUM_SUB_GROUPS, E.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
           E.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, E.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT]


@pytest.fixture
def device(fake_device):
    return fake_device


@pytest.fixture
def able(device):
    report(sub_groups=SIZE)
    yield
    report()


@pytest.fixture
def ask(api, device):
    """ask(kernel, query, *input) -> a number, or for as many `room` numbers a list"""
    def answer(kernel, query, *given, room=None):
        out = (c_size_t * (room or 1))()
        size = c_size_t()
        api.ok(NAME, kernel, device, query, 8 * len(given), sizes(*given) if given else None, 8 * len(out), out,
               byref(size))
        assert size.value == 8 * len(out)
        return list(out) if room else out[0]
    return answer


@pytest.mark.parametrize("query", QUERIES)
def test_without(api, device, kernel, query):
    report(sub_groups=0)
    try:
        assert api.number("clGetDeviceInfo", device, E.DEVICE_MAX_NUM_SUB_GROUPS) == 0
        k = kernel(PLAIN)
        assert api.error(NAME, k, device, query, 8, sizes(1), 8, sizes(0), None) == "CL_INVALID_OPERATION"
        assert api.error(NAME, None, None, query, 0, None, 0, None, None) == "CL_INVALID_KERNEL"
    finally:
        report()


@pytest.mark.parametrize("local", [(1,), (15,), (16,), (17,), (256,), (4, 4), (5, 7), (3, 3, 3), (1, 1, 512)])
def test_of_a_local_size(kernel, ask, able, local):
    k, items = kernel(PLAIN), 1
    for each in local:
        items *= each
    assert ask(k, E.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, *local) == -(-items // SIZE)
    assert ask(k, E.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, *local) == SIZE


@pytest.mark.parametrize("room", [1, 2, 3])
def test_a_local_size_for_a_count(api, device, kernel, ask, able, room):
    """"An exact number of sub-groups"; 0 where no work-group is large enough."""
    k = kernel(PLAIN)
    most = api.number("clGetKernelWorkGroupInfo", k, device, E.KERNEL_WORK_GROUP_SIZE)
    for count in (1, 2, 3, most // SIZE):
        local = ask(k, E.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, count, room=room)
        assert local == [count * SIZE, 1, 1][:room]
        assert ask(k, E.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, *local) == count
    for count in (0, most // SIZE + 1, 1 << 63):
        assert ask(k, E.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, count, room=room) == [0] * room


def test_of_the_kernel(api, device, kernel, ask, able):
    k = kernel(PLAIN)
    most = api.number("clGetKernelWorkGroupInfo", k, device, E.KERNEL_WORK_GROUP_SIZE)
    assert ask(k, E.KERNEL_MAX_NUM_SUB_GROUPS) == most // SIZE
    assert ask(k, E.KERNEL_COMPILE_NUM_SUB_GROUPS) == 0


def test_a_required_size(kernel, ask, able):
    k = kernel("kernel __attribute__((reqd_work_group_size(32, 1, 1))) void k(global int *a) { *a = 1; }")
    assert ask(k, E.KERNEL_MAX_NUM_SUB_GROUPS) == 2
    assert ask(k, E.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 2, room=3) == [32, 1, 1]
    assert ask(k, E.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 1, room=3) == [0, 0, 0]


def test_errors(api, device, context, kernel, able):
    k, value, local = kernel(PLAIN), sizes(0, 0, 0, 0), sizes(8, 8, 8, 8)

    def error(query, size=8, given=local, room=8, on=device, of=k, out=value):
        return api.error(NAME, of, on, query, size, given, room, out, None)

    for query in QUERIES:
        assert error(query, of=context) == error(query, of=None, on=None) == "CL_INVALID_KERNEL"
        assert error(query, on=context) == "CL_INVALID_DEVICE"
        assert error(query, room=4) == "CL_INVALID_VALUE"
        assert error(query) == error(query, on=None) == error(query, room=0, out=None) == "CL_SUCCESS"
    assert error(E.KERNEL_WORK_GROUP_SIZE) == "CL_INVALID_VALUE"
    for query in QUERIES[2:]:
        assert error(query, given=None) == error(query, size=0) == error(query, size=7) == "CL_INVALID_VALUE"
        assert error(query, size=32) == "CL_INVALID_VALUE"
    assert error(QUERIES[4], size=16) == error(QUERIES[4], room=32) == "CL_INVALID_VALUE"
    assert error(QUERIES[2], given=sizes(0)) == "CL_INVALID_VALUE"


def test_by_the_name_of_the_extension(api, device, kernel, able):
    """clGetKernelSubGroupInfoKHR: it is the same function."""
    k, value = kernel(PLAIN), c_size_t()
    for query, wanted in ((E.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, SIZE), (E.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 3)):
        api.ok("clGetKernelSubGroupInfoKHR", k, device, query, 8, sizes(40), 8, byref(value), None)
        assert value.value == wanted
    assert api.error("clGetKernelSubGroupInfoKHR", None, device, query, 8, sizes(40), 8, byref(value),
                     None) == "CL_INVALID_KERNEL"
