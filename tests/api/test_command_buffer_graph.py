# SPDX-License-Identifier: Apache-2.0
"""Random graphs of commands, of sync points, barriers and in-order queues, against one after the other on the host."""
import random
import struct
from ctypes import byref, c_uint32, c_uint64, c_void_p

import pytest
from clapi import E, handles, numbers, sizes
from recording import OUT_OF_ORDER, Recorder, ints

pytestmark = pytest.mark.usefixtures("no_leak")

# Each command writes a cell of its own from those of the commands it waits for, which hold -1 until they have run.
SOURCE = """kernel void k(global int *cells, global const int *from, int n, int to, int spin) {
    int sum = to;
    for (int i = 0; i < n; i++)
        sum += cells[from[i]] * (i + 1);
    for (volatile int i = 0; i < spin; i++) ;
    cells[to] = sum & 0x3FFFFFFF; }"""


class Graph:
    """`commands`: (kind, queue, explicit waits) each; `reads[i]`: the cells that command i reads."""

    def __init__(self, seed, n, n_queues, in_order):
        self.random = random.Random(seed)
        self.n, self.in_order = n, in_order
        self.queues = [self.random.randrange(n_queues) for _ in range(n)]
        self.kinds, self.waits, self.reads, self.values = [], [], [], []
        before = [set() for _ in range(n)]       # of each, all that are certain to be complete
        last, barrier = {}, None
        for i in range(n):
            kind = self.random.choices(("kernel", "barrier"), (9, 1))[0]
            waits = self.random.sample(range(i), min(i, self.random.randrange(4)))
            direct = set(waits)
            if in_order[self.queues[i]] and self.queues[i] in last:
                direct.add(last[self.queues[i]])
            if barrier is not None:
                direct.add(barrier)
            if kind == "barrier" and not waits:
                direct = set(range(i))
            before[i] = direct.union(*[before[j] for j in direct])
            last[self.queues[i]] = i
            if kind == "barrier":
                barrier = i
            self.kinds.append(kind)
            self.waits.append(waits)
            known = sorted(j for j in before[i] if self.kinds[j] == "kernel")
            self.reads.append(self.random.sample(known, min(len(known), 6)) if kind == "kernel" else [])
            self.values.append((i + sum(self.values[j] * (p + 1) for p, j in enumerate(self.reads[i]))) & 0x3FFFFFFF
                               if kind == "kernel" else -1)


@pytest.fixture
def run_graph(api, queue, queues, kernel, buffer, contents, record):
    def run(seed, n, n_queues, times=3):
        in_order = [random.Random(seed + i).random() < 0.4 for i in range(n_queues)]
        graph, on = Graph(seed, n, n_queues, in_order), [queues(0 if each else OUT_OF_ORDER) for each in in_order]
        r, k, cells = record(*on), kernel(SOURCE), buffer(4 * n)
        points = []
        for i in range(n):
            after = [points[j] for j in graph.waits[i]]
            if graph.kinds[i] == "barrier":
                points.append(r("BarrierWithWaitList", after=after, queue=on[graph.queues[i]]))
                continue
            reads = buffer(contents=struct.pack(f"={len(graph.reads[i]) + 1}i", *graph.reads[i], 0))
            spin = graph.random.choice((0, 0, 0, 20, 2000))
            for index, arg in enumerate((handles(cells), handles(reads), *(struct.pack("=i", value) for value in (
                    len(graph.reads[i]), i, spin)))):
                api.ok("clSetKernelArg", k, index, 8 if index < 2 else 4, arg)
            points.append(r("NDRangeKernel", k, 1, None, sizes(1), None, after=after, queue=on[graph.queues[i]]))
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for _ in range(times):
            api.ok("clEnqueueFillBuffer", queue, cells, struct.pack("=i", -1), 4, 0, 4 * n, 0, None, None)
            api.ok("clFinish", queue)
            r.again()
            for each in on:
                api.ok("clFinish", each)
            assert ints(contents(cells, 4 * n)) == graph.values
    return run


@pytest.mark.parametrize("seed", range(12))
def test_one_queue(run_graph, seed):
    run_graph(seed, 60, 1)


@pytest.mark.parametrize("seed", range(100, 108))
def test_several_queues(run_graph, seed):
    run_graph(seed, 60, 1 + seed % 4)


def test_a_large_one(run_graph):
    run_graph(4711, 1500, 2, times=2)


