# SPDX-License-Identifier: Apache-2.0
"""A block of thousands of instructions, which LLVM puts in order by pieces (llvm/amdgpu_shim.cpp)."""
import numpy as np
import pytest

from .machine import machine, program_of

PROCESSORS = ("gfx600", "gfx900")
N, STEPS = 128, 800
CUT = 2000          # instructions of blocks that are


def source():
    """All but the sums could come next at any time, and the values in `v` are wanted again at the end."""
    rows = "".join(f"uint v{i} = a[x + {7 * i % 61}]; s = (s ^ v{i} * {2 * i + 3}u) + (y >> {i % 31});\n"
                   for i in range(STEPS))
    again = " + ".join(f"v{i}" for i in range(0, STEPS, STEPS // 8))
    return f"""kernel void k(global const uint *a, global uint *o) {{
        uint x = get_global_id(0), y = a[x], s = 1;
        {rows} o[x] = s + {again};
    }}"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_what_is_cut_does_the_same(processor):
    text = source()
    assert sum(not i.text.startswith("s_waitcnt") for i in program_of(text, processor)[0].listing) > CUT
    a = np.random.default_rng(1).integers(0, 1 << 32, N + 64, np.uint32)
    x = np.arange(N)
    values = [a[x + 7 * i % 61] for i in range(STEPS)]
    s, o = np.ones(N, np.uint32), np.zeros(N, np.uint32)
    for i, value in enumerate(values):
        s = (s ^ value * np.uint32(2 * i + 3)) + (a[x] >> np.uint32(i % 31))
    machine(text, processor, is_brief=True).run("k", (N,), (64,), [a, o])
    np.testing.assert_array_equal(o, s + sum(values[::STEPS // 8]))
