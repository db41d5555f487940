# SPDX-License-Identifier: Apache-2.0
"""Messages as accesses to the host's memory, by the library's functions for 16 lanes (library/memory.c, atomic.c)."""
from clpy.compiler.isa.gcn.launch import BEFORE

from . import images, messages
from .decode import GRF

LANES = 16                      # of the library's functions
KINDS = {1: "u8", 2: "u16", 4: "b32", 8: "b64"}
STORED = {1: "b8", 2: "b16", 4: "b32", 8: "b64"}
LOCAL_BYTES = 64 << 10          # an address in local memory may have more bits, which say that it is one
BLOCK = 16
SCRATCH_UNIT = 1024             # of the address of scratch memory in a header


class Access:
    """Where the lanes of a message go: `low`, 32 bits of each, `high` or None, and the same `base` for all; `mask`, of
    16 lanes."""

    def __init__(self, c, ins, message):
        self.c, self.ins, self.m = c, ins, message
        self.first = ins.sources[0].number + (1 if message.header else 0)
        self.on = c.mask_of(ins)
        self.mask = self.wide_mask()
        self.low, self.high, self.base = self.places()

    def wide_mask(self):
        """Made of a number where there are lanes without a channel: of zeros behind a mask LLVM's code generator may
        forget some."""
        c, on = self.c, self.on
        width, count = self.ins.width, min(self.ins.width, self.m.lanes)
        if on is None:
            on = c.vector(c.types.i1, width).all_ones
        if count < LANES:
            return c.bits(c.b.binop("and", c.word(on), c.number(32, (1 << count) - 1)), 0, LANES)
        return on if width == LANES else c.pick(on, range(LANES))

    @property
    def is_whole(self):
        """All 16 lanes take part."""
        return self.on is None and self.ins.width == LANES == self.m.lanes

    def places(self):
        c, m = self.c, self.m
        byte, i32 = GRF * self.first, c.types.i32
        if m.far:
            halves = c.load_file(byte, i32, 2 * m.lanes)
            low, high = (c.resized(c.pick(halves, range(half, 2 * m.lanes, 2)), LANES) for half in (0, 1))
            return low, high, c.number(64, 0)
        low = c.resized(c.load_file(byte, i32, m.lanes), LANES)
        if m.space == "local":
            return c.b.binop("and", low, c.all(i32, LANES, LOCAL_BYTES - 1)), None, c.fixed("local")
        if m.space == "private":        # 32 bits of an address in the thread's memory
            scratch = c.fixed("scratch")
            low = c.b.sub(low, c.splat(c.b.cast("trunc", scratch, i32), LANES))
            return low, None, scratch
        return low, None, surface(c, m.surface)

    def data_byte(self):
        """Where what is sent lies in the file of registers: behind the addresses, or in a second source."""
        sources = self.ins.sources
        if self.ins.name == "sends" and self.m.more:
            return GRF * sources[1].number
        return GRF * self.first + self.m.lanes * (8 if self.m.far else 4)

    def arguments(self, base):
        c = self.c
        lanes = [self.low] if self.high is None else [self.low, self.high]
        return [c.wave, *lanes, base, self.mask, c.number(32, 0)]

    def offsets(self):
        """<16 x i64> of the lanes' places, without the base."""
        c, wide = self.c, self.c.vector(self.c.types.i64, LANES)
        low = c.b.cast("zext", self.low, wide)
        if self.high is None:
            return low
        high = c.b.binop("shl", c.b.cast("zext", self.high, wide), c.all(c.types.i64, LANES, 32))
        return c.b.binop("or", low, high)

    def addresses(self):
        return self.c.b.add(self.offsets(), self.c.splat(self.base, LANES))

    def at(self, element):
        """The base of an element."""
        offset = element * self.m.bytes
        return self.c.b.add(self.base, self.c.number(64, offset)) if offset else self.base

    def room(self, count, name):
        """A place for rows of words; for functions that are called another than for those in line, which LLVM makes
        values of."""
        row = self.c.vector(self.c.types.i32, LANES)
        return self.c.room(self.c.types.array(row, count), (name, self.is_whole))

    def ending(self):
        return f"{'near' if self.high is None else 'far'}{'' if self.is_whole else '_some'}"


