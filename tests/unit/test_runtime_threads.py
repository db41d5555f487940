# SPDX-License-Identifier: Apache-2.0
"""The threads of the CPU device: every work-group runs once, no more threads than promised, the caller's floating-point
state, an idle process, a process that gets no threads, the child of a fork."""
import ctypes
import os
import random
import resource
import signal
import subprocess
import sys
import time
from ctypes import byref, c_char_p, c_void_p, create_string_buffer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from at_once import at_once
from clapi import API, E, handles, sizes

SOURCE = b"""
kernel void count(global uint *seen, uint width, uint height) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    atomic_inc(&seen[x + width * (y + height * z)]);
}
kernel void crowd(global volatile int *now, global volatile int *most, global uint *sink) {
    if (get_local_id(0) == 0)
        atomic_max(most, atomic_inc(now) + 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint x = get_global_id(0);
    for (int i = 0; i < 3000; i++)
        x = x * x + i;
    sink[get_global_id(0)] = x;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_dec(now);
}
kernel void keeps(global int *a, int n) {
    int kept[4096];
    for (int i = 0; i < 4096; i++)
        kept[i] = a[i & 15] + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_global_id(0)] = kept[(uint)(a[0] * n) & 4095u];
}
kernel void third(global float *a) { a[get_global_id(0)] = a[get_global_id(0)] / 3.0f; }
kernel void add(global uint *a, uint k) { a[get_global_id(0)] += k; }
"""
UPWARD = 0x800                   # FE_UPWARD
MIB = 1 << 20


class Session:
    def __init__(self, notify=None, data=None):
        self.api = api = API()
        self.device = api.devices()[0]
        self.context = api.make("clCreateContext", None, 1, handles(self.device), notify, data)
        self.queue = self.new_queue()
        self.program = api.make("clCreateProgramWithSource", self.context, 1, (c_char_p * 1)(SOURCE), None)
        api.ok("clBuildProgram", self.program, 0, None, b"-cl-std=CL3.0", None, None)

    def new_queue(self, mode=0):
        return self.api.make("clCreateCommandQueue", self.context, self.device, mode)

    def buffer(self, contents):
        return self.api.make("clCreateBuffer", self.context, E.MEM_COPY_HOST_PTR, len(contents), contents)

    def read(self, mem, size, queue=None):
        host = create_string_buffer(size)
        self.api.ok("clEnqueueReadBuffer", queue or self.queue, mem, 1, 0, size, host, 0, None, None)
        return host.raw

    def kernel(self, name, *values):
        kernel = self.api.make("clCreateKernel", self.program, name)
        for i, value in enumerate(values):
            value = c_void_p(value) if isinstance(value, int) else value
            self.api.ok("clSetKernelArg", kernel, i, ctypes.sizeof(value), byref(value))
        return kernel

    def launch(self, kernel, size, local=None, offset=None, queue=None):
        offset, local = (sizes(*numbers) if numbers else None for numbers in (offset, local))
        self.api.ok("clEnqueueNDRangeKernel", queue or self.queue, kernel, len(size), offset, sizes(*size), local, 0,
                    None, None)


@pytest.fixture(scope="module")
def session():
    return Session()


def test_every_item_runs_once(session):
    """In one to three dimensions, with offsets and groups that do not divide the range."""
    dice = random.Random(1)
    api = session.api
    for _ in range(60):
        dims = dice.randint(1, 3)
        size = [dice.choice((1, 2, 7, 33, 64, 500 if dims < 3 else 40)) for _ in range(dims)]
        local = [dice.randint(1, min(s, 9)) for s in size] if dice.random() < 0.8 else None
        offset = [dice.choice((0, 5)) for _ in size] if dice.random() < 0.5 else None
        full = size + [1] * (3 - dims)
        items = full[0] * full[1] * full[2]
        mem = session.buffer(bytes(4 * items))
        kernel = session.kernel(b"count", mem, ctypes.c_uint32(full[0]), ctypes.c_uint32(full[1]))
        for _ in range(3):
            session.launch(kernel, size, local, offset)
        assert session.read(mem, 4 * items) == b"\3\0\0\0" * items, (size, local, offset)
        api.ok("clReleaseKernel", kernel)
        api.ok("clReleaseMemObject", mem)


