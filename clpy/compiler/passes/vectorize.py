# SPDX-License-Identifier: Apache-2.0
"""Run a region for all work-items of a group as vectors of work-items that follow each other in one dimension.

Takes the place of work_item_loop for each region it can vectorize; what it cannot is left to that pass, and the report
says why. Per region: a copy is linearized (linearize.py), widened twice (widen.py), once for all lanes and once for
the first n of them, and a loop over the group calls the two.
"""
from copy import copy

from clpy.llvm.ir import Builder, Types, functions, get_function, md_make_distinct, md_node

from . import frame as fr
from .builtin_table import LIBMVEC_1, LIBMVEC_2
from .clone import copy_blocks
from .copies import spell_out_copies
from .divergence import NEAR, Shapes, lane_ids
from .full_paths import FullPaths, any_worth, gains, guards_of
from .layout import Unsupported
from .linearize import linearize
from .vector_math import ISA_BITS
from .widen import Widener
from .width import CODE, Cost, choose

FOREACH = ".foreach"
OTHER_WAY = 0.7    # so much cheaper must lanes along dimension 1 be: work-groups are usually longer along dimension 0
NORMAL = ("sroa,early-cse,lower-switch,mergereturn,fix-irreducible,loop-simplify,lcssa,instsimplify,loop-simplify,"
          "lcssa")


def libm_variants(vector_bits):
    """(name, width) -> (vector function, its lanes), the widest that fits; None when there is none."""
    one, two = set(LIBMVEC_1), set(LIBMVEC_2)

    def find(name, width):
        is_float = name.endswith("f") and name[:-1] in one | two
        base = name[:-1] if is_float else name
        if base not in one | two:
            return None
        for isa, bits in reversed(ISA_BITS):
            lanes = bits // (32 if is_float else 64)
            if bits <= vector_bits and 1 < lanes <= width:
                return f"_ZGV{isa}N{lanes}{'v' if base in one else 'vv'}_{name}", lanes
        return None
    return find


