# SPDX-License-Identifier: Apache-2.0
"""Whole kernels on chips of each generation, beside NumPy."""
import ctypes

import numpy as np
import pytest

from clpy.compiler.amdgpu.host_calls import NAMES
from clpy.compiler.isa.gcn import translate
from clpy.compiler.isa.gcn.wavefront import MAX_TURNS
from clpy.llvm.ir import functions

from .machine import Sink, machine, program_of

PROCESSORS = ("gfx600", "gfx701", "gfx803", "gfx900")
N = 512
RANDOM = np.random.default_rng(3)

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp64: enable
kernel void add(global float *a, global float *b, global float *o, int n) {
    int i = get_global_id(0);
    if (i < n) o[i] = a[i] + b[i];
}
kernel void saxpy(global float4 *x, global float4 *y, float a) {
    size_t i = get_global_id(0);
    y[i] = mad(a, x[i], y[i]);
}
kernel void product(global const float *a, global const float *b, global float *c, int n) {
    local float s[16][16], t[16][16];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[ly][lx] = a[y * n + k + lx];
        t[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++) sum += s[ly][j] * t[j][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
kernel void collatz(global int *a, global int *o) {
    size_t i = get_global_id(0);
    int x = a[i], n = 0;
    while (x != 1) { x = x & 1 ? 3 * x + 1 : x >> 1; n++; }
    o[i] = n;
}
kernel void reduce(global float *a, global float *o, local float *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = n / 2; s > 0; s >>= 1) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = t[0];
}
kernel void histogram(global uint *a, global uint *h, local uint *t) {
    int l = get_local_id(0);
    for (int j = l; j < 64; j += get_local_size(0)) t[j] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[a[get_global_id(0)] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = l; j < 64; j += get_local_size(0)) atomic_add(&h[j], t[j]);
}
kernel void doubles(global double *a, global double *b, global double *o) {
    size_t i = get_global_id(0);
    o[4 * i] = a[i] / b[i];
    o[4 * i + 1] = sqrt(a[i]);
    o[4 * i + 2] = fma(a[i], b[i], 1.0);
    o[4 * i + 3] = floor(a[i]) + exp(-a[i]);
}
kernel void private_array(global int *a, global int *o) {
    int t[32], sum = 0;
    size_t i = get_global_id(0);
    for (int j = 0; j < 32; j++) t[j] = a[i] * j + j * j;
    for (int j = 0; j < 32; j++) sum += t[(a[i] + j * 7) & 31] ^ j;
    o[i] = sum;
}
kernel void long_private_array(global int *a, global int *o) {
    int t[256];
    size_t i = get_global_id(0);
    for (int j = 0; j < 256; j++) t[(a[i] + j) & 255] = a[i] ^ j;
    for (int j = 0; j < 4; j++) o[4 * i + j] = t[a[i] * 7 + j & 255];
}
typedef struct __attribute__((packed)) { uchar a; ushort b; uint c; ulong d; } packed;
kernel void unaligned(global uint *a, global ulong *o) {
    packed t[8];
    size_t i = get_global_id(0);
    for (uint j = 0; j < 8; j++) {
        private packed *p = t + ((j + a[i]) & 7);
        p->a = j; p->b = a[i] * j; p->c = a[i] ^ j * 0x1010101; p->d = a[i] * 0x123456789ul + j;
    }
    packed x = t[a[i] & 7];
    for (uint j = 0; j < 8; j++) {
        x.a += t[j].a; x.b ^= t[j].b * j; x.c += t[j].c; x.d ^= t[j].d << j;
    }
    o[4 * i] = x.a; o[4 * i + 1] = x.b; o[4 * i + 2] = x.c; o[4 * i + 3] = x.d;
}
kernel void bytes(global uchar *a, global char *b, global short *o) {
    size_t i = get_global_id(0);
    o[i] = (short)a[i] * b[i] + (a[i] >> 3) - (b[i] << 1);
}
kernel void divide(global int *a, global int *b, global long *c, global long *d, global int *o, global long *p) {
    size_t i = get_global_id(0);
    o[2 * i] = a[i] / b[i];
    o[2 * i + 1] = a[i] % b[i];
    p[i] = c[i] / d[i];
}
constant float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
kernel void constants(global int *a, global float *o) { size_t i = get_global_id(0); o[i] = table[a[i] & 7]; }
__attribute__((noinline)) float halve(float x, int n, global float *t) {
    for (int i = 0; i < n; i++) x = x * 0.5f + t[i & 3];
    return x;
}
kernel void calls(global float *a, global float *o, global float *t) {
    size_t i = get_global_id(0);
    float r = halve(a[i], i % 7, t);
    o[i] = r > 0 ? r + halve(r, 3, t) : r;
}
#define TILES(type) \
kernel void tiles_##type(global type *a, global type *b, global type *c, int n, int step) { \
    int x = get_global_id(0), y = get_global_id(1), i = y * n + x; \
    b[i] = a[i] + a[y * n] + a[i * step % (n * n)]; \
    c[i * step % (n * n)] = a[i]; \
}
TILES(uchar) TILES(short) TILES(char) TILES(ushort) TILES(int) TILES(long) TILES(float4)
kernel void exchange(global volatile int *l, global int *o) {
    int x, i = get_global_id(0);
    do x = l[0]; while (atomic_cmpxchg(l, x, x + 3) != x);
    o[i] = atomic_max(l + 1, i) >= 0;
    atomic_xor(l + 2, 1 << (i & 31));
}
kernel void flagged(volatile global int *flag, global int *turns) {
    int n = *turns;
    while (atomic_or(flag, 0) == 0 && --n) ;
}
kernel void turns(local volatile int *t, global int *o) {
    int l = get_local_id(0);
    if (l == 0) t[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 64) atomic_inc(t);
    if (l == 0) while (atomic_add(t, 0) == 0) { }
    o[get_global_id(0)] = l;
}
"""
PLACES = """
kernel void places(global uint *o) {
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    o[3 * i] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    o[3 * i + 1] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
    o[3 * i + 2] = get_local_size(0) | get_local_size(1) << 8 | get_num_groups(0) << 16 | get_work_dim() << 24;
}
"""


@pytest.fixture(params=PROCESSORS)
def chip(request):
    return machine(SOURCE, request.param)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def test_last_group_is_smaller(chip):
    a, b, out = floats(N), floats(N), np.zeros(N + 100, np.float32)
    chip.run("add", (500,), (100,), [a, b, out, np.int32(450)])
    assert np.array_equal(out[:450], (a + b)[:450])
    assert not out[450:].any()
    out[:] = 0
    chip.run("add", (510,), (100,), [a, b, out, np.int32(N)])
    assert np.array_equal(out[:510], (a + b)[:510])
    assert not out[510:].any()


def test_vectors(chip):
    x, y = floats(N, 4), floats(N, 4)
    wanted = np.float32(2.5) * x + y
    chip.run("saxpy", (N,), (64,), [x, y, np.float32(2.5)])
    assert np.allclose(y, wanted, rtol=1e-6, atol=1e-6)


def test_product_of_matrices(chip):
    n = 64
    a, b, c = floats(n, n), floats(n, n), np.zeros((n, n), np.float32)
    chip.run("product", (n, n), (16, 16), [a, b, c, np.int32(n)])
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_loops_of_different_lengths(chip):
    a, out = RANDOM.integers(1, 5000, N).astype(np.int32), np.zeros(N, np.int32)
    chip.run("collatz", (N,), (128,), [a, out])
    wanted = []
    for value in a:
        x, n = int(value), 0
        while x != 1:
            x, n = (3 * x + 1 if x & 1 else x >> 1), n + 1
        wanted.append(n)
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("name", ["uchar", "short", "char", "ushort", "int", "long", "float4"])
def test_tiles(chip, name):
    """Rows of eight work-items, which lie beside each other, read one place, or are anywhere."""
    kind = {"uchar": "u1", "short": "i2", "char": "i1", "ushort": "u2", "int": "i4", "long": "i8", "float4": "f4"}[name]
    width, n, step = 4 if name == "float4" else 1, 16, 37
    a = RANDOM.integers(-100, 100, (n * n, width)).astype(kind)
    b, c = np.zeros_like(a), np.zeros_like(a)
    chip.run(f"tiles_{name}", (n, n), (8, 8), [a, b, c, np.int32(n), np.int32(step)])
    i = np.arange(n * n)
    assert np.array_equal(b, a + a[i // n * n] + a[i * step % (n * n)])
    assert np.array_equal(c[i * step % (n * n)], a)


@pytest.mark.parametrize("group", [32, 64, 256])
def test_reduction(chip, group):
    a, out = floats(N), np.zeros(N // group, np.float32)
    chip.run("reduce", (N,), (group,), [a, out, 4 * group])
    assert np.allclose(out, a.reshape(-1, group).sum(1), atol=1e-4)


def test_atomics(chip):
    a, h = RANDOM.integers(0, 1 << 32, N, dtype=np.uint32), np.zeros(64, np.uint32)
    chip.run("histogram", (N,), (128,), [a, h, 256])
    assert np.array_equal(h, np.bincount(a & 63, minlength=64))
    cells, out = np.zeros(4, np.int32), np.zeros(N, np.int32)
    chip.run("exchange", (N,), (128,), [cells, out])
    assert cells.tolist() == [3 * N, N - 1, 0, 0]


def test_wavefronts_that_wait_for_each_other(chip):
    out = np.zeros(128, np.int32)
    chip.run("turns", (128,), (128,), [64, out])
    assert np.array_equal(out, np.arange(128))


@pytest.mark.parametrize("groups_wait", [False, True])
def test_wavefronts_that_wait_for_another_group(chip, groups_wait):
    """Where the host has a function for that, it is called again and again: another group may want the processor."""
    flag, calls = np.zeros(1, np.int32), []

    def give_way():
        calls.append(flag[0])
        flag[0] = len(calls) == 3

    function, sink = ctypes.CFUNCTYPE(None)(give_way), Sink(len(chip.waves["flagged"].blocks))
    table = np.zeros(len(NAMES) + 1, np.uint64)
    table[-1] = ctypes.cast(function, ctypes.c_void_p).value if groups_wait else 0
    sink.record[7] = table.ctypes.data
    turns = np.array([0 if groups_wait else MAX_TURNS + 8], np.int32)
    chip.run("flagged", (64,), (64,), [flag, turns], sink)
    assert calls == ([0, 0, 0] if groups_wait else [])
    assert 3 * 64 <= sink.counts.max() < 4 * 64 if groups_wait else sink.counts.max() > MAX_TURNS


def test_doubles(chip):
    a, b = np.abs(RANDOM.standard_normal(N)), RANDOM.standard_normal(N)
    a[:4], b[:4] = [0, 1e308, 5e-324, 1e-310], [1, 1e-308, 3, 1e-300]
    out = np.zeros((N, 4))
    with np.errstate(all="ignore"):
        chip.run("doubles", (N,), (64,), [a, b, out])
        assert np.array_equal(out[:, 0], a / b)
    assert np.allclose(out[:, 1], np.sqrt(a), rtol=1e-15, atol=0)
    assert np.allclose(out[:, 2], a * b + 1, rtol=1e-14)
    assert np.allclose(out[:, 3], np.floor(a) + np.exp(-a), rtol=1e-15)


def test_private_memory(chip):
    a, out = RANDOM.integers(-1000, 1000, N).astype(np.int32), np.zeros(N, np.int32)
    chip.run("private_array", (N,), (128,), [a, out])
    j = np.arange(32)
    index = a[:, None] + 7 * j & 31
    assert np.array_equal(out, ((a[:, None] * index + index * index) ^ j).sum(1))


@pytest.mark.parametrize("n", [5, N])
def test_private_memory_by_an_index(chip, n):
    """Of few work-items, too: what earlier kernels left in the registers of all other lanes is no address."""
    a, out = RANDOM.integers(-1000, 1000, (n, 1)).astype(np.int32), np.zeros((n, 4), np.int32)
    chip.run("long_private_array", (n,), (min(n, 128),), [a, out])
    assert np.array_equal(out, a ^ (a * 6 + np.arange(4) & 255))


def test_private_words_that_are_not_aligned(chip):
    """Dwords of private memory lie apart: one that is not aligned, as code for gfx9 has it, is part of two."""
    a, out = RANDOM.integers(0, 1 << 32, N).astype(np.uint32), np.zeros((N, 4), np.uint64)
    chip.run("unaligned", (N,), (128,), [a, out])
    j, wide = np.arange(8, dtype=np.uint64), a.astype(np.uint64)[:, None]
    rows = [j + 0 * wide, wide * j & 0xffff, (wide ^ j * 0x1010101) & 0xffffffff, wide * 0x123456789 + j]
    place = ((j + wide) & 7).argsort(1)
    first = [np.take_along_axis(row, place, 1)[np.arange(N), a & 7] for row in rows]
    by_place = [np.take_along_axis(row, place, 1) for row in rows]
    assert np.array_equal(out[:, 0], first[0] + by_place[0].sum(1) & 0xff)
    assert np.array_equal(out[:, 1], first[1] ^ np.bitwise_xor.reduce(by_place[1] * j & 0xffff, 1))
    assert np.array_equal(out[:, 2], first[2] + by_place[2].sum(1) & 0xffffffff)
    assert np.array_equal(out[:, 3], first[3] ^ np.bitwise_xor.reduce(by_place[3] << j, 1))


@pytest.mark.parametrize(("size", "group"), [
    ((10, 6, 4), (4, 3, 3)), ((48, 8, 4), (16, 4, 2)), ((192, 3, 2), (64, 2, 1)), ((150, 2, 1), (128, 1, 1)),
    ((40, 12, 1), (8, 8, 1)), ((192, 2, 1), (192, 1, 1))])
def test_places(chip, size, group):
    chip = machine(PLACES, chip.program.processor, "-cl-std=CL3.0")
    out = np.zeros((*size[::-1], 3), np.uint32)
    chip.run("places", size, group, [out])
    z, y, x = np.mgrid[0:size[2], 0:size[1], 0:size[0]]
    last = [np.minimum(g, n - i // g * g) for i, n, g in zip((x, y), size, group, strict=False)]
    assert np.array_equal(out[..., 0], x % group[0] | y % group[1] << 8 | z % group[2] << 16)
    assert np.array_equal(out[..., 1], x // group[0] | y // group[1] << 8 | z // group[2] << 16)
    dims = 3 if size[2] > 1 else 2
    assert np.array_equal(out[..., 2], last[0] | last[1] << 8 | -(-size[0] // group[0]) << 16 | dims << 24)


def test_small_numbers(chip):
    a, b = RANDOM.integers(0, 256, N).astype(np.uint8), RANDOM.integers(-128, 128, N).astype(np.int8)
    out = np.zeros(N, np.int16)
    chip.run("bytes", (N,), (64,), [a, b, out])
    wide = b.astype(np.int32)
    assert np.array_equal(out, (a * wide + (a >> 3) - (wide << 1)).astype(np.int16))


def test_divisions(chip):
    a, b = RANDOM.integers(-2**31, 2**31, N).astype(np.int32), RANDOM.integers(1, 5000, N).astype(np.int32)
    c, d = RANDOM.integers(-2**62, 2**62, N), RANDOM.integers(1, 2**40, N)
    out, wide = np.zeros((N, 2), np.int32), np.zeros(N, np.int64)
    chip.run("divide", (N,), (64,), [a, b, c, d, out, wide])
    assert np.array_equal(out[:, 0], (a / b.astype(float)).astype(np.int32))
    assert np.array_equal(out[:, 1], np.fmod(a, b))
    assert wide.tolist() == [abs(int(x)) // int(y) * (1 if x >= 0 else -1) for x, y in zip(c, d, strict=True)]


def test_constants_and_calls(chip):
    a, out = RANDOM.integers(0, 1000, N).astype(np.int32), np.zeros(N, np.float32)
    chip.run("constants", (N,), (64,), [a, out])
    assert np.array_equal(out, 2.0 ** (a & 7))
    x, t = floats(N), np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    chip.run("calls", (N,), (128,), [x, out, t])

    def halve(value, n):
        for i in range(n):
            value = np.float32(value * np.float32(0.5) + t[i & 3])
        return value

    wanted = [halve(v, i % 7) for i, v in enumerate(x)]
    wanted = [v + halve(v, 3) if v > 0 else v for v in wanted]
    assert np.allclose(out, wanted, rtol=1e-6)


ADDRESSES = """
typedef struct __attribute__((packed)) { char mark; global int *place; } odd;
global int numbers[4] = {1, 2, 3, 4};
global int *second = numbers + 1, *behind = numbers + 4;
global odd pair[2] = {{5, numbers + 2}, {6, 0}};
constant int table[3] = {7, 8, 9};
constant int *constant last = table + 2;
kernel void addresses(global int *o) {
    *second += 10;
    o[0] = numbers[1], o[1] = behind[-1], o[2] = *pair[0].place, o[3] = pair[1].place == 0, o[4] = *last;
    second = behind - 2;
}
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_addresses_in_variables_of_the_program(processor):
    out = np.zeros(5, np.int32)
    for second, third in ((12, 3), (12, 13)):
        machine(ADDRESSES, processor, "-cl-std=CL3.0").run("addresses", (1,), (1,), [out])
        assert out.tolist() == [second, 4, third, 1, 9]


