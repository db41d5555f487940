# SPDX-License-Identifier: Apache-2.0
"""Vectors of the source (uchar4, float4) and small arrays, as most programs write them. Each is checked against numpy
before and after it is timed. bench/compare.py runs them too."""
import hashlib

import numpy as np
from workloads import buffer, fetch, kernel, numbers, workload


@workload("1,024 bodies, float4 of each in global memory", "Gitem/s", "fma_gflops", each=20)
def bodies(queue):
    """A work-item's own float4 beside that of all others: elements are taken of the difference."""
    n = 1024
    p = numbers(4 * n).reshape(n, 4)
    f = kernel(queue, """kernel void f(global const float4 *p, global float4 *o, int n, float softening) {
        int i = get_global_id(0);
        float4 mine = p[i], sum = 0;
        for (int j = 0; j < n; j++) {
            float4 d = p[j] - mine;
            d.w = 0;
            float inverse = rsqrt(dot(d, d) + softening);
            sum += d * (p[j].w * inverse * inverse * inverse); }
        o[i] = mine + sum * 0.01f; }""")
    bufs = [buffer(queue, array) for array in (p, p)]
    d = p[None, :, :3].astype(np.float64) - p[:, None, :3]
    force = (d * (p[None, :, 3] * ((d * d).sum(2) + 0.1) ** -1.5)[:, :, None]).sum(1)
    expected = p + 0.01 * np.pad(force, ((0, 0), (0, 1)))
    return (lambda: f(queue, (n,), (64,), *bufs, np.int32(n), np.float32(0.1)),
            lambda: np.allclose(fetch(queue, bufs[1], p), expected, rtol=1e-3), 1.0 * n * n)


def picture(n):
    return np.random.default_rng(6).integers(0, 256, (n, n, 4)).astype(np.uint8)


@workload("blur of 3 x 3 uchar4, held at the borders", "Mitem/s", "stream_gbs", each=8)    # bytes
def blur(queue):
    """Pixels are mostly those beside the neighbours', but for the borders."""
    n, weights = 512, np.array([1, 2, 1])
    a = picture(n)
    f = kernel(queue, """kernel void f(global const uchar4 *a, global uchar4 *o, int w, int h) {
        int x = get_global_id(0), y = get_global_id(1);
        const float weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
        float4 sum = 0;
        for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++)
            sum += convert_float4(a[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)])
                * weights[(j + 1) * 3 + i + 1];
        o[y * w + x] = convert_uchar4_sat(sum / 16); }""")
    bufs = [buffer(queue, array) for array in (a, a)]
    held = np.pad(a.astype(int), ((1, 1), (1, 1), (0, 0)), "edge")
    expected = sum(weights[j] * weights[i] * held[j:j + n, i:i + n] for j in range(3) for i in range(3)) // 16
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n), np.int32(n)),
            lambda: np.abs(fetch(queue, bufs[1], a) - expected).max() <= 1, 1.0 * n * n)


@workload("a picture of uchar4, turned", "Mitem/s", "stream_gbs", each=8)    # bytes
def turned(queue):
    """A pixel from a place of each work-item's own, if it is inside the picture."""
    n, cosine, sine = 512, np.float32(0.75), np.float32(0.5)
    a = picture(n)
    f = kernel(queue, """kernel void f(global const uchar4 *a, global uchar4 *o, int n, float c, float s) {
        int x = get_global_id(0), y = get_global_id(1);
        int u = (int)floor(c * (x - n / 2) - s * (y - n / 2) + n / 2);
        int v = (int)floor(s * (x - n / 2) + c * (y - n / 2) + n / 2);
        uchar4 pixel = 0;
        if (u >= 0 && v >= 0 && u < n && v < n) pixel = a[v * n + u];
        o[y * n + x] = pixel; }""")
    bufs = [buffer(queue, array) for array in (a, a)]
    y, x = (np.indices((n, n)) - n // 2).astype(np.float32)      # all sums are exact
    u = np.floor(cosine * x - sine * y + n // 2).astype(int)
    v = np.floor(sine * x + cosine * y + n // 2).astype(int)
    inside = (u >= 0) & (v >= 0) & (u < n) & (v < n)
    expected = a[np.clip(v, 0, n - 1), np.clip(u, 0, n - 1)] * inside[:, :, None]
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n), cosine, sine),
            lambda: np.array_equal(fetch(queue, bufs[1], a), expected), 1.0 * n * n)


