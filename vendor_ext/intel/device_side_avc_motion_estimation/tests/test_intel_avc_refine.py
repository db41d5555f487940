# SPDX-License-Identifier: Apache-2.0
"""Refinement in cl_intel_device_side_avc_motion_estimation: what it finds is what the model finds."""
import numpy as np
import pytest
from avc_kernels import NAMES, both
from avc_model import MINORS, Settings, refine
from test_intel_avc_search import CENTERS, HIGH, SHAPES

MAJOR = {"16x16": 0, "16x8": 1, "8x16": 2, "8x8": 3}
# Shapes of the macroblock, directions of its parts.
DIVIDED = [(["16x16"], [0]), (["16x8"], [0, 1]), (["8x16"], [1, 0]), (["8x8", "8x4", "4x8", "4x4"], [0, 1, 1, 0])]


def given(shapes):
    """Vectors of work-items: those of a block have the same."""
    rng = np.random.default_rng(len(shapes) + len(shapes[0]))
    counts = {"8x8": 1, "8x4": 2, "4x8": 2, "4x4": 4}
    parts = [1] * {"16x16": 1, "16x8": 2, "8x16": 2}[shapes[0]] if len(shapes) == 1 else [counts[s] for s in shapes]
    vectors, size = [], 16 // len(parts)
    for n in parts:
        for _ in range(n):
            vectors += [[tuple(int(v) for v in rng.integers(-9, 10, 2) * 4) for _ in range(2)]] * (size // n)
    return vectors


def check(motion, pictures, images, s, shapes, directions, ids=None, references=None):
    vectors = given(shapes)
    want = refine(s, pictures[0], references or pictures[1:3], shapes, directions, vectors)
    minor = sum(MINORS.index(shape) << 2 * i for i, shape in enumerate(shapes)) if len(shapes) > 1 else 0
    major = MAJOR[shapes[0]] if len(shapes) == 1 else 3
    got = motion.refine(s, images, major, minor, sum(d << 2 * i for i, d in enumerate(directions)), vectors, ids)
    numbers = dict(zip(NAMES, got[2].tolist(), strict=False))
    assert (numbers["major"], numbers["minor"]) == (major, minor)
    assert {name: numbers[name] for name in ("directions", "count", "best")} == {
        name: want[name] for name in ("directions", "count", "best")}
    assert [both(*v) for v in got[0].tolist()] == [both(*v) for v in want["vectors"]]
    assert got[1].tolist() == want["distortions"]
    return want, numbers


@pytest.mark.parametrize("shapes,directions", DIVIDED)
@pytest.mark.parametrize("resolution", [1, 3])
def test_vectors_between_pixels(motion, pictures, images, shapes, directions, resolution):
    s = Settings(x=16, y=16, dual=1, resolution=resolution)
    check(motion, pictures, images, s, shapes, directions)


@pytest.mark.parametrize("more", [
    {"haar": 2}, {"ac_only": 1}, {"bilinear": 1}, {"x": 48, "y": 32},
    {"table": HIGH, "has_costs": 1, "centers": CENTERS, "shape_penalty": SHAPES, "direction_penalty": 0x35}])
def test_what_distortions_are(motion, pictures, images, more):
    s = Settings(**{"x": 16, "y": 16, "dual": 1, "resolution": 3, **more})
    check(motion, pictures, images, s, *DIVIDED[3])


def test_one_reference(motion, pictures, images):
    check(motion, pictures, images, Settings(x=0, y=0, resolution=3), ["8x16"], [0, 0])


@pytest.mark.parametrize("shapes,directions", DIVIDED)
@pytest.mark.parametrize("more", [{"resolution": 0}, {"resolution": 1, "weight": 16}, {"resolution": 0, "no_mix": 1}])
def test_pairs_where_they_are_better(motion, pictures, images, shapes, directions, more):
    s = Settings(x=16, y=16, dual=1, pairs=1, direction_penalty=0x12, **more)
    check(motion, pictures, images, s, shapes, directions)


def test_pairs_and_single_vectors_are_both_chosen(motion, pictures, images):
    chosen = set()
    for x, y in ((0, 0), (16, 16), (32, 0)):
        s = Settings(x=x, y=y, dual=1, pairs=1, resolution=3)
        want, _ = check(motion, pictures, images, s, ["8x8"] * 4, [0, 0, 1, 1])
        chosen |= {want["directions"] >> 2 * i & 3 for i in range(4)}
    assert 2 in chosen and len(chosen) > 1


def test_each_block_has_images_of_its_own(motion, pictures, images):
    """By their place among the arguments; what is farther costs more."""
    s = Settings(x=16, y=16, dual=1, resolution=1, reference_penalty=0x13, ids=(2, 1))
    ids = 0x12121212
    references = [pictures[5], pictures[4]]
    _, numbers = check(motion, pictures, images, s, ["16x8"], [0, 1], ids, references)
    assert numbers["ids"] == ids
