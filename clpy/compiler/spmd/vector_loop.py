# SPDX-License-Identifier: Apache-2.0
"""The loop over a group that calls the forms of a region for vectors of work-items."""
from functools import reduce

from clpy.compiler import frame as fr
from clpy.compiler.analysis.transfer import NEAR
from clpy.compiler.spmd.doubts import agrees
from clpy.compiler.spmd.loop_id import loop_id
from clpy.compiler.spmd.region_code import FOREACH
from clpy.llvm.ir import Builder, Types, get_function, intrinsic

MOST_STRAIGHT = 2       # vectors of a row that are no loop; four take longer in a transposition of doubles
SHORT_ROW = 120         # instructions of a row that is none: a bound, no cost
UNDER_A_MASK = 1.7      # times as long as the estimate says take gathers and scatters of which few lanes take part: a
                        # threshold. Rows of 4 to 6 took 1.2 to 3.4 times as long as vectors of 16, with AVX-512


def as_it_is(module):
    """Loop metadata: not to be unrolled or vectorized; the vectors are the unrolling."""
    return loop_id(module, ("llvm.loop.vectorize.enable", Types(module).i1.const(0)))


def ids_wrap(b, t, base, size):
    """Whether `size` ids from `base` on come within NEAR of where their lower 31 bits wrap; at 0 they do not."""
    near = t.i64.const(NEAR)
    first = b.select(b.icmp("ugt", base, near), b.sub(base, near), t.i64.const(0))
    last = b.add(base, b.add(size, t.i64.const(NEAR - 1)))
    return b.icmp("ugt", b.binop("xor", first, last), t.i64.const(0x7FFFFFFF), "wraps")


def counter_wraps(b, t, counter, given):
    """Whether a counter, up to NEAR lanes on, may reach what it cannot hold. `given`: values by what they are in the
    region."""
    how = "sext" if counter.signed else "zext"
    # Where the loop stands under a condition these may be values that are none.
    bound, step = (b.cast(how, b.freeze(computed(b, v, given)), t.i64) for v in (counter.bound, counter.step))
    most = 1 << (counter.add.type.width - counter.signed)
    last = b.add(b.add(bound, step), t.i64.const(NEAR))
    return b.binop("or", b.icmp("sgt", last, t.i64.const(most)), b.icmp("slt", step, t.i64.const(0)), "wraps")


def pitch_here(b, t, pitch, given):
    """A Pitch (analysis/rows.py) as a number of bytes. `given`: as for counter_wraps."""
    total = t.i64.const(pitch.constant)
    for value, how, factor in pitch.terms:
        number = b.freeze(computed(b, value, given))
        if number.type.width < 64:
            number = b.cast("zext" if how == "zext" else "sext", number, t.i64)
        total = b.add(total, b.mul(number, t.i64.const(factor)))
    return total


def rows_crowd(b, t, pitches, apart, near):
    """Whether a pitch is a multiple of `apart`, or up to `near` bytes more or less, but not 0."""
    found = []
    for pitch in pitches:
        above = b.add(pitch, t.i64.const(near))
        beside = b.binop("and", above, t.i64.const(apart - 1))
        found.append(b.binop("and", b.icmp("ule", beside, t.i64.const(2 * near)),
                             b.icmp("uge", above, t.i64.const(apart))))
    return reduce(lambda a, c: b.binop("or", a, c), found)


def computed(b, value, given):
    """The value, computed once more here."""
    if value in given or not value.opcode:
        return given.get(value, value)
    operands = [computed(b, v, given) for v in value.operands]
    given[value] = copy = b.insert(value.clone())
    for n, operand in enumerate(operands):
        copy.set_operand(n, operand)
    return copy


