# SPDX-License-Identifier: Apache-2.0
"""Instructions that go to memory: scalar loads, buffers, flat and global addresses, LDS, private memory.

The work is done by the library (library/memory.c, library/atomic.c), for 16 lanes a call. An address is "near", a base
of 64 bits and 32 bits of each lane; "far", 64 bits of each lane and a base; "flat", as far but of any memory; or
"private".
"""
from dataclasses import dataclass

from .lanes import LANES
from .operands import scalar32, scalar64, source, write_vector
from .stores import Store, Words

KINDS = {"ubyte": "u8", "sbyte": "i8", "ushort": "u16", "sshort": "i16", "dword": "b32", "dwordx2": "b64",
         "dwordx3": "b96", "dwordx4": "b128", "byte": "b8", "short": "b16",
         "b8": "b8", "b16": "b16", "b32": "b32", "b64": "b64", "b96": "b96", "b128": "b128",
         "u8": "u8", "i8": "i8", "u16": "u16", "i16": "i16"}
WORDS = {"u8": 1, "i8": 1, "u16": 1, "i16": 1, "b8": 1, "b16": 1, "b32": 1, "b64": 2, "b96": 3, "b128": 4}
OF_WAVE = ("near", "far", "flat")
BASE_BITS = (1 << 48) - 1


@dataclass
class Address:
    """`form` as above; `lanes(k)`: vectors of one part, `base`: what follows them; an i64, or two for "either".
    Lanes are the register `at` (of "far" and "flat" that and the next) plus `more`, an i32; None: `more` alone."""
    form: str
    lanes: object
    base: tuple
    at: int | None = None
    more: object = None

    def arguments(self, k):
        return [*self.lanes(k), *self.base]


def register(op):
    return op.at if op.kind == "v" else None


def far(c, op, base, form="far"):
    r = c.r
    return Address(form, lambda k: [r.vector(op.at, k), r.vector(op.at + 1, k)], (base,), op.at)


def no_lanes(c):
    zero = c.all(32, 0)
    return lambda k: zero


def flat_address(c, form, address, scalar):
    """Of flat_ and global_ instructions."""
    offset = c.number(64, form.modifiers.get("offset", 0))
    if form.name.startswith("global_") and scalar is not None and scalar.kind == "s":
        take = source(c, address, "u")
        return Address("near", lambda k: [take(k)], (c.b.add(scalar64(c, scalar), offset),), register(address),
                       c.number(32, 0))
    return far(c, address, offset, "flat" if form.name.startswith("flat_") else "far")


def private_address(c, form, address, scalar):
    """Of scratch_ instructions."""
    offset = c.number(32, form.modifiers.get("offset", 0))
    if scalar is not None and scalar.kind == "s":
        offset = c.b.add(offset, scalar32(c, scalar))
    take = source(c, address, "u") if address.kind == "v" else no_lanes(c)
    r = c.r
    return Address("private", lambda k: [c.b.add(take(k), r.splat(offset))], (c.scratch(),), register(address), offset)


def buffer_address(c, form, address, resource, scalar, is_atomic=False):
    words = c.r.pair(resource.at)
    offset = c.b.cast("zext", scalar32(c, scalar), c.types.i64)
    constant = form.modifiers.get("offset", 0)
    if form.modifiers.get("idxen"):
        raise c.unknown("with idxen")
    if form.modifiers.get("addr64"):        # the base may be a negative number that all lanes have in common
        base = c.b.add(c.b.binop("ashr", c.b.binop("shl", words, c.number(64, 16)), c.number(64, 16)), offset)
        return far(c, address, c.b.add(base, c.number(64, constant)))
    has_lanes = form.modifiers.get("offen")
    take = source(c, address, "u") if has_lanes else no_lanes(c)
    at, all_ = register(address) if has_lanes else None, c.all(32, constant)
    form_name = "near" if is_atomic else c.buffer_memory()      # nobody does atomics on private memory
    lanes = lambda k: [c.b.add(take(k), all_)]    # noqa: E731
    base = (words, offset)
    if form_name != "either":
        base = (c.b.add(c.b.binop("and", words, c.number(64, BASE_BITS)), offset),)
    return Address(form_name, lanes, base, at, c.number(32, constant))


def local_address(c, op, offset):
    return local_near(c, source(c, op, "u"), offset, register(op))


