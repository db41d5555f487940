# SPDX-License-Identifier: Apache-2.0
"""Run a region for all work-items of a group as vectors of consecutive work-items in dimension 0.

Takes the place of work_item_loop for each region it can vectorize; what it cannot is left to that pass, and the report
says why. Per region: a copy is linearized (linearize.py), widened twice (widen.py), once for all lanes and once for
the first n of them, and a loop over the group calls the two.
"""
from clpy.llvm.ir import Builder, Types, functions, get_function, intrinsic

from . import frame as fr
from .builtin_table import LIBMVEC_1, LIBMVEC_2
from .divergence import VARYING, Shapes
from .linearize import Unsupported, linearize
from .vector_math import ISA_BITS
from .widen import Widener

FOREACH = ".foreach"


def copy_blocks(module, source, target, values):
    """Clone the body of `source` into the empty `target`; `values` maps its parameters."""
    b = Builder(module)
    blocks = {block: target.append_block(block.name) for block in source.blocks}
    phis, made = [], []
    for block in source.blocks:
        b.at_end(blocks[block])
        for inst in block.instructions:
            if inst.opcode == "phi":
                new = b.phi(inst.type, inst.name)
                phis.append((inst, new))
            else:
                new = b.insert(inst.clone())
                new.name = inst.name
                made.append(new)
            values[inst] = new
    for new in made:
        for n, v in enumerate(new.operands):
            if v in values:
                new.set_operand(n, values[v])
        if new.opcode in ("br", "switch"):
            for n, s in enumerate(new.successors):
                new.set_successor(n, blocks[s])
    for inst, new in phis:
        for v, block in inst.incoming:
            new.add_incoming(values.get(v, v), blocks[block])


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
    def __init__(self, module, region, width, vector_bits):
        self.module, self.region, self.width = module, region, width
        self.types = Types(module)
        self.b = Builder(module)
        self.libm = libm_variants(vector_bits)
        self.made = []

    def build(self):
        """The foreach function gets its body; on Unsupported nothing of this region stays behind."""
        try:
            lane = self.lane_function()
            forms = [self.widened(lane, full) for full in (True, False)]
        except Unsupported:
            for f in reversed(self.made):
                f.erase()
            raise
        VectorLoop(self, *forms).build()
        lane.erase()

    def new(self, suffix, extra):
        """A function like the region with one parameter more in front of the frame."""
        region, n = self.region, len(self.region.params) - len(fr.ITEM_FRAME)
        args = [(p.name, p.type) for p in region.params[:n]] + [extra]
        f = fr.new_function(self.module, region.name + suffix, "lanes", args, fr.ITEM_FRAME,
                            region.value_type.returns, like=region)
        for i in range(n):
            f.copy_attributes(region, i + 1, i + 1)
        self.made.append(f)
        return f

    def lane_function(self):
        lane = self.new(".lane", ("active", self.types.i1))
        n = len(self.region.params) - len(fr.ITEM_FRAME)
        params = lane.params[:n] + lane.params[n + 1:]
        copy_blocks(self.module, self.region, lane, dict(zip(self.region.params, params, strict=True)))
        lane.run_passes("sroa,early-cse,lower-switch,mergereturn,fix-irreducible,loop-simplify,lcssa,instsimplify,loop-simplify,lcssa")
        ids = {p: 1 for p in lane.params if p.name == "lid.0"}
        linearize(self.module, lane, Shapes(lane, ids))
        return lane

    def widened(self, lane, full):
        form = self.new(f".v{self.width}" if full else f".t{self.width}", ("lanes", self.types.i64))
        Widener(self.module, lane, form, self.width, self.libm, full).run()
        return form


class VectorLoop:
    """foreach: dimensions 2 and 1 outside; in dimension 0 whole vectors, then the rest under a mask."""

    def __init__(self, owner, full, tail):
        self.module, self.width, self.types = owner.module, owner.width, owner.types
        self.full, self.tail = full, tail
        self.foreach = get_function(owner.module, owner.region.name + FOREACH)
        self.exits = owner.region.attribute_text(fr.EXITS)
        self.b = owner.b
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)

    def build(self):
        b, t, f = self.b, self.types, self.foreach
        if self.exits == "varying":
            raise Unsupported("work-items part ways at a barrier")
        f.set_internal()
        names = ("entry", "row", "head", "vectors", "rest?", "rest", "row.end", "done")
        entry, row, head, vectors, has_rest, rest, row_end, done = [f.append_block(n) for n in names]
        b.at_end(entry)
        size0 = self.frame["lsize.0"]
        whole = b.binop("and", size0, t.i64.const(-self.width), "whole")
        left = b.binop("and", size0, t.i64.const(self.width - 1), "left")
        answers = []
        b.br(row)
        b.at_end(row)
        z, y = b.phi(t.i64, "lid.2"), b.phi(t.i64, "lid.1")
        z.add_incoming(t.i64.const(0), entry)
        y.add_incoming(t.i64.const(0), entry)
        b.cond_br(b.icmp("ne", whole, t.i64.const(0)), head, has_rest)
        b.at_end(head).br(vectors)
        b.at_end(vectors)
        x = b.phi(t.i64, "lid.0")
        x.add_incoming(t.i64.const(0), head)
        a = self.call(self.full, x, y, z, t.i64.const(self.width))
        answers.append((a, vectors))
        following = b.add(x, t.i64.const(self.width), nuw=True, nsw=True)
        x.add_incoming(following, vectors)
        b.cond_br(b.icmp("ult", following, whole), vectors, has_rest)
        b.at_end(has_rest)
        first = self.merge_answer([(None, row), (a, vectors)])
        b.cond_br(b.icmp("ne", left, t.i64.const(0)), rest, row_end)
        b.at_end(rest)
        a2 = self.call(self.tail, whole, y, z, left)
        b.br(row_end)
        b.at_end(row_end)
        answer = self.merge_answer([(first, has_rest), (a2, rest)])
        y1 = b.add(y, t.i64.const(1), nuw=True, nsw=True)
        wrap = b.icmp("uge", y1, self.frame["lsize.1"])
        y_next = b.select(wrap, t.i64.const(0), y1)
        z_next = b.select(wrap, b.add(z, t.i64.const(1), nuw=True, nsw=True), z)
        y.add_incoming(y_next, row_end)
        z.add_incoming(z_next, row_end)
        b.cond_br(b.icmp("ult", z_next, self.frame["lsize.2"]), row, done)
        b.at_end(done)
        b.ret(answer)

    def call(self, function, x, y, z, lanes):
        n = len(self.foreach.params) - len(fr.GROUP_FRAME)
        args, frame = self.foreach.params[:n], self.foreach.params[n:]
        return self.b.call(function, [*args, lanes, x, y, z, *frame])

    def merge_answer(self, pairs):
        """Where the region goes next, by the way we came; None when it answers nothing."""
        type_ = self.foreach.value_type.returns
        if type_.is_void:
            return None
        phi = self.b.phi(type_)
        for value, block in pairs:
            phi.add_incoming(value if value is not None else type_.poison, block)
        return phi


def run(module, lowering):
    width = getattr(lowering, "width", 0) or 0
    if width <= 1:
        return
    for region in fr.of_role(functions(module), "region"):
        try:
            VectorRegion(module, region, width, lowering.vector_bits).build()
        except Unsupported as why:
            lowering.report.append((region.name, str(why)))
