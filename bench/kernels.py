# SPDX-License-Identifier: Apache-2.0
"""Kernels of the kinds that programs bring: filters, transforms, sorting, sparse and dense algebra, bytes, rays.

Each is checked against numpy before and after it is timed. bench/compare.py runs them beside those of workloads.py.
"""
import hashlib
from itertools import pairwise

import numpy as np
import pyopencl as cl
from workloads import buffer, fetch, kernel, numbers, workload


def close(queue, device, expected, tolerance=1e-4):
    return np.allclose(fetch(queue, device, expected), expected, rtol=tolerance, atol=tolerance)


def equal(queue, device, expected):
    return np.array_equal(fetch(queue, device, expected), expected)


def integers(n, dtype=np.uint32, seed=0):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, n, dtype, endpoint=True)


@workload("separable convolution, 17 taps", "GFLOP/s", "fma_gflops")
def convolution(queue):
    n, taps = 2048, np.hanning(19)[1:-1].astype(np.float32)
    a = numbers(n * n).reshape(n, n)
    source = """kernel void f(global const float *in, global float *out, constant float *taps, int n, int step) {
        int x = get_global_id(0), y = get_global_id(1), along = step == 1 ? x : y; float s = 0.0f;
        for (int k = -8; k <= 8; ++k) if (along + k >= 0 && along + k < n) s += taps[k + 8] * in[y * n + x + k * step];
        out[y * n + x] = s; }"""
    f = kernel(queue, source)
    source, between, result, weights = [buffer(queue, x) for x in (a, a, a, taps)]

    def run():
        f(queue, (n, n), None, source, between, weights, np.int32(n), np.int32(1))
        f(queue, (n, n), None, between, result, weights, np.int32(n), np.int32(n))

    def check():
        expected = a
        for axis in (1, 0):
            padded = np.pad(expected, [(8, 8) if axis == d else (0, 0) for d in (0, 1)])
            expected = sum(t * np.roll(padded, 8 - k, axis) for k, t in enumerate(taps))
            expected = np.take(expected, range(8, n + 8), axis)
        return close(queue, result, expected, 1e-3)
    return run, check, 2.0 * 2 * 17 * n * n


@workload("FFT of 1024 points, in local memory", "GFLOP/s", "fma_gflops")
def fft(queue):
    n, batch = 1024, 1024
    a = (numbers(2 * n * batch) - np.float32(0.5)).view(np.complex64)
    f = kernel(queue, """kernel void f(global const float2 *in, global float2 *out, local float2 *x, local float2 *y) {
        uint t = get_local_id(0), first = get_group_id(0) * 1024;
        for (uint k = 0; k < 4; ++k) x[t + 256 * k] = in[first + t + 256 * k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = 1; p < 1024; p *= 2) {
            for (uint h = 0; h < 2; ++h) {
                uint i = t + 256 * h, k = i & (p - 1), j = ((i - k) << 1) + k;
                float angle = -M_PI_F * (float)k / (float)p, c = native_cos(angle), s = native_sin(angle);
                float2 u = x[i], v = x[i + 512], w = (float2)(c * v.x - s * v.y, c * v.y + s * v.x);
                y[j] = u + w; y[j + p] = u - w; }
            barrier(CLK_LOCAL_MEM_FENCE); local float2 *other = x; x = y; y = other; }
        for (uint k = 0; k < 4; ++k) out[first + t + 256 * k] = x[t + 256 * k]; }""")
    bufs = [buffer(queue, x) for x in (a, a)]
    expected = np.fft.fft(a.reshape(batch, n)).astype(np.complex64).ravel()
    return (lambda: f(queue, (256 * batch,), (256,), *bufs, cl.LocalMemory(8 * n), cl.LocalMemory(8 * n)),
            lambda: close(queue, bufs[1], expected, 1e-3), 5.0 * n * batch * 10)


