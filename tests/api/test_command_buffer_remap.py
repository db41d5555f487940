# SPDX-License-Identifier: Apache-2.0
"""clRemapCommandBufferKHR: a copy of a command buffer on other queues."""
import struct
from ctypes import byref, c_int32, c_uint64, c_void_p, create_string_buffer

import pytest
from clapi import NAMES, E, handles, numbers, sizes
from recording import ADD, OUT_OF_ORDER, SCALE, Recorder, ints

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.fixture
def remap(api):
    """new(command buffer, queues, handles, automatic) -> (copy or None, handles of the copy, error)"""
    made = []

    def new(target, *queues, commands=(), automatic=0):
        error, room = c_int32(99), handles(*[0] * len(commands)) if commands else None
        copy = api.clRemapCommandBufferKHR(target, automatic, len(queues), handles(*queues), len(commands),
                                           handles(*commands) if commands else None, room, byref(error))
        if copy:
            made.append(copy)
        return copy, list(room or ()), NAMES[error.value]

    yield new
    for each in made:
        api.ok("clReleaseCommandBufferKHR", each)


def state(api, target):
    return api.number("clGetCommandBufferInfoKHR", target, E.COMMAND_BUFFER_STATE_KHR)


class TestRemap:
    def recorded(self, record, set_args, mem, queue=None):
        r = record(*([queue] if queue else []))
        point = r("FillBuffer", mem, struct.pack("=i", 1), 4, 0, 64)
        point = r("NDRangeKernel", set_args(ADD, mem, 2), 1, None, sizes(16), None, after=[point])
        r("BarrierWithWaitList")
        r("NDRangeKernel", set_args(SCALE, mem, 5), 1, None, sizes(16), None)
        return r

    def test_a_copy_on_another_queue(self, api, record, set_args, buffer, contents, queues, remap):
        mem, other = buffer(contents=bytes(64)), queues(OUT_OF_ORDER)
        r = self.recorded(record, set_args, mem)
        api.ok("clFinalizeCommandBufferKHR", r.target)
        copy, _, error = remap(r.target, other)
        assert error == "CL_SUCCESS"
        assert state(api, copy) == E.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
        assert api.info("clGetCommandBufferInfoKHR", copy, E.COMMAND_BUFFER_QUEUES_KHR) == struct.pack("=Q", other)
        Recorder(api, copy).again()
        api.ok("clFinish", other)
        assert ints(contents(mem, 64)) == [15] * 16

    def test_still_recording(self, api, record, set_args, buffer, contents, queues, remap):
        """The copy has the same state, and goes on where the original is: barriers and order included."""
        mem, other = buffer(contents=bytes(64)), queues(OUT_OF_ORDER)
        r = self.recorded(record, set_args, mem, other)
        r("BarrierWithWaitList")
        copy, _, error = remap(r.target, other)
        assert error == "CL_SUCCESS"
        assert state(api, copy) == E.COMMAND_BUFFER_STATE_RECORDING_KHR
        again = Recorder(api, copy)
        again("NDRangeKernel", set_args(ADD, mem, 100), 1, None, sizes(16), None)
        again.run()
        api.ok("clFinish", other)
        assert ints(contents(mem, 64)) == [115] * 16
        r.run()
        api.ok("clFinish", other)
        assert ints(contents(mem, 64)) == [15] * 16

    def test_handles(self, api, record, set_args, buffer, contents, queues, queue, remap):
        mem, other, handle = buffer(contents=bytes(64)), queues(), c_void_p()
        properties = (E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_MUTABLE_KHR)
        r = record(properties=properties)
        r("FillBuffer", mem, bytes(4), 4, 0, 64)
        given = numbers(c_uint64, E.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 8, 0)
        assert r.error("NDRangeKernel", set_args(ADD, mem, 2), 1, None, sizes(16), sizes(4), handle=byref(handle),
                       properties=given) == "CL_SUCCESS"
        api.ok("clFinalizeCommandBufferKHR", r.target)
        copy, (new,), error = remap(r.target, other, commands=[handle.value])
        assert error == "CL_SUCCESS"
        assert new != handle.value

        def ask(command, name):
            return api.info("clGetMutableCommandInfoKHR", command, getattr(E, name))
        assert ask(new, "MUTABLE_COMMAND_COMMAND_BUFFER_KHR") == struct.pack("=Q", copy)
        assert ask(new, "MUTABLE_COMMAND_COMMAND_QUEUE_KHR") == struct.pack("=Q", other)
        for name in ("MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR", "MUTABLE_DISPATCH_KERNEL_KHR",
                     "MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR", "MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"):
            assert ask(new, name) == ask(handle.value, name)
        assert api.info("clGetCommandBufferInfoKHR", copy, E.COMMAND_BUFFER_PROPERTIES_ARRAY_KHR) \
            == struct.pack("=3Q", *properties, 0)

    def test_the_copy_outlives_the_original(self, api, queue, set_args, buffer, contents, queues, remap):
        mem, other = buffer(contents=bytes(64)), queues()
        target = api.make("clCreateCommandBufferKHR", 1, handles(queue), None)
        r = Recorder(api, target)
        r("FillBuffer", mem, struct.pack("=i", 4), 4, 0, 64)
        api.ok("clFinalizeCommandBufferKHR", target)
        copy, _, _ = remap(target, other)
        api.ok("clReleaseCommandBufferKHR", target)
        Recorder(api, copy).again()
        api.ok("clFinish", other)
        assert ints(contents(mem, 64)) == [4] * 16

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_automatic(self, api, record, set_args, buffer, contents, queues, remap, n):
        """From two queues to any number."""
        a, b = queues(), queues()
        mem, others = buffer(contents=bytes(64)), [queues() for _ in range(n)]
        r = record(a, b)
        point = r("FillBuffer", mem, struct.pack("=i", 1), 4, 0, 64, queue=a)
        r("NDRangeKernel", set_args(ADD, mem, 2), 1, None, sizes(16), None, queue=b, after=[point])
        api.ok("clFinalizeCommandBufferKHR", r.target)
        copy, _, error = remap(r.target, *others, automatic=1)
        assert error == "CL_SUCCESS"
        Recorder(api, copy).again()
        for each in others:
            api.ok("clFinish", each)
        assert ints(contents(mem, 64)) == [3] * 16


