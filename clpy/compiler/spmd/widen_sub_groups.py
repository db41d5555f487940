# SPDX-License-Identifier: Apache-2.0
"""Functions of a sub-group, which is a vector of work-items: permutes, operations between lanes. A part of widening.

What is the same for all lanes (a reduction, a ballot, the value of one lane) is a scalar. Lanes that do not take part
have the identity of an operation in its place.
"""
from clpy.compiler.analysis.builtin_table import SUB_GROUP
from clpy.compiler.frame import local_linear_id
from clpy.compiler.spmd.lanes import Lanes, Part
from clpy.compiler.spmd.sub_groups import combine, identity, parts_of
from clpy.llvm.ir import const_splat, const_vector, intrinsic

WORD = 32


class SubGroups(Part):
    """`names`: parameters of the function that is made."""

    def __init__(self, forms, names):
        super().__init__(forms)
        self.names = names

    def call(self, inst, row):
        if not row.name.startswith(SUB_GROUP):
            self.forms.scalars[inst] = self.number(row.name)
            return
        how, what = parts_of(row)
        if what:
            getattr(self, how)(inst, what)
        else:
            getattr(self, how)(inst)

    def number(self, name):
        b, t = self.b, self.t
        if name == "get_sub_group_local_id":     # it counts along the lanes
            return t.i32.const(0)
        if name == "get_max_sub_group_size":
            return t.i32.const(self.width)
        if name == "get_sub_group_size":
            least = intrinsic(self.module, "llvm.umin", [t.i64])
            return b.cast("trunc", b.call(least, [self.names["lanes"], t.i64.const(self.width)]), t.i32)
        return b.cast("trunc", b.binop("udiv", local_linear_id(b, self.names), t.i64.const(self.width)), t.i32)

    # --- masks

    def ballot(self, inst):
        chosen, mask = self.forms.part(inst.args[0]), self.forms.mask_of(inst.args[1])
        if mask is not None:
            chosen = self.b.select(mask, chosen, chosen.type.null)
        self.forms.scalars[inst] = self.b.cast("zext", self.forms.as_bits(chosen), inst.type)

    # --- values of other lanes

    def shuffle(self, inst):
        value, index, _ = inst.args
        b, last = self.b, index.type.const(self.width - 1)
        if self.shapes.uniform(index):
            lane = b.cast("zext", b.binop("and", self.forms.scalar(index), last), self.t.i64)
            self.forms.scalars[inst] = b.freeze(self.forms.lane_at(value, lane))
            return
        order = b.binop("and", self.forms.part(index), self.forms.splat(last))
        self.forms.lanes[inst] = Lanes([self.permuted(part, order) for part in self.forms.parts(value)])

    def permuted(self, vector, order):
        """Processors permute words: what is narrower is made wider, what is wider is halves."""
        b, t, element = self.b, self.t, vector.type.element
        words = self.forms.vec(t.i32)
        bits = element.size * 8
        vector = b.cast("bitcast", vector, self.forms.vec(t.int(bits))) if element.is_float else vector
        if bits <= WORD:
            made = self.picked(vector if bits == WORD else b.cast("zext", vector, words), order)
            made = made if bits == WORD else b.cast("trunc", made, vector.type)
        else:
            by = self.forms.splat(t.i64.const(WORD))
            low, high = (b.cast("zext", self.picked(b.cast("trunc", half, words), order), vector.type)
                         for half in (vector, b.binop("lshr", vector, by)))
            made = b.binop("or", low, b.binop("shl", high, by))
        return b.cast("bitcast", made, self.forms.vec(element)) if element.is_float else made

    def picked(self, words, order):
        """Where a sub-group has several registers, from that of them in which a lane's value is."""
        most = self.bits // WORD
        if self.width <= most:
            return self.permute(words, order)
        sources = self.registers(words, most)
        return self.forms.concat([self.picked_of(sources, each, most) for each in self.registers(order, most)])

    def registers(self, vector, size):
        orders = [[self.t.i32.const(first + n) for n in range(size)] for first in range(0, self.width, size)]
        return [self.b.shuffle(vector, vector, const_vector(order)) for order in orders]

    def picked_of(self, sources, order, size):
        b, type_ = self.b, order.type
        within = b.binop("and", order, const_splat(type_, size - 1))
        which = b.binop("lshr", order, const_splat(type_, size.bit_length() - 1))
        made = self.permute(sources[0], within)
        for n, source in enumerate(sources[1:], 1):
            made = b.select(b.icmp("eq", which, const_splat(type_, n)), self.permute(source, within), made)
        return made

    def permute(self, words, order):
        """The form that LLVM makes a permute with the processor's own instruction of."""
        b, out = self.b, words.type.poison
        for i in range(words.type.count):
            at = self.t.i64.const(i)
            out = b.insert_element(out, b.extract_element(words, b.extract_element(order, at)), at)
        return out

    def moved(self, vector, lanes, fill=None):
        """Lane n gets that of `lanes[n]`; None: what `fill` is."""
        order = const_vector([self.t.i32.const(self.width if n is None else n) for n in lanes])
        return self.b.shuffle(vector, vector if fill is None else self.forms.splat(fill), order)

    # --- operations

    def taking_part(self, inst, fill):
        """The vector of the first argument, `fill` in lanes that do not take part."""
        vector, mask = self.forms.part(inst.args[0]), self.forms.mask_of(inst.args[-1])
        return vector if mask is None else self.b.select(mask, vector, self.forms.splat(fill))

    def exchanged(self, vector, what, distance):
        """Each lane's value and that of the lane whose number differs in one bit."""
        other = self.moved(vector, [n ^ distance for n in range(self.width)])
        return combine(self.module, self.b, what, vector, other)

    def distances(self):
        return [1 << n for n in range(self.width.bit_length() - 1)]

    def reduce(self, inst, what):
        vector = self.taking_part(inst, identity(inst.type, what))
        for distance in reversed(self.distances()):
            vector = self.exchanged(vector, what, distance)
        self.forms.scalars[inst] = self.b.extract_element(vector, self.t.i64.const(0))

    def clustered(self, inst, what):
        """Clusters are as large as all lanes say, by the language a constant."""
        vector, size = self.taking_part(inst, identity(inst.type, what)), self.forms.part(inst.args[1])
        for distance in self.distances():
            larger = self.b.icmp("ugt", size, self.forms.splat(self.t.i32.const(distance)))
            vector = self.b.select(larger, self.exchanged(vector, what, distance), vector)
        self.forms.lanes[inst] = Lanes([vector])

    def inclusive(self, inst, what):
        fill = identity(inst.type, what)
        self.forms.lanes[inst] = Lanes([self.scanned(self.taking_part(inst, fill), what, fill)])

    def exclusive(self, inst, what):
        """The sum of nothing is 0, of either sign; the language has the one without."""
        fill = identity(inst.type, what)
        fill = fill.type.null if what == "add" else fill
        before = self.moved(self.taking_part(inst, fill), [None, *range(self.width - 1)], fill)
        self.forms.lanes[inst] = Lanes([self.scanned(before, what, fill)])

    def scanned(self, vector, what, fill):
        for distance in self.distances():
            before = self.moved(vector, [*[None] * distance, *range(self.width - distance)], fill)
            vector = combine(self.module, self.b, what, before, vector)
        return vector
