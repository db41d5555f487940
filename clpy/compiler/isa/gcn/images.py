# SPDX-License-Identifier: Apache-2.0
"""Instructions of images: pixels by their coordinates, samples, and buffers of pixels. The work is done by
library/images.cl, for 16 lanes a call.

The code does not say how many coordinates there are; the image's descriptor, which it has loaded into scalar registers,
does. So all registers that may have coordinates are handed over. gfx9 has coordinates of 16 bits, too (a16), two in a
register: where LLVM sees that they are exact, as those of constants mostly are.
"""
from .operands import write_vector

TYPE_1D = 8 << 28                   # of a buffer of pixels, whose descriptor does not say it
LEVEL_0, LEVEL_GIVEN, LEVEL_OF_STEPS = range(3)
MOST_TEXELS = 8
PLAIN = {"load": LEVEL_0, "load_mip": LEVEL_GIVEN, "store": LEVEL_0, "store_mip": LEVEL_GIVEN}
SAMPLES = {"sample": LEVEL_0, "sample_lz": LEVEL_0, "sample_l": LEVEL_GIVEN, "sample_d": LEVEL_OF_STEPS}
COORDINATES = {LEVEL_0: 3, LEVEL_GIVEN: 4, LEVEL_OF_STEPS: 9}
REFUSED = ("tfe", "lwe", "r128")
FORMATS = {"x": 1, "xy": 3, "xyz": 7, "xyzw": 15}


