# SPDX-License-Identifier: Apache-2.0
"""Where the slots of a linearized function with very many of them get their first value.

Of a switch with thousands of cases each slot would be alive from the entry on, for which mem2reg takes quadratic time:
the value is stored where the blocks that use the slot meet, in the new control flow.
"""
from clpy.compiler.analysis.graph import laid_out

MANY = 256      # slots, where this is worth its time
FEW = 4         # blocks that use a slot


def store_late(function, builder, old, fresh):
    """`fresh`: number of a block of `old`, the entry (0) or the header of a loop -> (slot, value) of those that each
    iteration finds fresh."""
    cfg = laid_out(function)
    for level, slots in fresh.items():
        top = cfg.number[old.blocks[level]]
        for slot, value in slots:
            users = {cfg.number[user.block] for user in slot.users}
            at = meeting(cfg, users) if 0 < len(users) <= FEW else top
            while at != top and header(cfg, at) != (top if level else None):      # not within a loop inside
                at = cfg.idom[at]
            place = cfg.blocks[at].first_non_phi
            while place.opcode == "alloca":
                place = place.next
            builder.before(place).store(value, slot)


def header(cfg, at):
    """Of the loop around a block, None where there is none."""
    loop = cfg.loop_of[at]
    return None if loop is None else loop.header


def meeting(cfg, blocks):
    """The last block that comes before all of them."""
    meet, *rest = blocks
    for block in rest:
        while meet != block:
            if meet > block:
                meet = cfg.idom[meet]
            else:
                block = cfg.idom[block]
    return meet
