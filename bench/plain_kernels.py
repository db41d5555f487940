# SPDX-License-Identifier: Apache-2.0
"""Kernels as most programs write them: no `restrict`, sums that stay in memory, counters of 32 bits that go up by the
size of the range. Each is checked against numpy before and after it is timed. bench/compare.py runs them too."""
import numpy as np
import pyopencl as cl
from workloads import buffer, fetch, kernel, numbers, workload

N = 1024


def starts_at(queue, device, value, run, expected, tolerance=1e-3):
    """Whether one run makes `expected` of a buffer full of `value`."""
    cl.enqueue_fill_buffer(queue, device, np.float32(value), 0, expected.nbytes)
    run()
    return np.allclose(fetch(queue, device, expected), expected, rtol=tolerance, atol=tolerance)


def product(name, index):
    """A matrix by a vector, added to what is there; each work-item has a row, or a column."""
    @workload(name, "GFLOP/s", "stream_gbs", each=2)     # bytes of the matrix
    def prepare(queue):
        a, x = numbers(N * N).reshape(N, N) - np.float32(0.5), numbers(N, 1)
        f = kernel(queue, f"""kernel void f(global float *a, global float *x, global float *y, int n) {{
            int i = get_global_id(0);
            if (i < n) for (int j = 0; j < n; j++) y[i] += a[{index}] * x[j]; }}""")
        bufs = [buffer(queue, array) for array in (a, x, x)]

        def run():
            f(queue, (N,), (64,), *bufs, np.int32(N))
        expected = 1 + (a if index == "i * n + j" else a.T) @ x
        return run, lambda: starts_at(queue, bufs[2], 1, run, expected), 2.0 * N * N
    return prepare


by_rows = product("y += A x, sums in memory, a row each", "i * n + j")
by_columns = product("y += A' x, sums in memory, a column each", "j * n + i")


@workload("forces in boxes, sums in memory, tiles", "GFLOP/s", "fma_gflops")
def forces(queue):
    """What another box has is read into local memory, and what it adds goes to global memory."""
    boxes, size, around = 64, 64, 8
    x = numbers(4 * boxes * size).reshape(-1, 4)
    f = kernel(queue, f"""kernel void f(global float4 *x, global float4 *v) {{
        local float4 other[{size}];
        int box = get_group_id(0), t = get_local_id(0), i = box * {size} + t;
        for (int k = 0; k < {around}; k++) {{
            other[t] = x[((box + k) % {boxes}) * {size} + t];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = 0; j < {size}; j++) {{
                float4 d = x[i] - other[j];
                float u = 1.0f / (1.0f + d.x * d.x + d.y * d.y + d.z * d.z);
                v[i].x += u * d.x; v[i].y += u * d.y; v[i].z += u * d.z; v[i].w += u; }}
            barrier(CLK_LOCAL_MEM_FENCE); }} }}""")
    bufs = [buffer(queue, array) for array in (x, x)]

    def run():
        f(queue, (boxes * size,), (size,), *bufs)
    expected = np.zeros_like(x)
    by_box = x.reshape(boxes, size, 4)
    for k in range(around):
        d = by_box[:, :, None, :] - np.roll(by_box, -k, 0)[:, None, :, :]
        u = 1 / (1 + (d[..., :3] ** 2).sum(-1))
        d[..., 3] = 1
        expected += (d * u[..., None]).sum(2).reshape(-1, 4)
    return run, lambda: starts_at(queue, bufs[1], 0, run, expected), 16.0 * boxes * size * around * size


def grid_stride(kind, dtype):
    @workload(f"grid-stride loop, counter of type {kind}", "GB/s", "stream_gbs")
    def prepare(queue):
        n = 1 << 18
        a = numbers(n)
        f = kernel(queue, f"""kernel void f(global float *o, global float *a, {kind} n) {{
            for ({kind} i = get_global_id(0); i < n; i += get_global_size(0)) o[i] = a[i] * 2.0f + 1.0f; }}""")
        bufs = [buffer(queue, a), buffer(queue, a)]
        return (lambda: f(queue, (4096,), (256,), *bufs, dtype(n)),
                lambda: np.allclose(fetch(queue, bufs[0], a), a * np.float32(2) + np.float32(1)), 2 * a.nbytes)
    return prepare


unsigned_counter, signed_counter = grid_stride("uint", np.uint32), grid_stride("int", np.int32)
wide_counter = grid_stride("ulong", np.uint64)