CHOSEN = """
kernel void chosen(global const uint *a, global const uint *at, global uint *o) {
    uint16 x = vload16(0, a);
    uint8 y = vload8(2, a);
    vstore16(shuffle(x, vload16(0, at)), 0, o);
    vstore8(shuffle(y, vload8(2, at)), 2, o);
}
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_registers_by_an_index(processor):
    """gfx9 has a mode for them, whose moves LLVM's listing leaves out."""
    x, at = (RANDOM.integers(0, 1 << 20, 24).astype(np.uint32) for _ in range(2))
    out = np.zeros(24, np.uint32)
    machine(CHOSEN, processor).run("chosen", (1,), (1,), [x, at, out])
    assert (out == np.concatenate([x[at[:16] % 16], x[16 + at[16:] % 8]])).all()


WIDE = """
kernel void wide(global const ulong *a, uint n, global ulong *o) {
    ulong8 x = vload8(0, a);
    for (uint i = 0; i < n; i++) ((private ulong *)&x)[i & 7] = (uint)a[i] * 3u;
    vstore8(x, 0, o);
}
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_two_moves_by_one_index(processor):
    """LLVM leaves the mode on where the next move has the same index."""
    x, out = RANDOM.integers(0, 1 << 62, 8).astype(np.uint64), np.zeros(8, np.uint64)
    machine(WIDE, processor).run("wide", (1,), (1,), [x, np.uint32(6), out])
    assert (out == np.where(np.arange(8) < 6, x * np.uint64(3) & np.uint64(2**32 - 1), x)).all()


CONSTANTS = {"7": 7, "-3": 2**32 - 3, "123456": 123456, "as_uint(1.0f)": 0x3f800000, "as_uint(0.3f)": 0x3e99999a}
PUT = "kernel void put(global const uint *a, uint at, global uint *o) {" + "".join(f"""
    uint16 x{k} = vload16({k}, a); ((private uint *)&x{k})[(at + {k}) & 15] = {value}; vstore16(x{k}, {k}, o);"""
                                                             for k, value in enumerate(CONSTANTS)) + "}"


@pytest.mark.parametrize("processor", PROCESSORS)
def test_constants_into_registers_by_an_index(processor):
    x = RANDOM.integers(0, 1 << 20, (len(CONSTANTS), 16)).astype(np.uint32)
    out, at = np.zeros_like(x), 13
    machine(PUT, processor).run("put", (1,), (1,), [x, np.uint32(at), out])
    for k, value in enumerate(CONSTANTS.values()):
        x[k, at + k & 15] = value
    assert (out == x).all()


REPLACED = """
kernel void replaced(global const uint *a, global const uint *at, int n, global uint *o) {
    size_t i = get_global_id(0);
    uint16 x = vload16(i, a), y = x * 3u;
    uint total = 0;
    for (int j = 0; j < n; j++) {
        uint k = at[(i + j) & 255] & 15;
        if (k > 4) x = shuffle2(x, y, (uint16)(k, 16u + k, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, k, 15));
        total = total * 31 + x.s1 + x.se;
    }
    vstore16(x, i, o);
    o[16 * get_global_size(0) + i] = total;
}
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_registers_by_an_index_in_lanes_that_are_on(processor):
    """Each lane has an index of its own, and some have none."""
    x, at = RANDOM.integers(0, 1 << 20, (N, 16)).astype(np.uint32), RANDOM.integers(0, 16, 256).astype(np.uint32)
    out, turns = np.zeros(17 * N, np.uint32), 5
    machine(REPLACED, processor).run("replaced", (N,), (64,), [x, at, np.int32(turns), out])
    i, y, total = np.arange(N), x * np.uint32(3), np.zeros(N, np.uint32)
    for j in range(turns):
        k = at[i + j & 255]
        changed = x.copy()
        changed[:, 0], changed[:, 1], changed[:, 14] = x[i, k], y[i, k], x[i, k]
        x = np.where((k > 4)[:, None], changed, x)
        total = total * np.uint32(31) + x[:, 1] + x[:, 14]
    assert (out[:16 * N].reshape(N, 16) == x).all()
    assert (out[16 * N:] == total).all()


