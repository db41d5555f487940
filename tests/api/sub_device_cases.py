# SPDX-License-Identifier: Apache-2.0
"""Sub-devices of a device with TEST_UNITS compute units; test_sub_device.py runs this file in processes of its own, so
that the number does not depend on the machine."""
import ctypes
import os
import threading
import time
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

import pytest
from clapi import E, handles, numbers, sizes

UNITS = int(os.environ["TEST_UNITS"])
os.environ["CLPY_NUM_THREADS"] = str(UNITS)      # the library is not loaded yet
CPUS = sorted(os.sched_getaffinity(0))
EQUALLY, COUNTS, DOMAIN = E.DEVICE_PARTITION_EQUALLY, E.DEVICE_PARTITION_BY_COUNTS, \
    E.DEVICE_PARTITION_BY_AFFINITY_DOMAIN
DOMAINS = [E.DEVICE_AFFINITY_DOMAIN_NUMA, E.DEVICE_AFFINITY_DOMAIN_L4_CACHE, E.DEVICE_AFFINITY_DOMAIN_L3_CACHE,
           E.DEVICE_AFFINITY_DOMAIN_L2_CACHE, E.DEVICE_AFFINITY_DOMAIN_L1_CACHE]
NEXT = E.DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
FUNCTION = CFUNCTYPE(None, c_void_p)
divisible = pytest.mark.skipif(UNITS == 1, reason="run with more compute units as well")
BUSY = """
kernel void busy(global uint *a, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u;
    a[get_global_id(0)] = x;
}
kernel void add(global uint *a, uint k) { a[get_global_id(0)] += k; }
"""

pytestmark = pytest.mark.usefixtures("no_leak")


def properties(*values):
    return (c_size_t * len(values))(*[value & (1 << 64) - 1 for value in values])


@pytest.fixture
def divide(api):
    """divide(device, partition properties) -> the sub-devices, released at the end of the test."""
    made = []

    def new(device, *values):
        count = c_uint32()
        api.ok("clCreateSubDevices", device, properties(*values), 0, None, byref(count))
        parts = handles(*[None] * count.value)
        api.ok("clCreateSubDevices", device, properties(*values), count, parts, None)
        made.extend(parts)
        return list(parts)

    yield new
    for part in made:
        api.ok("clReleaseDevice", part)


def units(api, device):
    return api.number("clGetDeviceInfo", device, E.DEVICE_MAX_COMPUTE_UNITS)


def long_list(api, device, name):
    data = api.info("clGetDeviceInfo", device, name)
    return [int.from_bytes(data[i:i + 8], "little", signed=True) for i in range(0, len(data), 8)]