def surface(c, index):
    """The host's address of a buffer in the binding table."""
    kernel = c.kernel
    if not 0 <= index < kernel.n_surfaces:
        raise c.unknown(f"of surface {index}, of {kernel.n_surfaces}")
    key = "surface", index
    if key not in c.fixed_values:
        table = c.fixed("kernarg")
        here = c.b.block
        c.b.at_end(c.entry)
        place = c.b.cast("inttoptr", c.b.add(table, c.number(64, kernel.surfaces + 8 * index)), c.types.ptr)
        address = c.b.load(c.types.i64, place)
        c.fixed_values[key] = c.b.sub(address, c.number(64, 1 << BEFORE)) if index in kernel.early else address
        c.b.at_end(here)
    return c.fixed_values[key]


def write(c, ins):
    """A message."""
    message = messages.read(ins)
    if message is not None and message.kind in images.HANDLERS:
        images.HANDLERS[message.kind](c, ins, message, surface, keep)
        return
    if message is None or message.kind not in HANDLERS or not message.bytes:
        raise c.unknown(f"of {ins.desc:#x} to {ins.exdesc:#x}" if message else "of a descriptor in a register")
    HANDLERS[message.kind](c, ins, message)


def element_type(c, m):
    return c.types.i64 if m.bytes == 8 else c.types.i32


def keep(c, ins, m, value, number, on):
    """What came for the number-th element of a destination, of `m.lanes` lanes."""
    count = min(ins.width, m.lanes)
    byte = GRF * ins.dst.number + number * m.lanes * value.type.element.size
    value = c.resized(value, count)
    if on is not None:
        old = c.load_file(byte, value.type.element, count)
        value = c.b.select(on if on.type.count == count else c.pick(on, range(count)), value, old)
    c.store_file(byte, value)


def load(c, ins, m):
    access = Access(c, ins, m)
    c.observe.access(c, access, "load", m.bytes * len(m.elements))
    row = c.vector(c.types.i32, LANES)
    to = access.room(2, "to")
    for number, element in enumerate(m.elements):
        c.run(f"load_{KINDS[m.bytes]}_{access.ending()}", to, *access.arguments(access.at(element)))
        value = c.b.load(row, to)
        if m.bytes == 8:
            value = both(c, value, c.b.load(row, c.b.gep(row, to, [c.number(64, 1)])))
        keep(c, ins, m, value, number, access.on)


