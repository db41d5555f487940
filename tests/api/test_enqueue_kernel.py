# SPDX-License-Identifier: Apache-2.0
"""Kernels that enqueue kernels, as the host sees it: when their events end, with what error, which queues they use."""
import struct
import time
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

import pytest
from clapi import E, event_status, handles, numbers, sizes
from recording import OUT_OF_ORDER, ints

pytestmark = [pytest.mark.usefixtures("no_leak"), pytest.mark.needs("device queues")]

ON_DEVICE = E.QUEUE_ON_DEVICE | OUT_OF_ORDER
NOTIFY = CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)
CALLBACK = CFUNCTYPE(None, c_void_p, c_int32, c_void_p)
OPTIONS = "-cl-std=CL3.0 -g"
COUNT = """
void next(global int *out, queue_t q, int left) {
    atomic_inc(out);
    if (left) {
        void (^again)(void) = ^{ next(out, q, left - 1); };
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), again);
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), again);
    }
}
kernel void k(global int *out, queue_t q, int depth) { next(out, q, depth); }
"""
DEFAULT = """
kernel void k(global int *out, int n) {
    for (int i = out[0] = 0; i < n && !out[0]; i++)
        out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            atomic_inc(out + 1); }); }
"""
FAULTY = """
kernel void far_child(global int *out, queue_t q, long far) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
        out[1 + far] = 1;
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ out[0] = 2; });
}
kernel void far_event(global int *out, queue_t q, long far) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, (clk_event_t *)far, ^{ out[0] = 1; }); }
kernel void far_list(global int *out, queue_t q, long far) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 2, (clk_event_t *)far, NULL, ^{ out[0] = 1; }); }
kernel void far_times(global int *out, queue_t q, long far) {
    clk_event_t event;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &event, ^{ out[0] = 2; });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, (global void *)far);
}
"""
WAITING = """
kernel void k(global int *out, queue_t q) {
    clk_event_t never = create_user_event();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &never, NULL, ^{ out[0] = 1; });
    release_event(never);
}
"""
HANDLES = """
typedef union { clk_event_t event; ulong bits; } number;
kernel void k(global ulong *out, queue_t q) {
    number mine, child;
    mine.event = create_user_event();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mine.event, &child.event, ^{});
    set_user_event_status(mine.event, CL_COMPLETE);
    out[0] = mine.bits; out[1] = child.bits;
}
kernel void end(global ulong *out) {
    for (int i = 0; i < 2; i++) {
        number each;
        each.bits = out[i];
        release_event(each.event);
    }
}
"""


@pytest.fixture
def on_device(api, context, device):
    """new(size, more properties) -> a queue on the device"""
    made = []

    def new(*size, more=0, within=None):
        sized = (E.QUEUE_SIZE, *size) if size else ()
        made.append(api.make("clCreateCommandQueueWithProperties", within or context, device,
                             numbers(c_uint64, E.QUEUE_PROPERTIES, ON_DEVICE | more, *sized, 0)))
        return made[-1]

    yield new
    for queue in made:
        api.ok("clReleaseCommandQueue", queue)


@pytest.fixture
def counter(api, kernel, buffer, on_device):
    """new(depth) -> (kernel that counts 2^(depth + 1) - 1 of its kind, buffer)"""
    def new(depth):
        mem = buffer(contents=bytes(8))
        k = kernel(COUNT, options=OPTIONS)
        for i, (size, value) in enumerate(((8, handles(mem)), (8, handles(on_device())), (4, byref(c_uint32(depth))))):
            api.ok("clSetKernelArg", k, i, size, value)
        return k, mem
    return new


def launch(api, queue, k, event=None, after=()):
    api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, len(after), handles(*after) if after else None,
           event)


# ---- when a parent is complete

def test_a_parent_is_complete_when_its_children_are(api, queue, counter, contents):
    depth, event = 9, c_void_p()
    k, mem = counter(depth)
    launch(api, queue, k, byref(event))
    api.ok("clWaitForEvents", 1, handles(event.value))
    assert event_status(api, event.value) == E.COMPLETE
    assert ints(contents(mem, 4)) == [2 ** (depth + 1) - 1]
    api.ok("clReleaseEvent", event)


