# SPDX-License-Identifier: Apache-2.0
"""Kernels whose barriers stand where work-items may part: inside a bound, behind a loop that they leave one by one."""
import numpy as np
import pyopencl as cl
from kernels import close, equal, integers
from workloads import buffer, kernel, numbers, workload


@workload("distances to a point, barriers inside a bound", "GFLOP/s", "fma_gflops")
def bounded_distances(queue):
    n, dims = (1 << 16) - 256, 64
    places = numbers(n * dims).reshape(dims, n)
    f = kernel(queue, """kernel void f(global const float *places, global float *out, int n, int dims,
        local float *one) {
        int i = get_global_id(0);
        if (i < n) {
            if (get_local_id(0) == 0) for (int d = 0; d < dims; ++d) one[d] = places[d * n + 77];
            barrier(CLK_LOCAL_MEM_FENCE);
            float s = 0.0f;
            for (int d = 0; d < dims; ++d) s += (places[d * n + i] - one[d]) * (places[d * n + i] - one[d]);
            out[i] = s; } }""")
    bufs = [buffer(queue, x) for x in (places, places[0])]
    expected = ((places - places[:, 77:78]) ** 2).sum(0)
    return (lambda: f(queue, (1 << 16,), (256,), *bufs, np.int32(n), np.int32(dims), cl.LocalMemory(4 * dims)),
            lambda: close(queue, bufs[1], expected), 3.0 * n * dims)


@workload("sums of stretches, then a loop with barriers", "Mitem/s", "read_gbs", each=4)
def stretches(queue):
    groups, size, a = 64, 256, integers(1 << 20)
    f = kernel(queue, """kernel void f(global const uint *in, global uint *sums, int n, local uint *t) {
        int l = get_local_id(0), first = n * get_group_id(0), i = first + l; uint own = 0;
        while (i < first + n) { own += in[i]; i += get_local_size(0); }
        for (int d = 0; d < 16; ++d) {
            t[l] = own >> d; barrier(CLK_LOCAL_MEM_FENCE);
            for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
                if (l < s) t[l] += t[l + s];
                barrier(CLK_LOCAL_MEM_FENCE); }
            if (l == 0) sums[get_group_id(0) * 16 + d] = t[0]; } }""")
    own = a.reshape(groups, -1, size).sum(1, dtype=np.uint32)
    expected = np.stack([(own >> d).sum(1, dtype=np.uint32) for d in range(16)], 1)
    bufs = [buffer(queue, x) for x in (a, expected)]
    return (lambda: f(queue, (groups * size,), (size,), *bufs, np.int32(a.size // groups), cl.LocalMemory(4 * size)),
            lambda: equal(queue, bufs[1], expected), a.size)
