# SPDX-License-Identifier: Apache-2.0
"""Programs of which LLVM's code generator for AMD's chips makes wrong code when left to itself (llvm/amdgpu_shim.h)."""
import numpy as np
import pytest

from .machine import machine

PROCESSORS = ("gfx600", "gfx803", "gfx900")
N = 64
SOURCE = """
constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 0xffffffff, 5, 3, 5, 8, 0x80000000, 7, 9};
kernel void shared_case(global ulong *o, uchar u) {
    size_t i = get_global_id(0);
    uchar v = clz(u);
    switch (i & 7) {
    case 7:
    case 4: v = u;
    }
    o[i] = v;
}
kernel void either_half(global ulong *o, uchar u) {
    uint i = get_global_id(0);
    long2 v = (long2)((long)u);
    ((long *)&v)[table[u & 15] & 1] = i;
    o[i] = v.x * 3 + v.y;
}
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_value_of_one_branch_stays_there(processor):
    i, o = np.arange(N), np.zeros(N, np.uint64)
    machine(SOURCE, processor).run("shared_case", (N,), (N,), [o, np.uint8(2)])
    np.testing.assert_array_equal(o, np.where(np.isin(i & 7, (4, 7)), 2, 6))


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize(("u", "factors"), [(2, (3, 1)), (0, (1, 3))])
def test_comparison_and_its_opposite(processor, u, factors):
    """Of one bit: it chooses which half is replaced."""
    i, o = np.arange(N), np.zeros(N, np.uint64)
    machine(SOURCE, processor).run("either_half", (N,), (N,), [o, np.uint8(u)])
    np.testing.assert_array_equal(o, i * factors[0] + u * factors[1])
