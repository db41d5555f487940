# SPDX-License-Identifier: Apache-2.0
"""What ../README.md says of penalties, skip checks and prediction inside an image, in numpy: of one macroblock."""
import numpy as np
from intra_model import neighbours, predictions, smoother
from motion_model import BLOCK, between, distortion, pixels, search

COSTS = {0: [0] * 8, 1: [1, 4, 5, 9, 10, 12, 14, 15], 2: [5, 20, 26, 44, 52, 60, 72, 72],
         3: [26, 104, 128, 224, 256, 288, 352, 384]}
POINTS = np.array([0, 1, 2, 4, 8, 16, 32, 64])


def penalty(kind, precision, center):
    """cost(vector)"""
    def of(distance):
        unit = 1 << precision
        points = POINTS * unit
        if distance >= points[-1]:
            return COSTS[kind][-1]
        k = int(np.searchsorted(points, distance, "right")) - 1
        rise = (COSTS[kind][k + 1] - COSTS[kind][k]) * (distance - points[k])
        return COSTS[kind][k] + int(rise // (points[k + 1] - points[k]))

    return lambda vector: of(abs(vector[0] - center[0])) + of(abs(vector[1] - center[1]))


def searched(source, reference, x, y, desc, predictions, kind, precision):
    """[(vector, cost)] of the blocks, row by row."""
    side, predictions = BLOCK[desc[0]], predictions or [(0, 0)]
    return [search(source, reference, x + dx, y + dy, side, desc, predictions,
                   penalty(kind, precision, predictions[0]))
            for dy in range(0, 16, side) for dx in range(0, 16, side)]


def checked(source, images, x, y, side, pairs, modes, weight, adjust):
    """Residuals of one set of pairs of vectors, one for each block; `modes` likewise."""
    found = []
    for i, (pair, mode) in enumerate(zip(pairs, modes, strict=True)):
        bx, by = x + i % (16 // side) * side, y + i // (16 // side) * side
        a, b = (between(image, 4 * bx + int(v[0]), 4 * by + int(v[1]), side)
                for image, v in zip(images, pair, strict=True))
        part = {0: 0, 1: 0, 2: 64, 3: weight}[mode]
        found.append(distortion(pixels(source, bx, by, side, side), ((64 - part) * a + part * b + 32) >> 6, adjust))
    return found


def intra(image, x, y, adjust):
    """The 21 modes and the 3 residuals of the macroblock at (x, y)."""
    modes, residuals = [], []
    for n in (16, 8, 4):
        total = 0
        for by in range(y, y + 16, n):
            for bx in range(x, x + 16, n):
                block = pixels(image, bx, by, n, n)
                least, mode = min((distortion(block, np.array(to), adjust), mode) for mode, to in
                                  predictions(*with_size(neighbours(image, bx, by, n, x, y), n)).items())
                modes.append(mode)
                total += least
        residuals.append(min(total, 65535))
    return modes, residuals


def with_size(found, n):
    """What 8 x 8 are predicted from is made smoother; there is a corner where there are both sides."""
    p, left, top = found
    return smoother(p, left, top, left and top) if n == 8 else p, n, left, top
