# SPDX-License-Identifier: Apache-2.0
"""How many work-items a region runs at a time: an estimate of cycles for one and for W lanes. An analysis.

Numbers are rough costs in simple operations on a core with W-lane registers; what matters are the ratios. Where a
number is of something that can be run alone, `make costs` measures it (bench/costs.py); behind it stands what that said
on a Zen 3 with AVX2, scaled so that a gather's lane is 3. All others say where they are from.
"""
from copy import copy

from clpy.compiler.analysis.access import accessed_type, is_access, is_store, local_atomics, pointer_of
from clpy.compiler.analysis.builtin_table import MATH, row_of
from clpy.compiler.analysis.chains import Chains
from clpy.compiler.analysis.columns import of_whole_lines
from clpy.compiler.analysis.inner_loops import InnerLoops
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.own_vectors import pieces_of
from clpy.compiler.analysis.rare_calls import is_rare_call, leads_to_rare
from clpy.compiler.analysis.rows import rows_of
from clpy.compiler.analysis.shapes import VARYING, lane_shapes
from clpy.compiler.analysis.strides import Strides
from clpy.compiler.analysis.walks import Walks
from clpy.compiler.spmd.doubts import Tried, may_be_faster, may_be_slower
from clpy.compiler.spmd.layout import Unsupported

RARE = 0.01              # how often what is marked as cold runs: assumed, as the mark is for that
LOOP_WEIGHT = 8          # how often a loop body runs compared with what is around it: assumed, nobody knows
GATHER, SCATTER = 3, 3   # per lane; 3 (by definition), 2.0 to 3.1. About as much as scalar accesses
USUAL = 6                # an access that turns out to be of neighbours; 7.1 to 8.3 for a load
WALK = 12                # a vector of what is read row by row and transposed; 20, 15 with SSE
INNER = 1.5              # vectors of an inner loop's turns, beside those of work-items: what is before and behind them.
                         # an estimate, nothing that can be run alone
FAR = 1                  # a scalar load in a loop, of what lies side by side across work-items; 2.7, 0.4 with SSE
STALL = 30               # a vector of what some lanes stored just before, which the processor does not hand on: it
                         # waits. 15 to 45 ns in a loop around an atomic compare-exchange, on the same Zen 3
GUARDED = 3              # per lane, beside the effect itself; 4.5 to 6.5
EFFECT = 8               # an atomic operation or a call; 11 to 13
LOCAL_EFFECT = 2         # an atomic operation on local memory, which will be a plain one; 1.2 to 1.4
LIBM_SCALAR, LIBM_VECTOR = 30, 30    # a call, and one for a register; 24 to 28, 48 to 52 (sin, arguments up to 4)
MOST_ELEMENTS = 256      # of one vector in the IR: what LLVM takes here, not a cost
NEARLY_ALL = 0.75        # of the work: a threshold, no cost
PARTING = 1.5            # a divergent loop runs as long as its slowest lane: an estimate. If W lanes left anywhere with
                         # the same likelihood it were 2 W / (W + 1) of the mean, but neighbours do alike
REGISTERS = {512: 32, 256: 16, 128: 16}    # of the instruction set
CROWDED = 0.84           # so much cheaper must a few lanes be whose rows just fit in a cache: a threshold, no cost. At
                         # 0.87 two rows 4 KiB apart took 1.8 times as long as one by one, on the same Zen 3
WAITING = 3              # times as long as its work takes a turn waits for the one before: more vectors then
DEEP = 60                # cycles of a turn's longest chain: a processor that looks some hundred operations ahead finds
                         # too little else to do in the next turns. Chains of 75 and 85 (exp, sin and cos amid sums)
                         # took 1.25 times as long one vector at a time, on the same Zen 3
CODE = 4000              # instructions of one form of a region that are worth compiling: a bound, no cost
STRAIGHT_CODE = 10000    # and of one without loops
LASTING_CODE = 40000     # and where a kernel has run for long: hashes are thousands of instructions a block
STACK_BYTES = 1 << 17    # private arrays of all lanes: a bound, no cost