def test_no_more_threads_than_compute_units(session):
    """However many host threads wait and help."""
    api = session.api
    units = api.number("clGetDeviceInfo", session.device, E.DEVICE_MAX_COMPUTE_UNITS)
    now, most, sink = session.buffer(bytes(4)), session.buffer(bytes(4)), session.buffer(bytes(4 * 4096))

    def one(_):
        queue = session.new_queue()
        kernel = session.kernel(b"crowd", now, most, sink)
        for _ in range(30):
            session.launch(kernel, [4096], [16], queue=queue)
            api.ok("clFinish", queue)
        api.ok("clReleaseKernel", kernel)
        api.ok("clReleaseCommandQueue", queue)

    at_once(one, 4)
    assert int.from_bytes(session.read(now, 4), "little") == 0
    assert 1 <= int.from_bytes(session.read(most, 4), "little") <= units
    for mem in (now, most, sink):
        api.ok("clReleaseMemObject", mem)


def test_many_host_threads(session):
    """Each with queues of its own and one that all share; sums that come out right only if nothing runs twice."""
    api, shared, errors = session.api, session.new_queue(), []
    total, rounds = session.buffer(bytes(4 * 64)), 200

    def one(seed):
        dice, own = random.Random(seed), session.new_queue(E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        mem = session.buffer(bytes(4 * 8192))
        mine, ours = session.kernel(b"add", mem, ctypes.c_uint32(1)), session.kernel(b"add", total, ctypes.c_uint32(1))
        for expected in range(1, rounds + 1):
            session.launch(ours, [64], queue=shared)
            session.launch(mine, [8192], [dice.choice((8, 64, 1024))], queue=own)
            api.ok("clEnqueueBarrier", own)
            if dice.random() < 0.1:
                got = session.read(mem, 4 * 8192, own)
                if got != expected.to_bytes(4, "little") * 8192:
                    errors.append((seed, expected))
        api.ok("clFinish", own)
        for name, thing in (("Kernel", mine), ("Kernel", ours), ("MemObject", mem), ("CommandQueue", own)):
            api.ok("clRelease" + name, thing)

    at_once(one, 6)
    assert errors == []
    assert session.read(total, 4 * 64, shared) == (6 * rounds).to_bytes(4, "little") * 64
    api.ok("clReleaseMemObject", total)
    api.ok("clReleaseCommandQueue", shared)


@pytest.mark.parametrize("items", [1, 1 << 16], ids=["short", "shared"])
def test_floating_point_state(session, items):
    """Kernels round to nearest; the caller's rounding mode is its own, before and after."""
    libm = ctypes.CDLL("libm.so.6")
    one = bytes(ctypes.c_float(1))
    mem = session.buffer(one * items)
    kernel = session.kernel(b"third", mem)
    for _ in range(20):
        session.api.ok("clEnqueueFillBuffer", session.queue, mem, one, 4, 0, 4 * items, 0, None, None)
        before = libm.fegetround()
        libm.fesetround(UPWARD)
        try:
            session.launch(kernel, [items])
            session.api.ok("clFinish", session.queue)
            assert libm.fegetround() == UPWARD
        finally:
            libm.fesetround(before)
        assert session.read(mem, 4 * items) == bytes.fromhex("abaaaa3e") * items      # 0.333333343
    session.api.ok("clReleaseKernel", kernel)
    session.api.ok("clReleaseMemObject", mem)


def time_used_in(seconds):
    before = time.process_time()
    time.sleep(seconds)
    return time.process_time() - before


def test_an_idle_process_uses_no_time(session):
    mem = session.buffer(bytes(4 * 65536))
    kernel = session.kernel(b"add", mem, ctypes.c_uint32(1))
    session.launch(kernel, [65536], [16])
    session.api.ok("clFinish", session.queue)
    # On a busy machine a thread may come late to its search for work: one quiet while is enough, for who never sleeps
    # has none.
    assert any(time_used_in(0.2) < 0.004 for _ in range(20))
    session.api.ok("clReleaseKernel", kernel)
    session.api.ok("clReleaseMemObject", mem)


def test_threads_leave_signals_to_the_application(session):
    blocked = {}
    for task in Path("/proc/self/task").iterdir():
        fields = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        if fields["Name"].startswith("clpy-"):
            blocked[fields["Name"]] = int(fields["SigBlk"], 16)
    assert "clpy-0" in blocked
    for name, mask in blocked.items():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGUSR1):
            assert mask >> number - 1 & 1, (name, number)


