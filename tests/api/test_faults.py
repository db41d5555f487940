# SPDX-License-Identifier: Apache-2.0
"""Kernels that touch bad memory, or trap: their command fails, the callback and stderr hear of it, all else goes on."""
import os
import random
import re
import struct
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p

import pytest
from clapi import E, event_status, handles, numbers, sizes
from recording import OUT_OF_ORDER

pytestmark = pytest.mark.usefixtures("no_leak")

FAILED = E.OUT_OF_RESOURCES
NOTIFY = CFUNCTYPE(None, c_char_p, c_void_p, c_size_t, c_void_p)
# FAR is an address: chips of 64 bits may have no more than 32 for a place in a buffer.
SOURCE = """#define AT(p, i) (*(global int *)((ulong)(p) + sizeof(int) * (ulong)(i)))
int twice(global int *p, long i) {
    return AT(p, i) * 2;
}
kernel void far_read(global int *out, long far) {
    out[get_global_id(0)] = twice(out, get_global_id(0) + far);
}
kernel void far_write(global int *out, long far) {
    AT(out, get_global_id(0) + far) = 1;
}
kernel void null_write(global int *out, global int *nothing) {
    nothing[get_global_id(0)] = out[0];
}
kernel void trap(global int *out, long far) {
    if (out[0] == far) __builtin_trap();
    out[get_global_id(0)] = 5;
}
kernel void one_group(global int *out, long far) {
    if (get_group_id(0) == 3) AT(out, far + get_local_id(0)) = 1;
    else out[get_global_id(0)] = 2;
}
kernel void barriers(global int *out, long far, local int *shared) {
    size_t i = get_local_id(0);
    shared[i] = out[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    AT(out, get_global_id(0) + far) = shared[get_local_size(0) - 1 - i];
}
kernel void prints(global int *out, long far) {
    printf("%s\\n", (constant char *)far);
}
kernel void pointer_out(global float *out, long far) {
    out[0] = sincos(out[1], (global float *)far);
}
kernel void right(global int *out, long add) {
    out[get_global_id(0)] = (int)get_global_id(0) + (int)add;
}
"""
FAR = 1 << 40
ITEMS = 256


@pytest.fixture
def told(api, device):
    """(context, what its callback was told)"""
    texts = []
    notify = NOTIFY(lambda text, info, size, data: texts.append((text.decode(), c_int32.from_address(info).value)))
    context = api.make("clCreateContext", None, 1, handles(device), notify, None)
    yield context, texts
    api.ok("clReleaseContext", context)


@pytest.fixture
def launch(api, program, buffer):
    """new(queue, kernel's name, far, items, group) -> (event, buffer)"""
    made = []

    def new(queue, name, far=FAR, items=ITEMS, group=64, within=None, mem=None, after=()):
        key = within
        if key not in programs:
            programs[key] = program(SOURCE, within=within)
        kernel = api.make("clCreateKernel", programs[key], name.encode())
        made.append(("Kernel", kernel))
        mem = mem or buffer(contents=bytes(4 * ITEMS), within=within)
        api.ok("clSetKernelArg", kernel, 0, 8, handles(mem))
        if name == "null_write":
            api.ok("clSetKernelArg", kernel, 1, 8, handles(None))
        else:
            api.ok("clSetKernelArg", kernel, 1, 8, struct.pack("=q", far))
        if name == "barriers":
            api.ok("clSetKernelArg", kernel, 2, 4 * group, None)
        event = c_void_p()
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(items), sizes(group), len(after),
               handles(*after) if after else None, byref(event))
        made.append(("Event", event.value))
        return event.value, mem

    programs = {}
    yield new
    for kind, handle in reversed(made):
        api.ok(f"clRelease{kind}", handle)


def ended(api, event):
    api.error("clWaitForEvents", 1, handles(event))
    return event_status(api, event)


def numbers_of(contents, mem):
    return struct.unpack(f"={ITEMS}i", contents(mem, 4 * ITEMS))


BAD = ["far_read", "far_write", "null_write", "trap", "one_group", "barriers", "prints", "pointer_out"]


def where(name):
    return 0 if name == "trap" else 8 if name == "pointer_out" else FAR


