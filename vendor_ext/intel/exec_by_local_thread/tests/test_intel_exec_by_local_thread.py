# SPDX-License-Identifier: Apache-2.0
"""cl_intel_exec_by_local_thread: commands run in the thread that enqueues them, before the call returns."""
import os
import signal
import struct
import subprocess
import sys
import threading
from ctypes import CDLL, CFUNCTYPE, byref, c_size_t, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest
from at_once import at_once
from clapi import E, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

NAME = "cl_intel_exec_by_local_thread"
FUNCTION = CFUNCTYPE(None, c_void_p)
LOCAL = E.QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL
OUT_OF_ORDER = E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

STACKS = """
kernel void stacks(global ulong *out, local int *l) {
    volatile int mine = get_global_id(0);
    volatile int *p = &mine;
    l[get_local_id(0)] = *p;
    out[get_global_id(0)] = (ulong)p;
}
"""
SPIN = "kernel void spin(volatile global int *p) { while (*p == 0); p[1] = 7; }"
WRONG = "kernel void wrong(global int *p) { p[1l << 46] = 1; }"


@pytest.fixture(params=[0, OUT_OF_ORDER], ids=["in order", "out of order"])
def local(api, context, device, request):
    made = api.make("clCreateCommandQueue", context, device, LOCAL | request.param)
    yield made
    api.ok("clReleaseCommandQueue", made)


@pytest.fixture
def native(api):
    """run(queue, function) enqueues a native kernel; its error."""
    return lambda queue, function, *wait: api.error(
        "clEnqueueNativeKernel", queue, function, None, 0, 0, None, None, len(wait), handles(*wait) if wait else None,
        None)


@pytest.fixture
def launch(api):
    def call(queue, kernel, n, size=None, wait=(), event=None):
        return api.error("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(n), sizes(size) if size else None,
                         len(wait), handles(*wait) if wait else None, event)
    return call


def status(api, event):
    return struct.unpack("i", api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS))[0]


def test_is_listed(api, device):
    assert NAME in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def test_queues(api, context, device):
    for more in (0, OUT_OF_ORDER, E.QUEUE_PROFILING_ENABLE):
        for made in (api.make("clCreateCommandQueue", context, device, LOCAL | more),
                     api.make("clCreateCommandQueueWithProperties", context, device,
                              numbers(c_uint64, E.QUEUE_PROPERTIES, LOCAL | more, 0))):
            assert api.number("clGetCommandQueueInfo", made, E.QUEUE_PROPERTIES) == LOCAL | more
            api.ok("clReleaseCommandQueue", made)


def test_queues_that_cannot_be(api, context, device):
    on_device = LOCAL | OUT_OF_ORDER | E.QUEUE_ON_DEVICE
    assert api.new("clCreateCommandQueueWithProperties", context, device, numbers(
        c_uint64, E.QUEUE_PROPERTIES, on_device, 0)) == (None, "CL_INVALID_QUEUE_PROPERTIES")
    assert api.new("clCreateCommandQueue", context, device, LOCAL << 1) == (None, "CL_INVALID_VALUE")


