# SPDX-License-Identifier: Apache-2.0
"""What is in the registers, while the code of one block is written.

A scalar register has a place in the function's frame, which LLVM turns into values; within a block its value is kept
here, loaded where the block first asks for it and stored behind the block if it was changed. Vector registers lie in
the wavefront's memory. Vector instructions are not written at once: a run of them waits and becomes a loop over the
parts of the wavefront, in which what one part needs stays in the host's registers. What they take from scalar
registers is fixed when they come.
"""
from dataclasses import dataclass, field

from .decode import EXEC, VCC
from .lanes import ALL, LANES, PARTS
from .stores import MOST as MOST_WAITING

SCC = "scc"
WIDE = (VCC, EXEC)      # pairs that are one place of 64 bits
LONG_RUN = 32           # instructions: code for it takes long, and a call is a small part of what it does


class Mask:
    """A bit for each lane. In a loop over parts `here` is the part's bits; behind it, or from the start, `value` is
    all of them."""

    def __init__(self, value=None, is_full=False):
        self.value, self.is_full = value, is_full
        self.here = None

    @property
    def waits(self):
        """It comes from a run that has not been written."""
        return self.value is None and not self.is_full

    def part(self, e, k):
        """<16 x i1> of part k, a number or a value."""
        if self.is_full:
            return e.mask_type.all_ones
        if self.here is not None:
            return self.here
        word = self.value
        if not isinstance(k, int):
            word = e.b.binop("lshr", word, e.b.binop("shl", k, e.number(64, 4)))
        elif k:
            word = e.b.binop("lshr", word, e.number(64, LANES * k))
        part = e.b.cast("bitcast", e.b.cast("trunc", word, e.types.i16), e.mask_type)
        if not isinstance(k, int):
            self.here = part
            e.r.in_loop.append(self)
        return part

    def bits(self, e):
        """All as an i64."""
        return e.number(64, e.everyone) if self.is_full else self.value


class Frame:
    """The places of scalar registers in a function, made when one is first used, and those of vector registers."""

    def __init__(self, e, entry):
        self.e, self.entry = e, entry
        self.places = {}
        self.rooms = {}             # number of vector registers -> rooms for so many that nobody has

    def rent_room(self, registers):
        """Room for vector registers side by side, until it is returned."""
        free = self.rooms.setdefault(registers, [])
        type_ = self.e.types.array(self.e.i32, PARTS * registers)
        return free.pop() if free else self.e.at_entry(lambda: self.e.b.alloca(type_))

    def return_room(self, registers, room):
        self.rooms[registers].append(room)

    def place(self, key):
        found = self.places.get(key)
        if found is None:
            here = self.e.b.block
            self.e.b.at_end(self.entry)
            found = self.places[key] = self.e.b.alloca(self.type_of(key))
            self.e.b.at_end(here)
        return found

    def type_of(self, key):
        if key == SCC:
            return self.e.types.i1
        return self.e.types.i64 if key in WIDE else self.e.types.i32

    def vector(self, number, k):
        """Place of one part of a vector register."""
        e = self.e
        if isinstance(k, int):
            return e.in_wave("v", 256 * number + 64 * k)
        return e.b.gep(e.i32, e.in_wave("v", 256 * number), [k])


@dataclass
class Step:
    """Vector registers that a run or a single instruction takes from memory, and those that it writes in all lanes."""
    loaded: set = field(default_factory=set)
    stored: set = field(default_factory=set)


