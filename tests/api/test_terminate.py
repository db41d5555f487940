# SPDX-License-Identifier: Apache-2.0
"""cl_khr_terminate_context: what runs is stopped in the middle, what waits ends, what comes later is refused."""
import struct
import subprocess
import sys
import threading
import time
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest
from clapi import E, event_status, handles, numbers, sizes
from recording import OUT_OF_ORDER

pytestmark = pytest.mark.usefixtures("no_leak")

TERMINATED = E.CONTEXT_TERMINATED_KHR
YES = (E.CONTEXT_TERMINATE_KHR, 1)
NOTIFY = CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)
CALLBACK = CFUNCTYPE(None, c_void_p, c_int32, c_void_p)
# Each of these never ends unless flag[0] is set: nobody does that.
ENDLESS = """
kernel void plain(global volatile int *flag) { while (!flag[0]) flag[1 + get_global_id(0) % 8]++; }
kernel void barriers(global volatile int *flag, local int *shared) {
    do { shared[get_local_id(0)] = flag[0]; barrier(CLK_LOCAL_MEM_FENCE); } while (!shared[0]); }
kernel void math(global volatile float *flag) {
    float x = get_global_id(0); while (flag[0] == 0) x = sin(x) + pow(x, 1.5f); flag[1] = x; }
kernel void waits(global volatile int *flag) { while (!flag[0]); }
kernel void prints(global volatile int *flag) { while (!flag[0]) printf(""); }
kernel void short_one(global int *out) { out[get_global_id(0)] = 7; }
"""


