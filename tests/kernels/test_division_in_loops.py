# SPDX-License-Identifier: Apache-2.0
"""Divisions under conditions in loops, at every width: LLVM's loop vectorizer has a fault there."""
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
