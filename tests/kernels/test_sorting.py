# SPDX-License-Identifier: Apache-2.0
"""Exchanges by a condition, at places of which lanes count in blocks: each size of block, smaller and larger than
vectors, ends of ranges that are no whole group, and what may not be written where the condition is not met."""
import numpy as np
import pyopencl as cl
import pytest

GROUP, N = 64, 64 * 5
SOURCE = f"""
kernel void exchange(global uint *k, global uint *v, uint step, uint n) {{
    local uint key[{2 * GROUP}], value[{2 * GROUP}];
    uint t = get_local_id(0), first = get_group_id(0) * {2 * GROUP};
    for (uint i = t; i < {2 * GROUP}; i += get_local_size(0)) {{ key[i] = k[first + i]; value[i] = v[first + i]; }}
    barrier(CLK_LOCAL_MEM_FENCE);
    uint a = 2 * t - (t & (step - 1)), b = a + step, x = key[a], y = key[b];
    if (x > y && get_global_id(0) < n) {{
        uint z = value[a];
        key[a] = y; key[b] = x;
        value[a] = value[b]; value[b] = z;
    }}
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = t; i < {2 * GROUP}; i += get_local_size(0)) {{ k[first + i] = key[i]; v[first + i] = value[i]; }}
}}
kernel void in_global(global uint *k, global uint *v, uint step, uint n) {{
    uint i = get_global_id(0), p = i / step * 2 * step + i % step;
    if (i < n && k[p] > k[p + step]) {{
        uint x = k[p]; k[p] = k[p + step]; k[p + step] = x;
        v[p] += v[p + step];
    }}
}}
kernel void chosen(global uint *k, global uint *v, uint step, uint n) {{
    local uint key[{GROUP}], most[2];
    uint t = get_local_id(0);
    key[t] = k[get_global_id(0)];
    if (t < 2) most[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (most[t % 2] == 0 && key[t] == 7) most[t % 2] = 1;     // several set it, all to the same
    barrier(CLK_LOCAL_MEM_FENCE);
    v[get_global_id(0)] = most[0] + 2 * most[1];
}}
"""


def pairs(step):
    i = np.arange(N)
    return 2 * i - (i & (step - 1))


def exchanged(k, v, step, n, swap_values):
    k, v, at = k.copy(), v.copy(), pairs(step)
    where = at[(k[at] > k[at + step]) & (np.arange(N) < n)]
    k[where], k[where + step] = k[where + step], k[where]
    if swap_values:
        v[where], v[where + step] = v[where + step], v[where]
    else:
        v[where] += v[where + step]
    return k, v


def run(machine, name, k, v, *numbers):
    made = k.copy(), v.copy()
    machine.launch(cl.Kernel(machine.build(SOURCE), name), (N,), (GROUP,), [*made, *map(np.uint32, numbers)])
    return made


@pytest.mark.parametrize("step", [1, 2, 4, 8, 16, 64])
@pytest.mark.parametrize("n", [N, N - 3, 5, 0])
@pytest.mark.parametrize(("name", "swap_values"), [("exchange", True), ("in_global", False)])
def test_exchanges(machine, name, swap_values, step, n):
    rng = np.random.default_rng(step)
    k, v = (rng.integers(0, 100, 2 * N, np.uint32) for _ in range(2))
    for made, right in zip(run(machine, name, k, v, step, n), exchanged(k, v, step, n, swap_values),
                           strict=True):
        np.testing.assert_array_equal(made, right)


def test_a_place_that_several_set(machine):
    k, v = np.zeros(N, np.uint32), np.zeros(N, np.uint32)
    k[[0, 2, GROUP + 1, 2 * GROUP + 62]] = 7
    _, made = run(machine, "chosen", k, v, 0, 0)
    np.testing.assert_array_equal(made, np.repeat([1, 2, 1, 0, 0], GROUP))
