# SPDX-License-Identifier: Apache-2.0
"""Addresses, loads and stores, by the shape of the address. A part of widening (widen.py)."""
from clpy.compiler.analysis.memory import GLOBAL, LOCAL, odd_bits
from clpy.compiler.analysis.own_vectors import LONGEST, SHORT_VECTORS, WHOLE, is_filled
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.spmd.arrays import byte_offset
from clpy.compiler.spmd.lanes import OF_FOUR, Lanes, Part, common_align
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_pixels import Pixels
from clpy.llvm.ir import const_splat, const_vector, intrinsic

WORD = 4            # bytes of what gathers fetch for a lane, at least
GATHERS = 512       # bits of registers where LLVM makes gathers of words
INDEX = 32          # bits of an index that gathers take as it is
GRANULE = 16        # bytes of a register that instructions keep apart from the others
MOST_TURNED = 4     # elements of them
EXTENSIONS = ("sext", "zext")


class Memory(Part):
    """Loads, stores, addresses and private memory."""

    def __init__(self, forms, stores, strided, walking, ahead):
        super().__init__(forms)
        self.stores, self.strided, self.walking, self.ahead = stores, strided, walking, ahead
        self.pixels = Pixels(forms, stores.streams)
        self.whole = WHOLE if self.bits < GATHERS else WHOLE[1:]     # one gather brings 8 bytes of several lanes there

    def rules(self):
        return {"getelementptr": self.getelementptr, "alloca": self.alloca, "load": self.unmasked_load,
                "store": self.unmasked_store, "atomicrmw": self.atomic, "cmpxchg": self.atomic}

    def element_address(self, inst):
        """In an array whose elements lie lane by lane an index counts for all lanes' elements."""
        b, base, width = self.b, inst.operand(0), self.t.i64.const(self.width)
        offset = byte_offset(b, self.t, inst, self.forms.plainest)
        if offset.type.is_vector:
            width = const_vector([width] * self.width)
        offset = b.mul(offset, width)
        if self.shapes[inst] != VARYING:
            self.forms.scalars[inst] = b.gep(self.t.i8, self.forms.scalar(base), [offset], flags=0)
        else:
            self.forms.lanes[inst] = Lanes([b.gep(self.t.i8, self.forms.part(base), [offset], flags=0)])

    def getelementptr(self, inst):
        if inst.operand(0) in self.shapes.inside:
            self.element_address(inst)
            return
        if self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
            return
        if inst.type.is_vector:
            raise Unsupported("a vector of pointers in the source")
        base, indices = inst.operand(0), inst.operands[1:]
        pointer, index = self.forms.plainest(base), [self.index(v, inst.type.address_space) for v in indices]
        made = self.b.gep(inst.gep_source_type, pointer, index, flags=0)
        self.forms.lanes[inst] = Lanes([made])

    def index(self, value, space):
        """Gathers take indices of 32 bits with a sign. In local memory no place has one that is larger."""
        if space == LOCAL and value.opcode == "zext" and self.shapes[value] == VARYING and \
                value.operand(0).type.width == INDEX:
            return self.b.cast("sext", self.forms.part(value.operand(0)), self.forms.vec(value.type))
        return self.forms.plainest(value)

    def alloca(self, inst):
        """Each lane's copy follows the other's; the pointer of lane i is W-strided in the copies."""
        type_ = inst.allocated_type
        block = self.t.array(type_, self.width)
        made = self.b.alloca(block)
        if inst in self.shapes.private:
            made.align = 64
            self.forms.scalars[inst] = made
            return
        made.align = max(inst.align, min(64, type_.align * self.width))
        ids = self.forms.step(self.t.i64, 1)
        self.forms.lanes[inst] = Lanes([self.b.gep(type_, made, [ids])])

    def unmasked_load(self, inst):
        pointer = inst.operand(0)
        if self.shapes.uniform(pointer):
            self.forms.copy_scalar(inst)
            return
        self.forms.lanes[inst] = self.load_lanes(inst, pointer, None, inst.align)

    def load_lanes(self, inst, pointer, mask, align):
        """A value loaded by all lanes in mask; vectors that lie side by side stay in rows."""
        type_, piece = inst.type, self.strided.piece_of(inst, mask)
        if piece is not None:
            return self.strided.load_strided(inst, piece, mask, align)
        if inst in self.walking.walks:
            number = self.walking.number(type_)
            return self.walking.load_walking(inst, lambda: self.load(number, pointer, mask, align)[0], mask)
        pixels = self.pixels.load(inst, pointer, mask)
        if pixels is not None:
            return pixels
        n, pitch = self.forms.elements(type_), self.pitch(type_, pointer)
        if n > 1 and pitch == n:
            return Lanes(rows=self.load_wide(type_.element, n, pointer, mask, align))
        if n > 1 and type_.size in SHORT_VECTORS and is_filled(type_) and pitch is None:
            return self.load_short(type_, pointer, mask, align)
        return Lanes(self.load(type_, pointer, mask, align))

    def load_short(self, type_, pointer, mask, align):
        """A vector of few bytes from each lane's own place."""
        at = self.forms.part(pointer)
        if self.shapes.usually_neighbours(pointer, type_.size):
            return Lanes(rows=self.load_if_neighbours(type_, pointer, at, mask, align))
        if mask is None and type_.size in self.whole:
            each = self.load_each(type_, pointer, align)
            return Lanes(self.turned(each, type_), self.forms.concat(each))
        if self.forms.soon and type_.size == OF_FOUR * WORD == OF_FOUR * type_.element.size:
            return self.gather_columns(type_, at, mask, align)
        return Lanes(rows=self.gather_rows(type_, pointer, at, mask, align))

    def gather_columns(self, type_, at, mask, align):
        """Four words from each lane's place, two at a time, as columns of them; what is not asked for is not there in
        the end."""
        pairs = [self.gather(self.t.int(8 * LONGEST), self.forms.moved(at, distance), mask, min(align, LONGEST))
                 for distance in range(0, type_.size, LONGEST)]
        two = self.t.vector(type_.element, 2 * self.width)
        columns = [self.forms.deinterleave(self.b.cast("bitcast", pair, two), 2, 2) for pair in pairs]
        rows = self.b.cast("bitcast", self.forms.interleave(pairs), self.t.vector(type_.element, OF_FOUR * self.width))
        return Lanes([part for two in columns for part in two], rows)

    def gather_rows(self, type_, pointer, at, mask, align):
        """One gather for as much of a vector as one takes; rows of vectors."""
        unit = self.t.int(8 * min(type_.size, LONGEST))
        if unit.size == type_.size and self.in_words(unit, align) and (
                found := self.table_place(pointer, unit)) is not None:
            made = self.gather_table(unit, *found, mask)
        else:
            places = [self.forms.moved(at, distance) for distance in range(0, type_.size, unit.size)]
            made = self.forms.interleave([self.gather(unit, where, mask, min(align, unit.size)) for where in places])
        return self.b.cast("bitcast", made, self.t.vector(type_.element, type_.count * self.width))

    def unmasked_store(self, inst):
        value, pointer = inst.operands
        if self.shapes.uniform(pointer) and self.shapes.uniform(value):
            self.forms.copy_scalar(inst)
            return
        self.store(inst, value, pointer, None, inst.align)

    def pitch(self, type_, pointer):
        """Elements from one lane's value to the next where lanes lie side by side in memory, else None."""
        k, e = self.shapes[pointer], type_.scalar
        if odd_bits(e):
            if type_.is_vector:
                raise Unsupported("a vector of packed integers in memory")
            return None
        if k == VARYING or k <= 0 or k % e.size:
            return None
        n = self.forms.elements(type_)
        pitch = k // e.size
        return pitch if pitch == type_.size // e.size and pitch >= n else None

    def load(self, type_, pointer, mask, align):
        e, n, pitch = type_.scalar, self.forms.elements(type_), self.pitch(type_, pointer)
        if type_.is_struct or type_.is_array:
            raise Unsupported("a load of an aggregate")
        if pitch is not None:
            return self.forms.deinterleave(self.load_wide(e, pitch, pointer, mask, align), n, pitch)
        at = self.forms.part(pointer)
        if n == 1 and not odd_bits(e) and self.shapes.usually_neighbours(pointer, e.size):
            return [self.load_if_neighbours(e, pointer, at, mask, align)]
        if n == 1 and self.in_words(e, align) and (found := self.table_place(pointer, e)) is not None:
            return [self.gather_table(e, *found, mask)]
        made = []
        for i in range(n):
            where = self.forms.moved(at, i * e.size)
            made.append(self.gather(e, where, mask, min(align, e.align)))
        return made

    def load_wide(self, e, pitch, pointer, mask, align):
        wide, at = self.t.vector(e, pitch * self.width), self.forms.scalar(pointer)
        made = self.load_row(wide, at, mask, pitch, align)
        if mask is None and pointer.type.address_space == GLOBAL:
            self.ahead.ask(at, wide.size)
        return made

    def load_row(self, wide, at, mask, n, align):
        """One load of what lies side by side, n elements for each lane."""
        if mask is None:
            made = self.b.load(wide, at)
            made.align = max(align, 1)
            return made
        words, each = self.forms.in_whole_words(wide, n)
        if self.forms.in_registers(words, each):
            made = self.load_registers(words, at, mask, each, align)
        else:
            made = self.load_masked(words, at, self.forms.widen_mask(mask, each), align)
        return made if words == wide else self.b.cast("bitcast", made, wide)

    def load_masked(self, type_, at, mask, align):
        made = self.b.call(intrinsic(self.module, "llvm.masked.load", [type_, at.type]), [at, mask, type_.poison])
        made.add_call_attribute("align", max(align, 1), 1)
        return made

    def load_registers(self, words, at, mask, n, align):
        size = self.forms.register(words.element)
        type_, made = self.t.vector(words.element, size), []
        masks = self.forms.masks_of_registers(mask, n, size, words.count // size)
        for distance, each in zip(range(0, words.size, type_.size), masks, strict=True):
            made.append(self.load_masked(type_, self.forms.moved(at, distance), each, common_align(align, distance)))
        return self.forms.concat(made)

    def gather(self, e, pointers, mask, align):
        wide = self.forms.vec(e)
        if mask is not None and self.in_words(e, align):
            return self.gather_words(e, pointers, mask)
        f = intrinsic(self.module, "llvm.masked.gather", [wide, pointers.type])
        made = self.b.call(f, [pointers, mask if mask is not None else self.forms.all_lanes(), wide.poison])
        made.add_call_attribute("align", max(align, 1), 1)
        return made

    def in_words(self, e, align):
        """Whether gathers of it are better made of the words around it."""
        return self.bits >= GATHERS and e.size < WORD and align >= e.size and not odd_bits(e)

    def table_place(self, pointer, e):
        """(base, index, how it is extended) where lanes look with indices of 32 bits into what all share; else None."""
        if pointer.opcode != "getelementptr" or not self.shapes.uniform(pointer.operand(0)) or (
                pointer in self.shapes.inside or pointer.gep_source_type.size != e.size or len(pointer.operands) != 2):
            return None
        base, index = pointer.operands
        how = index.opcode if index.opcode in ("sext", "zext") else "sext"
        index = index.operand(0) if index.opcode == how else index
        return (base, index, how) if index.type.width <= INDEX else None

    def gather_table(self, e, base, index, how, mask):
        """Of 8 or 16 bits each: the words around them, by how many they lie behind the one that the base is in."""
        b, t = self.b, self.t
        numbers, first, each = self.forms.vec(t.i32), self.forms.scalar(base), WORD // e.size
        low = b.binop("and", b.cast("ptrtoint", first, t.i64), t.i64.const(WORD - 1))
        start = b.gep(t.i8, first, [b.sub(t.i64.null, low)], flags=0)
        index = self.forms.part(index)
        if index.type != numbers:
            index = b.cast(how, index, numbers)
        whole = b.binop("ashr" if how == "sext" else "lshr", index, const_splat(numbers, each.bit_length() - 1))
        rest = b.mul(b.binop("and", index, const_splat(numbers, each - 1)), const_splat(numbers, e.size))
        rest = b.add(rest, self.forms.splat(b.cast("trunc", low, t.i32)))
        word = b.add(whole, b.binop("lshr", rest, const_splat(numbers, 2)))
        at = b.gep(t.i32, start, [b.cast("sext", word, self.forms.vec(t.i64))], flags=0)
        return self.out_of_words(e, self.gather(t.i32, at, mask, WORD), rest)

    def out_of_words(self, e, words, place):
        """What is in the words where a number of bytes leads."""
        b = self.b
        shift = b.binop("shl", b.binop("and", place, const_splat(place.type, WORD - 1)), const_splat(place.type, 3))
        bits = b.cast("trunc", b.binop("lshr", words, shift), self.forms.vec(self.t.int(8 * e.size)))
        return bits if e.is_int else b.cast("bitcast", bits, self.forms.vec(e))

    def gather_words(self, e, pointers, mask):
        """Of 8 or 16 bits each: the aligned words around them, which lie on the same pages. LLVM has a branch for each
        lane otherwise."""
        b, t = self.b, self.t
        address = b.cast("ptrtoint", pointers, self.forms.vec(t.i64))
        clear = intrinsic(self.module, "llvm.ptrmask", [pointers.type, self.forms.vec(t.i64)])
        around = b.call(clear, [pointers, self.forms.splat(t.i64.const(-WORD))])
        words = self.gather(t.i32, around, mask, WORD)
        return self.out_of_words(e, words, b.cast("trunc", address, self.forms.vec(t.i32)))

    def load_each(self, type_, pointer, align):
        """A vector from each lane's own place: as many loads as lanes, where gathers need one an element."""
        made, place = [], self.place_in_table(pointer)
        for i in range(self.width):
            made.append(self.b.load(type_, place(i)))
            made[-1].align = max(align, 1)
        return made

    def place_in_table(self, pointer):
        """Lane -> its address. What all lanes share and a lane's index make a scalar: addresses made as vectors have to
        be taken apart, and an index from memory can be read as a scalar."""
        inside = pointer in self.shapes.inside
        if pointer.opcode != "getelementptr" or inside or not self.shapes.uniform(pointer.operand(0)) or (
                len(pointer.operands) != 2 or pointer.operand(1) not in self.forms.lanes):
            return lambda lane: self.forms.lane(pointer, lane)
        b, (base, index) = self.b, pointer.operands
        extended = index.opcode in EXTENSIONS and index.operand(0) in self.forms.lanes
        narrow = index.operand(0) if extended else index

        def place(lane):
            at = self.forms.lane(narrow, lane)
            at = b.cast(index.opcode, at, index.type) if extended else at
            return b.gep(pointer.gep_source_type, self.forms.scalar(base), [at], flags=0)
        return place

    def turned(self, each, type_):
        """One vector for each element of vectors of 16 bytes, one of each lane; None for others. Registers are filled
        such that no element has to leave its 16 bytes: one instruction brings two together then."""
        if not self.may_turn(type_):
            return None
        n, size, made = type_.count, self.forms.register(type_.element), []
        for first in range(0, self.width, size):
            made.append(self.forms.zipped([self.forms.concat(each[first + k:first + size:n]) for k in range(n)]))
        return [self.forms.concat(parts) for parts in zip(*made, strict=True)]

    def may_turn(self, type_):
        n, e = type_.count, type_.element
        return type_.size == n * e.size == GRANULE and n <= MOST_TURNED and self.forms.register(e) >= n

    def turned_back(self, parts):
        """From a vector for each element to one of each lane."""
        n, size, made = len(parts), self.forms.register(parts[0].type.element), []
        for first in range(0, self.width, size):
            chunk = const_vector([self.t.i32.const(first + i) for i in range(size)])
            rows = self.forms.zipped([self.b.shuffle(part, part, chunk) for part in parts])
            for lane in range(size):
                order = const_vector([self.t.i32.const(lane // n * n + i) for i in range(n)])
                made.append(self.b.shuffle(rows[lane % n], rows[lane % n], order))
        return made

    def load_apart(self, type_, pointer, at, mask, align):
        """Where lanes turned out not to be neighbours; vectors as rows."""
        if not type_.is_vector:
            return self.gather(type_, at, mask, min(align, type_.align))
        if mask is None and type_.size in self.whole:
            return self.forms.concat(self.load_each(type_, pointer, align))
        return self.gather_rows(type_, pointer, at, mask, align)

    def load_if_neighbours(self, type_, pointer, at, mask, align):
        """One wide load where the lanes that take part are neighbours (rows of vectors), else one each."""
        b, n = self.b, self.forms.elements(type_)
        wide = self.t.vector(type_.scalar, n * self.width)
        first, (side, apart, after) = self.look_for_neighbours(type_, pointer, at, mask)
        near = self.load_row(wide, first, mask, n, min(align, type_.size))
        b.br(after)
        b.at_end(apart)
        far = self.load_apart(type_, pointer, at, mask, align)
        b.br(after)
        self.forms.go(after)
        made = b.phi(wide)
        made.add_incoming(near, side)
        made.add_incoming(far, apart)
        return made

    def store_if_neighbours(self, value, pointer, mask, align):
        """Likewise. Where two lanes have one place, they are no neighbours, and the last one wins."""
        b, type_, at = self.b, value.type, self.forms.part(pointer)
        n = self.forms.elements(type_)
        wide = self.forms.rows(value) if n > 1 else self.forms.part(value)
        first, (_, apart, after) = self.look_for_neighbours(type_, pointer, at, mask)
        self.stores.plain_store([wide], first, mask, min(align, type_.size), n)
        b.br(after)
        b.at_end(apart)
        self.store_apart(type_, value, pointer, mask, align)
        b.br(after)
        self.forms.go(after)

    def look_for_neighbours(self, type_, pointer, at, mask):
        """Whether the indices of the lanes that take part follow each other: (where they begin, blocks for when they
        do, for when they do not, and behind), in the first of which code goes on. One lane says where: that in the
        middle where a border may hold those at the ends."""
        b, t, middle = self.b, self.t, self.width // 2 if mask is not None else 0
        root = self.shapes.root(pointer)
        base, index = root.operands
        if index.opcode == "sext":
            narrow = index.operand(0)
            if narrow.opcode in ("add", "sub") and narrow.nsw:
                index = narrow    # half as wide, and it does not wrap
        distance = b.sub(self.forms.part(index), self.forms.step(index.type, 1))
        start = b.extract_element(distance, t.i64.const(middle))
        same = b.icmp("eq", distance, self.forms.splat(start))
        if mask is not None:
            same = b.binop("or", same, b.binop("xor", mask, self.forms.all_lanes()))
        bits = b.cast("bitcast", same, t.int(self.width))
        blocks = side, apart, _ = [self.forms.new_block() for _ in range(3)]
        b.cond_br(b.icmp("eq", bits, bits.type.all_ones), side, apart)
        b.at_end(side)
        if root == pointer:
            place = b.extract_element(self.forms.part(index), t.i64.const(middle)) if middle else start
            place = place if place.type == t.i64 else b.cast("sext", place, t.i64)
            return b.gep(type_, self.forms.scalar(base), [b.sub(place, t.i64.const(middle))], flags=0), blocks
        return b.gep(type_, b.extract_element(at, t.i64.const(middle)), [t.i64.const(-middle)], flags=0), blocks

    def store(self, inst, value, pointer, mask, align):
        if self.strided.piece_of(inst, mask) is not None:
            self.strided.store_strided(inst, mask, align)
            return
        type_ = value.type
        if type_.is_struct or type_.is_array:
            raise Unsupported("a store of an aggregate")
        e, n, pitch = type_.scalar, self.forms.elements(type_), self.pitch(type_, pointer)
        if self.shapes.uniform(pointer):
            self.store_last(value, pointer, mask, align)
            return
        if self.pixels.store(value, pointer, mask):
            return
        if pitch == n:
            wide = self.forms.rows(value) if n > 1 else self.forms.part(value)
            self.stores.plain_store([wide], self.forms.scalar(pointer), mask, align, n)
            return
        short = n == 1 or (type_.size in SHORT_VECTORS and is_filled(type_))
        if short and not odd_bits(e) and self.shapes.usually_neighbours(pointer, type_.size):
            self.store_if_neighbours(value, pointer, mask, align)
        elif short:
            self.store_apart(type_, value, pointer, mask, align)
        else:
            self.scatter(e, self.forms.parts(value), self.forms.part(pointer), mask, min(align, e.align))

    def scatter(self, e, parts, at, mask, align):
        """Elements that follow each other, from where each lane's first one goes."""
        for i, p in enumerate(parts):
            where = self.forms.moved(at, i * e.size)
            f = intrinsic(self.module, "llvm.masked.scatter", [self.forms.vec(e), where.type])
            call = self.b.call(f, [p, where, mask if mask is not None else self.forms.all_lanes()])
            call.add_call_attribute("align", max(align, 1), 2)

    def store_apart(self, type_, value, pointer, mask, align):
        """A vector of few bytes to each lane's own place: one store each, or scatters of 8 bytes at a time, which take
        as long an element as those of 4."""
        if not type_.is_vector:
            self.scatter(type_, self.forms.parts(value), self.forms.part(pointer), mask, min(align, type_.align))
            return
        if mask is None and self.may_turn(type_):
            place = self.place_in_table(pointer)
            for lane, one in enumerate(self.turned_back(self.forms.parts(value))):
                self.b.store(one, place(lane)).align = max(align, 1)
            return
        unit = self.t.int(8 * min(type_.size, LONGEST))
        many = type_.size // unit.size
        if many == 1:
            units = [self.forms.rows(value)]
        else:
            parts, each = self.forms.parts(value), type_.count // many
            units = [self.forms.interleave(parts[i:i + each]) for i in range(0, type_.count, each)]
        units = [self.b.cast("bitcast", part, self.t.vector(unit, self.width)) for part in units]
        self.scatter(unit, units, self.forms.part(pointer), mask, min(align, unit.size))

    def store_last(self, value, pointer, mask, align):
        """All lanes write to one place: the last one that takes part wins."""
        if mask is None:
            self.store_lane(self.forms.lane(value, self.width - 1), pointer, align)
            return
        b, bits = self.b, self.b.cast("bitcast", mask, self.t.int(self.width))
        do, after = self.forms.new_block(), self.forms.new_block()
        b.cond_br(b.icmp("ne", bits, bits.type.const(0)), do, after)
        self.forms.go(do)
        above = b.call(intrinsic(self.module, "llvm.ctlz", [bits.type]), [bits, self.t.i1.const(1)])
        last = b.sub(bits.type.const(self.width - 1), above)
        # Frozen: LLVM may take the element in front of the branch, of no lane, and reads wherever a number says that
        # it knows to be one of the lanes.
        last = b.freeze(last if last.type == self.t.i64 else b.cast("zext", last, self.t.i64))
        self.store_lane(self.forms.lane_at(value, last), pointer, align)
        b.br(after)
        self.forms.go(after)

    def store_lane(self, value, pointer, align):
        self.b.store(value, self.forms.scalar(pointer)).align = max(align, 1)

    def atomic(self, inst):
        raise Unsupported("an atomic operation without a mask")

    def masked_load_call(self, inst):
        pointer, mask, align = inst.args
        mask = self.forms.mask_of(mask)
        if self.shapes.uniform(pointer):
            self.forms.lanes[inst] = Lanes(self.load_uniform(inst.type, pointer, mask, align.zext))
        else:
            self.forms.lanes[inst] = self.load_lanes(inst, pointer, mask, align.zext)

    def load_uniform(self, type_, pointer, mask, align):
        """One place for all lanes; nothing is read when no lane takes part."""
        if mask is None:
            made = self.b.load(type_, self.forms.scalar(pointer))
            made.align = max(align, 1)
        else:
            wanted = self.forms.reduce_or(mask)
            before, do, after = self.forms.here, self.forms.new_block(), self.forms.new_block()
            self.b.cond_br(wanted, do, after)
            self.b.at_end(do)
            value = self.b.load(type_, self.forms.scalar(pointer))
            value.align = max(align, 1)
            self.b.br(after)
            self.forms.go(after)
            made = self.b.phi(type_)
            made.add_incoming(value, do)
            made.add_incoming(type_.poison, before)
        if type_.is_vector:
            return [self.forms.splat(self.b.extract_element(made, self.t.i64.const(i))) for i in range(type_.count)]
        return [self.forms.splat(made)]
