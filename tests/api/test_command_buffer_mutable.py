# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer_mutable_dispatch: changing recorded launches between enqueues."""
import ctypes
import struct
import threading
from ctypes import byref, c_uint32, c_uint64, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, numbers, sizes
from recording import ADD, MUTABLE, OUT_OF_ORDER, Arg, Config, Recorder, config, ints, update

pytestmark = pytest.mark.usefixtures("no_leak")

BOTH = (E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_MUTABLE_KHR | E.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)
FIELDS = E.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR
WHERE = """kernel void k(global int *p) { int i = get_global_id(0) - get_global_offset(0);
    p[3 * i] = get_global_id(0); p[3 * i + 1] = get_local_size(0); p[3 * i + 2] = get_global_size(0); }"""


def pointer(mem):
    return struct.pack("=Q", mem)


def number(value):
    return struct.pack("=i", value)


@pytest.fixture
def launch(record, set_args, buffer):
    """new(kernel, size, ...) -> (recorder, handle): a mutable command buffer with one launch in it, final."""
    def new(kernel, size=16, local=None, offset=None, fields=None, flags=MUTABLE, properties=None):
        r, handle = record(properties=flags), c_void_p()
        if fields is not None:
            properties = numbers(c_uint64, FIELDS, fields, 0)
        assert r.error("NDRangeKernel", kernel, 1, sizes(offset) if offset else None, sizes(size),
                       sizes(local) if local else None, handle=byref(handle), properties=properties) == "CL_SUCCESS"
        r.api.ok("clFinalizeCommandBufferKHR", r.target)
        return r, handle.value
    return new