@pytest.fixture
def terminable(api, device):
    """new(notify) -> a context that can be terminated"""
    made = []

    def new(notify=None):
        made.append(api.make("clCreateContext", numbers(c_size_t, *YES, 0), 1, handles(device), notify, None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseContext", each)


@pytest.fixture
def doomed(terminable):
    return terminable()


@pytest.fixture
def make(api, device, doomed):
    """The functions that make objects, with their release at the end."""
    class Make:
        made = []

        def keep(self, kind, handle):
            self.made.append((kind, handle))
            return handle

        def queue(self, mode=0):
            return self.keep("CommandQueue", api.make("clCreateCommandQueue", doomed, device, mode))

        def buffer(self, size=64):
            mem = api.make("clCreateBuffer", doomed, E.MEM_COPY_HOST_PTR, size, bytes(size))
            return self.keep("MemObject", mem)

        def event(self):
            return self.keep("Event", api.make("clCreateUserEvent", doomed))

        def kernel(self, name="plain"):
            if not hasattr(self, "program"):
                self.program = self.keep("Program", api.make("clCreateProgramWithSource", doomed, 1,
                                                             (c_char_p * 1)(ENDLESS.encode()), None))
                api.ok("clBuildProgram", self.program, 0, None, None, None, None)
            return self.keep("Kernel", api.make("clCreateKernel", self.program, name.encode()))

        def launch(self, queue, name="plain", items=64, after=(), mem=None):
            """-> its event"""
            k, event = self.kernel(name), c_void_p()
            api.ok("clSetKernelArg", k, 0, 8, handles(mem or self.buffer()))
            if name == "barriers":
                api.ok("clSetKernelArg", k, 1, 256, None)
            api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(items), sizes(min(items, 64)), len(after),
                   handles(*after) if after else None, byref(event))
            return self.keep("Event", event.value)

    made = Make()
    made.made = []
    yield made
    for kind, handle in reversed(made.made):
        api.ok(f"clRelease{kind}", handle)


def until_running(api, event):
    deadline = time.monotonic() + 20
    while event_status(api, event) != E.RUNNING:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def ended(api, event):
    """Waits for it: the status."""
    api.error("clWaitForEvents", 1, handles(event))
    return event_status(api, event)


class TestRunning:
    @pytest.mark.parametrize("name", ["plain", "barriers", "math", "prints", "waits"])
    @pytest.mark.parametrize("items", [1, 64, 4096])
    def test_a_kernel_that_never_ends(self, api, doomed, make, name, items):
        queue = make.queue()
        event = make.launch(queue, name, items)
        until_running(api, event)
        time.sleep(0.01)
        begun = time.monotonic()
        api.ok("clTerminateContextKHR", doomed)
        assert ended(api, event) == TERMINATED
        assert time.monotonic() - begun < 10
        assert api.error("clFinish", queue) == "CL_CONTEXT_TERMINATED_KHR"

    @pytest.mark.parametrize("wait", ["clFinish", "clWaitForEvents", "blocking read"])
    def test_a_thread_that_waits_and_helps(self, api, doomed, make, wait):
        """The host's own thread may be the one that runs the kernel."""
        queue, mem = make.queue(), make.buffer()
        event, found = make.launch(queue, items=4096, mem=mem), []
        calls = {"clFinish": ("clFinish", queue), "clWaitForEvents": ("clWaitForEvents", 1, handles(event)),
                 "blocking read": ("clEnqueueReadBuffer", queue, mem, 1, 0, 4, create_string_buffer(4), 0, None, None)}
        waiter = threading.Thread(target=lambda: found.append(api.error(*calls[wait])))
        waiter.start()
        until_running(api, event)
        time.sleep(0.05)
        assert waiter.is_alive()
        api.ok("clTerminateContextKHR", doomed)
        waiter.join(20)
        assert found == [{"clWaitForEvents": "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"}.get(
            wait, "CL_CONTEXT_TERMINATED_KHR")]

    def test_others_go_on(self, api, doomed, make, queue, kernel, buffer, contents):
        """The device's threads are free again, and other contexts never noticed."""
        for _ in range(3):
            make.launch(make.queue(), "plain", 4096)
        api.ok("clTerminateContextKHR", doomed)
        mem, k = buffer(4096 * 4), kernel(ENDLESS, "short_one")
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(4096), None, 0, None, None)
        assert contents(mem, 4096 * 4) == struct.pack("=i", 7) * 4096

    def test_again_and_again(self, api, terminable, device):
        """Each with several queues at work, at any moment."""
        for turn in range(20):
            context = api.make("clCreateContext", numbers(c_size_t, *YES, 0), 1, handles(device), None, None)
            program = api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(ENDLESS.encode()), None)
            api.ok("clBuildProgram", program, 0, None, None, None, None)
            kernel = api.make("clCreateKernel", program, b"plain")
            mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 64, bytes(64))
            queues = [api.make("clCreateCommandQueue", context, device, mode) for mode in (0, OUT_OF_ORDER)]
            api.ok("clSetKernelArg", kernel, 0, 8, handles(mem))
            for _ in range(8):
                for queue in queues:
                    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(256), None, 0, None, None)
                    api.ok("clEnqueueFillBuffer", queue, mem, b"\0", 1, 32, 32, 0, None, None)
            time.sleep(0.0005 * (turn % 5))
            api.ok("clTerminateContextKHR", context)
            for queue in queues:
                assert api.error("clFinish", queue) == "CL_CONTEXT_TERMINATED_KHR"
                api.ok("clReleaseCommandQueue", queue)
            for kind, handle in (("MemObject", mem), ("Kernel", kernel), ("Program", program), ("Context", context)):
                api.ok(f"clRelease{kind}", handle)

    def test_the_programs_own_handler(self):
        """A handler of SIGURG that was there before gets the signals that are not for a kernel."""
        script = f"""if 1:
            import ctypes, os, signal, sys, threading, time
            sys.path[:0] = [{str(Path(__file__).parents[1])!r}, {str(Path(__file__).parent)!r}]
            got = []
            signal.signal(signal.SIGURG, lambda *_: got.append(1))
            from ctypes import c_char_p, c_size_t
            from clapi import API, E, handles, numbers, sizes
            from test_terminate import ENDLESS, YES
            api = API()
            device = api.devices()[0]
            context = api.make("clCreateContext", numbers(c_size_t, *YES, 0), 1, handles(device), None, None)
            program = api.make("clCreateProgramWithSource", context, 1, (c_char_p * 1)(ENDLESS.encode()), None)
            api.ok("clBuildProgram", program, 0, None, None, None, None)
            kernel = api.make("clCreateKernel", program, b"plain")
            mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 64, bytes(64))
            queue = api.make("clCreateCommandQueue", context, device, 0)
            api.ok("clSetKernelArg", kernel, 0, 8, handles(mem))
            api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(64), None, 0, None, None)
            api.ok("clFlush", queue)
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGURG)
            api.ok("clTerminateContextKHR", context)
            assert api.error("clFinish", queue) == "CL_CONTEXT_TERMINATED_KHR"
            os.kill(os.getpid(), signal.SIGURG)
            deadline = time.monotonic() + 20
            while len(got) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            assert len(got) >= 2, got
        """
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def test_no_handler_without_such_a_context(self):
        script = f"""if 1:
            import sys
            sys.path[:0] = [{str(Path(__file__).parents[1])!r}]
            from clapi import API, handles
            api = API()
            device = api.devices()[0]
            context = api.make("clCreateContext", None, 1, handles(device), None, None)
            queue = api.make("clCreateCommandQueue", context, device, 0)
            mem = api.make("clCreateBuffer", context, 0, 64, None)
            api.ok("clEnqueueFillBuffer", queue, mem, b"1234", 4, 0, 64, 0, None, None)
            api.ok("clFinish", queue)
            with open("/proc/self/status") as lines:
                caught = next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt"))
            assert not caught >> 22 & 1, hex(caught)
        """
        subprocess.run([sys.executable, "-c", script], timeout=60, check=True)