class TestCommands:
    @pytest.mark.parametrize("name", BAD)
    @pytest.mark.parametrize("group", [1, 64])
    def test_a_fault_is_the_error_of_its_command(self, api, queue, launch, contents, name, group, capfd):
        event, mem = launch(queue, name, where(name), group=group)
        assert ended(api, event) == FAILED
        assert f"clpy: fault: kernel {name} " in capfd.readouterr().err
        event, mem = launch(queue, "right", 7)
        assert ended(api, event) == E.COMPLETE
        assert numbers_of(contents, mem) == tuple(range(7, 7 + ITEMS))

    def test_again_and_again_until_it_is_run_by_the_thread_that_enqueues_it(self, api, queue, launch, contents):
        """Launches that were short are run at once: with the same error."""
        for i in range(200):
            event, _ = launch(queue, "one_group", FAR if i % 10 == 9 else 0)
            assert ended(api, event) == (FAILED if i % 10 == 9 else E.COMPLETE)

    def test_what_waits_for_it_fails_too(self, api, queue, launch):
        bad, _ = launch(queue, "far_write")
        after, _ = launch(queue, "right", 1, after=(bad,))
        behind, _ = launch(queue, "right", 1)
        assert ended(api, after) == E.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        assert ended(api, behind) == E.COMPLETE

    def test_without_an_event_the_queue_tells(self, api, queue, kernel, buffer):
        k = kernel("kernel void k(global int *p) { *(global int *)((ulong)p + (1ul << 42)) = 1; }")
        api.ok("clSetKernelArg", k, 0, 8, handles(buffer(64)))
        api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None)
        assert api.error("clFinish", queue) == "CL_OUT_OF_RESOURCES"
        api.ok("clFinish", queue)

    def test_out_of_order(self, api, queues, launch):
        queue = queues(OUT_OF_ORDER)
        events = [launch(queue, name, where(name))[0] for name in BAD for _ in range(3)]
        right = [launch(queue, "right", 3)[0] for _ in range(10)]
        assert {ended(api, event) for event in events} == {FAILED}
        assert {ended(api, event) for event in right} == {E.COMPLETE}

    @pytest.mark.needs("sub-devices")
    def test_on_a_sub_device(self, api, device, launch):
        """Its own threads run it, and no other."""
        parts, n = (c_void_p * 64)(), c_uint32()
        wanted = numbers(c_size_t, E.DEVICE_PARTITION_EQUALLY, 1, 0)
        api.ok("clCreateSubDevices", device, wanted, 64, parts, byref(n))
        context = api.make("clCreateContext", None, 1, handles(parts[0]), None, None)
        queue = api.make("clCreateCommandQueue", context, parts[0], 0)
        for name in BAD:
            assert ended(api, launch(queue, name, where(name), within=context)[0]) == FAILED
        assert ended(api, launch(queue, "right", 1, within=context)[0]) == E.COMPLETE
        for kind, handle in [("CommandQueue", queue), ("Context", context), *(("Device", p) for p in parts[:n.value])]:
            api.ok(f"clRelease{kind}", handle)

    def test_in_a_command_buffer(self, api, queue, context, program, buffer, record, contents, capfd):
        mem = buffer(contents=bytes(4 * ITEMS))
        made, to, points = program(SOURCE), record(queue=queue), []
        for name in ("far_write", "right"):
            k = api.make("clCreateKernel", made, name.encode())
            api.ok("clSetKernelArg", k, 0, 8, handles(mem))
            api.ok("clSetKernelArg", k, 1, 8, struct.pack("=q", FAR if name == "far_write" else 7))
            points.append(to("NDRangeKernel", k, 1, None, sizes(ITEMS), sizes(64), after=points))
            api.ok("clReleaseKernel", k)
        event = c_void_p()
        to.run(event=byref(event))
        assert ended(api, event) == FAILED
        api.ok("clReleaseEvent", event)
        to.again()
        assert api.error("clFinish", queue) == "CL_OUT_OF_RESOURCES"
        assert "fault: kernel far_write writes" in capfd.readouterr().err
        assert numbers_of(contents, mem) == (0,) * ITEMS

    def test_in_a_context_that_can_be_terminated(self, api, device, launch):
        wanted = numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0)
        context = api.make("clCreateContext", wanted, 1, handles(device), None, None)
        queue = api.make("clCreateCommandQueue", context, device, 0)
        for name in BAD:
            assert ended(api, launch(queue, name, where(name), within=context)[0]) == FAILED
        assert ended(api, launch(queue, "right", 1, within=context)[0]) == E.COMPLETE
        api.ok("clReleaseCommandQueue", queue)
        api.ok("clReleaseContext", context)


