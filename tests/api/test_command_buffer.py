# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer: recording, finalizing, enqueuing, and what can be asked."""
import struct
from ctypes import byref, c_uint32, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes
from recording import ADD, OUT_OF_ORDER, SCALE, Recorder, ints

pytestmark = pytest.mark.usefixtures("no_leak")


class TestCommands:
    """Each command that can be recorded does what its enqueue would, each time the buffer is enqueued."""

    def test_copy_buffer(self, record, buffer, contents):
        a, b, r = buffer(contents=bytes(range(64))), buffer(64), record()
        r("CopyBuffer", a, b, 8, 16, 32)
        r.run()
        assert contents(b, 32, 16) == bytes(range(8, 40))

    def test_copy_buffer_rect(self, record, buffer, contents):
        a, b, r = buffer(contents=bytes(range(64))), buffer(contents=bytes(64)), record()
        r("CopyBufferRect", a, b, sizes(2, 1, 0), sizes(0, 0, 0), sizes(3, 2, 1), 8, 0, 16, 0)
        r.run()
        assert contents(b, 3) == bytes([10, 11, 12])
        assert contents(b, 3, 16) == bytes([18, 19, 20])

    def test_fill_buffer(self, record, buffer, contents):
        mem, pattern, r = buffer(contents=bytes(64)), create_string_buffer(b"abcd", 4), record()
        r("FillBuffer", mem, pattern, 4, 4, 16)
        pattern.raw = b"zzzz"    # "can be reused or freed after the function returns"
        r.run()
        assert contents(mem, 64) == bytes(4) + b"abcd" * 4 + bytes(44)

    def test_large_copy_and_fill(self, record, buffer, contents):
        """In parts, by several threads."""
        size = 8 << 20
        a, b, r = buffer(size), buffer(size), record()
        r("FillBuffer", a, b"clpy", 4, 0, size)
        r("CopyBuffer", a, b, 0, 0, size)
        r.run()
        assert contents(b, size) == b"clpy" * (size // 4)

    def test_ndrange(self, api, record, buffer, contents, set_args):
        mem, r = buffer(contents=bytes(256)), record()
        k = set_args(ADD, mem, 5)
        r("NDRangeKernel", k, 1, None, sizes(64), None)
        # "Any changes to kernel after calling clCommandNDRangeKernelKHR [...] have no effect on the recorded command"
        api.ok("clSetKernelArg", k, 1, 4, struct.pack("=i", 100))
        r.run()
        r.again()
        assert ints(contents(mem, 256)) == [10] * 64

    def test_ndrange_local_memory(self, api, record, buffer, contents, kernel, queue):
        source = """kernel void k(global int *p, local int *l) { int i = get_local_id(0); l[i] = p[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] = l[get_local_size(0) - 1 - i]; }"""
        mem, k, r = buffer(contents=struct.pack("=64i", *range(64))), kernel(source), record()
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        api.ok("clSetKernelArg", k, 1, 64, None)
        r("NDRangeKernel", k, 1, None, sizes(64), sizes(16))
        r.run()
        assert ints(contents(mem, 256)) == [g * 16 + 15 - i for g in range(4) for i in range(16)]

    def test_ndrange_many_arguments(self, api, record, buffer, contents, kernel):
        """More than fit into the command: a block of its own."""
        names = [f"n{i}" for i in range(60)]
        source = (f"kernel void k(global long *p, {', '.join('long ' + n for n in names)}) "
                  f"{{ p[get_global_id(0)] += {' + '.join(names)}; }}")
        mem, k, r = buffer(contents=bytes(64)), kernel(source), record()
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        for i in range(60):
            api.ok("clSetKernelArg", k, i + 1, 8, struct.pack("=q", i << 20))
        r("NDRangeKernel", k, 1, None, sizes(8), None)
        r.run()
        r.again()
        assert struct.unpack("=8q", contents(mem, 64)) == (2 * sum(i << 20 for i in range(60)),) * 8

    def test_ndrange_empty(self, record, buffer, contents, set_args):
        mem, r = buffer(contents=bytes(8)), record()
        r("NDRangeKernel", set_args(ADD, mem, 5), 1, None, sizes(0), None)
        r.run()
        assert contents(mem, 8) == bytes(8)

    def test_svm(self, api, context, queue, record):
        pointer, r = api.clSVMAlloc(context, 0, 128, 0), record()
        view = (c_uint32 * 32).from_address(pointer)
        r("SVMMemFill", pointer, struct.pack("=I", 7), 4, 64)
        r("SVMMemcpy", pointer + 64, pointer, 64)
        r.run()
        api.ok("clFinish", queue)
        assert list(view) == [7] * 32
        api.clSVMFree(context, pointer)

    def test_empty_command_buffer(self, api, record, queue):
        r, event = record(), c_void_p()
        r.run(event=byref(event))
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)

    def test_barriers_only(self, api, record, queue):
        r = record()
        for _ in range(3):
            r("BarrierWithWaitList")
        r.run()
        api.ok("clFinish", queue)