class TestUpdates:
    def test_value_argument(self, api, launch, set_args, buffer, contents):
        mem = buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, mem, 1))
        r.again()
        assert update(api, r.target, config(handle, [(1, number(10))])) == "CL_SUCCESS"
        r.again()
        r.again()
        assert ints(contents(mem, 64)) == [21] * 16

    def test_buffer_argument(self, api, launch, set_args, buffer, contents):
        a, b = buffer(contents=bytes(64)), buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, a, 1))
        r.again()
        assert update(api, r.target, config(handle, [(0, pointer(b))])) == "CL_SUCCESS"
        r.again()
        assert ints(contents(a, 64)) == ints(contents(b, 64)) == [1] * 16

    def test_what_was_enqueued_keeps_its_arguments(self, api, launch, set_args, buffer, contents, user_event):
        """"updating the behavior of those commands in future enqueues": each waiting enqueue has its own."""
        mem, gate = buffer(contents=bytes(64)), user_event()
        r, handle = launch(set_args(ADD, mem, 1), flags=BOTH)
        r.again(wait=[gate])
        for value in (10, 100, 1000):
            assert update(api, r.target, config(handle, [(1, number(value))])) == "CL_SUCCESS"
            r.again()
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        assert ints(contents(mem, 64)) == [1111] * 16

    def test_simultaneous_with_updates(self, api, record, set_args, buffer, contents, queues, user_event):
        q, gate, mem = queues(OUT_OF_ORDER), user_event(), buffer(contents=bytes(4))
        r, handle = record(q, properties=BOTH), c_void_p()
        k = set_args("kernel void k(global int *p, int n) { atomic_add(p, n); }", mem, 0)
        assert r.error("NDRangeKernel", k, 1, None, sizes(8), None, handle=byref(handle)) == "CL_SUCCESS"
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for value in range(100):
            assert update(api, r.target, config(handle.value, [(1, number(value))])) == "CL_SUCCESS"
            r.again(wait=[gate])
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clFinish", q)
        assert ints(contents(mem, 4)) == [8 * sum(range(100))]

    def test_kernel_is_not_changed(self, api, launch, set_args, buffer, contents, queue):
        mem = buffer(contents=bytes(64))
        k = set_args(ADD, mem, 1)
        r, handle = launch(k)
        assert update(api, r.target, config(handle, [(1, number(10))])) == "CL_SUCCESS"
        api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(16), None, 0, None, None)
        assert ints(contents(mem, 64)) == [1] * 16

    def test_local_argument(self, api, launch, kernel, buffer, contents):
        mem = buffer(contents=bytes(4))
        k = kernel("""kernel void k(global int *p, local int *l, local int *m) {
            l[0] = 1; m[0] = 2; *p = (int)((local char *)m - (local char *)l); }""")
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        api.ok("clSetKernelArg", k, 1, 64, None)
        api.ok("clSetKernelArg", k, 2, 64, None)
        r, handle = launch(k, 1)
        grown = config(handle, [(1, None)])
        Arg.from_address(grown.args).size = 256
        assert update(api, r.target, grown) == "CL_SUCCESS"
        r.again()
        assert ints(contents(mem, 4)) == [256]

    def test_svm_argument(self, api, context, launch, set_args, buffer, queue):
        k = set_args(ADD, buffer(64), 7)
        r, handle = launch(k)
        memory = api.clSVMAlloc(context, 0, 64, 0)
        ctypes.memset(memory, 0, 64)
        assert update(api, r.target, config(handle, svm=[(0, memory)])) == "CL_SUCCESS"
        r.again()
        api.ok("clFinish", queue)
        assert ints(ctypes.string_at(memory, 64)) == [7] * 16
        api.clSVMFree(context, memory)

    def test_shape(self, api, launch, kernel, buffer, contents):
        mem = buffer(contents=bytes(3 * 4 * 64))
        k = kernel(WHERE)
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        r, handle = launch(k, 16, 8)
        assert update(api, r.target, config(handle, size=(64,), offset=(5,), local=(4,), dim=1)) == "CL_SUCCESS"
        r.again()
        assert ints(contents(mem, 3 * 4 * 64)) == [v for i in range(64) for v in (5 + i, 4, 64)]

    def test_empty_and_back(self, api, launch, set_args, buffer, contents):
        mem = buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, mem, 1))
        assert update(api, r.target, config(handle, size=(0,))) == "CL_SUCCESS"
        r.again()
        assert update(api, r.target, config(handle, size=(8,))) == "CL_SUCCESS"
        r.again()
        assert ints(contents(mem, 64)) == [1] * 8 + [0] * 8

    def test_several_at_once_and_the_last_one_wins(self, api, record, set_args, buffer, contents):
        mem, r, a, b = buffer(contents=bytes(64)), record(properties=MUTABLE), c_void_p(), c_void_p()
        k = set_args(ADD, mem, 1)
        for handle in (a, b):
            assert r.error("NDRangeKernel", k, 1, None, sizes(16), None, handle=byref(handle)) == "CL_SUCCESS"
        api.ok("clFinalizeCommandBufferKHR", r.target)
        assert update(api, r.target, config(a.value, [(1, number(10))]), config(b.value, [(1, number(100))]),
                      config(a.value, [(1, number(20))], size=(8,))) == "CL_SUCCESS"
        r.again()
        assert ints(contents(mem, 64)) == [120] * 8 + [100] * 8

    def test_nothing(self, api, launch, set_args, buffer, contents):
        mem = buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, mem, 1))
        assert update(api, r.target) == "CL_SUCCESS"
        assert update(api, r.target, config(handle)) == "CL_SUCCESS"
        r.again()
        assert ints(contents(mem, 64)) == [1] * 16

    def test_exec_info(self, api, launch, set_args, buffer):
        r, handle = launch(set_args(ADD, buffer(64), 1))
        info = E.KERNEL_EXEC_INFO_SVM_PTRS
        assert update(api, r.target, config(handle, infos=[(info, bytes(8))])) == "CL_SUCCESS"
        assert update(api, r.target, config(handle, infos=[(4711, bytes(8))])) == "CL_INVALID_VALUE"

    def test_replaced_objects_may_go(self, api, context, launch, set_args, buffer, contents):
        old = api.make("clCreateBuffer", context, 0, 64, None)
        new = buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, old, 1))
        assert update(api, r.target, config(handle, [(0, pointer(new))])) == "CL_SUCCESS"
        api.ok("clReleaseMemObject", old)
        assert api.error("clRetainMemObject", old) == "CL_INVALID_MEM_OBJECT"
        r.again()
        assert ints(contents(new, 64)) == [1] * 16


