# SPDX-License-Identifier: Apache-2.0
"""Rows of memory that work-items go along together, in how many places at a time. An analysis.

`p[k * n + id]` for many k: a vector of work-items takes a piece of a cache line from each place, and the next vector
the next piece. Places that lie a power of two apart have the same few slots in a cache, so with more places than a slot
has lines, each line is fetched again for each piece. Vectors that take whole lines need none of them twice.
"""
from clpy.compiler.analysis.access import Address, accessed_type, is_access, pointer_of

LINE = 64     # bytes of a cache line
WAYS = 8      # lines of a first-level cache that may have the same lowest bits of their addresses


def places(cfg, shapes):
    """Lines, as (address but for what is constant, which line from there), where neighbours touch neighbours."""
    found = set()
    for block in cfg.blocks:
        for inst in block.instructions:
            if is_access(inst) and not accessed_type(inst).is_vector and \
                    shapes[pointer_of(inst)] == accessed_type(inst).size:
                address = Address(pointer_of(inst), probable=True)
                found.add((address.key, address.constant // LINE))
    return found


def of_whole_lines(cfg, shapes, bits):
    """Lanes whose elements of `bits` fill a cache line, where there are so many places that it matters, else 0."""
    return LINE * 8 // bits if not cfg.loops and len(places(cfg, shapes)) > WAYS else 0
