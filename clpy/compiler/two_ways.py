# SPDX-License-Identifier: Apache-2.0
"""An instruction of a block that is only done where something does not hold, and what is done instead where it does."""


def part(b, inst, holds, names):
    """(the block with `inst` alone, the other one, the one behind both). The builder `b` is left at the end of the
    other one, from where it has to branch to that behind both. `holds` makes the question in front; `names`: of the
    blocks in front, with `inst`, and the other."""
    before, own, other = names
    head = inst.block.split_before(inst, before)
    here = inst.block
    usual = here.split_before(inst.next, own)
    instead = inst.function.append_block(other)
    b.before(head.terminator)
    b.cond_br(holds(), instead, usual)
    head.terminator.erase()
    b.at_end(instead)
    return usual, instead, here


def bits_of(b, types, mask):
    """A mask as a number, lane by lane."""
    return b.cast("bitcast", mask, types.int(mask.type.count))


def are_all(b, bits):
    """Whether all lanes are in a mask, given as a number."""
    return b.icmp("eq", bits, bits.type.const(-1))