class TestDeferredArguments:
    def state(self, api, r):
        return api.number("clGetCommandBufferInfoKHR", r.target, E.COMMAND_BUFFER_STATE_KHR)

    def test_set_after_recording(self, api, launch, kernel, buffer, contents):
        mem = buffer(contents=bytes(64))
        r, handle = launch(kernel(ADD), fields=E.MUTABLE_DISPATCH_ARGUMENTS_KHR)
        assert self.state(api, r) == E.COMMAND_BUFFER_STATE_FINALIZED_KHR
        assert api.error("clEnqueueCommandBufferKHR", 0, None, r.target, 0, None, None) == "CL_INVALID_OPERATION"
        assert update(api, r.target, config(handle, [(0, pointer(mem))])) == "CL_SUCCESS"
        assert self.state(api, r) == E.COMMAND_BUFFER_STATE_FINALIZED_KHR
        assert update(api, r.target, config(handle, [(1, number(3))])) == "CL_SUCCESS"
        assert self.state(api, r) == E.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
        r.again()
        assert ints(contents(mem, 64)) == [3] * 16

    def test_only_where_they_can_be_set(self, record, kernel):
        some = numbers(c_uint64, FIELDS, E.MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0)
        args = numbers(c_uint64, FIELDS, E.MUTABLE_DISPATCH_ARGUMENTS_KHR, 0)
        launch = (kernel(ADD), 1, None, sizes(4), None)
        assert record(properties=MUTABLE).error("NDRangeKernel", *launch) == "CL_INVALID_KERNEL_ARGS"
        assert record(properties=MUTABLE).error("NDRangeKernel", *launch, properties=some) == "CL_INVALID_KERNEL_ARGS"
        assert record().error("NDRangeKernel", *launch, properties=args) == "CL_INVALID_KERNEL_ARGS"


class TestQueries:
    def info(self, api, handle, name):
        return api.info("clGetMutableCommandInfoKHR", handle, getattr(E, name))

    def test_all(self, api, record, queue, set_args, buffer):
        k, r, handle = set_args(ADD, buffer(64), 1), record(properties=MUTABLE), c_void_p()
        properties = numbers(c_uint64, FIELDS, 31, 0)
        assert r.error("NDRangeKernel", k, 2, sizes(1, 2), sizes(4, 2), None, properties=properties,
                       handle=byref(handle)) == "CL_SUCCESS"
        handle = handle.value
        assert self.info(api, handle, "MUTABLE_COMMAND_COMMAND_QUEUE_KHR") == pointer(queue)
        assert self.info(api, handle, "MUTABLE_COMMAND_COMMAND_BUFFER_KHR") == pointer(r.target)
        assert self.info(api, handle, "MUTABLE_COMMAND_COMMAND_TYPE_KHR") == number(E.COMMAND_NDRANGE_KERNEL)
        assert self.info(api, handle, "MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR") == bytes(properties)
        assert self.info(api, handle, "MUTABLE_DISPATCH_KERNEL_KHR") == pointer(k)
        assert self.info(api, handle, "MUTABLE_DISPATCH_DIMENSIONS_KHR") == number(2)
        assert self.info(api, handle, "MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR") == struct.pack("=2Q", 1, 2)
        assert self.info(api, handle, "MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR") == struct.pack("=2Q", 4, 2)
        # "If a local work-item size was not set, zero is returned for each element"
        assert self.info(api, handle, "MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR") == bytes(16)

    def test_after_an_update(self, api, launch, set_args, buffer):
        r, handle = launch(set_args(ADD, buffer(64), 1), 16, 8)
        assert self.info(api, handle, "MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR") == b""
        assert self.info(api, handle, "MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR") == struct.pack("=Q", 8)
        assert update(api, r.target, config(handle, size=(8,), local=(4,), offset=(3,))) == "CL_SUCCESS"
        for name, value in (("OFFSET", 3), ("SIZE", 8)):
            assert self.info(api, handle, f"MUTABLE_DISPATCH_GLOBAL_WORK_{name}_KHR") == struct.pack("=Q", value)
        assert self.info(api, handle, "MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR") == struct.pack("=Q", 4)

    def test_errors(self, api, queue, launch, set_args, buffer):
        _, handle = launch(set_args(ADD, buffer(64), 1))
        room, call = create_string_buffer(8), "clGetMutableCommandInfoKHR"
        for bad in (None, queue):
            assert api.error(call, bad, E.MUTABLE_DISPATCH_KERNEL_KHR, 8, room, None) \
                == "CL_INVALID_MUTABLE_COMMAND_KHR"
        assert api.error(call, handle, 4711, 8, room, None) == "CL_INVALID_VALUE"
        assert api.error(call, handle, E.MUTABLE_DISPATCH_KERNEL_KHR, 7, room, None) == "CL_INVALID_VALUE"

    def test_handle_goes_with_the_buffer(self, api, queue, set_args, buffer):
        target, handle = api.make("clCreateCommandBufferKHR", 1, handles(queue), None), c_void_p()
        r = Recorder(api, target)
        assert r.error("NDRangeKernel", set_args(ADD, buffer(64), 1), 1, None, sizes(4), None,
                       handle=byref(handle)) == "CL_SUCCESS"
        api.ok("clReleaseCommandBufferKHR", target)
        assert api.error("clGetMutableCommandInfoKHR", handle, E.MUTABLE_DISPATCH_KERNEL_KHR, 0, None, None) \
            == "CL_INVALID_MUTABLE_COMMAND_KHR"


