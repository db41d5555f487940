# SPDX-License-Identifier: Apache-2.0
"""Work-items that end while others of their group go to a barrier take no part in it, which is more than the language
asks for; the others go on together. Other ways to run the same shapes are in vector_cases.py."""
import numpy as np
import pyopencl as cl
import pytest

SHAPES = [(64, 16), (96, 32), (66, 33), (35, 5), (4, 1)]
IDS = "int l = get_local_id(0), L = get_local_size(0), i = get_global_id(0); tmp[l] = in[i]; barrier(1); "


def launch(machine, body, shape, values, n):
    out = np.full_like(values, -1)
    source = f"kernel void k(global const int *in, global int *out, int n, local int *tmp) {{ {IDS}{body} }}"
    kernel = cl.Kernel(machine.build(source), "k")
    machine.launch(kernel, shape[:1], shape[1:], [values, out, np.int32(n), cl.LocalMemory(4 * shape[1])])
    return out.reshape(-1, shape[1])


def values_for(shape):
    return np.random.default_rng(shape[0]).integers(0, 100, shape[0], np.int32)


@pytest.mark.parametrize("n", [0, 1, 31, 50, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_bound_around_barriers(machine, shape, n):
    a = values_for(shape)
    got = launch(machine, """if (i < n) { int x = tmp[(l + 1) % L]; barrier(1); tmp[l] += x; barrier(1);
        out[i] = tmp[L - 1 - l]; }""", shape, a, n)
    inside, groups = (np.arange(a.size) < n).reshape(got.shape), a.reshape(got.shape)
    turned = np.where(inside, groups + np.roll(groups, -1, 1), groups)[:, ::-1]
    np.testing.assert_array_equal(got, np.where(inside, turned, -1))


@pytest.mark.parametrize("least", [0, 30, 101])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_return_before_a_loop_with_barriers(machine, shape, least):
    """The loop's counter is one for those that are left, also when they are few."""
    a = values_for(shape)
    got = launch(machine, """if (in[i] < n) return; for (int j = 0; j < 5; ++j) { int x = tmp[(l + j) % L]; barrier(1);
        tmp[l] += x + j; barrier(1); } out[i] = tmp[l];""", shape, a, least)
    tmp = a.reshape(got.shape).copy()
    left = tmp >= least
    for j in range(5):
        tmp += np.where(left, np.roll(tmp, -j, 1) + j, 0).astype(np.int32)
    np.testing.assert_array_equal(got, np.where(left, tmp, -1))


@pytest.mark.parametrize("shape", SHAPES)
def test_returns_in_different_rounds(machine, shape):
    """At last nobody is left, before the loop ends."""
    a = values_for(shape)
    got = launch(machine, """for (int j = 0; j < n; ++j) { if (in[i] % 7 == j) { out[i] = tmp[l]; return; }
        int x = tmp[(l + 1) % L]; barrier(1); tmp[l] += x; barrier(1); }""", shape, a, 9)
    tmp = a.reshape(got.shape).copy()
    round_ = tmp % 7
    expected = np.full_like(tmp, -1)
    for j in range(7):
        expected = np.where(round_ == j, tmp, expected)
        tmp += np.where(round_ > j, np.roll(tmp, -1, 1), 0).astype(np.int32)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_different_barriers(machine, shape):
    a = values_for(shape)
    got = launch(machine, """int x = in[i]; if (x & 1) { x += n; barrier(1); out[i] = x + tmp[l]; }
        else { x *= n; barrier(1); out[i] = x - tmp[l]; }""", shape, a, 5)
    np.testing.assert_array_equal(got.ravel(), np.where(a & 1, 2 * a + 5, 4 * a))


@pytest.mark.parametrize("kind", ["local int", "volatile local int"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_variable_in_local_memory_that_says_how_long(machine, shape, kind):
    """It is one for all, as nobody writes it where they ask, and is asked anew each time."""
    a = values_for(shape)
    got = launch(machine, f"""{kind} left; if (l == 0) left = in[i] & 7; barrier(1); int turns = 0;
        while (left > n) {{ int x = tmp[(l + 1) % L]; barrier(1); tmp[l] = x; if (l == L - 1) --left; barrier(1);
        ++turns; }} out[i] = tmp[l] + 1000 * turns;""", shape, a, 2)
    groups = a.reshape(got.shape)
    turns = np.maximum((groups[:, :1] & 7) - 2, 0)
    lanes = np.arange(shape[1])
    turned = np.take_along_axis(groups, (lanes + turns) % shape[1], 1)
    np.testing.assert_array_equal(got, turned + 1000 * turns)
