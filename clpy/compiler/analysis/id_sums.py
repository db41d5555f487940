# SPDX-License-Identifier: Apache-2.0
"""Indices of 32 bits that are sums of ids, what a group is given, and counters of loops. An analysis.

`int i = get_global_id(1) * width + get_global_id(0)`: nothing in the language keeps the sum to 32 bits, so that its
extension to the width of addresses would not count on from lane to lane, and accesses would gather. But it is, modulo
2^32, what it is with all ids at 0 and all counters at their start, and multiples of these; which ranges they have is
known when a group begins. If nothing in those ranges leaves the 32 bits, the extension is that of the first value and
the multiples as they are (spmd/wide_indices.py). Where lanes are a given number apart (`y * n + k`, y an id) they are
no neighbours, but each goes along a row of its own: if all places are in the lower half of the 32 bits, what the loop
adds does not wrap.
"""
from collections import namedtuple

from clpy.compiler.analysis.access import accessed_type
from clpy.compiler.analysis.counters import bound_behind, bound_of, is_given
from clpy.compiler.analysis.transfer import VARYING, is_id_part
from clpy.compiler.analysis.walks import SIZES

LOW = 0xFFFFFFFF
MOST = 1 << 12        # the largest constant factor of an id or a counter
DEEP = 10
TERMS = 4             # ids and counters in a sum
SUMS = 12             # of a region that are looked at for each group


class Narrow(namedtuple("Narrow", "value before after how")):
    """An instruction that is the extension `how` of the lower half of `value` << `before` (of its upper half where that
    is -32, and the lower one is 0), times 1 << `after`."""
    __slots__ = ()


class Range(namedtuple("Range", "start bound step how add stays")):
    """A counter that goes from `start` to a bit below `bound` + `step` and does not wrap on the way. `add` moves it,
    where it `stays` below the bound: not when the loop is left."""
    __slots__ = ()

    @property
    def starts_low(self):
        """At a constant that a place in a row (IdSum.in_row) leaves room for."""
        return self.start.is_const_int and 0 <= self.start.sext <= MOST

    @property
    def is_seen(self):
        """Its steps are steps of a number with a sign, where its distance from its start is one."""
        return self.stays and (self.starts_low or self.how == "sext")


class IdSum(namedtuple("IdSum", "narrow root constant terms in_row")):
    """A Narrow value as `root` + `constant`, where `root` is what it is with every id at 0 and counters at their start,
    and `terms`, id or counter -> [(constant factor, given factor or None)]. `in_row`: lanes are so far apart as
    something given says, and each goes along a row of its own in a loop."""
    __slots__ = ()

    @property
    def key(self):
        """Sums with the same one differ by their constants and what they are times."""
        return self.root, self.narrow.before, self.narrow.how

    def counters(self):
        """The terms that are counters."""
        return [(leaf, factors) for leaf, factors in self.terms.items() if leaf.opcode]


def scaled(number, before):
    return number << before if before >= 0 else number >> -before


def shifted(value):
    """(x, n) of x << n; (value, 0) of anything else."""
    if value.opcode == "shl" and value.operand(1).is_const_int and value.operand(1).zext < 64:
        return value.operand(0), value.operand(1).zext
    return value, 0


def in_upper_half(value, depth=0):
    """Whether nothing of a value of 64 bits is in its lower half."""
    op = value.opcode
    if op in ("mul", "shl") and value.operand(1).is_const_int:
        number = value.operand(1).zext
        return number >= 32 if op == "shl" else number & LOW == 0
    return op == "add" and depth < DEEP and all(in_upper_half(v, depth + 1) for v in value.operands)


def narrow_of(inst):
    """The Narrow that an instruction is, else None. Extensions of truncations are shifts and masks by now."""
    op = inst.opcode
    if not inst.type.is_int or inst.type.width != 64:
        return None
    if op in ("zext", "sext"):
        how = "sext" if op == "zext" and inst.is_nneg else op
        return Narrow(inst.operand(0), 0, 0, how) if inst.operand(0).type.width == 32 else None
    if op not in ("ashr", "and") or not inst.operand(1).is_const_int:
        return None
    (value, by), number = shifted(inst.operand(0)), inst.operand(1).zext
    if op == "ashr":
        if number == 32 and by >= 32:
            return Narrow(value, by - 32, 0, "sext")
        if by == 32 and number < 32:
            return Narrow(value, 0, 32 - number, "sext")
        upper = number <= 32 and in_upper_half(inst.operand(0))
        return Narrow(inst.operand(0), -32, 32 - number, "sext") if upper else None
    zeros = (number & -number).bit_length() - 1 if number else 64
    more = number.bit_length() - 32
    if zeros > by or not 0 <= more <= by or number != (LOW << more | LOW) & -(1 << zeros):
        return None
    return Narrow(value, by - more, more, "zext")


def moves_on(factors):
    """Whether a sum grows with what has these factors, by as much as is known now."""
    return all(constant > 0 and given is None for constant, given in factors)


def is_place_in_plane(terms):
    """Whether a sum is of global ids in two dimensions: with one taken from it only the first row's groups are odd."""
    ids = [leaf for leaf in terms if leaf.is_argument]
    return len(ids) > 1 and all(
        user.opcode == "add" and all(map(is_id_part, user.operands)) for leaf in ids for user in leaf.users)


def products_fit(terms):
    """Whether the look at a group can be computed in 64 bits: a counter's distance and a given number have 32 each."""
    both = [factor for leaf, factors in terms.items() for factor, given in factors
            if leaf.opcode and given is not None]
    return all(abs(factor) <= MOST for factors in terms.values() for factor, _ in factors) and both in ([], [1], [-1])