def use_all(session, rounds=20):
    """Launches of many groups, big copies, gated commands: what needs threads. True when all of it was right."""
    api, words = session.api, MIB
    mem, other = session.buffer(bytes(4 * words)), session.buffer(bytes(4 * words))
    kernel = session.kernel(b"add", mem, ctypes.c_uint32(1))
    for _ in range(rounds):
        gate = api.make("clCreateUserEvent", session.context)
        api.ok("clEnqueueMarkerWithWaitList", session.queue, 1, handles(gate), None)
        session.launch(kernel, [words], [64])
        api.ok("clEnqueueCopyBuffer", session.queue, mem, other, 0, 0, 4 * words, 0, None, None)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clReleaseEvent", gate)
    right = session.read(other, 4 * words) == rounds.to_bytes(4, "little") * words
    api.ok("clReleaseKernel", kernel)
    api.ok("clReleaseMemObject", mem)
    api.ok("clReleaseMemObject", other)
    return right


def exit_code(pid, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def end_with_a_fault(session):
    kernel = session.kernel(b"add", 0, ctypes.c_uint32(1))
    session.launch(kernel, [64], [64])
    assert session.api.error("clFinish", session.queue) == "CL_OUT_OF_RESOURCES"
    session.api.ok("clReleaseKernel", kernel)


@pytest.mark.parametrize("faults", [0, 1])
def test_the_child_of_a_fork_begins_anew(session, faults):
    """While commands of the parent are in flight. Objects of the parent are dead in the child; its own work."""
    api = session.api
    assert use_all(session, 3)
    for _ in range(faults):
        end_with_a_fault(session)
    gate, event = api.make("clCreateUserEvent", session.context), c_void_p()
    api.ok("clEnqueueMarkerWithWaitList", session.queue, 1, handles(gate), byref(event))
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            assert api.error("clFinish", session.queue) == "CL_INVALID_COMMAND_QUEUE"
            assert api.error("clReleaseContext", session.context) == "CL_INVALID_CONTEXT"
            assert api.error("clReleaseEvent", event) == "CL_INVALID_EVENT"
            assert api.error("clSetUserEventStatus", gate, 0) == "CL_INVALID_EVENT"
            code = 0 if use_all(Session(), 3) else 2
        finally:
            os._exit(code)
    assert exit_code(pid) == 0
    api.ok("clSetUserEventStatus", gate, E.COMPLETE)
    api.ok("clWaitForEvents", 1, byref(event))
    api.ok("clReleaseEvent", gate)
    api.ok("clReleaseEvent", event)
    assert use_all(session, 3)


def run_alone(function, **environment):
    """This file as a program: `function` in a fresh process, which keeps no stacks of threads that have ended."""
    environment.setdefault("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=0")
    done = subprocess.run([sys.executable, __file__, function], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_threads():
    """No address space for a thread's stack: whoever brings work, or waits for it, does it."""
    session = Session()
    limit_address_space(7 * MIB)
    words = 1 << 14
    mem = session.buffer(bytes(4 * words))
    kernel = session.kernel(b"add", mem, ctypes.c_uint32(1))
    for _ in range(20):
        gate, event = session.api.make("clCreateUserEvent", session.context), c_void_p()
        session.api.ok("clEnqueueNDRangeKernel", session.queue, kernel, 1, None, sizes(words), sizes(16), 1,
                       handles(gate), byref(event))
        session.api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        while session.api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS) != E.COMPLETE:
            pass
        session.launch(kernel, [words], [16])
        session.api.ok("clFlush", session.queue)
    assert session.read(mem, 4 * words) == (40).to_bytes(4, "little") * words
    names = [(task / "comm").read_text() for task in Path("/proc/self/task").iterdir()]
    assert not [name for name in names if name.startswith("clpy-")], names


def short_of_memory():
    """No memory for what the work-items of a group keep across a barrier: the command fails, and the context's callback
    is told so, nothing else does."""
    told = []
    notify = ctypes.CFUNCTYPE(None, c_char_p, c_void_p, ctypes.c_size_t, c_void_p)(
        lambda text, info, size, data: told.append((text, ctypes.string_at(info, size), data)))
    session, event = Session(notify, 1234), c_void_p()
    api, mem = session.api, session.buffer(bytes(4 * 4096))
    kernel = session.kernel(b"keeps", mem, ctypes.c_int(3))
    add = session.kernel(b"add", mem, ctypes.c_uint32(1))
    session.launch(add, [4096])
    api.ok("clFinish", session.queue)
    limit_address_space(48 * MIB)
    # 64 MiB for a group, which malloc does not find in what a build has left behind
    for out in (None, byref(event)):
        api.ok("clEnqueueNDRangeKernel", session.queue, kernel, 1, None, sizes(4096), sizes(4096), 0, None, out)
        error = api.error("clFinish", session.queue)
        assert error == ("CL_SUCCESS" if out else "CL_OUT_OF_RESOURCES"), error
    status = api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS)
    assert int.from_bytes(status, "little", signed=True) == -5, status
    session.launch(add, [4096])
    assert session.read(mem, 4 * 4096) == b"\2\0\0\0" * 4096
    assert len(told) == 2, told
    for text, info, data in told:
        assert b"-5" in text
        assert int.from_bytes(info, "little", signed=True) == -5
        assert data == 1234


