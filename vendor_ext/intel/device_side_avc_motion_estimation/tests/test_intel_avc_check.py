# SPDX-License-Identifier: Apache-2.0
"""Skip checks and prediction inside the image in cl_intel_device_side_avc_motion_estimation, beside the model."""
import numpy as np
import pytest
from avc_model import Settings
from check_model import CORNER, LEFT, RIGHT, TOP, Around, chroma, luma, skip
from motion_model import moving
from test_intel_avc_search import CENTERS, HIGH, SHAPES

EVERYWHERE = LEFT | TOP | RIGHT | CORNER
THRESHOLDS = (40, 12, 9, 7, 30, 25, 3)


# ---- skip checks

def check_skip(motion, pictures, images, s, used, raw_blocks=0, thresholds=None, ids=None, references=None):
    vectors = [((5 * n - 7, 3), (n, -6 * n + 1)) for n in range(len(used))]
    want = skip(s, pictures[0], references or pictures[1:3], used, vectors, raw_blocks, thresholds)
    packed = sum(t << (16 + 8 * (i - 1) if i else 0) for i, t in enumerate(thresholds or []))
    words = {16: 1, 17: 0x4000 if len(used) == 4 else 0, 18: sum(u << (24 + 2 * i) for i, u in enumerate(used)),
             19: s.weight, 29: thresholds is not None, 30: packed & 0xFFFFFFFF, 31: packed >> 32, 32: raw_blocks,
             33: s.bilinear, 34: ids is not None, 35: ids or 0, "vectors": vectors}
    distortions, numbers, _, sums = motion.check(s, images, words)
    assert distortions.tolist() == want["distortions"]
    assert numbers[5] == want["raw"]
    assert [int(numbers[4]) >> 8 * i & 255 for i in range(4)] == want["counts"]
    assert [sums >> 16 * i & 65535 for i in range(4)] == want["sums"]


@pytest.mark.parametrize("used", [[1], [2], [3], [1, 2, 3, 1], [3, 0, 0, 2]])
def test_vectors_that_are_given(motion, pictures, images, used):
    check_skip(motion, pictures, images, Settings(x=16, y=16, dual=1, weight=43), used)


@pytest.mark.parametrize("more", [
    {"haar": 2}, {"ac_only": 1}, {"bilinear": 1}, {"x": 48, "y": 32},
    {"table": HIGH, "has_costs": 1, "centers": CENTERS, "shape_penalty": SHAPES, "direction_penalty": 0x35}])
def test_what_distortions_of_skip_checks_are(motion, pictures, images, more):
    check_skip(motion, pictures, images, Settings(**{"x": 16, "y": 16, "dual": 1, **more}), [1, 2, 3, 1])


@pytest.mark.parametrize("used", [[1], [1, 1, 1, 1]])
@pytest.mark.parametrize("raw_blocks", [1, 2])
def test_the_worst_block(motion, pictures, images, used, raw_blocks):
    check_skip(motion, pictures, images, Settings(x=16, y=16), used, raw_blocks)


@pytest.mark.parametrize("used", [[3], [1, 0, 3, 2]])
def test_coefficients_above_thresholds(motion, pictures, images, used):
    check_skip(motion, pictures, images, Settings(x=16, y=16, dual=1), used, thresholds=THRESHOLDS)


def test_images_by_their_numbers(motion, pictures, images):
    s = Settings(x=16, y=16, dual=1, reference_penalty=0x13, ids=(2, 1))
    check_skip(motion, pictures, images, s, [1, 3, 2, 1], ids=0x12121212, references=[pictures[5], pictures[4]])


# ---- prediction

def edges():
    rng = np.random.default_rng(7)
    near = np.clip(rng.integers(-25, 26, 41).cumsum() + 128, 0, 255)
    return {"left": near[15::-1], "corner": near[16], "top": near[17:33], "right": near[33:]}, [
        *near[15::-1], near[16], *near[17:]]


def check_luma(motion, pictures, images, settings, **more):
    s = {"mask": 0, "neighbours": EVERYWHERE, "shape_penalty": 0, "has_modes": 0, "mode_penalty": 0, "non_dc": 0,
         "neighbour_modes": 0, **more}
    given, flat = edges()
    want = luma(s, Around(pictures[0], settings.x, settings.y, given), settings)
    words = {20: 1, 21: s["mask"], 22: s["neighbours"], 23: s["shape_penalty"], 24: s["has_modes"],
             25: s["mode_penalty"], 26: s["neighbour_modes"], 27: s["non_dc"], "edges": flat}
    _, numbers, modes, _ = motion.check(settings, images, intra=words)
    assert (int(numbers[0]), int(numbers[1]), modes) == want
    return want


@pytest.mark.parametrize("mask,shape", [(0, None), (6, 0), (5, 1), (3, 2)])
@pytest.mark.parametrize("haar", [0, 2])
def test_modes_of_all_sizes(motion, pictures, images, mask, shape, haar):
    want = check_luma(motion, pictures, images, Settings(x=16, y=16, haar=haar), mask=mask)
    assert shape is None or want[0] == shape


@pytest.mark.parametrize("neighbours", [0, LEFT, TOP, TOP | RIGHT, LEFT | TOP, EVERYWHERE & ~RIGHT])
@pytest.mark.parametrize("mask", [6, 5, 3])
def test_neighbours_that_are_not_there(motion, pictures, images, neighbours, mask):
    check_luma(motion, pictures, images, Settings(x=16, y=0), neighbours=neighbours, mask=mask)


@pytest.mark.parametrize("mask", [0, 6, 5, 3])
def test_what_modes_cost(motion, pictures, images, mask):
    for neighbours in (EVERYWHERE, LEFT):
        check_luma(motion, pictures, images, Settings(x=32, y=16), mask=mask, neighbours=neighbours, has_modes=1,
                   mode_penalty=0x2C, non_dc=36 | 12 << 8 | 4 << 16, neighbour_modes=0x87615023,
                   shape_penalty=0x591E1A00)


@pytest.mark.parametrize("neighbours", [EVERYWHERE, 0, LEFT, TOP, LEFT | TOP])
@pytest.mark.parametrize("penalty", [0, 0x4F])
def test_modes_of_chroma(motion, pictures, images, neighbours, penalty):
    """Of NV12: a plane of bytes, behind it one of pairs."""
    source, _ = moving(48, 32, seed=3)
    pairs, _ = moving(48, 16, seed=4)
    nv12 = motion.planar(np.concatenate([source, pairs]))
    _, flat = edges()
    u, v = (np.random.default_rng(i).integers(60, 200, 17) for i in (5, 6))
    packed = u | v << 8
    words = {20: 2, 21: 0, 22: neighbours, 28: penalty, "edges": flat,
             "chroma": [*packed[:8], *[0] * 8, packed[8], *packed[9:], *[0] * 8]}
    settings, s = Settings(x=16, y=16), {"neighbours": neighbours, "chroma_penalty": penalty}
    want = chroma(s, [pairs[:, ::2], pairs[:, 1::2]], 16, 16, [(e[:8], e[8], e[9:]) for e in (u, v)], settings)
    _, numbers, _, _ = motion.check(settings, [nv12, *images[1:]], intra=words)
    assert (int(numbers[3]), int(numbers[2])) == want
