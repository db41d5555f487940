# SPDX-License-Identifier: Apache-2.0
"""What OpenCL C 1.2 has without doubles, images and pointers to any memory: for devices that have no more, the models
of VLIW chips among them (test_on_models.py), and all others."""
import numpy as np
import pyopencl as cl
import pytest

N = 300


def run(machine, source, *args, size=N, group=None, offset=None, name="k", options=""):
    """The arrays among the arguments as the kernel leaves them."""
    given = [a.copy() if isinstance(a, np.ndarray) and a.ndim else a for a in args]
    machine.launch(cl.Kernel(machine.build(source, options), name), np.atleast_1d(size).tolist(),
                   group if group is None else np.atleast_1d(group).tolist(), given, offset)
    return given


def numbers(seed, low, high, dtype=np.int32, n=N):
    return np.random.default_rng(seed).integers(low, high, n).astype(dtype)


def test_tiles_of_a_product(machine):
    source = """kernel void k(global const float *a, global const float *b, global float *c, int n) {
        local float ta[8][8], tb[8][8];
        int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
        float sum = 0;
        for (int k = 0; k < n; k += 8) {
            ta[y][x] = a[gy * n + k + x]; tb[y][x] = b[(k + y) * n + gx];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; i < 8; i++) sum += ta[y][i] * tb[i][x];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        c[gy * n + gx] = sum;
    }"""
    n = 32
    a, b = (numbers(seed, -9, 9, np.float32, n * n).reshape(n, n) for seed in (1, 2))
    got = run(machine, source, a, b, np.zeros_like(a), np.int32(n), size=(n, n), group=(8, 8))[2]
    np.testing.assert_array_equal(got, a @ b)


def test_bytes_beside_each_other(machine):
    """Chips that write words alone keep what is beside them."""
    a, b = numbers(3, 0, 255, np.uint8), numbers(4, 0, 255, np.uint8)
    source = """kernel void k(global uchar *a, global const uchar *b, global short *s) {
        int i = get_global_id(0); if (i % 3) a[i] = b[i] + 1; s[i] = -b[i]; }"""
    got = run(machine, source, a, b, np.zeros(N, np.int16))
    np.testing.assert_array_equal(got[0], np.where(np.arange(N) % 3, b + np.uint8(1), a))
    np.testing.assert_array_equal(got[2], -b.astype(np.int16))


def test_private_arrays_by_an_index(machine):
    b, n = numbers(5, -9, 9, n=16 * N), 20
    source = """kernel void k(global int *a, global const int *b, int n) {
        int p[16], i = get_global_id(0), s = 0;
        for (int k = 0; k < 16; k++) p[k] = b[i * 16 + k];
        for (int k = 0; k < n; k++) { s += p[(s + k) & 15] * k; p[s & 15] = s; }
        a[i] = s; }"""
    wanted = []
    for row in b.reshape(N, 16).tolist():
        s = 0
        for k in range(n):
            s += row[(s + k) & 15] * k
            row[s & 15] = s
        wanted.append(s)
    got = run(machine, source, np.zeros(N, np.int32), b, np.int32(n))[0]
    np.testing.assert_array_equal(got, np.array(wanted).astype(np.int32))


def steps(x):
    count = 0
    while x > 1:
        x = 3 * x + 1 if x & 1 else x // 2
        count += 1
        if count > 40:
            break
    return count


def test_loops_that_lanes_leave_one_by_one(machine):
    """break, continue, switch with ways that fall through, and what is behind them."""
    source = """int steps(int x) {
        int count = 0;
        while (x > 1) { if (x & 1) x = 3 * x + 1; else x /= 2; if (++count > 40) break; }
        return count; }
    kernel void k(global int *a, global const int *b) {
        int i = get_global_id(0), r = 0;
        switch (b[i] % 7) {
        case 0: r = steps(i); break;
        case 1: r = steps(i + 3) * 2;
        case 2: r -= 1; break;
        case 4: for (int k = 0; k < b[i]; k++) { if (k % 3 == 0) continue; if (k > 50) break; r += k; } break;
        default: r = b[i] % (i + 1);
        }
        a[i] = r; }"""
    b, wanted = numbers(6, 0, 100), []
    for i, x in enumerate(b.tolist()):
        kind = x % 7
        wanted.append(steps(i) if kind == 0 else steps(i + 3) * 2 - 1 if kind == 1 else -1 if kind == 2 else
                      sum(k for k in range(min(x, 51)) if k % 3) if kind == 4 else x % (i + 1))
    np.testing.assert_array_equal(run(machine, source, np.zeros(N, np.int32), b)[0], wanted)


