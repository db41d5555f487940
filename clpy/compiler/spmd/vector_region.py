# SPDX-License-Identifier: Apache-2.0
"""A region as vectors of work-items: which width, and the forms of it that the loop over a group calls.

Per region: a copy is linearized (linearize.py), widened up to three times (widen.py), for all lanes and for the first n
of them (forms.py), and a loop over the group calls these forms (vector_loop.py).
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.access import accessed_type, is_access, pointer_of
from clpy.compiler.analysis.counters import counters_of
from clpy.compiler.analysis.libmvec import libm_variants
from clpy.compiler.analysis.memory import LOCAL
from clpy.compiler.analysis.pixels import lanes_of
from clpy.compiler.analysis.shapes import parted_shapes, shapes_along_rows
from clpy.compiler.spmd.clone import copy_blocks
from clpy.compiler.spmd.copies import spell_out_copies
from clpy.compiler.spmd.doubts import Tried
from clpy.compiler.spmd.early_loads import EarlyLoads
from clpy.compiler.spmd.forms import PutOff, forms, is_put_off, may_count_on_launches, room_for_copies
from clpy.compiler.spmd.full_loops import FullLoops
from clpy.compiler.spmd.full_paths import FullPaths, any_worth, gains, guards_of, moves_words_alone
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.linearize import linearize
from clpy.compiler.spmd.parted_tests import PartedTests
from clpy.compiler.spmd.strips import Strips
from clpy.compiler.spmd.vector_loop import VectorLoop
from clpy.compiler.spmd.wide_indices import WideIndices
from clpy.compiler.spmd.widen import Widener
from clpy.compiler.spmd.width import LASTING_CODE, STRAIGHT_CODE, Cost, choose
from clpy.llvm.ir import Builder, Types, get_function

MOST_TRIED = 2 * STRAIGHT_CODE    # instructions: as many become half as many at best
OTHER_WAY = 0.7    # so much cheaper must lanes along dimension 1 be: work-groups are usually longer along dimension 0
NORMAL = ("sroa,early-cse,lower-switch,mergereturn,fix-irreducible,loop-simplify,lcssa,instsimplify,loop-simplify,"
          "lcssa")
CALL_AND_RETURN = 2     # of its region: a kernel that does nothing else for a group
NORMAL_STRAIGHT = "sroa,early-cse,instsimplify"      # the same of one block
UNROLLED = "loop-simplify,lcssa,loop(loop-unroll-full),sroa,simplifycfg"


def in_linear_id(inst, frame):
    """The step of frame.local_linear_id that adds the id in dimension 1."""
    if inst.opcode != "add":
        return False
    rows = inst.operand(0)
    return rows.opcode == "mul" and rows.operands == [frame["lid.2"], frame["lsize.1"]]


def is_near(shapes, access):
    """To one place, or to places side by side."""
    pointer, size = pointer_of(access), accessed_type(access).size
    return shapes[pointer] in (0, size) or shapes.usually_neighbours(pointer, size)


def gains_by_rows(lane, shapes):
    """Whether there is an access of that kind for lanes along dimension 1 that is none along dimension 0, `shapes`: it
    takes a fifth of the time to tell that it takes to consider them."""
    far = [inst for block in shapes.cfg.blocks for inst in block.instructions
           if is_access(inst) and not is_near(shapes, inst)]
    rows = shapes_along_rows(lane, shapes) if far else None
    return any(is_near(rows, inst) for inst in far)


class VectorRegion:
    def __init__(self, module, region, lowering):
        self.module, self.region, self.lowering = module, region, lowering
        self.types = Types(module)
        self.b = Builder(module)
        self.libm = libm_variants(lowering.vector_bits)
        self.counters = self.counters_to_check()
        self.made = []
        self.rows_gain = True   # lanes along dimension 1 may be better off
        self.parted = False  # the last function for one lane had branches that became two
        self.wraps = {}      # function for one lane -> one that says whether its indices may wrap in a group

    def build(self):
        """The foreach function gets its body; returns the Choice. On Unsupported nothing of the region stays behind."""
        try:
            self.refuse_length()
            choice = self.other() if self.lowering.other else self.best()
            if is_put_off(self.region, choice, self.lowering):
                raise PutOff(choice)
            size = self.known_size(choice.dimension)
            if may_count_on_launches(self.lowering):
                choice.step, choice.whole = size or choice.width, not size
            widths, masked = forms(self.region, choice, size, self.lowering)
            full = self.in_strips(self.with_full_paths(choice)) if widths else choice
            steps = [(width, self.widened(full, width, True)) for width in widths]
            rest = self.widened(choice, choice.width, False) if masked else None
        except Unsupported:
            self.forget()
            raise
        one_row = self.is_the_same_in_rows(choice)
        VectorLoop(self.module, self.region, choice, steps, rest, self.counters, choice.wraps, one_row).build()
        if choice.rows is not None and choice.rows.narrow == 1:
            self.region.add_attribute(fr.IN_TURN)
        self.forget("lane")
        self.forget(f"wraps{1 - choice.dimension}")
        return choice

    def counters_to_check(self):
        """Counters that the loop over the group makes sure of."""
        return counters_of(self.region)

    def is_the_same_in_rows(self, choice):
        """Whether each row of a group does the same, and nothing else is done for the group, in code that is made
        again: then the kernel's function is for a row."""
        frame = fr.frame_of(self.region)
        if not self.lowering.is_made_again or choice.dimension or frame["lid.1"].has_users or frame["lid.2"].has_users:
            return False
        group = get_function(self.module, f"{self.region.attribute_text(fr.KERNEL)}.group")
        if group is None or group.n_instructions > CALL_AND_RETURN:
            return False
        group.add_attribute(fr.ROWS)
        return True

    def forget(self, what=""):
        """Erase the functions made so far, or those whose suffix begins with `what`."""
        gone = [f for f in self.made if f.name[len(self.region.name) + 1:].startswith(what)]
        self.made = [f for f in self.made if f not in gone]
        for f in reversed(gone):
            f.erase()

    def best(self):
        """The Choice for lanes along dimension 0, or along dimension 1 where neighbours there lie side by side."""
        try:
            first, why = self.consider(0), None
        except Unsupported as reason:
            first, why = None, reason
        if self.asks_for_rows() and (first is None or (self.rows_gain and not first.regular)):
            try:
                second = self.consider(1)
                if first is None or second.cost < first.cost * OTHER_WAY:
                    return second
            except Unsupported:
                pass
        if first is None:
            raise why
        return first

    def other(self):
        """The Choice that an estimate speaks against, where both ways may be faster: vectors where it is for one
        work-item after the other, and the other way round, or one vector at a time where it is for several."""
        try:
            choice = self.best()
        except Tried as why:
            if not why.in_doubt:
                raise
            return self.consider(0, True)
        if choice.in_doubt:
            raise Tried("vectors might be slower")
        choice.wide = choice.width
        return choice

    def refuse_length(self):
        """What could only become too long is not tried: to find that out takes longer than the scalar code."""
        n = self.region.n_instructions
        if n > (LASTING_CODE if self.lowering.has_run_long else MOST_TRIED) and not self.lowering.width:
            raise Unsupported(f"the vector code would be too long, for {n} instructions")

    def consider(self, dimension, anyway=False):
        lane = self.lane_function(dimension)
        # of code that is made again, what is made then is asked for what is in doubt (compiler/other_way.py)
        choice = choose(lane, self.lowering.vector_bits, self.lowering.width, self.known_size(dimension), anyway,
                        not self.lowering.is_made_again, self.lowering.has_run_long)
        choice.lane, choice.dimension, choice.wraps = lane, dimension, self.wraps.get(lane)
        return choice

    def asks_for_rows(self):
        """The work-item's place in dimension 1 decides more than where its values wait in context memory."""
        frame = fr.frame_of(self.region)
        return any(not in_linear_id(user, frame) for user in frame["lid.1"].users)

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
        values = dict(zip(self.region.params, params, strict=True))
        copy_blocks(self.module, self.region.blocks, lane, values)
        for counter in self.counters:
            values[counter.add].set_wrap(counter.add.nuw or not counter.signed, counter.add.nsw or counter.signed)
        spell_out_copies(self.module, lane)
        lane.run_passes(NORMAL if len(lane.blocks) > 1 else NORMAL_STRAIGHT)
        self.before_masks(lane)
        shapes = parted_shapes(lane)
        if self.lowering.is_made_again and dimension == 0 and self.asks_for_rows():
            self.rows_gain = gains_by_rows(lane, shapes)
        self.parted = PartedTests(self.module, shapes).run()
        if self.parted:
            shapes = parted_shapes(lane)
        if self.simplified(lane, shapes, dimension):
            shapes = parted_shapes(lane)
        linearize(self.module, lane, shapes)
        return lane

    def simplified(self, lane, shapes, dimension):
        """Whether the lane's function was changed, so that its shapes are others."""
        wide = self.with_wide_indices(lane, shapes, dimension)
        return EarlyLoads(self.module, shapes).run() or wide

    def with_wide_indices(self, lane, shapes, dimension):
        """Whether the lane's function computes indices wide now that it had in 32 bits."""
        indices = WideIndices(self.module, lane, shapes, dimension)
        if not indices.sums.of:
            return False
        region, n = self.region, len(self.region.params) - len(fr.ITEM_FRAME)
        look = fr.new_function(self.module, f"{region.name}.wraps{dimension}", "lanes",
                               [(p.name, p.type) for p in region.params[:n]], fr.GROUP_FRAME, self.types.i1)
        look.set_internal()
        indices.look(look, dict(zip(lane.params[:n] + lane.params[-len(fr.GROUP_FRAME):], look.params, strict=True)))
        indices.rewrite()
        self.made.append(look)
        self.wraps[lane] = look
        return True

    def before_masks(self, lane):
        """What is done with a lane's function whose branches still part the lanes. Nobody but the group sees its local
        memory, and a vector keeps the order of its accesses: that they are volatile would make them lane by lane."""
        for inst in lane.instructions_of("load", "store"):
            if inst.is_volatile and not inst.is_atomic and pointer_of(inst).type.address_space == LOCAL:
                inst.is_volatile = False

    def with_full_paths(self, choice):
        """The choice with a lane function that looks whether all lanes take part in what is guarded, where it pays."""
        cost, lane = choice.model, choice.lane
        by_call = self.lowering.is_made_again and moves_words_alone(lane, cost.shapes) and \
            choice.width == choice.wide == lanes_of(self.lowering.vector_bits)
        if not any_worth(guards_of(lane), gains(cost.shapes, cost.strides, by_call)):
            return choice
        if not choice.whole:     # else nothing is made of the lane's function as it is
            lane = self.copied(choice.lane, "full")
            cost = Cost(lane, self.lowering.vector_bits)
        room = room_for_copies(self.known_size(choice.dimension), self.lowering)
        if not FullPaths(self.module, lane, gains(cost.shapes, cost.strides, by_call),
                         lambda inst: cost.instructions(inst, choice.wide), room).run():
            return choice
        FullLoops(self.module, lane).run()
        return choice.of_lane(lane, Cost(lane, self.lowering.vector_bits))

    def in_strips(self, choice):
        """The choice with a lane function whose walks along rows are strips, where it has such."""
        if not choice.walks.of:
            return choice
        lane, bits = choice.lane, self.lowering.vector_bits
        walks = choice.walks
        if not choice.whole:     # the form with a mask is made of it
            lane = self.copied(lane, "strips")
            walks = Cost(lane, bits).walks
        strips = Strips(self.module, lane, walks, bits)
        return choice.of_lane(lane, Cost(lane, bits, strips)) if strips.run() else choice

    def copied(self, lane, what):
        made = self.new(f".lane{lane.attribute_text(fr.LANE)}.{what}", ("active", self.types.i1))
        made.add_attribute(fr.LANE, lane.attribute_text(fr.LANE))
        copy_blocks(self.module, lane.blocks, made, dict(zip(lane.params, made.params, strict=True)))
        return made

    def widened(self, choice, width, full):
        form = self.new(f".{'all' if full else 'some'}{width}", ("lanes", self.types.i64))
        Widener(self.module, choice.lane, form, width, self.libm, full, self.lowering.vector_bits,
                choice.strides, choice.walks, choice.shapes(full), self.lowering.is_made_again).run()
        if choice.walks.strips:
            form.run_passes(UNROLLED)
        return form