class TestReport:
    def one(self, told, api, device, launch, name, far=FAR, **more):
        context, texts = told
        queue = api.make("clCreateCommandQueue", context, device, 0)
        assert ended(api, launch(queue, name, far, within=context, **more)[0]) == FAILED
        api.ok("clReleaseCommandQueue", queue)
        (text, status), = texts
        assert status == FAILED
        return text

    # On a model a trap has no place, the host prints, and where the chip's compiler made one store of two there is no
    # line for it.
    @pytest.mark.parametrize(("name", "line"), [
        ("far_read", "3 in twice, called at <source>:6 in far_read"), ("far_write", "9 in far_write"),
        ("null_write", "12 in null_write"), ("barriers", "26 in barriers"), ("pointer_out", "32 in pointer_out"),
        *(pytest.param(name, f"{line} in {name}", marks=pytest.mark.needs("host code"))
          for name, line in (("trap", 15), ("one_group", 19), ("prints", 29)))])
    def test_the_line(self, told, api, device, launch, name, line):
        """On a model of a GPU, too; but what the chip's compiler inlined has no name."""
        if api.number("clGetDeviceInfo", device, E.DEVICE_TYPE) == E.DEVICE_TYPE_GPU:
            line = f"{line.split()[0]} in {name}"
        assert f" at <source>:{line}" in self.one(told, api, device, launch, name, where(name))

    def test_a_null_pointer(self, told, api, device, launch):
        text = self.one(told, api, device, launch, "null_write")
        assert "kernel null_write writes 0x" in text
        assert "bytes from a null pointer" in text
        assert f"may be half written: argument out ({4 * ITEMS} bytes)" in text

    @pytest.mark.needs("host code")
    def test_behind_the_end(self, told, api, device, launch, buffer):
        """Large buffers end at a page that nobody may touch."""
        size = 1 << 20
        mem = buffer(size, within=told[0])
        text = self.one(told, api, device, launch, "far_write", size // 4, mem=mem, items=64)
        assert f"0 bytes behind the end of argument out ({size} bytes)" in text

    @pytest.mark.needs("host code")
    def test_before_the_start(self, told, api, device, launch, buffer):
        mem = buffer(4 << 20, within=told[0])
        text = self.one(told, api, device, launch, "far_write", -64, mem=mem, items=64)
        assert "256 bytes before the start of argument out (4194304 bytes)" in text

    def test_the_group(self, told, api, device, launch):
        text = self.one(told, api, device, launch, "one_group")
        assert re.search(r"work-groups? \((\d to )?3, 0, 0\)", text)
        assert "of 64 x 1 x 1 work-items" in text

    def test_stderr_is_told_once_per_kernel(self, told, api, device, launch, capfd):
        context, texts = told
        queue = api.make("clCreateCommandQueue", context, device, 0)
        for _ in range(5):
            ended(api, launch(queue, "far_write", within=context)[0])
        api.ok("clReleaseCommandQueue", queue)
        assert len(texts) == 5
        assert capfd.readouterr().err.count("fault: kernel far_write") == 1


@pytest.mark.parametrize("size", [64 << 10, 100000, (2 << 20) - 1, 2 << 20, 5 << 20])
def test_neighbours_of_large_buffers_are_safe(api, queue, launch, buffer, size):
    """One int before and one behind its pages."""
    pages = -(-size // 4096) * 4096
    for far in (-1, pages // 4):
        event, _ = launch(queue, "far_write", far, mem=buffer(size), items=1, group=1)
        assert ended(api, event) == FAILED


@pytest.mark.parametrize("size", [64 << 10, (2 << 20) - 4096, 2 << 20, 3 << 20])
def test_a_little_behind_the_end_may_be_read(api, queue, launch, buffer, size):
    """As programs do that load pixels of three bytes by four; a page farther on is a fault."""
    for far, expected in ((size // 4 - 1, E.COMPLETE), (size // 4 + 1023, FAILED)):
        event, _ = launch(queue, "far_read", far, mem=buffer(size), items=2, group=1)
        assert ended(api, event) == expected


@pytest.mark.needs("host code")
def test_large_private_arrays(api, queue, kernel, buffer, contents):
    """More than the stack of any thread has."""
    k = kernel("""kernel void k(global int *p, int n) {
        int x[6000000];
        for (int i = 0; i < n; i++) x[(p[2] * i) % n] = p[1] + i;
        for (int i = 0; i < n; i++) p[0] = (p[0] + x[(p[3] * i) % n]) % 9973;
    }""")
    mem = buffer(contents=struct.pack("=16i", *range(16)))
    api.ok("clSetKernelArg", k, 0, 8, handles(mem))
    api.ok("clSetKernelArg", k, 1, 4, struct.pack("=i", 6000000))
    for _ in range(3):
        api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None)
        api.ok("clFinish", queue)
        api.ok("clEnqueueWriteBuffer", queue, mem, 1, 4, 4, struct.pack("=i", 1), 0, None, None)
    assert struct.unpack("=i", contents(mem, 4))[0] != 0


def test_random_faults_between_right_kernels(api, queues, launch, contents):
    """FAULTS=1000 for more of them."""
    rng = random.Random(1)
    some = [queues(), queues(OUT_OF_ORDER)]
    for _ in range(int(os.environ.get("FAULTS", 60))):
        name = rng.choice(BAD)
        bad = launch(rng.choice(some), name, where(name), group=rng.choice([1, 16, 64]))[0]
        add = rng.randrange(1 << 20)
        good, mem = launch(rng.choice(some), "right", add, group=rng.choice([1, 16, 64]))
        assert ended(api, good) == E.COMPLETE
        assert numbers_of(contents, mem) == tuple(range(add, add + ITEMS))
        assert ended(api, bad) == FAILED