def test_what_follows_waits_for_the_children(api, queue, queues, counter):
    """In the order of a queue, and along an event between queues that keep none."""
    k, mem = counter(8)
    for first, second in ((queue, queue), (queues(OUT_OF_ORDER), queues(OUT_OF_ORDER))):
        event, host = c_void_p(), (c_int32 * 2)()
        api.ok("clEnqueueFillBuffer", first, mem, bytes(4), 4, 0, 8, 0, None, byref(event))
        filled = event.value
        launch(api, first, k, byref(event), after=[filled])
        api.ok("clEnqueueReadBuffer", second, mem, 1, 0, 8, host, 1, handles(event.value), None)
        assert host[0] == 511
        for each in (filled, event.value):
            api.ok("clReleaseEvent", each)


def test_a_callback_comes_after_the_children(api, queue, counter, contents):
    k, mem = counter(8)
    event, seen = c_void_p(), []
    done = CALLBACK(lambda handle, status, data: seen.append(status))
    launch(api, queue, k, byref(event))
    api.ok("clSetEventCallback", event, E.COMPLETE, done, None)
    api.ok("clFinish", queue)
    assert ints(contents(mem, 4)) == [511]
    deadline = time.monotonic() + 60     # a thread of its own makes the call
    while not seen and time.monotonic() < deadline:
        time.sleep(0.001)
    assert seen == [E.COMPLETE]
    api.ok("clReleaseEvent", event)


def test_in_a_command_buffer(api, queue, counter, record, contents):
    """Every execution has children of its own, and the next step waits for them."""
    k, mem = counter(6)
    recorder = record(queue=None)
    first = recorder("NDRangeKernel", k, 1, None, sizes(1), None)
    recorder("CopyBuffer", mem, mem, 0, 4, 4, after=[first])
    recorder.run()
    recorder.again()
    recorder.again()
    assert ints(contents(mem, 8)) == [3 * 127, 3 * 127]


def test_times(api, counter, queues):
    """"COMPLETE: when the command and all its child commands have ended" """
    profiled = queues(E.QUEUE_PROFILING_ENABLE)
    k, _ = counter(8)
    event = c_void_p()
    launch(api, profiled, k, byref(event))
    api.ok("clFinish", profiled)
    start, end, complete = (api.number("clGetEventProfilingInfo", event.value, getattr(E, f"PROFILING_COMMAND_{name}"))
                            for name in ("START", "END", "COMPLETE"))
    assert start <= end < complete
    api.ok("clReleaseEvent", event)


# ---- queues

def test_queue_arguments(api, context, kernel, queue, buffer, on_device, other_context):
    k = kernel(COUNT, options=OPTIONS)
    good = on_device()
    assert api.error("clSetKernelArg", k, 1, 8, handles(queue)) == "CL_INVALID_DEVICE_QUEUE"
    assert api.error("clSetKernelArg", k, 1, 8, handles(None)) == "CL_INVALID_DEVICE_QUEUE"
    assert api.error("clSetKernelArg", k, 1, 8, None) == "CL_INVALID_DEVICE_QUEUE"
    assert api.error("clSetKernelArg", k, 1, 4, handles(good)) == "CL_INVALID_ARG_SIZE"
    api.ok("clSetKernelArg", k, 1, 8, handles(good))
    assert api.text("clGetKernelArgInfo", k, 1, E.KERNEL_ARG_TYPE_NAME) == "queue_t"
    assert api.number("clGetKernelArgInfo", k, 1, E.KERNEL_ARG_ADDRESS_QUALIFIER) == E.KERNEL_ARG_ADDRESS_PRIVATE