class Registers:
    """Of one block. `loaded` and `stored` are the scalar registers it takes from the frame and leaves there; `steps`
    tell of the vector registers. `wanted`: for each step, the registers that are needed behind it (a set of
    liveness.py); None: those of `lasting`, which is set for each instruction where it is known (lasting.py)."""

    def __init__(self, e, frame, is_full, wanted=None):
        self.e, self.frame, self.wanted = e, frame, wanted
        self.lasting = -1           # all
        self.scalars, self.pairs, self.masks = {}, {}, {}
        self.halves = {}            # scalar register -> (mask, whether it is the upper half of it), where it was a pair
        self.scc_of = None          # the mask that SCC, where it is not in `scalars`, tells of
        self.loaded, self.stored, self.changed = set(), set(), set()
        self.steps = []
        self.run, self.run_loads = [], False
        self.run_writes = set()     # vector registers
        self.values, self.doubles, self.written, self.splats = {}, {}, {}, {}     # of one turn of a loop
        self.in_loop = []
        self.waiting = []           # stores.Store
        self.held = {}           # vector register -> stores.Words that have to be kept before it is written
        # For observers that trace: vector registers that hold a scalar value in all lanes, an i32.
        self.uniform = {}
        self.is_full = is_full      # all lanes are on
        if is_full:
            self.masks[EXEC] = Mask(is_full=True)

    # Scalar registers

    def scalar(self, number):
        """i32 of a scalar register; SCC is an i1."""
        self.settle(number)
        found = self.scalars.get(number)
        if found is None:
            found = self.scalars[number] = self.make_scalar(number)
        return found

    def make_scalar(self, number):
        b, e = self.e.b, self.e
        if number == SCC and self.scc_of is not None:
            if self.scc_of.waits:
                self.flush()
            return b.icmp("ne", self.scc_of.bits(e), e.number(64, 0))
        if number in self.halves:
            mask, upper = self.halves.pop(number)
            if mask.waits:
                self.flush()
            bits = b.binop("lshr", mask.bits(e), e.number(64, 32)) if upper else mask.bits(e)
            return b.cast("trunc", bits, e.types.i32)
        if number != SCC:
            for first in (number, number - 1):
                if first in self.pairs or first in self.masks or first in WIDE:
                    wide = self.pair(first)
                    if number != first:
                        wide = b.binop("lshr", wide, e.number(64, 32))
                    return b.cast("trunc", wide, e.types.i32)
        return self.fetch(number)

    def fetch(self, key):
        self.loaded.add(key)
        return self.e.b.load(self.frame.type_of(key), self.frame.place(key))

    def pair(self, first):
        """i64 of two scalar registers."""
        self.settle(first)
        self.settle(first + 1)
        found = self.pairs.get(first)
        if found is None:
            if first in self.masks:
                found = self.masks[first].bits(self.e)
            elif first in WIDE:
                found = self.fetch(first)
            else:
                low, high = (self.e.b.cast("zext", self.scalar(first + i), self.e.types.i64) for i in (0, 1))
                found = self.e.b.binop("or", low, self.e.b.binop("shl", high, self.e.number(64, 32)))
            self.pairs[first] = found
        return found

    def mask(self, first):
        """Mask of two scalar registers; it may come from a run that has not been written yet."""
        found = self.masks.get(first)
        if found is None:
            found = self.masks[first] = Mask(self.pair(first))
        return found

    @property
    def exec(self):
        return self.mask(EXEC)

    def is_waiting(self, op):
        """Whether an operand is a mask that comes from a run that has not been written."""
        return op.kind == "s" and op.at in self.masks and self.masks[op.at].waits

    def settle(self, number):
        """Write the run if it has the register's value."""
        if number == SCC or not self.run:
            return
        if any(first in self.masks and self.masks[first].waits for first in (number, number - 1)):
            self.flush()

    def forget(self, number):
        """Another value is about to come into a scalar register."""
        for first in (number, number - 1):
            if first in self.pairs or first in self.masks:
                self.keep_half(first, first + 1 if first == number else first)
        self.halves.pop(number, None)

    def keep_half(self, first, number):
        """A pair is one no more; the half of it that has a number stays as it is."""
        mask = self.masks.get(first)
        if number not in self.scalars and first not in WIDE:
            if mask is not None and mask.waits:
                self.halves[number] = mask, number != first
            else:
                self.scalar(number)
        self.pairs.pop(first, None)
        self.masks.pop(first, None)

    def set_scalar(self, number, value):
        if number == SCC:
            self.scalars[SCC], self.scc_of = value, None
            self.changed.add(SCC)
            return
        for first in WIDE:
            if number in (first, first + 1):
                self.set_half(first, number - first, value)
                return
        self.forget(number)
        self.scalars[number] = value
        self.changed.add(number)

    def set_scc_of(self, mask):
        """SCC is whether a mask has a bit that is set."""
        self.scalars.pop(SCC, None)
        self.scc_of = mask
        self.changed.add(SCC)

    def set_half(self, first, half, value):
        """Of a pair that is one place."""
        b, e = self.e.b, self.e
        keep = b.binop("and", self.pair(first), e.number(64, ALL >> 32 << (0 if half else 32)))
        value = b.cast("zext", value, e.types.i64)
        self.set_pair(first, b.binop("or", keep, b.binop("shl", value, e.number(64, 32 * half))))

    def set_pair(self, first, value):
        self.clear_pair(first)
        self.pairs[first] = value

    def set_mask(self, first, mask):
        self.clear_pair(first)
        self.masks[first] = mask

    def clear_pair(self, first):
        if first == EXEC:
            self.flush()            # all of a run is under one
        if first not in WIDE:
            for neighbour in (first - 1, first + 1):
                if neighbour in self.pairs or neighbour in self.masks:
                    self.keep_half(neighbour, neighbour if neighbour < first else neighbour + 1)
        for number in (first, first + 1):
            self.scalars.pop(number, None)
            self.halves.pop(number, None)
        self.pairs.pop(first, None)
        self.masks.pop(first, None)
        self.changed.update((first,) if first in WIDE else (first, first + 1))

    # Vector registers, by parts: `k` is a number, or in the loop of a run a value. There what an instruction writes
    # where EXEC is on stays as it came until the run ends, since no other lane looks at it before: what it has in lanes
    # that are off is nobody's.

    def vector(self, number, k):
        """<16 x i32> of one part of a vector register."""
        return self.e.cast(self.word(number, k), self.e.i32)

    def word(self, number, k):
        """The same, or <16 x float> where that is what came last."""
        if isinstance(k, int):
            self.single().loaded.add(number)
            return self.e.b.load(self.e.i32, self.frame.vector(number, k))
        found = self.values.get(number)
        if found is None:
            found = self.half(number)
            if found is None:
                self.steps[-1].loaded.add(number)
                found = self.e.b.load(self.e.i32, self.frame.vector(number, k))
            self.values[number] = found
        return found

    def half(self, number):
        """A register that is part of a value of 64 bits; else None."""
        for upper in (0, 1):
            wide = self.doubles.get(number - upper)
            if wide is not None:
                return self.e.half_of(wide, upper)
        return None

    def single(self):
        """The step of an instruction that is not in a run."""
        self.steps.append(Step())
        return self.steps[-1]

    def double(self, number, k):
        """<16 x i64> or <16 x double> of two vector registers."""
        if isinstance(k, int):
            return self.e.wide(self.vector(number, k), self.vector(number + 1, k))
        found = self.doubles.get(number)
        if found is None:
            found = self.doubles[number] = self.e.wide(self.vector(number, k), self.vector(number + 1, k))
        return found

    def set_vector(self, number, k, value, mask=None):
        """`mask` is EXEC as it was when the instruction came; without one all lanes are written."""
        if isinstance(k, int):
            value = self.e.cast(value, self.e.i32)
            if mask is not None and not mask.is_full:
                value = self.e.b.select(mask.part(self.e, k), value, self.vector(number, k))
            self.single().loaded.add(number)        # the other parts stay
            self.e.b.store(value, self.frame.vector(number, k))
            return
        if number in self.held:
            self.keep_words(number, k)
        self.take_apart(number, number)
        self.values[number] = value
        self.note_written(number, mask)

    def set_double(self, number, k, value, mask=None):
        """Of 64-bit integers or doubles, which stay one value as long as no half of it is wanted."""
        if isinstance(k, int):
            for upper in (0, 1):
                self.set_vector(number + upper, k, self.e.half_of(value, upper), mask)
            return
        for half in (number, number + 1):
            if half in self.held:
                self.keep_words(half, k)
        self.take_apart(number, number + 1)
        for half in (number, number + 1):
            self.values.pop(half, None)
            self.note_written(half, mask)
        self.doubles[number] = value

    def keep_words(self, number, k):
        for words in self.held.pop(number):
            if words.room is None:
                words.keep(self, k)

    def note_written(self, number, mask):
        if self.written.setdefault(number, mask) is not mask:
            raise AssertionError("a run is under one EXEC")

    def take_apart(self, first, last):
        """Other values come into registers: what they were a half of loses the other half."""
        for start in range(first - 1, last + 1):
            if start not in self.doubles:
                continue
            for other in (start, start + 1):
                if not first <= other <= last and other not in self.values:
                    self.values[other] = self.half(other)
            del self.doubles[start]

    def splat(self, value):
        """A scalar value in all lanes, once for each loop."""
        found = self.splats.get(value)
        if found is None:
            found = self.splats[value] = self.e.splat(value)
        return found

    def later(self, write, loads=False, mask=None):
        """Add write(k) to the run. `mask` is one that it makes: write(k) gives the part's bits."""
        if loads:
            self.make_stores()
        self.run.append((write, mask, self.e.offset))
        self.run_loads |= loads
        target = self.e.form.operands[0]
        if target.kind == "v":
            self.run_writes.update(range(target.at, target.at + target.width))

    def wait(self, store):
        """Make a stores.Store behind the run."""
        self.run.append((lambda k: store.come(self, k), None, self.e.offset))
        self.waiting.append(store)
        if len(self.waiting) >= MOST_WAITING:
            self.flush()

    def make_stores(self):
        """Memory is about to be read."""
        if self.waiting:
            self.flush()

    def tell_stores(self):
        """Something else is about to be told, in the order of the code."""
        if any(store.told is not None for store in self.waiting):
            self.flush()

    def flush(self):
        """Write the run, a loop over the parts, and what waits for it."""
        run, self.run, self.run_loads, self.run_writes = self.run, [], False, set()
        waiting, self.waiting = self.waiting, []
        here = self.e.offset
        if len(run) > len(waiting) or not all(store.is_in_registers for store in waiting):
            self.write_run(run, here)
        self.held = {}
        told = [store for store in waiting if store.told is not None]
        if told:
            self.e.observe.while_it_tells(self.e, lambda: [store.tell(self.e) for store in told])
        for store in waiting:
            store.write(self.e, self.frame)
        if waiting:
            self.e.comes_from(here)

    def write_run(self, run, here):
        e, b = self.e, self.e.b
        self.steps.append(Step())
        index = len(self.steps) - 1
        before, body = b.block, e.function.append_block("parts")
        b.br(body)
        b.at_end(body)
        k = b.phi(e.types.i64)
        masks = [(mask, b.phi(e.types.i64)) for _, mask, _ in run if mask is not None]
        for write, mask, offset in run:
            e.comes_from(offset)
            bits = write(k)
            if mask is not None:
                mask.here = bits
        e.comes_from(here)
        self.keep_written(index, k, e.is_brief and len(run) >= LONG_RUN)
        sums = [(mask, phi, self.with_part(phi, mask.here, k)) for mask, phi in masks]
        following = b.add(k, e.number(64, 1))
        end, behind = b.block, e.function.append_block("")
        b.cond_br(b.icmp("ult", following, e.number(64, e.parts)), body, behind)
        k.add_incoming(e.number(64, 0), before)
        k.add_incoming(following, end)
        for mask, phi, total in sums:
            phi.add_incoming(e.number(64, 0), before)
            phi.add_incoming(total, end)
            mask.value, mask.here = total, None
        for mask in self.in_loop:
            mask.here = None
        self.values, self.doubles, self.written, self.splats, self.in_loop = {}, {}, {}, {}, []
        b.at_end(behind)

    def with_part(self, total, part, k):
        b, e = self.e.b, self.e
        word = b.cast("zext", b.cast("bitcast", part, e.types.i16), e.types.i64)
        return b.binop("or", total, b.binop("shl", word, b.binop("shl", k, e.number(64, 4))))

    def keep_written(self, index, k, calls=False):
        """Into memory with what is still needed behind the run; doubles by calls, or in line."""
        step = self.steps[index]
        wanted = self.lasting if self.wanted is None else self.wanted[index]
        pairs = set()               # second registers of doubles that are in memory now
        for number, mask in self.written.items():
            everywhere = mask is None or mask.is_full
            if everywhere:
                step.stored.add(number)
            if wanted >> number & 1 and number not in pairs:
                wide = self.doubles.get(number) if calls and wanted >> number + 1 & 1 else None
                if wide is not None and self.written.get(number + 1, self) is mask:
                    self.keep_double(number, k, wide, mask)
                    pairs.add(number + 1)
                else:
                    self.keep_vector(number, k, None if everywhere else mask)

    def keep_vector(self, number, k, mask):
        e = self.e
        value, place = self.vector(number, k), self.frame.vector(number, k)
        if mask is not None:
            value = e.b.select(mask.part(e, k), value, e.b.load(e.i32, place))
        e.b.store(value, place)

    def keep_double(self, number, k, value, mask):
        """LLVM takes four times as long to take it apart in line."""
        e = self.e
        bits = e.mask_type.all_ones if mask is None else mask.part(e, k)
        e.run("keep_double", e.cast(value, e.i64), self.frame.vector(number, k), bits)

    def wave(self, number):
        """All lanes of a vector register, as a vector for each part, now."""
        self.flush()
        return [self.vector(number, k) for k in range(self.e.parts)]

    def kept(self, parts):
        """Function of the part, also in a loop, that gives one of four vectors."""
        place = self.e.room()
        for k, part in enumerate(parts):
            self.e.b.store(part, self.e.word_of(place, k))
        return lambda k: self.e.b.load(self.e.i32, self.e.b.gep(self.e.i32, place, [k]))

    def finish(self):
        """Store what was changed."""
        self.flush()
        for key in sorted(self.changed, key=str):
            value = self.pair(key) if key in WIDE else self.scalar(key)
            self.e.b.store(value, self.frame.place(key))
            self.stored.add(key)
