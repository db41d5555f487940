# SPDX-License-Identifier: Apache-2.0
"""Stores that wait, in code that is to be there soon. Stores are in the order of the code for the whole wavefront, and
would end the run that they come in. So they are made behind it, where nothing in it reads memory after them: a call
each of the library. What they take is in the wavefront's memory, unless the run writes those registers.
"""
ALIGN = 64          # of vector registers and rooms for them
MOST = 16           # that wait for one run: each may have room for six registers in the function's frame


class Words:
    """Registers that a store takes, as they are where it comes. `at`: the first (None: they are in no register),
    `take(k)`: the vectors of one part; `may_be_double`: the library takes two as one value, too."""

    def __init__(self, at, count, take, may_be_double=False):
        self.at, self.count, self.take, self.may_be_double = at, count, take, may_be_double
        self.room = None            # for what the run would change
        self.is_double = False      # what is there

    def numbers(self):
        return () if self.at is None else range(self.at, self.at + self.count)

    def come(self, r, k):
        """The store comes here in the run."""
        if self.at is None or any(number in r.written for number in self.numbers()):
            self.keep(r, k)
        else:
            for number in self.numbers():
                r.held.setdefault(number, []).append(self)

    def keep(self, r, k):
        e = r.e
        self.room = r.frame.rent_room(self.count)
        wide = r.doubles.get(self.at) if self.may_be_double else None
        if wide is not None:
            self.is_double = True
            e.b.store(wide, e.b.gep(e.i64, self.room, [k])).align = ALIGN
            return
        values = self.take(k)
        for word, value in enumerate(values):
            e.b.store(value, e.b.gep(e.i32, e.word_of(self.room, 4 * word), [k]))

    def place(self, e):
        """Of the first register, behind the run."""
        return e.in_wave("v", 256 * self.at) if self.room is None else self.room

    def leave(self, frame):
        if self.room is not None:
            frame.return_room(self.count, self.room)
            self.room = None


class Store:
    """`kind` and `form` as the library has them; `more`: what is added to an address of 32 bits that is in a register,
    an i32; `base`: what is added to any. `told`: the lanes that are on and the access, as the trace has them; None:
    nobody is told of it, or was before."""

    def __init__(self, e, kind, data, address, more, form, base, told):
        self.kind, self.data, self.address, self.more, self.form, self.base = kind, data, address, more, form, base
        self.told = told
        self.mask, self.offset = e.r.exec, e.offset

    @property
    def is_in_registers(self):
        return self.data.at is not None and self.address.at is not None

    def come(self, r, k):
        self.data.come(r, k)
        self.address.come(r, k)

    def where(self, e):
        """The library's arguments for the address."""
        more = [self.more if self.address.at is not None else e.number(32, 0)] if self.form == "near" else []
        return [self.address.place(e), *more, *self.base]

    def tell(self, e):
        bits, access = self.told
        e.comes_from(self.offset)
        e.run(f"trace_{self.form}_at", e.wave, bits, *self.where(e), access)

    def write(self, e, frame):
        e.comes_from(self.offset)
        kind = "q64" if self.data.is_double else self.kind
        e.run(f"store_{kind}_{self.form}_wave", e.wave, self.data.place(e), *self.where(e), self.mask.bits(e))
        self.data.leave(frame)
        self.address.leave(frame)