class TestWaiting:
    @pytest.mark.parametrize("mode", [0, OUT_OF_ORDER])
    def test_for_a_user_event(self, api, doomed, make, mode):
        """All that depends on it, at any distance; its own status can be set afterwards."""
        queue, other, gate, mem = make.queue(mode), make.queue(), make.event(), make.buffer()
        first = make.launch(queue, "short_one", 8, (gate,), mem)
        second = make.launch(other, "short_one", 8, (first,), mem)
        events = [first, second]
        for call in (("clEnqueueMarkerWithWaitList", queue, 1, handles(second)),
                     ("clEnqueueFillBuffer", other, mem, b"12345678", 8, 0, 64, 0, None),
                     ("clEnqueueBarrierWithWaitList", other, 0, None)):
            event = c_void_p()
            api.ok(*call, byref(event))
            events.append(make.keep("Event", event.value))
        assert all(event_status(api, event) > 0 for event in events)
        api.ok("clTerminateContextKHR", doomed)
        assert [ended(api, event) for event in events] == [TERMINATED] * 5
        assert event_status(api, gate) == E.SUBMITTED
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        assert event_status(api, gate) == E.COMPLETE
        assert {event_status(api, event) for event in events} == {TERMINATED}
        for each in (queue, other):
            assert api.error("clFinish", each) == "CL_CONTEXT_TERMINATED_KHR"
            api.ok("clFlush", each)

    def test_a_user_event_that_nobody_sets(self, api, doomed, make):
        event = make.launch(make.queue(), "short_one", 8, (make.event(),))
        api.ok("clTerminateContextKHR", doomed)
        assert ended(api, event) == TERMINATED

    def test_what_was_complete_stays_so(self, api, doomed, make):
        queue = make.queue(E.QUEUE_PROFILING_ENABLE)
        done = make.launch(queue, "short_one", 8)
        api.ok("clFinish", queue)
        running = make.launch(queue, "plain")
        api.ok("clTerminateContextKHR", doomed)
        assert (event_status(api, done), ended(api, running)) == (E.COMPLETE, TERMINATED)
        room = create_string_buffer(8)
        assert api.error("clGetEventProfilingInfo", running, E.PROFILING_COMMAND_END, 8, room, None) == (
            "CL_PROFILING_INFO_NOT_AVAILABLE")

    @pytest.mark.parametrize("exported", [False, True])
    def test_for_a_semaphore(self, api, doomed, make, exported):
        more = (E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0) if exported else ()
        sema = make.keep("SemaphoreKHR", api.make("clCreateSemaphoreWithPropertiesKHR", doomed, numbers(
            c_uint64, E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR, *more, 0)))
        queue, events = make.queue(), []
        for _ in range(2):
            event = c_void_p()
            api.ok("clEnqueueWaitSemaphoresKHR", queue, 1, handles(sema), None, 0, None, byref(event))
            events.append(make.keep("Event", event.value))
        api.ok("clTerminateContextKHR", doomed)
        assert [ended(api, event) for event in events] == [TERMINATED] * 2
        for what in ("Signal", "Wait"):
            assert api.error(f"clEnqueue{what}SemaphoresKHR", queue, 1, handles(sema), None, 0, None, None) == (
                "CL_CONTEXT_TERMINATED_KHR")

    def test_a_command_buffer(self, api, doomed, make):
        queue, event = make.queue(), c_void_p()
        recorded = make.keep("CommandBufferKHR", api.make("clCreateCommandBufferKHR", 1, handles(queue), None))
        k, mem = make.kernel("plain"), make.buffer()
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        for _ in range(3):
            api.ok("clCommandNDRangeKernelKHR", recorded, None, None, k, 1, None, sizes(64), None, 0, None, None, None)
        api.ok("clFinalizeCommandBufferKHR", recorded)
        api.ok("clEnqueueCommandBufferKHR", 0, None, recorded, 0, None, byref(event))
        make.keep("Event", event.value)
        api.ok("clFlush", queue)
        time.sleep(0.02)
        api.ok("clTerminateContextKHR", doomed)
        assert ended(api, event.value) == TERMINATED
        assert api.error("clEnqueueCommandBufferKHR", 0, None, recorded, 0, None, None) == "CL_CONTEXT_TERMINATED_KHR"

    def test_callbacks(self, api, terminable, device):
        """Of events, before and after; of the context, once."""
        told, got, wake = [], [], threading.Event()
        notify = NOTIFY(lambda text, info, size, _: told.append((text, size)))
        context = terminable(notify)
        queue, gate = api.make("clCreateCommandQueue", context, device, 0), api.make("clCreateUserEvent", context)
        event = c_void_p()
        api.ok("clEnqueueMarkerWithWaitList", queue, 1, handles(gate), byref(event))
        callback = CALLBACK(lambda _, value, __: (got.append(value), len(got) == 2 and wake.set()))
        api.ok("clSetEventCallback", event, E.COMPLETE, callback, None)
        api.ok("clTerminateContextKHR", context)
        api.ok("clSetEventCallback", event, E.COMPLETE, callback, None)
        assert wake.wait(20)
        assert got == [TERMINATED] * 2
        assert [(b"terminated" in text, size) for text, size in told] == [(True, 4)]
        for kind, handle in (("Event", event), ("Event", gate), ("CommandQueue", queue)):
            api.ok(f"clRelease{kind}", handle)

    @pytest.mark.needs("native kernels")
    def test_a_native_kernel_goes_on(self, api, device, doomed, make):
        """A function of the host program cannot be left in the middle; what comes after it does not run."""
        queue, begun, wanted, after = make.queue(), threading.Event(), threading.Event(), []
        first = CFUNCTYPE(None, c_void_p)(lambda _: (begun.set(), wanted.wait(20)))
        second = CFUNCTYPE(None, c_void_p)(lambda _: after.append(1))
        events = []
        for function in (first, second):
            event = c_void_p()
            api.ok("clEnqueueNativeKernel", queue, function, None, 0, 0, None, None, 0, None, byref(event))
            events.append(make.keep("Event", event.value))
        assert begun.wait(20)
        api.ok("clTerminateContextKHR", doomed)
        assert event_status(api, events[0]) == E.RUNNING
        wanted.set()
        assert [ended(api, event) for event in events] == [TERMINATED] * 2
        assert after == []