class VectorRegion:
    def __init__(self, module, region, lowering):
        self.module, self.region, self.lowering = module, region, lowering
        self.types = Types(module)
        self.b = Builder(module)
        self.libm = libm_variants(lowering.vector_bits)
        self.made = []

    def build(self):
        """The foreach function gets its body; returns the Choice. On Unsupported nothing of the region stays behind."""
        try:
            if self.region.attribute_text(fr.EXITS) == "varying":
                raise Unsupported("work-items may part ways at a barrier")
            choice = self.best()
            full = self.with_full_paths(choice)
            steps = [(width, self.widened(full, width, True)) for width in dict.fromkeys((choice.wide, choice.width))]
            rest = self.widened(choice, choice.width, False)
        except Unsupported:
            self.forget()
            raise
        VectorLoop(self.module, self.region, choice, steps, rest).build()
        self.forget("lane")
        return choice

    def forget(self, what=""):
        """Erase the functions made so far, or those whose suffix begins with `what`."""
        for f in reversed([f for f in self.made if f.name[len(self.region.name) + 1:].startswith(what)]):
            f.erase()

    def best(self):
        """The Choice for lanes along dimension 0, or along dimension 1 where neighbours there lie side by side."""
        try:
            first, why = self.consider(0), None
        except Unsupported as reason:
            first, why = None, reason
        if self.uses("lid.1") and (first is None or not first.regular):
            try:
                second = self.consider(1)
                if first is None or second.cost < first.cost * OTHER_WAY:
                    return second
            except Unsupported:
                pass
        if first is None:
            raise why
        return first

    def consider(self, dimension):
        lane = self.lane_function(dimension)
        choice = choose(lane, self.lowering.vector_bits, self.lowering.width, self.known_size(dimension))
        choice.lane, choice.dimension = lane, dimension
        return choice

    def uses(self, name):
        return next(p for p in self.region.params if p.name == name).has_users

    def known_size(self, dimension):
        """Work-items in a dimension where reqd_work_group_size tells, else 0."""
        text = self.region.attribute_text(fr.REQD_SIZE)
        return int(text.split(",")[dimension]) if text else 0

    def new(self, suffix, extra):
        """A function like the region with one parameter more in front of the frame."""
        region, n = self.region, len(self.region.params) - len(fr.ITEM_FRAME)
        args = [(p.name, p.type) for p in region.params[:n]] + [extra]
        f = fr.new_function(self.module, region.name + suffix, "lanes", args, fr.ITEM_FRAME,
                            region.value_type.returns, like=region)
        for i in range(n):
            f.copy_attributes(region, i + 1, i + 1)
        f.add_attribute(fr.EXITS, region.attribute_text(fr.EXITS))
        self.made.append(f)
        return f

    def lane_function(self, dimension):
        """A copy of the region for one lane of a vector along a dimension (or fr.WAVE), linearized."""
        lane = self.new(f".lane{dimension}", ("active", self.types.i1))
        lane.add_attribute(fr.LANE, dimension)
        n = len(self.region.params) - len(fr.ITEM_FRAME)
        params = lane.params[:n] + lane.params[n + 1:]
        copy_blocks(self.module, self.region.blocks, lane, dict(zip(self.region.params, params, strict=True)))
        spell_out_copies(self.module, lane)
        lane.run_passes(NORMAL)
        linearize(self.module, lane, Shapes(lane, lane_ids(lane)))
        return lane

    def with_full_paths(self, choice):
        """The choice with a lane function that looks whether all lanes take part in what is guarded, where it pays."""
        cost = choice.model
        if not any_worth(guards_of(choice.lane), gains(cost.shapes, cost.strides)):
            return choice
        lane = self.new(f".lane{choice.dimension}.full", ("active", self.types.i1))
        lane.add_attribute(fr.LANE, choice.dimension)
        copy_blocks(self.module, choice.lane.blocks, lane, dict(zip(choice.lane.params, lane.params, strict=True)))
        cost = Cost(lane, self.lowering.vector_bits)
        FullPaths(self.module, lane, gains(cost.shapes, cost.strides),
                  lambda inst: cost.instructions(inst, choice.wide), CODE // 4).run()
        cost, full = Cost(lane, self.lowering.vector_bits), copy(choice)
        full.lane, full.strides, full.walks = lane, cost.strides, cost.walks
        return full

    def widened(self, choice, width, full):
        form = self.new(f".{'all' if full else 'some'}{width}", ("lanes", self.types.i64))
        Widener(self.module, choice.lane, form, width, self.libm, full, self.lowering.vector_bits,
                choice.strides, choice.walks).run()
        return form


def as_it_is(module):
    """Loop metadata: not to be unrolled or vectorized; the vectors are the unrolling."""
    off = [md_node(module, ["llvm.loop.unroll.disable"]),
           md_node(module, ["llvm.loop.vectorize.enable", Types(module).i1.const(0)])]
    return md_make_distinct(md_node(module, [None, *off]))


def ids_wrap(b, t, base, size):
    """Whether `size` ids from `base` on come within NEAR of where their lower 31 bits wrap; at 0 they do not."""
    near = t.i64.const(NEAR)
    first = b.select(b.icmp("ugt", base, near), b.sub(base, near), t.i64.const(0))
    last = b.add(base, b.add(size, t.i64.const(NEAR - 1)))
    return b.icmp("ugt", b.binop("xor", first, last), t.i64.const(0x7FFFFFFF), "wraps")


class VectorLoop:
    """foreach: the other dimensions outside; along the lanes the widest vectors first, then the rest under a mask.

    Vectors count on ids whose lower 31 bits do not wrap from lane to lane, nor those of the sum with a constant up to
    NEAR. In a group where they might, the work-items run one by one, and so they do in a group with few of them along
    the lanes: programs for other CPU devices ask for groups of one, which took 40 times as long as one lane of a vector
    (hashcat's mode 11700, vectors in the source and tables in local memory). It costs a tenth of the code.
    """

    def __init__(self, module, region, choice, steps, rest):
        self.module, self.region, self.steps, self.rest = module, region, steps, rest
        self.types, self.choice = Types(module), choice
        self.lanes = choice.dimension
        self.across = 1 - self.lanes      # the other of dimensions 0 and 1
        self.foreach = get_function(module, region.name + FOREACH)
        self.b = Builder(module)
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)

    def build(self):
        b, t, f = self.b, self.types, self.foreach
        f.set_internal()
        entry, row, row_end, done = [f.append_block(n) for n in ("entry", "row", "row.end", "done")]
        b.at_end(entry)
        one, size = t.i64.const(1), self.frame[f"lsize.{self.lanes}"]
        odd = self.one_by_one(size)
        limit = b.select(odd, t.i64.const(0), size)
        b.br(row)
        b.at_end(row)
        z, y = b.phi(t.i64, "lid.2"), b.phi(t.i64, f"lid.{self.across}")
        z.add_incoming(t.i64.const(0), entry)
        y.add_incoming(t.i64.const(0), entry)
        x, answer, here = t.i64.const(0), None, row
        for width, function in self.steps:
            stop = b.at_end(here).sub(limit, b.binop("and", b.sub(limit, x), t.i64.const(width - 1)))
            x, answer, here = self.stage(here, x, answer, stop, function, y, z,
                                         lambda _, width=width: t.i64.const(width))
        x, answer, here = self.stage(here, x, answer, limit, self.rest, y, z, lambda x: b.sub(limit, x))
        x, answer, here = self.stage(here, x, answer, size, self.region, y, z, lambda _: one)
        b.at_end(here).br(row_end)
        self.next_row(row, row_end, done, y, z)
        b.at_end(done)
        b.ret(answer)

    def one_by_one(self, size):
        """Whether the group's work-items run one after the other."""
        b, t = self.b, self.types
        wraps = ids_wrap(b, t, self.frame[f"gbase.{self.lanes}"], size)
        return b.binop("or", wraps, b.icmp("ult", size, t.i64.const(max(2, self.choice.width // 4))), "odd")

    def next_row(self, row, row_end, done, y, z):
        b, t = self.b, self.types
        b.at_end(row_end)
        y1 = b.add(y, t.i64.const(1), nuw=True, nsw=True)
        wrap = b.icmp("uge", y1, self.frame[f"lsize.{self.across}"])
        y_next = b.select(wrap, t.i64.const(0), y1)
        z_next = b.select(wrap, b.add(z, t.i64.const(1), nuw=True, nsw=True), z)
        y.add_incoming(y_next, row_end)
        z.add_incoming(z_next, row_end)
        latch = b.cond_br(b.icmp("ult", z_next, self.frame["lsize.2"]), row, done)
        latch.set_metadata("llvm.loop", as_it_is(self.module))

    def stage(self, here, x, answer, stop, function, y, z, count):
        """While x < stop run `function` on count(x) work-items from x. Returns x, the answer and the block behind."""
        b, t, f = self.b, self.types, self.foreach
        loop, after = f.append_block("lanes"), f.append_block("next")
        b.at_end(here).cond_br(b.icmp("ult", x, stop), loop, after)
        b.at_end(loop)
        now = b.phi(t.i64, f"lid.{self.lanes}")
        now.add_incoming(x, here)
        lanes = count(now)
        new = self.call(function, lanes, now, y, z)
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


def refuse_hint(info):
    """A kernel whose vec_type_hint is a vector type is written in vectors already (Intel's guide)."""
    if info is not None and info.vec_hint and info.vec_hint[-1].isdigit():
        raise Unsupported(f"vec_type_hint({info.vec_hint})")


def run(module, lowering):
    if lowering.width == 1 or lowering.lockstep:
        return
    regions = fr.of_role(functions(module), fr.REGION)
    kernels = [region.attribute_text(fr.KERNEL) for region in regions]
    for region, kernel in zip(regions, kernels, strict=True):
        info = lowering.kernels.get(kernel)
        try:
            refuse_hint(info)
            choice = VectorRegion(module, region, lowering).build()
            lowering.report.append((region.name, choice.width, choice.wide, choice.why))
            if info is not None:
                info.preferred_multiple = max(info.preferred_multiple, choice.wide)
                info.lane_dimension = choice.dimension
                info.long_rows = choice.once and kernels.count(kernel) == 1
        except Unsupported as why:
            lowering.report.append((region.name, 1, 1, str(why)))
