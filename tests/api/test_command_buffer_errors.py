# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer: the errors, in the order of the specification."""
from ctypes import byref, c_uint32, c_uint64, c_void_p

import pytest
from clapi import E, handles, numbers, sizes
from recording import ADD, Recorder

pytestmark = pytest.mark.usefixtures("no_leak")


class TestCreateErrors:
    def create(self, api, n, queues, *properties):
        made = api.new("clCreateCommandBufferKHR", n, queues, numbers(c_uint64, *properties) if properties else None)
        return made[1] if made[0] is None else api.ok("clReleaseCommandBufferKHR", made[0]) or made[1]

    def test_queues(self, api, queue, context, other_context, queues):
        foreign = queues(within=other_context)
        assert self.create(api, 1, handles(None)) == "CL_INVALID_COMMAND_QUEUE"
        assert self.create(api, 2, handles(queue, context)) == "CL_INVALID_COMMAND_QUEUE"
        assert self.create(api, 2, handles(queue, foreign)) == "CL_INVALID_CONTEXT"
        assert self.create(api, 0, handles(queue)) == "CL_INVALID_VALUE"
        assert self.create(api, 1, None) == "CL_INVALID_VALUE"

    def test_properties(self, api, queue):
        flags, asserts = E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR
        for bad in ((flags, 8, 0), (flags, 1 << 40, 0), (asserts, 2, 0), (flags, 0, flags, 0, 0), (4711, 0, 0)):
            assert self.create(api, 1, handles(queue), *bad) == "CL_INVALID_VALUE"
        assert self.create(api, 1, handles(queue), flags, 7, asserts, 1, 0) == "CL_SUCCESS"
        assert self.create(api, 1, handles(queue), 0) == "CL_SUCCESS"

    def test_retain_release(self, api, queue):
        for bad in (None, queue):
            assert api.error("clRetainCommandBufferKHR", bad) == "CL_INVALID_COMMAND_BUFFER_KHR"
            assert api.error("clReleaseCommandBufferKHR", bad) == "CL_INVALID_COMMAND_BUFFER_KHR"
            assert api.error("clFinalizeCommandBufferKHR", bad) == "CL_INVALID_COMMAND_BUFFER_KHR"


