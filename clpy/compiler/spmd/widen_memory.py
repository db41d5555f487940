# SPDX-License-Identifier: Apache-2.0
"""Memory access of a vector of work-items, by the shape of the address. Part of the widening pass (widen.py)."""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.memory import base_of, odd_bits
from clpy.compiler.analysis.transfer import VARYING
from clpy.compiler.spmd.arrays import byte_offset
from clpy.compiler.spmd.lanes import Lanes
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_strides import common_align
from clpy.compiler.spmd.widen_walks import WalkForms
from clpy.llvm.ir import const_vector, intrinsic, md_node

CACHE_LINE = 64
WORD = 4            # bytes of what gathers fetch for a lane, at least
GATHERS = 512       # bits of registers where LLVM makes gathers of words
WHOLE = (8, 16)     # bytes of a vector that one scalar load brings


class MemoryForms(WalkForms):
    """Loads, stores, addresses and private memory."""

    def element_address(self, inst):
        """In an array whose elements lie lane by lane an index counts for all lanes' elements."""
        b, base, width = self.b, inst.operand(0), self.t.i64.const(self.width)
        offset = byte_offset(b, self.t, inst, lambda v: self.scalar(v) if self.shapes.uniform(v) else self.part(v))
        if offset.type.is_vector:
            width = const_vector([width] * self.width)
        offset = b.mul(offset, width)
        if self.shapes[inst] != VARYING:
            self.scalars[inst] = b.gep(self.t.i8, self.scalar(base), [offset], flags=0)
        else:
            self.lanes[inst] = Lanes([b.gep(self.t.i8, self.part(base), [offset], flags=0)])

    def do_getelementptr(self, inst):
        if inst.operand(0) in self.shapes.inside:
            self.element_address(inst)
            return
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        if inst.type.is_vector:
            raise Unsupported("a vector of pointers in the source")
        base, indices = inst.operand(0), inst.operands[1:]
        pointer = self.scalar(base) if self.shapes.uniform(base) else self.part(base)
        index = []
        for v in indices:
            index.append(self.scalar(v) if self.shapes.uniform(v) else self.part(v))
        made = self.b.gep(inst.gep_source_type, pointer, index, flags=0)
        self.lanes[inst] = Lanes([made])

    def do_alloca(self, inst):
        """Each lane's copy follows the other's; the pointer of lane i is W-strided in the copies."""
        type_ = inst.allocated_type
        entry = self.blocks[self.shapes.cfg.blocks[0]]
        entry = entry[0] if isinstance(entry, tuple) else entry
        block = self.t.array(type_, self.width)
        made = self.b.alloca(block)
        if inst in self.shapes.private:
            made.align = 64
            self.scalars[inst] = made
            return
        made.align = max(inst.align, min(64, type_.align * self.width))
        ids = self.step(self.t.i64, 1)
        self.lanes[inst] = Lanes([self.b.gep(type_, made, [ids])])
        self.allocas[inst] = made

    def do_load(self, inst):
        pointer = inst.operand(0)
        if self.shapes.uniform(pointer):
            self.copy_scalar(inst)
            return
        self.lanes[inst] = self.load_lanes(inst, pointer, None, inst.align)

    def load_lanes(self, inst, pointer, mask, align):
        """A value loaded by all lanes in mask; vectors that lie side by side stay in rows."""
        type_, piece = inst.type, self.piece_of(inst, mask)
        if piece is not None:
            return self.load_strided(inst, piece, mask, align)
        if inst in self.walks:
            return self.load_walking(inst, self.walks[inst], mask)
        n, pitch = self.elements(type_), self.pitch(type_, pointer)
        if n > 1 and pitch == n:
            return Lanes(rows=self.load_wide(type_.element, n, pointer, mask, align))
        if n > 1 and type_.size in WHOLE and n * type_.element.size == type_.size:
            if self.shapes.usually_neighbours(pointer, type_.size):
                return Lanes(rows=self.load_if_neighbours(type_, pointer, self.part(pointer), mask, align))
            if mask is None:
                return Lanes(rows=self.load_each(type_, pointer, align))
        return Lanes(self.load(type_, pointer, mask, align))

    def do_store(self, inst):
        value, pointer = inst.operands
        if self.shapes.uniform(pointer) and self.shapes.uniform(value):
            self.copy_scalar(inst)
            return
        self.store(inst, value, pointer, None, inst.align)

    def mask_of(self, value):
        """None when all lanes are known to be in the mask."""
        if (value.is_const_int and value.zext) or (self.full and value.name == "active"):
            return None
        if value in self.scalars and self.scalars[value].is_const_int and self.scalars[value].zext:
            return None
        return self.part(value)

    def widen_mask(self, mask, n):
        """Each lane's bit n times in a row."""
        if mask is None or n == 1:
            return mask
        return self.b.shuffle(mask, mask, const_vector([self.t.i32.const(i // n) for i in range(self.width * n)]))

    def pitch(self, type_, pointer):
        """Elements from one lane's value to the next where lanes lie side by side in memory, else None."""
        k, e = self.shapes[pointer], type_.scalar
        if odd_bits(e):
            if type_.is_vector:
                raise Unsupported("a vector of packed integers in memory")
            return None
        if k == VARYING or k <= 0 or k % e.size:
            return None
        n = self.elements(type_)
        pitch = k // e.size
        return pitch if pitch == type_.size // e.size and pitch >= n else None

    def load(self, type_, pointer, mask, align):
        e, n, pitch = type_.scalar, self.elements(type_), self.pitch(type_, pointer)
        if type_.is_struct or type_.is_array:
            raise Unsupported("a load of an aggregate")
        if pitch is not None:
            return self.deinterleave(self.load_wide(e, pitch, pointer, mask, align), n, pitch)
        at = self.part(pointer)
        if n == 1 and not odd_bits(e) and self.shapes.usually_neighbours(pointer, e.size):
            return [self.load_if_neighbours(e, pointer, at, mask, align)]
        made = []
        for i in range(n):
            where = at if i == 0 else self.b.gep(e, at, [self.t.i64.const(i)], flags=0)
            made.append(self.gather(e, where, mask, min(align, e.align)))
        return made

    def load_wide(self, e, pitch, pointer, mask, align):
        wide, at = self.t.vector(e, pitch * self.width), self.scalar(pointer)
        mask = self.widen_mask(mask, pitch)
        made = self.b.load(wide, at) if mask is None else self.masked_load(wide, at, mask)
        set_align(made, mask, align)
        return made

    def masked_load(self, wide, at, mask):
        f = intrinsic(self.module, "llvm.masked.load", [wide, at.type])
        return self.b.call(f, [at, mask, wide.poison])

    def all_lanes(self):
        return self.vec(self.t.i1).all_ones

    def gather(self, e, pointers, mask, align):
        wide = self.vec(e)
        if mask is not None and self.bits >= GATHERS and e.size < WORD and align >= e.size and not odd_bits(e):
            return self.gather_words(e, pointers, mask)
        f = intrinsic(self.module, "llvm.masked.gather", [wide, pointers.type])
        made = self.b.call(f, [pointers, mask if mask is not None else self.all_lanes(), wide.poison])
        made.add_call_attribute("align", max(align, 1), 1)
        return made

    def gather_words(self, e, pointers, mask):
        """Of 8 or 16 bits each: the aligned words around them, which lie on the same pages. LLVM has a branch for each
        lane otherwise."""
        b, t = self.b, self.t
        address = b.cast("ptrtoint", pointers, self.vec(t.i64))
        clear = intrinsic(self.module, "llvm.ptrmask", [pointers.type, self.vec(t.i64)])
        around = b.call(clear, [pointers, self.splat(t.i64.const(-WORD))])
        words = self.gather(t.i32, around, mask, WORD)
        place = b.cast("trunc", address, self.vec(t.i32))
        shift = b.binop("shl", b.binop("and", place, self.splat(t.i32.const(WORD - 1))), self.splat(t.i32.const(3)))
        bits = b.cast("trunc", b.binop("lshr", words, shift), self.vec(t.int(8 * e.size)))
        return bits if e.is_int else b.cast("bitcast", bits, self.vec(e))

    def load_each(self, type_, pointer, align):
        """A vector from each lane's own place, as rows: as many loads as lanes, where gathers need one an element."""
        made = []
        for i in range(self.width):
            made.append(self.b.load(type_, self.lane(pointer, i)))
            made[-1].align = max(align, 1)
        return self.concat(made)

    def load_apart(self, type_, pointer, at, mask, align):
        """Where lanes turned out not to be neighbours; vectors as rows."""
        if not type_.is_vector:
            return self.gather(type_, at, mask, min(align, type_.align))
        if mask is None:
            return self.load_each(type_, pointer, align)
        e = type_.element
        places = [at, *[self.b.gep(e, at, [self.t.i64.const(i)], flags=0) for i in range(1, type_.count)]]
        return self.interleave([self.gather(e, where, mask, min(align, e.align)) for where in places], type_)

    def load_if_neighbours(self, type_, pointer, at, mask, align):
        """Look whether the lanes' indices follow each other: one wide load then (rows of vectors), else one each."""
        b, t = self.b, self.t
        root = self.shapes.root(pointer)
        base, index = root.operands
        if index.opcode == "sext":
            narrow = index.operand(0)
            if narrow.opcode in ("add", "sub") and narrow.nsw:
                index = narrow    # half as wide, and it does not wrap
        distance = b.sub(self.part(index), self.step(index.type, 1))
        start = b.extract_element(distance, t.i64.const(0))
        same = b.icmp("eq", distance, self.splat(start))
        bits = b.cast("bitcast", same, t.int(self.width))
        side, apart, after = self.new_block(), self.new_block(), self.new_block()
        b.cond_br(b.icmp("eq", bits, bits.type.all_ones), side, apart)
        b.at_end(side)
        n, start = self.elements(type_), start if start.type == t.i64 else b.cast("sext", start, t.i64)
        wide = t.vector(type_.scalar, n * self.width)
        if root == pointer:
            first = b.gep(type_, self.scalar(base), [start], flags=0)
        else:
            first = b.extract_element(at, t.i64.const(0))
        near = b.load(wide, first) if mask is None else self.masked_load(wide, first, self.widen_mask(mask, n))
        set_align(near, mask, min(align, type_.size))
        b.br(after)
        b.at_end(apart)
        far = self.load_apart(type_, pointer, at, mask, align)
        b.br(after)
        self.go(after)
        made = b.phi(wide)
        made.add_incoming(near, side)
        made.add_incoming(far, apart)
        return made

    def store(self, inst, value, pointer, mask, align):
        if self.piece_of(inst, mask) is not None:
            self.store_strided(inst, mask, align)
            return
        type_ = value.type
        if type_.is_struct or type_.is_array:
            raise Unsupported("a store of an aggregate")
        e, n, pitch = type_.scalar, self.elements(type_), self.pitch(type_, pointer)
        if self.shapes.uniform(pointer):
            self.store_last(value, pointer, mask, align)
            return
        rows = self.rows_of(value) if type_.is_vector and pitch == n else None
        parts = self.parts(value) if rows is None else None
        if pitch == n:
            wide = rows if rows is not None else self.interleave(parts, type_)
            self.plain_store([wide], self.scalar(pointer), self.widen_mask(mask, n), align)
            return
        at = self.part(pointer)
        for i, p in enumerate(parts):
            where = at if i == 0 else self.b.gep(e, at, [self.t.i64.const(i)], flags=0)
            f = intrinsic(self.module, "llvm.masked.scatter", [self.vec(e), where.type])
            call = self.b.call(f, [p, where, mask if mask is not None else self.all_lanes()])
            call.add_call_attribute("align", max(min(align, e.align), 1), 2)

    def plain_store(self, chunks, at, mask, align):
        """Vectors of one type, one behind the other; a mask goes with a single one."""
        wide = chunks[0]
        if mask is None and wide.type.size % CACHE_LINE == 0 and base_of(at) in self.streams:
            self.streaming_store(chunks, at, align)
        elif mask is None:
            self.store_chunks(chunks, at, align)
        else:
            f = intrinsic(self.module, "llvm.masked.store", [wide.type, at.type])
            self.b.call(f, [wide, at, mask]).add_call_attribute("align", max(align, 1), 2)

    def store_chunks(self, chunks, at, align):
        made = []
        for n, chunk in enumerate(chunks):
            made.append(self.b.store(chunk, self.moved(at, n * chunk.type.size)))
            made[-1].align = common_align(align, n * chunk.type.size)
        return made

    def streaming_store(self, chunks, at, align):
        """Past the caches where the launch says that its buffers do not fit them, and the place is aligned."""
        b, t = self.b, self.t
        offset = b.binop("and", b.cast("ptrtoint", at, t.i64), t.i64.const(CACHE_LINE - 1))
        past = b.binop("and", self.stream_flag(), b.icmp("eq", offset, t.i64.const(0)))
        stream, usual, after = self.new_block(), self.new_block(), self.new_block()
        b.cond_br(past, stream, usual)
        b.at_end(stream)
        for made in self.store_chunks(chunks, at, CACHE_LINE):
            made.set_metadata("nontemporal", md_node(self.module, [t.i32.const(1)]))
        b.br(after)
        b.at_end(usual)
        self.store_chunks(chunks, at, align)
        b.br(after)
        self.go(after)

    def stream_flag(self):
        b, t = self.b, self.t
        flags = b.load(t.i32, b.gep(t.i8, self.launch, [t.i64.const(fr.LAUNCH_FLAGS)]))
        flags.set_metadata("invariant.load", md_node(self.module, []))
        return b.icmp("ne", b.binop("and", flags, t.i32.const(fr.STREAMS)), t.i32.const(0))

    def store_last(self, value, pointer, mask, align):
        """All lanes write to one place: the last one that takes part wins."""
        if mask is None:
            self.store_lane(self.lane(value, self.width - 1), pointer, align)
            return
        b, bits = self.b, self.b.cast("bitcast", mask, self.t.int(self.width))
        do, after = self.new_block(), self.new_block()
        b.cond_br(b.icmp("ne", bits, bits.type.const(0)), do, after)
        self.go(do)
        above = b.call(intrinsic(self.module, "llvm.ctlz", [bits.type]), [bits, self.t.i1.const(1)])
        last = b.sub(bits.type.const(self.width - 1), above)
        last = last if last.type == self.t.i64 else b.cast("zext", last, self.t.i64)
        self.store_lane(self.lane_at(value, last), pointer, align)
        b.br(after)
        self.go(after)

    def store_lane(self, value, pointer, align):
        self.b.store(value, self.scalar(pointer)).align = max(align, 1)

    def do_atomicrmw(self, inst):
        raise Unsupported("an atomic operation without a mask")

    do_cmpxchg = do_atomicrmw

    def masked_load_call(self, inst):
        pointer, mask, align = inst.args
        mask = self.mask_of(mask)
        if self.shapes.uniform(pointer):
            self.lanes[inst] = Lanes(self.load_uniform(inst.type, pointer, mask, align.zext))
        else:
            self.lanes[inst] = self.load_lanes(inst, pointer, mask, align.zext)

    def load_uniform(self, type_, pointer, mask, align):
        """One place for all lanes; nothing is read when no lane takes part."""
        if mask is None:
            made = self.b.load(type_, self.scalar(pointer))
            made.align = max(align, 1)
        else:
            wanted = self.reduce_or(mask)
            before, do, after = self.here, self.new_block(), self.new_block()
            self.b.cond_br(wanted, do, after)
            self.b.at_end(do)
            value = self.b.load(type_, self.scalar(pointer))
            value.align = max(align, 1)
            self.b.br(after)
            self.go(after)
            made = self.b.phi(type_)
            made.add_incoming(value, do)
            made.add_incoming(type_.poison, before)
        if type_.is_vector:
            return [self.splat(self.b.extract_element(made, self.t.i64.const(i))) for i in range(type_.count)]
        return [self.splat(made)]


def is_written_only(param):
    """A pointer to global memory that the function stores through and does nothing else with."""
    if not param.type.is_pointer or param.type.address_space != 1:
        return False
    pending, stores = [param], 0
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                pending.append(user)
            elif user.opcode == "call" and user.callee.name.startswith("clpy.mstore") and user.args[1] == pointer:
                stores += 1
            else:
                return False
    return stores > 0


def set_align(made, mask, align):
    if mask is None:
        made.align = max(align, 1)
    else:
        made.add_call_attribute("align", max(align, 1), 1)
