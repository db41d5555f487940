# SPDX-License-Identifier: Apache-2.0
"""Messages to the sampler and to typed surfaces: samples and pixels of images. The work is done by library/images.cl,
for 16 lanes a call.

The table of surfaces has for an image the address of what stands for it (library/launch.c), the table behind it that of
what stands for a sampler. Samplers of the source are numbers that the program knows.
"""
from .decode import GRF

LANES = 16
LEVEL_0, LEVEL_BEHIND = 0, 3        # of library/images.cl: the code does not say which level, or does
WITH_LEVELS = "gen8"                # whose messages all say which; where that is in them is other on later chips
KIND = 12                           # bytes before the word that says how many dimensions there are
SAMPLER_WORDS = 3
WORD, HEADER_WORDS, ROWS, MOST_ROWS = 4, 3, 16, 63      # of blocks
MOST_COORDINATES, COLORS, MOST_TEXELS, WAVE = 3, 4, 8, 64
# Bits of a sampler as OpenCL C has them, and words of the chip's as library/launch.c makes them.
NORMALIZED, ADDRESSING, LINEAR = 1, 0xE, 0x20
WRAPS = (2, 2, 6, 0, 1, 2, 2, 2)    # by addressing mode
NOT_NORMALIZED, HIGHEST_LEVEL = 1 << 15, 4095 << 12
MAGNIFIES_LINEAR, MINIFIES_LINEAR, NEAREST_LEVEL = 1 << 20, 1 << 22, 1 << 26


def sampler_words(bits):
    wrap = WRAPS[(bits & ADDRESSING) >> 1]
    return (wrap * 0o111 | (0 if bits & NORMALIZED else NOT_NORMALIZED), HIGHEST_LEVEL,
            MAGNIFIES_LINEAR | NEAREST_LEVEL | (MINIFIES_LINEAR if bits & LINEAR else 0))


def place_of(c, message, surface):
    """(The address of what stands for an image, the pointer to its row in the table)."""
    descriptor = c.b.cast("inttoptr", surface(c, message.surface), c.types.ptr)
    return c.b.load(c.types.i64, descriptor), descriptor


