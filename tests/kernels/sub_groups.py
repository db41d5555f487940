# SPDX-License-Identifier: Apache-2.0
"""What the functions of sub-groups give, said plainly: for the values of the work-items of one sub-group that take
part, and their numbers in it."""
import functools
import math
import operator
from itertools import product

import numpy as np

INTEGERS = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
            "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
FLOATS = {"float": np.float32, "double": np.float64, "half": np.float16}
NUMBERS = {**INTEGERS, **FLOATS}
ARITHMETIC = {"add": operator.add, "mul": operator.mul, "min": min, "max": max}
BITWISE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
LOGICAL = {"logical_and": lambda a, b: int(bool(a) and bool(b)), "logical_or": lambda a, b: int(bool(a) or bool(b)),
           "logical_xor": lambda a, b: int(bool(a) != bool(b))}
OPERATIONS = {**ARITHMETIC, **BITWISE, **LOGICAL}
# Global and local sizes: no multiples of a sub-group, several dimensions, last groups that are smaller.
SHAPES = [((64,), (16,)), ((70,), (10,)), ((33,), (33,)), ((50,), (16,)), ((3,), (1,)), ((24, 6), (6, 3)),
          ((16, 4, 3), (8, 2, 3)), ((5, 3, 4), (5, 3, 2)), ((32, 4), (16, 2)), ((18, 5), (16, 2))]


def identity(what, dtype):
    """Of an operation on values of a type."""
    least, most = ((-math.inf, math.inf) if dtype().dtype.kind == "f" else
                   (np.iinfo(dtype).min, np.iinfo(dtype).max))
    return {"add": 0, "mul": 1, "min": most, "max": least, "and": ~dtype(0) if dtype().dtype.kind != "f" else 0,
            "logical_and": 1}.get(what, 0)


def reduced(what, values):
    with np.errstate(over="ignore"):
        return functools.reduce(OPERATIONS[what], values) if what not in LOGICAL else \
            functools.reduce(OPERATIONS[what], values, identity(what, np.int32))


def reduce(what, values, ids, size):
    return [reduced(what, values)] * len(values)


def inclusive(what, values, ids, size):
    return [reduced(what, values[:n + 1]) for n in range(len(values))]


def exclusive(what, values, ids, size):
    return [reduced(what, values[:n]) if n else identity(what, type(values[0])) for n in range(len(values))]


def clustered(cluster):
    def of_clusters(what, values, ids, size):
        return [reduced(what, [v for v, other in zip(values, ids, strict=True) if other // cluster == n // cluster])
                for n in ids]
    return of_clusters


def groups(global_size, local_size):
    """For each work-group its work-items in linear order, as linear global ids."""
    shape, local = ((*sizes, 1, 1)[:3] for sizes in (global_size, local_size))
    for z, y, x in product(*(range(0, n, step) for n, step in zip(shape[::-1], local[::-1], strict=True))):
        yield [(k * shape[1] + j) * shape[0] + i
               for k in range(z, min(z + local[2], shape[2])) for j in range(y, min(y + local[1], shape[1]))
               for i in range(x, min(x + local[0], shape[0]))]


def sub_groups(global_size, local_size, size):
    """(linear global ids, number of the sub-group, all work-items of the group) of each sub-group."""
    for items in groups(global_size, local_size):
        for first in range(0, len(items), size):
            yield items[first:first + size], first // size, items


def expected(function, values, chosen, shape, size, dtype):
    """`function(values, numbers, size of the sub-group)` for those of `chosen` in each sub-group; 0 for the others."""
    out = np.zeros(len(values), dtype)
    for items, _, _ in sub_groups(*shape, size):
        taking_part = [(n, item) for n, item in enumerate(items) if chosen[item]]
        if not taking_part:
            continue
        got = function([values[item] for _, item in taking_part], [n for n, _ in taking_part], len(items))
        for (_, item), value in zip(taking_part, got, strict=True):
            out[item] = value
    return out