@workload("bitonic sort in groups of 256", "Mitem/s", "int_gops", each=36 * 9)
def bitonic(queue):
    a = integers(1 << 20)
    f = kernel(queue, """kernel void f(global const uint *in, global uint *out, local uint *t) {
        uint i = get_local_id(0); t[i] = in[get_global_id(0)];
        for (uint size = 2; size <= 256; size <<= 1)
            for (uint step = size >> 1; step > 0; step >>= 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                uint other = i ^ step, x = t[i], y = t[other];
                bool low = (i & step) == 0, up = (i & size) == 0;
                uint z = low == up ? min(x, y) : max(x, y);
                barrier(CLK_LOCAL_MEM_FENCE); t[i] = z; }
        out[get_global_id(0)] = t[i]; }""")
    bufs = [buffer(queue, x) for x in (a, a)]
    return (lambda: f(queue, a.shape, (256,), *bufs, cl.LocalMemory(1024)),
            lambda: equal(queue, bufs[1], np.sort(a.reshape(-1, 256)).ravel()), a.size)


@workload("Jacobi with borders, 2048 squared", "GB/s", "stream_gbs")
def jacobi(queue):
    n = 2048
    a, b = numbers(n * n).reshape(n, n), numbers(n * n, 1).reshape(n, n)
    f = kernel(queue, """kernel void f(global const float *u, global const float *b, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
        if (x == 0 || y == 0 || x == n - 1 || y == n - 1) { out[i] = u[i]; return; }
        out[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - b[i]); }""")
    expected = a.copy()
    expected[1:-1, 1:-1] = (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - b[1:-1, 1:-1]) / 4
    bufs = [buffer(queue, x) for x in (a, b, a)]
    return (lambda: f(queue, (n, n), None, *bufs, np.int32(n)),
            lambda: close(queue, bufs[2], expected), 3.0 * a.nbytes)


@workload("compaction by a scan in local memory", "GB/s", "stream_gbs")
def compaction(queue):
    a = integers(1 << 22, np.int32)
    f = kernel(queue, """kernel void f(global const int *in, global int *out, global int *counts, local int *t) {
        uint i = get_local_id(0), first = get_group_id(0) * 256; int x = in[first + i], keep = x > 0; t[i] = keep;
        for (uint s = 1; s < 256; s <<= 1) {
            barrier(CLK_LOCAL_MEM_FENCE); int v = i >= s ? t[i - s] : 0;
            barrier(CLK_LOCAL_MEM_FENCE); t[i] += v; }
        if (keep) out[first + t[i] - 1] = x;
        if (i == 255) counts[get_group_id(0)] = t[i]; }""")
    counts = (a.reshape(-1, 256) > 0).sum(1).astype(np.int32)
    bufs = [buffer(queue, x) for x in (a, np.zeros_like(a), counts * 0)]

    def check():
        got = fetch(queue, bufs[1], a).reshape(-1, 256)
        kept = np.arange(256) < counts[:, None]
        return equal(queue, bufs[2], counts) and np.array_equal(got[kept], a[a > 0])
    return lambda: f(queue, a.shape, (256,), *bufs, cl.LocalMemory(1024)), check, 1.5 * a.nbytes


@workload("nearest of 32 centers, 4 dimensions", "GFLOP/s", "fma_gflops")
def k_means(queue):
    points, centers = numbers(4 << 20).reshape(-1, 4), numbers(128, 1).reshape(-1, 4)
    f = kernel(queue, """kernel void f(global const float4 *p, constant float4 *centers, global int *out) {
        float4 x = p[get_global_id(0)]; float best = INFINITY; int which = 0;
        for (int k = 0; k < 32; ++k) {
            float4 d = x - centers[k]; float r = dot(d, d);
            if (r < best) { best = r; which = k; } }
        out[get_global_id(0)] = which; }""")
    out = np.zeros(len(points), np.int32)
    bufs = [buffer(queue, x) for x in (points, centers, out)]

    def check():
        got, some = fetch(queue, bufs[2], out)[::67], points[::67]
        distance = ((some[:, None, :] - centers[None, :, :]) ** 2).sum(2)
        rows = np.arange(len(some))
        return np.allclose(distance[rows, got], distance.min(1), rtol=1e-5)
    return lambda: f(queue, (len(points),), None, *bufs), check, 11.0 * 32 * len(points)


