# SPDX-License-Identifier: Apache-2.0
"""The loop over a group's wavefronts: what WaveRegion (wave_region.py) makes of its two forms."""
from clpy.compiler import frame as fr
from clpy.compiler.spmd.observers import WAVE, Callbacks
from clpy.compiler.spmd.region_code import FOREACH
from clpy.compiler.spmd.vector_loop import as_it_is, ids_wrap
from clpy.llvm.ir import Builder, Types, get_function, intrinsic


class WaveLoop:
    """foreach: the group's wavefronts one after the other. Without `rows` and `waves` all are whole, and in rows."""

    def __init__(self, module, region, rows, waves, full, width, observed):
        self.module, self.region, self.rows, self.waves, self.full = module, region, rows, waves, full
        self.types, self.b = Types(module), Builder(module)
        self.width, self.observed = width, observed
        self.varying = region.attribute_text(fr.EXITS) == "varying"   # the answer is the smallest
        self.foreach = get_function(module, region.name + FOREACH)
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)

    def build(self):
        b, f = self.b, self.foreach
        f.set_internal()
        entry, row, done = [f.append_block(n) for n in ("entry", "row", "done")]
        b.at_end(entry)
        type_ = f.value_type.returns
        self.answer = None if type_.is_void else b.alloca(type_, "answer")
        if self.varying:
            b.store(type_.all_ones, self.answer)
        self.before()
        if self.waves is None:
            b.br(row)
        else:
            wave = f.append_block("wave")
            b.cond_br(self.has_rows(), row, wave)
            self.wave_loop(entry, wave, done)
        self.row_loop(entry, row, done)
        b.at_end(done)
        self.around()
        b.ret() if type_.is_void else b.ret(b.load(type_, self.answer))

    def before(self):
        """In front of the loops, at the builder."""

    def around(self):
        """Behind the loops, at the builder."""

    def size(self, d):
        return self.frame[f"lsize.{d}"]

    def has_rows(self):
        """The rows are whole wavefronts, or there is one; and ids count along them (see VectorLoop)."""
        b, t = self.b, self.types
        one = t.i64.const(1)
        whole = b.icmp("eq", b.binop("and", self.size(0), t.i64.const(self.width - 1)), t.i64.const(0))
        single = b.icmp("eq", b.mul(self.size(1), self.size(2)), one)
        counts = b.binop("xor", ids_wrap(b, t, self.frame["gbase.0"], self.size(0)), t.i1.const(1))
        return b.binop("and", b.binop("or", whole, single), counts, "rows")

    def row_loop(self, entry, row, done):
        b, t = self.b, self.types
        zero, one = t.i64.const(0), t.i64.const(1)
        b.at_end(row)
        x, y, z = ids = [b.phi(t.i64, f"lid.{d}") for d in range(3)]
        linear = b.add(b.mul(b.add(b.mul(z, self.size(1)), y), self.size(0)), x)
        end = self.run_row(row, b.sub(self.size(0), x), linear, ids)
        x1 = b.add(x, t.i64.const(self.width))
        end_x = b.icmp("uge", x1, self.size(0))
        y1 = b.select(end_x, b.add(y, one), y)
        end_y = b.icmp("uge", y1, self.size(1))
        following = [b.select(end_x, zero, x1), b.select(end_y, zero, y1), b.select(end_y, b.add(z, one), z)]
        for phi, value in zip(ids, following, strict=True):
            phi.add_incoming(zero, entry)
            phi.add_incoming(value, end)
        latch = b.cond_br(b.icmp("ult", following[2], self.size(2)), row, done)
        latch.set_metadata("llvm.loop", as_it_is(self.module))

    def run_row(self, row, lanes, linear, ids):
        """A wavefront of a row, in the form for all lanes if they are there. Returns the block behind."""
        if self.full is None or self.rows is None:
            self.run(self.full or self.rows, lanes, linear, ids)
            return row
        b = self.b
        all_, some, end = [self.foreach.append_block(n) for n in ("all", "some", "row.next")]
        b.cond_br(b.icmp("uge", lanes, self.types.i64.const(self.width)), all_, some)
        for block, form in ((all_, self.full), (some, self.rows)):
            b.at_end(block)
            self.run(form, lanes, linear, ids)
            b.br(end)
        b.at_end(end)
        return end

    def wave_loop(self, entry, wave, done):
        b, t = self.b, self.types
        zero = t.i64.const(0)
        first = b.at_end(wave).phi(t.i64, "first")
        total = b.mul(b.mul(self.size(0), self.size(1)), self.size(2))
        self.run(self.waves, b.sub(total, first), first, [first, zero, zero])
        following = b.add(first, t.i64.const(self.width))
        first.add_incoming(zero, entry)
        first.add_incoming(following, wave)
        latch = b.cond_br(b.icmp("ult", following, total), wave, done)
        latch.set_metadata("llvm.loop", as_it_is(self.module))

    def run(self, function, lanes, linear, ids):
        """One wavefront of `lanes` work-items, if there are so many."""
        b, t = self.b, self.types
        if self.observed:
            few = b.sub(b.binop("shl", t.i64.const(1), lanes), t.i64.const(1))
            all_ = t.i64.const((1 << self.width) - 1 if self.width < 64 else -1)
            mask = b.select(b.icmp("ult", lanes, t.i64.const(self.width)), few, all_)
            groups = [self.frame[f"group.{d}"] for d in range(3)]
            Callbacks(self.module, self.frame["launch"]).call(b, WAVE, [*groups, linear, mask])
        n = len(self.foreach.params) - len(fr.GROUP_FRAME)
        args, frame = self.foreach.params[:n], self.foreach.params[n:]
        self.start(function, linear, [*args, lanes, *ids, *frame])

    def start(self, function, linear, args):
        b = self.b
        result = b.call(function, args)
        if self.varying:
            least = intrinsic(self.module, "llvm.umin", [result.type])
            result = b.call(least, [result, b.load(result.type, self.answer)])
        if self.answer is not None:
            b.store(result, self.answer)
