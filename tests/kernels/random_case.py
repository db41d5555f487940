# SPDX-License-Identifier: Apache-2.0
"""A random kernel as a tree of statements, its launch, and the arguments that all random kernels take."""
from dataclasses import dataclass

import numpy as np

from .random_builtins import HEAD_TEXT

SLOTS = 16            # places per work-item in the output buffers
BYTES = 64            # bytes per work-item in the byte buffer
MAX_ITEMS = 256
MAX_GROUP = 64


class Block:
    """Statements in a row."""

    def __init__(self, statements=()):
        self.statements = list(statements)

    def text(self, indent):
        return "".join(s.text(indent) for s in self.statements)


class Statement:
    """Text, expressions and blocks in a row. `fixed`: may be removed, but not replaced by a block of it."""

    def __init__(self, *parts, fixed=False):
        self.parts, self.fixed = list(parts), fixed

    def text(self, indent=1):
        out = "  " * indent
        for p in self.parts:
            if isinstance(p, Block):
                out += "{\n" + p.text(indent + 1) + "  " * indent + "} "
            else:
                out += p if isinstance(p, str) else p.text()
        return out.rstrip() + "\n"


@dataclass
class Launch:
    size: tuple
    group: tuple
    offset: tuple

    @property
    def items(self):
        return int(np.prod(self.size))

    @property
    def even(self):
        """All groups have the same size."""
        return all(n % m == 0 for n, m in zip(self.size, self.group, strict=True))


@dataclass
class Case:
    seed: int
    launch: Launch
    head: str
    functions: list
    declarations: list
    body: Block

    def source(self):
        functions = "".join(f.text(0) for f in self.functions)
        declared = "".join(d.text(1) for d in self.declarations)
        return f"{HEAD_TEXT}{functions}{self.head} {{\n{declared}{self.body.text(1)}}}\n"


CHANGED = 5   # so many arguments are results


def arguments(seed):
    """The arguments of every kernel: arrays for buffers, numpy scalars for values. Buffers that change come first."""
    r, n = np.random.default_rng(seed), MAX_ITEMS
    acc = np.zeros(64, np.uint32)
    acc[24:40] = 0xFFFFFFFF  # places of `and` and `min`
    small = r.integers(-5, 100, 272)
    a = np.where(r.random(272) < 0.7, small, r.integers(-2**31, 2**31, 272)).astype(np.int32)
    b = r.integers(0, 256, 272).astype(np.uint8)
    c = np.where(r.random(272) < 0.5, small & 63, r.integers(0, 2**63, 272)).astype(np.uint64)
    s = np.where(r.random(272) < 0.6, small, r.integers(-2**15, 2**15, 272)).astype(np.int16)
    far = 256 * 16 + 64  # how far vload16 reads
    return [np.full(n * SLOTS, 7, np.uint64), np.full(n * SLOTS, 9, np.uint64), np.zeros(n * BYTES, np.uint8),
            np.arange(n, dtype=np.uint32) * 5, acc, *[np.resize(x, far) for x in (a, b, c, s)],
            np.uint32(r.integers(0, 40)), np.int32(r.integers(-9, 60)), np.uint64(r.integers(0, 2**40)),
            np.uint8(r.integers(0, 20))]


HEAD = ("kernel void k(global ulong *o, global ulong *p, global uchar *q, global uint *own, global uint *acc, "
        "global const int *a, global const uchar *b, global const ulong *c, global const short *s, "
        "uint un0, int un1, ulong un2, uchar un3)")