# What else takes address space while there is little: stacks of threads, and a heap for each of them.
FEW_THREADS = {"CLPY_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "1"}


def test_short_of_memory():
    run_alone("short_of_memory", **FEW_THREADS)


def short_of_memory_in_a_command_buffer():
    """Its failure is told by the next clFinish of each of its queues, once; unless there is an event that tells it."""
    session, event = Session(), c_void_p()
    api, mem = session.api, session.buffer(bytes(4 * 4096))
    kernel = session.kernel(b"keeps", mem, ctypes.c_int(3))
    queues = [session.queue, session.new_queue(), session.new_queue(E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)]
    recorded = []
    for count in (1, 3):
        recorded.append(api.make("clCreateCommandBufferKHR", count, handles(*queues[:count]), None))
        api.ok("clCommandNDRangeKernelKHR", recorded[-1], queues[count // 2], None, kernel, 1, None, sizes(4096),
               sizes(4096), 0, None, None, None)
        api.ok("clFinalizeCommandBufferKHR", recorded[-1])
    limit_address_space(48 * MIB)

    def told(target, gate=None, out=None):
        api.ok("clEnqueueCommandBufferKHR", 0, None, target, 1 if gate else 0, handles(gate) if gate else None, out)
        if gate:
            api.ok("clSetUserEventStatus", gate, -9)
        return [[api.error("clFinish", queue) for queue in queues] for _ in range(2)]

    fine, failed = "CL_SUCCESS", "CL_OUT_OF_RESOURCES"
    assert told(recorded[0]) == [[failed, fine, fine], [fine] * 3]
    assert told(recorded[1]) == [[failed] * 3, [fine] * 3]
    for target in recorded:
        assert told(target, out=byref(event)) == [[fine] * 3] * 2
        status = api.info("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS)
        assert int.from_bytes(status, "little", signed=True) == -5, status
        # It did not run: whoever made the gate fail knows.
        assert told(target, gate=api.make("clCreateUserEvent", session.context)) == [[fine] * 3] * 2


def test_short_of_memory_in_a_command_buffer():
    run_alone("short_of_memory_in_a_command_buffer", **FEW_THREADS)


def limit_address_space(more):
    """What is in use now, and `more` bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    in_use = int(next(line for line in lines if line.startswith("VmSize")).split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (in_use + more, resource.RLIM_INFINITY))


def exit_with_work_in_flight():
    session = Session()
    mem = session.buffer(bytes(4 * MIB))
    kernel = session.kernel(b"crowd", session.buffer(bytes(4)), session.buffer(bytes(4)), mem)
    for _ in range(200):
        session.launch(kernel, [MIB], [64])
    gate = session.api.make("clCreateUserEvent", session.context)
    session.api.ok("clEnqueueMarkerWithWaitList", session.queue, 1, handles(gate), None)
    session.api.ok("clFlush", session.queue)
    sys.stdout.write("in flight")


def test_without_threads():
    run_alone("without_threads")


def test_exit_with_work_in_flight():
    assert run_alone("exit_with_work_in_flight") == "in flight"


if __name__ == "__main__":
    globals()[sys.argv[1]]()


PLACES = '''
import ctypes
import os
from clapi import API, E, handles, sizes
api = API()
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
queue = api.make("clCreateCommandQueue", context, device, 0)
text = b"""kernel void f(global float *a) {
    float x = 1; for (int i = 0; i < 40000; i++) x = sin(x); a[get_global_id(0)] = x; }"""
program = api.make("clCreateProgramWithSource", context, 1, (ctypes.c_char_p * 1)(text), None)
api.ok("clBuildProgram", program, 0, None, None, None, None)
kernel = api.make("clCreateKernel", program, b"f")
buffer = api.make("clCreateBuffer", context, 0, 1 << 16, None)
api.ok("clSetKernelArg", kernel, 0, 8, handles(buffer))
for _ in range(5):
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(1 << 14), sizes(16), 0, None, None)
    api.ok("clFinish", queue)
for thread in os.listdir("/proc/self/task"):
    name = open(f"/proc/self/task/{thread}/comm").read().strip()
    if name.startswith("clpy-") and name[5:].isdigit():
        print(*sorted(os.sched_getaffinity(int(thread))))
'''


def places_of_workers(tmp_path, **environment):
    """The processors that each worker may be on."""
    script = tmp_path / "places.py"
    script.write_text(PLACES)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
                               "CLPY_DEVICES": "cpu", **environment})
    assert done.returncode == 0, done.stderr
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def test_threads_stay_on_processors_of_their_own(tmp_path):
    """Where there are as many: of fewer, those of another process would share them, and leave the others idle."""
    allowed = sorted(os.sched_getaffinity(0))
    n = len(allowed)
    pinned = places_of_workers(tmp_path, CLPY_PIN_THREADS="1", CLPY_NUM_THREADS=str(n))
    assert pinned
    assert sorted(pinned) == sorted([each] for each in allowed[:len(pinned)]) if n > 1 else [allowed]
    for environment in ({"CLPY_PIN_THREADS": "1", "CLPY_NUM_THREADS": str(n + 1)},
                        {"CLPY_PIN_THREADS": "0", "CLPY_NUM_THREADS": str(n)}):
        assert {tuple(each) for each in places_of_workers(tmp_path, **environment)} == {tuple(allowed)}