class TestErrors:
    def test_command_buffer(self, api, queue, record, launch, set_args, buffer):
        k = set_args(ADD, buffer(64), 1)
        for bad in (None, queue):
            assert update(api, bad) == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert update(api, record(properties=MUTABLE).target) == "CL_INVALID_OPERATION"      # still recording
        r, handle = launch(k, flags=None)
        assert update(api, r.target, config(handle, [(1, number(1))])) == "CL_INVALID_OPERATION"

    def test_lists(self, api, launch, set_args, buffer):
        r, handle = launch(set_args(ADD, buffer(64), 1))
        call, one, kinds = "clUpdateMutableCommandsKHR", config(handle), numbers(c_uint32, 0)
        configs = handles(ctypes.addressof(one))
        for bad in ((1, None, configs), (0, kinds, None), (1, kinds, None), (0, None, configs)):
            assert api.error(call, r.target, *bad) == "CL_INVALID_VALUE"
        assert update(api, r.target, one, kind=1) == "CL_INVALID_VALUE"
        assert update(api, r.target, None) == "CL_INVALID_VALUE"

    def test_command(self, api, launch, set_args, buffer, queue):
        r, handle = launch(set_args(ADD, buffer(64), 1))
        _, foreign = launch(set_args(ADD, buffer(64), 1))
        for bad in (None, queue, foreign, handle + 8):
            assert update(api, r.target, config(bad)) == "CL_INVALID_MUTABLE_COMMAND_KHR"

    @pytest.mark.parametrize(("field", "change"), [
        ("GLOBAL_OFFSET", {"offset": (1,)}), ("GLOBAL_SIZE", {"size": (8,)}), ("LOCAL_SIZE", {"local": (4,)}),
        ("ARGUMENTS", {"args": [(1, number(1))]}), ("ARGUMENTS", {"svm": [(0, None)]}),
        ("EXEC_INFO", {"infos": [(E.KERNEL_EXEC_INFO_SVM_PTRS, bytes(8))]})])
    def test_fields(self, api, launch, set_args, buffer, field, change):
        bit = getattr(E, f"MUTABLE_DISPATCH_{field}_KHR")
        k = set_args(ADD, buffer(64), 1)
        for fields, expected in ((31 & ~bit, "CL_INVALID_OPERATION"), (bit, "CL_SUCCESS"), (None, "CL_SUCCESS")):
            r, handle = launch(k, fields=fields)
            assert update(api, r.target, config(handle, **change)) == expected

    def test_config(self, api, launch, set_args, buffer):
        r, handle = launch(set_args(ADD, buffer(64), 1), 16, 8)
        assert update(api, r.target, config(handle, dim=2)) == "CL_INVALID_OPERATION"
        for name in ("n_args", "n_svm", "n_infos"):
            assert update(api, r.target, config(handle, **{name: 1})) == "CL_INVALID_VALUE"
        for name in ("args", "svm", "infos"):
            assert update(api, r.target, self.list_without_number(handle, name)) == "CL_INVALID_VALUE"

    def list_without_number(self, handle, name):
        made = Config(command=handle)
        made.keep = Arg()
        setattr(made, name, ctypes.addressof(made.keep))
        return made

    def test_uniformity(self, api, launch, set_args, buffer):
        mem = buffer(64)
        r, handle = launch(set_args(ADD, mem, 1), 16, 8)     # groups of one size are a must
        assert update(api, r.target, config(handle, size=(12,))) == "CL_INVALID_WORK_GROUP_SIZE"
        r, handle = launch(set_args(ADD, mem, 1, options="-cl-std=CL3.0"), 16, 8)
        assert update(api, r.target, config(handle, size=(12,))) == "CL_INVALID_OPERATION"
        assert update(api, r.target, config(handle, local=(5,))) == "CL_INVALID_OPERATION"
        assert update(api, r.target, config(handle, size=(12,), local=(4,))) == "CL_SUCCESS"

    def test_arguments_and_shape(self, api, launch, set_args, buffer, queue):
        r, handle = launch(set_args(ADD, buffer(64), 1))
        for args, expected in (([(2, number(1))], "CL_INVALID_ARG_INDEX"), ([(1, b"x")], "CL_INVALID_ARG_SIZE"),
                               ([(0, pointer(queue))], "CL_INVALID_MEM_OBJECT")):
            assert update(api, r.target, config(handle, args)) == expected
        assert update(api, r.target, config(handle, svm=[(1, None)])) == "CL_INVALID_ARG_VALUE"
        assert update(api, r.target, config(handle, local=(0,))) == "CL_INVALID_WORK_GROUP_SIZE"

    def test_all_or_nothing(self, api, launch, set_args, buffer, contents):
        mem = buffer(contents=bytes(64))
        r, handle = launch(set_args(ADD, mem, 1))
        assert update(api, r.target, config(handle, [(1, number(10))]), config(handle, [(9, number(1))])) \
            == "CL_INVALID_ARG_INDEX"
        r.again()
        assert ints(contents(mem, 64)) == [1] * 16

    def test_properties(self, record, set_args, buffer):
        r, launch = record(properties=MUTABLE), (set_args(ADD, buffer(64), 1), 1, None, sizes(4))
        asserts = E.MUTABLE_DISPATCH_ASSERTS_KHR
        for bad in ((FIELDS, 32), (FIELDS, 1 << 60), (asserts, 2), (FIELDS, 1, FIELDS, 1)):
            assert r.error("NDRangeKernel", *launch, None, properties=numbers(c_uint64, *bad, 0)) == "CL_INVALID_VALUE"
        promise = numbers(c_uint64, asserts, E.MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0)
        assert r.error("NDRangeKernel", *launch, None, properties=promise) == "CL_INVALID_VALUE"
        assert r.error("NDRangeKernel", *launch, sizes(4), properties=promise) == "CL_SUCCESS"
        whole = record(properties=(E.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 1))
        assert whole.error("NDRangeKernel", *launch, None) == "CL_INVALID_VALUE"
        assert whole.error("NDRangeKernel", *launch, sizes(4)) == "CL_SUCCESS"