def local_near(c, take, offset, at=None):
    """The sum has 32 bits: the register alone may be an address before the start of local memory."""
    all_ = c.all(32, offset)
    lanes = lambda k: [c.b.add(take(k), all_) if offset else take(k)]    # noqa: E731
    return Address("near", lanes, (c.local(),), at, c.number(32, offset))


def apart(mask):
    """Ending of the function for a mask: code for wavefronts that are all on is in line."""
    return "" if mask.is_full else "_some"


def load(c, kind, target, address, place=None):
    """`place` puts the loaded word into part of the register: (old, loaded) -> new."""
    mask, words, r = c.r.exec, WORDS[kind], c.r
    to = c.transfer(words)

    def write(k):
        c.run(f"load_{kind}_{address.form}{apart(mask)}", to, c.wave, *address.arguments(k), mask.part(c, k),
              c.part_number(k))
        for word in range(words):
            value = c.b.load(c.i32, c.word_of(to, word))
            if place is not None:
                value = place(c, r.vector(target.at, k), value)
            write_vector(c, target._replace(at=target.at + word), value, k, mask)

    r.later(write, loads=True)


def store(c, kind, data, address, at=None):
    """`data(k)` gives the words of one part; they lie in vector registers from `at` on (None: not as they are). Stores
    are in the order of the code for the whole wavefront."""
    mask, words = c.r.exec, WORDS[kind]
    if may_wait(c, address):
        wait(c, kind, data, address, at)
        return
    c.r.make_stores()
    if c.r.run_loads:
        c.r.flush()
    of = c.transfer(words)

    def write(k):
        for word, value in enumerate(data(k)):
            c.b.store(value, c.word_of(of, word))
        c.run(f"store_{kind}_{address.form}{apart(mask)}", of, c.wave, *address.arguments(k), mask.part(c, k),
              c.part_number(k))

    c.r.later(write)
    c.r.flush()


def may_wait(c, address):
    return c.is_brief and address.form in OF_WAVE


def wait(c, kind, data, address, at, told=None):
    """All that the store takes is, or will be, in memory: a call for the whole wavefront, behind the run."""
    first = address.at
    wide = address.form != "near"
    r = c.r
    lanes = address.lanes if first is None or wide else lambda k: [r.vector(first, k)]
    taken = Words(at, WORDS[kind], data, may_be_double=kind == "b64")
    r.wait(Store(c, kind, taken, Words(first, 1 + wide, lanes), address.more, address.form, address.base, told))


def registers_of(c, op, words, change=None):
    """Function of the part that gives `words` registers from the operand on."""
    r = c.r
    if op.kind != "v":
        take = source(c, op, "u")
        return lambda k: [take(k)] * words
    if change is not None:
        return lambda k: [change(r.vector(op.at, k))]
    return lambda k: [r.vector(op.at + i, k) for i in range(words)]


# Words that are half a register

def low_half(c, old, value):
    return c.b.binop("or", c.b.binop("and", old, c.all(32, 0xFFFF0000)), c.b.binop("and", value, c.all(32, 0xFFFF)))


def high_half(c, old, value):
    return c.b.binop("or", c.b.binop("and", old, c.all(32, 0xFFFF)), c.b.binop("shl", value, c.all(32, 16)))


def half_of(name):
    """(name without the word for half a register, what puts it there)"""
    for ending, place in (("_d16_hi", high_half), ("_d16", low_half)):
        if name.endswith(ending):
            stem = name.removesuffix(ending)
            return (stem[:-len("short")] + "ushort" if stem.endswith("_short") else stem), place
    return name, None


def vector_address(c, form, operands):
    """Of any instruction but those of LDS; `operands` begin with the lanes' address."""
    family = form.name.partition("_")[0]
    if family == "buffer":
        return buffer_address(c, form, *operands[:3])
    scalar = operands[1] if len(operands) > 1 else None
    return (private_address if family == "scratch" else flat_address)(c, form, operands[0], scalar)


def vector_load(c, instruction):
    form = instruction.form
    name, place = half_of(form.name)
    kind = KINDS[name.rpartition("_")[2]]
    if form.modifiers.get("glc"):
        c.b.fence()
    address = vector_address(c, form, form.operands[1:])
    if not form.modifiers.get("untold"):
        c.observe.address(c, instruction, address)
    load(c, kind, form.operands[0], address, place)