def outer_product(kind, dtype):
    @workload(f"a column times a row taken away, indices of type {kind}", "GB/s", "stream_gbs")
    def prepare(queue):
        """Elimination: what remains of a matrix begins one further down and right each time."""
        k = 5
        a = numbers(N * N).reshape(N, N)
        f = kernel(queue, f"""kernel void f(global float *a, global float *o, {kind} k, {kind} n) {{
            {kind} j = get_global_id(0) + (k + 1), i = get_global_id(1) + (k + 1);
            if (i < n && j < n) o[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j]; }}""")
        bufs = [buffer(queue, a), buffer(queue, a)]
        expected = a.copy()
        expected[k + 1:, k + 1:] -= a[k + 1:, k:k + 1] * a[k:k + 1, k + 1:]
        return (lambda: f(queue, (N, N), (32, 8), *bufs, dtype(k), dtype(N)),
                lambda: np.allclose(fetch(queue, bufs[1], a), expected, atol=1e-5), 2 * a.nbytes)
    return prepare


signed_sums, unsigned_sums = outer_product("int", np.int32), outer_product("uint", np.uint32)


def rows(kind, dtype):
    @workload(f"rows of a product, indices of type {kind}", "GFLOP/s", "fma_gflops")
    def prepare(queue):
        """Each work-item goes along a row of its own, behind a place that may wrap."""
        n = 480
        a, b = numbers(n * n).reshape(n, n), numbers(n * n, 1).reshape(n, n)
        f = kernel(queue, f"""kernel void f(global const float *a, global const float *b, global float *o, {kind} n) {{
            {kind} y = get_global_id(0);
            for ({kind} x = 0; x < n; x++) {{
                float sum = 0;
                for ({kind} k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
                o[y * n + x] = sum; }} }}""")
        bufs = [buffer(queue, array) for array in (a, b, a)]
        expected = a @ b
        return (lambda: f(queue, (n,), (96,), *bufs, dtype(n)),
                lambda: np.allclose(fetch(queue, bufs[2], expected), expected, rtol=1e-3), 2.0 * n ** 3)
    return prepare


signed_rows, unsigned_rows = rows("int", np.int32), rows("uint", np.uint32)


def window(kind, dtype):
    @workload(f"sums of 3 by 3 places, indices of type {kind}", "GFLOP/s", "fma_gflops")
    def prepare(queue):
        """The window begins one place up and left: below zero for the first row, which has none."""
        a = numbers(N * N).reshape(N, N)
        f = kernel(queue, f"""kernel void f(global const float *a, global float *o, {kind} n) {{
            {kind} x = get_global_id(0), y = get_global_id(1);
            if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {{
                float sum = 0;
                for ({kind} j = 0; j < 3; j++)
                    for ({kind} i = 0; i < 3; i++) sum += a[(y + j - 1) * n + x + i - 1];
                o[y * n + x] = sum; }} }}""")
        bufs = [buffer(queue, a), buffer(queue, a)]
        expected = a.copy()
        expected[1:-1, 1:-1] = sum(a[1 + j:N - 1 + j, 1 + i:N - 1 + i] for j in (-1, 0, 1) for i in (-1, 0, 1))
        return (lambda: f(queue, (N, N), (32, 8), *bufs, dtype(N)),
                lambda: np.allclose(fetch(queue, bufs[1], a), expected, rtol=1e-4), 9.0 * N * N)
    return prepare


signed_window, unsigned_window = window("int", np.int32), window("uint", np.uint32)


def search(kind, dtype):
    @workload(f"first of a list above a number, {kind}", "Mop/s", "fma_gflops")
    def prepare(queue):
        """Work-items leave the loop one by one, or all of them at its end."""
        n, most = 1 << 14, 700
        steps = np.cumsum(numbers(most)).astype(dtype)
        wanted = (np.linspace(0, 1.1, n) * steps[-1]).astype(dtype)
        f = kernel(queue, f"""kernel void f(global const {kind} *steps, global const {kind} *wanted, global int *o,
                                              int n, int most) {{
            int i = get_global_id(0), found = -1;
            if (i < n) {{
                for (int k = 0; k < most; k++) if (steps[k] >= wanted[i]) {{ found = k; break; }}
                o[i] = found; }} }}""")
        bufs = [buffer(queue, array) for array in (steps, wanted, np.zeros(n, np.int32))]
        expected = np.searchsorted(steps, wanted).astype(np.int32)
        turns = float((expected + 1).sum())
        expected[expected == most] = -1
        return (lambda: f(queue, (n,), (256,), *bufs, np.int32(n), np.int32(most)),
                lambda: np.array_equal(fetch(queue, bufs[2], expected), expected), turns)
    return prepare