def test_code_for_an_index_does_not_grow_with_the_registers():
    """To choose among all of them took a shuffle of 16 longs more than ten minutes to build."""
    source = "kernel void f(global uint *a, global uint *at, global uint *o) {"
    for n in range(4):
        source += f"uint16 x{n} = vload16({n}, a); vstore16(shuffle(x{n}, vload16(0, at)), {n}, o);"
    program = machine(source + "}", "gfx600").program
    made = translate.translate(program)[0].to_bitcode()
    assert len(made) < 80 * len(program.text)


UNDER_A_MASK = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void f(global double *a, global double *o) {
    int i = get_global_id(0);
    double x = a[i], y = x;
    if (x > 0) {
        #pragma unroll
        for (int k = 0; k < 24; ++k) y = y + x * k;
        x += y;
    }
    o[i] = x - y;
}
"""


@pytest.mark.parametrize("is_brief", [False, True])
def test_lanes_that_are_off_keep_what_they_have(is_brief):
    x = RANDOM.integers(-2, 3, N).astype(np.float64)
    out, y = np.zeros(N), x.copy()
    machine(UNDER_A_MASK, "gfx600", is_brief=is_brief).run("f", (N,), (64,), [x, out])
    for k in range(24):
        y = y + x * k
    assert (out == np.where(x > 0, x + y - y, 0)).all()


def test_instructions_under_a_mask_choose_lanes_once():
    """Where lanes are off a register keeps them when a run ends, not at each instruction that writes it."""
    module, _ = translate.translate(program_of(UNDER_A_MASK, "gfx600")[0], is_brief=True)
    [code] = [function for function in functions(module) if function.name == "wave.f"]
    sums = sum("fma" in i.callee.name for i in code.instructions_of("call"))
    assert sums > 20
    assert sum(1 for _ in code.instructions_of("select")) < sums