@workload("a hash's state of 25 ulong, order by a table", "Mitem/s", "int_gops", each=24 * 180)
def keccak(queue):
    """Places in a small array by a table of constants: known numbers once the loops are unrolled."""
    n = 1 << 11
    f = kernel(queue, """
        constant ulong rounds[24] = {
            1, 0x8082, 0x800000000000808aUL, 0x8000000080008000UL, 0x808b, 0x80000001, 0x8000000080008081UL,
            0x8000000000008009UL, 0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x800000000000008bUL,
            0x8000000000008089UL, 0x8000000000008003UL, 0x8000000000008002UL, 0x8000000000000080UL, 0x800a,
            0x800000008000000aUL, 0x8000000080008081UL, 0x8000000000008080UL, 0x80000001, 0x8000000080008008UL};
        constant int shifts[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61,
            20, 44};
        constant int order[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6,
            1};
        kernel void f(global ulong *o) {
            size_t g = get_global_id(0);
            ulong s[25], c[5];
            for (int i = 0; i < 25; i++) s[i] = 0;
            s[0] = g; s[1] = 6; s[16] = 0x8000000000000000UL;
            for (int r = 0; r < 24; r++) {
                for (int i = 0; i < 5; i++) c[i] = s[i] ^ s[i + 5] ^ s[i + 10] ^ s[i + 15] ^ s[i + 20];
                for (int i = 0; i < 5; i++) {
                    ulong t = c[(i + 4) % 5] ^ rotate(c[(i + 1) % 5], 1UL);
                    for (int j = 0; j < 25; j += 5) s[j + i] ^= t; }
                ulong t = s[1];
                for (int i = 0; i < 24; i++) {
                    ulong next = s[order[i]];
                    s[order[i]] = rotate(t, (ulong)shifts[i]);
                    t = next; }
                for (int j = 0; j < 25; j += 5) {
                    for (int i = 0; i < 5; i++) c[i] = s[j + i];
                    for (int i = 0; i < 5; i++) s[j + i] ^= ~c[(i + 1) % 5] & c[(i + 2) % 5]; }
                s[0] ^= rounds[r]; }
            o[g] = s[0]; }""")
    expected = np.frombuffer(b"".join(hashlib.sha3_256(g.to_bytes(8, "little")).digest()[:8] for g in range(n)),
                             np.uint64)
    made = buffer(queue, expected * 0)
    return (lambda: f(queue, (n,), (64,), made),
            lambda: np.array_equal(fetch(queue, made, expected), expected), 1.0 * n)


@workload("3 x 3 complex matrices by vectors, float2 a few apart", "GFLOP/s", "fma_gflops")
def unitary(queue):
    """Vectors of 8 bytes from places of each work-item's own."""
    n = 1 << 13
    u, v = (numbers(2 * n * rows * 3, rows).view(np.complex64).reshape(n, rows, 3) for rows in (3, 1))
    f = kernel(queue, """
        float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
        kernel void f(global const float2 *u, global const float2 *v, global float2 *o) {
            int i = get_global_id(0);
            for (int r = 0; r < 3; r++) {
                float2 sum = 0;
                for (int c = 0; c < 3; c++) sum += times(u[i * 9 + r * 3 + c], v[i * 3 + c]);
                o[i * 3 + r] = sum; } }""")
    bufs = [buffer(queue, array) for array in (u, v, v)]
    expected = (u @ v.transpose(0, 2, 1)).transpose(0, 2, 1)
    return (lambda: f(queue, (n,), (64,), *bufs),
            lambda: np.allclose(fetch(queue, bufs[2], v), expected, rtol=1e-3, atol=1e-3), n * 9 * 8.0)


@workload("optical flow, neighbours that a border has not", "Mitem/s", "stream_gbs", each=28)    # bytes
def flow(queue):
    """`x > 0 ? p - 1 : p`: a step that all work-items but one take."""
    n = 512
    u, v, dx, dy, dt = (numbers(n * n, seed).reshape(n, n) for seed in range(5))
    f = kernel(queue, """kernel void f(global const float *u, global const float *v, global const float *dx,
            global const float *dy, global const float *dt, global float *un, global float *vn, int w, int h, float a) {
        int x = get_global_id(0), y = get_global_id(1), p = y * w + x;
        int west = x > 0 ? p - 1 : p, east = x < w - 1 ? p + 1 : p;
        int north = y > 0 ? p - w : p, south = y < h - 1 ? p + w : p;
        float um = (u[west] + u[east] + u[north] + u[south]) * 0.25f;
        float vm = (v[west] + v[east] + v[north] + v[south]) * 0.25f;
        float q = (dx[p] * um + dy[p] * vm + dt[p]) / (a + dx[p] * dx[p] + dy[p] * dy[p]);
        un[p] = um - dx[p] * q;
        vn[p] = vm - dy[p] * q; }""")
    bufs = [buffer(queue, array) for array in (u, v, dx, dy, dt, u, v)]

    def mean(a):
        held = np.pad(a, 1, "edge")
        return (held[1:-1, :-2] + held[1:-1, 2:] + held[:-2, 1:-1] + held[2:, 1:-1]) / 4
    q = (dx * mean(u) + dy * mean(v) + dt) / (np.float32(0.1) + dx * dx + dy * dy)
    expected = mean(u) - dx * q
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n), np.int32(n), np.float32(0.1)),
            lambda: np.allclose(fetch(queue, bufs[5], u), expected, rtol=1e-3, atol=1e-4), 1.0 * n * n)


