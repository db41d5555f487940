# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of lanes that lie a few elements apart: whole vectors of memory and shuffles (strides.py finds
them). Nothing is read or written that the lanes themselves do not reach. A part of widening (widen.py)."""
from clpy.compiler.analysis.access import accessed_type, is_store, pointer_of
from clpy.compiler.analysis.strides import ANY_MASKED
from clpy.compiler.spmd.lanes import Lanes, Part, common_align
from clpy.llvm.ir import const_vector, intrinsic


class Strided(Part):
    """`windows`: strides.Group -> address of the first of its elements. `spans`: (Group, element type, place in it) ->
    what its first load read for all."""

    def __init__(self, forms, stores, strides):
        super().__init__(forms)
        self.stores, self.strides = stores, strides
        self.windows, self.spans = {}, {}

    def piece_of(self, inst, mask):
        """How an access takes part in an interleaved structure; None: it does not, or not under a mask."""
        piece = self.strides.of.get(inst)
        if piece is None or mask is None or self.bits >= ANY_MASKED:
            return piece
        return piece if not is_store(inst) and self.bits >= 256 and accessed_type(inst).scalar.size >= 4 else None

    def window(self, piece, inst):
        """Address of the lowest lane's first element; lanes of a falling stride are counted from the other end."""
        group = piece.group
        if group not in self.windows:
            back = (self.width - 1) * group.stride if group.stride < 0 else 0
            self.windows[group] = self.forms.moved(self.forms.scalar(pointer_of(inst)), back - piece.at)
        return self.forms.moved(self.windows[group], piece.start)

    def rank(self, piece, lane):
        """Which one in memory a lane is."""
        return lane if piece.group.stride > 0 else self.width - 1 - lane

    def gathered(self, sources, order):
        """One vector of elements (source, index), or None, of vectors as long as itself, by shuffles of two."""
        used = sorted({at[0] for at in order if at is not None})
        none, n = self.t.i32.poison, len(order)
        level = [(sources[u], {at: at[1] for at in order if at is not None and at[0] == u}) for u in used]
        if not level:
            return sources[0].type.poison
        if len(level) == 1:
            level.append((sources[0].type.poison, {}))
        while len(level) > 1:
            made = []
            for (one, first), (two, second) in zip(level[::2], level[1::2], strict=False):
                last = len(level) == 2
                places = list(dict.fromkeys(order)) if last else [*first, *second]
                mask = [none] * n
                where = {}
                for i, at in enumerate(order if last else places):
                    if at in first or at in second:
                        mask[i] = self.t.i32.const(first[at] if at in first else n + second[at])
                        where[at] = i
                made.append((self.b.shuffle(one, two, const_vector(mask)), where))
            level = made + ([level[-1]] if len(level) % 2 else [])
        return level[0][0]

    # --- loads

    def load_strided(self, inst, piece, mask, align):
        e, n, size = inst.type.scalar, piece.count, self.forms.register(inst.type.scalar)
        key = (piece.group, e, piece.start)
        if key not in self.spans:
            align = common_align(align, piece.at - piece.start, piece.group.stride)
            at = self.window(piece, inst)
            self.spans[key] = self.load_masked(e, piece, at, mask, align) if mask is not None else \
                self.load_span(e, piece, at, align)
        chunks, place = self.spans[key]
        wanted = [[place(self.rank(piece, lane), piece.place + i) for lane in range(self.width)] for i in range(n)]
        if n > 1 and n & (n - 1) == 0:
            wanted = [[wanted[i][lane] for lane in range(self.width) for i in range(n)]]
        made = [self.forms.concat([self.gathered(chunks, order[at:at + size]) for at in range(0, len(order), size)])
                for order in wanted]
        return Lanes(rows=made[0]) if len(made) < n else Lanes(made)

    def load_span(self, e, piece, at, align):
        """All from the first element that is touched to the last, in pieces, and where in them a lane's slot is. The
        last piece ends where the span does."""
        slots = [i for i, touched in enumerate(piece.touched) if touched]
        first, size = slots[0], self.forms.register(e)
        span = (self.width - 1) * piece.pitch + slots[-1] - first + 1
        starts = list(range(0, span - size + 1, size))
        if starts[-1] != span - size:
            starts.append(span - size)
        chunks = []
        for start in starts:
            distance = (first + start) * e.size
            chunks.append(self.b.load(self.t.vector(e, size), self.forms.moved(at, distance)))
            chunks[-1].align = common_align(align, distance)

        def place(lane, slot):
            x = lane * piece.pitch + slot - first
            chunk = min(x // size, len(starts) - 1)
            return chunk, x - starts[chunk]
        return chunks, place

    def load_masked(self, e, piece, at, mask, align):
        size = self.forms.register(e)
        wide = self.t.vector(e, size)
        f = intrinsic(self.module, "llvm.masked.load", [wide, at.type])
        chunks = []
        for n, bits in enumerate(self.woven_mask(e, piece, mask)):
            distance = n * size * e.size
            chunks.append(self.b.call(f, [self.forms.moved(at, distance), bits, wide.poison]))
            chunks[-1].add_call_attribute("align", common_align(align, distance), 1)
        return chunks, lambda lane, slot: divmod(lane * piece.pitch + slot, size)

    def woven_mask(self, e, piece, mask):
        """A lane's bit for each of its slots that is touched, in pieces."""
        none, size = self.forms.vec(self.t.i1).null, self.forms.register(e)
        ranks = {self.rank(piece, lane): lane for lane in range(self.width)}
        order = [ranks[lane] if piece.touched[slot] else self.width
                 for lane in range(self.width) for slot in range(piece.pitch)]
        mask = mask if mask is not None else self.forms.all_lanes()
        return [self.b.shuffle(mask, none, const_vector([self.t.i32.const(i) for i in order[at:at + size]]))
                for at in range(0, len(order), size)]

    # --- stores

    def store_strided(self, inst, mask, align):
        """The last store of a group writes for all; the others do nothing."""
        group = self.strides.last.get(inst)
        if group is None:
            return
        piece = self.strides.of[inst]
        at = self.window(piece, inst)
        e = self.common_type(group)
        align = common_align(align, piece.at, group.stride)
        wide = self.woven(group, piece, e)
        if mask is None and group.is_complete:
            self.stores.plain_store(wide, at, None, align)
            return
        f = intrinsic(self.module, "llvm.masked.store", [wide[0].type, at.type])
        for n, (chunk, bits) in enumerate(zip(wide, self.woven_mask(e, piece, mask), strict=True)):
            distance = n * chunk.type.size
            call = self.b.call(f, [chunk, self.forms.moved(at, distance), bits])
            call.add_call_attribute("align", common_align(align, distance), 2)

    def woven(self, group, piece, e):
        """All that a group stores as it lies in memory, in pieces."""
        size, sources, slots = self.forms.register(e), [], {}
        for store, at in group.members:
            for i, (vector, places) in enumerate(self.columns(store.operand(0))):
                how = "ptrtoint" if vector.type.element.is_pointer else "bitcast"
                if vector.type.element != e:
                    vector = self.b.cast(how, vector, self.t.vector(e, vector.type.count))
                base = len(sources)
                sources += self.forms.cut(vector, size)
                for n, place in enumerate(places):
                    slots[at // e.size + i + n] = base, place
        ranks = {self.rank(piece, lane): lane for lane in range(self.width)}

        def source(lane, slot):
            if slot not in slots:
                return None
            base, place = slots[slot]
            at = place(ranks[lane])
            return base + at // size, at % size
        order = [source(lane, slot) for lane in range(self.width) for slot in range(piece.pitch)]
        return [self.gathered(sources, order[at:at + size]) for at in range(0, len(order), size)]

    def columns(self, value):
        """The vectors of a value, each with functions that tell where in it a lane's elements are."""
        n = self.forms.elements(value.type)
        rows = self.forms.rows_of(value) if n > 1 and n & (n - 1) == 0 else None
        if rows is None:
            return [(part, [lambda lane: lane]) for part in self.forms.parts(value)]
        return [(rows, [lambda lane, i=i: lane * n + i for i in range(n)])]

    def common_type(self, group):
        """The members' element type, integers where they differ."""
        types = {accessed_type(store).scalar for store, _ in group.members}
        return types.pop() if len(types) == 1 else self.t.int(8 * next(iter(types)).size)
