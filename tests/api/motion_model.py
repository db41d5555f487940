# SPDX-License-Identifier: Apache-2.0
"""The search for motion between two images in numpy, block by block and place by place, as pages of vendor_ext/intel
have it."""
import numpy as np

BLOCK = {0: 16, 1: 8, 2: 4}         # mb_block_type -> side of a block
RADIUS = {0: (2, 2), 1: (4, 4), 5: (16, 12)}


def pixels(image, x, y, width, height):
    """From (x, y) on; beyond the edges the nearest."""
    rows = np.clip(np.arange(y, y + height), 0, image.shape[0] - 1)
    columns = np.clip(np.arange(x, x + width), 0, image.shape[1] - 1)
    return image[np.ix_(rows, columns)].astype(int)


def between(image, x, y, side):
    """At quarters of a pixel: linear in both directions, rounded once."""
    fx, fy = x & 3, y & 3
    near = pixels(image, x >> 2, y >> 2, side + 1, side + 1)
    rows = near[:, :-1] * (4 - fx) + near[:, 1:] * fx
    return (rows[:-1] * (4 - fy) + rows[1:] * fy + 8) >> 4


def haar(d):
    """Of 4 x 4 differences. What is a difference of pairs, in a direction or in both, weighs half of a 2 x 2's."""
    quads = d.reshape(2, 2, 2, 2).swapaxes(1, 2)         # [row of quads, column of quads, y, x]
    a, b, c, e = quads[..., 0, 0], quads[..., 0, 1], quads[..., 1, 0], quads[..., 1, 1]
    details = abs(a + b - c - e).sum() + abs(a - b + c - e).sum() + abs(a - b - c + e).sum()
    (a, b), (c, e) = a + b + c + e
    coarse = abs(a + b + c + e) + abs(a + b - c - e) + abs(a - b + c - e) + abs(a - b - c + e)
    return (2 * details + coarse + 2) >> 2


def distortion(source, other, adjust):
    d = source - other
    if not adjust:
        return int(abs(d).sum())
    n = len(d) // 4
    return sum(int(haar(d[y * 4:y * 4 + 4, x * 4:x * 4 + 4])) for y in range(n) for x in range(n))


def towards_zero(value):
    return abs(int(value)) // 4 * (1 if value >= 0 else -1)


def no_penalty(vector):
    return 0


def search(source, reference, x, y, side, desc, predictions=((0, 0),), penalty=no_penalty):
    """(vector, cost) of the block of `side` pixels at (x, y)."""
    block = pixels(source, x, y, side, side)
    radius, best = RADIUS[desc[3]], None

    def cost(vector):
        return min(distortion(block, between(reference, 4 * x + vector[0], 4 * y + vector[1], side), desc[2])
                   + penalty(vector), 65535)

    for prediction in predictions:
        center = [min(max(towards_zero(p), -8192 + r), 8191 - r) for p, r in zip(prediction, radius, strict=True)]
        places = [(dx, dy) for dy in range(-radius[1], radius[1] + 1) for dx in range(-radius[0], radius[0] + 1)]
        found = min((cost((4 * (center[0] + dx), 4 * (center[1] + dy))), abs(dx) + abs(dy), dy, dx)
                    for dx, dy in places)
        if best is None or found[0] < best[0]:
            best = (found[0], [4 * (center[0] + found[3]), 4 * (center[1] + found[2])], [4 * c for c in center])
    least, vector, center = best
    for step in (2, 1)[:desc[1]]:
        vector, least = refined(vector, least, step, center, radius, cost)
    return vector, least


def refined(vector, least, step, center, radius, cost):
    best = vector
    for dy in (-step, 0, step):
        for dx in (-step, 0, step):
            to = [vector[0] + dx, vector[1] + dy]
            if all(abs(t - c) <= 4 * r for t, c, r in zip(to, center, radius, strict=True)) and cost(to) < least:
                best, least = to, cost(to)
    return best, least


def field(source, reference, desc, region=None, predictions=None):
    """Vectors (rows, columns, 2) and residuals (rows, columns) of block_motion_estimate_intel for a region (x, y,
    width, height); `predictions` are one for each macroblock, in rows."""
    x0, y0, width, height = region or (0, 0, source.shape[1], source.shape[0])
    columns, rows, side = -(-width // 16), -(-height // 16), BLOCK[desc[0]]
    n = 16 // side
    vectors, residuals = np.zeros((rows * n, columns * n, 2), int), np.zeros((rows * n, columns * n), int)
    for row in range(rows * n):
        for column in range(columns * n):
            near = (0, 0) if predictions is None else predictions[row // n][column // n]
            vectors[row, column], residuals[row, column] = search(
                source, reference, x0 + column * side, y0 + row * side, side, desc, [near])
    return vectors, residuals


def moving(width, height, seed=1):
    """Two images of which the second is the first, moved differently in places, with noise. Smooth enough for vectors
    between pixels to pay."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 256, (height + 40, width + 48)).astype(float)
    for axis in (0, 1):
        base = (base + np.roll(base, 1, axis) + np.roll(base, 2, axis)) / 3
    base = (base - base.min()) * 255 / np.ptp(base)
    source = base[16:16 + height, 20:20 + width]
    reference = np.empty((height, width))
    for y in range(0, height, 8):
        for x in range(0, width, 8):
            dx, dy = rng.integers(-5, 6), rng.integers(-5, 6)
            reference[y:y + 8, x:x + 8] = base[16 + y + dy:24 + y + dy, 20 + x + dx:28 + x + dx][
                :min(8, height - y), :min(8, width - x)]
    reference = (reference + np.roll(reference, 1, 1)) / 2 + rng.integers(-2, 3, reference.shape)
    return source.astype(np.uint8), reference.clip(0, 255).astype(np.uint8)