def vector_store(c, instruction):
    form = instruction.form
    name = form.name.removesuffix("_d16_hi")
    kind = KINDS[name.rpartition("_")[2]]
    operands = list(form.operands)
    data = operands.pop(0 if name.startswith("buffer_") else 1)
    upper = (lambda x: c.b.binop("lshr", x, c.all(32, 16))) if name != form.name else None
    address = vector_address(c, form, operands)
    take, at = registers_of(c, data, WORDS[kind], upper), None if upper else register(data)
    if may_wait(c, address):
        wait(c, kind, take, address, at, c.observe.waiting(c, form))
        return
    c.observe.address(c, instruction, address)
    store(c, kind, take, address, at)


# LDS

def local_offsets(form, size):
    """Offsets of an instruction with two places."""
    scale = size * (64 if "st64" in form.name else 1)
    return [form.modifiers.get(f"offset{i}", 0) * scale for i in (0, 1)]


def local_load(c, instruction):
    form = instruction.form
    target, address = form.operands[:2]
    name, place = half_of(form.name)
    kind = name.removeprefix("ds_read").removeprefix("2").removeprefix("st64").removeprefix("_")
    kind = KINDS[kind]
    if not form.name.startswith("ds_read2"):
        where = local_address(c, address, form.modifiers.get("offset", 0))
        c.observe.address(c, instruction, where)
        load(c, kind, target, where, place)
        return
    offsets = local_offsets(form, 4 * WORDS[kind])
    c.observe.address(c, instruction, *[local_address(c, address, offset) for offset in offsets])
    # Both are read before either is written: the address may be in the result.
    c.r.make_stores()
    takes = source(c, address, "u")
    first = []

    def keep(k):
        first[:] = [takes(k)]

    c.r.later(keep)
    for index, offset in enumerate(offsets):
        each = local_near(c, lambda k: first[0], offset)
        load(c, kind, target._replace(at=target.at + index * WORDS[kind]), each)


def local_store(c, instruction):
    form = instruction.form
    address, *data = form.operands
    upper = (lambda x: c.b.binop("lshr", x, c.all(32, 16))) if form.name.endswith("_d16_hi") else None
    name = form.name.removesuffix("_d16_hi")
    kind = KINDS[name.rpartition("_")[2]]
    words = WORDS[kind]
    if form.name.startswith("ds_write2"):
        places = [local_address(c, address, offset) for offset in local_offsets(form, 4 * words)]
        c.observe.address(c, instruction, *places)
        for op, place in zip(data, places, strict=True):
            store(c, kind, registers_of(c, op, words), place, register(op))
    else:
        place = local_address(c, address, form.modifiers.get("offset", 0))
        c.observe.address(c, instruction, place)
        store(c, kind, registers_of(c, data[0], words, upper), place, None if upper else register(data[0]))


# Atomics

LOCAL_NAMES = {"wrxchg": "swap", "cmpst": "cmpswap"}


def atomic(c, name, wide, target, address, data):
    """`data`: (operand, words) of what goes to memory, in the order of the library. None as target: nothing returns."""
    c.r.flush()
    words = 2 if wide else 1
    mask, registers = c.r.exec, c.r
    to, of = c.transfer(words), c.transfer(4 if wide else 2, "of")
    parts = [registers_of(c, op, count) for op, count in data]
    zero = c.all(32, 0)

    def write(k):
        values = [value for part in parts for value in part(k)]
        for word, value in enumerate(values):
            c.b.store(value, c.word_of(of, word))
        lanes, form = address.lanes(k), address.form
        where = c.wave if form == "flat" else c.types.ptr.null
        low, high = lanes if len(lanes) == 2 else (lanes[0], zero)
        bits = c.b.cast("zext", c.b.cast("bitcast", mask.part(c, k), c.types.i16), c.types.i32)
        c.run(f"atomic_{name}_b{32 * words}", to, where, low, high, address.base[0], bits, c.part_number(k), of)
        if target is not None:
            for word in range(words):
                registers.set_vector(target.at + word, k, c.b.load(c.i32, c.word_of(to, word)), mask)

    registers.later(write)
    registers.flush()


