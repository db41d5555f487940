# SPDX-License-Identifier: Apache-2.0
"""A device with the kernels of these tests, and images: each operation has three pairs of references."""
import numpy as np
import pytest
from avc_kernels import Motion
from motion_model import moving


@pytest.fixture(scope="module")
def motion():
    return Motion()


@pytest.fixture(scope="module")
def pictures():
    """A source and six references, of which every other one is nearer to it."""
    source, first = moving(56, 40)
    noise = [np.random.default_rng(i).integers(-30, 31, source.shape) for i in range(5)]
    others = [np.roll(source + n, (i - 2, 2 * i), (0, 1)).clip(0, 255).astype(np.uint8) for i, n in enumerate(noise)]
    return [source, first, *others]


@pytest.fixture(scope="module")
def images(motion, pictures):
    return [motion.image(picture) for picture in pictures]