class TestImages:
    """The commands on images; on a device without any they are refused as the specification says."""

    FORMAT = (c_uint32 * 2)(E.RGBA, E.UNSIGNED_INT8)

    @pytest.fixture
    def image(self, api, context, device):
        made = []

        def new(contents):
            made.append(api.make("clCreateImage2D", context, E.MEM_COPY_HOST_PTR, self.FORMAT, 4, 4, 0, contents))
            return made[-1]

        yield new
        for each in made:
            api.ok("clReleaseMemObject", each)

    def read(self, api, queue, image):
        room = (c_uint32 * 16)()
        api.ok("clEnqueueReadImage", queue, image, 1, sizes(0, 0, 0), sizes(4, 4, 1), 0, 0, room, 0, None, None)
        return list(room)

    def test_commands(self, api, device, queue, record, buffer, contents, image):
        if not api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT):
            mem = buffer(64)
            assert record().error("FillImage", mem, handles(0, 0), sizes(0, 0, 0), sizes(1, 1, 1)) \
                == "CL_INVALID_MEM_OBJECT"
            return
        a, b = image(bytes(range(64))), image(bytes(64))
        flat, out, r = buffer(contents=bytes(range(100, 164))), buffer(contents=bytes(64)), record()
        r("CopyImage", a, b, sizes(0, 0, 0), sizes(1, 1, 0), sizes(2, 2, 1))
        r("FillImage", b, struct.pack("=4I", 1, 2, 3, 4), sizes(3, 3, 0), sizes(1, 1, 1))
        r("CopyBufferToImage", flat, b, 4, sizes(0, 0, 0), sizes(4, 1, 1))
        r("CopyImageToBuffer", b, out, sizes(0, 0, 0), sizes(4, 4, 1), 0)
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for _ in range(2):
            r.again()
            pixels = self.read(api, queue, b)
            words = list(struct.unpack("=16I", bytes(range(64))))
            expected = [0] * 16
            expected[0:4] = struct.unpack("=4I", bytes(range(104, 120)))
            expected[5:7], expected[9:11] = words[0:2], words[4:6]
            expected[15] = 0x04030201
            assert pixels == expected
            assert list(struct.unpack("=16I", contents(out, 64))) == expected

    def test_errors(self, api, device, record, image, buffer):
        if not api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT):
            return
        a, mem, r, colour = image(bytes(64)), buffer(64), record(), struct.pack("=4I", 1, 2, 3, 4)
        one, zero = sizes(1, 1, 1), sizes(0, 0, 0)
        bad = {"FillImage": (mem, colour, zero, one), "CopyImage": (a, mem, zero, zero, one),
               "CopyBufferToImage": (a, a, 0, zero, one), "CopyImageToBuffer": (mem, mem, zero, one, 0)}
        good = {"FillImage": (a, colour, zero, one), "CopyImage": (a, a, zero, sizes(1, 1, 0), one),
                "CopyBufferToImage": (mem, a, 0, zero, one), "CopyImageToBuffer": (a, mem, zero, one, 0)}
        for command, args in bad.items():
            assert r.error(command, *args) == "CL_INVALID_MEM_OBJECT"
            args = good[command]
            assert r.error(command, *args, handle=byref(c_void_p())) == "CL_INVALID_VALUE"
            assert r.error(command, *args, properties=numbers(c_uint64, 1, 1, 0)) == "CL_INVALID_VALUE"
            assert r.error(command, *args, after=[9]) == "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR"
            assert Recorder(api, None).error(command, *args) == "CL_INVALID_COMMAND_BUFFER_KHR"
            r(command, *args)
        api.ok("clFinalizeCommandBufferKHR", r.target)
        for command, args in good.items():
            assert r.error(command, *args) == "CL_INVALID_OPERATION"


@pytest.mark.usefixtures("capfd")
def test_what_an_error_leaves_out(api, queue, set_args, buffer, record, contents):
    """It is not run and takes no time, each time. On a device with a clock of its own that is another way."""
    source = ("kernel void far(global int *cells, int at)"
              "{ *(global int *)((ulong)cells + ((ulong)at << 32)) = 1; }")
    mem, to, points = buffer(contents=bytes(8)), record(queue=queue), []
    for at in (1 << 10, 0):
        launch = set_args(source, mem, at, name="far")
        points.append(to("NDRangeKernel", launch, 1, None, sizes(1), None, after=points))
    to("CopyBuffer", mem, mem, 0, 4, 4, after=points)
    to.run()
    assert api.error("clFinish", queue) == "CL_OUT_OF_RESOURCES"
    to.again()
    assert api.error("clFinish", queue) == "CL_OUT_OF_RESOURCES"
    assert contents(mem, 8) == bytes(8)
