# SPDX-License-Identifier: Apache-2.0
"""Values of a vector of work-items, and their forms: what all parts of widening (widen.py) share."""
from clpy.compiler.analysis.memory import odd_bits
from clpy.compiler.analysis.own_vectors import OwnVectors
from clpy.compiler.analysis.shapes import VARYING, lane_shapes
from clpy.compiler.spmd.layout import Unsupported
from clpy.llvm.ir import Builder, Function, Inst, Types, const_splat, const_vector

CACHE_LINE = 64
WORD = 4             # bytes
OF_FOUR = 4          # elements of a pixel, and words of a part of a register that most shuffles stay in
ANY_TWO = 512        # bits of registers of which one instruction takes any elements of two
KEPT = ("alias.scope", "noalias", "invariant.load")   # of a load, for its elements


class Lanes:
    """A widened value: `parts` vectors of W lanes, one per element of the source's vector type (one for a scalar).

    A value of a vector type may be kept as it lies in memory instead, `rows`: one vector with the elements of lane 0,
    then those of lane 1, and so on. Elementwise work needs no shuffles then.
    """

    __slots__ = ("parts", "rows")

    def __init__(self, parts=None, rows=None):
        self.parts = parts
        self.rows = rows


class Forms:
    """The state of widening one function, which all parts of it share: the values and blocks that are made, and how a
    value is seen, as a scalar, as vectors, in rows, or in one lane.

    `scalars`: uniform or strided value -> its scalar (of lane 0). `lanes`: varying value -> Lanes. `starts`, `ends`:
    block of the source -> the block that begins it, and the one that its successors come after. `here`: the block that
    is being filled. `in_rows`: elementwise instructions whose values are kept in rows. `soon`: code that LLVM selects
    in less time is worth more than what it finds by itself.
    """

    def __init__(self, module, source, target, width, full, bits, shapes=None, soon=False):
        self.module, self.source, self.target = module, source, target
        self.width, self.full, self.bits, self.soon = width, full, bits, soon
        self.t, self.b = Types(module), Builder(module)
        self.shapes = shapes or lane_shapes(source, 0 if full else VARYING)
        self.in_rows = OwnVectors(self.shapes, width).rows
        self.scalars, self.lanes, self.loaded = {}, {}, {}
        self.starts, self.ends = {}, {}
        self.here = None

    def elements(self, type_):
        return type_.count if type_.is_vector else 1

    def part_types(self, type_):
        """Element types of the vectors that make a value: one per element of a vector, per field of a structure."""
        if type_.is_struct and not any(f.is_struct or f.is_array or f.is_vector for f in type_.fields):
            return type_.fields
        if type_.is_struct or type_.is_array or type_.scalar.is_struct or type_.target_ext_name:
            raise Unsupported("an aggregate that differs between lanes")
        return [type_.scalar] * self.elements(type_)

    def vec(self, type_):
        return self.t.vector(type_, self.width)

    def scalar(self, value):
        """The value itself when uniform, lane 0's when strided."""
        if value in self.scalars:
            return self.scalars[value]
        if value.is_constant:
            return value
        raise Unsupported(f"no scalar for {value} {self.shapes[value]} {value in self.lanes}")

    def step(self, type_, stride):
        return const_vector([type_.const(i * stride) for i in range(self.width)])

    def splat(self, value):
        """One vector with `value` in every lane."""
        if value.is_constant:
            return const_vector([value] * self.width) if not value.is_undef else self.vec(value.type).poison
        one = self.b.insert_element(self.vec(value.type).poison, value, self.t.i64.const(0))
        zero = self.vec(self.t.i32).null
        return self.b.shuffle(one, self.vec(value.type).poison, zero)

    def element(self, scalar, i):
        """Of a uniform vector. A constant that is an expression tells no elements."""
        if scalar.is_constant:
            element = scalar.const_element(i)
            return self.b.extract_element(scalar, self.t.i64.const(i)) if element is None else element
        op = scalar.opcode
        if op == "shufflevector" and scalar.shuffle_mask[i] >= 0:
            source, n = scalar.shuffle_mask[i], scalar.operand(0).type.count
            return self.element(scalar.operand(source // n), source % n)
        if op == "insertelement" and scalar.operand(2).is_const_int:
            return scalar.operand(1) if scalar.operand(2).zext == i else self.element(scalar.operand(0), i)
        if op == "load" and not (scalar.is_volatile or scalar.is_atomic or odd_bits(scalar.type.element)):
            return self.element_of_load(scalar, i)
        return self.b.extract_element(scalar, self.t.i64.const(i))

    def element_of_load(self, load, i):
        """Loaded by itself, where the vector is: a load gives an element to all lanes, shuffles take turns."""
        if (load, i) not in self.loaded:
            at, e = self.b.block, load.type.element
            self.b.before(load.next) if load.next is not None else self.b.at_end(load.block)
            made = self.b.load(e, self.moved(load.operand(0), i * e.size))
            made.align = common_align(load.align, i * e.size)
            for kind in KEPT:
                made.set_metadata(kind, load.metadata(kind))
            self.loaded[load, i] = made
            self.b.at_end(at)
        return self.loaded[load, i]

    def parts(self, value):
        """The vectors of a value, made from the scalar where it is uniform or strided."""
        if value in self.lanes:
            lanes = self.lanes[value]
            if lanes.parts is None:
                self.split_rows(value, lanes)
            return lanes.parts
        type_, k = value.type, self.shapes[value]
        scalar = self.scalar(value)
        if type_.is_vector:
            return [self.splat(self.element(scalar, i)) for i in range(type_.count)]
        if type_.is_struct:
            return [self.splat(self.b.extract_value(scalar, i)) for i in range(len(type_.fields))]
        if k == 0:
            return [self.splat(scalar)]
        if type_.is_pointer:
            return [self.b.gep(self.t.i8, scalar, [self.step(self.t.i64, k)], flags=0)]
        return [self.b.add(self.splat(scalar), self.step(type_, k))]

    def part(self, value):
        return self.parts(value)[0]

    def plainest(self, value):
        """The scalar of a uniform value, else the vector of one that differs."""
        return self.scalar(value) if self.shapes.uniform(value) else self.part(value)

    def split_rows(self, value, lanes):
        """Make the parts of a value kept in rows, next to where the rows were made: its users may be anywhere."""
        at = self.b.block
        if isinstance(lanes.rows, Inst):
            following = lanes.rows.next
            while following is not None and following.opcode == "phi":
                following = following.next
            if following is not None:
                self.b.before(following)
            else:
                self.b.at_end(lanes.rows.block)
        n = self.elements(value.type)
        lanes.parts = self.deinterleave(lanes.rows, n, n)
        self.b.at_end(at)

    def rows_of(self, value):
        """The rows of a vector-typed value where they are there or cost nothing, else None."""
        if value in self.lanes:
            return self.lanes[value].rows
        scalar = self.scalar(value)
        n = value.type.count
        order = const_vector([self.t.i32.const(i % n) for i in range(n * self.width)])
        elements = [scalar.const_element(i) if scalar.is_constant else None for i in range(n)]
        if None not in elements:
            return const_vector(elements * self.width)
        return self.b.shuffle(scalar, scalar, order)

    def rows(self, value):
        """The rows of a vector-typed value, made from its parts where it has none."""
        found = self.rows_of(value)
        return found if found is not None else self.interleave(self.parts(value))

    def widen_mask(self, mask, n):
        """Each lane's bit n times in a row."""
        if mask is None or n == 1:
            return mask
        return self.b.shuffle(mask, mask, const_vector([self.t.i32.const(i // n) for i in range(self.width * n)]))

    def in_registers(self, wide, n):
        """Whether a masked access to n elements of each lane is better made of one for each register: LLVM takes twice
        as long for a mask of more elements."""
        size = self.register(wide.element)
        return self.soon and n > 1 and self.bits < ANY_TWO and wide.element.size >= WORD and wide.count % size == 0

    def masks_of_registers(self, mask, n, size, count):
        """Each lane's bit n times in a row, for `count` registers of `size` elements."""
        return [self.b.shuffle(mask, mask, const_vector([self.t.i32.const((at + i) // n) for i in range(size)]))
                for at in range(0, size * count, size)]

    def in_whole_words(self, wide, n):
        """(type, elements of a lane) in which memory is masked where each lane has n of the elements: no processor
        before AVX-512 masks bytes, and LLVM has a branch for each of them."""
        of_lane = wide.element.size * n
        for size in (8, 4):
            if wide.element.size < size and n > 1 and of_lane % size == 0 and wide.element.size < WORD:
                return self.t.vector(self.t.int(8 * size), wide.size // size), of_lane // size
        return wide, n

    def lane(self, value, i):
        """Lane i (a number) of a value, as the source would see it."""
        k = self.shapes[value]
        if value not in self.lanes:
            scalar = self.scalar(value)
            if k in (0, VARYING) or i == 0:
                return scalar
            if value.type.is_pointer:
                return self.b.gep(self.t.i8, scalar, [self.t.i64.const(k * i)], flags=0)
            return self.b.add(scalar, value.type.const(k * i))
        parts, index = self.parts(value), self.t.i64.const(i)
        if not value.type.is_vector:
            return self.b.extract_element(parts[0], index)
        return self.vector_of(value.type, (self.b.extract_element(p, index) for p in parts))

    def lane_at(self, value, lane):
        """Lane `lane` (an i64 known at run time) of a value."""
        b, k = self.b, self.shapes[value]
        if value not in self.lanes:
            scalar = self.scalar(value)
            if k in (0, VARYING):
                return scalar
            step = b.mul(lane, self.t.i64.const(k))
            if value.type.is_pointer:
                return b.gep(self.t.i8, scalar, [step], flags=0)
            return b.add(scalar, step if value.type == self.t.i64 else b.cast("trunc", step, value.type))
        parts = [b.extract_element(p, lane) for p in self.parts(value)]
        return self.vector_of(value.type, parts) if value.type.is_vector else parts[0]

    def vector_of(self, type_, elements):
        """A value of a vector type of the source; an element may be made when its turn comes."""
        out = type_.poison
        for n, element in enumerate(elements):
            out = self.b.insert_element(out, element, self.t.i64.const(n))
        return out

    def interleave(self, parts):
        """n vectors of W lanes to one with each lane's n elements in a row."""
        n = len(parts)
        if n == 1:
            return parts[0]
        if all(part == parts[0] for part in parts):
            return self.widen_mask(parts[0], n)
        if self.in_steps(parts[0].type.element, n):
            size = self.register(parts[0].type.element)
            columns = [self.cut(part, size) for part in parts]
            return self.concat([row for chunk in zip(*columns, strict=True) for row in self.woven(chunk)])
        wide = self.concat(parts)
        order = [self.t.i32.const((i % n) * self.width + i // n) for i in range(n * self.width)]
        return self.b.shuffle(wide, wide, const_vector(order))

    def concat(self, parts):
        """Vectors one after the other in one; a power of two at a time."""
        parts = list(parts)
        while len(parts) & (len(parts) - 1):
            parts.append(parts[0].type.poison)
        while len(parts) > 1:
            size = parts[0].type.count
            order = const_vector([self.t.i32.const(i) for i in range(2 * size)])
            parts = [self.b.shuffle(parts[i], parts[i + 1], order) for i in range(0, len(parts), 2)]
        return parts[0]

    def deinterleave(self, wide, n, pitch):
        if pitch == 1:
            return [wide]
        e = wide.type.element
        if n == pitch and e.is_int and n * e.width == 8 * WORD:
            words = self.b.cast("bitcast", wide, self.vec(self.t.i32))
            return [self.b.cast("trunc", self.b.binop("lshr", words, const_splat(words.type, 8 * e.size * i)),
                                self.vec(e)) for i in range(n)]
        if n == pitch and self.in_steps(e, n):
            rows = self.cut(wide, self.register(e))
            chunks = [self.unwoven(rows[at:at + n]) for at in range(0, len(rows), n)]
            return [self.concat(column) for column in zip(*chunks, strict=True)]
        if self.soon and pitch == OF_FOUR and self.width % self.register(e) == 0 and self.bits < ANY_TWO:
            if e.size == WORD and self.register(e) % OF_FOUR == 0:
                return self.columns(wide)[:n]
            if e.size == WORD // 2:
                return self.halves(wide)[:n]
        return [self.b.shuffle(wide, wide, const_vector(
            [self.t.i32.const(lane * pitch + i) for lane in range(self.width)])) for i in range(n)]

    def columns(self, wide):
        """Rows of four words to columns, by shuffles that are an instruction each: LLVM finds such for any order of 32
        elements, in four times as long as it takes for these."""
        size = self.register(wide.type.element)
        rows = self.cut(wide, size)
        chunks = [self.zipped(self.blocks(rows[at:at + OF_FOUR])) for at in range(0, len(rows), OF_FOUR)]
        return [self.concat(column) for column in zip(*chunks, strict=True)]

    def blocks(self, rows):
        """Registers of one block of four words, or two: such that the first ones of all are those that followed each
        other."""
        if rows[0].type.count == OF_FOUR:
            return rows
        a, b, c, d = rows
        orders = [const_vector([self.t.i32.const(which * 2 * OF_FOUR + at + i) for which in (0, 1)
                                for i in range(OF_FOUR)]) for at in (0, OF_FOUR)]
        return [self.b.shuffle(*pair, order) for pair in ((a, c), (b, d)) for order in orders]

    def zipped(self, rows):
        """n vectors of blocks of n elements: those of a block change places with the vectors."""
        n, size = len(rows), rows[0].type.count
        low, high = (const_vector([self.t.i32.const(which * size + block + half + k) for block in range(0, size, n)
                                   for k in range(n // 2) for which in (0, 1)]) for half in (0, n // 2))
        for _ in range(n.bit_length() - 1):
            rows = [self.b.shuffle(one, two, order) for one, two in zip(rows[:n // 2], rows[n // 2:], strict=True)
                    for order in (low, high)]
        return rows

    def halves(self, wide):
        """Likewise of elements half as long, which are two in a word."""
        e, words = wide.type.element, self.t.vector(self.t.i32, wide.type.count // 2)
        made = []
        for column in self.deinterleave(self.b.cast("bitcast", wide, words), 2, 2):
            for low in (column, self.b.binop("lshr", column, const_splat(column.type, 8 * e.size))):
                half = self.b.cast("trunc", low, self.vec(self.t.int(8 * e.size)))
                made.append(half if e.is_int else self.b.cast("bitcast", half, self.vec(e)))
        return made

    def in_steps(self, e, n):
        """Whether n elements are woven two by two: a shuffle of any two registers is one instruction."""
        return self.bits >= ANY_TWO and n & (n - 1) == 0 and WORD <= e.size <= 2 * WORD

    def cut(self, vector, size):
        """A vector in pieces of `size` elements."""
        n = vector.type.count
        if n == size:
            return [vector]
        return [self.b.shuffle(vector, vector, const_vector([self.t.i32.const(i) for i in range(at, at + size)]))
                for at in range(0, n, size)]

    def unwoven(self, rows):
        """n registers whose elements take turns to n registers of one of them each."""
        if len(rows) == 1:
            return rows
        n, halves = rows[0].type.count, []
        for first in (0, 1):
            order = const_vector([self.t.i32.const(2 * i + first) for i in range(n)])
            halves.append(self.unwoven([self.b.shuffle(a, b, order)
                                        for a, b in zip(rows[::2], rows[1::2], strict=True)]))
        return [part for pair in zip(*halves, strict=True) for part in pair]

    def woven(self, parts):
        """The way back."""
        if len(parts) == 1:
            return parts
        n = parts[0].type.count
        orders = [const_vector([self.t.i32.const(n * (i % 2) + half + i // 2) for i in range(n)])
                  for half in (0, n // 2)]
        pairs = zip(self.woven(parts[::2]), self.woven(parts[1::2]), strict=True)
        return [self.b.shuffle(a, b, order) for a, b in pairs for order in orders]

    def new_block(self):
        return self.target.append_block("lane")

    def go(self, block):
        self.here = block
        self.b.at_end(block)

    def reduce_or(self, mask):
        """Whether a bit is set: a compare of the mask as one integer."""
        bits = self.b.cast("bitcast", mask, self.t.int(self.width))
        return self.b.icmp("ne", bits, bits.type.const(0))

    def mask_of(self, value):
        """None when all lanes are known to be in the mask."""
        if (value.is_const_int and value.zext) or (self.full and value.name == "active"):
            return None
        if value in self.scalars and self.scalars[value].is_const_int and self.scalars[value].zext:
            return None
        return self.part(value)

    def all_lanes(self):
        return self.vec(self.t.i1).all_ones

    def as_bits(self, mask):
        return self.b.cast("bitcast", mask, self.t.int(self.width))

    def moved(self, pointer, distance):
        if distance == 0:
            return pointer
        return self.b.gep(self.t.i8, pointer, [self.t.i64.const(distance)], flags=0)

    def register(self, e):
        """Lanes of one register: memory is read, shuffled and written in pieces of so many elements."""
        return min(self.width, max(2, self.bits // 8 // e.size))

    def copy_scalar(self, inst):
        """Uniform or strided: the same instruction on lane 0."""
        new = inst.clone()
        for n, v in enumerate(inst.operands):
            if not v.is_block and not v.is_metadata and not isinstance(v, Function):
                new.set_operand(n, self.scalar(v))
        self.b.insert(new)
        if self.shapes[inst] not in (0, VARYING):
            drop_flags(new)
        if not inst.is_void:
            self.scalars[inst] = new

    def keep_fast_math(self, made, inst):
        for new in made:
            if isinstance(new, Inst):
                new.fast_math = inst.fast_math

    def entry_alloca(self, type_, align):
        """Room on the stack, from the function's entry on."""
        first, at = self.starts[self.shapes.cfg.blocks[0]].first, self.b.block
        made = self.b.before(first).alloca(type_) if first is not None else self.b.alloca(type_)
        made.align = align
        self.b.at_end(at)
        return made

    def stack_array(self, element):
        """Room for a value of each lane."""
        return self.entry_alloca(self.vec(element), CACHE_LINE)


def drop_flags(inst):
    """A scalar that stands for lane 0 is computed even when lane 0 does not take part."""
    if inst.opcode in ("add", "sub", "mul", "shl"):
        inst.set_wrap(False, False)
    elif inst.opcode == "getelementptr":
        inst.set_gep_flags(0)


def common_align(align, *distances):
    """What is left of a place's alignment at these distances from it."""
    align = max(align, 1)
    for distance in distances:
        while distance % align:
            align //= 2
    return align


class Part:
    """A job of widening. What does not change in the state is at hand here too."""

    def __init__(self, forms):
        self.forms = forms
        self.module, self.b, self.t = forms.module, forms.b, forms.t
        self.shapes, self.width, self.bits = forms.shapes, forms.width, forms.bits
