# SPDX-License-Identifier: Apache-2.0
"""Loops that compute more than they read, as most programs write them. Each is checked against numpy before and after
it is timed. bench/compare.py runs them too."""
import numpy as np
import pyopencl as cl
from plain_kernels import starts_at
from workloads import buffer, fetch, kernel, numbers, workload


@workload("waves from 256 sources, sin and cos of float", "Mop/s", "fma_gflops", each=2 * 24)    # sin and cos
def waves(queue):
    """Sums by phases, as when an image is made of what a scanner measured."""
    n, sources = 1 << 13, 256
    places = [numbers(n, seed) for seed in range(3)]
    points = numbers(4 * sources, 3)
    f = kernel(queue, """kernel void f(global const float *x, global const float *y, global const float *z,
            constant float4 *points, global float *re, global float *im, int sources) {
        int i = get_global_id(0);
        float a = x[i], b = y[i], c = z[i], real = 0, imaginary = 0;
        for (int k = 0; k < sources; k++) {
            float phase = 2 * M_PI_F * (points[k].x * a + points[k].y * b + points[k].z * c);
            real += points[k].w * cos(phase);
            imaginary += points[k].w * sin(phase); }
        re[i] = real; im[i] = imaginary; }""")
    bufs = [buffer(queue, array) for array in (*places, points, places[0], places[0])]
    phases = 2 * np.pi * (np.stack(places, 1).astype(np.float64) @ points.reshape(-1, 4)[:, :3].T)
    expected = [np.cos(phases) @ points[3::4], np.sin(phases) @ points[3::4]]
    return (lambda: f(queue, (n,), (256,), *bufs, np.int32(sources)),
            lambda: all(np.allclose(fetch(queue, made, places[0]), right, atol=1e-2)
                        for made, right in zip(bufs[4:], expected, strict=True)), 1.0 * n * sources)


