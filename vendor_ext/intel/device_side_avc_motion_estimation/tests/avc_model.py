# SPDX-License-Identifier: Apache-2.0
"""What ../README.md says of the search and of refinement, in numpy: of one macroblock, place by place."""
from dataclasses import dataclass
from itertools import product

import numpy as np
from motion_model import between, pixels

MAJORS = ("16x16", "16x8", "8x16")
MINORS = ("8x8", "8x4", "4x8", "4x4")
SHAPES = (*MAJORS, *MINORS)         # bits of the partition mask
POINTS = (0, 1, 2, 4, 8, 16, 32, 64)
ALL = 0
ONLY = {shape: 0x7F ^ 1 << i for i, shape in enumerate(SHAPES)}

# In which order units of 4 x 4 places are searched, row by row; -1 not at all. As Intel's guide has them.
GRIDS = {
    "spiral": [[47, 30, 31, 32, 33, 34, 35, 36], [46, 29, 12, 13, 14, 15, 16, 37], [45, 28, 11, 2, 3, 4, 17, 38],
               [44, 27, 10, 1, 0, 5, 18, 39], [43, 26, 9, 8, 7, 6, 19, 40], [42, 25, 24, 23, 22, 21, 20, 41]],
    "diamond": [[-1, -1, -1, 27, 15, -1, -1, -1], [-1, -1, 26, 17, 6, 19, -1, -1], [-1, 25, 16, 3, 2, 11, 20, -1],
                [24, 13, 5, 1, 0, 4, 7, 14], [-1, 28, 18, 10, 8, 12, 22, 31], [-1, -1, 29, 21, 9, 23, 30, -1]],
    "dual spiral": [[12, 13, 14, 15], [11, 2, 3, 4], [10, 1, 0, 5], [9, 8, 7, 6]],
    "dual diamond": [[-1, -1, 6, -1], [-1, 3, 2, 9], [5, 1, 0, 4], [-1, 8, 7, -1]],
    "small": [[2, 3, 4], [1, 0, 5], [8, 7, 6]], "tiny": [[0, 1], [3, 2]], "extra tiny": [[0]],
}
# Number of the window -> (order, how many units of it), of one reference and of two.
WINDOWS = ({0: ("spiral", 48), 1: ("small", 9), 2: ("tiny", 4), 3: ("extra tiny", 1), 4: ("diamond", 16),
            5: ("diamond", 32)},
           {0: ("dual spiral", 16), 1: ("small", 9), 2: ("tiny", 4), 3: ("extra tiny", 1), 4: ("dual diamond", 7),
            5: ("dual diamond", 10)})


def u4u4(byte):
    return (byte & 15) << (byte >> 4)


@dataclass
class Settings:
    """What the functions that configure a payload are given."""
    x: int = 0
    y: int = 0
    mask: int = ALL
    haar: int = 0                   # 2: yes
    ac_only: int = 0
    window: int = 0
    dual: int = 0
    offsets: tuple = ((0, 0), (0, 0))
    table: int = 0                  # 8 bytes
    precision: int = 0
    has_costs: int = 0
    centers: tuple = (((0, 0),) * 4, ((0, 0),) * 4)     # forward, backward; of 8 x 8 blocks
    shape_penalty: int = 0
    direction_penalty: int = 0
    reference_penalty: int = 0
    most: int = 32
    no_mix: int = 0
    threshold: int = -1
    weights: int = -1
    ids: tuple = (0, 0)
    streams: list = None            # of an earlier search: [{(shape, number): (cost, vector, id)}] by direction
    # refinement
    resolution: int = 0
    weight: int = 32
    bilinear: int = 0
    pairs: int = 0
    fields: int = 0                 # bits: the source is a field, of this polarity; references, forward, backward


def haar(d, ac_only):
    quads = d.reshape(2, 2, 2, 2).swapaxes(1, 2)
    a, b, c, e = quads[..., 0, 0], quads[..., 0, 1], quads[..., 1, 0], quads[..., 1, 1]
    details = sum(abs(t).sum() for t in (a + b - c - e, a - b + c - e, a - b - c + e))
    (a, b), (c, e) = a + b + c + e
    coarse = sum(map(abs, (a + b - c - e, a - b + c - e, a - b - c + e))) + (0 if ac_only else abs(a + b + c + e))
    return (2 * details + coarse + 2) >> 2


