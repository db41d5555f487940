# SPDX-License-Identifier: Apache-2.0
"""Hardware threads of Gen chips with fewer work-items than channels, in optimized code: of a message to 8 channels no
others are on, whatever the processor's vectors have lanes for."""
import numpy as np
import pytest

from clpy.compiler.gen import installed

from . import differential, models

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")

SOURCE = """kernel __attribute__((reqd_work_group_size(19, 3, 1))) void k(global long *restrict p,
                                                                     global const short *restrict s) {
    ulong i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    switch ((uint)i & 7) {
    case 0: case 1: break;
    case 3:
        for (int j = 0; j < (int)(i & 7); ++j) for (int k = 0; k < 5; ++k) p[i * 16 + j] += s[j * 16 + k];
        break;
    }
}"""


@pytest.mark.parametrize("chip", ["haswell-gt2", "broadwell-gt2", "skylake-gt2"])
def test_loop_of_a_part(chip):
    s = np.arange(-50, 14, dtype=np.int16)
    p = np.full((57, 16), 9, np.int64)
    expected = p.copy()
    for j in range(3):
        expected[3::8, j] += s[16 * j:16 * j + 5].sum(dtype=np.int64)
    differential.launch(*models.build(chip, SOURCE, "-cl-std=CL1.2"), "k", [p, s], (19, 3), (19, 3))
    np.testing.assert_array_equal(p, expected)
