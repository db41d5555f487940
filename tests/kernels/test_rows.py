# SPDX-License-Identifier: Apache-2.0
"""Work-items that each write along a row of their own: how many go at a time depends on how far the rows lie apart
(compiler/analysis/rows.py), what they write does not."""
import numpy as np
import pytest

ITEMS, TURNS = 100, 20
SOURCE = """
kernel void one(global float *x, global const float *a, global float *y, int pitch) {
    int i = get_global_id(0);
    for (int k = 1; k < TURNS; k++)
        y[i * pitch + k] = y[i * pitch + k] / (2.0f + y[i * pitch + k - 1]);
}
kernel void two(global float *x, global const float *a, global float *y, int pitch) {
    int i = get_global_id(0);
    for (int k = 1; k < TURNS; k++) {
        x[i * pitch + k] = 1.0f / (a[i * pitch + k] - x[i * pitch + k - 1]);
        y[i * pitch + k] = (a[i * pitch + k] + y[i * pitch + k - 1]) * x[i * pitch + k];
    }
}
kernel void known(global float *x, global const float *a, global float *y, int pitch) {
    size_t i = get_global_id(0);
    for (int k = 1; k < TURNS; k++)
        y[i * 1024 + k] = y[i * 1024 + k] / (2.0f + y[i * 1024 + k - 1]);
}
"""


def expected(name, x, a, y):
    for k in range(1, TURNS):
        if name == "two":
            x[:, k] = 1 / (a[:, k] - x[:, k - 1])
            y[:, k] = (a[:, k] + y[:, k - 1]) * x[:, k]
        else:
            y[:, k] /= 2 + y[:, k - 1]


@pytest.mark.parametrize("name", ["one", "two", "known"])
def test_any_pitch_and_group(machine, name):
    kernel = getattr(machine.build(SOURCE, f"-DTURNS={TURNS}"), name)
    for pitch in (1024,) if name == "known" else (TURNS, 250, 256, 512, 1000, 1023, 1024, 1025, 1028):
        r = np.random.default_rng(pitch)
        x, a, y = (3 * (n == 1) + r.random((ITEMS, pitch), dtype=np.float32) for n in range(3))
        want_x, want_y = x.copy(), y.copy()
        expected(name, want_x, a, want_y)
        for group in (100, 50, 20, 4, 1):
            own_x, own_y = x.copy(), y.copy()
            machine.launch(kernel, (ITEMS,), (group,), [own_x, a, own_y, np.int32(pitch)])
            np.testing.assert_allclose(own_x, want_x, rtol=1e-5, err_msg=f"x {pitch} {group}")
            np.testing.assert_allclose(own_y, want_y, rtol=1e-5, err_msg=f"y {pitch} {group}")