class TestOrder:
    N = 1 << 12

    def chain(self, r, buffer, set_args, link):
        """fill 1; then +1 and *3 in turn, each linked to the one before by `link`."""
        mem = buffer(4 * self.N)
        add, scale, value = set_args(ADD, mem, 1), set_args(SCALE, mem, 3), 1
        point = r("FillBuffer", mem, struct.pack("=i", 1), 4, 0, 4 * self.N)
        for i in range(16):
            point = link(point, "NDRangeKernel", scale if i % 2 else add, 1, None, sizes(self.N), None)
            value = value * 3 if i % 2 else value + 1
        return mem, value

    def test_in_order_queue(self, record, buffer, contents, set_args):
        r = record()
        mem, value = self.chain(r, buffer, set_args, lambda point, *args: r(*args))
        r.run()
        assert ints(contents(mem, 4 * self.N)) == [value] * self.N

    def test_sync_points(self, api, record, buffer, contents, set_args, queues):
        q = queues(OUT_OF_ORDER)
        r = record(q)
        mem, value = self.chain(r, buffer, set_args, lambda point, *args: r(*args, after=[point]))
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for _ in range(5):
            r.again()
            api.ok("clFinish", q)
            assert ints(contents(mem, 4 * self.N)) == [value] * self.N

    def test_barriers(self, api, record, buffer, contents, set_args, queues):
        q = queues(OUT_OF_ORDER)
        r = record(q)

        def link(point, *args):
            r("BarrierWithWaitList")
            return r(*args)

        mem, value = self.chain(r, buffer, set_args, link)
        r.run()
        api.ok("clFinish", q)
        assert ints(contents(mem, 4 * self.N)) == [value] * self.N

    def test_barrier_with_list_holds_up_what_follows(self, api, record, buffer, contents, set_args, queues):
        q = queues(OUT_OF_ORDER)
        r, mem = record(q), buffer(4 * self.N)
        filled = r("FillBuffer", mem, struct.pack("=i", 1), 4, 0, 4 * self.N)
        r("BarrierWithWaitList", after=[filled])
        r("NDRangeKernel", set_args(ADD, mem, 1), 1, None, sizes(self.N), None)
        r("BarrierWithWaitList")
        r("NDRangeKernel", set_args(SCALE, mem, 5), 1, None, sizes(self.N), None)
        r.run()
        api.ok("clFinish", q)
        assert ints(contents(mem, 4 * self.N)) == [10] * self.N

    def test_a_long_chain(self, api, record, buffer, contents, set_args):
        """In a loop, not by recursion: and longer than one thread may run in one go."""
        r, mem, n = record(), buffer(contents=bytes(64)), 20000
        add = set_args(ADD, mem, 1)
        for _ in range(n):
            r("NDRangeKernel", add, 1, None, sizes(16), None)
        r.run()
        r.again()
        assert ints(contents(mem, 64)) == [2 * n] * 16

    def test_wide_graph(self, api, record, buffer, contents, set_args, queues):
        """One, then a hundred side by side, then one."""
        q = queues(OUT_OF_ORDER)
        r, mem, total = record(q), buffer(4000), buffer(contents=bytes(4))
        first = r("FillBuffer", mem, struct.pack("=i", 2), 4, 0, 4000)
        at = "kernel void k(global int *p, int i) { p[i] += i; }"
        points = [r("NDRangeKernel", set_args(at, mem, i), 1, None, sizes(1), None, after=[first])
                  for i in range(0, 1000, 10)]
        add = """kernel void k(global int *p, global int *t) { int s = 0; for (int i = 0; i < 1000; i++) s += p[i];
            *t = s; }"""
        r("NDRangeKernel", set_args(add, mem, total), 1, None, sizes(1), None, after=points)
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for _ in range(3):
            r.again()
            api.ok("clFinish", q)
            assert ints(contents(total, 4)) == [2000 + sum(range(0, 1000, 10))]


class TestEnqueue:
    def test_waits_for_events(self, api, record, buffer, contents, user_event, queue):
        mem, r, gate, event = buffer(contents=bytes(4)), record(), user_event(), c_void_p()
        r("FillBuffer", mem, b"done", 4, 0, 4)
        r.run(wait=[gate], event=byref(event))
        status = api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS)
        assert status in (E.QUEUED, E.SUBMITTED)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clWaitForEvents", 1, handles(event.value))
        assert contents(mem, 4) == b"done"
        api.ok("clReleaseEvent", event)

    def test_event(self, api, record, buffer, queue, context):
        r, event = record(), c_void_p()
        r("FillBuffer", buffer(4), b"done", 4, 0, 4)
        r.run(event=byref(event))
        api.ok("clWaitForEvents", 1, handles(event.value))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_COMMAND_BUFFER_KHR
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == queue
        assert api.number("clGetEventInfo", event, E.EVENT_CONTEXT) == context
        api.ok("clReleaseEvent", event)

    def test_an_error_before_it(self, api, record, buffer, contents, user_event, queue):
        mem, r, gate, event = buffer(contents=bytes(4)), record(), user_event(), c_void_p()
        r("FillBuffer", mem, b"done", 4, 0, 4)
        r.run(wait=[gate], event=byref(event))
        api.ok("clSetUserEventStatus", gate, -5)
        assert api.error("clWaitForEvents", 1, handles(event.value)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        api.ok("clReleaseEvent", event)
        assert contents(mem, 4) == bytes(4)
        r.again()
        assert contents(mem, 4) == b"done"

    def test_profiling(self, api, record, buffer, queues):
        q = queues(E.QUEUE_PROFILING_ENABLE)
        r, event = record(q), c_void_p()
        r("FillBuffer", buffer(1 << 20), b"done", 4, 0, 1 << 20)
        r.run(event=byref(event))
        api.ok("clWaitForEvents", 1, handles(event.value))
        times = [api.number("clGetEventProfilingInfo", event, getattr(E, f"PROFILING_COMMAND_{name}"))
                 for name in ("QUEUED", "SUBMIT", "START", "END", "COMPLETE")]
        assert times[0] and times == sorted(times)
        api.ok("clReleaseEvent", event)

    def test_simultaneous_use(self, api, record, buffer, contents, set_args, queues, queue, user_event):
        """Several at once on an out-of-order queue, held back together; each adds."""
        q = queues(OUT_OF_ORDER)
        r = record(q, properties=[E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR])
        mem, gate = buffer(contents=bytes(4)), user_event()
        source = "kernel void k(global int *p, int n) { atomic_add(p, n); }"
        k = set_args(source, mem, 1)
        for _ in range(10):
            r("NDRangeKernel", k, 1, None, sizes(10), None)
        r.run(wait=[gate])
        for _ in range(49):
            r.again(wait=[gate])
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clFinish", q)
        assert ints(contents(mem, 4)) == [50 * 100]

    def test_pipelined(self, api, record, buffer, contents, set_args, user_event):
        """In order, a hundred ahead of the device."""
        r, mem, gate = record(), buffer(contents=bytes(256)), user_event()
        r("NDRangeKernel", set_args(ADD, mem, 1), 1, None, sizes(64), None)
        r("NDRangeKernel", set_args(SCALE, mem, 2), 1, None, sizes(64), None)
        r.run(wait=[gate])
        for _ in range(27):
            r.again()
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        assert ints(contents(mem, 256)) == [(1 << 29) - 2] * 64

    def test_queue_substitution(self, api, record, buffer, queues, queue):
        r, mem, q = record(), buffer(contents=bytes(4)), queues(E.QUEUE_PROFILING_ENABLE | OUT_OF_ORDER)
        r("FillBuffer", mem, b"done", 4, 0, 4)
        api.ok("clFinalizeCommandBufferKHR", r.target)
        event, found = c_void_p(), create_string_buffer(4)
        r.again(queues=[q], event=byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == q
        api.ok("clEnqueueReadBuffer", q, mem, 1, 0, 4, found, 1, handles(event.value), None)
        assert found.raw == b"done"
        api.ok("clReleaseEvent", event)

    def test_released_while_it_runs(self, api, buffer, contents, queue, user_event):
        mem, gate = buffer(contents=bytes(4)), user_event()
        target = api.make("clCreateCommandBufferKHR", 1, handles(queue), None)
        r = Recorder(api, target)
        r("FillBuffer", mem, b"done", 4, 0, 4)
        r.run(wait=[gate])
        api.ok("clReleaseCommandBufferKHR", target)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        assert contents(mem, 4) == b"done"

    def test_attached_objects_are_kept(self, api, context, device, record, program, contents, buffer):
        """"A command-buffer object should increment the reference count of attached OpenCL objects"."""
        q = api.make("clCreateCommandQueue", context, device, 0)
        source = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 256, struct.pack("=64i", *range(64)))
        target = buffer(256)
        k = api.make("clCreateKernel", program(ADD), b"k")
        api.ok("clSetKernelArg", k, 0, 8, handles(target))
        api.ok("clSetKernelArg", k, 1, 4, struct.pack("=i", 1000))
        made = api.make("clCreateCommandBufferKHR", 1, handles(q), None)
        r = Recorder(api, made)
        r("CopyBuffer", source, target, 0, 0, 256)
        r("NDRangeKernel", k, 1, None, sizes(64), None)
        api.ok("clReleaseCommandQueue", q)
        api.ok("clReleaseMemObject", source)
        api.ok("clReleaseKernel", k)
        r.run()
        api.ok("clFinish", q)
        assert ints(contents(target, 256)) == [1000 + i for i in range(64)]
        api.ok("clReleaseCommandBufferKHR", made)


class TestSeveralQueues:
    def test_two_queues(self, api, record, buffer, contents, set_args, queues):
        a, b = queues(), queues()
        r, mem = record(a, b), buffer(1024)
        point = r("FillBuffer", mem, struct.pack("=i", 1), 4, 0, 1024, queue=a)
        point = r("NDRangeKernel", set_args(ADD, mem, 4), 1, None, sizes(256), None, queue=b, after=[point])
        r("NDRangeKernel", set_args(SCALE, mem, 3), 1, None, sizes(256), None, queue=a, after=[point])
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for q in (a, b):         # done when either of them is
            r.again()
            api.ok("clFinish", q)
            assert ints(contents(mem, 1024)) == [15] * 256

    def test_order_in_each_queue(self, api, record, buffer, contents, queues):
        a, b = queues(), queues()
        r, mem = record(a, b), buffer(1024)
        r("FillBuffer", mem, b"1", 1, 0, 512, queue=a)
        r("FillBuffer", mem, b"2", 1, 512, 512, queue=b)
        api.ok("clEnqueueFillBuffer", b, mem, b"x", 1, 0, 1024, 0, None, None)
        api.ok("clFinish", b)
        r.run()
        api.ok("clEnqueueFillBuffer", a, mem, b"3", 1, 0, 256, 0, None, None)
        api.ok("clEnqueueFillBuffer", b, mem, b"4", 1, 512, 256, 0, None, None)
        api.ok("clFinish", a)
        api.ok("clFinish", b)
        assert contents(mem, 1024) == b"3" * 256 + b"1" * 256 + b"4" * 256 + b"2" * 256

    def test_event_names_no_queue(self, api, record, buffer, queues):
        a, b, event = queues(), queues(), c_void_p()
        r = record(a, b)
        r("FillBuffer", buffer(4), b"done", 4, 0, 4, queue=a)
        r.run(event=byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_QUEUE) == 0
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)

    def test_the_queue_has_to_be_named(self, record, buffer, queues, queue):
        r, mem = record(queues(), queues()), buffer(4)
        assert r.error("FillBuffer", mem, b"done", 4, 0, 4) == "CL_INVALID_COMMAND_QUEUE"
        assert r.error("FillBuffer", mem, b"done", 4, 0, 4, queue=queue) == "CL_INVALID_COMMAND_QUEUE"


class TestQueries:
    def info(self, api, target, name):
        return api.info("clGetCommandBufferInfoKHR", target, getattr(E, f"COMMAND_BUFFER_{name}_KHR"))

    def test_all(self, api, buffers, queue, queues, context):
        other = queues()
        properties = (E.COMMAND_BUFFER_FLAGS_KHR, E.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)
        target = buffers(queue, other, properties=properties)
        assert self.info(api, target, "NUM_QUEUES") == struct.pack("=I", 2)
        assert self.info(api, target, "QUEUES") == struct.pack("=QQ", queue, other)
        assert self.info(api, target, "REFERENCE_COUNT") == struct.pack("=I", 1)
        assert self.info(api, target, "PROPERTIES_ARRAY") == struct.pack("=QQQ", *properties, 0)
        assert self.info(api, target, "CONTEXT") == struct.pack("=Q", context)
        assert self.info(api, buffers(), "PROPERTIES_ARRAY") == b""

    def test_state(self, api, record):
        r = record()
        assert self.info(api, r.target, "STATE") == struct.pack("=I", E.COMMAND_BUFFER_STATE_RECORDING_KHR)
        r.run()
        assert self.info(api, r.target, "STATE") == struct.pack("=I", E.COMMAND_BUFFER_STATE_EXECUTABLE_KHR)

    def test_reference_count(self, api, buffers):
        target = buffers()
        api.ok("clRetainCommandBufferKHR", target)
        assert self.info(api, target, "REFERENCE_COUNT") == struct.pack("=I", 2)
        api.ok("clReleaseCommandBufferKHR", target)
        assert self.info(api, target, "REFERENCE_COUNT") == struct.pack("=I", 1)

    def test_errors(self, api, buffers, queue):
        room = create_string_buffer(8)
        call = "clGetCommandBufferInfoKHR"
        for bad in (None, queue):
            assert api.error(call, bad, E.COMMAND_BUFFER_STATE_KHR, 8, room, None) == "CL_INVALID_COMMAND_BUFFER_KHR"
        assert api.error(call, buffers(), E.QUEUE_CONTEXT, 8, room, None) == "CL_INVALID_VALUE"
        assert api.error(call, buffers(), E.COMMAND_BUFFER_STATE_KHR, 3, room, None) == "CL_INVALID_VALUE"

    def test_device(self, api, device):
        def ask(name):
            return api.number("clGetDeviceInfo", device, getattr(E, f"DEVICE_{name}_KHR"))
        profiling = E.QUEUE_PROFILING_ENABLE
        assert ask("COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES") & profiling     # "The mandated minimum capability"
        assert ask("COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES") == 0
        assert ask("COMMAND_BUFFER_CAPABILITIES") & E.COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        has_queues = api.number("clGetDeviceInfo", device, E.DEVICE_QUEUE_ON_DEVICE_PROPERTIES) != 0
        enqueues = ask("COMMAND_BUFFER_CAPABILITIES") & E.COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR
        assert (enqueues != 0) == has_queues
        assert ask("MUTABLE_DISPATCH_CAPABILITIES") == 31
        assert ask("COMMAND_BUFFER_NUM_SYNC_DEVICES") == 1
        assert ask("COMMAND_BUFFER_SYNC_DEVICES") == device

    def test_platform(self, api):
        caps = api.number("clGetPlatformInfo", api.platform(), E.PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR)
        assert caps == (E.COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | E.COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR
                        | E.COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR)
