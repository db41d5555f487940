# SPDX-License-Identifier: Apache-2.0
"""Prediction of blocks of an image from the pixels beside them, as H.264 has it in 8.3.1 to 8.3.3, in numpy; p[x, y]
are the neighbours. vendor_ext/intel has what uses it."""
from functools import cache

import numpy as np
from motion_model import pixels


def neighbours(image, x, y, n, mb_x, mb_y):
    """(p, what is there): p(x, y) of a block at (x, y) of the image, in the macroblock at (mb_x, mb_y)."""
    column, row, last = (x - mb_x) // n, (y - mb_y) // n, 16 // n - 1
    left, top = x > 0, y > 0
    if row == 0:
        right = top and (column < last or mb_x + 16 < image.shape[1])
    else:       # of those in the macroblock, the ones that come before
        right = zigzag(column + 1, row - 1) < zigzag(column, row) if column < last else False

    @cache
    def p(px, py):
        if py == -1 and px >= n and not right:
            px = n - 1
        return int(pixels(image, x + px, y + py, 1, 1)[0, 0])
    return p, left, top


def zigzag(column, row):
    return (column & 1) | (row & 1) << 1 | (column & 2) << 1 | (row & 2) << 2


def three(a, b, c):
    return (a + 2 * b + c + 2) >> 2


def smoother(p, left, top, corner):
    """p as 8 x 8 are predicted from, by 8.3.2.2.1."""
    def q(x, y):
        if y == -1 and x >= 0:
            before = p(x - 1, -1) if x else p(-1, -1) if corner else p(0, -1)
            return three(before, p(x, -1), p(min(x + 1, 15), -1))
        if x == -1 and y >= 0:
            before = p(-1, y - 1) if y else p(-1, -1) if corner else p(-1, 0)
            return three(before, p(-1, y), p(-1, min(y + 1, 7)))
        return three(p(0, -1) if top else p(-1, -1), p(-1, -1), p(-1, 0) if left else p(-1, -1))
    return q


def predictions(p, n, left, top):
    """{mode: pixels}"""
    found = {}
    if top:
        found[0] = [[p(x, -1) for x in range(n)] for y in range(n)]
    if left:
        found[1] = [[p(-1, y) for x in range(n)] for y in range(n)]
    beside = [p(i, -1) for i in range(n) if top] + [p(-1, i) for i in range(n) if left]
    found[2] = np.full((n, n), (sum(beside) + len(beside) // 2) // len(beside) if beside else 128)
    if n == 16:
        if left and top:
            found[4] = plane(p)
        return found
    if top:
        found[3] = [[three(p(x + y, -1), p(x + y + 1, -1), p(min(x + y + 2, 2 * n - 1), -1))
                     for x in range(n)] for y in range(n)]
        found[7] = [[vertical_left(p, x, y) for x in range(n)] for y in range(n)]
    if left and top:
        found[4] = [[down_right(p, x, y) for x in range(n)] for y in range(n)]
        found[5] = [[steep(p, x, y) for x in range(n)] for y in range(n)]
        found[6] = [[steep(lambda a, b: p(b, a), y, x) for x in range(n)] for y in range(n)]
    if left:
        found[8] = [[up(p, n, x, y) for x in range(n)] for y in range(n)]
    return found


def down_right(p, x, y):
    if x > y:
        return three(p(x - y - 2, -1), p(x - y - 1, -1), p(x - y, -1))
    if x < y:
        return three(p(-1, y - x - 2), p(-1, y - x - 1), p(-1, y - x))
    return three(p(0, -1), p(-1, -1), p(-1, 0))


def steep(p, x, y):
    """Vertical and to the right; with x and y in each other's place it is horizontal and down."""
    z, a = 2 * x - y, x - (y >> 1)
    if z >= 0:
        return (p(a - 1, -1) + p(a, -1) + 1) >> 1 if z % 2 == 0 else three(p(a - 2, -1), p(a - 1, -1), p(a, -1))
    if z == -1:
        return three(p(-1, 0), p(-1, -1), p(0, -1))
    return three(p(-1, y - 2 * x - 1), p(-1, y - 2 * x - 2), p(-1, y - 2 * x - 3))


def vertical_left(p, x, y):
    a = x + (y >> 1)
    return three(p(a, -1), p(a + 1, -1), p(a + 2, -1)) if y & 1 else (p(a, -1) + p(a + 1, -1) + 1) >> 1


def up(p, n, x, y):
    z, a = x + 2 * y, y + (x >> 1)
    if z > 2 * n - 3:
        return p(-1, n - 1)
    if z == 2 * n - 3:
        return three(p(-1, n - 2), p(-1, n - 1), p(-1, n - 1))
    return three(p(-1, a), p(-1, a + 1), p(-1, a + 2)) if z & 1 else (p(-1, a) + p(-1, a + 1) + 1) >> 1


def plane(p):
    across = sum((i + 1) * (p(8 + i, -1) - p(6 - i, -1)) for i in range(8))
    down = sum((i + 1) * (p(-1, 8 + i) - p(-1, 6 - i)) for i in range(8))
    b, c, a = (5 * across + 32) >> 6, (5 * down + 32) >> 6, 16 * (p(-1, 15) + p(15, -1))
    return np.array([[min(max((a + b * (x - 7) + c * (y - 7) + 16) >> 5, 0), 255) for x in range(16)]
                     for y in range(16)])