@workload("steps until 1 is reached, x / 2 or 3 x + 1", "Gstep/s", "int_gops", each=5)
def steps(queue):
    """A loop that work-items leave one by one, of which each turn waits for the one before."""
    n = 1 << 16
    f = kernel(queue, """kernel void f(global int *o) {
        uint x = get_global_id(0) + 1;
        int steps = 0;
        while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; steps++; }
        o[get_global_id(0)] = steps; }""")
    x, expected = np.arange(1, n + 1, dtype=np.uint32), np.zeros(n, np.int32)
    while (x != 1).any():
        expected += x != 1
        x = np.where(x == 1, 1, np.where(x & 1, 3 * x + 1, x // 2)).astype(np.uint32)
    made = buffer(queue, expected)
    return (lambda: f(queue, (n,), (64,), made),
            lambda: np.array_equal(fetch(queue, made, expected), expected), 1.0 * expected.sum())


@workload("numbers drawn until eight are small, counted in a volatile variable", "Gstep/s", "int_gops", each=5)
def draws(queue):
    """What is volatile is each work-item's own: they need not be one after the other for it."""
    n, most = 1 << 14, 8
    f = kernel(queue, f"""kernel void f(global int *o) {{
        uint x = get_global_id(0) + 1;
        volatile int found = 0;
        int draws = 0;
        while (found < {most}) {{ x = x * 1664525 + 1013904223; draws++; if (x >> 30) continue; found++; }}
        o[get_global_id(0)] = draws; }}""")
    x, found, expected = np.arange(1, n + 1, dtype=np.uint32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    while (found < most).any():
        x = x * np.uint32(1664525) + np.uint32(1013904223)
        expected += found < most
        found += x >> 30 == 0
    made = buffer(queue, expected)
    return (lambda: f(queue, (n,), (64,), made),
            lambda: np.array_equal(fetch(queue, made, expected), expected), 1.0 * expected.sum())


@workload("potentials around 256 charges, rsqrt and a cutoff", "Mop/s", "fma_gflops", each=12)
def potentials(queue):
    n, charges = 128, 256
    points = numbers(4 * charges)
    f = kernel(queue, """kernel void f(constant float4 *points, global float *o, int charges, float step) {
        int x = get_global_id(0), y = get_global_id(1);
        float sum = 0;
        for (int k = 0; k < charges; k++) {
            float a = points[k].x - x * step, b = points[k].y - y * step, c = points[k].z;
            float square = a * a + b * b + c * c;
            if (square < 0.25f) { float s = 1 - 4 * square; sum += points[k].w * rsqrt(square + 0.001f) * s * s; } }
        o[y * get_global_size(0) + x] = sum; }""")
    places = np.arange(n) / n
    by_charge = points.reshape(-1, 4).astype(np.float64)[:, :, None, None]
    squares = ((by_charge[:, 0] - places) ** 2 + (by_charge[:, 1] - places[:, None]) ** 2 + by_charge[:, 2] ** 2)
    near = np.maximum(1 - 4 * squares, 0)
    expected = (by_charge[:, 3] / np.sqrt(squares + 0.001) * near * near).sum(0)
    made = buffer(queue, np.zeros((n, n), np.float32))
    charges_of = buffer(queue, points)
    return (lambda: f(queue, (n, n), (16, 8), charges_of, made, np.int32(charges), np.float32(1 / n)),
            lambda: np.allclose(fetch(queue, made, np.zeros((n, n), np.float32)), expected, rtol=1e-3, atol=1e-4),
            1.0 * charges * n * n)


@workload("128 columns times two of 16 others, after a copy", "GB/s", "stream_gbs")
def rates(queue):
    """Straight code: the others are read again and again between writes, and the copy leaves the columns in caches."""
    n, columns, others = 13824, 128, 16
    start = numbers(columns * n).reshape(columns, n).astype(np.float64)
    c = numbers(others * n, 1).reshape(others, n).astype(np.float64)
    pairs = [(k % others, 7 * k % others) for k in range(columns)]
    lines = " ".join(f"r[{k} * n + i] = r[{k} * n + i] * c[{a} * n + i] * c[{b} * n + i];"
                     for k, (a, b) in enumerate(pairs))
    f = kernel(queue, f"kernel void f(global double *r, global const double *c) {{ const uint n = {n}; "
                      f"uint i = get_global_id(0); {lines} }}")
    kept, r, rest = buffer(queue, start), buffer(queue, start), buffer(queue, c)
    expected = start * np.stack([c[a] * c[b] for a, b in pairs])

    def run():
        cl.enqueue_copy(queue, r, kept)
        f(queue, (n,), (128,), r, rest)
    return run, lambda: np.allclose(fetch(queue, r, start), expected), 4.0 * start.nbytes


@workload("keys and values, sorted in groups of 512 places", "Mitem/s", "int_gops", each=45 * 9)
def pairs(queue):
    """Each exchange is of two places of each of two arrays, if the keys say so; between steps all wait."""
    n, size = 1 << 16, 512
    keys = np.random.default_rng(5).permutation(n).astype(np.uint32)
    f = kernel(queue, f"""kernel void f(global const uint *from, global uint *key_out, global uint *value_out) {{
        local uint key[{size}], value[{size}];
        uint t = get_local_id(0), first = get_group_id(0) * {size} + t;
        for (uint k = 0; k < 2; k++) {{
            key[t + k * {size // 2}] = from[first + k * {size // 2}];
            value[t + k * {size // 2}] = first + k * {size // 2}; }}
        for (uint run = 1; run < {size}; run *= 2)
            for (uint step = run; step > 0; step /= 2) {{
                barrier(CLK_LOCAL_MEM_FENCE);
                uint a = 2 * t - (t & (step - 1)), b = a + step, x = key[a], y = key[b];
                if ((x > y) == ((t & run) == 0 || run == {size // 2})) {{
                    uint z = value[a];
                    key[a] = y; key[b] = x;
                    value[a] = value[b]; value[b] = z; }} }}
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 2; k++) {{
            key_out[first + k * {size // 2}] = key[t + k * {size // 2}];
            value_out[first + k * {size // 2}] = value[t + k * {size // 2}]; }} }}""")
    bufs = [buffer(queue, keys) for _ in range(3)]
    sorted_keys = np.sort(keys.reshape(-1, size)).ravel()
    return (lambda: f(queue, (n // 2,), (size // 2,), *bufs),
            lambda: np.array_equal(fetch(queue, bufs[1], keys), sorted_keys)
            and np.array_equal(keys[fetch(queue, bufs[2], keys)], sorted_keys), 1.0 * n)


@workload("sums and differences of pairs a step apart", "GB/s", "stream_gbs")
def butterflies(queue):
    """A step of Walsh's transform; lanes are neighbours in blocks of `step`, which is a power of two."""
    n, step = 1 << 19, 64
    a = numbers(n)
    f = kernel(queue, """kernel void f(global const float *a, global float *o, uint step) {
        uint i = get_global_id(0), p = 2 * i - (i & (step - 1));
        float x = a[p], y = a[p + step];
        o[p] = x + y; o[p + step] = x - y; }""")
    bufs = [buffer(queue, a), buffer(queue, a)]
    x, y = a.reshape(-1, 2, step).transpose(1, 0, 2)
    expected = np.stack([x + y, x - y], 1).ravel()
    return (lambda: f(queue, (n // 2,), (256,), *bufs, np.uint32(step)),
            lambda: np.allclose(fetch(queue, bufs[1], a), expected, atol=1e-6), 2 * a.nbytes)


@workload("mean of a window of 21 pixels, RGBA, in local memory", "Mpixel/s", "int_gops", each=21 * 8)
def windows(queue):
    """Both ends of the loop move with the work-item; those near the ends of a group only load."""
    group, r, rows = 160, 10, 256
    inner = group - 2 * r
    width = 8 * inner
    pixels = np.random.default_rng(6).integers(0, 256, (rows, width, 4)).astype(np.uint8)
    f = kernel(queue, """kernel void f(global const uchar4 *from, global uchar4 *to, local uchar4 *tile, int width,
            int r) {
        int i = get_local_id(0), x = get_group_id(0) * (get_local_size(0) - 2 * r) + i - r, y = get_group_id(1);
        if (x >= 0 && x < width) tile[i] = from[y * width + x];
        else tile[i] = (uchar4)(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x >= 0 && x < width && i >= r && i < (int)get_local_size(0) - r) {
            float4 sum = 0;
            for (int k = i - r; k <= i + r; k++) sum += convert_float4(tile[k]);
            to[y * width + x] = convert_uchar4(sum / (2 * r + 1)); } }""")
    bufs = [buffer(queue, pixels) for _ in range(2)]
    sums = np.cumsum(np.pad(pixels.astype(np.int64), ((0, 0), (r + 1, r), (0, 0))), axis=1)
    expected = (sums[:, 2 * r + 1:] - sums[:, :width]) // (2 * r + 1)
    args = [*bufs, cl.LocalMemory(4 * group), np.int32(width), np.int32(r)]
    return (lambda: f(queue, (8 * group, rows), (group, 1), *args),
            lambda: np.array_equal(fetch(queue, bufs[1], pixels), expected), 1.0 * rows * width)


@workload("systems of 128 equations, a row each, factors in private memory", "Mop/s", "stream_gbs", each=20)
def small_systems(queue):
    """Tridiagonal: once along a row and back; the loops' lengths are known, but too long to be written out."""
    n, systems = 128, 4096
    below, above, right = (numbers(n * systems, seed).reshape(systems, n) for seed in range(3))
    middle = 3 + numbers(n * systems, 3).reshape(systems, n)
    f = kernel(queue, f"""kernel void f(global const float *below, global const float *middle,
            global const float *above, global const float *right, global float *x, int systems) {{
        int i = get_global_id(0) * {n};
        if (i >= systems * {n}) return;
        float factor[{n}], last = right[i] / middle[i];
        factor[0] = above[i] / middle[i]; x[i] = last;
        for (int k = 1; k < {n}; k++) {{
            i++;
            float t = native_recip(middle[i] - below[i] * factor[k - 1]);
            factor[k] = above[i] * t;
            x[i] = last = (right[i] - below[i] * last) * t; }}
        for (int k = {n - 2}; k >= 0; k--) {{
            i--;
            x[i] = last = x[i] - factor[k] * last; }} }}""")
    bufs = [buffer(queue, a) for a in (below, middle, above, right, right)]
    few, k = 64, np.arange(n)      # that are checked
    matrix = np.zeros((few, n, n), np.float32)
    matrix[:, k, k] = middle[:few]
    matrix[:, k[1:], k[:-1]], matrix[:, k[:-1], k[1:]] = below[:few, 1:], above[:few, :-1]
    made = np.zeros_like(right)
    return (lambda: f(queue, (systems,), (128,), *bufs, np.int32(systems)),
            lambda: np.allclose((matrix @ fetch(queue, bufs[4], made)[:few, :, None])[:, :, 0], right[:few], atol=1e-3),
            1.0 * n * systems)


@workload("lengths, again in each of 64 turns", "Mop/s", "fma_gflops", each=64 * 2)
def same_lengths(queue):
    """What does not change in a loop that may have no turn: a call of the C library's hypot."""
    n, turns = 1 << 18, 64
    a, b = numbers(n, 1), numbers(n, 2)
    f = kernel(queue, """kernel void f(global const float *a, global const float *b, global float *o, int turns) {
        int i = get_global_id(0);
        float sum = 0;
        for (int k = 0; k < turns; k++) sum += hypot(a[i], b[i]) * k;
        o[i] = sum; }""")
    bufs = [buffer(queue, x) for x in (a, b, a)]
    expected = np.hypot(a, b) * (turns * (turns - 1) // 2)
    return (lambda: f(queue, (n,), (256,), *bufs, np.int32(turns)),
            lambda: np.allclose(fetch(queue, bufs[2], a), expected, rtol=1e-4), 1.0 * n * turns)


@workload("a step of a search through a graph: flags of bytes", "Mitem/s", "gather_gitems", each=4)
def flags(queue):
    """Bytes of some work-items, by what other bytes say: no pattern that a processor could foresee."""
    n = 1 << 20
    found = (np.random.default_rng(7).random(n) < 0.2).astype(np.uint8)
    f = kernel(queue, """kernel void f(global uchar *front, global uchar *found, global uchar *seen, int n) {
        int i = get_global_id(0);
        if (i < n && found[i]) { front[i] = 1; seen[i] = i & 127; } }""")
    bufs = [buffer(queue, x) for x in (np.zeros(n, np.uint8), found, np.zeros(n, np.uint8))]
    return (lambda: f(queue, (n,), (256,), *bufs, np.int32(n - 3)),
            lambda: np.array_equal(fetch(queue, bufs[0], found)[:-3], found[:-3])
            and np.array_equal(fetch(queue, bufs[2], found)[:-3], (found * (np.arange(n) & 127)).astype(np.uint8)[:-3]),
            1.0 * n)


@workload("energies of four poses, by kinds of atoms", "Minter/s", "fma_gflops", each=4 * 20)
def energies(queue):
    """What kind of atom it is is the same for all work-items; how far it is away is each one's own."""
    n, atoms, poses = 1 << 12, 512, 4
    rng = np.random.default_rng(9)
    at, all_poses = (rng.uniform(-4, 4, size).astype(np.float32) for size in ((atoms, 4), (poses, n)))
    at[:, 3] = rng.integers(0, 3, atoms)
    f = kernel(queue, f"""kernel void f(global const float4 *at, global const float *x, global float *o, float limit) {{
        int i = get_global_id(0);
        float sum[{poses}] = {{0}}, mine[{poses}];
        for (int p = 0; p < {poses}; p++) mine[p] = x[p * {n} + i];
        for (int k = 0; k < {atoms}; k++) {{
            bool charged = at[k].w != 0.0f, turned = at[k].w == 1.0f;
            for (int p = 0; p < {poses}; p++) {{
                float d = sqrt((mine[p] - at[k].x) * (mine[p] - at[k].x) + at[k].y * at[k].y + at[k].z * at[k].z);
                float e = (d < 1.0f ? 2.0f : 3.0f - d) * (d < limit && charged ? 1.0f : 0.0f);
                sum[p] += turned ? -fabs(e) : e; }} }}
        for (int p = 0; p < {poses}; p++) o[p * {n} + i] = sum[p]; }}""")
    bufs = [buffer(queue, x) for x in (at, all_poses, all_poses)]
    x, y, z, kind = (column[:, None] for column in at.T.astype(np.float64))
    expected = []
    for mine in all_poses:
        d = np.sqrt((mine - x) ** 2 + y * y + z * z)
        e = np.where(d < 1, 2, 3 - d) * ((d < 3.5) & (kind != 0))
        expected.append(np.where(kind == 1, -np.abs(e), e).sum(0))
    return (lambda: f(queue, (n,), (64,), *bufs, np.float32(3.5)),
            lambda: np.allclose(fetch(queue, bufs[2], all_poses), expected, rtol=1e-2, atol=0.1),
            1.0 * n * atoms * poses)


@workload("bytes above a threshold, 16 at a time, rows of a work-item by a macro", "GB/s", "stream_gbs")
def threshold(queue):
    """A loop of one turn with a bound in it, as in kernels that may be built for several rows a work-item."""
    side = 1024
    a = np.random.default_rng(3).integers(0, 256, (side, side), np.uint8)
    f = kernel(queue, """
#define ROWS 1
        kernel void f(global const uchar *a, int a_step, global uchar *o, int o_step, int rows, int cols, uchar limit) {
            int x = get_global_id(0), y = get_global_id(1) * ROWS;
            if (x < cols) {
                int from = mad24(y, a_step, x * 16), to = mad24(y, o_step, x * 16);
                #pragma unroll
                for (int i = 0; i < ROWS; i++)
                    if (y < rows) {
                        uchar16 v = *(global const uchar16 *)(a + from);
                        *(global uchar16 *)(o + to) = v > limit ? (uchar16)255 : (uchar16)0;
                        y++; from += a_step; to += o_step; } } }""")
    bufs = [buffer(queue, a), buffer(queue, a)]
    step = np.int32(side)

    def run():
        f(queue, (side // 16, side), None, bufs[0], step, bufs[1], step, step, np.int32(side // 16), np.uint8(100))
    return run, lambda: np.array_equal(fetch(queue, bufs[1], a), np.where(a > 100, 255, 0)), 2.0 * a.nbytes


@workload("rows moved close together, by tables in constant memory", "GB/s", "stream_gbs")
def packed_rows(queue):
    """Each row of 2,048 work-items copies some of them: half of all have nothing to do."""
    rows, width = 512, 2048
    lengths = np.random.default_rng(5).integers(width // 4, 3 * width // 4, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x = numbers(rows * width)
    f = kernel(queue, f"""kernel void f(global const float *x, global float *y, constant int *starts) {{
        int i = get_global_id(0), row = get_group_id(1);
        if (starts[row] + i < starts[row + 1]) y[starts[row] + i] = x[row * {width} + i]; }}""")
    bufs = [buffer(queue, array) for array in (x, np.zeros(starts[-1], np.float32), starts)]

    def run():
        f(queue, (width, rows), (256, 1), *bufs)
    expected = np.concatenate([row[:n] for row, n in zip(x.reshape(rows, width), lengths, strict=True)])
    return run, lambda: np.array_equal(fetch(queue, bufs[1], expected), expected), 8.0 * starts[-1]


@workload("cube roots, double", "Mitem/s", "fma_gflops", each=2 * 20)      # a function of double
def cube_roots(queue):
    n = 1 << 15
    x = (numbers(n).astype(np.float64) - 0.5) * 1e3
    f = kernel(queue, "kernel void f(global const double *a, global double *o) "
                      "{ size_t i = get_global_id(0); o[i] = cbrt(a[i]); }")
    bufs = [buffer(queue, x), buffer(queue, x)]
    return (lambda: f(queue, (n,), (256,), *bufs),
            lambda: np.allclose(fetch(queue, bufs[1], x), np.cbrt(x), rtol=1e-15), 1.0 * n)


@workload("random numbers, a chain of double each", "Mitem/s", "fma_gflops", each=20)
def chains(queue):
    """x becomes a x modulo 2^46, in two halves of 23 bits: NAS' generator. Work-items fill rows of their own."""
    n, turns, a = 256, 512, 5 ** 13
    seeds = numbers(n).astype(np.float64) * 2.0 ** 40 // 2 * 2 + 1
    f = kernel(queue, """kernel void f(global const double *s, global double *o, int turns, double a) {
        int k = get_global_id(0);
        double scale = 0x1p-23, a1 = (int)(scale * a), a2 = a - 0x1p23 * a1, x = s[k];
        for (int j = 0; j < turns; j++) {
            double x1 = (int)(scale * x), x2 = x - 0x1p23 * x1;
            double t = a1 * x2 + a2 * x1, z = t - 0x1p23 * (int)(scale * t);
            double u = 0x1p23 * z + a2 * x2;
            x = u - 0x1p46 * (int)(0x1p-46 * u);
            o[k * turns + j] = 0x1p-46 * x; } }""")
    made = np.zeros((n, turns))
    bufs, x, expected = [buffer(queue, array) for array in (seeds, made)], [int(s) for s in seeds], made.copy()
    for j in range(turns):
        x = [a * v % 2 ** 46 for v in x]
        expected[:, j] = np.array(x, np.float64) * 2.0 ** -46
    return (lambda: f(queue, (n,), (64,), *bufs, np.int32(turns), np.float64(a)),
            lambda: np.array_equal(fetch(queue, bufs[1], made), expected), 1.0 * n * turns)


@workload("rows by a neighbour's factor, behind a barrier, a row each", "GFLOP/s", "stream_gbs", each=4)    # bytes
def rows_behind_a_barrier(queue):
    """Vectors of work-items before the barrier, one work-item after the other along rows behind it."""
    many, size = 2048, 256
    a, b = numbers(many * size).reshape(many, size), numbers(many, 1) * np.float32(1e-3) + np.float32(0.5)
    f = kernel(queue, """kernel void f(global float *a, global const float *b, local float *t, int n) {
        int l = get_local_id(0), i = get_global_id(0);
        t[l] = b[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        float factor = t[l ^ 1];
        global float *row = a + i * n;
        for (int k = 0; k < n; k++) row[k] = row[k] * factor + 1; }""")
    bufs = [buffer(queue, array) for array in (a, b)]
    steady = 1 / (1 - b.reshape(-1, 2)[:, ::-1].ravel().astype(np.float64))

    def run():
        f(queue, (many,), (64,), *bufs, cl.LocalMemory(256), np.int32(size))

    def check():
        cl.enqueue_copy(queue, bufs[0], a)
        for _ in range(60):
            run()
        return np.allclose(fetch(queue, bufs[0], a), steady[:, None], rtol=1e-3)
    return run, check, 2.0 * many * size


@workload("rows minus multiples of the first, rows along dimension 1", "GB/s", "stream_gbs")
def elimination(queue):
    """A step of Gauss' elimination in place, without a size of groups: neighbours in dimension 1 lie side by side."""
    n = 2048
    f = kernel(queue, """kernel void f(global float *a, global const float *m, global float *b, int n) {
        int row = get_global_id(0) + 1, column = get_global_id(1);
        if (row < n && column < n) {
            a[row * n + column] -= m[row] * a[column];
            if (column == 0) b[row] -= m[row] * b[0]; } }""")
    m, expected = numbers(n), np.full((n, n), 3, np.float32)
    expected[1:] -= 3 * m[1:, None]
    bufs = [buffer(queue, array) for array in (expected, m, expected[:, 0].copy())]

    def run():
        f(queue, (n, n), None, *bufs, np.int32(n))
    return run, lambda: starts_at(queue, bufs[0], 3, run, expected), 8.0 * n * (n - 1)


@workload("two products of vectors added to a matrix, under a bound", "GB/s", "stream_gbs")
def rank_two(queue):
    """In groups of 32 x 8: where all work-items are inside there is no mask, and that way alone is short."""
    n = 2048
    f = kernel(queue, """kernel void f(global float *a, global const float *u, global const float *v,
            global const float *w, global const float *z, int n) {
        int j = get_global_id(0), i = get_global_id(1);
        if (i < n && j < n) a[i * n + j] = a[i * n + j] + u[i] * v[j] + w[i] * z[j]; }""")
    u, v, w, z = (numbers(n, seed) for seed in range(4))
    expected = 1 + np.outer(u, v) + np.outer(w, z)
    bufs = [buffer(queue, array) for array in (expected, u, v, w, z)]

    def run():
        f(queue, (n, n), (32, 8), *bufs, np.int32(n))
    return run, lambda: starts_at(queue, bufs[0], 1, run, expected), 8.0 * n * n
