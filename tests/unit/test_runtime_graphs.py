# SPDX-License-Identifier: Apache-2.0
"""Thousands of random graphs of commands over several queues, compared with doing the same one after the other.

A command reads and writes cells (buffers). Two commands that touch the same cell, one of them writing, are ordered by
something the specification offers: the order of a queue, a barrier, an event. Nothing else orders them, so the graph
may run in many ways and must give the same cells, the same statuses and the same errors in all of them.
"""
import os
import random
import sys
import threading
from ctypes import byref, c_char_p, c_int32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clapi import API, E, handles, sizes

SOURCE = b"""
kernel void mix(global ulong *a, global const ulong *b, ulong k) { a[0] = a[0] * 6364136223846793005ul + b[0] + k; }
kernel void spread(global ulong *a, global const ulong *b, ulong k) {
    size_t i = get_global_id(0);
    a[i] = a[i] * 6364136223846793005ul + b[i] + k;
}
"""
MASK = 2**64 - 1
WIDE = 512                       # words of a cell that several work-groups touch
FAILED = -14                     # CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
GRAPHS = int(os.environ.get("GRAPHS", "1500"))


class Machine:
    """A context with queues of all sorts and a set of cells."""

    def __init__(self):
        self.api = api = API()
        self.device = api.devices()[0]
        self.context = api.make("clCreateContext", None, 1, handles(self.device), None, None)
        modes = (0, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, E.QUEUE_PROFILING_ENABLE,
                 E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | E.QUEUE_PROFILING_ENABLE)
        self.out_of_order = [bool(mode & E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) for mode in modes]
        self.queues = [api.make("clCreateCommandQueue", self.context, self.device, mode) for mode in modes]
        self.widths = [1] * 8 + [WIDE] * 3
        self.cells = [api.make("clCreateBuffer", self.context, 0, 8 * width, None) for width in self.widths]
        program = api.make("clCreateProgramWithSource", self.context, 1, (c_char_p * 1)(SOURCE), None)
        api.ok("clBuildProgram", program, 0, None, b"", None, None)
        self.kernels = {1: api.make("clCreateKernel", program, b"mix"),
                        WIDE: api.make("clCreateKernel", program, b"spread")}
        api.ok("clReleaseProgram", program)

    def close(self):
        api = self.api
        for kernel in self.kernels.values():
            api.ok("clReleaseKernel", kernel)
        for cell in self.cells:
            api.ok("clReleaseMemObject", cell)
        for queue in self.queues:
            api.ok("clReleaseCommandQueue", queue)
        api.ok("clReleaseContext", self.context)

    def read(self, cell):
        host = create_string_buffer(8 * self.widths[cell])
        self.api.ok("clEnqueueReadBuffer", self.queues[0], self.cells[cell], 1, 0, len(host), host, 0, None, None)
        return host.raw


