# SPDX-License-Identifier: Apache-2.0
"""Tables of bytes and shorts, which vectors read as the words around them: from anywhere in a word, to both sides, up
to both ends of the memory; and rows of a few elements, which are read in one way or another by how many they are."""
import numpy as np
import pyopencl as cl
import pytest

N = 256
KINDS = {"uchar": np.uint8, "short": np.int16, "int": np.int32, "uint": np.uint32, "long": np.int64}


@pytest.mark.parametrize("index", ["uchar", "short", "int", "uint", "long"])
@pytest.mark.parametrize("kind", ["uchar", "short"])
def test_every_place(machine, kind, index):
    program = machine.build(f"""
        kernel void all(global const {kind} *table, global const {index} *at, global {kind} *o, int from) {{
            size_t i = get_global_id(0); o[i] = (table + from)[at[i]]; }}
        kernel void some(global const {kind} *table, global const {index} *at, global {kind} *o, int from) {{
            size_t i = get_global_id(0); if (i % 3) o[i] = (table + from)[at[i]]; }}""")
    random = np.random.default_rng(1)
    table = random.integers(0, 1 << 16, N).astype(KINDS[kind])
    for first in (0, 1, 3) if index in ("uchar", "uint") else (0, 1, 2, 130, N - 1):
        at = random.integers(0 if index in ("uchar", "uint") else -first, min(N - first, 128), N)
        at[:2] = at.min(), at.max()
        expected = table[first + at]
        given = at.astype(KINDS[index])
        for name in ("all", "some"):
            out = np.zeros_like(table)
            machine.launch(cl.Kernel(program, name), (N,), (64,), [table, given, out, np.int32(first)])
            wanted = expected if name == "all" else np.where(np.arange(N) % 3, expected, 0)
            np.testing.assert_array_equal(out, wanted, err_msg=f"{name} {first}")


@pytest.mark.parametrize("length", [0, 1, 5, 11, 12, 13, 16, 40])
def test_rows_of_any_length(machine, length):
    program = machine.build("""
        kernel void f(global const float *a, global const float *x, global float *o, int n, int first) {
        int i = get_global_id(0);
        for (int k = 0; k < 3; k++) {
            float s = 0.0f;
            for (int j = first; j < n; j++) s += a[i * n + j] * x[j];
            o[i] += s; } }""")
    for first in (0, 3):
        a = np.arange(64 * max(length, 1), dtype=np.float32) % 17
        x = np.arange(max(length, 1), dtype=np.float32) % 5
        out = np.zeros(64, np.float32)
        machine.launch(cl.Kernel(program, "f"), (64,), (64,), [a, x, out, np.int32(length), np.int32(first)])
        rows = a[:64 * length].reshape(64, length)[:, first:]
        np.testing.assert_array_equal(out, 3 * (rows * x[:length][first:]).sum(1))


def test_constants_that_end_in_zeros(machine):
    """Objects do not have the zeros of large ones (compiler/zeros.py): numbers, structures, addresses of others."""
    program = machine.build("""
        constant int numbers[1 << 19] = {3, 1, 4};
        constant int same[1 << 19] = {3, 1, 4};
        constant struct { char c; int n; } records[1 << 18] = {{'a', 5}, {'b', 6}};
        constant int *constant places[1 << 18] = {numbers, numbers + 2};
        kernel void f(global const int *at, global int *o) {
            int i = get_global_id(0), n = at[i];
            o[i] = numbers[n] + 10 * records[n / 2].n + 100 * records[n / 2].c + (n < 2 ? 100000 * *places[n] : 0)
                + (same[n] << 24) + ((numbers + n == same + n) << 30);
        }""")
    at = np.arange(N, dtype=np.int32)
    at[-2:] = (1 << 18) + 1, (1 << 19) - 1
    begun = {0: 3, 1: 1, 2: 4}
    records = {0: (97, 5), 1: (98, 6)}
    wanted = [begun.get(n, 0) + 10 * records.get(n // 2, (0, 0))[1] + 100 * records.get(n // 2, (0, 0))[0]
              + {0: 300000, 1: 400000}.get(n, 0) + (begun.get(n, 0) << 24) for n in at.tolist()]
    for name in ("f", "f"):
        out = np.zeros(N, np.int32)
        machine.launch(cl.Kernel(program, name), (N,), (64,), [at, out])
        assert out.tolist() == wanted
