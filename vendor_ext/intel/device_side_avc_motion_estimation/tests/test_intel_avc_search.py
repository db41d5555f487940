# SPDX-License-Identifier: Apache-2.0
"""The search of cl_intel_device_side_avc_motion_estimation: what it finds is what the model finds."""
import numpy as np
import pytest
from avc_kernels import NAMES
from avc_model import ALL, MAJORS, ONLY, Settings, search

HIGH = 0x5C5B59584E483D1D
SHAPES = 0x0506040208
CENTERS = (((20, -8), (0, 0), (-31, 7), (100, 64)), ((-4, 3), (9, 9), (0, 0), (-300, 2)))


def compare(s, got, want):
    vectors, distortions, out = got[:3]
    for name, value in zip(NAMES[:-1], out, strict=False):
        assert (name == "minor" and want["major"] != 3) or value == want[name], name
    for d in range(1 + s.dual):
        assert [tuple(v[d]) for v in vectors] == [tuple(map(int, v[d])) for v in want["vectors"]]
    assert distortions.tolist() == want["distortions"]
    for d in range(1 + s.dual):
        assert [int(out[5]) >> (8 * q + 4 * d) & 15 for q in range(4)] == want["ids"][d]
    assert out[6:9].tolist() == [want["border"], want["truncated"], want["early"]]


def check(motion, pictures, images, s):
    want = search(s, pictures[0], pictures[1:3])
    compare(s, motion.search(s, images), want)
    return want


@pytest.mark.parametrize("window", range(6))
@pytest.mark.parametrize("dual", [0, 1])
def test_all_windows_of_one_and_of_two_references(motion, pictures, images, window, dual):
    """At the corner of the image, and with an offset: pixels beyond the edges are the nearest ones."""
    s = Settings(x=0, y=16, window=window, dual=dual, offsets=((-5, 3), (2, -9)), mask=ONLY["16x16"] & ONLY["8x8"])
    check(motion, pictures, images, s)


@pytest.mark.parametrize("shape", ONLY)
def test_a_shape_alone(motion, pictures, images, shape):
    want = check(motion, pictures, images, Settings(x=16, y=16, window=2, mask=ONLY[shape]))
    assert want["count"] == {"16x16": 1, "16x8": 2, "8x16": 2, "8x8": 4, "8x4": 8, "4x8": 8, "4x4": 16}[shape]


@pytest.mark.parametrize("dual,more", [
    (0, {}), (1, {}), (1, {"no_mix": 1}), (0, {"haar": 2}), (1, {"ac_only": 1}), (0, {"most": 3}), (1, {"most": 9}),
    (0, {"table": HIGH, "has_costs": 1, "precision": 2, "centers": CENTERS}),
    (1, {"table": HIGH, "has_costs": 1, "centers": CENTERS, "shape_penalty": SHAPES, "direction_penalty": 0x35}),
    (0, {"shape_penalty": 0x6F00000000, "table": 0x0504030201, "precision": 3, "has_costs": 1}),
])
def test_all_shapes_and_what_they_cost(motion, pictures, images, dual, more):
    """Of a macroblock of which a part is beyond the edges."""
    check(motion, pictures, images, Settings(x=48, y=32, window=2, dual=dual, mask=ALL, **more))


def test_the_last_distance_that_the_table_has(motion, pictures, images):
    """Behind it, it is a ramp with an end."""
    for center in (-64 * 4, -64 * 4 - 9, -200, 4000):
        s = Settings(x=16, y=0, window=3, mask=ONLY["8x8"], table=HIGH, has_costs=1, precision=2,
                     centers=(((center, 0),) * 4, ((0, 0),) * 4))
        check(motion, pictures, images, s)


@pytest.mark.parametrize("threshold,early", [(0x00, 0), (0xA9, 1), (0xAF, 1)])
def test_a_search_may_end_early(motion, pictures, images, threshold, early):
    s = Settings(x=16, y=16, window=0, mask=ONLY["16x16"], threshold=threshold)
    want = check(motion, pictures, images, s)
    assert want["early"] == early


def test_parts_of_a_macroblock_have_weights(motion, pictures, images):
    s = Settings(x=16, y=16, window=1, mask=ONLY["16x16"], weights=0x1B2D4E93)
    check(motion, pictures, images, s)
    vectors, distortions, out, _ = motion.search(s, images)
    assert out[9] == vectors[0].view(np.uint32)[0, 0] and out[10] == distortions[0]


def blocks_of_stream(streams, direction, shape):
    return [value for (name, _, _), value in streams[direction].items() if name == shape]


@pytest.mark.parametrize("dual", [0, 1])
def test_streams_keep_the_best_of_several_references(motion, pictures, images, dual):
    """What is farther costs more, and shapes may have blocks of different references."""
    s = Settings(x=16, y=16, window=2, dual=dual, reference_penalty=0x14, mask=ALL, shape_penalty=SHAPES)
    far = Settings(**{**vars(s), "ids": (1, 1)})
    first = search(far, pictures[0], pictures[3:5])
    want = search(Settings(**{**vars(s), "streams": first["streams"]}), pictures[0], pictures[1:3])
    got = motion.search(s, images, stream=2)
    compare(s, got, want)
    told = want["streams"] if not dual else first["streams"]        # the kernel asks for the later ones of one
    for d in range(1 + dual):
        for i, shape in enumerate((*MAJORS, "8x8")):
            for lane, (cost, vector, number) in enumerate(blocks_of_stream(told, d, shape)):
                words = got[3][4 * d + i, :, lane]
                assert (words[1], words[2]) == (cost, number)
                assert tuple(words[:1].view(np.int16)) == tuple(vector)