@workload("a product of two rows of char4 each", "Gop/s", "int_gops", each=1)
def rows_of_bytes(queue):
    """Rows of short vectors, far apart: blocks of them are read as the numbers that they would be."""
    n = 128
    a, b = (np.random.default_rng(seed).integers(-128, 128, (n, n)).astype(np.int8) for seed in range(2))
    f = kernel(queue, """kernel void f(global const char4 *a, global const char4 *b, global int *c, int n,
            int quarter) {
        int j = get_global_id(0), i = get_global_id(1), sum = 0;
        for (int k = 0; k < quarter; k++) {
            char4 x = a[i * quarter + k], y = b[j * quarter + k];
            sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }
        c[i * n + j] = sum; }""")
    expected = a.astype(np.int32) @ b.astype(np.int32).T
    bufs = [buffer(queue, array) for array in (a, b, expected * 0)]
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n), np.int32(n // 4)),
            lambda: np.array_equal(fetch(queue, bufs[2], expected), expected), 2.0 * n ** 3)


def of_members(queue, source, size, group):
    """Programs for fluids have five members of double at a place; the loop through them goes along a row of memory."""
    rows, width = 64, 162
    a = numbers(rows * width * 5).astype(np.float64).reshape(rows, width, 5)
    b, made = a[::-1].copy(), np.zeros_like(a)
    f = kernel(queue, "kernel void f(global const double (*a)[162][5], global const double (*b)[162][5], "
                      "global double (*o)[162][5], int w, int h) {" + source + "}")
    bufs, expected = [buffer(queue, array) for array in (a, b, made)], a + b * 0.5
    expected[:, [0, -1]] = 0
    return (lambda: f(queue, size, group, *bufs, np.int32(width - 1), np.int32(rows)),
            lambda: np.allclose(fetch(queue, bufs[2], made), expected), 24.0 * rows * (width - 2) * 5)


@workload("five members of a place, a place each", "GB/s", "stream_gbs")
def members(queue):
    return of_members(queue, """
        int x = get_global_id(0) + 1, y = get_global_id(1);
        if (x >= w || y >= h) return;
        for (int m = 0; m < 5; m++) o[y][x][m] = a[y][x][m] + b[y][x][m] * 0.5;""", (160, 64), (160, 1))


@workload("five members of a place, a row each", "GB/s", "stream_gbs")
def members_of_rows(queue):
    return of_members(queue, """
        int y = get_global_id(0);
        if (y >= h) return;
        for (int x = 1; x < w; x++)
            for (int m = 0; m < 5; m++) o[y][x][m] = a[y][x][m] + b[y][x][m] * 0.5;""", (64,), (32,))


@workload("a cube filled, groups of 4 x 4 x 4 with its rows along the last dimension", "Mitem/s", "stream_gbs", each=8)
def cube(queue):
    """Rows of a group are a quarter of a vector with AVX-512, and each lane writes to a plane of its own."""
    n = 130
    f = kernel(queue, """kernel void f(global double *o, int n) {
        int z = get_global_id(0), y = get_global_id(1), x = get_global_id(2);
        if (z < n && y < n && x < n) o[(z * n + y) * n + x] = z + y - x; }""")
    z, y, x = np.ogrid[:n, :n, :n]
    expected = (z + y - x).astype(np.float64)
    out = buffer(queue, expected)
    return (lambda: f(queue, (132, 132, 132), (4, 4, 4), out, np.int32(n)),
            lambda: np.array_equal(fetch(queue, out, expected), expected), float(n ** 3))


@workload("places by an index, groups of 4 x 16", "Mitem/s", "stream_gbs", each=12)
def places_in_small_groups(queue):
    """Likewise, with gathers."""
    n = 512
    index = np.random.default_rng(2).integers(0, 1 << 16, n * n).astype(np.int32)
    a = numbers(1 << 16)
    f = kernel(queue, """kernel void f(global const float *a, global const int *index, global float *o, int n) {
        int i = get_global_id(1) * n + get_global_id(0);
        o[i] = a[index[i]] * 2 + 1; }""")
    expected = a[index] * 2 + 1
    bufs = [buffer(queue, array) for array in (a, index, expected)]
    return (lambda: f(queue, (n, n), (4, 16), *bufs, np.int32(n)),
            lambda: np.allclose(fetch(queue, bufs[2], expected), expected, rtol=1e-5), float(n * n))