def test_a_queue_that_was_released(api, context, device, kernel, queue, buffer):
    gone = api.make("clCreateCommandQueueWithProperties", context, device,
                    numbers(c_uint64, E.QUEUE_PROPERTIES, ON_DEVICE, 0))
    k = kernel(COUNT, options=OPTIONS)
    api.ok("clSetKernelArg", k, 0, 8, handles(buffer(contents=bytes(8))))
    api.ok("clSetKernelArg", k, 1, 8, handles(gone))
    api.ok("clSetKernelArg", k, 2, 4, byref(c_uint32(1)))
    launch(api, queue, k)                # holds it
    api.ok("clReleaseCommandQueue", gone)
    api.ok("clFinish", queue)
    assert api.error("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None) == (
        "CL_INVALID_KERNEL_ARGS")


def test_a_queue_of_another_context(api, queue, kernel, buffer, contents, on_device, other_context):
    source = """kernel void k(global int *out, queue_t q) {
        *out = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *out = 1; }); }"""
    k, mem = kernel(source, options=OPTIONS), buffer(contents=bytes(4))
    api.ok("clSetKernelArg", k, 0, 8, handles(mem))
    api.ok("clSetKernelArg", k, 1, 8, handles(on_device(within=other_context)))
    launch(api, queue, k)
    assert ints(contents(mem, 4)) == [-102], "CLK_INVALID_QUEUE"


def test_the_default_queue_and_its_replacement(api, context, device, queue, kernel, buffer, contents, on_device):
    """Which of two it is tells how many children it takes."""
    k, mem = kernel(DEFAULT, options=OPTIONS), buffer(contents=bytes(8))

    def enqueued(n):
        before = ints(contents(mem, 8))[1]
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(n)))
        launch(api, queue, k)
        err, after = ints(contents(mem, 8))
        return err, after - before

    assert enqueued(1) == (-102, 0), "CLK_INVALID_QUEUE: there is none"
    first, tiny = on_device(more=E.QUEUE_ON_DEVICE_DEFAULT), on_device(16)
    assert enqueued(1000) == (0, 1000)
    api.ok("clSetDefaultDeviceCommandQueue", context, device, tiny)
    err, n = enqueued(1000)
    assert err == -161, "CLK_DEVICE_QUEUE_FULL"
    assert 100 < n < 1000
    api.ok("clSetDefaultDeviceCommandQueue", context, device, first)
    assert enqueued(1000) == (0, 1000)


def test_events_of_the_device_are_none_of_the_host(api, queue, program, buffer, contents, on_device):
    """"clRetainEvent and clReleaseEvent will return CL_INVALID_OPERATION" """
    mem, made = buffer(contents=bytes(16)), program(HANDLES, OPTIONS)
    kernels = [api.make("clCreateKernel", made, name) for name in (b"k", b"end")]
    for k in kernels:
        api.ok("clSetKernelArg", k, 0, 8, handles(mem))
    api.ok("clSetKernelArg", kernels[0], 1, 8, handles(on_device()))
    launch(api, queue, kernels[0])
    for event in struct.unpack("=2Q", contents(mem, 16)):
        assert api.error("clRetainEvent", event) == api.error("clReleaseEvent", event) == "CL_INVALID_OPERATION"
        assert api.error("clWaitForEvents", 1, handles(event)) == "CL_INVALID_EVENT"
        assert api.error("clSetUserEventStatus", event, 0) == "CL_INVALID_EVENT"
        assert api.error("clEnqueueMarkerWithWaitList", queue, 1, handles(event), None) == "CL_INVALID_EVENT_WAIT_LIST"
    launch(api, queue, kernels[1])
    api.ok("clFinish", queue)
    for k in kernels:
        api.ok("clReleaseKernel", k)