class TestAfterwards:
    def test_everything_that_makes_or_enqueues(self, api, device, doomed, make):
        queue, mem, kernel = make.queue(), make.buffer(), make.kernel("short_one")
        api.ok("clSetKernelArg", kernel, 0, 8, handles(mem))
        recorded = make.keep("CommandBufferKHR", api.make("clCreateCommandBufferKHR", 1, handles(queue), None))
        room, source = create_string_buffer(64), (c_char_p * 1)(b"kernel void k() {}")
        api.ok("clTerminateContextKHR", doomed)
        makers = (("clCreateCommandQueue", doomed, device, 0),
                  ("clCreateCommandQueueWithProperties", doomed, device, None),
                  ("clCreateBuffer", doomed, 0, 64, None), ("clCreateBufferWithProperties", doomed, None, 0, 64, None),
                  ("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(0, 8)),
                  ("clCreateUserEvent", doomed), ("clCreateProgramWithSource", doomed, 1, source, None),
                  ("clCreateKernel", make.program, b"plain"), ("clCloneKernel", kernel),
                  ("clCreateSampler", doomed, 0, E.ADDRESS_CLAMP, E.FILTER_NEAREST),
                  ("clLinkProgram", doomed, 0, None, None, 1, handles(make.program), None, None),
                  ("clCreateCommandBufferKHR", 1, handles(queue), None),
                  ("clSVMAllocWithPropertiesKHR", doomed, None, 0, 64),
                  ("clCreateSemaphoreWithPropertiesKHR", doomed, numbers(
                      c_uint64, E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR, 0)))
        for call in makers:
            assert api.new(*call) == (None, "CL_CONTEXT_TERMINATED_KHR"), call[0]
        assert api.clSVMAlloc(doomed, 0, 64, 0) is None
        calls = (("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(8), None, 0, None, None),
                 ("clEnqueueReadBuffer", queue, mem, 1, 0, 8, room, 0, None, None),
                 ("clEnqueueFillBuffer", queue, mem, b"12345678", 8, 0, 64, 0, None, None),
                 ("clEnqueueMarkerWithWaitList", queue, 0, None, None), ("clEnqueueBarrier", queue),
                 ("clEnqueueSVMMemcpy", queue, 1, room, byref(c_uint64()), 8, 0, None, None),
                 ("clCommandFillBufferKHR", recorded, None, None, mem, b"1234", 4, 0, 64, 0, None, None, None),
                 ("clCreateKernelsInProgram", make.program, 0, None, byref(c_uint32())),
                 ("clSetContextDestructorCallback", doomed, NOTIFY(lambda *_: None), None),
                 ("clTerminateContextKHR", doomed))
        for call in calls:
            assert api.error(*call) == "CL_CONTEXT_TERMINATED_KHR", call[0]
        pointer, error = api.new("clEnqueueMapBuffer", queue, mem, 1, E.MAP_READ, 0, 8, 0, None, None)
        assert (pointer, error) == (None, "CL_CONTEXT_TERMINATED_KHR")

    def test_queries_retain_release(self, api, device, doomed, make):
        queue, mem, kernel, event = make.queue(), make.buffer(), make.kernel(), make.event()
        pointer = api.clSVMAlloc(doomed, 0, 64, 0)
        api.ok("clTerminateContextKHR", doomed)
        assert api.number("clGetContextInfo", doomed, E.CONTEXT_REFERENCE_COUNT) == 1
        assert api.number("clGetMemObjectInfo", mem, E.MEM_SIZE) == 64
        assert api.number("clGetCommandQueueInfo", queue, E.QUEUE_CONTEXT) == doomed
        assert api.text("clGetKernelInfo", kernel, E.KERNEL_FUNCTION_NAME) == "plain"
        assert api.number("clGetEventInfo", event, E.EVENT_CONTEXT) == doomed
        for kind, handle in (("Context", doomed), ("CommandQueue", queue), ("MemObject", mem), ("Kernel", kernel),
                             ("Event", event)):
            api.ok(f"clRetain{kind}", handle)
            api.ok(f"clRelease{kind}", handle)
        seen = []
        destroyed = CFUNCTYPE(None, c_void_p, c_void_p)(lambda *_: seen.append(1))
        api.ok("clSetMemObjectDestructorCallback", mem, destroyed, None)
        make.made.remove(("MemObject", mem))
        api.ok("clReleaseMemObject", mem)
        assert seen == [1]
        api.clSVMFree(doomed, pointer)

    def test_another_context_is_as_before(self, api, terminable, device, queue, buffer, contents):
        api.ok("clTerminateContextKHR", terminable())
        mem = buffer(8)
        api.ok("clEnqueueFillBuffer", queue, mem, b"12345678", 8, 0, 8, 0, None, None)
        assert contents(mem, 8) == b"12345678"
        assert api.error("clReleaseMemObject", api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION,
                                                        sizes(0, 8))) == "CL_SUCCESS"


class TestErrors:
    def test_terminate(self, api, device, context, queue, terminable):
        for bad in (None, queue):
            assert api.error("clTerminateContextKHR", bad) == "CL_INVALID_CONTEXT"
        assert api.error("clTerminateContextKHR", context) == "CL_INVALID_OPERATION"
        no = api.make("clCreateContext", numbers(c_size_t, YES[0], 0, 0), 1, handles(device), None, None)
        assert api.error("clTerminateContextKHR", no) == "CL_INVALID_OPERATION"
        api.ok("clReleaseContext", no)
        yes = terminable()
        assert api.info("clGetContextInfo", yes, E.CONTEXT_PROPERTIES) == struct.pack("=3Q", *YES, 0)
        assert api.error("clTerminateContextKHR", yes) == "CL_SUCCESS"
        assert api.error("clTerminateContextKHR", yes) == "CL_CONTEXT_TERMINATED_KHR"

    def test_create(self, api, device):
        for bad in ((YES[0], 2), (*YES, *YES)):
            assert api.new("clCreateContext", numbers(c_size_t, *bad, 0), 1, handles(device), None, None) == (
                None, "CL_INVALID_PROPERTY")

    def test_capability(self, api, device):
        """Under its number in the headers of OpenCL 1.2, too."""
        for query in (E.DEVICE_TERMINATE_CAPABILITY_KHR, 0x200F):
            assert api.number("clGetDeviceInfo", device, query) == E.DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR
