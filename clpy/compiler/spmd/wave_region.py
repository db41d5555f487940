# SPDX-License-Identifier: Apache-2.0
"""A region as lock-step wavefronts: its forms, and the way without vectors.

Each region has two forms. Where the rows of the group are whole wavefronts, or it is one row, local ids count along
the lanes and most memory access is by vectors; else all local ids differ between lanes. Where code may take groups to
be whole vectors (KernelInfo.whole) there is none of the two: rows of whole wavefronts without a mask are all there is.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.shapes import parts_alike
from clpy.compiler.frame import local_linear_id
from clpy.compiler.spmd.forms import of_whole_vectors
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.observers import BARRIER, BLOCK, BRANCH, MEMORY, PREFIX, WAVE, Callbacks
from clpy.compiler.spmd.progress import Coroutine, WaitingLoop, mark_waiting_loops
from clpy.compiler.spmd.refusals import may_refuse
from clpy.compiler.spmd.vector_region import VectorRegion
from clpy.compiler.spmd.wave_forms import WaveWidener
from clpy.compiler.spmd.wave_loop import WaveLoop
from clpy.compiler.spmd.width import STACK_BYTES, private_bytes
from clpy.llvm.ir import Builder, Types


class WaveRegion(VectorRegion):
    """The forms of a region: `rows` and `waves` are functions of (lanes, first local id, 0 or the others). Wavefronts
    that nobody observes have `full` too: a form of `rows` for those that are whole, without their mask. Of a `whole`
    region that is the only one."""

    def __init__(self, module, region, lowering, width, give_way=False):
        """`give_way`: they are sub-groups, which may wait for each other."""
        super().__init__(module, region, lowering)
        self.width, self.give_way, self.waits, self.alike = width, give_way, False, False
        self.whole = give_way and self.may_be_whole()

    def may_be_whole(self):
        """Whether rows of whole wavefronts are all that is asked for."""
        return of_whole_vectors(0, self.lowering) and self.known_size(0) % self.width == 0

    def forms_differ(self):
        """Whether what is the same along a row is used, which it is not in other wavefronts: local ids of other
        dimensions."""
        frame = fr.frame_of(self.region)
        return frame["lid.1"].has_users or frame["lid.2"].has_users

    def make_forms(self):
        """On Unsupported nothing of the region stays behind."""
        try:
            varying = self.region.attribute_text(fr.EXITS) == "varying"
            if varying and not self.give_way:
                raise Unsupported("work-items may part ways at a barrier")
            lane = self.lane(0)
            if varying and self.waits:
                raise Unsupported("work-items that wait for others may part ways at a barrier")
            self.whole = self.whole and not self.waits
            self.rows = self.form(lane, f".row{self.width}") if not self.whole else None
            self.full = self.form(lane, f".all{self.width}", True) if self.give_way and not self.waits else None
            self.waves = None
            if not self.whole:
                self.waves = self.form(self.lane(fr.WAVE), f".wave{self.width}")
            elif self.forms_differ():
                self.try_waves(lane)
        except Unsupported:
            self.forget()
            raise

    def try_waves(self, lane):
        """See that the form can be made that a launch with other groups needs. `lane` is that of the rows: where the
        same branches part its lanes, it is laid out like that of wavefronts."""
        if self.alike and not may_refuse(lane):
            return
        wave = self.lane(fr.WAVE)
        if may_refuse(wave):
            self.form(wave, f".wave{self.width}")
            self.forget("wave")

    def finish(self):
        """The foreach function gets its body."""
        loop, forms = WaveLoop, [self.rows, self.waves]
        if self.waits:
            loop, forms = WaitingLoop, [Coroutine(self.module, form).run() for form in forms]
        loop(self.module, self.region, *forms, self.full, self.width, self.lowering.target.observed).build()
        self.forget("lane")

    def counters_to_check(self):
        return []

    def simplified(self, lane, shapes, dimension):
        if self.whole and dimension == 0 and self.forms_differ():
            self.alike = not self.parted and parts_alike(lane, shapes)
        return False

    def before_masks(self, lane):
        if self.give_way:
            self.waits = mark_waiting_loops(self.module, lane)

    def lane(self, along):
        lane = self.lane_function(along)
        if private_bytes(lane) * self.width > STACK_BYTES:
            raise Unsupported("the private arrays of a wavefront are too large for the stack")
        return lane

    def form(self, lane, suffix, full=False):
        form = self.new(suffix, ("lanes", self.types.i64))
        WaveWidener(self.module, lane, form, self.width, self.libm, full, self.lowering.vector_bits).run()
        return form


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
