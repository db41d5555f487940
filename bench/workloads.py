# SPDX-License-Identifier: Apache-2.0
"""What bench/compare.py times: each workload prepares its data, runs once for the check, then runs for the clock."""
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyopencl as cl

WORKLOADS = []


@dataclass(frozen=True)
class Workload:
    name: str
    unit: str                   # GB/s, GFLOP/s, Mitem/s or us
    limit: str                  # the row of bench/limits.c that bounds it, "" where nothing of the machine does
    each: float                 # what of that one of the unit's base takes: operations of an item, bytes of one
    prepare: Callable           # queue -> (run, check, amount); amount is work per run, in the unit's base

    def share(self, rate, limits):
        """Of what the machine can do, 1 being all of it; None where nothing bounds it."""
        if not self.limit:
            return None
        return rate * self.each / limits[self.limit] / (1e3 if self.unit.startswith("M") else 1)


def workload(name, unit, limit="", each=1.0):
    def register(prepare):
        WORKLOADS.append(Workload(name, unit, limit, each, prepare))
        return prepare
    return register


LOGS = []   # of the programs that were built


def kernel(queue, source, name="f", options=()):
    program = cl.Program(queue.context, source).build(list(options), cache_dir=False)
    LOGS.append(program.get_build_info(queue.device, cl.program_build_info.LOG))
    return getattr(program, name)


def buffer(queue, array):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(queue.context, flags, hostbuf=array)


def fetch(queue, device_buffer, like):
    result = np.empty_like(like)
    cl.enqueue_copy(queue, result, device_buffer)
    return result


def numbers(n, seed=0):
    return np.random.default_rng(seed).random(n, dtype=np.float32)


@workload("triad, 3 x 64 MiB", "GB/s", "stream_gbs")
def triad(queue):
    a, b = numbers(1 << 24), numbers(1 << 24, 1)
    f = kernel(queue, "kernel void f(global const float *a, global const float *b, global float *c)"
                      "{ size_t i = get_global_id(0); c[i] = a[i] * 3.0f + b[i]; }")
    bufs = [buffer(queue, x) for x in (a, b, np.zeros_like(a))]
    return (lambda: f(queue, a.shape, None, *bufs),
            lambda: np.allclose(fetch(queue, bufs[2], a), a * np.float32(3) + b, rtol=1e-6), 3 * a.nbytes)


