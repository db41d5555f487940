# SPDX-License-Identifier: Apache-2.0
"""Indices of 32 bits as the sums of 64 bits that they are where nothing wraps, and the look whether anything does.

analysis/id_sums.py says which these are. A lane's function computes them wide; the loop over a group (vector_loop.py)
asks the function `.wraps` once per group, and where something might wrap the work-items run one by one, in the region
as it was.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.id_sums import LOW, MOST, IdSums, moves_on
from clpy.llvm.ir import Builder, Types

HALF = 1 << 31
FAR = 1 << 40         # no place for it in 32 bits


class Start:
    """Values as a group begins: with every id at 0, if not `of_lane`, and counters at their start. `known`: what stands
    for values."""

    def __init__(self, module, b, sums, known, of_lane=False):
        self.b, self.t, self.sums, self.known = b, Types(module), sums, known
        ids = [p for p in sums.lane.params if p.name in fr.LOCAL_IDS and not of_lane]
        self.known |= dict.fromkeys(ids, self.t.i64.const(0))
        for phi, found in sums.ranges.items():
            if found is not None:
                self.known[phi] = self.again(found.start)

    def again(self, value):
        """The value, computed once more here, without a promise that it does not wrap."""
        if value not in self.known and value.opcode:
            self.known[value] = self.made(value, [self.again(v) for v in value.operands])
        return self.known.get(value, value)

    def made(self, value, operands):
        b, op = self.b, value.opcode
        if op in ("load", "getelementptr"):
            new = b.insert(value.clone())
            for n, operand in enumerate(operands):
                new.set_operand(n, operand)
            return new
        if op in ("trunc", "zext", "sext"):
            return b.cast(op, *operands, value.type)
        if op == "icmp":
            return b.icmp(value.predicate, *operands)
        if op in ("select", "freeze"):
            return getattr(b, op)(*operands)
        left, right = operands
        if op in ("add", "or") and is_zero(left):
            return right
        if op in ("mul", "shl") and is_zero(left):
            return left
        return left if op in ("add", "or", "sub", "shl") and is_zero(right) else b.binop(op, left, right)

    def narrow(self, value, before=0):
        """Its lower half << before, or its upper half. It may be a value that is none, where nobody looks at it."""
        value = self.again(value)
        if before < 0:
            value, before = self.b.binop("lshr", value, self.t.i64.const(-before)), 0
        if value.type.width > 32:
            value = self.b.cast("trunc", value, self.t.i32)
        if not value.is_const_int:
            value = self.b.freeze(value)
        return self.b.binop("shl", value, self.t.i32.const(before)) if before else value

    def wide(self, value, how, before=0):
        return self.b.cast(how, self.narrow(value, before), self.t.i64)

    def times(self, value, constant, given):
        """value * constant * given."""
        if given is not None:
            value = self.b.mul(value, self.wide(given, "sext"))
        return value if constant == 1 else self.b.mul(value, self.t.i64.const(constant))


def is_zero(value):
    return value.is_const_int and value.zext == 0


class WideIndices:
    """What is found in the function for one lane of a vector along dimension `along`."""

    def __init__(self, module, lane, shapes, along):
        self.module, self.lane, self.sums = module, lane, IdSums(lane, shapes, along)
        self.types = Types(module)

    def rewrite(self):
        """Put the wide sums in the places of the extensions."""
        first = next(i for i in self.lane.entry.instructions if i.opcode != "alloca")
        start, of_lane = (Start(self.module, Builder(self.module).before(first), self.sums, {}, of_lane)
                          for of_lane in (False, True))
        here, bases = Builder(self.module), {}
        for inst, found in self.sums.of.items():
            here.before(inst)
            if found.in_row:
                total = self.in_row(here, of_lane, found)
            else:
                if found.key not in bases:
                    bases[found.key] = self.base(start, found)
                total = self.wide(here, start, bases[found.key], found)
            after = found.narrow.after
            inst.replace_with(here.binop("shl", total, self.types.i64.const(after)) if after else total)
        for inst in self.sums.of:
            inst.erase()

    def in_row(self, here, start, found):
        """A place in a row: a number of 32 bits with a sign, no part of which wraps, as walks.py looks for. A gather
        takes 16 of these at once, and 8 of 64 bits."""
        total = start.narrow(found.root, found.narrow.before)
        for phi, factors in found.counters():
            counter = self.sums.ranges[phi]
            far = here.sub(phi, start.known[phi], nsw=counter.is_seen)
            for constant, given in factors:
                part = far if given is None else here.mul(far, start.narrow(given), nsw=True)
                part = part if constant == 1 else here.mul(part, self.types.i32.const(constant), nsw=True)
                total = here.add(total, part, nsw=True)
            if counter.is_seen and moves_on(factors):
                counter.add.set_wrap(counter.add.nuw, True)
        if found.constant:
            total = here.add(total, self.types.i32.const(found.constant), nsw=True)
        return here.cast("sext", total, self.types.i64)

    def wide(self, here, start, total, found):
        """The base, the distances of counters from their starts, times their factors, and the constant."""
        for phi, factors in found.counters():
            far = here.cast("zext", here.sub(phi, start.known[phi]), self.types.i64)
            for constant, given in factors:
                factor = start.times(self.types.i64.const(1), constant, given)
                total = here.add(total, here.mul(far, factor))
        return here.add(total, self.types.i64.const(found.constant)) if found.constant else total

    def base(self, start, found):
        """All of a sum but its counters and its constant."""
        total = start.wide(found.root, found.narrow.how, found.narrow.before)
        for leaf, factors in found.terms.items():
            for constant, given in factors if not leaf.opcode else ():
                total = start.b.add(total, start.times(leaf, constant, given))
        return total

    def look(self, function, given):
        """The body of a function that says whether a sum may leave 32 bits in a group; `given`: the lane's parameters
        as they are there."""
        b, t = Builder(self.module).at_end(function.append_block("entry")), self.types
        sizes = {f"lid.{d}": fr.frame_of(function, fr.GROUP_FRAME)[f"lsize.{d}"] for d in range(3)}
        start = Start(self.module, b, self.sums, given)
        limits = {}
        for found in self.sums.of.values():
            _, least, most = limits.get(found.key, (found, 0, 0))
            limits[found.key] = found, min(least, found.constant), max(most, found.constant)
        odd = t.i1.const(0)
        for found, least, most in limits.values():
            low, high = self.bounds(start, found, sizes)
            bias = HALF if found.narrow.how == "sext" and not found.in_row else 0
            room, limit = (MOST, HALF - 1) if found.in_row else (0, LOW)
            low, high = b.add(low, t.i64.const(bias + least)), b.add(high, t.i64.const(bias + most + room))
            odd = b.binop("or", odd, b.icmp("ugt", b.binop("or", low, high), t.i64.const(limit)))
        b.ret(odd)

    def bounds(self, start, found, sizes):
        b, zero = start.b, self.types.i64.const(0)
        low = high = start.wide(found.root, found.narrow.how, found.narrow.before)
        for leaf, factors in found.terms.items():
            extent = self.counts_to(start, leaf) if leaf.opcode else b.sub(sizes[leaf.name], self.types.i64.const(1))
            for constant, given in factors:
                far = start.times(extent, constant, given)
                below = b.icmp("slt", far, zero)
                low, high = b.add(low, b.select(below, far, zero)), b.add(high, b.select(below, zero, far))
            if leaf.opcode:          # a product with more would wrap
                high = b.select(b.icmp("ugt", extent, self.types.i64.const(HALF)), self.types.i64.const(FAR), high)
        return low, high

    def counts_to(self, start, phi):
        """How far a counter goes from its start."""
        b, t, found = start.b, self.types, self.sums.ranges[phi]
        far = b.sub(start.wide(found.bound, found.how), start.wide(found.start, found.how))
        return b.add(b.select(b.icmp("slt", far, t.i64.const(0)), t.i64.const(0), far), t.i64.const(found.step))