class Image:
    """What a message works on. `on`: its channels, None for all; `mask`: an i32 of 16 lanes."""

    def __init__(self, c, ins, message, surface):
        self.c, self.ins, self.m = c, ins, message
        self.on = c.mask_of(ins)
        self.mask = c.number(32, (1 << ins.width) - 1) if self.on is None else c.word(self.on)
        self.address, descriptor = place_of(c, message, surface)
        self.type = c.b.load(c.types.i32, c.b.gep(c.types.i8, descriptor, [c.number(64, KIND)]))
        # Registers that are sent, one behind the other: a header, coordinates, colors.
        first, *second = ins.sources
        self.sent = [first.number + i for i in range(message.length)]
        if second and message.more:
            self.sent += [second[0].number + i for i in range(message.more)]
        self.sent = self.sent[1:] if message.header else self.sent
        self.each = max(message.lanes * 4 // GRF, 1)        # registers of a word of each lane

    def words(self, first, count):
        """<16 x i32> of the words from one on."""
        c, made = self.c, []
        for number in range(first, first + count):
            at = self.sent[self.each * number:self.each * (number + 1)]
            parts = [c.load_file(GRF * register, c.types.i32, GRF // 4) for register in at]
            value = parts[0] if len(parts) == 1 else c.b.shuffle(*parts, c.row(32, range(LANES)))
            made.append(c.resized(value, LANES))
        return made

    def coordinates(self):
        """(Of a read, how the level is told). A message ends with the last word that is no zero. The level of a sample
        is put behind its coordinates; that of a pixel is the first, as without a sampler OpenCL C reads no other."""
        words, place = self.words(0, len(self.sent) // self.each), self.m.level
        zeros = [self.c.vector(self.c.types.i32, LANES).null] * MOST_COORDINATES
        if place < 0:
            return [*words, *zeros][:MOST_COORDINATES], LEVEL_0
        level = words[place:place + 1] or zeros[:1]
        del words[place:place + 1]
        words = [*words, *zeros][:MOST_COORDINATES]
        if self.m.kind == "image_sample":
            return words + level, LEVEL_BEHIND
        if self.c.program.processor != WITH_LEVELS:
            raise self.c.unknown("that reads a pixel of a level")
        return words, LEVEL_0

    def room(self, name, words):
        """Room for vectors of 16 words, with some in it."""
        c, row = self.c, self.c.vector(self.c.types.i32, LANES)
        count = words if isinstance(words, int) else len(words)
        place = c.room(c.types.array(row, max(count, MOST_COORDINATES + 1)), ("image", name))
        for i, value in enumerate([] if isinstance(words, int) else words):
            c.b.store(value, c.b.gep(row, place, [c.number(64, i)]))
        return place

    def sampler(self):
        """Three words."""
        c, index = self.c, self.m.sampler
        own = dict(map(tuple, c.kernel.own_samplers))
        if index in own:
            return [c.number(32, word) for word in sampler_words(own[index])]
        if index >= c.kernel.n_samplers:
            raise c.unknown(f"of sampler {index}, of {c.kernel.n_samplers}")
        entry = c.b.add(c.fixed("kernarg"), c.number(64, c.kernel.samplers + 8 * index))
        place = c.b.load(c.types.ptr, c.b.cast("inttoptr", entry, c.types.ptr))
        return [c.b.load(c.types.i32, c.b.gep(c.types.i32, place, [c.number(64, i)])) for i in range(SAMPLER_WORDS)]

    def tell(self, coordinates, sampler=None, how=LEVEL_0, is_store=False):
        """The trace of where pixels are."""
        c = self.c
        if not c.observe.traces:
            return

        def write():
            places = c.room(c.types.array(c.types.i64, WAVE * MOST_TEXELS), ("image", "places"))
            of = self.room("of", coordinates)
            more = [c.number(32, how), sampler[0], sampler[2]] if sampler else []
            found = c.run("image_sample_places" if sampler else "image_places", places, of, self.address, self.type,
                          self.mask, *more, c.number(32, 0))
            lanes = c.b.cast("zext", self.mask, c.types.i64)
            c.run("trace_image", c.wave, places, lanes, found, c.number(32, int(is_store)))

        c.observe.while_it_tells(c, write)


def read(c, ins, m, surface, keep):
    """Colors come into the registers; of the last channels perhaps none."""
    image = Image(c, ins, m, surface)
    coordinates, how = image.coordinates()
    sampler = image.sampler() if m.kind == "image_sample" else None
    image.tell(coordinates, sampler, how)
    to = image.room("to", COLORS)
    more = [c.number(32, how), *(sampler or [])]
    c.run("image_sample" if sampler else "image_load", to, image.room("of", coordinates), image.address, image.type,
          image.mask, *more)
    row = c.vector(c.types.i32, LANES)
    for channel in range(min(m.response // image.each, COLORS)):
        keep(c, ins, m, c.b.load(row, c.b.gep(row, to, [c.number(64, channel)])), channel, image.on)


def write(c, ins, m, surface, keep):
    """Colors of the channels that the message has; others are zeros."""
    image = Image(c, ins, m, surface)
    count = len(image.sent) // image.each - len(m.elements)
    coordinates = image.words(0, count)[:MOST_COORDINATES]
    given = dict(zip(m.elements, image.words(count, len(m.elements)), strict=True))
    zero = c.vector(c.types.i32, LANES).null
    image.tell(coordinates, is_store=True)
    colors = image.room("colors", [given.get(channel, zero) for channel in range(COLORS)])
    c.run("image_store", colors, image.room("of", coordinates), image.address, image.type, image.mask,
          c.number(32, LEVEL_0))


class Block:
    """Of an image: bytes of rows. A header has the place, in bytes and rows, and the size."""

    def __init__(self, c, ins, message, surface):
        self.c, self.words = c, message.count * GRF // WORD
        self.row = c.vector(c.types.i32, self.words)
        address, _ = place_of(c, message, surface)
        header = c.load_file(GRF * ins.sources[0].number, c.types.i32, HEADER_WORDS)
        self.arguments = [address, *(c.b.extract_element(header, c.number(32, i)) for i in range(HEADER_WORDS))]
        self.rows = c.b.add(c.b.binop("and", c.b.binop("lshr", self.arguments[-1], c.number(32, ROWS)),
                                      c.number(32, MOST_ROWS)), c.number(32, 1))

    def tell(self, is_store):
        c = self.c
        if not c.observe.traces:
            return

        def write():
            places = c.room(c.types.array(c.types.i64, WAVE * MOST_TEXELS), ("image", "places"))
            found = c.run("media_places", places, *self.arguments)
            rows = c.b.sub(c.b.binop("shl", c.number(32, 1), c.call("llvm.umin", self.rows, c.number(32, LANES))),
                           c.number(32, 1))
            c.run("trace_image", c.wave, places, c.b.cast("zext", rows, c.types.i64), found,
                  c.number(32, int(is_store)))

        c.observe.while_it_tells(c, write)

    def run(self, name, is_store, value=None):
        """The words that come back, or those that are sent."""
        c = self.c
        self.tell(is_store)
        place = c.room(self.row, (name, self.words))
        if value is not None:
            c.b.store(value, place)
        c.run(name, place, *self.arguments)
        return c.b.load(self.row, place)


def read_block(c, ins, m, surface, keep):
    block = Block(c, ins, m, surface)
    c.store_file(GRF * ins.dst.number, block.run("media_load", False))


def write_block(c, ins, m, surface, keep):
    """What is sent lies behind the header, or in a second source."""
    block = Block(c, ins, m, surface)
    data = ins.sources[-1].number if m.more else ins.sources[0].number + 1
    block.run("media_store", True, c.load_file(GRF * data, c.types.i32, block.words))


HANDLERS = {"image_load": read, "image_sample": read, "image_store": write, "media_load": read_block,
            "media_store": write_block}