class IdSums:
    """Of a function for one lane, in dimension `along`: `of`: instruction -> IdSum, where the instruction would count
    on from lane to lane if it does not wrap."""

    def __init__(self, lane, shapes, along):
        self.lane, self.shapes, self.cfg, self.along = lane, shapes, shapes.cfg, f"lid.{along}"
        self.of, self.ranges, roots = {}, {}, set()
        self.dips = False      # a constant is taken from what the sum that is looked at has as unsigned
        for block in self.cfg.blocks:
            for inst in block.instructions:
                found = self.sum_of(inst) if shapes[inst] == VARYING else None
                if found is not None and (len(roots) < SUMS or found.key in roots):
                    roots.add(found.key)
                    self.of[inst] = found

    def sum_of(self, inst):
        narrow = narrow_of(inst)
        if narrow is None:
            return None
        root, constant = narrow.value, 0
        while root.opcode == "add" and root.operand(1).is_const_int:
            root, constant = root.operand(0), constant + scaled(root.operand(1).sext, narrow.before)
        found, self.dips = {}, narrow.how == "zext" and constant < 0
        if abs(constant) > LOW >> 2 or not self.collect(root, 1, None, narrow.how, found) or \
                (self.dips and not is_place_in_plane(found)):
            return None
        terms = {leaf: [(scaled(factor, narrow.before), given) for factor, given in factors]
                 for leaf, factors in found.items()}
        if len(terms) > TERMS or not products_fit(terms):
            return None
        own = next((factors for leaf, factors in terms.items() if leaf.name == self.along and not leaf.opcode), ())
        in_row = any(given is not None for _, given in own)
        if not sum(c for c, _ in own) or (in_row and not self.goes_along_row(inst, narrow, terms)):
            return None
        return IdSum(narrow, root, constant, terms, in_row)

    def goes_along_row(self, inst, narrow, terms):
        """Whether a lane reads or writes on and on in a loop, which is not seen without a look as the sum may wrap
        (walks.py)."""
        value = narrow.value
        exact = value.opcode in ("add", "sub") and value.type.width == 32 and \
            (value.nsw if narrow.how == "sext" else value.nuw)
        if exact or not any(user.opcode in ("load", "store") and accessed_type(user).size in SIZES
                            for pointer in inst.users for user in pointer.users):
            return False
        return any(leaf.opcode and self.ranges[leaf].is_seen and moves_on(factors) and
                   self.cfg.is_inside(inst, self.cfg.loop_of[self.cfg.number[leaf.block]])
                   for leaf, factors in terms.items())

    def collect(self, value, factor, given, how, terms, depth=0):
        """Add factor * given * value to the terms, but for what is given; False where that is not known. A difference
        that is to be unsigned often is below zero for some lanes, which take no part; one with a constant is noted."""
        if is_given(value):
            return True
        if depth > DEEP:
            return False
        op = value.opcode
        if value.is_argument or op == "phi":
            if not value.is_argument and self.range_of(value) is None:
                return False
            terms.setdefault(value, []).append((factor, given))
            return not (how == "zext" and factor < 0)
        if op in ("add", "sub") or (op == "or" and value.is_disjoint):
            signs = (1, -1 if op == "sub" else 1)
            self.dips |= how == "zext" and value.operand(1).is_const_int and value.operand(1).sext < 0
            return not (op == "sub" and how == "zext") and all(
                self.collect(v, factor * sign, given, how, terms, depth + 1)
                for v, sign in zip(value.operands, signs, strict=True))
        if op == "mul":
            return self.product(*value.operands, factor, given, how, terms, depth)
        if op == "shl" and value.operand(1).is_const_int and value.operand(1).zext < 64:
            return self.collect(value.operand(0), factor << value.operand(1).zext, given, how, terms, depth + 1)
        wide = op == "trunc" or (op in ("zext", "sext") and value.operand(0).type.width >= 32)
        return wide and self.collect(value.operand(0), factor, given, how, terms, depth + 1)

    def product(self, left, right, factor, given, how, terms, depth):
        if is_given(left):
            left, right = right, left
        if right.is_const_int:
            return self.collect(left, factor * right.sext, given, how, terms, depth + 1)
        return given is None and is_given(right) and self.collect(left, factor, right, how, terms, depth + 1)

    def range_of(self, phi):
        """The Range of a loop's counter, else None."""
        if phi not in self.ranges:
            loop = self.cfg.loop_of[self.cfg.number[phi.block]]
            known = loop is not None and self.cfg.number[phi.block] == loop.header and phi.type.is_int
            self.ranges[phi] = self.counted(phi, loop) if known and phi.type.width == 32 else None
        return self.ranges[phi]

    def counted(self, phi, loop):
        if len(phi.incoming) != 2:
            return None
        inside = [self.cfg.number[block] in loop.blocks for _, block in phi.incoming]
        start, add = (phi.incoming[inside.index(into)][0] for into in (False, True))
        if add.opcode != "add" or add.operand(0) != phi or not add.operand(1).is_const_int or not is_given(start):
            return None
        found, stays = bound_of(self.cfg, loop, phi), add.block != phi.block
        if found is None and start.is_const_int and 0 <= start.sext <= MOST:
            found, stays = bound_behind(self.cfg, loop, add), True
        if found is None or not is_given(found[0]):
            return None
        bound, signed = found
        step = add.operand(1).sext
        exact = step == 1 or ((add.nsw if signed else add.nuw) and 0 < step <= MOST)
        return Range(start, bound, step, "sext" if signed else "zext", add, stays) if exact else None