class Graph:
    """One random graph: enqueued as it is made, together with what it must give."""

    def __init__(self, machine, seed):
        self.machine, self.api = machine, machine.api
        self.random = random.Random(seed)
        self.events = []         # handle of each command, then of user events too
        self.before = []         # of each, a bit set of all it is ordered after
        self.failed = []         # of each, the status it must end with
        self.touched = []        # (reads, writes)
        self.gates = []          # user events not set yet: (index, status they will get)
        self.previous = [None] * len(machine.queues)   # in order: the last command
        self.last_barrier = [None] * len(machine.queues)
        self.all_of = [0] * len(machine.queues)        # bit set of a queue's commands
        self.values = [[self.random.getrandbits(64)] * width for width in machine.widths]
        for cell, words in zip(machine.cells, self.values, strict=True):
            pattern = words[0].to_bytes(8, "little")
            self.api.ok("clEnqueueFillBuffer", machine.queues[0], cell, pattern, 8, 0, 8 * len(words), 0, None, None)
        self.api.ok("clFinish", machine.queues[0])

    def note(self, event, before, failed, touched):
        self.events.append(event)
        self.before.append(before)
        self.failed.append(failed)
        self.touched.append(touched)
        return len(self.events) - 1

    def add_gate(self):
        event = self.api.make("clCreateUserEvent", self.machine.context)
        status = self.random.choice((0, 0, 0, -5))
        self.gates.append((self.note(event, 0, status, ((), ())), status))

    def set_gate(self, i):
        index, status = self.gates.pop(i)
        self.api.ok("clSetUserEventStatus", self.events[index], status)

    def order(self, queue, waits_for_all):
        """What the queue itself puts before the next command."""
        if not self.machine.out_of_order[queue]:
            last = self.previous[queue]
        else:
            last = self.last_barrier[queue]
        before = 0 if last is None else self.before[last] | 1 << last
        if waits_for_all:
            for i in range(len(self.events)):
                if self.all_of[queue] >> i & 1:
                    before |= self.before[i] | 1 << i
        return before

    def wait_list(self, before, reads, writes):
        """Events that bring all conflicting commands before this one, and some more."""
        waits = []
        for i, (r, w) in enumerate(self.touched):
            conflict = any(c in writes for c in r) or any(c in writes or c in reads for c in w)
            if (conflict and not before >> i & 1) or self.random.random() < 0.03:
                waits.append(i)
        if self.random.random() < 0.5:       # what is implied need not be listed
            waits = [i for i in waits if not any(self.before[j] >> i & 1 for j in waits if j != i)]
        self.random.shuffle(waits)
        return waits

    def add_command(self):
        kind = self.random.choice(("mix", "mix", "mix", "copy", "fill", "marker", "barrier"))
        queue = self.random.randrange(len(self.machine.queues))
        target, source = self.random.sample(range(len(self.values)), 2)
        reads, writes = ((), ()) if kind in ("marker", "barrier") else ((source,), (target,))
        bare = kind in ("marker", "barrier") and self.random.random() < 0.5
        before = self.order(queue, bare)
        waits = [] if bare else self.wait_list(before, reads, writes)
        if kind in ("marker", "barrier") and not waits:
            before = self.order(queue, True)
        for i in waits:
            before |= self.before[i] | 1 << i
        failed = FAILED if any(self.failed[i] for i in waits) else 0
        event = c_void_p()
        tail = (len(waits), handles(*(self.events[i] for i in waits)) if waits else None, byref(event))
        apply = getattr(self, kind)(self.machine.queues[queue], target, source, tail)
        if not failed and apply:
            apply()
        index = self.note(event, before, failed, (reads, writes))
        self.previous[queue] = index
        self.all_of[queue] |= 1 << index
        if kind == "barrier":
            self.last_barrier[queue] = index

    def mix(self, queue, target, source, tail):
        words = min(len(self.values[target]), len(self.values[source]))
        kernel, k = self.machine.kernels[words], self.random.getrandbits(64)
        for i, value in enumerate((c_void_p(self.machine.cells[target]), c_void_p(self.machine.cells[source]),
                                   c_uint64(k))):
            self.api.ok("clSetKernelArg", kernel, i, 8, byref(value))
        self.api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(words),
                    sizes(self.random.choice((1, 4, 64)) if words > 1 else 1), *tail)

        def apply():
            a, b = self.values[target], self.values[source]
            a[:words] = [(x * 6364136223846793005 + y + k) & MASK for x, y in zip(a[:words], b[:words], strict=True)]
        return apply

    def copy(self, queue, target, source, tail):
        words = min(len(self.values[target]), len(self.values[source]))
        cells = self.machine.cells
        self.api.ok("clEnqueueCopyBuffer", queue, cells[source], cells[target], 0, 0, 8 * words, *tail)

        def apply():
            self.values[target][:words] = self.values[source][:words]
        return apply

    def fill(self, queue, target, source, tail):
        value, words = self.random.getrandbits(64), len(self.values[target])
        self.api.ok("clEnqueueFillBuffer", queue, self.machine.cells[target], value.to_bytes(8, "little"), 8, 0,
                    8 * words, *tail)

        def apply():
            self.values[target][:] = [value] * words
        return apply

    def marker(self, queue, target, source, tail):
        self.api.ok("clEnqueueMarkerWithWaitList", queue, *tail)

    def barrier(self, queue, target, source, tail):
        self.api.ok("clEnqueueBarrierWithWaitList", queue, *tail)

    def run(self):
        for _ in range(self.random.randrange(3, 30)):
            draw = self.random.random()
            if draw < 0.1:
                self.add_gate()
            elif draw < 0.2 and self.gates:
                self.set_gate(self.random.randrange(len(self.gates)))
            elif draw < 0.25:
                self.api.ok("clFlush", self.random.choice(self.machine.queues))
            else:
                self.add_command()
        self.random.shuffle(self.gates)
        opener = threading.Thread(target=self.open_gates)
        if self.random.random() < 0.2:       # while this thread waits
            opener.start()
        else:
            self.open_gates()
        for queue in self.random.sample(self.machine.queues, len(self.machine.queues)):
            self.api.ok("clFinish", queue)
        if opener.ident:
            opener.join()

    def open_gates(self):
        while self.gates:
            self.set_gate(0)

    def check(self):
        for i, event in enumerate(self.events):
            status = c_int32.from_buffer_copy(self.api.info("clGetEventInfo", event,
                                                            E.EVENT_COMMAND_EXECUTION_STATUS)).value
            assert status == self.failed[i], f"command {i}"
            self.api.ok("clReleaseEvent", event)
        for cell, words in enumerate(self.values):
            got = self.machine.read(cell)
            want = b"".join(word.to_bytes(8, "little") for word in words)
            assert got == want, f"cell {cell}"


@pytest.fixture(scope="module")
def machine():
    made = Machine()
    yield made
    made.close()


def test_random_graphs(machine):
    first = int(os.environ.get("GRAPH_SEED", "0"))
    for seed in range(first, first + GRAPHS):
        graph = Graph(machine, seed)
        try:
            graph.run()
            graph.check()
        except AssertionError as error:
            raise AssertionError(f"GRAPH_SEED={seed}: {error}") from None
