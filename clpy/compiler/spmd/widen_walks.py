# SPDX-License-Identifier: Apache-2.0
"""Loads of lanes that each walk along a row of their own (walks.py): blocks of rows, transposed, on the stack.

A block holds what the next iterations load, a vector of lanes for each. It is filled when it is used up; a lane's row
is read no further than to the end of the page in which the lane reads anyway, so a block may hold fewer iterations than
it has room for. A loop that turns out to be too short for a block gathers. A part of widening (widen.py).
"""
from clpy.compiler.spmd.lanes import Lanes, Part
from clpy.llvm.ir import const_vector, intrinsic, md_make_distinct, md_node

PAGE = 4096
SHUFFLED = 16    # bytes within which elements change places by one instruction
WORTH = 0.75     # of a block must be used: to fill one takes as long as so many gathers


class Walking(Part):
    """`walks`: load -> the loop in which it walks, `known` finds them. `resets`: (loop, what counts in it and begins
    with 0). `few`: loop -> (where it says whether it has few turns, how many those are), None where it cannot."""

    def __init__(self, forms, known):
        super().__init__(forms)
        self.known, self.walks, self.resets, self.few = known, known.of if known is not None else {}, [], {}
        self.strips = known.strips if known is not None else {}

    def load_walking(self, inst, gather, mask):
        """`gather` makes the load the other way, of numbers as large as what is loaded."""
        made = self.load_numbers(inst, gather, mask)
        if not inst.type.is_vector:
            return Lanes([made])
        return Lanes(rows=self.b.cast("bitcast", made, self.t.vector(inst.type.element, inst.type.count * self.width)))

    def number(self, type_):
        """Vectors of the source are read as numbers."""
        return self.t.int(8 * type_.size) if type_.is_vector else type_

    def load_numbers(self, inst, gather, mask):
        loop, e = self.walks[inst], self.number(inst.type)
        if loop in self.strips:
            return self.load_in_strip(inst, self.strips[loop].counter, mask)
        few = self.is_few(loop, e)
        if few is None:
            return self.load_block(inst, loop, mask)
        b, apart, block, after = self.b, self.forms.new_block(), self.forms.new_block(), self.forms.new_block()
        b.cond_br(b.load(self.t.i1, few), apart, block)
        self.forms.go(apart)
        one, one_end = gather(), self.forms.here
        b.br(after)
        self.forms.go(block)
        other, other_end = self.load_block(inst, loop, mask), self.forms.here
        b.br(after)
        self.forms.go(after)
        made = b.phi(self.forms.vec(e))
        made.add_incoming(one, one_end)
        made.add_incoming(other, other_end)
        return made

    def is_few(self, loop, e):
        """Where it stands whether a loop that has been entered has few turns; None where that is not known before."""
        if loop not in self.few:
            slot = self.forms.entry_alloca(self.t.i1, 1) if self.known.ends(loop) else None
            self.few[loop] = slot and (slot, int(self.forms.register(e) * WORTH))
        return self.few[loop] and self.few[loop][0]

    def load_block(self, inst, loop, mask):
        b, t, e = self.b, self.t, self.number(inst.type)
        size = self.forms.register(e)
        block = self.forms.entry_alloca(t.array(self.forms.vec(e), size), 64)
        left, place = self.forms.entry_alloca(t.i64, 8), self.forms.entry_alloca(t.i64, 8)
        self.resets.append((loop, left))
        at = self.forms.part(inst.operand(0))
        fill, use = self.forms.new_block(), self.forms.new_block()
        b.cond_br(b.icmp("eq", b.load(t.i64, left), t.i64.const(0)), fill, use)
        self.forms.go(fill)
        b.store(self.fill(e, size, at, mask, block), left)
        b.store(t.i64.const(0), place)
        b.br(use)
        self.forms.go(use)
        now = b.load(t.i64, place)
        made = b.load(self.forms.vec(e), b.gep(self.forms.vec(e), block, [now]))
        b.store(b.add(now, t.i64.const(1)), place)
        b.store(b.sub(b.load(t.i64, left), t.i64.const(1)), left)
        return made

    def load_in_strip(self, inst, turn, mask):
        """All lanes that take part make as many turns as a block holds: each reads all of its row."""
        b, t, e = self.b, self.t, self.number(inst.type)
        size = self.forms.register(e)
        block = self.forms.entry_alloca(t.array(self.forms.vec(e), size), 64)
        place = b.binop("and", self.forms.scalar(turn), t.i64.const(size - 1))
        fill, use = self.forms.new_block(), self.forms.new_block()
        at = self.forms.part(inst.operand(0))
        b.cond_br(b.icmp("eq", place, t.i64.const(0)), fill, use)
        self.forms.go(fill)
        if mask is not None:
            nowhere = self.forms.entry_alloca(t.vector(e, size), 64)
            at = b.select(mask, at, self.forms.splat(b.cast("addrspacecast", nowhere, inst.operand(0).type)))
        pointers = [b.extract_element(at, t.i64.const(i)) for i in range(self.width)]
        for first in range(0, self.width, size):
            self.put(e, self.columns(e, pointers[first:first + size]), block, first)
        b.br(use)
        self.forms.go(use)
        return b.load(self.forms.vec(e), b.gep(self.forms.vec(e), block, [place]))

    def columns(self, e, pointers):
        """Of as many elements behind each of `pointers`, which fill a register. Halves of two rows are put together as
        they are loaded, so that there is less to shuffle."""
        n = len(pointers)
        if n * e.size <= SHUFFLED:
            return self.transposed([self.some_of_row(e, n, pointer, 0) for pointer in pointers])
        half = n // 2
        both, made = const_vector([self.t.i32.const(i) for i in range(n)]), []
        for first in (0, half):
            parts = [self.some_of_row(e, half, pointer, first) for pointer in pointers]
            made += self.transposed([self.b.shuffle(parts[i], parts[i + half], both) for i in range(half)])
        return made

    def some_of_row(self, e, many, pointer, first):
        made = self.b.load(self.t.vector(e, many), self.b.gep(e, pointer, [self.t.i64.const(first)]))
        made.align = e.size
        return made

    def fill(self, e, size, at, mask, block):
        """Read a block; returns how many iterations it holds."""
        b, t = self.b, self.t
        many = const_vector([t.i64.const(size)] * self.width)
        low_bits = const_vector([t.i64.const(PAGE - 1)] * self.width)
        used = b.binop("and", b.cast("ptrtoint", at, self.forms.vec(t.i64)), low_bits)
        room = b.binop("udiv", b.sub(const_vector([t.i64.const(PAGE)] * self.width), used),
                       const_vector([t.i64.const(e.size)] * self.width))
        umin = intrinsic(self.module, "llvm.umin", [room.type])
        # an element may lie across the end of its page: its lane reads it in any case
        room = b.call(intrinsic(self.module, "llvm.umax", [room.type]),
                      [b.call(umin, [room, many]), const_vector([t.i64.const(1)] * self.width)])
        shortest = room if mask is None else b.select(mask, room, many)
        held = b.call(intrinsic(self.module, "llvm.vector.reduce.umin", [shortest.type]), [shortest])
        if mask is None:     # no more than the block will hold of any: the same mask for all
            inside = [self.first_of(size, held)] * self.width
        else:
            taken = b.select(mask, room, self.forms.vec(t.i64).null)
            inside = [self.first_of(size, b.extract_element(taken, t.i64.const(i))) for i in range(self.width)]
        rows = [self.row(e, size, b.extract_element(at, t.i64.const(i)), inside[i]) for i in range(self.width)]
        for first in range(0, self.width, size):
            self.put(e, self.transposed(rows[first:first + size]), block, first)
        return held

    def put(self, e, columns, block, first):
        """A block gets columns, of lanes from `first` on."""
        for n, column in enumerate(columns):
            place = self.b.gep(e, block, [self.t.i64.const(n * self.width + first)])
            self.b.store(column, place).align = e.size

    def first_of(self, size, n):
        """A mask of the first n of `size` elements."""
        b, t = self.b, self.t
        none = t.vector(t.i64, size).poison
        count = b.shuffle(b.insert_element(none, n, t.i64.const(0)), none, t.vector(t.i32, size).null)
        return b.icmp("ult", const_vector([t.i64.const(i) for i in range(size)]), count)

    def row(self, e, size, pointer, inside):
        """`size` elements from where a lane is, as many of them as there is room for."""
        wide = self.t.vector(e, size)
        load = intrinsic(self.module, "llvm.masked.load", [wide, pointer.type])
        made = self.b.call(load, [pointer, inside, wide.poison])
        made.add_call_attribute("align", e.align if e.align < e.size else e.size, 1)
        return made

    def transposed(self, rows):
        """Each run of as many elements as there are rows. Square blocks change places, from halves down to what is
        shuffled at once, which is interleaved."""
        rows, n = list(rows), len(rows)
        size = rows[0].type.count
        few = max(2, min(n, SHUFFLED // rows[0].type.element.size))
        d = n // 2
        while d >= few:
            upper = const_vector([self.t.i32.const(j if not j & d else size + j - d) for j in range(size)])
            lower = const_vector([self.t.i32.const(j + d if not j & d else size + j) for j in range(size)])
            for i in range(n):
                if not i & d:
                    one, two = rows[i], rows[i + d]
                    rows[i], rows[i + d] = self.b.shuffle(one, two, upper), self.b.shuffle(one, two, lower)
            d //= 2
        return [column for i in range(0, n, few) for column in self.interleaved(rows[i:i + few], size)]

    def interleaved(self, rows, size):
        """The same for rows of few elements."""
        few = len(rows)
        low, high = (const_vector([self.t.i32.const(j % 2 * size + j // few * few + at + j % few // 2)
                                   for j in range(size)]) for at in (0, few // 2))
        for _ in range(few.bit_length() - 1):
            pairs = list(zip(rows[:few // 2], rows[few // 2:], strict=True))
            rows = [self.b.shuffle(*pair, half) for pair in pairs for half in (low, high)]
        return rows

    def end(self, block, branch):
        """A loop of one strip is unrolled: what it loads is in registers then."""
        if any(block == strip.latch for strip in self.strips.values()):
            full = md_node(self.module, ["llvm.loop.unroll.full"])
            branch.set_metadata("llvm.loop", md_make_distinct(md_node(self.module, [None, full])))

    def reset_walks(self):
        """A loop that is entered begins with an empty block."""
        for loop, left in self.resets:
            for block in self.entries(loop):
                self.b.at_end(self.forms.ends[block])
                self.b.store(self.t.i64.const(0), left)
        for loop, found in self.few.items():
            if found is not None:
                self.tell_few(loop, *found)

    def entries(self, loop):
        """The blocks from which a loop is entered."""
        cfg = self.shapes.cfg
        return [cfg.blocks[b] for b in cfg.preds[loop.header] if b not in loop.blocks]

    def tell_few(self, loop, slot, most):
        counter, bound = self.known.ends(loop)
        for start, block in counter.incoming:
            if block in self.entries(loop):
                self.b.at_end(self.forms.ends[block])
                turns = self.b.sub(self.forms.scalar(bound), self.forms.scalar(start))
                self.b.store(self.b.icmp("ult", turns, turns.type.const(most)), slot)