@workload("LU: update of the rest, doubles", "GB/s", "stream_gbs")
def lu_update(queue):
    n = 2048
    a = np.random.default_rng(3).random((n, n))
    f = kernel(queue, """kernel void f(global const double *in, global double *out, int n, int k) {
        int j = get_global_id(0), i = get_global_id(1);
        out[i * n + j] = in[i * n + j] - (i > k && j > k ? in[i * n + k] * in[k * n + j] : 0.0); }""")
    bufs = [buffer(queue, x) for x in (a, a)]
    expected = a.copy()
    expected[3:, 3:] -= np.outer(a[3:, 2], a[2, 3:])
    return (lambda: f(queue, (n, n), None, *bufs, np.int32(n), np.int32(2)),
            lambda: close(queue, bufs[1], expected, 1e-12), 2.0 * a.nbytes)


@workload("letters to upper case, 64 MiB", "GB/s", "stream_gbs")
def upper_case(queue):
    a = integers(1 << 26, np.uint8) & 127
    f = kernel(queue, """kernel void f(global const uchar *in, global uchar *out) {
        size_t i = get_global_id(0); uchar c = in[i]; out[i] = c >= 'a' && c <= 'z' ? c - 32 : c; }""")
    bufs = [buffer(queue, x) for x in (a, a)]
    return (lambda: f(queue, a.shape, None, *bufs),
            lambda: equal(queue, bufs[1], np.where((a >= 97) & (a <= 122), a - 32, a).astype(np.uint8)), 2.0 * a.nbytes)