class Choice:
    """`width` lanes in one vector, `wide` lanes (a multiple) where several vectors at a time pay; `cost` per lane;
    `step`: launches see to it that groups have a multiple of so many work-items along the lanes, and ids do not wrap
    (0: they do not); `whole`: that is `width`, and there is no code for other groups;
    `regular`: no gathers or scatters; `once`: memory is passed over once; `strides`: the interleaved structures of the
    function; `rows`: where fewer lanes at a time are faster (Rows), or None; `model`: its Cost; `why` no more;
    `in_doubt`: one work-item after the other might be faster."""

    def __init__(self, width, wide, per_lane, cost, why=""):
        self.why, self.model = why, cost
        self.regular = cost.is_regular()
        self.once = self.regular and not cost.reads_in_loops()
        self.note(cost)
        self.width = width
        self.wide = wide
        self.cost = per_lane
        self.step, self.whole, self.rows, self.in_doubt = 0, False, None, False

    def of_lane(self, lane, cost):
        """The same for another function for a lane, of which `cost` is."""
        other = copy(self)
        other.lane = lane
        other.note(cost)
        return other

    def note(self, cost):
        """What the cost knows of the lane's function."""
        self.strides, self.walks = cost.strides, cost.walks
        self.masked_shapes, self.full_shapes = cost.shapes, None

    def shapes(self, full):
        """Shapes of the values of the lane's function in a form for all lanes, or in one with a mask."""
        if not full:
            return self.masked_shapes
        if self.full_shapes is None:
            self.full_shapes = lane_shapes(self.lane, 0, self.masked_shapes.cfg)
        return self.full_shapes


