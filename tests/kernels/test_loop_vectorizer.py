# SPDX-License-Identifier: Apache-2.0
"""Loops that LLVM's loop vectorizer has faults in, at every width: divisions under conditions, indices that wrap."""
import numpy as np
import pytest

from clpy import config

LENGTH = 1000
# What is read where a[i] == 3, from the operands; n is 36, which no compiler knows.
EXPRESSIONS = {
    "b[1000ul % (n + 1)]": lambda b, n, i: b[1000 % (n + 1)],
    "b[(2000ul / (n + 1)) & 63]": lambda b, n, i: b[2000 // (n + 1) & 63],
    "b[(n * 5) % (n - 1)]": lambda b, n, i: b[n * 5 % (n - 1)],
    "b[(uint)n % 7u + 1000u / (uint)n]": lambda b, n, i: b[n % 7 + 1000 // n],
    "b[(i + 5) % n]": lambda b, n, i: b[(i + 5) % n],
    "(int)((long)n * 100 / ((long)n - 40))": lambda b, n, i: int(n * 100 / (n - 40)),
}


@pytest.mark.parametrize("mode", ["0", "1", "4", "8"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_division(machine, expression, mode):
    source = f"""kernel void k(global int *restrict c, global const int *restrict a, global const int *restrict b,
                               ulong n, uint length) {{
        uint part = length / get_global_size(0), first = part * get_global_id(0);
        for (uint i = first; i < first + part; i++)
            if (a[i] == 3)
                c[i] = {expression};
    }}"""
    a, b = np.zeros(LENGTH, np.int32), np.arange(100, dtype=np.int32) + 50
    a[5::7] = a[-3:] = 3
    of = EXPRESSIONS[expression]
    expected = np.array([of(b, 36, i) if a[i] == 3 else 0 for i in range(LENGTH)], np.int32)
    with config.override(CPU_VECTORIZER_MODE=mode, CACHE=False):
        kernel = machine.build(f"// {mode}\n{source}").k
    for items in (1, 4):
        c = np.zeros(LENGTH, np.int32)
        machine.launch(kernel, (items,), (items,), [c, a, b, np.uint64(36), np.uint32(LENGTH)])
        assert (c == expected).all()


# Tables of 16 entries behind 32-bit indices that do not wrap: the table's index does, and must be seen to.
WRAPPING = {
    "table[i & 15]": lambda i: i & 15,
    "table[(ulong)i % 16]": lambda i: i % 16,
    "table[(uchar)((uchar)i << 4) >> 4]": lambda i: i & 15,
    "table[(((int)(i << 28)) >> 28) + 8]": lambda i: ((i + 8) & 15),
}


@pytest.mark.parametrize("mode", ["0", "1", "4", "8"])
@pytest.mark.parametrize("expression", WRAPPING)
def test_index_that_wraps(machine, expression, mode):
    source = f"""constant uint table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 0xffffffff, 5, 3, 5, 8, 0x80000000, 7, 9}};
    kernel void k(global ulong *p, uint seed) {{
        uint i = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0);
        uchar bytes[16];
        for (int n = 0; n < 16; ++n) bytes[n] = (uchar)(n * {expression} + i + seed);
        for (int n = 0; n < 16; ++n) p[i * 16 + n] += bytes[n];
    }}"""
    table = np.array([3, 1, 4, 1, 5, 9, 2, 6, 2**32 - 1, 5, 3, 5, 8, 2**31, 7, 9], np.uint64)
    i, n = np.arange(66, dtype=np.uint64)[:, None], np.arange(16, dtype=np.uint64)
    expected = (n * table[WRAPPING[expression](i)] + i + 5 & 255).ravel()
    with config.override(CPU_VECTORIZER_MODE=mode, CACHE=False):
        kernel = machine.build(f"// {mode}\n{source}").k
    p = np.zeros(16 * 66, np.uint64)
    machine.launch(kernel, (22, 3), (22, 3), [p, np.uint32(5)])
    np.testing.assert_array_equal(p, expected)
