# SPDX-License-Identifier: Apache-2.0
"""What ../README.md says of skip checks and of prediction inside the image, in numpy: of one macroblock."""
import numpy as np
from avc_model import block_cost, blocks_of, from_block, image_cost, parts, shape_cost, u4u4
from intra_model import predictions, smoother, zigzag
from motion_model import pixels

LEFT, TOP, RIGHT, CORNER = 0x60, 0x10, 0x08, 0x04
MATRIX = np.array([[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]])


# ---- skip checks

def skip(s, source, references, used, vectors, raw_blocks=0, thresholds=None):
    """`used`: of one block or four, 1 forward, 2 backward, 3 both, 0 not checked."""
    shape, raw, out = "16x16" if len(used) == 1 else "8x8", [], {"distortions": [], "counts": [0] * 4, "sums": [0] * 4}
    whole = np.zeros((16, 16), int)
    for n, bits in enumerate(used):
        cost, direction, block = 0, bits - 1, blocks_of(shape, n)[0]
        if bits:
            mine, made = from_block(s, source, references, block, direction, vectors[n])
            raw.append(parts(mine, made, s))
            cost = block_cost(s, source, references, block, direction, vectors[n]) + shape_cost(s, shape)
            cost += image_cost(s, direction)
            x, y = 4 * block[0], 4 * block[1]
            whole[y:y + mine.shape[0], x:x + mine.shape[1]] = mine - made
        out["distortions"] += [cost] * (16 // len(used))
    eights = [r.reshape(r.shape[0] // 2, 2, r.shape[1] // 2, 2).sum((1, 3)).max() for r in raw]
    out["raw"] = {0: sum(r.sum() for r in raw), 1: max(r.max() for r in raw), 2: max(eights)}[raw_blocks]
    if thresholds:
        for n, bits in enumerate(used if len(used) == 4 else used * 4):
            if bits:
                out["counts"][n], out["sums"][n] = above(whole[n // 2 * 8:][:8, n % 2 * 8:][:, :8], thresholds)
    return out


def above(d, thresholds):
    """(count, sum) of what coefficients of each 4 x 4 exceed thresholds by: those of DC and of six frequencies."""
    count = total = 0
    for y in (0, 4):
        for x in (0, 4):
            found = abs(MATRIX @ d[y:y + 4, x:x + 4] @ MATRIX.T)
            over = [found[i, j] - thresholds[i + j] for i in range(4) for j in range(4)]
            count += sum(v > 0 for v in over)
            total += sum(max(v, 0) for v in over)
    return count, min(int(total), 65535)


# ---- prediction

class Around:
    """The pixels of the macroblock at (x, y) and beside it, those beside being given."""

    def __init__(self, source, x, y, given):
        self.field = np.zeros((17, 25), int)
        self.field[0] = [given["corner"], *given["top"], *given["right"]]
        self.field[1:, 0] = given["left"]
        self.field[1:, 1:17] = pixels(source, x, y, 16, 16)

    def block(self, x, y, n):
        return self.field[y + 1:y + 1 + n, x + 1:x + 1 + n]

    def neighbour(self, x, y, n, has_right):
        """p of a block at (x, y) of the macroblock."""
        def p(px, py):
            if py == -1 and px >= n and not has_right:
                px = n - 1
            return int(self.field[y + 1 + py, x + 1 + px])
        return p


def there(own, n, x, y):
    """(left, top, right, corner) of a block; blocks that come later are not."""
    column, row, last = x // n, y // n, 16 // n - 1
    left, top = x > 0 or bool(own & LEFT), y > 0 or bool(own & TOP)
    if row == 0:
        right = bool(own & (RIGHT if column == last else TOP))
    else:
        right = column < last and zigzag(column + 1, row - 1) < zigzag(column, row)
    corner = (x > 0 or own & LEFT) and (y > 0 or own & TOP) if x and y else own & (TOP if x else LEFT if y else CORNER)
    return left, top, right, bool(corner)


def expected(s, modes, n, x, y):
    """By the modes to the left and above; DC where one is not there."""
    column, row, step = x // n, y // n, n // 4
    if (column == 0 and not s["neighbours"] & LEFT) or (row == 0 and not s["neighbours"] & TOP):
        return 2
    left = modes[column - 1, row] if column else s["neighbour_modes"] >> 4 * row * step & 15
    above_it = modes[column, row - 1] if row else s["neighbour_modes"] >> (16 + 4 * column * step) & 15
    return min(left, above_it)


def luma(s, around, settings):
    """(shape, distortion, packed modes)"""
    found = []
    for shape, n in enumerate((16, 8, 4)):
        total, modes, word = u4u4(s["shape_penalty"] >> 8 * (shape + 1) & 255), {}, 0
        order = sorted(((x, y) for y in range(0, 16, n) for x in range(0, 16, n)),
                       key=lambda at, n=n: zigzag(at[0] // n, at[1] // n))
        for i, (x, y) in enumerate(order):
            left, top, right, corner = there(s["neighbours"], n, x, y)
            p = around.neighbour(x, y, n, right)
            made = predictions(smoother(p, left, top, corner) if n == 8 else p, n, left, top)
            costs = []
            for mode, pixels_of in made.items():
                if mode in (4, 5, 6) and not corner:
                    continue
                cost = int(parts(around.block(x, y, n), np.array(pixels_of), settings).sum())
                cost += (s["non_dc"] >> 8 * shape & 255) if mode != 2 else 0
                if s["has_modes"] and n < 16 and mode != expected(s, modes, n, x, y):
                    cost += u4u4(s["mode_penalty"])
                costs.append((cost, mode))
            least, mode = min(costs)
            modes[x // n, y // n] = mode
            total += least
            word |= mode << (16 if n == 8 else 4) * i
        if not s["mask"] >> shape & 1:
            found.append((total, shape, word))
    total, shape, word = min(found, key=lambda f: f[:2])
    return shape, min(total, 65535), word


def chroma_dc(p, left, top, x, y):
    above_it, beside = sum(p(x + i, -1) for i in range(4)), sum(p(-1, y + i) for i in range(4))
    if left and top and (x == y):
        return (above_it + beside + 4) >> 3
    if left and top:
        return ((above_it if x > y else beside) + 2) >> 2
    return (above_it + 2) >> 2 if top else (beside + 2) >> 2 if left else 128


def chroma_modes(p, own):
    left, top = own & LEFT, own & TOP
    made = {0: [[chroma_dc(p, left, top, x & 4, y & 4) for x in range(8)] for y in range(8)]}
    if left:
        made[1] = [[p(-1, y)] * 8 for y in range(8)]
    if top:
        made[2] = [[p(x, -1) for x in range(8)] for y in range(8)]
    if left and top and own & CORNER:
        across = sum((i + 1) * (p(4 + i, -1) - p(2 - i, -1)) for i in range(4))
        down = sum((i + 1) * (p(-1, 4 + i) - p(-1, 2 - i)) for i in range(4))
        b, c, a = (34 * across + 32) >> 6, (34 * down + 32) >> 6, 16 * (p(-1, 7) + p(7, -1))
        made[3] = [[min(max((a + b * (x - 3) + c * (y - 3) + 16) >> 5, 0), 255) for x in range(8)] for y in range(8)]
    return made


def chroma(s, planes, x, y, given, settings):
    """(mode, distortion); `planes` are U and V, `given` of each (left, corner, top)."""
    total = {}
    for plane, (left, corner, top) in zip(planes, given, strict=True):
        def p(px, py, left=left, corner=corner, top=top):
            return int(corner if px == py == -1 else top[px] if py == -1 else left[py])
        block = pixels(plane, x // 2, y // 2, 8, 8)
        for mode, made in chroma_modes(p, s["neighbours"]).items():
            total[mode] = total.get(mode, 0) + int(parts(block, np.array(made), settings).sum())
    return min((cost + u4u4(s["chroma_penalty"]) * (0, 1, 1, 2)[mode], mode) for mode, cost in total.items())[::-1]
