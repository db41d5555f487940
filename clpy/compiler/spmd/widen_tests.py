# SPDX-License-Identifier: Apache-2.0
"""Whether any lane, and whether all of them, meet a condition. A part of widening (widen.py).

Most guards are bounds of ids: `if (i < n)`. Along such a vector `i` goes up by as much from lane to lane, so that one
of its ends meets the bound last and the other first: both questions are one comparison of numbers, and the mask itself
is wanted only by vectors across the bound. Else the mask is asked.
"""
from clpy.compiler.analysis.transfer import is_id, no_wrap
from clpy.compiler.spmd.lanes import Part

OTHER_WAY = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}     # with the operands exchanged
BELOW = tuple(OTHER_WAY.values())


def below(test):
    """(low, high, predicate) of a comparison of integers, with what has to be smaller first where one has."""
    (low, high), predicate = test.operands, test.predicate
    return (high, low, OTHER_WAY[predicate]) if predicate in OTHER_WAY else (low, high, predicate)


class Tests(Part):
    """`extended`: Elements.extended."""

    def __init__(self, forms, extended):
        super().__init__(forms)
        self.extended = extended

    def any_lane(self, test):
        met = self.met(test, False)
        return self.forms.reduce_or(self.forms.lanes[test].parts[0]) if met is None else met

    def any_outside(self, test):
        """Whether a lane fails the test, or its number wraps on the way to it, which full_loops.py allows for."""
        met = self.met(test, True)
        if met is None:
            met = self.by_the_last_lane(test)
        if met is not None:
            return self.negated(met)
        fails = self.b.binop("xor", self.forms.part(test), self.forms.all_lanes())
        return self.forms.reduce_or(fails)

    # --- without a mask

    def met(self, test, every):
        """Whether every lane meets the test, or any does, as a number; None where only its mask can tell."""
        if test not in self.forms.lanes:
            return self.forms.scalar(test)
        op = test.opcode
        if op == "icmp" and test.operand(0).type.is_int:
            return self.by_an_end(test, every)
        if op == "xor" and test.operand(1).is_const_int:
            met = self.met(test.operand(0), not every)
            return None if met is None else self.negated(met)
        both = self.sides(test)
        if both is None:
            return None
        how, a, b = both
        if (how == "and") != every and a in self.forms.lanes and b in self.forms.lanes:
            return None       # one lane may meet the one, another the other
        a, b = self.met(a, every), self.met(b, every)
        return None if a is None or b is None else self.b.binop(how, a, b)

    def sides(self, test):
        """A conjunction or disjunction, as Clang and the masks of branches write it."""
        if test.opcode in ("and", "or") and test.type.is_int:
            return (test.opcode, *test.operands)
        if test.opcode == "select" and test.type.is_int:
            condition, a, b = test.operands
            if b.is_const_int and not b.zext:
                return "and", condition, a
            if a.is_const_int and a.zext:
                return "or", condition, b
        return None

    def by_an_end(self, test, every):
        """A number that goes up or down from lane to lane and wraps for none is compared where the vector begins or
        ends."""
        low, high, predicate = below(test)
        number, bound = (high, low) if self.shapes[low] == 0 else (low, high)
        stride = self.shapes[number]
        if predicate not in BELOW or self.shapes[bound] != 0 or not isinstance(stride, int):
            return None
        signed = predicate.startswith("s")
        if number.type.width > 64 or not (no_wrap(self.shapes, number, signed) or is_id(self.shapes, number)):
            return None
        end, limit = self.in_64_bits(number, bound, "sext" if signed else "zext")
        if ((stride > 0) == (number == low)) == every:      # the last lane's is the larger, and the larger one fails
            end = self.b.add(end, self.t.i64.const((self.width - 1) * stride))
        return self.b.icmp(predicate, *((end, limit) if number == low else (limit, end)))

    def in_64_bits(self, number, bound, how):
        """The first lane's number, and the bound."""
        if number.type.width == 64:
            return self.forms.scalar(number), self.forms.scalar(bound)
        return self.extended(number, how, self.t.i64), self.b.cast(how, self.forms.scalar(bound), self.t.i64)

    def by_the_last_lane(self, test):
        """Where a number goes up by as much from lane to lane and has to stay below one that is the same for all, the
        last lane has the largest. It is compared in twice the bits: where a lane's number wrapped, it is taken to
        fail."""
        if test.opcode != "icmp" or not test.operand(0).type.is_int:
            return None
        low, high, predicate = below(test)
        stride = self.shapes[low]
        if predicate not in BELOW or not isinstance(stride, int) or stride <= 0 or self.shapes[high] != 0:
            return None
        wide, how = self.t.int(2 * low.type.width), "sext" if predicate.startswith("s") else "zext"
        first, bound = (self.b.cast(how, self.forms.scalar(value), wide) for value in (low, high))
        return self.b.icmp(predicate, self.b.add(first, wide.const((self.width - 1) * stride)), bound)

    def negated(self, met):
        return self.b.binop("xor", met, self.t.i1.const(1))