class Access:
    """What an instruction says: `data` registers for the channels in `channels`, coordinates from `address` on."""

    def __init__(self, c, form):
        self.c, self.modifiers = c, form.modifiers
        self.data, self.address, self.resource, *more = form.operands
        self.short = bool(form.modifiers.get("a16"))
        if form.name.startswith("buffer_"):
            _, self.operation, *rest = form.name.split("_")
            self.halves = "d16" in rest
            self.channels, self.how, self.sampler = FORMATS[rest[-1]], LEVEL_0, None
            self.type = c.number(32, TYPE_1D)
            self.refuse_offsets(more[0])
        else:
            self.operation = form.name.removeprefix("image_")
            self.halves = bool(form.modifiers.get("d16"))
            self.channels = form.modifiers.get("dmask", 0)
            self.how = {**PLAIN, **SAMPLES}[self.operation]
            self.sampler = more[0] if self.operation in SAMPLES else None
            self.type = c.r.scalar(self.resource.at + 3)
        if any(form.modifiers.get(word) for word in REFUSED) or (self.short and self.how == LEVEL_OF_STEPS):
            raise c.unknown("with " + " ".join(sorted(form.modifiers)))
        self.packs = self.halves and c.generation > 8
        self.image = c.r.pair(self.resource.at)

    def refuse_offsets(self, scalar):
        found = self.modifiers
        if not found.get("idxen") or found.get("offen") or found.get("offset") or scalar.kind == "s" or scalar.at:
            raise self.c.unknown("with an offset")

    def sampler_words(self, *numbers):
        return [self.c.r.scalar(self.sampler.at + number) for number in numbers]

    def coordinates(self):
        """Function of the part that puts the registers into memory and gives the place."""
        c, most = self.c, COORDINATES[self.how]
        count = min(most, (c.vgprs - self.address.at) * (2 if self.short else 1))
        of = c.transfer(most, "of")

        def put(k):
            for word in range(count):
                c.b.store(self.coordinate(word, k), c.word_of(of, word))
            return of
        return put

    def coordinate(self, word, k):
        c, r = self.c, self.c.r
        if not self.short:
            return r.vector(self.address.at + word, k)
        value = self.half_of(r.vector(self.address.at + word // 2, k), word % 2)
        return self.wide_float(value) if self.sampler else c.b.cast("zext", value, c.i32)

    def half_of(self, value, upper):
        """16 bits of a register."""
        c = self.c
        return c.b.cast("trunc", c.b.binop("lshr", value, c.all(32, 16)) if upper else value, c.i16)

    def wide_float(self, half):
        c = self.c
        return c.cast(c.b.cast("fpext", c.cast(half, c.half), c.f32), c.i32)

    def bits(self, mask, k):
        c = self.c
        return c.b.cast("zext", c.b.cast("bitcast", mask.part(c, k), c.types.i16), c.types.i32)

    # What the instruction does

    def read(self):
        """Of loads and samples: the colors come into the registers."""
        c, mask, to, put = self.c, self.c.r.exec, self.c.transfer(4), self.coordinates()
        more = [c.number(32, self.how), *(self.sampler_words(0, 1, 2) if self.sampler else ())]
        name = "image_sample" if self.sampler else "image_load"
        image, type_ = self.image, self.type

        def write(k):
            c.run(name, to, put(k), image, type_, self.bits(mask, k), *more)
            colors = [c.b.load(c.i32, c.word_of(to, channel)) for channel in range(4) if self.channels >> channel & 1]
            for word, value in enumerate(self.narrowed(colors)):
                write_vector(c, self.data._replace(at=self.data.at + word), value, k, mask)

        c.r.later(write, loads=True)

    def narrowed(self, colors):
        """As halves, two of which may share a register."""
        c = self.c
        if not self.halves:
            return colors
        colors = [c.b.cast("zext", c.cast(c.b.cast("fptrunc", c.cast(color, c.f32), c.half), c.i16), c.i32)
                  for color in colors]
        if not self.packs:
            return colors
        pairs = [colors[at:at + 2] for at in range(0, len(colors), 2)]
        return [pair[0] if len(pair) == 1 else
                c.b.binop("or", pair[0], c.b.binop("shl", pair[1], c.all(32, 16))) for pair in pairs]

    def widened(self, word, k):
        """A register's half, or the whole register, as a color."""
        r = self.c.r
        if not self.halves:
            return r.vector(self.data.at + word, k)
        value = r.vector(self.data.at + (word // 2 if self.packs else word), k)
        return self.wide_float(self.half_of(value, self.packs and word % 2))

    def write(self):
        """Of stores, which are in the order of the code."""
        c, mask, put = self.c, self.c.r.exec, self.coordinates()
        data, how, zero = c.transfer(4, "color"), c.number(32, self.how), c.all(32, 0)
        image, type_ = self.image, self.type

        def write(k):
            word = 0
            for channel in range(4):
                value = zero
                if self.channels >> channel & 1:
                    value, word = self.widened(word, k), word + 1
                c.b.store(value, c.word_of(data, channel))
            c.run("image_store", data, put(k), image, type_, self.bits(mask, k), how)

        c.r.flush()
        c.r.later(write)
        c.r.flush()

    def tell(self):
        """The trace of where its pixels are."""
        c, mask, put = self.c, self.c.r.exec, self.coordinates()
        places = c.transfer(MOST_TEXELS * 8, "places")      # 64 addresses take 8 vectors of 16 words
        found = c.transfer(1, "found")
        image, type_ = self.image, self.type
        more = [c.number(32, self.how), *self.sampler_words(0, 2)] if self.sampler else []
        name = "image_sample_places" if self.sampler else "image_places"

        def write(k):
            value = c.run(name, places, put(k), image, type_, self.bits(mask, k), *more, c.part_number(k))
            c.b.store(value, found)

        c.r.flush()
        c.r.later(write)
        c.r.flush()
        c.observe.image(c, places, c.b.load(c.types.i32, found), self.operation.startswith("store"))


def access(c, instruction):
    made = Access(c, instruction.form)
    if c.observe.traces:
        made.tell()
    (made.write if made.operation.startswith("store") else made.read)()


def handler(form):
    """Function (c, instruction) of an instruction of images; None for one that is not here."""
    name = form.name
    if name.startswith(("buffer_load_format_", "buffer_store_format_")):
        return access
    return access if name.removeprefix("image_") in {**PLAIN, **SAMPLES} and name.startswith("image_") else None