float_search, double_search = search("float", np.float32), search("double", np.float64)


@workload("rates of reactions, double", "Mop/s", "fma_gflops", each=2 * 40)      # a function of double
def rates(queue):
    """Functions amid arithmetic: what a call does not keep in registers costs as much as the function itself."""
    n = 1 << 16
    x = numbers(n).astype(np.float64) + 0.5
    f = kernel(queue, """kernel void f(global const double *a, global double *o) {
        size_t i = get_global_id(0);
        double t = a[i], l = log(t), r = 1.0 / t, s = 0.0;
        s += exp(0.3 - 1.1 * l - 0.7 * r) * t; s += exp(0.1 + 0.4 * l - 0.2 * r) * r;
        s += exp(-0.9 + 0.8 * l - 1.7 * r) * l; s += pow(t, 1.7) * r + sin(t) * cos(t);
        o[i] = s + pow(l, 2.0); }""")
    bufs = [buffer(queue, x), buffer(queue, x)]
    log, inverse = np.log(x), 1 / x
    expected = (np.exp(0.3 - 1.1 * log - 0.7 * inverse) * x + np.exp(0.1 + 0.4 * log - 0.2 * inverse) * inverse
                + np.exp(-0.9 + 0.8 * log - 1.7 * inverse) * log + x ** 1.7 * inverse
                + np.sin(x) * np.cos(x) + log ** 2)
    return (lambda: f(queue, (n,), (64,), *bufs), lambda: np.allclose(fetch(queue, bufs[1], x), expected, rtol=1e-12),
            8.0 * n)


@workload("columns 32 KiB apart, 96 of them", "GB/s", "stream_gbs")
def columns(queue):
    """An element of each for a work-item: all are in the same few slots of a cache."""
    n, many = 1 << 12, 96
    a = numbers(n * many).astype(np.float64)
    terms = " + ".join(f"a[{k * n} + i] * {k + 1}.0" for k in range(many))
    f = kernel(queue, f"""kernel void f(global const double *a, global double *o) {{
        size_t i = get_global_id(0); o[i] = {terms}; }}""")
    bufs = [buffer(queue, a), buffer(queue, a[:n])]
    expected = (np.arange(1, many + 1)[:, None] * a.reshape(many, n)).sum(0)
    return (lambda: f(queue, (n,), (64,), *bufs), lambda: np.allclose(fetch(queue, bufs[1], expected), expected),
            a.nbytes)