def test_command_buffers_are_none_for_such_queues(api, local, queue):
    assert api.new("clCreateCommandBufferKHR", 1, handles(local), None) == (None, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR")
    buffer = api.make("clCreateCommandBufferKHR", 1, handles(queue), None)
    api.ok("clFinalizeCommandBufferKHR", buffer)
    assert api.new("clRemapCommandBufferKHR", buffer, False, 1, handles(local), 0, None, None) \
        == (None, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR")
    api.ok("clReleaseCommandBufferKHR", buffer)


def test_native_kernels_run_in_the_calling_thread(local, native):
    seen = []
    function = FUNCTION(lambda _: seen.append(threading.get_ident()))
    assert native(local, function) == "CL_SUCCESS"
    other = threading.Thread(target=native, args=(local, function))
    other.start()
    number = other.ident
    other.join()
    assert seen == [threading.get_ident(), number]


def own_stack():
    """The addresses of the calling thread's stack."""
    library, attributes = CDLL(None), create_string_buffer(64)
    start, size = c_size_t(), c_size_t()
    library.pthread_self.restype = c_void_p
    assert library.pthread_getattr_np(c_void_p(library.pthread_self()), attributes) == 0
    assert library.pthread_attr_getstack(attributes, byref(start), byref(size)) == 0
    library.pthread_attr_destroy(attributes)
    return range(start.value, start.value + size.value)


@pytest.mark.parametrize("local_bytes", [512, 24 << 10])
def test_all_groups_of_a_kernel_run_there(api, context, local, program, buffer, launch, local_bytes):
    """Of a launch that other threads would take part in: each work-item tells in whose stack its variable was."""
    n, found = 1 << 16, []
    kernel = api.make("clCreateKernel", program(STACKS), b"stacks")
    out = buffer(8 * n)
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(out)))
    api.ok("clSetKernelArg", kernel, 1, local_bytes, None)

    def run(number):
        stack, data, event = own_stack(), create_string_buffer(8 * n), c_void_p()
        for _ in range(3):
            assert launch(local, kernel, n, 64, event=byref(event)) == "CL_SUCCESS"
            assert status(api, event) == E.COMPLETE
            api.ok("clReleaseEvent", event)
            api.ok("clEnqueueReadBuffer", local, out, False, 0, 8 * n, data, 0, None, None)
            found.append(all(address in stack for address in struct.unpack(f"{n}Q", data)))

    run(0)
    at_once(run, 1)
    assert found == [True] * 6
    api.ok("clReleaseKernel", kernel)


def test_copies_that_do_not_block_are_done(api, context, local):
    """Large ones too, which several threads would share."""
    size = 8 << 20
    mem = api.make("clCreateBuffer", context, 0, size, None)
    api.ok("clEnqueueWriteBuffer", local, mem, False, 0, size, b"\x5a" * size, 0, None, None)
    back, event = create_string_buffer(size), c_void_p()
    api.ok("clEnqueueReadBuffer", local, mem, False, 0, size, back, 0, None, byref(event))
    assert status(api, event) == E.COMPLETE
    assert back.raw == b"\x5a" * size
    api.ok("clReleaseEvent", event)
    api.ok("clReleaseMemObject", mem)


def test_a_call_waits_for_its_list(api, local, native, user_event):
    gate, order = user_event(), []
    waiting = threading.Thread(target=native, args=(local, FUNCTION(lambda _: order.append("command")), gate))
    waiting.start()
    waiting.join(0.02)
    assert waiting.is_alive()
    order.append("event")
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    waiting.join()
    assert order == ["event", "command"]


def test_threads_take_turns_on_a_queue_in_order(api, context, device, native):
    queue = api.make("clCreateCommandQueue", context, device, LOCAL)
    order, inside, others = [], threading.Event(), []

    def enqueue(name):
        return native(queue, FUNCTION(lambda _: order.append((name, threading.get_ident()))))

    def first(_):
        for i in range(3):
            others.append(threading.Thread(target=enqueue, args=(i,)))
            others[-1].start()
        inside.wait(0.05)        # long enough for them to come in front of this one, if they could
        order.append("first")

    assert native(queue, FUNCTION(first)) == "CL_SUCCESS"
    idents = {(i, thread.ident) for i, thread in enumerate(others)}
    for thread in others:
        thread.join()
    assert order[0] == "first" and set(order[1:]) == idents
    api.ok("clReleaseCommandQueue", queue)