def both(c, low, high):
    mask = c.row(32, [i // 2 + i % 2 * LANES for i in range(2 * LANES)])
    return c.b.cast("bitcast", c.b.shuffle(low, high, mask), c.vector(c.types.i64, LANES))


def sent(c, m, byte, number, element):
    """The number-th element of what is sent, of 16 lanes, in words of 32 bits: one vector or two."""
    value = c.load_file(byte + number * m.lanes * element.size, element, m.lanes)
    if element.size == 4:
        return [c.resized(value, LANES)]
    words = c.cast(value, c.vector(c.types.i32, 2 * m.lanes))
    return [c.resized(c.pick(words, range(half, 2 * m.lanes, 2)), LANES) for half in (0, 1)]


def store(c, ins, m):
    access = Access(c, ins, m)
    c.observe.access(c, access, "store", m.bytes * len(m.elements))
    row = c.vector(c.types.i32, LANES)
    of = access.room(2, "of")
    for number, element in enumerate(m.elements):
        for i, word in enumerate(sent(c, m, access.data_byte(), number, element_type(c, m))):
            c.b.store(word, c.b.gep(row, of, [c.number(64, i)]))
        c.run(f"store_{STORED[m.bytes]}_{access.ending()}", of, *access.arguments(access.at(element)))


def atomic(c, ins, m):
    """Lane by lane, in order; what was there comes back. A comparison sends what has to be there first."""
    access = Access(c, ins, m)
    c.observe.access(c, access, m.kind, m.bytes)
    row, element = c.vector(c.types.i32, LANES), element_type(c, m)
    data = c.room(c.types.array(row, 4), "data")
    to = c.room(c.types.array(row, 2), "to")
    operation, words = m.operation, []
    if operation in messages.NO_OPERAND:
        one = [c.all(c.types.i32, LANES, 1), c.all(c.types.i32, LANES, 0)]
        words = one[:m.bytes // 4]
        operation = "add" if operation == "inc" else "sub"
    elif operation in messages.TWO_OPERANDS:
        expected, new = (sent(c, m, access.data_byte(), number, element) for number in (0, 1))
        words = new + expected
    else:
        words = sent(c, m, access.data_byte(), 0, element)
    for i, word in enumerate(words):
        c.b.store(word, c.b.gep(row, data, [c.number(64, i)]))
    mask = c.word(access.mask)
    high = row.null if access.high is None else access.high
    calls_host = operation == "swap" and m.bytes == 8 and m.far     # perhaps
    wave = c.wave if calls_host else c.types.ptr.null
    c.run(f"atomic_{operation}_b{8 * m.bytes}", to, wave, access.low, high, access.base, mask,
          c.number(32, 0), data)
    if m.kind == "atomic":
        return
    value = c.b.load(row, to)
    if m.bytes == 8:
        value = both(c, value, c.b.load(row, c.b.gep(row, to, [c.number(64, 1)])))
    if m.operation == "predec":
        value = c.b.sub(value, c.all(value.type.element, LANES, 1))
    keep(c, ins, m, value, 0, access.on)


# Blocks: bytes that follow each other, to or from registers

def block_place(c, ins, m):
    """The host's address, from the header."""
    header = GRF * ins.sources[0].number
    if m.far:
        return c.b.extract_element(c.load_file(header, c.types.i64, 1), c.number(32, 0))
    offset = c.b.extract_element(c.load_file(header + 8, c.types.i32, 1), c.number(32, 0))
    if not m.in_bytes:
        offset = c.b.mul(offset, c.number(32, BLOCK))
    if m.space == "local":
        base, offset = c.fixed("local"), c.b.binop("and", offset, c.number(32, LOCAL_BYTES - 1))
    elif m.space == "private":          # 32 bits of an address in the thread's memory, and what the header adds
        base = c.fixed("scratch")
        unit = c.b.extract_element(c.load_file(header + 20, c.types.i32, 1), c.number(32, 0))
        more = c.b.sub(c.b.binop("and", unit, c.number(32, -SCRATCH_UNIT)), c.b.cast("trunc", base, c.types.i32))
        offset = c.b.add(offset, more)
    else:
        base = surface(c, m.surface)
    return c.b.add(base, c.b.cast("zext", offset, c.types.i64))


def block(c, ins, m):
    is_store = m.kind == "block_store"
    place = block_place(c, ins, m)
    count = BLOCK * m.count // 4
    c.observe.block_access(c, place, BLOCK * m.count)
    pointer = c.b.cast("inttoptr", place, c.types.ptr)
    move(c, pointer, GRF * (ins.sources[-1].number if m.more else ins.sources[0].number + 1) if is_store
         else GRF * ins.dst.number, count, is_store)


def move(c, pointer, byte, words, is_store):
    """Words between memory and the file of registers."""
    if is_store:
        c.b.store(c.load_file(byte, c.types.i32, words), pointer).align = 4
        return
    loaded = c.b.load(c.vector(c.types.i32, words), pointer)
    loaded.align = 4
    c.store_file(byte, loaded)


def scratch(c, ins, m):
    """Registers that there was no room for."""
    is_store = m.kind == "scratch_store"
    place = c.b.add(c.fixed("scratch"), c.number(64, GRF * m.offset))
    if GRF * (m.offset + m.count) > c.kernel.thread_scratch:
        raise c.unknown(f"of register {m.offset} of scratch memory")
    c.observe.block_access(c, place, GRF * m.count)
    data = ins.sources[-1].number if m.more else ins.sources[0].number + 1
    move(c, c.b.cast("inttoptr", place, c.types.ptr), GRF * (data if is_store else ins.dst.number), GRF * m.count // 4,
         is_store)


def fence(c, ins, m):
    c.b.fence()


def nothing(c, ins, m):
    """A barrier's signal: threads stop where they wait for the others' (wavefront.py)."""


HANDLERS = {"load": load, "store": store, "atomic": atomic, "atomic_return": atomic, "block_load": block,
            "block_store": block, "scratch_load": scratch, "scratch_store": scratch, "fence": fence, "barrier": nothing}
