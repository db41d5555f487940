# SPDX-License-Identifier: Apache-2.0
"""Names and types of shared code for four words at a time, of each lane (pixel_code.py).

    {x, y, z, w} read(base, index of each lane, mask)    write(base, index of each lane, x, y, z, w, mask)

The mask is a bit for each lane.
"""
import re

READ, WRITE = "pixels.read", "pixels.write"
WORDS = 4
NAME = re.compile(r"(pixels\.(?:read|write))\.(\d+)")


def name_of(what, lanes):
    return f"{what}.{lanes}"


def shape_of(symbol):
    """(READ or WRITE, lanes) of one of these forms, None where it is none."""
    found = NAME.fullmatch(symbol)
    return (found[1], int(found[2])) if found else None


def type_of(types, what, lanes):
    """Its function type."""
    numbers = types.vector(types.float, lanes)
    place = [types.pointer(1), types.vector(types.i32, lanes)]
    if what == READ:
        return types.function(types.array(numbers, WORDS), [*place, types.i32])
    return types.function(types.void, [*place, *[numbers] * WORDS, types.i32])