class Place:
    """A context, a queue and a program on a device."""

    def __init__(self, api, *devices, mode=0):
        self.api = api
        self.context = api.make("clCreateContext", None, len(devices), handles(*devices), None, None)
        self.queues = [api.make("clCreateCommandQueue", self.context, device, mode) for device in devices]
        self.queue = self.queues[0]
        self.program = api.make("clCreateProgramWithSource", self.context, 1, (c_char_p * 1)(BUSY.encode()), None)
        api.ok("clBuildProgram", self.program, 0, None, None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for queue in self.queues:
            self.api.ok("clFinish", queue)
            self.api.ok("clReleaseCommandQueue", queue)
        self.api.ok("clReleaseProgram", self.program)
        self.api.ok("clReleaseContext", self.context)

    def launch(self, name, mem, number, items, queue=None, wait=(), event=None):
        kernel = self.api.make("clCreateKernel", self.program, name.encode())
        self.api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        self.api.ok("clSetKernelArg", kernel, 1, 4, byref(c_uint32(number)))
        self.api.ok("clEnqueueNDRangeKernel", queue or self.queue, kernel, 1, None, sizes(items), None, len(wait),
                    handles(*wait) if wait else None, event)
        self.api.ok("clReleaseKernel", kernel)

    def processors(self, queue=None):
        """Where the threads of the device may run: asked from a native kernel."""
        found = []
        ask = FUNCTION(lambda _: found.append(os.sched_getaffinity(threading.get_native_id())))
        self.api.ok("clEnqueueNativeKernel", queue or self.queue, ask, None, 0, 0, None, None, 0, None, None)
        self.api.ok("clFinish", queue or self.queue)
        return found[0]


# ---- dividing

def test_what_the_root_device_says(api, device):
    names = long_list(api, device, E.DEVICE_PARTITION_PROPERTIES)
    most = api.number("clGetDeviceInfo", device, E.DEVICE_PARTITION_MAX_SUB_DEVICES)
    domains = api.number("clGetDeviceInfo", device, E.DEVICE_PARTITION_AFFINITY_DOMAIN)
    assert units(api, device) == UNITS == most
    assert long_list(api, device, E.DEVICE_PARTITION_TYPE) == [0]
    if UNITS == 1:
        assert names == [0] and domains == 0
    else:
        own = [EQUALLY, COUNTS] + [DOMAIN] * (domains != 0)
        assert names[:len(own)] == own and not {0, *own} & set(names[len(own):])     # those of extensions come last
        assert bool(domains & NEXT) == bool(domains & ~NEXT)


@divisible
@pytest.mark.parametrize("each", range(1, UNITS))
def test_equally(api, device, divide, each):
    parts = divide(device, EQUALLY, each, 0)
    assert [units(api, part) for part in parts] == [each] * (UNITS // each)
    for part in parts:
        assert long_list(api, part, E.DEVICE_PARTITION_TYPE) == [EQUALLY, each, 0]
        assert api.number("clGetDeviceInfo", part, E.DEVICE_PARENT_DEVICE) == device
        assert api.number("clGetDeviceInfo", part, E.DEVICE_REFERENCE_COUNT) == 1
        assert api.number("clGetDeviceInfo", part, E.DEVICE_PARTITION_MAX_SUB_DEVICES) == each
        for same in ("NAME", "EXTENSIONS", "GLOBAL_MEM_SIZE", "UUID", "PLATFORM"):
            assert api.info("clGetDeviceInfo", part, getattr(E, "DEVICE_" + same)) == api.info(
                "clGetDeviceInfo", device, getattr(E, "DEVICE_" + same))
    assert not set(parts) & set(api.devices()), "clGetDeviceIDs lists root devices only"


@divisible
def test_by_counts(api, device, divide):
    for counts in ([1], [UNITS], [1, UNITS - 1], [UNITS - 1, 1], [1] * UNITS):
        parts = divide(device, COUNTS, *counts, 0, 0)
        assert [units(api, part) for part in parts] == counts
        for part in parts:
            assert long_list(api, part, E.DEVICE_PARTITION_TYPE) == [COUNTS, *counts, 0, 0]
    for behind in (4711, EQUALLY, -1):      # the end of the counts, as SYCL gives it, is that of the list
        part, = divide(device, COUNTS, 1, 0, behind)
        assert long_list(api, part, E.DEVICE_PARTITION_TYPE) == [COUNTS, 1, 0, 0]


@divisible
def test_by_affinity_domain(api, device, divide):
    supported = api.number("clGetDeviceInfo", device, E.DEVICE_PARTITION_AFFINITY_DOMAIN)
    for domain in DOMAINS:
        if not supported & domain:
            error = "CL_INVALID_VALUE" if supported else "CL_DEVICE_PARTITION_FAILED"
            assert api.error("clCreateSubDevices", device, properties(DOMAIN, domain, 0), 0, None, None) == error
            continue
        parts = divide(device, DOMAIN, domain, 0)
        assert len(parts) > 1 and sum(units(api, part) for part in parts) == UNITS
        for part in parts:
            assert long_list(api, part, E.DEVICE_PARTITION_TYPE) == [DOMAIN, domain, 0]
    outermost = [domain for domain in DOMAINS if supported & domain]
    if outermost:
        for part in divide(device, DOMAIN, NEXT, 0):
            assert long_list(api, part, E.DEVICE_PARTITION_TYPE) == [DOMAIN, outermost[0], 0]
    else:
        assert api.error("clCreateSubDevices", device, properties(DOMAIN, NEXT, 0), 0, None, None) == (
            "CL_DEVICE_PARTITION_FAILED")


@divisible
def test_errors(api, device, context):
    def error(*values, on=device, room=0, out=None):
        return api.error("clCreateSubDevices", on, properties(*values), room, out, None)

    out = handles(*[None] * UNITS)
    assert error(EQUALLY, 1, 0, on=context) == "CL_INVALID_DEVICE"
    assert api.error("clCreateSubDevices", device, None, 0, None, None) == "CL_INVALID_VALUE"
    for wrong in ((0,), (EQUALLY, 0, 0), (EQUALLY, -1, 0), (0xDEAD, 1, 0),
                  (EQUALLY, 1, EQUALLY, 1, 0), (COUNTS, 0, 0), (DOMAIN, 0, 0), (DOMAIN, 3, 0),
                  (DOMAIN, 64, 0), (DOMAIN, DOMAINS[0], EQUALLY, 1, 0)):
        assert error(*wrong) == "CL_INVALID_VALUE", wrong
    assert error(EQUALLY, 1, 0, room=UNITS - 1, out=out) == "CL_INVALID_VALUE"
    assert not any(out), "nothing is made where there is no room"
    for wrong in ((UNITS + 1,), (1, UNITS), (-1, 1), (1,) * (UNITS + 1), (1, -5)):
        assert error(COUNTS, *wrong, 0, 0) == "CL_INVALID_DEVICE_PARTITION_COUNT", wrong
    # "the total number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS"
    assert error(EQUALLY, UNITS + 1, 0, room=UNITS + 1) == "CL_INVALID_DEVICE_PARTITION_COUNT"
    # "in_device could not be further partitioned": all of it in one part is no partition
    assert error(EQUALLY, UNITS, 0, room=UNITS) == "CL_DEVICE_PARTITION_FAILED"


def test_a_single_unit_cannot_be_divided(api, device, divide):
    single = device if UNITS == 1 else divide(device, COUNTS, 1, 0, 0)[0]
    assert long_list(api, single, E.DEVICE_PARTITION_PROPERTIES) == [0]
    assert api.number("clGetDeviceInfo", single, E.DEVICE_PARTITION_AFFINITY_DOMAIN) == 0
    for values in ((EQUALLY, 1, 0), (COUNTS, 1, 0, 0), (DOMAIN, NEXT, 0)):
        assert api.error("clCreateSubDevices", single, properties(*values), 0, None, None) == (
            "CL_DEVICE_PARTITION_FAILED")
    assert api.error("clCreateSubDevices", single, properties(EQUALLY, 0, 0), 0, None, None) == "CL_INVALID_VALUE"


# ---- life

@divisible
def test_reference_counts(api, device, divide):
    part, = divide(device, COUNTS, 1, 0, 0)

    def count():
        return api.number("clGetDeviceInfo", part, E.DEVICE_REFERENCE_COUNT)

    api.ok("clRetainDevice", part)
    api.ok("clRetainDevice", part)
    assert count() == 3
    with Place(api, part):
        assert count() == 3, "what the runtime holds is not counted"
    api.ok("clReleaseDevice", part)
    api.ok("clReleaseDevice", part)
    assert count() == 1


@divisible
def test_a_released_device_lives_while_it_is_used(api, device):
    parts = handles(None)
    api.ok("clCreateSubDevices", device, properties(COUNTS, 1, 0, 0), 1, parts, None)
    with Place(api, parts[0]) as place:
        api.ok("clReleaseDevice", parts[0])
        mem = api.make("clCreateBuffer", place.context, 0, 4, None)
        place.launch("add", mem, 5, 1)
        api.ok("clReleaseMemObject", mem)
        api.ok("clFinish", place.queue)
        assert units(api, parts[0]) == 1
    assert_gone(api, parts[0])


def assert_gone(api, part):
    deadline = time.monotonic() + 5      # the last command is let go a moment after the wait for it
    while api.error("clRetainDevice", part) != "CL_INVALID_DEVICE":
        api.clReleaseDevice(part)
        assert time.monotonic() < deadline
        time.sleep(0.001)


@divisible
def test_parts_of_parts(api, device, divide):
    whole, = divide(device, COUNTS, UNITS, 0, 0)
    inner = divide(whole, EQUALLY, 1, 0)
    assert len(inner) == UNITS
    for part in inner:
        assert api.number("clGetDeviceInfo", part, E.DEVICE_PARENT_DEVICE) == whole
    api.ok("clRetainDevice", inner[0])
    with Place(api, *inner) as place:    # each on its own processors, in the order of the units
        found = [place.processors(queue) for queue in place.queues]
    assert sorted(set().union(*found)) == CPUS[:len(set().union(*found))] or len(CPUS) > UNITS
    if len(CPUS) >= UNITS:
        assert sum(map(len, found)) == len(set().union(*found)), "no processor is of two parts"
    api.ok("clReleaseDevice", inner[0])


@divisible
def test_a_parent_outlives_its_parts(api, device):
    outer, inner = handles(None), handles(None)
    api.ok("clCreateSubDevices", device, properties(COUNTS, UNITS, 0, 0), 1, outer, None)
    api.ok("clCreateSubDevices", outer[0], properties(COUNTS, 1, 0, 0), 1, inner, None)
    api.ok("clReleaseDevice", outer[0])
    assert api.number("clGetDeviceInfo", inner[0], E.DEVICE_PARENT_DEVICE) == outer[0]
    assert units(api, outer[0]) == UNITS
    api.ok("clReleaseDevice", inner[0])
    assert_gone(api, inner[0])
    assert api.error("clRetainDevice", outer[0]) == "CL_INVALID_DEVICE"


# ---- running

def thread_times():
    """thread -> (nanoseconds of processor time, where it may run), without the one that compiles in the background"""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        try:
            if name_of(task) == "clpy special\n":
                continue
            spent = int((task / "schedstat").read_text().split()[0])
            found[int(task.name)] = spent, os.sched_getaffinity(int(task.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


@divisible
def test_a_queue_uses_only_the_processors_of_its_device(api, device, divide, buffer):
    """However the application waits: the time is spent by threads that are bound to the processors of the part, and
    no more of them than it has units."""
    parts = divide(device, EQUALLY, 1, 0)
    for part in parts[:1] + divide(device, COUNTS, UNITS - 1, 0, 0):
        with Place(api, part) as place:
            allowed = place.processors()
            assert allowed <= set(CPUS)
            assert len(allowed) <= max(1, -(-len(CPUS) * units(api, part) // UNITS))
            mem = buffer(size=4 * 64 * 1024, within=place.context)
            for wait in (lambda: api.ok("clFinish", place.queue), lambda: time.sleep(0.05)):
                before = thread_times()
                for _ in range(20):
                    place.launch("busy", mem, 8000, 64 * 1024)
                wait()
                api.ok("clFinish", place.queue)
                after = thread_times()
                spent = {task: after[task][0] - before.get(task, (0,))[0] for task in after}
                # Enqueueing takes time as well, a few hundredths of what the kernels do.
                at_work = {task for task in spent if spent[task] > sum(spent.values()) / 10}
                assert at_work
                assert all(after[task][1] == allowed for task in at_work), "a thread of somebody else"
                assert len(at_work) <= units(api, part)
                assert threading.get_native_id() not in at_work


@divisible
def test_copies_and_blocking_calls_stay_on_the_device(api, device, divide, buffer):
    part, = divide(device, COUNTS, 1, 0, 0)
    size = 64 << 20
    host = ctypes.create_string_buffer(size)
    with Place(api, part) as place:
        mem = buffer(size=size, within=place.context)
        before = time.thread_time_ns()
        whole = time.process_time_ns()
        for _ in range(8):
            api.ok("clEnqueueWriteBuffer", place.queue, mem, 1, 0, size, host, 0, None, None)
            api.ok("clEnqueueReadBuffer", place.queue, mem, 1, 0, size, host, 0, None, None)
        assert time.thread_time_ns() - before < (time.process_time_ns() - whole) / 4


@divisible
def test_a_native_kernel_may_wait_for_its_own_device(api, device, divide):
    """The only thread of a part works meanwhile: no deadlock."""
    part, = divide(device, COUNTS, 1, 0, 0)
    with Place(api, part) as place:
        other = api.make("clCreateCommandQueue", place.context, part, 0)
        calls = []
        inner = FUNCTION(lambda _: calls.append("inner"))

        def run(_):
            api.ok("clEnqueueNativeKernel", other, inner, None, 0, 0, None, None, 0, None, None)
            api.ok("clFinish", other)
            calls.append("outer")

        outer = FUNCTION(run)
        api.ok("clEnqueueNativeKernel", place.queue, outer, None, 0, 0, None, None, 0, None, None)
        api.ok("clFinish", place.queue)
        assert calls == ["inner", "outer"]
        api.ok("clReleaseCommandQueue", other)


@divisible
def test_a_native_kernel_may_wait_for_another_device(api, device, divide):
    part, = divide(device, COUNTS, 1, 0, 0)
    with Place(api, part, device) as place:
        calls = []
        inner = FUNCTION(lambda _: calls.append("inner"))
        for first, second in (place.queues, place.queues[::-1]):
            def run(_, second=second):
                api.ok("clEnqueueNativeKernel", second, inner, None, 0, 0, None, None, 0, None, None)
                api.ok("clFinish", second)

            outer = FUNCTION(run)
            for _ in range(20):
                api.ok("clEnqueueNativeKernel", first, outer, None, 0, 0, None, None, 0, None, None)
            api.ok("clFinish", first)
        assert len(calls) == 40


@divisible
def test_several_devices_in_one_context(api, device, divide, buffer):
    """Buffers, events and builds are the context's: a chain of commands goes from device to device."""
    parts = divide(device, EQUALLY, 1, 0)
    with Place(api, device, *parts) as place:
        mem = buffer(contents=bytes(4 * 1000), within=place.context)
        wait = ()
        for step in range(300):
            event = c_void_p()
            queue = place.queues[step % len(place.queues)]
            place.launch("add", mem, 1, 1000, queue, wait, byref(event))
            for each in wait:
                api.ok("clReleaseEvent", each)
            wait = (event.value,)
        host = (c_uint32 * 1000)()
        api.ok("clEnqueueReadBuffer", place.queues[1], mem, 1, 0, 4000, host, 1, handles(*wait), None)
        assert list(host) == [300] * 1000
        api.ok("clReleaseEvent", wait[0])


@divisible
def test_a_semaphore_of_one_device(api, device, divide):
    """"if the device associated with command_queue is not same as one of the devices specified by
    CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "belong to a context that does not contain a device associated with" it"""
    parts = divide(device, EQUALLY, 1, 0)
    with Place(api, *parts) as place, Place(api, device) as other:
        sema = api.make("clCreateSemaphoreWithPropertiesKHR", place.context, numbers(
            c_uint64, E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR, E.SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
            parts[0], 0, 0))
        for what in ("Signal", "Wait"):
            for queue in (place.queues[1], other.queue, place.queue):
                error = api.error(f"clEnqueue{what}SemaphoresKHR", queue, 1, handles(sema), None, 0, None, None)
                assert error == ("CL_SUCCESS" if queue == place.queue else "CL_INVALID_COMMAND_QUEUE")
        api.ok("clReleaseSemaphoreKHR", sema)


@divisible
def test_builds_are_shared(api, device, divide):
    """"A program binary built for a parent device can be used by all its sub-devices": one build for all of them."""
    parts = divide(device, EQUALLY, 1, 0)
    with Place(api, device, *parts) as place:
        status = [api.number("clGetProgramBuildInfo", place.program, each, E.PROGRAM_BUILD_STATUS)
                  for each in (device, *parts)]
        assert status == [0] * (1 + len(parts))
        from clpy.core.object import census
        assert census()["code"] == 1
        total = api.info("clGetProgramInfo", place.program, E.PROGRAM_BINARY_SIZES)
        assert len({total[i:i + 8] for i in range(0, len(total), 8)}) == 1


@divisible
def test_what_was_built_for_the_parent_runs_on_its_parts(api, device, divide, buffer):
    parts = divide(device, EQUALLY, 1, 0)
    with Place(api, device, *parts) as place:
        program = api.make("clCreateProgramWithSource", place.context, 1, (c_char_p * 1)(BUSY.encode()), None)
        api.ok("clBuildProgram", program, 1, handles(device), None, None, None)
        api.ok("clReleaseProgram", place.program)
        place.program = program
        mem = buffer(contents=bytes(4), within=place.context)
        for queue in place.queues:
            place.launch("add", mem, 2, 1, queue)
            api.ok("clFinish", queue)
        host = c_uint32()
        api.ok("clEnqueueReadBuffer", place.queues[-1], mem, 1, 0, 4, byref(host), 0, None, None)
        assert host.value == 2 * len(place.queues)
        for each in parts:               # queries too: "the program binary associated with the parent device"
            assert api.number("clGetProgramBuildInfo", program, each, E.PROGRAM_BUILD_STATUS) == 0
            assert api.number("clGetProgramBuildInfo", program, each, E.PROGRAM_BINARY_TYPE) == (
                E.PROGRAM_BINARY_TYPE_EXECUTABLE)
        kernel = api.make("clCreateKernel", program, b"add")
        for each in (device, *parts):
            assert api.number("clGetKernelWorkGroupInfo", kernel, each, E.KERNEL_WORK_GROUP_SIZE) > 0
        api.ok("clReleaseKernel", kernel)


@divisible
def test_devices_come_and_go_under_load(api, device):
    """Made, used by one or two threads, released while commands are still on their way."""
    def one(count):
        for _ in range(count):
            parts = handles(*[None] * UNITS)
            api.ok("clCreateSubDevices", device, properties(EQUALLY, 1, 0), UNITS, parts, None)
            context = api.make("clCreateContext", None, UNITS, parts, None, None)
            mem = api.make("clCreateBuffer", context, 0, 4096, None)
            for part in parts:
                queue = api.make("clCreateCommandQueue", context, part, 0)
                for i in range(5):
                    api.ok("clEnqueueFillBuffer", queue, mem, byref(c_int32(i)), 4, 0, 4096, 0, None, None)
                api.ok("clReleaseCommandQueue", queue)
                api.ok("clReleaseDevice", part)
            api.ok("clReleaseMemObject", mem)
            api.ok("clReleaseContext", context)

    threads = [threading.Thread(target=one, args=(30,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    deadline = time.monotonic() + 10
    while sum(1 for task in Path("/proc/self/task").iterdir() if name_of(task).startswith("clpy-sub")):
        assert time.monotonic() < deadline, "threads of devices that are gone"
        time.sleep(0.01)


def name_of(task):
    try:
        return (task / "comm").read_text()
    except OSError:              # it has just ended
        return ""


@divisible
def test_the_child_of_a_fork_makes_its_own(api, device, divide):
    part, = divide(device, COUNTS, 1, 0, 0)
    with Place(api, part) as place:
        place.processors()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                assert api.error("clRetainDevice", part) == "CL_INVALID_DEVICE"
                fresh = handles(None)
                api.ok("clCreateSubDevices", device, properties(COUNTS, 1, 0, 0), 1, fresh, None)
                with Place(api, fresh[0]) as inner:
                    assert inner.processors()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