@workload("sum per group, 64 MiB", "GB/s", "read_gbs")
def group_sums(queue):
    a = numbers(1 << 24)
    f = kernel(queue, """kernel void f(global const float *in, global float *out, local float *t) {
        size_t l = get_local_id(0); t[l] = in[get_global_id(0)];
        for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; }
        if (l == 0) out[get_group_id(0)] = t[0]; }""")
    out = np.zeros(a.size // 128, np.float32)
    bufs = [buffer(queue, x) for x in (a, out)]
    return (lambda: f(queue, a.shape, (128,), *bufs, cl.LocalMemory(512)),
            lambda: np.allclose(fetch(queue, bufs[1], out), a.reshape(-1, 128).sum(1), rtol=1e-4), a.nbytes)


@workload("gather from 4 MiB", "Mitem/s", "gather_gitems")
def gather(queue):
    table, at = numbers(1 << 20), np.random.default_rng(2).integers(0, 1 << 20, 1 << 22).astype(np.int32)
    f = kernel(queue, "kernel void f(global const float *t, global const int *at, global float *out)"
                      "{ size_t i = get_global_id(0); out[i] = t[at[i]]; }")
    out = np.zeros(at.size, np.float32)
    bufs = [buffer(queue, x) for x in (table, at, out)]
    return (lambda: f(queue, at.shape, None, *bufs),
            lambda: np.array_equal(fetch(queue, bufs[2], out), table[at]), at.size)


@workload("polynomial of degree 64", "GFLOP/s", "fma_gflops")
def polynomial(queue):
    a = numbers(1 << 20)
    f = kernel(queue, """kernel void f(global const float *in, global float *out) {
        float x = in[get_global_id(0)], s = 0.0f;
        for (int k = 0; k < 64; k++) s = fma(s, x, 0.5f);
        out[get_global_id(0)] = s; }""")
    bufs = [buffer(queue, x) for x in (a, np.zeros_like(a))]

    def check():
        expected = np.zeros(a.size)
        for _ in range(64):
            expected = expected * a + 0.5
        return np.allclose(fetch(queue, bufs[1], a), expected, rtol=1e-4)
    return lambda: f(queue, a.shape, None, *bufs), check, 128.0 * a.size


@workload("matrix product 768, tiles of 8 x 8", "GFLOP/s", "fma_gflops")
def tiled_product(queue):
    n = 768
    a, b = numbers(n * n).reshape(n, n), numbers(n * n, 1).reshape(n, n)
    f = kernel(queue, """kernel void f(global const float *A, global const float *B, global float *C, int n) {
        local float a[8][8], b[8][8];
        int x = get_local_id(0), y = get_local_id(1), j = get_global_id(0), i = get_global_id(1); float s = 0.0f;
        for (int k = 0; k < n; k += 8) {
            a[y][x] = A[i * n + k + x]; b[y][x] = B[(k + y) * n + j]; barrier(CLK_LOCAL_MEM_FENCE);
            for (int l = 0; l < 8; l++) s += a[y][l] * b[l][x];
            barrier(CLK_LOCAL_MEM_FENCE); }
        C[i * n + j] = s; }""")
    bufs = [buffer(queue, x) for x in (a, b, np.zeros_like(a))]
    return (lambda: f(queue, (n, n), (8, 8), *bufs, np.int32(n)),
            lambda: np.allclose(fetch(queue, bufs[2], a), a @ b, rtol=1e-3), 2.0 * n ** 3)


@workload("Collatz steps (divergent loops)", "Mitem/s", "int_gops", each=132 * 12)    # steps, of numbers of two words
def collatz(queue):
    n = 1 << 20
    f = kernel(queue, """kernel void f(global uint *out) {
        ulong x = get_global_id(0) + 1; uint steps = 0;
        while (x != 1) { x = x % 2 ? 3 * x + 1 : x / 2; steps++; }
        out[get_global_id(0)] = steps; }""")
    out = np.zeros(n, np.uint32)
    device = buffer(queue, out)

    def check():
        got = fetch(queue, device, out)
        x, steps = np.arange(1, n + 1, dtype=np.uint64), np.zeros(n, np.uint32)
        while (active := x != 1).any():
            x = np.where(active, np.where(x % 2, 3 * x + 1, x // 2), x)
            steps += active
        return np.array_equal(got, steps)
    return lambda: f(queue, (n,), None, device), check, n


@workload("stencil of 7 points, 192 cubed", "GB/s", "stream_gbs")
def stencil(queue):
    n = 192
    a = numbers(n ** 3).reshape(n, n, n)
    f = kernel(queue, """kernel void f(global const float *in, global float *out) {
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), n = get_global_size(0) + 2;
        int at = ((z + 1) * n + y + 1) * n + x + 1;
        out[at] = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n]) / 6; }""")
    bufs = [buffer(queue, x) for x in (a, np.zeros_like(a))]

    def check():
        expected = sum(np.roll(a, shift, axis) for axis in range(3) for shift in (1, -1))[1:-1, 1:-1, 1:-1] / 6
        return np.allclose(fetch(queue, bufs[1], a)[1:-1, 1:-1, 1:-1], expected, rtol=1e-5)
    return lambda: f(queue, (n - 2, n - 2, n - 2), None, *bufs), check, 2.0 * a.nbytes


@workload("64 barriers, groups of 128", "us")
def barriers(queue):
    n = 1 << 14
    f = kernel(queue, """kernel void f(global uint *out, local uint *t) {
        size_t l = get_local_id(0), n = get_local_size(0); t[l] = l;
        for (int k = 0; k < 64; k++) {
            barrier(CLK_LOCAL_MEM_FENCE); uint next = t[(l + 1) % n]; barrier(CLK_LOCAL_MEM_FENCE); t[l] = next; }
        out[get_global_id(0)] = t[l]; }""")
    out = np.zeros(n, np.uint32)
    device = buffer(queue, out)
    return (lambda: f(queue, (n,), (128,), device, cl.LocalMemory(512)),
            lambda: np.array_equal(fetch(queue, device, out), (np.arange(n) % 128 + 64) % 128), 1)


def counter(queue):
    """A kernel that adds one, its buffer and a check that it ran as often as the launches that were made."""
    f = kernel(queue, "kernel void f(global uint *p) { if (get_global_id(0) == 0) p[0]++; }")
    device = buffer(queue, np.zeros(1, np.uint32))
    f.set_args(device)
    made = [0]

    def launch(wait_for=None):
        made[0] += 1
        return cl.enqueue_nd_range_kernel(queue, f, (1,), (1,), wait_for=wait_for)
    return launch, lambda: fetch(queue, device, np.zeros(1, np.uint32))[0] == made[0]


@workload("launch and finish", "us")
def launch_finish(queue):
    launch, check = counter(queue)
    return launch, check, 1


@workload("chain of 1000 launches, each", "us")
def chain(queue):
    launch, check = counter(queue)

    def run():
        event = None
        for _ in range(1000):
            event = launch([event] if event else None)
    return run, check, 1000


@workload("map and unmap 64 MiB", "us")
def map_unmap(queue):
    device = buffer(queue, np.full(1 << 24, 7, np.uint32))

    def run():
        array, _ = cl.enqueue_map_buffer(queue, device, cl.map_flags.READ, 0, (1 << 24,), np.uint32)
        seen.append(int(array[-1]))
        array.base.release(queue)
    seen = []
    return run, lambda: seen[-1] == 7, 1


@workload("build a new program, first launch", "us")
def build(queue):
    tag, number = os.getpid(), itertools.count()
    out = np.zeros(64, np.uint32)
    device = buffer(queue, out)
    last = []

    def run():
        last[:] = [next(number)]
        f = kernel(queue, f"""kernel void f(global uint *out, local uint *t) {{ // {tag}
            size_t l = get_local_id(0); t[l] = l; barrier(CLK_LOCAL_MEM_FENCE);
            out[l] = t[63 - l] + {last[0]}u; }}""")
        f(queue, (64,), (64,), device, cl.LocalMemory(256))
    return run, lambda: np.array_equal(fetch(queue, device, out), 63 - np.arange(64) + last[0]), 1
