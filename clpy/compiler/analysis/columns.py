# SPDX-License-Identifier: Apache-2.0
"""Rows of memory that work-items go along together, in how many places at a time. An analysis.

`p[k * n + id]` for many k: a vector of work-items takes a piece of a cache line from each place, and the next vector
the next piece. Places that lie a power of two apart have the same few slots in a cache, so with more places than a slot
has lines, each line is fetched again for each piece. Vectors that take whole lines need none of them twice, and what is
asked for ahead is gone before its turn comes. A processor fetches a line's neighbour with it, which is as well used
at once.
"""
from clpy.compiler.analysis.access import Address, accessed_type, is_access, pointer_of
from clpy.compiler.analysis.memory import CONSTANT, GLOBAL, space_of

LINE = 64     # bytes of a cache line
PAIR = 128    # of two that processors fetch together
WAYS = 8      # lines of a first-level cache that may have the same lowest bits of their addresses


def side_by_side(cfg, shapes):
    """Pointers of the accesses where neighbours touch neighbours. What a group has for itself, in local and context
    memory, is small and stays in a cache."""
    accesses = (inst for block in cfg.blocks for inst in block.instructions_of("load", "store", "call"))
    return [pointer_of(inst) for inst in accesses if is_access(inst) and not accessed_type(inst).is_vector
            and space_of(pointer_of(inst)) in (GLOBAL, CONSTANT)
            and shapes[pointer_of(inst)] == accessed_type(inst).size]


def places(pointers):
    """Their lines, as (address but for what is constant, which line from there)."""
    addresses = (Address(pointer, probable=True) for pointer in pointers)
    return {(address.key, address.constant // LINE) for address in addresses}


def share_slots(cfg, shapes):
    """Whether there are more places than lines that a slot of a cache may have for them."""
    pointers = side_by_side(cfg, shapes)
    return len(pointers) > WAYS and len(places(pointers)) > WAYS


def of_whole_lines(cfg, shapes, bits):
    """Lanes whose elements of `bits` fill a pair of lines, where there are so many places that it matters, else 0."""
    return PAIR * 8 // bits if not cfg.loops and share_slots(cfg, shapes) else 0