class TestThreads:
    def test_one_buffer_many_threads(self, api, record, buffer, contents, set_args, queues):
        """Enqueued by several threads at once, on queues of their own, while another one changes it."""
        mem = buffer(contents=bytes(8))
        k = set_args("kernel void k(global int *p, int n) { atomic_inc(&p[0]); atomic_add(&p[1], n); }", mem, 1)
        r, handle = record(properties=(E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_MUTABLE_KHR
                                       | E.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)), c_void_p()
        for last in (False, False, True):
            assert r.error("NDRangeKernel", k, 1, None, sizes(4), None,
                           handle=byref(handle) if last else None) == "CL_SUCCESS"
        api.ok("clFinalizeCommandBufferKHR", r.target)
        on, failed = [queues(OUT_OF_ORDER if i % 2 else 0) for i in range(4)], []

        def enqueue(q):
            for _ in range(200):
                failed.extend(error for error in (api.error("clEnqueueCommandBufferKHR", 1, handles(q), r.target, 0,
                                                            None, None),) if error != "CL_SUCCESS")
            api.ok("clFinish", q)

        def change():
            for _ in range(100):
                error = update(api, r.target, config(handle.value, [(1, struct.pack("=i", 1))]))
                failed.extend([error] if error != "CL_SUCCESS" else [])

        threads = [threading.Thread(target=enqueue, args=(q,)) for q in on] + [threading.Thread(target=change)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert failed == []
        assert ints(contents(mem, 8)) == [4 * 200 * 3 * 4] * 2