class TestDevices:
    """The device and a part of it: two devices of one context."""

    @pytest.fixture
    def pair(self, api, device):
        part = handles(0)
        how = numbers(c_uint64, E.DEVICE_PARTITION_BY_COUNTS, 1, 0, 0)
        if api.error("clCreateSubDevices", device, how, 1, part, None) != "CL_SUCCESS":
            yield None           # of a single processor
            return
        context = api.make("clCreateContext", None, 2, handles(device, part[0]), None, None)
        made = [api.make("clCreateCommandQueue", context, each, 0) for each in (device, part[0])]
        yield (context, *made)
        for each in made:
            api.ok("clFinish", each)
            api.ok("clReleaseCommandQueue", each)
        api.ok("clReleaseContext", context)
        api.ok("clReleaseDevice", part[0])

    def test_one_graph_on_both(self, api, device, pair, record, kernel, remap):
        if pair is None:
            return
        context, whole, part = pair
        sync = E.COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR     # parts of one device need nobody between them
        r = record(whole, part, properties=(E.COMMAND_BUFFER_FLAGS_KHR, sync))
        mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 64, bytes(64))
        k = kernel(ADD, within=context)
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        api.ok("clSetKernelArg", k, 1, 4, struct.pack("=i", 3))
        point = r("NDRangeKernel", k, 1, None, sizes(16), None, queue=part)
        r("NDRangeKernel", k, 1, None, sizes(16), None, queue=whole, after=[point])
        api.ok("clFinalizeCommandBufferKHR", r.target)
        r.again()
        swapped, _, error = remap(r.target, part, whole)
        assert error == "CL_SUCCESS"
        api.ok("clFinish", whole)
        Recorder(api, swapped).again()
        found = create_string_buffer(64)
        api.ok("clFinish", part)
        api.ok("clEnqueueReadBuffer", whole, mem, 1, 0, 64, found, 0, None, None)
        assert ints(found.raw) == [12] * 16
        assert api.error("clEnqueueCommandBufferKHR", 2, handles(part, whole), r.target, 0, None, None) \
            == "CL_INVALID_DEVICE"
        assert api.number("clGetDeviceInfo", api.number("clGetCommandQueueInfo", part, E.QUEUE_DEVICE),
                          E.DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR) == device
        api.ok("clReleaseMemObject", mem)


class TestErrors:
    def test_all(self, api, record, queue, queues, context, other_context, set_args, buffer, remap):
        r, handle = record(), c_void_p()
        assert r.error("NDRangeKernel", set_args(ADD, buffer(64), 2), 1, None, sizes(16), None,
                       handle=byref(handle)) == "CL_SUCCESS"
        for bad in (None, queue):
            assert remap(bad, queue)[2] == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert remap(r.target)[2] == "CL_INVALID_VALUE"
        assert remap(r.target, queue, queue)[2] == "CL_INVALID_VALUE"
        assert remap(r.target, queue, commands=[queue])[2] == "CL_INVALID_VALUE"
        assert remap(record().target, queue, commands=[handle.value])[2] == "CL_INVALID_VALUE"
        assert remap(r.target, context)[2] == "CL_INVALID_COMMAND_QUEUE"
        assert remap(r.target, queues(within=other_context))[2] == "CL_INVALID_CONTEXT"

        def raw(*args):
            error = c_int32(99)
            assert api.clRemapCommandBufferKHR(r.target, 0, *args, byref(error)) is None
            return NAMES[error.value]
        one, commands, room = handles(queue), handles(handle.value), handles(7)
        assert raw(1, None, 0, None, None) == "CL_INVALID_VALUE"
        for bad in ((1, None, room), (1, commands, None), (0, commands, None), (0, None, room)):
            assert raw(1, one, *bad) == "CL_INVALID_VALUE"
        assert room[0] == 7
