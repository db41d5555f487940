# SPDX-License-Identifier: Apache-2.0
"""A region as lock-step wavefronts: its forms, the loop over a group's wavefronts, and the way without vectors.

Each region has two forms. Where the rows of the group are whole wavefronts, or it is one row, local ids count along
the lanes and most memory access is by vectors; else all local ids differ between lanes.
"""
from clpy.compiler import frame as fr
from clpy.compiler.frame import local_linear_id
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.observers import BARRIER, BLOCK, BRANCH, MEMORY, PREFIX, WAVE, Callbacks
from clpy.compiler.spmd.region_code import FOREACH
from clpy.compiler.spmd.vector_loop import as_it_is, ids_wrap
from clpy.compiler.spmd.vector_region import VectorRegion
from clpy.compiler.spmd.wave_forms import WaveWidener
from clpy.compiler.spmd.width import STACK_BYTES, Cost
from clpy.llvm.ir import Builder, Types, get_function


class WaveRegion(VectorRegion):
    """The forms of a region: `rows` and `waves` are functions of (lanes, first local id, 0 or the others)."""

    def __init__(self, module, region, lowering, width):
        super().__init__(module, region, lowering)
        self.width = width

    def make_forms(self):
        """On Unsupported nothing of the region stays behind."""
        try:
            if self.region.attribute_text(fr.EXITS) == "varying":
                raise Unsupported("work-items may part ways at a barrier")
            self.rows, self.waves = self.form(0), self.form(fr.WAVE)
        except Unsupported:
            self.forget()
            raise

    def finish(self):
        """The foreach function gets its body."""
        WaveLoop(self.module, self.region, self.rows, self.waves, self.width, self.lowering.target.observed).build()
        self.forget("lane")

    def form(self, along):
        lane, width = self.lane_function(along), self.width
        if Cost(lane, self.lowering.vector_bits).private_bytes() * width > STACK_BYTES:
            raise Unsupported("the private arrays of a wavefront are too large for the stack")
        form = self.new(f".{'wave' if along == fr.WAVE else 'row'}{width}", ("lanes", self.types.i64))
        WaveWidener(self.module, lane, form, width, self.libm, self.lowering.vector_bits).run()
        return form


class WaveLoop:
    """foreach: the group's wavefronts one after the other."""

    def __init__(self, module, region, rows, waves, width, observed):
        self.module, self.region, self.rows, self.waves = module, region, rows, waves
        self.types, self.b = Types(module), Builder(module)
        self.width, self.observed = width, observed
        self.foreach = get_function(module, region.name + FOREACH)
        self.frame = fr.frame_of(self.foreach, fr.GROUP_FRAME)

    def build(self):
        b, f = self.b, self.foreach
        f.set_internal()
        entry, row, wave, done = [f.append_block(n) for n in ("entry", "row", "wave", "done")]
        b.at_end(entry)
        type_ = f.value_type.returns
        self.answer = None if type_.is_void else b.alloca(type_, "answer")
        b.cond_br(self.has_rows(), row, wave)
        self.row_loop(entry, row, done)
        self.wave_loop(entry, wave, done)
        b.at_end(done)
        b.ret() if type_.is_void else b.ret(b.load(type_, self.answer))

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
        self.run(self.rows, b.sub(self.size(0), x), linear, ids)
        x1 = b.add(x, t.i64.const(self.width))
        end_x = b.icmp("uge", x1, self.size(0))
        y1 = b.select(end_x, b.add(y, one), y)
        end_y = b.icmp("uge", y1, self.size(1))
        following = [b.select(end_x, zero, x1), b.select(end_y, zero, y1), b.select(end_y, b.add(z, one), z)]
        for phi, value in zip(ids, following, strict=True):
            phi.add_incoming(zero, entry)
            phi.add_incoming(value, row)
        latch = b.cond_br(b.icmp("ult", following[2], self.size(2)), row, done)
        latch.set_metadata("llvm.loop", as_it_is(self.module))

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
        result = b.call(function, [*args, lanes, *ids, *frame])
        if self.answer is not None:
            b.store(result, self.answer)


class OneByOne:
    """The observer's calls of a region whose work-items run one after the other: each in its lane's place."""

    def __init__(self, module, region, width):
        self.module, self.region, self.width = module, region, width
        self.types, self.b = Types(module), Builder(module)

    def run(self):
        b, t = self.b, self.types
        calls = [c for c in self.region.instructions_of("call") if c.callee.name.startswith(PREFIX)]
        frame = fr.frame_of(self.region)
        callbacks = Callbacks(self.module, frame["launch"])
        first = next(i for i in self.region.entry.instructions if i.opcode != "alloca")
        b.before(self.region.entry.first)
        place = b.alloca(t.array(t.i64, self.width), "addresses")
        linear = local_linear_id(b.before(first), frame)
        lane = b.binop("and", linear, t.i64.const(self.width - 1))
        mask = b.binop("shl", t.i64.const(1), lane)
        groups = [frame[f"group.{d}"] for d in range(3)]
        callbacks.call(b, WAVE, [*groups, b.sub(linear, lane), mask])
        for call in calls:
            b.before(call)
            self.observed(callbacks, call.callee.name, call.args, lane, mask, place)
            call.erase()

    def observed(self, callbacks, name, args, lane, mask, place):
        b, t = self.b, self.types
        if name == MEMORY:
            address, site, _ = args
            b.store(address, b.gep(t.i64, place, [lane]))
            callbacks.call(b, MEMORY, [site, mask, place])
        elif name == BRANCH:
            condition, site, _ = args
            callbacks.call(b, BRANCH, [site, mask, b.select(condition, mask, t.i64.const(0))])
        elif name in (BLOCK, BARRIER):
            callbacks.call(b, name, [args[0], mask])
