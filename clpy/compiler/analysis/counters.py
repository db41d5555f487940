# SPDX-License-Identifier: Apache-2.0
"""Loop counters of fewer than 64 bits that cannot wrap, if a bound and a step are not too large. An analysis.

`for (uint i = get_global_id(0); i < n; i += get_global_size(0))`: nothing in the language keeps `i` from wrapping, so
that its extension to the width of addresses would not count on from lane to lane, and accesses would gather. A counter
that goes up by a step which all work-items share, as long as it is below a bound which they share, does not wrap as
long as the sum of both fits. That is looked at once for a group, before its vectors run (spmd/vector_loop.py).
"""
from collections import namedtuple

from clpy.compiler import frame as fr
from clpy.compiler.analysis.graph import laid_out

STAYS_BELOW = {"ult": False, "slt": True}          # predicate -> of signed numbers
OTHER_WAY = {"ugt": "ult", "sgt": "slt"}           # with the operands exchanged
INVERSE = {"uge": "ult", "sge": "slt", "ule": "ugt", "sle": "sgt"}
DEEP = 8
COMPUTED = ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "zext", "sext", "trunc", "select", "icmp",
            "freeze")


class Counter(namedtuple("Counter", "add bound step signed")):
    """`add` cannot wrap, as a number that is `signed` or not, if bound + step + what lanes are apart fits."""
    __slots__ = ()


def counters_of(function):
    """Those whose bound and step are known before the function is called."""
    cfg = laid_out(function)
    if not all(cfg.dominates(s, b) for b, succs in enumerate(cfg.succs) for s in succs if s <= b):
        return []                # irreducible
    return [counter for loop in cfg.loops for phi in cfg.blocks[loop.header].phis
            if (counter := counter_of(cfg, loop, phi)) is not None]


def counter_of(cfg, loop, phi):
    """The Counter of a phi that the first block of a loop tests, else None."""
    if not phi.type.is_int or phi.type.width != 32 or len(phi.incoming) != 2:
        return None
    inside = [cfg.number[block] in loop.blocks for _, block in phi.incoming]
    if inside[0] == inside[1]:
        return None
    start, add = (phi.incoming[inside.index(into)][0] for into in (False, True))
    if is_given(start) or add.opcode != "add" or phi not in add.operands:
        return None
    step = next((v for v in add.operands if v != phi), None)
    found = bound_of(cfg, loop, phi)
    if step is None or found is None or not (is_given(step) and is_given(found[0])):
        return None
    if (add.nsw if found[1] else add.nuw) or (step.is_const_int and step.sext <= 0):
        return None              # that is known, or will not be so
    return Counter(add, found[0], step, found[1])


def bound_of(cfg, loop, phi):
    """(bound, signed): the loop goes on only while the phi is below it."""
    return bound_at(cfg, loop, loop.header, phi)


def bound_behind(cfg, loop, add):
    """The same of a loop with its test at its end, which is entered without one for all that is known; `add`: what the
    counter is next."""
    return bound_at(cfg, loop, loop.latches[0], add) if len(loop.latches) == 1 else None


def bound_at(cfg, loop, number, value):
    """(bound, signed): the loop goes on from that block only while the value is below it; else None."""
    end = cfg.blocks[number].terminator
    if end.opcode != "br" or not end.is_conditional or end.operand(0).opcode != "icmp":
        return None
    inside = [cfg.number[s] in loop.blocks for s in cfg.blocks[number].successors]
    if sum(inside) != 1:
        return None
    test = end.operand(0)
    (left, right), predicate = test.operands, test.predicate
    if not inside[0]:
        predicate = INVERSE.get(predicate)
    if predicate in OTHER_WAY:
        left, right, predicate = right, left, OTHER_WAY[predicate]
    return (right, STAYS_BELOW[predicate]) if left == value and predicate in STAYS_BELOW else None


def is_launch(pointer):
    """A place in the record of the launch."""
    if pointer.opcode == "getelementptr" and pointer.operand(1).is_const_int:
        pointer = pointer.operand(0)
    return pointer.is_argument and pointer.name == "launch"


def is_given(value, depth=0):
    """It is computed from what a whole group is given, and by what may be computed at any time."""
    if value.is_const_int:
        return True
    if value.is_argument:
        return value.name not in fr.LOCAL_IDS
    op = value.opcode
    if op == "load":
        return value.metadata("invariant.load") is not None and is_launch(value.operand(0))
    return op in COMPUTED and depth < DEEP and all(is_given(v, depth + 1) for v in value.operands)