def vector_atomic(c, instruction):
    """flat_atomic_add, global_atomic_cmpswap_x2, buffer_atomic_or, ..."""
    form = instruction.form
    family, _, name = form.name.partition("_atomic_")
    wide = name.endswith("_x2")
    name = name.removesuffix("_x2").replace("fcmpswap", "cmpswap")
    words = (2 if wide else 1) * (2 if name in ("cmpswap", "mskor") else 1)
    operands = list(form.operands)
    returns = form.modifiers.get("glc")
    if family == "buffer":
        data = operands.pop(0)
        target = data._replace(width=2 if wide else 1) if returns else None
        address = buffer_address(c, form, *operands[:3], is_atomic=True)
    else:
        target = operands.pop(0) if returns else None
        data = operands.pop(1)
        address = flat_address(c, form, operands[0], operands[1] if len(operands) > 1 else None)
    c.observe.address(c, instruction, address)
    atomic(c, name, wide, target, address, [(data, words)])


def local_atomic(c, instruction):
    """ds_add_u32, ds_cmpst_rtn_b64, ds_wrxchg_rtn_b32, ..."""
    form = instruction.form
    parts = form.name.removeprefix("ds_").split("_")
    name, kind = parts[0], parts[-1]
    wide, returns = kind[1:] == "64", "rtn" in parts
    if name in ("min", "max"):
        name = {"i": "s", "u": "u", "f": "f"}[kind[0]] + name
    if name == "add" and kind[0] == "f":
        name = "fadd"
    operands = list(form.operands)
    target = operands.pop(0) if returns else None
    address, *data = operands
    if name == "cmpst":
        data.reverse()
    words = 2 if wide else 1
    place = local_address(c, address, form.modifiers.get("offset", 0))
    c.observe.address(c, instruction, place)
    atomic(c, LOCAL_NAMES.get(name, name), wide, target, place, [(op, words) for op in data])


# Scalar loads

def scalar_load(c, instruction):
    """s_load_dwordx4, s_buffer_load_dword, ..."""
    form = instruction.form
    target, base, *offsets = form.operands
    width = target.width
    c.r.make_stores()
    address = c.r.pair(base.at)
    if form.name.startswith("s_buffer_"):
        address = c.b.binop("and", address, c.number(64, BASE_BITS))
    for op in offsets:
        if op.kind != "s":
            address = c.b.add(address, c.number(64, scaled(c, op.at)))
        else:
            address = c.b.add(address, c.b.cast("zext", scalar32(c, op), c.types.i64))
    extra = form.modifiers.get("offset", 0)
    if extra:
        address = c.b.add(address, c.number(64, extra))
    if not form.modifiers.get("untold"):        # what the engine wants to know, the chip knows already
        c.observe.scalar(c, address, 4 * width)
    pointer = c.b.cast("inttoptr", address, c.types.ptr)
    values = []
    for index in range(0, width, 2):
        wide = index + 1 < width
        place = c.b.gep(c.types.i32, pointer, [c.number(64, index)]) if index else pointer
        value = c.b.load(c.types.i64 if wide else c.types.i32, place)
        value.align = 4
        values.append(value)
    for index, value in enumerate(values):
        if value.type.width == 64:
            c.r.set_pair(target.at + 2 * index, value)
        else:
            c.r.set_scalar(target.at + 2 * index, value)


def scaled(c, offset):
    """Bytes of a constant offset: the first chips count dwords where it is short."""
    if c.generation in (6, 7) and 0 <= offset < 256:
        return 4 * offset
    return offset * 4 if c.generation == 7 else offset


def handler(form):
    """Function (c, instruction) of an instruction that goes to memory; None for one that is not here."""
    name = form.name
    if name.startswith(("s_load_", "s_buffer_load_", "s_scratch_load_")):
        return scalar_load
    if name.startswith(("flat_", "global_", "buffer_", "scratch_")):
        operation = name.split("_")[1]
        found = {"load": vector_load, "store": vector_store, "atomic": vector_atomic}.get(operation)
        if found in (vector_load, vector_store):
            kind = half_of(name)[0].removesuffix("_d16_hi").rpartition("_")[2]
            return found if kind in KINDS else None
        return found
    if name.startswith("ds_read"):
        return local_load
    if name.startswith("ds_write"):
        return local_store
    return local_atomic if name.startswith(LOCAL_ATOMICS) and "src2" not in name else None


LOCAL_ATOMICS = tuple(f"ds_{name}_" for name in ("add", "sub", "rsub", "inc", "dec", "min", "max", "and", "or", "xor",
                                                 "mskor", "wrxchg", "cmpst"))
assert LANES == 16