@workload("base 64 of 24 MB", "GB/s", "stream_gbs")
def base64(queue):
    import base64
    a = integers(24 << 20, np.uint8)
    f = kernel(queue, """
        constant uchar letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        kernel void f(global const uchar *in, global uchar4 *out) {
        size_t i = get_global_id(0); uint x = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        out[i] = (uchar4)(letters[x >> 18], letters[x >> 12 & 63], letters[x >> 6 & 63], letters[x & 63]); }""")
    expected = np.frombuffer(base64.b64encode(a.tobytes()), np.uint8)
    bufs = [buffer(queue, x) for x in (a, expected * 0)]
    return (lambda: f(queue, (a.size // 3,), None, *bufs),
            lambda: equal(queue, bufs[1], expected), a.nbytes + expected.nbytes)


@workload("game of life, 4096 squared, bytes", "GB/s", "stream_gbs")
def life(queue):
    n = 4096
    a = integers(n * n, np.uint8).reshape(n, n) & 1
    f = kernel(queue, """kernel void f(global const uchar *in, global uchar *out, uint n) {
        uint x = get_global_id(0) + 1, y = get_global_id(1) + 1; global const uchar *p = in + y * n + x;
        int s = p[-1] + p[1]; for (int d = -1; d <= 1; ++d) s += p[d - (int)n] + p[d + (int)n];
        out[y * n + x] = s == 3 || (s == 2 && p[0]); }""")
    s = sum(np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - a
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = ((s == 3) | ((s == 2) & (a == 1)))[1:-1, 1:-1]
    bufs = [buffer(queue, x) for x in (a, expected * 0)]
    return (lambda: f(queue, (n - 2, n - 2), None, *bufs, np.uint32(n)),
            lambda: equal(queue, bufs[1], expected), 2.0 * a.nbytes)


@workload("median of 3 x 3, bytes", "GB/s", "stream_gbs")
def median(queue):
    n = 2048
    a = integers(n * n, np.uint8).reshape(n, n)
    swaps = "".join(f"t = min(v[{i}], v[{j}]); v[{j}] = max(v[{i}], v[{j}]); v[{i}] = t;" for i, j in (
        (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3), (5, 8), (4, 7), (3, 6), (1, 4),
        (2, 5), (4, 7), (4, 2), (6, 4), (4, 2)))
    f = kernel(queue, f"""kernel void f(global const uchar *in, global uchar *out, int n) {{
        int x = get_global_id(0) + 1, y = get_global_id(1) + 1; uchar v[9], t;
        for (int k = 0; k < 9; ++k) v[k] = in[(y + k / 3 - 1) * n + x + k % 3 - 1];
        {swaps} out[y * n + x] = v[4]; }}""")
    around = np.stack([np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = np.median(around, axis=0)[1:-1, 1:-1]
    bufs = [buffer(queue, x) for x in (a, expected * 0)]
    return (lambda: f(queue, (n - 2, n - 2), None, *bufs, np.int32(n)),
            lambda: equal(queue, bufs[1], expected), 2.0 * a.nbytes)


@workload("random numbers, Philox 4x32", "Mitem/s", "int_gops", each=25)
def philox(queue):
    n = 1 << 22
    f = kernel(queue, """kernel void f(global uint4 *out, uint k0, uint k1) {
        uint4 c = (uint4)((uint)get_global_id(0), 7, 9, 11);
        for (int r = 0; r < 10; ++r) {
            uint h0 = mul_hi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
            uint h1 = mul_hi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
            c = (uint4)(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0); k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; }
        out[get_global_id(0)] = c; }""")
    out = np.zeros((n, 4), np.uint32)
    device = buffer(queue, out)

    def check():
        c, k0, k1 = [np.arange(n, dtype=np.uint64)] + [np.full(n, v, np.uint64) for v in (7, 9, 11)], 1, 2
        for _ in range(10):
            p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
            low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
            c = [(p1 >> high) ^ c[1] ^ np.uint64(k0), p1 & low, (p0 >> high) ^ c[3] ^ np.uint64(k1), p0 & low]
            k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
        return equal(queue, device, np.stack(c, 1).astype(np.uint32))
    return lambda: f(queue, (n,), None, device, np.uint32(1), np.uint32(2)), check, 4 * n


def sha_constants():
    primes = [p for p in range(2, 312) if all(p % d for d in range(2, p))][:64]

    def root(p, k):  # the first 32 bits behind the point, exactly
        value, shift = p << 32 * k, 1 << 40
        low, high = 0, shift
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle ** k <= value else (low, middle)
        return low & 0xFFFFFFFF
    return [root(p, 3) for p in primes], [root(p, 2) for p in primes[:8]]


@workload("SHA-256 of blocks of 32 bytes", "Mitem/s", "int_gops", each=48 * 21 + 64 * 38)
def sha256(queue):
    n = 1 << 17
    a = integers(8 * n).reshape(n, 8)
    k, start = sha_constants()
    f = kernel(queue, f"""constant uint K[64] = {{{", ".join(f"{v}u" for v in k)}}};
        #define S(x, n) rotate((uint)(x), (uint)(32 - n))
        kernel void f(global const uint *in, global uint *out) {{
        size_t id = get_global_id(0); uint w[64], h[8] = {{{", ".join(f"{v}u" for v in start)}}}, s[8];
        for (int i = 0; i < 8; ++i) {{ w[i] = in[id * 8 + i]; s[i] = h[i]; }}
        w[8] = 0x80000000u; for (int i = 9; i < 15; ++i) w[i] = 0; w[15] = 256;
        for (int i = 16; i < 64; ++i)
            w[i] = w[i - 16] + (S(w[i - 15], 7) ^ S(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7]
                + (S(w[i - 2], 17) ^ S(w[i - 2], 19) ^ w[i - 2] >> 10);
        for (int i = 0; i < 64; ++i) {{
            uint t = s[7] + (S(s[4], 6) ^ S(s[4], 11) ^ S(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + K[i] + w[i];
            uint u = (S(s[0], 2) ^ S(s[0], 13) ^ S(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
            s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t; s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t + u;
        }}
        for (int i = 0; i < 8; ++i) out[id * 8 + i] = h[i] + s[i]; }}""")
    bufs = [buffer(queue, x) for x in (a, a)]

    def check():
        got = fetch(queue, bufs[1], a)
        return all(hashlib.sha256(a[i].astype(">u4").tobytes()).digest() == got[i].astype(">u4").tobytes()
                   for i in (*range(0, n, 1111), n - 1))
    return lambda: f(queue, (n,), None, *bufs), check, n


@workload("rays against 64 spheres", "GFLOP/s", "fma_gflops")
def rays(queue):
    n, count = 1024, 64
    spheres = np.random.default_rng(5).random((count, 4), np.float32) * 2 - 1
    spheres[:, 2] += 4
    spheres[:, 3] = 0.05 + np.abs(spheres[:, 3]) * 0.3
    f = kernel(queue, """kernel void f(global const float4 *spheres, int count, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1); float near = 1e30f;
        float3 d = normalize((float3)((x - n / 2) * 1.5f / n, (y - n / 2) * 1.5f / n, 1.0f));
        for (int k = 0; k < count; ++k) {
            float4 s = spheres[k]; float b = dot(d, s.xyz), c = dot(s.xyz, s.xyz) - s.w * s.w, q = b * b - c;
            if (q > 0.0f) { float t = b - sqrt(q); if (t > 0.0f && t < near) near = t; } }
        out[y * n + x] = near; }""")
    out = np.zeros((n, n), np.float32)
    bufs = [buffer(queue, spheres), buffer(queue, out)]

    def check():
        y, x = np.mgrid[:n, :n]
        d = np.stack([(x - n / 2) * 1.5 / n, (y - n / 2) * 1.5 / n, np.ones((n, n))], 2)
        d /= np.sqrt((d * d).sum(2, keepdims=True))
        near = np.full((n, n), 1e30)
        for s in spheres.astype(float):
            b = d @ s[:3]
            q = b * b - (s[:3] @ s[:3] - s[3] ** 2)
            t = np.where(q > 0, b - np.sqrt(np.maximum(q, 0)), np.inf)
            near = np.where((t > 0) & (t < near), t, near)
        return np.mean(np.abs(fetch(queue, bufs[1], out) - near) > 1e-3 * near) < 1e-4  # but for pixels on an edge
    return lambda: f(queue, (n, n), None, bufs[0], np.int32(count), bufs[1], np.int32(n)), check, 17.0 * count * n * n


@workload("sparse rows, ELLPACK 256k x 16", "GB/s", "read_gbs")
def ellpack(queue):
    rows, width = 1 << 18, 16
    at = (np.arange(rows)[None, :] + np.random.default_rng(6).integers(-4096, 4096, (width, rows))) % rows
    values, x = numbers(rows * width).reshape(width, rows), numbers(rows, 1)
    f = kernel(queue, """kernel void f(global const int *at, global const float *v, global const float *x,
        global float *y, int rows, int width) {
        int i = get_global_id(0); float s = 0.0f;
        for (int k = 0; k < width; ++k) s += v[k * rows + i] * x[at[k * rows + i]];
        y[i] = s; }""")
    bufs = [buffer(queue, b) for b in (at.astype(np.int32), values, x, x)]
    return (lambda: f(queue, (rows,), None, *bufs, np.int32(rows), np.int32(width)),
            lambda: close(queue, bufs[3], (values * x[at]).sum(0)), 8.0 * rows * width)


@workload("transpose of doubles, tiles of 16", "GB/s", "stream_gbs")
def transpose(queue):
    n = 2048
    a = np.random.default_rng(7).random((n, n))
    f = kernel(queue, """kernel void f(global const double *in, global double *out, int n) {
        local double t[16][17]; int x = get_local_id(0), y = get_local_id(1);
        int left = get_group_id(0) * 16, top = get_group_id(1) * 16;
        t[y][x] = in[(top + y) * n + left + x]; barrier(CLK_LOCAL_MEM_FENCE);
        out[(left + y) * n + top + x] = t[x][y]; }""")
    bufs = [buffer(queue, x) for x in (a, a)]
    return (lambda: f(queue, (n, n), (16, 16), *bufs, np.int32(n)),
            lambda: equal(queue, bufs[1], np.ascontiguousarray(a.T)), 2.0 * a.nbytes)


STEP = "v += g * dt; p += v * dt; if (p.y < 0.0f) { p.y = -p.y; v.y = -0.5f * v.y; }"


def particles(queue, n):
    """Positions and velocities, and both after a step."""
    p, v = numbers(3 * n).reshape(n, 3), numbers(3 * n, 1).reshape(n, 3) - np.float32(0.5)
    v1 = v + np.float32(0.125) * np.array([0, -9.75, 0], np.float32)
    p1 = p + v1 * np.float32(0.125)
    below = p1[:, 1] < 0
    p1[below, 1] *= -1
    v1[below, 1] *= np.float32(-0.5)
    return p, v, p1, v1


@workload("particles, array of structs of float3", "GB/s", "stream_gbs")
def array_of_structs(queue):
    n = 1 << 20
    f = kernel(queue, f"""typedef struct {{ float3 p, v; }} particle;
        kernel void f(global const particle *in, global particle *out, float dt) {{
        particle x = in[get_global_id(0)]; float3 p = x.p, v = x.v, g = (float3)(0, -9.75f, 0);
        {STEP} x.p = p; x.v = v; out[get_global_id(0)] = x; }}""")
    p, v, p1, v1 = particles(queue, n)
    host = np.zeros((n, 2, 4), np.float32)
    host[:, 0, :3], host[:, 1, :3] = p, v
    bufs = [buffer(queue, host), buffer(queue, host)]

    def check():
        got = fetch(queue, bufs[1], host)
        return np.allclose(got[:, 0, :3], p1, atol=1e-5) and np.allclose(got[:, 1, :3], v1, atol=1e-5)
    return lambda: f(queue, (n,), None, *bufs, np.float32(0.125)), check, 2.0 * host.nbytes


@workload("particles, vload3 and vstore3", "GB/s", "stream_gbs")
def packed_vectors(queue):
    n = 1 << 20
    f = kernel(queue, f"""kernel void f(global const float *ps, global const float *vs, global float *po,
        global float *vo, float dt) {{ size_t i = get_global_id(0);
        float3 p = vload3(i, ps), v = vload3(i, vs), g = (float3)(0, -9.75f, 0);
        {STEP} vstore3(p, i, po); vstore3(v, i, vo); }}""")
    p, v, p1, v1 = particles(queue, n)
    bufs = [buffer(queue, x) for x in (p, v, p, v)]
    return (lambda: f(queue, (n,), None, *bufs, np.float32(0.125)),
            lambda: close(queue, bufs[2], p1, 1e-5) and close(queue, bufs[3], v1, 1e-5), 4.0 * p.nbytes)


@workload("particles, struct of arrays", "GB/s", "stream_gbs")
def struct_of_arrays(queue):
    n = 1 << 20
    names = ("px", "py", "pz", "vx", "vy", "vz")
    f = kernel(queue, f"""kernel void f({", ".join(f"global float *{a}" for a in names)},
        {", ".join(f"global float *{a}o" for a in names)}, float dt) {{ size_t i = get_global_id(0);
        float3 p = (float3)(px[i], py[i], pz[i]), v = (float3)(vx[i], vy[i], vz[i]), g = (float3)(0, -9.75f, 0);
        {STEP} {" ".join(f"{a}o[i] = {a[0]}.{a[1]};" for a in names)} }}""")
    before_p, before_v, p1, v1 = particles(queue, n)
    columns = [np.ascontiguousarray(a[:, k]) for a in (before_p, before_v) for k in range(3)]
    bufs = [buffer(queue, x) for x in columns + columns]
    expected = [np.ascontiguousarray(a[:, k]) for a in (p1, v1) for k in range(3)]
    return (lambda: f(queue, (n,), None, *bufs, np.float32(0.125)),
            lambda: all(close(queue, b, x, 1e-5) for b, x in zip(bufs[6:], expected, strict=True)),
            12.0 * columns[0].nbytes)


@workload("rows by a matrix, written down the columns", "GFLOP/s", "fma_gflops")
def rows_by_matrix(queue):
    n, rows = 256, 1024
    a, b = numbers(rows * n).reshape(rows, n), numbers(n * n, 1).reshape(n, n)
    f = kernel(queue, """kernel void f(global const float *a, global const float *b, global float *restrict c, int n) {
        int i = get_global_id(0);
        for (int j = 0; j < n; ++j) c[i * n + j] = 0.0f;
        for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j]; }""")
    bufs = [buffer(queue, x) for x in (a, b, a)]
    return (lambda: f(queue, (rows,), None, *bufs, np.int32(n)), lambda: close(queue, bufs[2], a @ b, 1e-3),
            2.0 * rows * n * n)


@workload("binary search in 4 MiB", "Mitem/s", "gather_gitems", each=20)
def binary_search(queue):
    table, keys = np.sort(integers(1 << 20)), integers(1 << 20, seed=1)
    f = kernel(queue, """kernel void f(global const uint *table, uint n, global const uint *keys, global uint *out) {
        size_t i = get_global_id(0); uint key = keys[i], low = 0, high = n;
        while (low < high) { uint m = (low + high) / 2; if (table[m] < key) low = m + 1; else high = m; }
        out[i] = low; }""")
    bufs = [buffer(queue, x) for x in (table, keys, keys)]
    return (lambda: f(queue, keys.shape, None, bufs[0], np.uint32(table.size), bufs[1], bufs[2]),
            lambda: equal(queue, bufs[2], np.searchsorted(table, keys).astype(np.uint32)), keys.size)


@workload("edit distance of words of 16", "Mitem/s", "int_gops", each=256 * 5 / 4)     # of bytes, four for a word
def edit_distance(queue):
    n = 1 << 15
    words = integers((n + 1) * 16, np.uint8).reshape(-1, 16) & 3
    f = kernel(queue, """kernel void f(global const uchar *words, global uchar *out) {
        size_t i = get_global_id(0); global const uchar *a = words + i * 16, *b = a + 16; uchar row[17];
        for (int k = 0; k <= 16; ++k) row[k] = k;
        for (int y = 1; y <= 16; ++y) {
            uchar corner = row[0], letter = a[y - 1]; row[0] = y;
            for (int x = 1; x <= 16; ++x) {
                uchar above = row[x];
                row[x] = min(min(above, row[x - 1]) + 1, corner + (letter != b[x - 1])); corner = above; } }
        out[i] = row[16]; }""")
    out = np.zeros(n, np.uint8)
    bufs = [buffer(queue, words), buffer(queue, out)]

    def distance(a, b):
        row = list(range(17))
        for y, letter in enumerate(a, 1):
            following = [y]
            for x, ((corner, above), other) in enumerate(zip(pairwise(row), b, strict=True)):
                following.append(min(above + 1, following[x] + 1, corner + (letter != other)))
            row = following
        return row[16]

    def check():
        got = fetch(queue, bufs[1], out)
        return all(got[i] == distance(words[i].tolist(), words[i + 1].tolist()) for i in range(0, n, 257))
    return lambda: f(queue, (n,), None, *bufs), check, n
