# SPDX-License-Identifier: Apache-2.0
"""The oracle: a kernel written as a Python function of one work-item, run for all of them.

A body that meets barriers is a generator and yields at each. All work-items of a group go from barrier to barrier
together; a body in which they do not is refused, since the specification leaves such a kernel undefined.
"""
import inspect
from itertools import product

import numpy as np


class Item:
    """What the work-item functions of OpenCL C answer. Dimensions beyond the range are 1 wide."""

    def __init__(self, shape, offset, enqueued, group, local):
        self.shape, self.offset, self.enqueued, self.group, self.local = shape, offset, enqueued, group, local

    def global_size(self, d=0):
        return self.shape[d]

    def global_offset(self, d=0):
        return self.offset[d]

    def num_groups(self, d=0):
        return -(-self.shape[d] // self.enqueued[d])

    def group_id(self, d=0):
        return self.group[d]

    def local_id(self, d=0):
        return self.local[d]

    def enqueued_local_size(self, d=0):
        return self.enqueued[d]

    def local_size(self, d=0):
        """Of this group: the last one of a dimension may be smaller."""
        return min(self.enqueued[d], self.shape[d] - self.group[d] * self.enqueued[d])

    def global_id(self, d=0):
        return self.offset[d] + self.group[d] * self.enqueued[d] + self.local[d]

    def global_linear_id(self):
        x, y, z = (self.global_id(d) - self.offset[d] for d in range(3))
        return (z * self.shape[1] + y) * self.shape[0] + x

    def local_linear_id(self):
        return (self.local[2] * self.local_size(1) + self.local[1]) * self.local_size(0) + self.local[0]


def three(sizes, fill):
    return (*sizes, *[fill] * (3 - len(sizes)))


def run_group(body, items, shared, args):
    """One group: from barrier to barrier, all work-items one after the other."""
    if not inspect.isgeneratorfunction(body):
        for item in items:
            body(item, shared, *args)
        return
    running = [body(item, shared, *args) for item in items]
    while running:
        at_barrier = [next(work, StopIteration) is not StopIteration for work in running]
        assert all(at_barrier) or not any(at_barrier), "a barrier that only a part of the group reaches"
        if not at_barrier[0]:
            return


def run(body, args, global_size, local_size, offset=(), shared=lambda: None):
    """Run body(item, shared, *args) for an NDRange; `shared` makes the __local memory of a group."""
    shape, enqueued, start = three(global_size, 1), three(local_size, 1), three(offset, 0)
    groups = [range(-(-n // size)) for n, size in zip(shape, enqueued, strict=True)]
    for z, y, x in product(*reversed(groups)):
        first = Item(shape, start, enqueued, (x, y, z), (0, 0, 0))
        items = [Item(shape, start, enqueued, (x, y, z), (lx, ly, lz))
                 for lz in range(first.local_size(2)) for ly in range(first.local_size(1))
                 for lx in range(first.local_size(0))]
        with np.errstate(over="ignore"):
            run_group(body, items, shared(), args)