def test_errors_are_those_of_events(api, local, buffer, launch, program, user_event):
    kernel = api.make("clCreateKernel", program(WRONG), b"wrong")
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(buffer(64))))
    event = c_void_p()
    assert launch(local, kernel, 1, event=byref(event)) == "CL_SUCCESS"
    assert status(api, event) == E.OUT_OF_RESOURCES
    api.ok("clReleaseEvent", event)
    gate = user_event()
    api.ok("clSetUserEventStatus", gate, -1)
    assert launch(local, kernel, 1, wait=[gate], event=byref(event)) == "CL_SUCCESS"
    assert status(api, event) == E.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    api.ok("clReleaseEvent", event)
    assert api.error("clEnqueueReadBuffer", local, buffer(8), True, 0, 8, create_string_buffer(8), 1, handles(gate),
                     None) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert api.error("clFinish", local) == "CL_SUCCESS"
    api.ok("clReleaseKernel", kernel)


def test_a_thread_with_little_stack(local, native):
    found, ran = [], []
    function = FUNCTION(ran.append)
    before = threading.stack_size(128 << 10)
    try:
        thread = threading.Thread(target=lambda: found.append(native(local, function)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert (found, ran) == (["CL_OUT_OF_HOST_MEMORY"], [])


@pytest.mark.parametrize("begun", [False, True])
def test_terminating_the_context_ends_a_call(api, device, program, buffer, begun):
    """A call that waits for its turn, or that is in an endless kernel."""
    context = api.make("clCreateContext", numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0), 1, handles(device), None,
                       None)
    queue = api.make("clCreateCommandQueue", context, device, LOCAL)
    kernel = api.make("clCreateKernel", program(SPIN, within=context), b"spin")
    mem = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, 8, create_string_buffer(8))
    api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
    gate = api.make("clCreateUserEvent", context)
    event, errors = c_void_p(), []
    wait = [] if begun else [gate]
    thread = threading.Thread(target=lambda: errors.append(api.error(
        "clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1), None, len(wait), handles(*wait) if wait else None,
        byref(event))))
    thread.start()
    thread.join(0.02)
    api.ok("clTerminateContextKHR", context)
    thread.join()
    assert errors == ["CL_SUCCESS"] and status(api, event) == E.CONTEXT_TERMINATED_KHR
    for kind, each in (("Event", event), ("Event", gate), ("MemObject", mem), ("Kernel", kernel),
                       ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{kind}", each)


CHILD = """
import sys
sys.path[:0] = {paths!r}
from clapi import API, E, handles
from ctypes import c_void_p
api = API()
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueue", context, device, E.QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL)
gate = api.make("clCreateUserEvent", context)
try:
    print("waits", flush=True)
    api.clEnqueueMarkerWithWaitList(queue, 1, handles(gate), None)
except KeyboardInterrupt:
    print("ended", flush=True)
api.ok("clEnqueueMarkerWithWaitList", queue, 0, None, None)
api.ok("clFinish", queue)
print("goes on", flush=True)
"""


MODEL = """
import sys
sys.path[:0] = {paths!r}
from clapi import API, E, handles
api = API()
device, = api.devices()
context = api.make("clCreateContext", None, 1, handles(device), None, None)
print("cl_intel_exec_by_local_thread" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS))
print(api.new("clCreateCommandQueue", context, device, E.QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL))
"""


def python(source, **more):
    paths = [str(Path(__file__).resolve().parents[4] / "tests")]
    return subprocess.Popen([sys.executable, "-c", source.format(paths=paths)], text=True, stdout=subprocess.PIPE,
                            env={**os.environ, **more})


def test_models_of_gpus_have_no_such_queues():
    child = python(MODEL, CLPY_DEVICES="gpu:tahiti")
    assert child.communicate()[0] == "False\n(None, 'CL_INVALID_QUEUE_PROPERTIES')\n"


def test_an_interrupt_ends_the_wait_of_a_call():
    child = python(CHILD)
    assert child.stdout.readline() == "waits\n"
    child.send_signal(signal.SIGINT)
    assert child.communicate()[0] == "ended\ngoes on\n"
    assert child.returncode == 0