@workload("rows of a sparse matrix, vector in an image", "Mop/s", "read_gbs", each=4)     # bytes of the matrix
def sparse_rows(queue):
    """Each work-item leaves the loop when its row ends; what the image is like is the same for all of them."""
    rows, wide = 1 << 13, 1 << 10
    random = np.random.default_rng(5)
    ends = np.concatenate([[0], np.cumsum(random.integers(8, 24, rows))]).astype(np.int32)
    columns = random.integers(0, rows, ends[-1]).astype(np.int32)
    values, vector = numbers(len(columns)), np.zeros((rows // wide, wide, 4), np.float32)
    vector[..., 0] = numbers(rows, 1).reshape(-1, wide) * (np.arange(wide) + 1)
    image = cl.Image(queue.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                     cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), shape=(wide, rows // wide),
                     hostbuf=vector)
    f = kernel(queue, f"""
        constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
        kernel void f(global const float *values, read_only image2d_t vector, global const int *columns,
                      global const int *ends, int n, global float *o) {{
            int i = get_global_id(0);
            if (i < n) {{
                float sum = 0.0f;
                for (int j = ends[i]; j < ends[i + 1]; j++)
                    sum += values[j] * read_imagef(vector, s, (int2)(columns[j] % {wide}, columns[j] / {wide})).x;
                o[i] = sum; }} }}""")
    first, *others = [buffer(queue, array) for array in (values, columns, ends, values[:rows])]
    expected = np.add.reduceat(values * vector[..., 0].reshape(-1)[columns], ends[:-1])
    return (lambda: f(queue, (rows,), (64,), first, image, *others[:2], np.int32(rows), others[2]),
            lambda: np.allclose(fetch(queue, others[2], expected.astype(np.float32)), expected, rtol=1e-3),
            2.0 * len(columns))


def nearest(name, features, text):
    @workload(f"nearest of 32 centers, {name}", "GFLOP/s", "fma_gflops")
    def prepare(queue):
        """Each work-item walks along a short row of its own again and again."""
        n, centers = 1 << 15, 32
        x, c = numbers(n * features).reshape(n, features), numbers(centers * features, 1).reshape(centers, features)
        f = kernel(queue, f"""kernel void f(global float *x, global float *c, global int *nearest,
                                            int n, int centers, int features) {{
            int p = get_global_id(0), best = 0;
            if (p < n) {{
                float least = FLT_MAX;
                for (int i = 0; i < centers; i++) {{
                    float d = 0.0f;
                    for (int k = 0; k < {text}; k++) {{
                        float t = x[p * {text} + k] - c[i * {text} + k];
                        d += t * t; }}
                    if (d < least) {{ least = d; best = i; }} }}
                nearest[p] = best; }} }}""")
        bufs = [buffer(queue, array) for array in (x, c, np.zeros(n, np.int32))]
        expected = ((x[:, None] - c) ** 2).sum(2).argmin(1).astype(np.int32)
        return (lambda: f(queue, (n,), (256,), *bufs, np.int32(n), np.int32(centers), np.int32(features)),
                lambda: (fetch(queue, bufs[2], expected) == expected).mean() > 0.999, 3.0 * n * centers * features)
    return prepare


short_rows, fixed_rows = nearest("rows of 4 features", 4, "features"), nearest("rows of 3, a constant", 3, "3")


def bytes_by(kind, dtype):
    @workload(f"bytes of a table, by indices of type {kind}", "Mop/s", "gather_gitems")
    def prepare(queue):
        """Substitution, twice: what is found is where to look next."""
        n, random = 1 << 20, np.random.default_rng(3)
        at, table = random.integers(0, 256, n).astype(dtype), random.permutation(256).astype(np.uint8)
        f = kernel(queue, f"""kernel void f(global const {kind} *at, constant uchar *table, global uchar *o) {{
            size_t i = get_global_id(0);
            o[i] = table[table[at[i]] ^ 7]; }}""")
        expected = table[table[at] ^ 7]
        bufs = [buffer(queue, array) for array in (at, table, np.zeros_like(expected))]
        return (lambda: f(queue, (n,), (256,), *bufs),
                lambda: np.array_equal(fetch(queue, bufs[2], expected), expected), 2.0 * n)
    return prepare


narrow_look_ups, wide_look_ups = bytes_by("uchar", np.uint8), bytes_by("int", np.int32)


@workload("forces between neighbours of a list, places float4", "Mop/s", "gather_gitems")
def forces_by_list(queue):
    """Molecular dynamics: each work-item reads places all over memory, four numbers at a time."""
    n, near = 1 << 14, 32
    x = numbers(4 * n).reshape(-1, 4)
    others = np.random.default_rng(7).integers(0, n, (near, n)).astype(np.int32)
    f = kernel(queue, """kernel void f(global const float4 *x, global const int *others, global float4 *v, int near) {
        size_t i = get_global_id(0), n = get_global_size(0);
        float4 own = x[i], sum = 0.0f;
        for (int k = 0; k < near; k++) {
            float4 other = x[others[k * n + i]];
            float a = own.x - other.x, b = own.y - other.y, c = own.z - other.z;
            float u = 1.0f / (0.1f + a * a + b * b + c * c);
            if (u > 1.0f) { sum.x += a * u; sum.y += b * u; sum.z += c * u; } }
        v[i] = sum; }""")
    bufs = [buffer(queue, array) for array in (x, others, x)]
    d = x[None, :, :3] - x[others][..., :3]
    u = 1 / (np.float32(0.1) + (d ** 2).sum(2))
    expected = np.zeros_like(x)
    expected[:, :3] = (d * np.where(u > 1, u, 0)[..., None]).sum(0)
    return (lambda: f(queue, (n,), (128,), *bufs, np.int32(near)),
            lambda: np.allclose(fetch(queue, bufs[2], x), expected, rtol=1e-3, atol=1e-3), 1.0 * n * near)


@workload("tridiagonal systems, a row of 4 KiB each", "Mop/s", "stream_gbs", each=16)    # bytes read and written
def tridiagonal(queue):
    """Rows that are read and written element by element, all of them in the same slots of the cache."""
    shape = N, N
    a, b = numbers(N * N).reshape(shape), 3 + numbers(N * N, 1).reshape(shape)
    f = kernel(queue, """kernel void f(global float *a, global float *b, global float *c, global float *y, int n) {
        int i = get_global_id(0);
        for (int k = 1; k < n; k++) {
            c[i * n + k] = 1.0f / (b[i * n + k] - c[i * n + k - 1]);
            y[i * n + k] = (a[i * n + k] + y[i * n + k - 1]) * c[i * n + k]; } }""")
    bufs = [buffer(queue, array) for array in (a, b, np.zeros_like(a), np.zeros_like(a))]
    c, expected = np.zeros_like(a), np.zeros_like(a)
    for k in range(1, N):
        c[:, k] = 1 / (b[:, k] - c[:, k - 1])
        expected[:, k] = (a[:, k] + expected[:, k - 1]) * c[:, k]
    return (lambda: f(queue, (N,), (64,), *bufs, np.int32(N)),
            lambda: np.allclose(fetch(queue, bufs[3], a), expected, rtol=1e-3, atol=1e-3), 1.0 * N * N)


def row_products(kind, dtype):
    @workload(f"products of two rows, {kind}, a bound in two dimensions", "GFLOP/s", "fma_gflops")
    def prepare(queue):
        """Each work-item goes along two rows, of which one is the same for all beside it: A B'."""
        n = 384
        a, b = numbers(n * n).reshape(n, n).astype(dtype), numbers(n * n, 1).reshape(n, n).astype(dtype)
        f = kernel(queue, f"""kernel void f(global {kind} *a, global {kind} *b, global {kind} *c, int n) {{
            int j = get_global_id(0), i = get_global_id(1);
            if (i < n && j < n) {{
                {kind} sum = 0;
                for (int k = 0; k < n; k++) sum += a[i * n + k] * b[j * n + k];
                c[i * n + j] = sum; }} }}""")
        bufs = [buffer(queue, array) for array in (a, b, a)]
        expected = a @ b.T
        return (lambda: f(queue, (n, n), (32, 8), *bufs, np.int32(n)),
                lambda: np.allclose(fetch(queue, bufs[2], expected), expected, rtol=1e-3), 2.0 * n ** 3)
    return prepare


float_row_products, double_row_products = row_products("float", np.float32), row_products("double", np.float64)


@workload("rows and columns of a number, by / and %", "Mitem/s", "stream_gbs", each=8)    # bytes read and written
def places(queue):
    """A range of one dimension for a picture of two, which goes on at the other side: divisions by an argument."""
    a = numbers(N * N).reshape(N, N)
    f = kernel(queue, """kernel void f(global const float *a, global float *o, int w, int h) {
        int i = get_global_id(0), x = i % w, y = i / w;
        int left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h, down = (y + 1) % h;
        o[i] = a[y * w + left] + a[y * w + right] + a[up * w + x] + a[down * w + x]; }""")
    bufs = [buffer(queue, a), buffer(queue, a)]
    expected = sum(np.roll(a, shift, axis) for axis in (0, 1) for shift in (-1, 1))
    return (lambda: f(queue, (N * N,), (256,), *bufs, np.int32(N), np.int32(N)),
            lambda: np.allclose(fetch(queue, bufs[1], a), expected, rtol=1e-5), 1.0 * N * N)


@workload("transforms of 256 complex numbers in local memory", "GFLOP/s", "fma_gflops")
def transforms(queue):
    """Pairs of numbers that go to places of each work-item's own, between barriers."""
    many, size = 512, 256
    a = (numbers(2 * many * size) - np.float32(0.5)).view(np.complex64).reshape(many, size)
    f = kernel(queue, f"""kernel void f(global const float2 *a, global float2 *o, local float2 *x, local float2 *y) {{
        int l = get_local_id(0), m = {size // 2}, first = get_group_id(0) * {size};
        x[l] = a[first + l]; x[l + m] = a[first + l + m];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 1; p < {size}; p *= 2) {{
            int k = l & (p - 1), j = 2 * (l - k) + k;
            float angle = -M_PI_F * k / p, c = native_cos(angle), s = native_sin(angle);
            float2 u = x[l], v = x[l + m];
            v = (float2)(v.x * c - v.y * s, v.x * s + v.y * c);
            y[j] = u + v; y[j + p] = u - v;
            barrier(CLK_LOCAL_MEM_FENCE);
            local float2 *t = x; x = y; y = t; }}
        o[first + l] = x[l]; o[first + l + m] = x[l + m]; }}""")
    bufs = [buffer(queue, array) for array in (a, a)]
    expected = np.fft.fft(a, axis=1)
    return (lambda: f(queue, (many * size // 2,), (size // 2,), *bufs, *[cl.LocalMemory(8 * size)] * 2),
            lambda: np.allclose(fetch(queue, bufs[1], a), expected, atol=1e-3), 5.0 * many * size * np.log2(size))


@workload("a picture that goes on at its other side, (x + 1) % w", "Mitem/s", "stream_gbs", each=8)    # bytes
def around(queue):
    """Places that ids and divisions of ids are in: those that are not divided lie side by side all the same."""
    a = numbers(N * N).reshape(N, N)
    f = kernel(queue, """kernel void f(global const float *a, global float *o, int w, int h) {
        int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
        int right = (x + 1) % w, down = (y + 1) % h;
        o[i] = a[i] + a[y * w + right] + a[down * w + x] + a[down * w + right]; }""")
    bufs = [buffer(queue, a), buffer(queue, a)]
    expected = sum(np.roll(a, (-y, -x), (0, 1)) for y in (0, 1) for x in (0, 1))
    return (lambda: f(queue, (N, N), (64, 4), *bufs, np.int32(N), np.int32(N)),
            lambda: np.allclose(fetch(queue, bufs[1], a), expected, rtol=1e-5), 1.0 * N * N)


@workload("sparse rows of unlike length, column by column", "Gitem/s", "gather_gitems")
def jagged_rows(queue):
    """Rows sorted by length, numbers of the same place in their rows side by side: the loop ends row by row; where a
    column begins is the same for all rows."""
    rows, longest = 1 << 14, 24
    lengths = np.sort(np.random.default_rng(3).integers(1, longest + 1, rows // 32).astype(np.int32))[::-1].copy()
    starts = np.arange(longest, dtype=np.int32) * rows
    a, x = numbers(rows * longest), numbers(rows, 1)
    columns = np.random.default_rng(4).integers(0, rows, rows * longest).astype(np.int32)
    f = kernel(queue, """kernel void f(global const float *a, global const int *columns, global const float *x,
            constant int *starts, constant int *lengths, global float *o, int rows) {
        int i = get_global_id(0);
        if (i < rows) {
            float sum = 0;
            int length = lengths[i / 32];
            for (int k = 0; k < length; k++) {
                int place = starts[k] + i;
                sum += a[place] * x[columns[place]]; }
            o[i] = sum; } }""")
    bufs = [buffer(queue, array) for array in (a, columns, x, starts, lengths, x)]
    taking_part = np.arange(longest)[:, None] < np.repeat(lengths, 32)[None, :]
    expected = ((a * x[columns]).reshape(longest, rows) * taking_part).sum(0)
    return (lambda: f(queue, (rows,), (256,), *bufs, np.int32(rows)),
            lambda: np.allclose(fetch(queue, bufs[5], x), expected, rtol=1e-3), 1.0 * taking_part.sum())


@workload("powers of a row's numbers, one product after the other", "GFLOP/s", "fma_gflops")
def powers(queue):
    """Each turn of the inner loop waits for the one before, and nothing else is to do."""
    many, size = 4096, 64
    a = numbers(many * size).reshape(many, size) + np.float32(0.5)      # no denormal powers
    f = kernel(queue, f"""kernel void f(global const float *a, global float *o) {{
        int i = get_global_id(0);
        float sum = 0;
        for (int j = 0; j < {size}; j++) {{
            float power = 1;
            for (int k = 0; k <= j; k++) power *= a[i * {size} + j];
            sum += power; }}
        o[i] = sum; }}""")
    bufs = [buffer(queue, a), buffer(queue, a[:, 0].copy())]
    expected = np.sum(a.astype(np.float64) ** np.arange(1, size + 1), axis=1).astype(np.float32)
    return (lambda: f(queue, (many,), (64,), *bufs),
            lambda: np.allclose(fetch(queue, bufs[1], expected), expected, rtol=1e-3), many * size * (size + 1) / 2)
