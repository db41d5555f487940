# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders of integers, which vectors make of floating-point numbers (compiler/spmd/widen_division.py):
exact beside every multiple, for the largest and the smallest, by divisors of each work-item's own and by the same for
all, powers of two among them, where some take part only, and of vectors in the source."""
import numpy as np
import pytest

from tests.kernels import differential

ITEMS = 1 << 12
TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64}
SOURCE = """
kernel void own(global const T *a, global const T *b, global T *q, global T *r, T n) {
    size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
kernel void same(global const T *a, global const T *b, global T *q, global T *r, T n) {
    size_t i = get_global_id(0); q[i] = a[i] / n; r[i] = a[i] % n; }
kernel void some(global const T *a, global const T *b, global T *q, global T *r, T n) {
    size_t i = get_global_id(0);
    if (a[i] & 1) { q[i] = a[i] / n; r[i] = a[i] % b[i]; } else { q[i] = a[i] % n == 0; r[i] = 0; } }
kernel void four(global const T4 *a, global const T4 *b, global T4 *q, global T4 *r, T n) {
    size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % (T4)n; }
"""


def numbers(random, dtype):
    """Of all lengths, and the ends."""
    info = np.iinfo(dtype)
    made = random.integers(info.min, info.max, ITEMS, dtype=dtype, endpoint=True)
    made >>= random.integers(0, info.bits, ITEMS).astype(dtype)
    ends = np.array([1, 2, 3, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1], dtype)
    return np.where(random.random(ITEMS) < 0.1, random.choice(ends, ITEMS), made)


def placed(values):
    """A copy where vectors of four may lie."""
    memory, start = differential.aligned(values.nbytes)
    at = start - memory.ctypes.data
    made = memory[at:at + values.nbytes].view(values.dtype)
    made[:] = values
    return made


@pytest.mark.parametrize("way", ["auto", "avx2", "sse4.2-4"])
@pytest.mark.parametrize("kind", TYPES)
def test_exact(kind, way):
    dtype = TYPES[kind]
    compiler = differential.Compiler(f"typedef {kind} T; typedef {kind}4 T4;" + SOURCE)
    _keep, observer = differential.blind_observer()
    built = [compiler.build(each) for each in ("scalar", way)]
    random = np.random.default_rng(7)
    for shared in dict.fromkeys(dtype(n) for n in (
            3, 7, 16, np.iinfo(dtype).max, 2 * np.iinfo(dtype).min // 3 or 48, np.iinfo(dtype).min or 1)):
        a, b = numbers(random, dtype), numbers(random, dtype)
        b[b == 0] = 5
        with np.errstate(all="ignore"):     # multiples, and the numbers beside
            times = random.random(ITEMS) < 0.5
            by = np.where(random.random(ITEMS) < 0.5, b, shared)
            a = np.where(times, (a // by * by + random.integers(-1, 2, ITEMS).astype(dtype)).astype(dtype), a)
        for name in ("own", "same", "some", "four"):
            out = [[placed(np.zeros(ITEMS, dtype)) for _ in range(2)] for _ in built]
            items = ITEMS // (4 if name == "four" else 1)
            for (executable, loaded), (q, r) in zip(built, out, strict=True):
                differential.launch(executable, loaded, name, [placed(a), placed(b), q, r, shared], (items,), (64,),
                                    observer=observer)
            np.testing.assert_array_equal(*out, err_msg=f"{name} {shared}")


@pytest.mark.parametrize("kind", ["int", "uint", "long"])
def test_no_trap(kind, machine):
    """What has no result does not end the program, and the lanes beside have theirs."""
    dtype = TYPES[kind]
    program = machine.build(f"typedef {kind} T; typedef {kind}4 T4;" + SOURCE)
    least = np.iinfo(dtype).min
    a = np.array([least, 100, 7, least, 9, 5, 100, 8] * 32, dtype)
    b = np.array([-1 % 2 ** 32 if least == 0 else -1, 0, 2, 0, 3, 1, 7, 0] * 32, dtype)
    for name in ("own", "same"):
        function = getattr(program, name)
        for shared in (b[0], dtype(0)):
            q, r = np.zeros_like(a), np.zeros_like(a)
            machine.launch(function, (256,), (64,), [a, b, q, r, shared])
            if name == "own":
                assert q.reshape(-1, 8)[:, [2, 4, 5, 6]].tolist() == [[3, 3, 5, 14]] * 32
                assert r.reshape(-1, 8)[:, [2, 4, 5, 6]].tolist() == [[1, 0, 0, 2]] * 32