def test_events_that_kernels_lose_go_with_the_context(api, device, program, no_leak):
    """Nobody can release them any more."""
    source = """kernel void k(queue_t q) {
        clk_event_t event;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{});
        create_user_event(); }"""
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    on_device = api.make("clCreateCommandQueueWithProperties", context, device,
                         numbers(c_uint64, E.QUEUE_PROPERTIES, ON_DEVICE, 0))
    k = api.make("clCreateKernel", program(source, OPTIONS, within=context), b"k")
    api.ok("clSetKernelArg", k, 0, 8, handles(on_device))
    for _ in range(10):
        launch(api, queue, k)
    api.ok("clFinish", queue)
    for kind, handle in (("Kernel", k), ("CommandQueue", queue), ("CommandQueue", on_device), ("Context", context)):
        api.ok(f"clRelease{kind}", handle)


# ---- what goes wrong

@pytest.fixture
def told(api, device):
    texts = []
    notify = NOTIFY(lambda text, info, size, data: texts.append(text.decode()))
    context = api.make("clCreateContext", None, 1, handles(device), notify, None)
    yield context, texts
    api.ok("clReleaseContext", context)


@pytest.mark.parametrize(("name", "left"), [("far_child", 2), ("far_event", 0), ("far_list", 0), ("far_times", 2)])
def test_faults(api, told, queues, program, buffer, on_device, name, left):
    """A fault of a child ends its parent with an error; one in what enqueue_kernel is given is the kernel's."""
    context, texts = told
    queue, mem = queues(within=context), buffer(contents=bytes(8), within=context)
    event, host = c_void_p(), (c_int32 * 1)()
    k = api.make("clCreateKernel", program(FAULTY, OPTIONS, within=context), name.encode())
    api.ok("clSetKernelArg", k, 0, 8, handles(mem))
    api.ok("clSetKernelArg", k, 1, 8, handles(on_device(within=context)))
    api.ok("clSetKernelArg", k, 2, 8, struct.pack("=q", 1 << 40))
    launch(api, queue, k, byref(event))
    assert api.error("clWaitForEvents", 1, handles(event.value)) != "CL_SUCCESS"
    assert event_status(api, event.value) == E.OUT_OF_RESOURCES
    api.ok("clEnqueueReadBuffer", queue, mem, 1, 0, 4, host, 0, None, None)
    assert host[0] == left, "what else was enqueued ran"
    assert any(("4" if name == "far_child" else name) in text for text in texts)
    api.ok("clReleaseEvent", event)
    api.ok("clReleaseKernel", k)


def test_a_fault_of_a_recorded_parents_child(api, queue, record, program, buffer, on_device):
    """ends every execution of the command buffer with an error."""
    k, mem, recorder = api.make("clCreateKernel", program(FAULTY, OPTIONS), b"far_child"), buffer(8), record()
    for i, arg in enumerate((handles(mem), handles(on_device()), struct.pack("=q", 1 << 40))):
        api.ok("clSetKernelArg", k, i, 8, arg)
    recorder("NDRangeKernel", k, 1, None, sizes(1), None)
    for run in (recorder.run, recorder.again):
        event = c_void_p()
        run(event=byref(event))
        assert api.error("clWaitForEvents", 1, handles(event.value)) != "CL_SUCCESS"
        assert event_status(api, event.value) == E.OUT_OF_RESOURCES
        api.ok("clReleaseEvent", event)
    api.ok("clReleaseKernel", k)


def test_a_context_that_is_terminated(api, device, program, buffer, on_device):
    """What waits for an event that nobody sets ends too."""
    yes = numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0)
    context = api.make("clCreateContext", yes, 1, handles(device), None, None)
    queue, event = api.make("clCreateCommandQueue", context, device, 0), c_void_p()
    k = api.make("clCreateKernel", program(WAITING, OPTIONS, within=context), b"k")
    api.ok("clSetKernelArg", k, 0, 8, handles(buffer(contents=bytes(4), within=context)))
    api.ok("clSetKernelArg", k, 1, 8, handles(on_device(within=context)))
    launch(api, queue, k, byref(event))
    api.ok("clFlush", queue)
    api.ok("clTerminateContextKHR", context)
    assert event_status(api, event.value) == E.CONTEXT_TERMINATED_KHR
    api.ok("clReleaseEvent", event)
    for kind, handle in (("Kernel", k), ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{kind}", handle)