class TestRecordErrors:
    def test_objects(self, api, record, buffer, queue, queues):
        r, mem = record(), buffer(64)
        fill = (mem, b"done", 4, 0, 64)
        assert Recorder(api, None).error("FillBuffer", *fill) == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert Recorder(api, queue).error("FillBuffer", *fill) == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert r.error("FillBuffer", *fill, queue=mem) == "CL_INVALID_COMMAND_QUEUE"
        assert r.error("FillBuffer", *fill, queue=queues()) == "CL_INVALID_COMMAND_QUEUE"
        assert r.error("FillBuffer", *fill, queue=queue) == "CL_SUCCESS"    # the one it was made with

    @pytest.mark.parametrize("command", ["FillBuffer", "CopyBuffer", "CopyBufferRect", "BarrierWithWaitList",
                                         "SVMMemcpy", "SVMMemFill", "NDRangeKernel"])
    def test_shared(self, api, context, record, buffer, set_args, command):
        """Properties, handles, sync points, and the state: of each command."""
        r, a, b = record(), buffer(64), buffer(64)
        svm = api.clSVMAlloc(context, 0, 64, 0)
        args = {"FillBuffer": (a, b"done", 4, 0, 64), "CopyBuffer": (a, b, 0, 0, 64), "BarrierWithWaitList": (),
                "CopyBufferRect": (a, b, sizes(0, 0, 0), sizes(0, 0, 0), sizes(4, 4, 1), 0, 0, 0, 0),
                "SVMMemcpy": (svm + 32, svm, 32), "SVMMemFill": (svm, b"done", 4, 64),
                "NDRangeKernel": (set_args(ADD, a, 1), 1, None, sizes(16), None)}[command]
        assert r.error(command, *args, properties=numbers(c_uint64, 4711, 1, 0)) == "CL_INVALID_VALUE"
        assert r.error(command, *args, properties=numbers(c_uint64, 0)) == "CL_SUCCESS"     # not named: no sync point
        if command != "NDRangeKernel":
            assert r.error(command, *args, handle=byref(c_void_p())) == "CL_INVALID_VALUE"
        bad = "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR"
        for after in ([0], [1], [2], [0xFFFFFFFF]):
            assert r.error(command, *args, after=after) == bad
        call = f"clCommand{command}KHR"
        assert api.error(call, r.target, None, None, *args, 1, None, None, None) == bad
        assert api.error(call, r.target, None, None, *args, 0, numbers(c_uint32, 1), None, None) == bad
        point = r(command, *args)
        assert r(command, *args, after=[point, point]) == point + 1
        r.run()
        assert r.error(command, *args) == "CL_INVALID_OPERATION"
        api.clFinish(api.number("clGetCommandBufferInfoKHR", r.target, E.COMMAND_BUFFER_QUEUES_KHR))
        api.clSVMFree(context, svm)

    def test_memory(self, api, record, buffer, other_context):
        r, a, foreign = record(), buffer(64), buffer(64, within=other_context)
        assert r.error("CopyBuffer", None, a, 0, 0, 4) == "CL_INVALID_MEM_OBJECT"
        assert r.error("CopyBuffer", a, foreign, 0, 0, 4) == "CL_INVALID_CONTEXT"
        assert r.error("CopyBuffer", a, a, 61, 0, 4) == "CL_INVALID_VALUE"
        assert r.error("CopyBuffer", a, a, 0, 2, 4) == "CL_MEM_COPY_OVERLAP"
        assert r.error("FillBuffer", a, b"abc", 3, 0, 3) == "CL_INVALID_VALUE"
        assert r.error("FillBuffer", foreign, b"done", 4, 0, 4) == "CL_INVALID_CONTEXT"

    def test_kernels(self, api, record, buffer, kernel, set_args, other_context):
        r, a = record(), buffer(64)
        k = set_args(ADD, a, 1)
        assert r.error("NDRangeKernel", None, 1, None, sizes(4), None) == "CL_INVALID_KERNEL"
        assert r.error("NDRangeKernel", kernel(ADD), 1, None, sizes(4), None) == "CL_INVALID_KERNEL_ARGS"
        assert r.error("NDRangeKernel", kernel(ADD, within=other_context), 1, None, sizes(4), None) \
            == "CL_INVALID_CONTEXT"
        assert r.error("NDRangeKernel", k, 4, None, sizes(4, 4, 4, 4), None) == "CL_INVALID_WORK_DIMENSION"
        assert r.error("NDRangeKernel", k, 1, None, sizes(4), sizes(0)) == "CL_INVALID_WORK_GROUP_SIZE"

    def test_finalize_twice(self, api, record):
        r = record()
        api.ok("clFinalizeCommandBufferKHR", r.target)
        assert api.error("clFinalizeCommandBufferKHR", r.target) == "CL_INVALID_OPERATION"


class TestEnqueueErrors:
    def enqueue(self, api, target, n=0, queues=None, n_wait=0, wait=None):
        return api.error("clEnqueueCommandBufferKHR", n, queues, target, n_wait, wait, None)

    def test_all(self, api, record, queue, queues, context, other_context, user_event):
        r = record()
        for bad in (None, queue):
            assert self.enqueue(api, bad) == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert self.enqueue(api, r.target) == "CL_INVALID_OPERATION"
        api.ok("clFinalizeCommandBufferKHR", r.target)
        assert self.enqueue(api, r.target, 1, None) == "CL_INVALID_VALUE"
        assert self.enqueue(api, r.target, 0, handles(queue)) == "CL_INVALID_VALUE"
        assert self.enqueue(api, r.target, 2, handles(queue, queue)) == "CL_INVALID_VALUE"
        assert self.enqueue(api, r.target, 1, handles(context)) == "CL_INVALID_COMMAND_QUEUE"
        assert self.enqueue(api, r.target, 1, handles(queues(within=other_context))) == "CL_INVALID_CONTEXT"
        assert self.enqueue(api, r.target, 0, None, 1, None) == "CL_INVALID_EVENT_WAIT_LIST"
        assert self.enqueue(api, r.target, 0, None, 1, handles(queue)) == "CL_INVALID_EVENT_WAIT_LIST"
        foreign = user_event(within=other_context)
        assert self.enqueue(api, r.target, 0, None, 1, handles(foreign)) == "CL_INVALID_CONTEXT"
        assert self.enqueue(api, r.target) == "CL_SUCCESS"
