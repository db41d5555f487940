# SPDX-License-Identifier: Apache-2.0
"""Kernels whose barriers stand where work-items may part: inside a bound, behind a loop that they leave one by one; and
with places that are computed before a barrier and used behind it."""
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


@workload("heat, two steps of a tile, borders held", "GFLOP/s", "fma_gflops")
def heat(queue):
    """Tiles overlap by what two steps need; neighbours outside the grid are those at its border."""
    n, tiles = 504, 42
    start = numbers(n * n).reshape(n, n)
    f = kernel(queue, """kernel void f(global const float *from, global float *to, int n, int steps) {
        local float now[16][16], next[16][16];
        int x = get_local_id(0), y = get_local_id(1);
        int inner = 16 - 2 * steps;
        int column = get_group_id(0) * inner - steps + x, row = get_group_id(1) * inner - steps + y;
        int west = max(x - 1, column - x < 0 ? x - column : 0), north = max(y - 1, row - y < 0 ? y - row : 0);
        int east = min(x + 1, min(15, n - 1 - column + x)), south = min(y + 1, min(15, n - 1 - row + y));
        bool inside = row >= 0 && row < n && column >= 0 && column < n, done = false;
        if (inside) now[y][x] = from[row * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < steps; i++) {
            done = inside && x > i && x < 15 - i && y > i && y < 15 - i;
            if (done) next[y][x] = now[y][x] + 0.1f * (now[south][x] + now[north][x] - 2.0f * now[y][x])
                                             + 0.2f * (now[y][east] + now[y][west] - 2.0f * now[y][x]);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i == steps - 1) break;
            if (done) now[y][x] = next[y][x];
            barrier(CLK_LOCAL_MEM_FENCE); }
        if (done) to[row * n + column] = next[y][x]; }""")
    bufs = [buffer(queue, start), buffer(queue, np.zeros_like(start))]
    expected = start
    for _ in range(2):
        held = np.pad(expected, 1, "edge")
        expected = (expected + np.float32(0.1) * (held[2:, 1:-1] + held[:-2, 1:-1] - 2 * expected)
                    + np.float32(0.2) * (held[1:-1, 2:] + held[1:-1, :-2] - 2 * expected))
    return (lambda: f(queue, (tiles * 16, tiles * 16), (16, 16), *bufs, np.int32(n), np.int32(2)),
            lambda: close(queue, bufs[1], expected), 2 * 10.0 * n * n)


@workload("life, tiles of 18 x 18 bytes", "Mitem/s", "stream_gbs", each=2)    # bytes
def life(queue):
    """A work-item's place in the picture is needed on both sides of the barrier."""
    n = 512
    start = np.random.default_rng(8).integers(0, 2, (n, n)).astype(np.uint8)
    f = kernel(queue, """kernel void f(global const uchar *from, global uchar *to, int w, int h) {
        local uchar tile[18][18];
        int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
        for (int j = ly; j < 18; j += 16) for (int i = lx; i < 18; i += 16)
            tile[j][i] = from[((y - ly + j - 1 + h) % h) * w + (x - lx + i - 1 + w) % w];
        tile[ly + 1][lx + 1] = from[y * w + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        int around = -tile[ly + 1][lx + 1];
        for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) around += tile[ly + j][lx + i];
        to[y * w + x] = around == 3 || (around == 2 && tile[ly + 1][lx + 1]); }""")
    bufs = [buffer(queue, start), buffer(queue, np.zeros_like(start))]
    around = sum(np.roll(start, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)) - start
    expected = ((around == 3) | ((around == 2) & (start == 1))).astype(np.uint8)
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n), np.int32(n)),
            lambda: equal(queue, bufs[1], expected), 1.0 * n * n)


@workload("16 columns of a product for each work-item, double, tiles", "GFLOP/s", "fma_gflops", each=2)   # half as wide
def product_columns(queue):
    """16 sums are kept across the barriers of a loop, as in registers of a GPU; turns are written out."""
    n, kind = 256, np.float64
    a, b = (numbers(n * n, seed).reshape(n, n).astype(kind) for seed in range(2))
    sums = "\n".join(f"own = a[(k + {turn}) * n + row]; " + " ".join(
        f"sum[{k}] += own * tile[{turn}][{k}];" for k in range(16)) for turn in range(4))
    f = kernel(queue, f"""kernel void f(global const double *a, global const double *b, global double *c, int n) {{
        local double tile[4][16];
        int x = get_local_id(0), y = get_local_id(1), id = 16 * y + x;
        int row = get_group_id(0) * 64 + id, column = get_group_id(1) * 16;
        double sum[16];
        for (int k = 0; k < 16; k++) sum[k] = 0;
        for (int k = 0; k < n; k += 4) {{
            tile[y][x] = b[(k + y) * n + column + x];
            barrier(CLK_LOCAL_MEM_FENCE);
            double own; {sums}
            barrier(CLK_LOCAL_MEM_FENCE); }}
        for (int k = 0; k < 16; k++) c[(column + k) * n + row] = sum[k]; }}""")
    bufs = [buffer(queue, m) for m in (a, b, a)]
    return (lambda: f(queue, (n // 4, n // 4), (16, 4), *bufs, np.int32(n)),
            lambda: close(queue, bufs[2], b.T @ a), 2.0 * n ** 3)


@workload("a product by tiles, pointers that go on", "GFLOP/s", "fma_gflops", each=2)
def product_by_pointers(queue):
    """Each turn moves the pointers of all work-items by the same step; four sums for each are kept across barriers."""
    n = 256
    a, b = (numbers(n * n, seed).reshape(n, n) for seed in range(2))
    f = kernel(queue, """kernel void f(global const float *a, global const float *b, global float *c, int n) {
        local float tile[16][17];
        int x = get_local_id(0), y = get_local_id(1);
        float sum[4] = {0, 0, 0, 0};
        a += get_group_id(1) * 16 * n + y * n + x;
        b += get_group_id(0) * 16 + x;
        c += (get_group_id(1) * 16 + 4 * y) * n + get_group_id(0) * 16 + x;
        global const float *end = b + n * n;
        do {
            for (int k = 0; k < 16; k += 4) tile[y + k][x] = a[k * n];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < 16; k++) for (int j = 0; j < 4; j++) sum[j] += tile[4 * y + j][k] * b[k * n];
            a += 16; b += 16 * n;
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (b < end);
        for (int j = 0; j < 4; j++) c[j * n] = sum[j]; }""")
    bufs = [buffer(queue, m) for m in (a, b, a)]
    return (lambda: f(queue, (n, n // 4), (16, 4), *bufs, np.int32(n)),
            lambda: close(queue, bufs[2], a @ b), 2.0 * n ** 3)