class Cost:
    """Costs of the linearized one-lane function `lane`, per lane when scalar and for `width` lanes as vectors. To be
    asked as long as the function stays as it is."""

    def __init__(self, lane, bits, strips=None):
        self.lane, self.bits = lane, bits
        self.vectors, self.codes = {}, {}     # answers, by width
        self.shapes = lane_shapes(lane, VARYING)
        self.cfg = self.shapes.cfg
        self.strides = Strides(self.shapes, bits)
        self.walks = Walks(self.shapes, bits, self.strides, strips)
        self.inner = InnerLoops(self.walks)
        self.weights = [LOOP_WEIGHT ** min(loop.depth, 4) if loop else 1 for loop in self.cfg.loop_of]
        self.insts = [(b, inst) for b, block in enumerate(self.cfg.blocks) for inst in block.instructions]
        for b in {b for b, inst in self.insts if is_rare_call(inst)}:
            self.weights[b] *= RARE
        self.waits = set(self.loads_that_wait())

    def loads_that_wait(self):
        """Loads of a loop from a place where it stores for some of the lanes that are in it."""
        for b, load in self.insts:
            loop = self.cfg.loop_of[b]
            if loop is not None and is_masked(load, "load") and not self.is_made_in(load.args[0], loop) and any(
                    at in loop.blocks and self.is_partial(store, loop) and store.args[1] == load.args[0]
                    and store.args[2] != load.args[1] for at, store in self.insts):
                yield load

    def is_partial(self, inst, loop):
        """A store for lanes that are found in the loop; those that are in it are told by a phi, or from outside."""
        return is_masked(inst, "store") and self.is_made_in(inst.args[2], loop) and inst.args[2].opcode != "phi"

    def is_made_in(self, value, loop):
        return bool(value.opcode) and self.cfg.number[value.block] in loop.blocks

    def dominant_bits(self):
        """(element size that most of the varying work is done in, an instruction, with a place in the source if there
        is one); 8 and 16 bits count as 32."""
        work, first = {}, {}
        for b, inst in self.insts:
            if self.shapes[inst] != VARYING or inst.type.is_void or inst.opcode in ("sext", "zext", "getelementptr"):
                continue
            e = inst.type.scalar
            size = 32 if not (e.is_int or e.is_float) or e.size < 4 else e.size * 8
            is_math = inst.opcode == "call" and row_of(inst.callee.name) is not None
            work[size] = work.get(size, 0) + self.weights[b] * (LIBM_VECTOR if is_math else 1)
            if inst.opcode != "phi" and (size not in first or not first[size].place):
                first[size] = inst
        size = max(work, key=work.get) if work else 32
        return size, first.get(size)

    def in_own_vectors(self):
        """Whether nearly all that varies is computed on vectors of the source that fill registers. One work-item is a
        vector then; several would need many times the registers."""
        full = work = 0
        if not any(inst.type.is_vector for _, inst in self.insts):
            return False
        for b, inst in self.insts:
            if self.shapes[inst] == VARYING and not inst.type.is_void:
                cost = self.weights[b] * self.one(inst)
                work += cost
                full += cost * self.is_full(inst)
        return full > NEARLY_ALL * work

    def is_full(self, inst):
        if inst.opcode == "call" and row_of(inst.callee.name) is not None:   # of each element
            inst = next((v for v in inst.args if v.opcode == "extractelement"), inst)
        return any(t.is_vector and t.size * 8 >= self.bits for t in (inst.type, *(v.type for v in inst.operands)))

    def dearest(self, width):
        """What vectors lose most by, and where it is."""
        b, inst = max(self.insts, key=lambda x: self.weights[x[0]] * (self.many(x[1], width) * self.parting(x[0])
                                                                       - self.one(x[1]) * width))
        name = inst.callee.name if inst.opcode == "call" else inst.opcode
        what = f"calls of {name}"
        if name.startswith("clpy.guarded"):
            what = "what runs work-item after work-item"
        elif is_access(inst):
            what = "scattered stores" if is_store(inst) else "gathered loads"
        elif inst.opcode != "call":
            what = "a loop that work-items leave one by one" if self.parting(b) > 1 else name
        return what + located(inst)

    def scalar(self):
        """One work-item after the other, where LLVM makes vectors of the turns of some inner loops."""
        inner = {b: INNER * 8 * self.inner.elements(loop) / self.bits for loop in self.inner.found for b in loop.blocks}
        return sum(self.weights[b] * inner.get(b, 1) * (self.one(inst) + self.far(b, inst)) for b, inst in self.insts)

    def far(self, b, inst):
        """In a loop one work-item after the other walks over what all of them could read side by side."""
        loop = self.cfg.loop_of[b]
        if loop is None or inst.opcode != "call" or not inst.callee.name.startswith("clpy.mload"):
            return 0
        near = self.shapes[inst.args[0]] == inst.type.size
        return FAR if near and self.moves(inst.args[0], loop) else 0

    def moves(self, value, loop, depth=0):
        """The value changes from iteration to iteration."""
        if depth > 6 or not self.is_made_in(value, loop):
            return False
        return value.opcode == "phi" or any(self.moves(v, loop, depth + 1) for v in value.operands)

    def one(self, inst):
        """One lane of an instruction as scalar code; vectors of the source fill registers as far as they go."""
        return self.unit(inst) * self.pieces(inst, self.bits // 8)

    def pieces(self, inst, size):
        """Operations on `size` bytes that one lane of an instruction takes."""
        type_ = accessed_type(inst) if is_store(inst) else inst.type
        if not type_.is_vector or inst.opcode in ("insertelement", "shufflevector"):
            return 1
        return max(1, type_.count * type_.element.size / size)

    def unit(self, inst):
        """One operation on an element, or on a register of them."""
        op = inst.opcode
        if op in ("phi", "ret", "getelementptr", "sext", "zext", "trunc", "bitcast", "addrspacecast", "freeze"):
            return 0.3
        if op == "call":
            name = inst.callee.name
            if name.startswith("clpy.guarded"):
                return self.effect(inst)
            if name.startswith("clpy.any"):
                return 0.5
            return LIBM_SCALAR if row_of(name) is not None else 1
        if op == "select" and inst.type.is_int and inst.type.width == 1:
            return 0.3
        return 5 if op in ("fdiv", "udiv", "sdiv", "urem", "srem", "frem") else 1

    def effect(self, inst):
        return LOCAL_EFFECT if local_atomics(inst.callee) else EFFECT

    def vector(self, width):
        if width not in self.vectors:
            weights = [weight * self.parting(b) for b, weight in enumerate(self.weights)]
            self.vectors[width] = sum(weights[b] * self.many(inst, width) for b, inst in self.insts)
        return self.vectors[width]

    def parting(self, b):
        loop, factor = self.cfg.loop_of[b], 1.0
        while loop is not None:
            if self.is_uneven(loop):
                factor *= PARTING
            loop = loop.parent
        return factor

    def is_uneven(self, loop):
        """Lanes leave the loop by a condition that is neither uniform nor a consecutive number's bound."""
        for b, _ in loop.exits:
            condition = self.cfg.blocks[b].terminator.operand(0)
            if condition.opcode == "call":
                return not self.even_condition(condition.args[0], 0)
        return False

    def even_condition(self, value, depth):
        op = value.opcode
        if depth > 6 or self.shapes.uniform(value):
            return True
        if op == "select":
            return all(self.even_condition(v, depth + 1) for v in value.operands)
        if op == "icmp":
            return all(self.shapes[v] != VARYING for v in value.operands)
        return op == "phi" or (op == "xor" and self.even_condition(value.operand(0), depth + 1)) or value.is_argument

    def many(self, inst, width):
        """`width` lanes of an instruction as vector code."""
        op, shape = inst.opcode, self.shapes[inst]
        if op == "call":
            return self.call(inst, width)
        if op == "load":
            return 1 if self.shapes.uniform(inst.operand(0)) else self.access(inst, width, GATHER)
        if op == "store":
            return 1 if self.shapes.uniform(inst.operand(1)) else self.access(inst, width, SCATTER)
        if shape != VARYING:
            return self.one(inst)
        if op in ("phi", "ret", "br", "getelementptr"):
            return 0.5 * self.registers(inst.type, width) if op == "getelementptr" else 0.2
        return self.unit(inst) * self.elements_of(inst) * self.registers(inst.type, width)

    def elements_of(self, inst):
        return inst.type.count if inst.type.is_vector and inst.opcode != "insertelement" else 1

    def registers(self, type_, width):
        e = type_.scalar
        size = 1 if e.is_int and e.width == 1 else max(e.size if e.is_int or e.is_float else 8, 1)
        return max(1, size * 8 * width / self.bits)

    def access(self, inst, width, irregular):
        type_, pointer = accessed_type(inst), pointer_of(inst)
        n, k = (type_.count if type_.is_vector else 1), self.shapes[pointer]
        if k == 0:
            return 2
        if k != VARYING and k == type_.size:
            return n * self.registers(type_, width) * (1 if n == 1 else 2)
        if inst in self.strides.of:
            return self.strides.of[inst].cost() * self.registers(type_, width)
        if inst in self.walks.of:
            return WALK * type_.size * 8 * width / self.bits
        n = pieces_of(type_)
        if self.shapes.usually_neighbours(pointer, type_.size):
            return USUAL * n * self.registers(type_, width)
        return n * width * irregular

    def call(self, inst, width):
        name = inst.callee.name
        if name.startswith("clpy.mload"):
            return 0.5 + self.access(inst, width, GATHER) + STALL * (inst in self.waits)
        if name.startswith("clpy.mstore"):
            return 0.5 + self.access(inst, width, SCATTER)
        if name.startswith("clpy.guarded"):
            return width * (GUARDED + self.effect(inst))
        if name.startswith("clpy.any"):
            return 2
        if self.shapes[inst] != VARYING:
            return self.one(inst)
        if intrinsic_base(name):
            return self.unit(inst) * self.elements_of(inst) * self.registers(inst.type, width)
        row = row_of(name)
        if row is not None and row.kind == MATH:
            return LIBM_VECTOR * self.registers(inst.type, width)
        return width * LIBM_SCALAR

    def is_regular(self):
        """Every access is of one place or of neighbours."""
        for _, inst in self.insts:
            if inst.opcode == "call" and inst.callee.name.startswith(("clpy.mload", "clpy.mstore")):
                type_, pointer = accessed_type(inst), pointer_of(inst)
                if self.shapes[pointer] not in (0, type_.size) and inst not in self.strides.of and \
                        not self.shapes.usually_neighbours(pointer, type_.size):
                    return False
        return True

    def reads_in_loops(self):
        """Some loop, but for those that only look around a place, reads or writes memory."""
        return any(is_access(inst) and not self.is_around(self.cfg.loop_of[b]) for b, inst in self.insts)

    def is_around(self, loop):
        """The loop and those around it run a few iterations; None is no loop."""
        return loop is None or (self.walks.is_short(loop) and self.is_around(loop.parent))

    def code(self, width):
        """Machine instructions of one form, roughly."""
        if width not in self.codes:
            self.codes[width] = sum(self.instructions(inst, width) for _, inst in self.insts)
        return self.codes[width]

    def instructions(self, inst, width):
        op = inst.opcode
        if op == "call" and inst.callee.name.startswith("clpy.guarded"):
            return 30 if is_rare_call(inst) else 6 * width
        if op == "call" and inst.callee.name.startswith(("clpy.mload", "clpy.mstore")):
            return self.access_code(inst, width)
        if self.shapes[inst] != VARYING:
            return 1
        if op == "call" and not intrinsic_base(inst.callee.name):
            row = row_of(inst.callee.name)
            return 4 * self.registers(inst.type, width) if row is not None and row.kind == MATH else 4 * width
        n = inst.type.count if inst.type.is_vector else 1
        return n * self.registers(inst.type, width) if not inst.is_void else 1

    def access_code(self, inst, width):
        type_, pointer = accessed_type(inst), pointer_of(inst)
        n, k = (type_.count if type_.is_vector else 1), self.shapes[pointer]
        if k in (0, type_.size):
            return n * self.registers(type_, width)
        if inst in self.strides.of:
            return 2 * self.strides.of[inst].cost() * self.registers(type_, width)
        if inst in self.walks.of:
            return 8 * width
        n = pieces_of(type_)
        if type_.size // n < 4:   # gathers and scatters of 8 and 16 bits are made of branches
            return 4 * n * width
        return 2 * n * self.registers(type_, width)

    def live_vectors(self):
        """Vectors that stay in registers through the innermost loops, roughly."""
        most = 0
        inner = [lp for lp in self.cfg.loops if not any(o.parent is lp for o in self.cfg.loops)]
        for loop in inner:
            values = set()
            for b in loop.blocks:
                for inst in self.cfg.blocks[b].instructions:
                    if inst.opcode == "phi" and self.shapes[inst] == VARYING:
                        values.add(inst)
                    for v in inst.operands:
                        if self.shapes[v] == VARYING and v.opcode and \
                                self.cfg.number[v.block] not in loop.blocks:
                            values.add(v)
            most = max(most, sum(v.type.count if v.type.is_vector else 1 for v in values))
        return most

    def elements(self):
        """Of the largest vector in the source and the longest stride, rounded up to a power of two."""
        most = max([inst.type.count for _, inst in self.insts if inst.type.is_vector]
                   + [piece.pitch for piece in self.strides.of.values()], default=1)
        return 1 << (most - 1).bit_length()

    def is_apart(self, b, call):
        """A call in a loop is one for each vector, or decides for all of them what is done in the loop. That of what is
        rare does not count, nor does the question whether a lane is still in the loop."""
        if not call.callee.name.startswith("clpy.any"):
            return not is_rare_call(call) and (row_of(call.callee.name) is not None
                                               or call.callee.name.startswith("clpy.guarded"))
        loop, ways = self.cfg.loop_of[b], self.cfg.succs[b]
        leaves = any(way not in loop.blocks for way in ways)
        return not leaves and not any(leads_to_rare(self.cfg, way) for way in ways)

    def several(self, width):
        """(How many vectors at a time, why not more): where a uniform inner loop shares loads and has registers to
        spare, or its turns wait for each other."""
        inside = [(b, inst) for b, inst in self.insts if self.cfg.loop_of[b] is not None]
        if not inside:
            return 1, ""
        apart = next((inst for b, inst in inside if inst.opcode == "call" and self.is_apart(b, inst)), None)
        if apart is not None:
            return 1, "a call, a side effect or a divergent branch in a loop" + located(apart)
        why, chains = self.shares_nothing(inside), Chains(self.cfg, self.shapes, lambda inst: self.many(inst, width))
        if why and chains.room() < WAITING:
            return 1, why
        need, have = self.live_vectors() + 3, REGISTERS[self.bits]
        even = not any(self.is_uneven(loop) for loop in self.cfg.loops)
        if need * 4 <= have and even:
            return 4, ""      # lanes wait for the last one to leave: the more, the longer
        fits = need * 2 <= have or (even and need <= have + 3 and chains.depth() >= DEEP)
        return 2 if fits else 1, f"a loop keeps about {need} of {have} registers busy"

    def shares_nothing(self, inside):
        """Why several vectors have no loads to share in loops, or ''."""
        for _, inst in inside:
            if inst.opcode == "call" and inst.callee.name.startswith("clpy.mload") and \
                    self.shapes.usually_neighbours(inst.args[0], inst.type.size):
                return "a load that is mostly of neighbours" + located(inst)   # the rarer, the more lanes
        if self.walks.of:
            return "rows that each work-item walks along" + located(next(iter(self.walks.of)))
        return ""


def is_masked(inst, what):
    return inst.opcode == "call" and inst.callee.name.startswith(f"clpy.m{what}")


def choose(lane, bits, forced, known_size, anyway=False, doubts=True, lasting=False):
    """Choice for a linearized function, or Unsupported with the reason. `forced`: lanes asked for by the user, or 0;
    `known_size`: work-items along the lanes where the kernel says so, else 0; `anyway`: also where the estimate speaks
    against it; `doubts`: whether somebody asks for `in_doubt`; `lasting`: whether a kernel has run for so long
    that even long code is worth its time."""
    cost = Cost(lane, bits)
    if forced:
        return Choice(forced, forced, cost.vector(forced) / forced, cost)
    size, typical = cost.dominant_bits()
    width = bits // size
    while known_size and width > known_size and width > 1:
        width //= 2
    if width < 2:
        raise Unsupported("the work-group is one work-item wide")
    one, many = cost.scalar() * width, cost.vector(width)
    if many >= 0.9 * one and not anyway:
        raise Tried(f"{width} work-items at a time cost about {many:.0f}, one after the other {one:.0f}, most "
                    f"by {cost.dearest(width)}", doubts and may_be_faster(cost, width), bool(cost.inner.found))
    if cost.in_own_vectors() and not anyway:
        raise Tried("the vectors in the source fill registers", doubts and may_be_faster(cost, width))
    whole = min(of_whole_lines(cost.cfg, cost.shapes, size), 2 * width)    # more registers for a value are too many
    if whole > width and not (known_size and known_size % whole) and not too_long(cost, whole, lasting=False):
        width = whole
    several, why = cost.several(width)
    wide = width * several
    while wide > width and (excess := too_wide(cost, wide, known_size)):
        wide, why = wide // 2, excess
    if too_long(cost, width, lasting):
        raise Unsupported(f"the vector code would be too long, about {cost.code(width):.0f} instructions")
    if width * private_bytes(cost.lane) > STACK_BYTES:
        raise Unsupported("the private arrays of several work-items are too large for the stack")
    why = [f"{size}-bit values{located(typical)}"] * (size > 32 and width < 2 * bits // size) + [why] * bool(why)
    choice = Choice(width, wide, cost.vector(width) / width, cost, "; ".join(why))
    choice.rows = rows_of(cost.walks, width, wide, lambda few: cost.vector(few) < CROWDED * few * cost.scalar())
    choice.in_doubt = doubts and may_be_slower(cost, width)
    return choice


def too_long(cost, width, lasting):
    """The code of one form. Without a loop LLVM makes vectors of the work-items' loop where this does not, of any
    length, and as long again for the rest: refusing saves little then."""
    return cost.code(width) > (LASTING_CODE if lasting else CODE if cost.cfg.loops else STRAIGHT_CODE)


def too_wide(cost, wide, known_size):
    """Why so many lanes are too many, or ''."""
    if known_size and wide > known_size:
        return f"groups of {known_size}"
    if wide * private_bytes(cost.lane) > STACK_BYTES:
        return "private arrays"
    if wide * cost.elements() > MOST_ELEMENTS:
        return "vectors in the source"
    return "the length of the code" if cost.code(wide) > CODE // 4 else ""


def private_bytes(lane):
    """Of a work-item's private arrays."""
    return sum(inst.allocated_type.size for inst in lane.instructions_of("alloca"))


def located(inst):
    return f" at {inst.place}" if inst is not None and inst.place else ""
