# SPDX-License-Identifier: Apache-2.0
"""What is in the registers, while the code of one block is written.

Each register has a place in the function's frame, which LLVM turns into values. Within a block values are kept here: a
register is loaded where the block first asks for it and stored behind the block if it was changed. Vector instructions
are not written at once: a run of them waits and is then written for one part of the wavefront after the other, so that
what one part needs stays in the host's registers. What they take from scalar registers is fixed when they come.
"""
from .decode import EXEC, M0, VCC
from .lanes import ALL, LANES, PARTS, WAVE

SCC = "scc"
WIDE = (VCC, EXEC)      # pairs that are one place of 64 bits


class Mask:
    """A bit for each lane: as 64 bits, as four vectors of bits, or both."""

    def __init__(self, value=None, is_full=False):
        self.value, self.is_full = value, is_full
        self.parts = [None] * PARTS

    def part(self, e, k):
        if self.parts[k] is None:
            if self.is_full:
                self.parts[k] = e.mask_type.all_ones
            else:
                word = e.b.binop("lshr", self.value, e.number(64, LANES * k)) if k else self.value
                word = e.b.cast("trunc", word, e.types.i16)
                self.parts[k] = e.b.cast("bitcast", word, e.mask_type)
        return self.parts[k]

    def bits(self, e):
        """All as an i64; the run it comes from has been written."""
        if self.is_full:
            return e.number(64, ALL)
        if self.value is None:
            value = None
            for k in range(PARTS):
                word = e.b.cast("bitcast", self.parts[k], e.types.i16)
                word = e.b.cast("zext", word, e.types.i64)
                if k:
                    word = e.b.binop("or", value, e.b.binop("shl", word, e.number(64, LANES * k)))
                value = word
            self.value = value
        return self.value


class Frame:
    """The places of registers in a function: alloca instructions, made when a register is first used."""

    def __init__(self, e, entry):
        self.e, self.entry = e, entry
        self.places = {}

    def place(self, key):
        """Of a scalar register (its number), SCC, or one part of a vector register (("v", number, part))."""
        found = self.places.get(key)
        if found is None:
            here = self.e.b.block
            self.e.b.at_end(self.entry)
            found = self.places[key] = self.e.b.alloca(self.type_of(key))
            self.e.b.at_end(here)
        return found

    def type_of(self, key):
        if isinstance(key, tuple):
            return self.e.i32
        if key == SCC:
            return self.e.types.i1
        return self.e.types.i64 if key in WIDE else self.e.types.i32


class Registers:
    """Of one block. `loaded` and `stored` are what it takes from the frame and leaves there."""

    def __init__(self, e, frame, is_full):
        self.e, self.frame = e, frame
        self.scalars, self.pairs, self.masks = {}, {}, {}
        self.vectors, self.doubles = {}, {}
        self.loaded, self.stored = set(), set()
        self.changed = set()
        self.run = []
        self.run_loads = False
        self.splats = {}
        self.is_full = is_full      # all lanes are on
        if is_full:
            self.masks[EXEC] = Mask(is_full=True)

    # Scalar registers

    def scalar(self, number):
        """i32 of a scalar register; SCC is an i1."""
        self.settle(number)
        found = self.scalars.get(number)
        if found is None:
            found = self.scalars[number] = self.find_scalar(number)
        return found

    def find_scalar(self, number):
        b, e = self.e.b, self.e
        if number != SCC:
            for first in (number, number - 1):
                if first in self.pairs or first in self.masks or first in WIDE:
                    wide = self.pair(first)
                    if number != first:
                        wide = b.binop("lshr", wide, e.number(64, 32))
                    return b.cast("trunc", wide, e.types.i32)
        return self.fetch(number)

    def fetch(self, key):
        kind = key[:2] if isinstance(key, tuple) else key
        self.loaded.add(kind) if kind not in self.stored else None
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

    def settle(self, number):
        """Write the run if it has the register's value."""
        if number == SCC or not self.run:
            return
        for first in (number, number - 1):
            mask = self.masks.get(first)
            if mask is not None and mask.value is None and not mask.is_full and None in mask.parts:
                self.flush()

    def forget(self, number):
        """Another value is about to come into a scalar register."""
        for first in (number, number - 1):
            if first in self.pairs or first in self.masks:
                other = first + 1 if first == number else first
                if other not in self.scalars and first not in WIDE:
                    self.scalar(other)      # the other half stays as it is
                self.pairs.pop(first, None)
                self.masks.pop(first, None)

    def set_scalar(self, number, value):
        if number == SCC:
            self.scalars[SCC] = value
            self.changed.add(SCC)
            return
        for first in WIDE:
            if number in (first, first + 1):
                self.set_half(first, number - first, value)
                return
        self.forget(number)
        self.scalars[number] = value
        self.changed.add(number)

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
        if first not in WIDE:
            for neighbour in (first - 1, first + 1):
                if neighbour in self.pairs or neighbour in self.masks:
                    self.scalar(neighbour if neighbour < first else neighbour + 1)
                    self.pairs.pop(neighbour, None)
                    self.masks.pop(neighbour, None)
        for number in (first, first + 1):
            self.scalars.pop(number, None)
        self.pairs.pop(first, None)
        self.masks.pop(first, None)
        self.changed.update((first,) if first in WIDE else (first, first + 1))

    # Vector registers, while a run is written

    def vector(self, number, k):
        """<16 x i32> of one part of a vector register."""
        found = self.vectors.get((number, k))
        if found is None:
            found = self.vectors[number, k] = self.fetch(("v", number, k))
        return found

    def double(self, number, k):
        """<16 x i64> of two vector registers."""
        found = self.doubles.get((number, k))
        if found is None:
            found = self.doubles[number, k] = self.e.wide(self.vector(number, k), self.vector(number + 1, k))
        return found

    def set_vector(self, number, k, value, mask=None):
        """`mask` is EXEC as it was when the instruction came; without one all lanes are written."""
        if mask is not None and not mask.is_full:
            value = self.e.b.select(mask.part(self.e, k), value, self.vector(number, k))
        for first in (number, number - 1):
            self.doubles.pop((first, k), None)
        self.vectors[number, k] = value
        self.changed.add(("v", number, k))

    def set_double(self, number, k, value, mask=None):
        halves = self.e.halves(value)
        self.set_vector(number, k, halves[0], mask)
        self.set_vector(number + 1, k, halves[1], mask)
        if mask is None or mask.is_full:
            self.doubles[number, k] = value

    def splat(self, value):
        """A scalar value in all lanes, once for each block."""
        found = self.splats.get(value)
        if found is None:
            found = self.splats[value] = self.e.splat(value)
        return found

    def later(self, write, loads=False):
        """Add write(k) to the run."""
        self.run.append(write)
        self.run_loads |= loads

    def flush(self):
        run, self.run, self.run_loads = self.run, [], False
        for k in range(PARTS if run else 0):
            for write in run:
                write(k)

    def wave(self, number):
        """All 64 lanes of a vector register as four vectors, now."""
        self.flush()
        return [self.vector(number, k) for k in range(PARTS)]

    def finish(self):
        """Store what was changed."""
        self.flush()
        for key in sorted(self.changed, key=str):
            if isinstance(key, tuple):
                value = self.vectors[key[1:]]
            elif key in WIDE:
                value = self.pair(key)
            else:
                value = self.scalar(key)
            self.e.b.store(value, self.frame.place(key))
            self.stored.add(key[:2] if isinstance(key, tuple) else key)


assert WAVE == LANES * PARTS and M0 not in WIDE