def parts(a, b, s):
    """Distortions of each 4 x 4, as an array."""
    d = a.astype(int) - b
    blocks = d.reshape(d.shape[0] // 4, 4, d.shape[1] // 4, 4).swapaxes(1, 2)
    if not s.haar and not s.ac_only:
        return abs(blocks).sum((2, 3))
    return np.array([[haar(block, s.ac_only) for block in row] for row in blocks])


def blocks_of(shape, quarter=0):
    """(x, y, width, height) in units of 4 pixels of a shape's blocks."""
    whole = {"16x16": [(0, 0, 4, 4)], "16x8": [(0, 0, 4, 2), (0, 2, 4, 2)], "8x16": [(0, 0, 2, 4), (2, 0, 2, 4)]}
    if shape in whole:
        return whole[shape]
    x, y = quarter % 2 * 2, quarter // 2 * 2
    return [(x + i, y + j, w, h) for w, h in [(int(shape[0]) // 4, int(shape[2]) // 4)]
            for j in range(0, 2, h) for i in range(0, 2, w)]


def quarter_of(block):
    return block[1] // 2 * 2 + block[0] // 2


def distance_cost(s, distance):
    """`distance` in quarters of a pixel."""
    at, unit = [u4u4(s.table >> 8 * i & 255) for i in range(8)], 1 << s.precision
    if distance > 64 * unit:
        return min(at[7] + distance // unit - 64, 255)
    k = max(i for i, point in enumerate(POINTS) if point * unit <= distance)
    if k == 7:
        return at[7]
    rise = (at[k + 1] - at[k]) * (distance - POINTS[k] * unit)
    return at[k] + abs(rise) // ((POINTS[k + 1] - POINTS[k]) * unit) * (1 if rise >= 0 else -1)


def vector_cost(s, direction, quarter, vector):
    if not s.has_costs:
        return 0
    return sum(distance_cost(s, abs(v - c)) for v, c in zip(vector, s.centers[direction][quarter], strict=True))


def reference_cost(s, identifier):
    return u4u4(s.reference_penalty) * (0 if identifier == 0 else 1 if identifier < 3 else 2 if identifier < 7 else 3)


def shape_cost(s, shape):
    byte = {"16x16": 4, "16x8": 0, "8x16": 0, "8x8": 1, "8x4": 2, "4x8": 2, "4x4": 3}[shape]
    return u4u4(s.shape_penalty >> 8 * byte & 255)


# ---- the search

class Window:
    """Of one direction: `best(block)` are the cost, the vector and the borders that it is at."""

    def __init__(self, s, source, reference, direction):
        self.s, self.direction, self.is_early = s, direction, False
        name, count = WINDOWS[s.dual][s.window]
        grid = np.array(GRIDS[name])
        self.rows, self.columns = grid.shape
        self.first = [o - 2 * n for o, n in zip(s.offsets[direction], (self.columns, self.rows), strict=True)]
        self.whole = pixels(source, s.x, s.y, 16, 16)
        self.reference, self.known = reference, {}
        self.order = []
        for n in range(count):
            y, x = np.argwhere(grid == n)[0]
            self.order.append((x, y))
            if s.threshold >= 0 and not s.dual and self.best((0, 0, 4, 4))[0] < u4u4(s.threshold):
                self.is_early = True
                return
        if "diamond" in name:
            self.follow()

    def follow(self):
        """Then the neighbours of the best unit."""
        more = True
        while more:
            vector = self.best((0, 0, 4, 4))[1]
            x, y = ((v // 4 - f) // 4 for v, f in zip(vector, self.first, strict=True))
            around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            more = [(i, j) for i, j in around
                    if 0 <= i < self.columns and 0 <= j < self.rows and (i, j) not in self.order]
            self.order += more

    def parts(self, place):
        if place not in self.known:
            s = self.s
            there = pixels(self.reference, s.x + self.first[0] + place[0], s.y + self.first[1] + place[1], 16, 16)
            found = parts(self.whole, there, s)
            if s.weights >= 0:
                for i, j in product(range(4), range(4)):
                    z = (j & 1) | (i & 1) << 1 | (j & 2) << 1 | (i & 2) << 2
                    found[i, j] >>= s.weights >> 2 * z & 3
            self.known[place] = found
        return self.known[place]

    def best(self, block):
        x, y, w, h = block
        least = None
        for ux, uy in self.order:
            for j, i in product(range(4), range(4)):
                place = (4 * ux + i, 4 * uy + j)
                vector = tuple(4 * (f + p) for f, p in zip(self.first, place, strict=True))
                cost = min(int(self.parts(place)[y:y + h, x:x + w].sum())
                           + vector_cost(self.s, self.direction, quarter_of(block), vector), 65535)
                if least is None or cost < least[0]:
                    least = cost, vector, self.borders(place)
        return least

    def borders(self, place):
        x, y = place
        return ((x == 0) | (x == 4 * self.columns - 1) << 1 | (y == 0) << 2 | (y == 4 * self.rows - 1) << 3)


def records(s, source, references):
    """({(shape, quarter, number): [(cost, vector, id, borders) by direction]}, whether it ended early). Of major shapes
    and 8 x 8 with what their reference costs."""
    found, early = {}, False
    for direction in range(1 + s.dual):
        window = Window(s, source, references[direction], direction)
        early |= window.is_early
        for shape in SHAPES:
            for quarter in range(4) if shape in MINORS else (0,):
                for n, block in enumerate(blocks_of(shape, quarter)):
                    cost, vector, borders = window.best(block)
                    if shape in MAJORS or shape == "8x8":
                        cost = min(cost + reference_cost(s, s.ids[direction]), 65535)
                    record = (cost, vector, s.ids[direction], borders)
                    before = s.streams and s.streams[direction].get((shape, quarter, n))
                    if before and before[0] <= cost:
                        record = (*before, 0)
                    found.setdefault((shape, quarter, n), []).append(record)
    return found, early


def streams(found, dual):
    return [{key: record[d][:3] for key, record in found.items() if key[0] in (*MAJORS, "8x8")}
            for d in range(1 + dual)]


def options(s, found, directions):
    """All ways to divide the macroblock: (cost, vectors, [(shape, quarter, [numbers], direction, cost)])."""
    def on(shape):
        return not s.mask >> SHAPES.index(shape) & 1

    def part(shape, quarter, numbers):
        """The better direction."""
        def cost(d):
            blocks = sum(found[shape, quarter, n][d][0] for n in numbers)
            beside = shape_cost(s, shape) if shape in MINORS else 0
            beside += reference_cost(s, s.ids[d]) if shape in MINORS[1:] else 0
            return blocks + beside + (u4u4(s.direction_penalty) if d else 0)
        d = min(directions, key=lambda d: (cost(d), d))
        return shape, quarter, numbers, d, cost(d)

    for shape in MAJORS:
        if on(shape):
            chosen = [part(shape, 0, [n]) for n in range(len(blocks_of(shape)))]
            yield sum(p[4] for p in chosen) + shape_cost(s, shape), len(chosen), chosen
    ways = [[part(shape, q, list(range(len(blocks_of(shape, q))))) for shape in MINORS if on(shape)] for q in range(4)]
    for chosen in product(*ways):
        yield sum(p[4] for p in chosen), sum(len(p[2]) for p in chosen), list(chosen)


def least_of(s, found, most):
    ways = [[0], [1]] if s.dual and s.no_mix else [[0, 1]] if s.dual else [[0]]
    costs = [option for directions in ways for option in options(s, found, directions) if option[1] <= most]
    return min(costs, key=lambda option: option[0])


def search(s, source, references):
    """What the getters say, by name; lists are of the 16 work-items."""
    found, early = records(s, source, references)
    best, chosen = least_of(s, found, 32), least_of(s, found, s.most)
    cost, count, ways = chosen
    out = {"best": min(cost, 65535), "count": count, "truncated": int(cost > best[0]), "early": int(early),
           "vectors": [None] * 16, "distortions": [None] * 16, "minor": 0, "directions": 0, "border": 0,
           "major": SHAPES.index(ways[0][0]) if ways[0][0] in MAJORS else 3,
           "ids": [[None] * 4 for _ in range(2)], "streams": streams(found, s.dual)}
    for i, (shape, quarter, numbers, d, part_cost) in enumerate(ways):
        size = 16 // len(ways)
        out["directions"] |= d << 2 * i
        out["minor"] |= MINORS.index(shape) << 2 * i if shape in MINORS else 0
        beside = part_cost - sum(found[shape, quarter, n][d][0] for n in numbers)
        beside += shape_cost(s, shape) if shape in MAJORS and i == 0 else 0
        for j, n in enumerate(numbers):
            record, each = found[shape, quarter, n], size // len(numbers)
            lanes = range(i * size + j * each, i * size + (j + 1) * each)
            for lane in lanes:
                out["vectors"][lane] = [r[1] for r in record]
                out["distortions"][lane] = min(record[d][0] + (0 if j else beside), 65535)
            out["border"] |= record[d][3] << 4 * d
            for block in range(4) if shape == "16x16" else {quarter_of(b) + e for b in [blocks_of(shape, quarter)[n]]
                                                            for e in {"16x8": (0, 1), "8x16": (0, 2)}.get(shape, (0,))}:
                for e, r in enumerate(record):
                    out["ids"][e][block] = r[2]
    return out


# ---- refinement

def four_taps(rows, fraction):
    """Along the last axis: the pixel before, the one at the place, two behind it."""
    taps = {0: (0, 16, 0, 0), 1: (-1, 13, 5, -1), 2: (-2, 10, 10, -2), 3: (-1, 5, 13, -1)}[fraction]
    n = rows.shape[-1] - 3
    return np.clip((sum(t * rows[..., i:i + n] for i, t in enumerate(taps)) + 8) >> 4, 0, 255)


def predicted(s, reference, x, y, width, height):
    """At quarters of a pixel."""
    if s.bilinear:
        side = max(width, height)
        return between(reference, x, y, side)[:height, :width]
    near = pixels(reference, (x >> 2) - 1, (y >> 2) - 1, width + 3, height + 3)
    return four_taps(four_taps(near, x & 3).T, y & 3).T


def from_block(s, source, references, block, direction, vectors):
    """(pixels of the source, what they are predicted to be), direction 2: of both."""
    x, y, w, h = (4 * v for v in block)
    made = [predicted(s, references[d], 4 * (s.x + x) + vectors[d][0], 4 * (s.y + y) + vectors[d][1], w, h)
            for d in (0, 1) if direction in (d, 2)]
    if direction == 2:
        made = [((64 - s.weight) * made[0] + s.weight * made[1] + 32) >> 6]
    return pixels(source, s.x + x, s.y + y, w, h), made[0]


def block_cost(s, source, references, block, direction, vectors):
    costs = sum(vector_cost(s, d, quarter_of(block), vectors[d]) for d in (0, 1) if direction in (d, 2))
    return int(parts(*from_block(s, source, references, block, direction, vectors), s).sum()) + costs


def refined(s, source, references, block, direction, vectors):
    """`vectors` with that of the direction moved."""
    vectors = list(vectors)
    for step in {0: (), 1: (2,), 3: (2, 1)}[s.resolution]:
        center, least = vectors[direction], block_cost(s, source, references, block, direction, vectors)
        for dy, dx in product((-step, 0, step), repeat=2):
            tried = list(vectors)
            tried[direction] = (center[0] + dx, center[1] + dy)
            cost = block_cost(s, source, references, block, direction, tried)
            if cost < least:
                least, vectors = cost, tried
    return vectors


def image_cost(s, direction):
    return (u4u4(s.direction_penalty) if direction else 0) + sum(
        reference_cost(s, s.ids[d]) for d in (0, 1) if direction in (d, 2))


def refine(s, source, references, shapes, directions, vectors):
    """`shapes`: one major shape, or four minor ones; `vectors` of work-items: [forward, backward]."""
    size, out, ways = 16 // len(directions), {"vectors": [None] * 16, "distortions": [None] * 16}, []
    for i, direction in enumerate(directions):
        blocks = [blocks_of(shapes[0])[i]] if len(shapes) == 1 else blocks_of(shapes[i], i)
        each = size // len(blocks)
        shape = shapes[0] if len(shapes) == 1 else shapes[i]
        beside = shape_cost(s, shape) if shape in MINORS or i == 0 else 0
        own = []
        for n, block in enumerate(blocks):
            now = vectors[i * size + n * each]
            for d in (0, 1):
                if s.pairs or direction in (d, 2):
                    now = refined(s, source, references, block, d, now)
            own.append(now)

        def costs(direction, blocks=blocks, own=own, beside=beside):
            made = [block_cost(s, source, references, b, direction, v) for b, v in zip(blocks, own, strict=True)]
            return [made[0] + beside + image_cost(s, direction), *made[1:]]
        ways.append((own, direction, costs(direction), costs(2) if s.pairs else None))
    gain = sum(sum(way[2]) - sum(way[3]) for way in ways if s.pairs)
    out |= {"best": 0, "count": 0, "directions": 0}
    for i, (own, direction, one, both) in enumerate(ways):
        is_pair = s.pairs and (gain > 0 if s.no_mix else sum(both) < sum(one))
        direction, chosen = (2, both) if is_pair else (direction, one)
        out["directions"] |= direction << 2 * i
        out["count"] += len(own) * (2 if direction == 2 else 1)
        out["best"] += sum(chosen)
        each = size // len(own)
        for lane in range(size):
            out["vectors"][i * size + lane] = own[lane // each]
            out["distortions"][i * size + lane] = chosen[lane // each]
    return out