def test_numbers_of_64_bits(machine):
    a, b = numbers(7, -2**62, 2**62, np.int64), numbers(8, 1, 2**40, np.int64)
    source = """kernel void k(global const long *a, global const long *b, global long *c, global float *f) {
        int i = get_global_id(0);
        c[4 * i] = a[i] * b[i]; c[4 * i + 1] = a[i] / b[i]; c[4 * i + 2] = a[i] >> (b[i] & 63);
        c[4 * i + 3] = (long)((float)(b[i] & 1023) - 500.0f); f[i] = (float)a[i]; }"""
    got = run(machine, source, a, b, np.zeros(4 * N, np.int64), np.zeros(N, np.float32))
    with np.errstate(over="ignore"):
        quotient = np.sign(a) * (np.abs(a) // b)
        wanted = np.stack([a * b, quotient, a >> (b & 63), (b & 1023) - 500], 1)
    np.testing.assert_array_equal(got[2].reshape(N, 4), wanted)
    np.testing.assert_array_equal(got[3], a.astype(np.float32))


def test_structures_and_small_values_as_arguments(machine):
    source = """typedef struct { int a; float b; char c; } S;
    kernel void k(global int *o, S s, float4 v, char c, short3 d, S t) {
        o[get_global_id(0)] = s.a + s.c + v.w + c + d.z + t.c * 1000; }"""
    kind = np.dtype({"names": ["a", "b", "c"], "formats": ["i4", "f4", "i1"], "offsets": [0, 4, 8], "itemsize": 12})
    s, t = np.zeros((), kind), np.zeros((), kind)
    s["a"], s["c"], t["c"] = 5, -3, 2
    got = run(machine, source, np.zeros(N, np.int32), s[()], cl.cltypes.make_float4(1, 2, 3, 4)[()], np.int8(-7),
              cl.cltypes.make_short3(1, 2, 300)[()], t[()])[0]
    assert (got == 5 - 3 + 4 - 7 + 300 + 2000).all()


def test_where_a_work_item_is(machine):
    source = """kernel void k(global int *o) {
        int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), i = y * 32 + x;
        o[8 * i] = get_global_id(0); o[8 * i + 1] = get_global_id(1); o[8 * i + 2] = get_local_id(1);
        o[8 * i + 3] = get_group_id(0); o[8 * i + 4] = get_num_groups(1); o[8 * i + 5] = get_local_size(0);
        o[8 * i + 6] = get_global_size(1) * 10 + get_work_dim();
        o[8 * i + 7] = get_global_id(2) + get_global_size(2); }"""
    got = run(machine, source, np.zeros(8 * 32 * 6, np.int32), size=(32, 6), group=(16, 3), offset=(100, 7))[0]
    y, x = np.mgrid[:6, :32]
    wanted = np.stack([x + 100, y + 7, y % 3, x // 16, 2 + 0 * x, 16 + 0 * x, 62 + 0 * x, 1 + 0 * x], -1)
    np.testing.assert_array_equal(got.reshape(6, 32, 8), wanted)


def test_atomic_operations_and_what_they_give(machine):
    source = """kernel void k(global int *a, global const int *b, global int *o, local int *l) {
        int i = get_global_id(0), n = get_local_id(0);
        l[n] = 0; barrier(CLK_LOCAL_MEM_FENCE);
        o[4 * i] = atomic_add(&l[b[i] & 15], 1); barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&a[n], l[n]); o[4 * i + 1] = atomic_inc(&a[100]);
        o[4 * i + 2] = atomic_xchg(&a[101 + i], 7); o[4 * i + 3] = atomic_cmpxchg(&a[101 + i], 7, i);
        atomic_max(&a[99], i); atomic_min(&a[98], -i); atomic_or((global uint *)&a[97], 1u << (i & 31)); }"""
    n = 256
    a, b = np.zeros(400, np.int32), numbers(9, 0, 16, n=n)
    got, _, o, _ = run(machine, source, a, b, np.zeros(4 * n, np.int32), cl.LocalMemory(256), size=n, group=64)
    np.testing.assert_array_equal(got[:16], np.bincount(b, minlength=16))
    assert got[97] == -1 and got[98] == 1 - n and got[99] == n - 1 and got[100] == n
    assert sorted(o[1::4]) == list(range(n))
    assert (o[2::4] == 0).all() and (o[3::4] == 7).all()
    np.testing.assert_array_equal(got[101:101 + n], np.arange(n))


def test_sums_of_floats_by_compare_and_exchange(machine):
    source = """kernel void k(volatile global float *a, global const float *b) {
        union { uint u; float f; } old, next;
        do { old.f = *a; next.f = old.f + b[get_global_id(0)]; }
        while (atomic_cmpxchg((volatile global uint *)a, old.u, next.u) != old.u); }"""
    b = numbers(10, 0, 9, np.float32)
    assert run(machine, source, np.zeros(1, np.float32), b)[0][0] == b.sum()


def test_constants_of_the_program(machine):
    """Also their addresses, beside those of arguments."""
    source = """constant int small[4] = {3, 1, 4, 1};
    constant float one = 3.5f;
    constant int large[600] = {9, 8, 7};
    kernel void k(global float *o, constant int *b) {
        int i = get_global_id(0);
        constant int *p = i & 1 ? small : i & 2 ? b : large;
        o[i] = p[i & 3] * one + large[i & 7]; }"""
    b = np.array([10, 20, 30, 40], np.int32)
    large = np.array([9, 8, 7, 0, 0, 0, 0, 0])
    i = np.arange(N)
    chosen = np.where(i & 1, np.array([3, 1, 4, 1])[i & 3], np.where(i & 2, b[i & 3], large[i & 3]))
    got = run(machine, source, np.zeros(N, np.float32), b)[0]
    np.testing.assert_array_equal(got, chosen * np.float32(3.5) + large[i & 7])


@pytest.mark.parametrize(("function", "ulp"), [
    ("sin", 4), ("cos", 4), ("exp", 3), ("log", 3), ("sqrt", 3), ("rsqrt", 2), ("tanh", 5), ("atan", 5), ("cbrt", 2),
    ("exp2", 3), ("log2", 3), ("fabs", 0), ("floor", 0), ("rint", 0), ("round", 0)])
def test_functions_of_floats(machine, function, ulp):
    x = np.random.default_rng(11).uniform(.01, 60, N).astype(np.float32)
    source = f"""kernel void k(global const float *x, global float *y) {{
        int i = get_global_id(0); y[i] = {function}(x[i]); }}"""
    wanted = {"rsqrt": lambda v: 1 / np.sqrt(v), "atan": np.arctan, "round": lambda v: np.floor(v + .5)}.get(
        function, getattr(np, function, None))(x.astype(np.float64))
    got = run(machine, source, x, np.zeros_like(x))[1]
    assert (np.abs(got - wanted) <= ulp * np.spacing(np.abs(wanted).astype(np.float32))).all()


def test_vectors(machine):
    source = """kernel void k(global float4 *a, global const float4 *b, global uchar4 *c, global int8 *d) {
        int i = get_global_id(0);
        a[i].xyz = cross(b[i], a[i]).xyz; a[i].w = dot(b[i], b[i]) > 50.0f;
        c[i] = convert_uchar4_sat(b[i].wzyx * 40.0f); d[i] = (int8)(convert_int4(b[i]), (int4)(i)).s76543210; }"""
    a, b = (numbers(seed, -9, 9, np.float32, 4 * N).reshape(N, 4) for seed in (12, 13))
    got = run(machine, source, a, b, np.zeros((N, 4), np.uint8), np.zeros((N, 8), np.int32))
    np.testing.assert_array_equal(got[0][:, :3], np.cross(b[:, :3], a[:, :3]))
    np.testing.assert_array_equal(got[0][:, 3], (b * b).sum(1) > 50)
    np.testing.assert_array_equal(got[2], np.clip(b[:, ::-1] * 40, 0, 255).astype(np.uint8))
    np.testing.assert_array_equal(got[3][:, :4], np.repeat(np.arange(N)[:, None], 4, 1))
    np.testing.assert_array_equal(got[3][:, 4:], b[:, ::-1].astype(np.int32))


def test_kernels_that_end_in_local_memory(machine):
    """And in a barrier."""
    source = """kernel void k(global int *a, local int *l) {
        a[get_global_id(0)] += 3; l[get_local_id(0)] = 3; barrier(CLK_LOCAL_MEM_FENCE); }
    kernel void nothing(global int *a, local int *l) { }"""
    args = np.arange(N, dtype=np.int32), cl.LocalMemory(4 * N)
    np.testing.assert_array_equal(run(machine, source, *args, group=100)[0], args[0] + 3)
    np.testing.assert_array_equal(run(machine, source, *args, name="nothing")[0], args[0])


@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_functions_of_large_numbers(machine, function):
    """Their reduction by pi is long code without a branch."""
    x = np.random.default_rng(15).uniform(1e5, 1e9, N).astype(np.float32)
    source = f"""kernel void k(global const float *x, global float *y) {{
        int i = get_global_id(0); y[i] = {function}(x[i]); }}"""
    got = run(machine, source, x, np.zeros(N, np.float32))[1]
    wanted = getattr(np, function)(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_less(np.abs(got - wanted), 5 * np.spacing(np.abs(wanted)))


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_groups_that_go_several_ways(machine, options):
    """Barriers in a loop whose length is the group's, with lanes that have left another one."""
    source = """kernel void k(global int *a, global const int *b, local int *l) {
        int i = get_global_id(0), n = get_local_id(0), s = 0;
        for (int k = 0; k < get_group_id(0) + 2; k++) {
            int c = b[i];
            while (c > n) { s += c; c -= 5; if (s > 500) break; }
            l[n] = s; barrier(CLK_LOCAL_MEM_FENCE);
            s += l[(n + 1) % get_local_size(0)]; barrier(CLK_LOCAL_MEM_FENCE);
        }
        a[i] = s; }"""
    b, size = numbers(14, 0, 60), 50
    wanted = np.zeros((N // size, size), np.int64)
    for group, row in enumerate(b.reshape(-1, size)):
        s = [0] * size
        for _ in range(group + 2):
            for n in range(size):
                c = row[n]
                while c > n:
                    s[n] += c
                    c -= 5
                    if s[n] > 500:
                        break
            s = [s[n] + s[(n + 1) % size] for n in range(size)]
        wanted[group] = s
    got = run(machine, source, np.zeros(N, np.int32), b, cl.LocalMemory(4 * size), group=size, options=options)[0]
    np.testing.assert_array_equal(got, wanted.ravel())


def test_large_buffers_and_many(machine):
    """Each is found to its end, where addresses have 32 bits; the same one twice, and null pointers."""
    names = [f"b{i}" for i in range(12)]
    pointers, values = ", ".join(f"global int *{name}" for name in names), " + ".join(f"{n}[i]" for n in names[1:11])
    source = f"""kernel void k(global int *a, global int *same, global int *none, {pointers}, int far) {{
        int i = get_global_id(0), last = far + i;
        b0[last] = i; b11[i] = b0[last] + (none == 0) + (same == a) * 2;
        a[last] = b11[i] + {values};
        same[i] = 5; }}"""
    n, far = 64, (40 << 20) // 4
    large = [np.zeros(far + n, np.int32) for _ in range(2)]
    small = [np.full(n, i, np.int32) for i in range(1, 12)]
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    a, b = (cl.Buffer(machine.context, flags, hostbuf=each) for each in large)
    rest = [cl.Buffer(machine.context, flags, hostbuf=each) for each in small]
    kernel = cl.Kernel(machine.build(source), "k")
    kernel.set_args(a, a, None, b, *rest, np.int32(far))
    cl.enqueue_nd_range_kernel(machine.queue, kernel, (n,), (n,))
    cl.enqueue_copy(machine.queue, large[0], a)
    np.testing.assert_array_equal(large[0][far:], np.arange(n) + 3 + sum(range(1, 11)))
    assert (large[0][:n] == 5).all() and not large[0][n:far].any()


@pytest.mark.parametrize("condition", ["((id << (n & 31)) & 7) == 0", "id & 1"])
def test_reads_before_a_branch(machine, condition):
    """They are for all work-items, whichever way these go; one way is a loop of as many turns for all."""
    source = f"""kernel void k(global int *a, int n, uchar byte) {{
        int id = get_global_id(0), product = id * byte, s = id;
        if ({condition}) s++; else for (int k = 0; k < (n & 7); k += 2) s ^= id + 5;
        a[2 * id] = product; a[2 * id + 1] = s; }}"""
    got = run(machine, source, np.zeros(2 * N, np.int32), np.int32(5), np.uint8(13))[0].reshape(N, 2)
    i = np.arange(N)
    first = i & 1 if condition == "id & 1" else (i << 5) & 7 == 0
    np.testing.assert_array_equal(got[:, 0], i * 13)
    np.testing.assert_array_equal(got[:, 1], np.where(first, i + 1, i ^ (i + 5)))      # three turns


@pytest.mark.parametrize("small, number", [("char", "uint"), ("short", "uint"), ("int", "ulong")])
def test_negative_numbers_taken_without_sign_in_divisions(machine, small, number):
    source = f"""kernel void k(global {number} *a, global const int *b, global const int *c) {{
        int i = get_global_id(0);
        {number} x = ({number})({small})b[i], y = (({number})c[i] & 63) + 4;
        a[2 * i] = x / y; a[2 * i + 1] = x % y; }}"""
    dtype = {"uint": np.uint32, "ulong": np.uint64}[number]
    b, c = numbers(31, -2**31, 2**31), numbers(32, 0, 1000)
    x = b.astype({"char": np.int8, "short": np.int16, "int": np.int32}[small]).astype(dtype)
    y = (c & 63).astype(dtype) + dtype(4)
    got = run(machine, source, np.zeros(2 * N, dtype), b, c)[0].reshape(N, 2)
    np.testing.assert_array_equal(got[:, 0], x // y)
    np.testing.assert_array_equal(got[:, 1], x % y)


def test_elements_of_private_arrays_under_a_condition(machine):
    """A short branch is operations under a predicate, which a store to an element is, too."""
    source = """kernel void k(global ulong *o, global const int *a, uint u) {
        int id = get_global_id(0), at = a[id], turns = 0;
        ulong p[8]; for (int n = 0; n < 8; ++n) p[n] = n * u;
        do { if ((at & 7) == 1) p[at / 8 & 7] = id; } while (++turns < (at & 3));
        for (int n = 0; n < 8; ++n) o[id * 8 + n] = p[n]; }"""
    at = numbers(33, 0, 64)
    got = run(machine, source, np.zeros(8 * N, np.uint64), at, np.uint32(5))[0].reshape(N, 8)
    expected = np.tile(np.arange(8, dtype=np.uint64) * 5, (N, 1))
    stored = np.flatnonzero(at & 7 == 1)
    expected[stored, at[stored] // 8] = stored
    np.testing.assert_array_equal(got, expected)


def test_ids_in_larger_numbers(machine):
    source = """kernel void k(global ulong *o, uint n) {
        uint id = get_global_id(0), lid = get_local_id(0), group = get_group_id(0);
        o += id * 10;
        o[0] = lid; o[1] = (ulong)lid << 32; o[2] = (long)(int)group; o[3] = as_ulong((uint2)(group, lid));
        o[4] = (ulong)group | (ulong)lid << 32; o[5] = n & 1 ? lid : 3ul; o[6] = lid * (uchar)n;
        o[7] = (ulong)lid * (ulong)(uchar)n;
        o[8] = as_ulong((ushort4)((ushort)group, (ushort)group, (ushort)lid, (ushort)lid));
        vstore2((float2)(as_float(lid), 0), 9, (global float *)o); }"""
    got = run(machine, source, np.zeros(10 * 64, np.uint64), np.uint32(5), size=64, group=16)[0].reshape(64, 10)
    lid, group = np.arange(64, dtype=np.uint64) & 15, np.arange(64, dtype=np.uint64) >> 4
    high = lid << 32
    words = group * 0x10001 | (lid * 0x10001) << 32
    expected = [lid, high, group, group | high, group | high, lid, lid * 5, lid * 5, words, lid]
    np.testing.assert_array_equal(got, np.transpose(expected))


def test_bits_of_magnitudes_and_negatives(machine):
    """What is a mark of a source where floats are taken is an operation of its own where integers are."""
    source = """kernel void k(global const float *a, global const float *b, global ulong *o, uint n) {
        int i = get_global_id(0); float x = a[i], y = b[i];
        o += 8 * i;
        o[0] = (ulong)fabs(x); o[1] = (long)-y; o[2] = as_uint(-y) >> 4; o[3] = as_uint(fabs(as_float(n))) >> 3;
        o[4] = as_uint(-fabs(y)) / 3; o[5] = as_uint(n & i ? -x : y); o[6] = as_uint(ldexp(fabs(x), -2));
        o[7] = as_uint(n & i ? fabs(y) : -y); }"""
    a, b = (numbers(seed, -900, 900, np.float32) / 8 for seed in (34, 35))
    n = np.float32(-3.5).view(np.uint32)
    got = run(machine, source, a, b, np.zeros(8 * N, np.uint64), n)[2].reshape(N, 8)
    odd = (n & np.arange(N)) != 0

    def bits(values):
        return values.view(np.uint32).astype(np.uint64)
    expected = [abs(a).astype(np.uint64), (-b).astype(np.int64).view(np.uint64), bits(-b) >> 4,
                np.full(N, bits(np.float32(3.5)) >> 3), bits(-abs(b)) // 3, bits(np.where(odd, -a, b)),
                bits(abs(a) / 4), bits(np.where(odd, abs(b), -b))]
    np.testing.assert_array_equal(got, np.transpose(expected))


def test_negatives_beside_magnitudes(machine):
    """Of one number, which an operation has made, in this order or as vectors."""
    source = """kernel void k(global const float *a, global ulong *o) {
        int i = get_global_id(0); float x = a[i] * 1.5f; float4 y = (float4)(a[i]) + (float4)(1, 2, 3, 4);
        o += 4 * i;
        o[0] = (ulong)fabs(x); o[1] = isinf(-x) + signbit(-x);
        vstore4(as_uint4(-y) ^ convert_uint4(fabs(y)), 1, (global uint *)o); }"""
    a = numbers(36, -900, 900, np.float32)
    got = run(machine, source, a, np.zeros(4 * N, np.uint64))[1].reshape(N, 4)
    np.testing.assert_array_equal(got[:, 0], abs(a * 1.5).astype(np.uint64))
    np.testing.assert_array_equal(got[:, 1], np.signbit(-a * 1.5))
    y = a[:, None] + np.arange(1, 5, dtype=np.float32)
    np.testing.assert_array_equal(got[:, 2:].copy().view(np.uint32), (-y).view(np.uint32) ^ abs(y).astype(np.uint32))


def test_pairs_of_words_beside_large_private_arrays(machine):
    source = """kernel void k(global ulong *o, global const ulong *c, global float2 *f, global ushort4 *s, uint n) {
        int i = get_global_id(0), p[80];
        ulong sum = c[i]; float2 g = f[i]; ushort4 t = s[i];
        for (int k = 0; k < 80; k++) p[k] = i * k;
        p[(i + n) % 80] += 7;
        for (int k = 0; k < 80; k++) sum = sum * 3 + p[k];
        o[2 * i] = sum; o[2 * i + 1] = (ulong)(g.x * 2) << 40 | (uint)g.y;
        s[i] = t.wzyx + (ushort)p[1]; }"""
    c = numbers(37, 0, 2**62, np.uint64)
    f, s = numbers(38, 0, 900, np.float32, 2 * N), numbers(39, 0, 9000, np.uint16, 4 * N)
    got = run(machine, source, np.zeros(2 * N, np.uint64), c, f, s, np.uint32(5))
    i = np.arange(N, dtype=np.uint64)
    p = i[:, None] * np.arange(80, dtype=np.uint64)
    p[i, (i + 5) % 80] += 7
    expected = c.copy()
    for k in range(80):
        expected = expected * 3 + p[:, k]
    x, y = f.reshape(N, 2).astype(np.uint64).T
    np.testing.assert_array_equal(got[0].reshape(N, 2), np.transpose([expected, x * 2 << 40 | y]))
    np.testing.assert_array_equal(got[3].reshape(N, 4), s.reshape(N, 4)[:, ::-1] + p[:, 1:2].astype(np.uint16))


def test_jump_into_a_loop_that_does_nothing_there(machine):
    source = """kernel void k(global int *o, global const int *a, uint n) {
        int i = get_global_id(0), s = i, turns = 0;
        if (n & 2) goto middle;
        start: s = n * 7;
        middle: s ^= a[i];
        if (++turns < 5 && (n & 12) > 3) goto start;
        o[2 * i] = s; o[2 * i + 1] = turns; }"""
    a = numbers(40, 0, 900)
    for n, turns in ((0, 1), (2, 1), (4, 5), (6, 5)):
        got = run(machine, source, np.zeros(2 * N, np.int32), a, np.uint32(n))[0].reshape(N, 2)
        s = np.arange(N) if n == 2 else n * 7
        np.testing.assert_array_equal(got, np.transpose([s ^ a, np.full(N, turns)]))


def test_bytes_of_vectors_in_private_memory(machine):
    source = """kernel void k(global uchar *o, global const uchar *a, uchar n) {
        int i = get_global_id(0);
        struct { uchar4 x; ushort2 y; uchar3 z; } p[2];
        p[i & 1].x = (uchar4)(n, 0, 0, 0); p[~i & 1].x = (uchar4)(a[i], 0, 0, 0);
        p[0].y = (ushort2)(n, a[i]); p[1].y = p[0].y.yx; p[0].z = p[1].z = (uchar3)(1, n, a[i]);
        if (a[i] & 1) o[8 * i + 7] = n & 1;
        vstore4(p[a[i] & 1].x, 2 * i, o); o[8 * i + 4] = p[a[i] / 2 & 1].y.x; o[8 * i + 5] = p[a[i] & 1].z.y; }"""
    a = numbers(41, 0, 256, np.uint8)
    got = run(machine, source, np.zeros(8 * N, np.uint8), a, np.uint8(201))[0].reshape(N, 8)
    i, zero = np.arange(N), np.zeros(N, np.uint8)
    expected = [np.where((a & 1) == (i & 1), 201, a), zero, zero, zero, np.where(a & 2, a, 201), np.full(N, 201), zero,
                a & 1]
    np.testing.assert_array_equal(got, np.transpose(expected))


def test_small_vectors_as_numbers(machine):
    source = """kernel void k(global ulong *o, global const uchar *b, uchar n) {
        int i = get_global_id(0);
        o += 4 * i;
        o[0] = as_uint((uchar4)(n, 0, 0, 0)); o[1] = as_uint((uchar4)(b[i], 0, 0, 0));
        o[2] = as_ulong((ushort4)(b[i], n, 0, 0)); o[3] = as_ulong((uchar8)(n, b[i], 1, b[i], 0, 0, 0, n));
        if (b[i] & 1) o[0] |= n & 1; }"""
    b = numbers(42, 0, 256, np.uint8)
    got = run(machine, source, np.zeros(4 * N, np.uint64), b, np.uint8(200))[0].reshape(N, 4)
    wide = b.astype(np.uint64)
    np.testing.assert_array_equal(got, np.transpose([
        np.full(N, 200), wide, wide | 200 << 16, 200 | wide << 8 | 1 << 16 | wide << 24 | np.uint64(200 << 56)]))


def test_structures_that_begin_with_a_pointer(machine):
    """In private memory, with something behind it, and of which there are several."""
    source = """
        struct view { global int *data; local int *near; int count; };
        kernel void k(global int *r, global int *a) {
            local int l[4]; size_t i = get_global_id(0);
            struct view one, two[2];
            one.data = a; one.near = l; one.count = 4;
            two[0] = one; two[0].data = r; two[1] = one; two[1].count = 9;
            if (i == 0) for (int n = 0; n < one.count; n++) one.near[n] = one.data[n] + 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            two[i & 1].near += i;
            two[0].data[i] = two[i & 1].near[0] * two[i & 1].count;
        }"""
    r, a = np.zeros(4, np.int32), np.array([10, 20, 30, 40], np.int32)
    machine.launch(machine.build(source).k, (4,), (4,), [r, a])
    assert r.tolist() == [11 * 4, 21 * 9, 31 * 4, 41 * 9]