class VectorLoop:
    """foreach: the other dimensions outside; along the lanes the widest vectors first, then the rest under a mask, or
    all of it where there is nothing but that form.

    Vectors count on ids whose lower 31 bits do not wrap from lane to lane, nor those of the sum with a constant up to
    NEAR. In a group where they might, the work-items run one by one, and so they do where rows of memory crowd in a
    cache (analysis/rows.py), or in a group with few of them along the lanes: programs for other CPU devices ask for
    groups of one, which took 40 times as long as one lane of a vector (hashcat's mode 11700, vectors in the source and
    tables in local memory). It costs a tenth of the code. In first code launches have seen to the ids
    (core/versions.pyx), and what is left are indices and counters.

    With `one_row` it is for one row of the group: the device goes over them (passes/kernel_abi.py).
    """

    def __init__(self, module, region, choice, steps, rest, counters=(), wraps=None, one_row=False):
        self.module, self.region, self.steps, self.rest = module, region, steps, rest
        self.counters, self.wraps, self.one_row = counters, wraps, one_row
        self.types, self.choice = Types(module), choice
        self.lanes = choice.dimension
        self.across = 1 - self.lanes      # the other of dimensions 0 and 1
        self.foreach = get_function(module, region.name + FOREACH)
        self.b = Builder(module)
        self.varying = region.attribute_text(fr.EXITS) == "varying"   # the answer is the smallest
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)
        self.pitches = None

    def build(self):
        b, f = self.b, self.foreach
        f.set_internal()
        f.add_attribute(fr.VECTORS)
        entry, done = f.append_block("entry"), f.append_block("done")
        b.at_end(entry)
        size = self.frame[f"lsize.{self.lanes}"]
        odd = self.one_by_one(size)
        if odd is None or self.may_leave_some():
            limit = size if odd is None else b.select(odd, self.types.i64.const(0), size)
            limits = self.limits(limit)
            ends = [self.nest(entry, done, lambda *at: self.row(limits, limit, None if odd is None else size, *at))]
        else:
            one, vectors, limits = f.append_block("one.by.one"), f.append_block("vectors"), self.limits(size)
            b.at_end(entry).cond_br(odd, one, vectors)
            ends = [self.nest(vectors, done, lambda *at: self.row(limits, size, None, *at)),
                    self.nest(one, done, lambda *at: self.one_after_the_other(size, *at))]
        b.at_end(done)
        type_ = f.value_type.returns
        b.ret(None if type_.is_void else self.joined(type_, ends))

    def joined(self, type_, ends):
        answer = self.b.phi(type_)
        for value, block in ends:
            answer.add_incoming(value, block)
        return answer

    def nest(self, before, done, along):
        """Loops over the other dimensions, from the end of block `before` on; (answer, block that goes to `done`).
        `along` runs a row: it is given the block, the first place, the answer so far and the other ids, and returns
        the place, the answer and the block behind. Groups that are odd have a nest of their own, so that in all others
        a row that is known to be of two vectors is two vectors."""
        if self.one_row:
            return self.only_row(before, done, along)
        b, t, f = self.b, self.types, self.foreach
        plane, row, row_end, plane_end = [f.append_block(n) for n in ("plane", "row", "row.end", "plane.end")]
        zero = t.i64.const(0)
        b.at_end(before).br(plane)
        b.at_end(plane)
        z, least_before = self.counter("lid.2", before), self.least(before, t.i32.all_ones)
        b.br(row)
        b.at_end(row)
        y, least = self.counter(f"lid.{self.across}", plane), self.least(plane, least_before)
        _, answer, here = along(row, zero, least, y, z)
        b.at_end(here).br(row_end)
        self.next(y, row_end, self.frame[f"lsize.{self.across}"], row, plane_end)
        self.next(z, plane_end, self.frame["lsize.2"], plane, done)
        if self.varying:
            least.add_incoming(answer, row_end)
            least_before.add_incoming(answer, plane_end)
        return answer, plane_end

    def only_row(self, before, done, along):
        b, zero, row = self.b, self.types.i64.const(0), self.foreach.append_block("row")
        b.at_end(before).br(row)
        b.at_end(row)
        _, answer, here = along(row, zero, self.types.i32.all_ones if self.varying else None, zero, zero)
        b.at_end(here).br(done)
        return answer, here

    def counter(self, name, before):
        phi = self.b.phi(self.types.i64, name)
        phi.add_incoming(self.types.i64.const(0), before)
        return phi

    def least(self, before, value):
        """The smallest answer of the rows before, where answers may differ."""
        if not self.varying:
            return None
        least = self.b.phi(self.types.i32, "least")
        least.add_incoming(value, before)
        return least

    def next(self, counter, end, size, again, after):
        b = self.b
        b.at_end(end)
        following = b.add(counter, self.types.i64.const(1), nuw=True, nsw=True)
        counter.add_incoming(following, end)
        b.cond_br(b.icmp("ult", following, size), again, after).set_metadata("llvm.loop", as_it_is(self.module))

    def may_leave_some(self):
        """Vectors may leave work-items to be run one by one, as there is no form with a mask."""
        return (self.rest is None and not self.choice.whole
                and (not self.known_size() or self.known_size() % self.choice.width > 0))

    def known_size(self):
        """Work-items along the lanes in all groups; 0: not known, as where the runtime cuts the range of a kernel that
        does not see its groups (kernel_abi.group_sizes): the last one may be smaller."""
        text, *said = (self.region.attribute_text(what) for what in (fr.REQD_SIZE, fr.UNIFORM_GROUPS, fr.SEES_GROUPS))
        return int(text.split(",")[self.lanes]) if text and None not in said else 0

    def row(self, limits, limit, left, here, x, answer, y, z):
        """The widest vectors first, then the rest under a mask, or up to `left` one by one."""
        if limit == self.frame[f"lsize.{self.lanes}"] and self.is_short_row():
            return x, self.short_row(answer, y, z), here
        for width, function in self.steps:
            stop = self.end_of_vectors(self.b.at_end(here), limits[width], x, width)
            x, answer, here = self.stage(here, x, answer, stop, function, y, z,
                                         lambda _, width=width: self.types.i64.const(width))
        if self.rest is not None:
            x, answer, here = self.stage(here, x, answer, limit, self.rest, y, z, lambda x: self.lanes_left(limit, x))
        return self.one_after_the_other(left, here, x, answer, y, z) if left is not None else (x, answer, here)

    def lanes_left(self, limit, x):
        """How many of the lanes from x on take part; all of them may, where there is no form without a mask."""
        left = self.b.sub(limit, x)
        if self.steps:
            return left
        return self.b.call(intrinsic(self.module, "llvm.umin", [self.types.i64]),
                           [left, self.types.i64.const(self.choice.width)])

    def is_short_row(self):
        """A row is known to be of a few whole vectors that are short: a loop would take longer than they do."""
        width, function = self.steps[-1] if self.steps else (0, None)
        count = self.known_size() / width if width else 0
        return (count in range(1, MOST_STRAIGHT + 1) and self.rest is None and self.choice.rows is None
                and count * function.n_instructions <= SHORT_ROW)

    def short_row(self, answer, y, z):
        """As many of the widest vectors as there are, then of the next."""
        t, x, size = self.types, 0, self.known_size()
        for width, function in self.steps:
            while x + width <= size:
                answer = self.merged(self.call(function, t.i64.const(width), t.i64.const(x), y, z), answer)
                x += width
        return answer

    def merged(self, new, before):
        return new if not self.varying else \
            self.b.call(intrinsic(self.module, "llvm.umin", [self.types.i32]), [new, before])

    def one_after_the_other(self, size, here, x, answer, y, z):
        return self.stage(here, x, answer, size, self.region, y, z, lambda _: self.types.i64.const(1))

    def limits(self, limit):
        """Where the vectors of each width end. Those for whose lines a cache has no room do not begin, but for the
        narrowest."""
        rows, ends = self.choice.rows, {width: limit for width, _ in self.steps}
        for width in ends:
            if rows is not None and width > min(ends) and not rows.fit(width):
                ends[width] = self.b.select(self.crowd(width), self.types.i64.const(0), limit)
        return ends

    def crowd(self, width):
        """Whether so many lanes have too many lines in the same slots of a cache."""
        rows = self.choice.rows
        if self.pitches is None:
            n = len(self.region.params) - len(fr.ITEM_FRAME)
            lane = self.choice.lane.params
            given = dict(zip(lane[:n] + lane[n + 1:], self.own_and_frame(), strict=True))
            self.pitches = [pitch_here(self.b, self.types, pitch, given) for pitch in rows.pitches]
        return rows_crowd(self.b, self.types, self.pitches, rows.apart(width), rows.near)

    def end_of_vectors(self, b, limit, x, width):
        """Where from x on no whole vectors of that width are left."""
        if self.choice.whole and width == self.choice.width:
            return limit
        return b.sub(limit, b.binop("and", b.sub(limit, x), self.types.i64.const(width - 1)))

    def one_by_one(self, size):
        """Whether the group's work-items run one after the other; None where they never do."""
        b, t = self.b, self.types
        odd = list(self.odd_ids(size)) if not self.choice.step else []
        if self.wraps is not None:
            odd.append(b.call(self.wraps, self.foreach.params))
        given = dict(zip(self.region.params, self.own_and_frame(), strict=True))
        odd += [counter_wraps(b, t, counter, given) for counter in self.counters]
        rows, width = self.choice.rows, min((width for width, _ in self.steps), default=self.choice.width)
        if rows is not None and rows.narrow == 1 and not rows.fit(width):
            odd.append(self.crowd(width))
        return reduce(lambda a, c: b.binop("or", a, c, "odd"), odd) if odd else None

    def odd_ids(self, size):
        """Whether ids are such as vectors do not count with, or are for a part of a vector."""
        b, t = self.b, self.types
        yield ids_wrap(b, t, self.frame[f"gbase.{self.lanes}"], size)
        yield b.icmp("ult", size, t.i64.const(self.fewest_lanes()))
        if self.counts_by_group():
            group, lanes = self.frame[f"group.{self.lanes}"], self.frame[f"lsize.{self.lanes}"]
            yield ids_wrap(b, t, b.mul(group, lanes), size)

    def fewest_lanes(self):
        """Lanes of a row that is worth a vector under a mask. With gathers and scatters the estimate says how many, as
        these take as long for a few lanes as for all."""
        cost, width = self.choice.model, self.choice.width
        fewest = max(2, width // 4)
        if self.choice.regular or not agrees(cost):
            return fewest
        return max(fewest, min(int(UNDER_A_MASK * cost.vector(width) / cost.scalar()), width // 2))

    def counts_by_group(self):
        """Local ids are added to group times size, which is the group's first global id where there is no offset."""
        params = fr.frame_of(self.region)
        group, size = (params[f"{name}.{self.lanes}"] for name in ("group", "lsize"))
        return any(user.opcode == "mul" and size in user.operands for user in group.users)

    def own_and_frame(self):
        """What the parameters of the region are here; local ids are not yet anything."""
        n = len(self.foreach.params) - len(fr.GROUP_FRAME)
        return [*self.foreach.params[:n], *[None] * len(fr.LOCAL_IDS), *self.foreach.params[n:]]

    def stage(self, here, x, answer, stop, function, y, z, count):
        """While x < stop run `function` on count(x) work-items from x. Returns x, the answer and the block behind."""
        b, t, f = self.b, self.types, self.foreach
        loop, after = f.append_block("lanes"), f.append_block("next")
        b.at_end(here).cond_br(b.icmp("ult", x, stop), loop, after)
        b.at_end(loop)
        now = b.phi(t.i64, f"lid.{self.lanes}")
        now.add_incoming(x, here)
        so_far = b.phi(t.i32, "least") if self.varying else None
        lanes = count(now)
        new = self.call(function, lanes, now, y, z)
        if so_far is not None:
            new = self.merged(new, so_far)
            so_far.add_incoming(answer, here)
            so_far.add_incoming(new, loop)
        following = b.add(now, lanes, nuw=True, nsw=True)
        now.add_incoming(following, loop)
        latch = b.cond_br(b.icmp("ult", following, stop), loop, after)
        latch.set_metadata("llvm.loop", as_it_is(self.module))
        b.at_end(after)
        where = b.phi(t.i64)
        where.add_incoming(x, here)
        where.add_incoming(following, loop)
        type_ = f.value_type.returns
        if type_.is_void:
            return where, None, after
        merged = b.phi(type_)
        merged.add_incoming(answer if answer is not None else type_.poison, here)
        merged.add_incoming(new, loop)
        return where, merged, after

    def call(self, function, lanes, x, y, z):
        n = len(self.foreach.params) - len(fr.GROUP_FRAME)
        args, frame = self.foreach.params[:n], self.foreach.params[n:]
        count = [] if function == self.region else [lanes]
        ids = [x, y, z] if self.lanes == 0 else [y, x, z]
        return self.b.call(function, [*args, *count, *ids, *frame])
