# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of lanes some of which are off, at places that have nothing in common: library/scattered.h."""
import numpy as np
import pytest

from .machine import machine

N = 256
RANDOM = np.random.default_rng(11)
SOURCE = """
#define MOVE(T)                                                                                                      \
    kernel void move_##T(global const T *a, global T *b, global const uint *from, global const uint *to, ulong on) { \
        uint i = get_global_id(0);                                                                                   \
        if (on >> (i & 63) & 1) b[to[i]] = a[from[i]]; }
MOVE(uchar) MOVE(char) MOVE(ushort) MOVE(short) MOVE(uint) MOVE(uint2) MOVE(uint4)
kernel void move_three(global const uint *a, global uint *b, global const uint *from, global const uint *to, ulong on) {
    uint i = get_global_id(0);
    if (on >> (i & 63) & 1) vstore3(vload3(from[i], a), to[i], b);
}
#ifdef __opencl_c_generic_address_space
kernel void any(global const uint *a, global uint *b, global const uint *kinds, global const uint *from, ulong on) {
    local uint shared[256];
    uint own[8], i = get_global_id(0);
    for (uint k = 0; k < 8; k++) own[k] = 1000 * i + k;
    shared[i] = 7 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (on >> (i & 63) & 1) {
        uint *p = kinds[i] == 0 ? (uint *)a + from[i] : kinds[i] == 1 ? (uint *)shared + from[i] : own + (from[i] & 7);
        uint x = *p;
        *p = x + 1;
        b[i] = x + own[from[i] & 7];
    }
}
#endif
"""
LANES = {"none but one": 1 << 17, "few": 0x8000000000110001, "some": 0x0101010101010101 * 0x55, "most": 2**64 - 0x12345,
         "all": 2**64 - 1}
WORDS = {"uchar": np.uint8, "char": np.int8, "ushort": np.uint16, "short": np.int16, "uint": np.uint32,
         "uint2": np.uint32, "uint4": np.uint32, "three": np.uint32}
WIDTHS = {"uint2": 2, "uint4": 4, "three": 3}


def who(lanes):
    return np.array([LANES[lanes] >> (i & 63) & 1 for i in range(N)], bool)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("processor", ["gfx600", "gfx803", "gfx900"])
def test_every_width(processor, lanes):
    chip = machine(SOURCE, processor, "-cl-std=CL3.0")
    place, target, on = RANDOM.integers(0, N, N).astype(np.uint32), RANDOM.permutation(N).astype(np.uint32), who(lanes)
    for kind, dtype in WORDS.items():
        info = np.iinfo(dtype)
        a = RANDOM.integers(info.min, info.max, (N, WIDTHS.get(kind, 1)), dtype, endpoint=True)
        b, expected = np.zeros_like(a), np.zeros_like(a)
        chip.run(f"move_{kind}", (N,), (128,), [a, b, place, target, np.uint64(LANES[lanes])])
        expected[target[on]] = a[place[on]]
        assert np.array_equal(b, expected), kind


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kinds", [[0, 0], [0, 1], [0, 1, 2]])
@pytest.mark.parametrize("processor", ["gfx701", "gfx900"])
def test_any_memory(processor, kinds, lanes):
    chip = machine(SOURCE, processor, "-cl-std=CL3.0")
    i, on = np.arange(N, dtype=np.uint32), who(lanes)
    kind, place = RANDOM.choice(kinds, N).astype(np.uint32), RANDOM.permutation(N).astype(np.uint32)
    a = RANDOM.integers(0, 1 << 31, N).astype(np.uint32)
    b, before = np.zeros(N, np.uint32), a.copy()
    chip.run("any", (N,), (N,), [a, b, kind, place, np.uint64(LANES[lanes])])
    own = 1000 * i + (place & 7)
    x = np.choose(kind, [before[place], 7 * place, own])
    assert np.array_equal(b, np.where(on, x + own + (kind == 2), 0))
    before[place[on & (kind == 0)]] += 1
    assert np.array_equal(a, before)
