# SPDX-License-Identifier: Apache-2.0
"""Operands as values: sources with their regions, destinations with their strides and masks."""
import struct

from clpy.llvm.ir import const_vector

from .code import ACC, ADDRESS, CONTROL
from .decode import FLOATS, SIZES

SIGNED = ("b", "w", "d", "q")
LITERAL_OFFSET = 8              # of a literal of 64 bits, in an instruction
DISPATCH_MASK = 2               # sr0.2
ADDRESS_BYTES = 2               # of a part of a0
CLOCK = "tm"
LITERAL_TYPES = {"v": "w", "uv": "uw", "vf": "f"}


def type_of(op):
    return LITERAL_TYPES.get(op.type, op.type)


def read(c, op, width):
    """<width x T> of a source, without its modifiers."""
    if op.kind == "imm":
        return literal(c, op, width)
    if op.kind == "r":
        return indirect(c, op, width) if op.index >= 0 else region(c, op, width)
    if op.kind == "null":
        return c.vector(c.element(op.type or "d"), width).null
    if op.kind == "acc":
        return accumulator(c, op, width)
    if op.kind == "a" and SIZES.get(op.type) == ADDRESS_BYTES:
        return c.cast(pick_of(c, c.get(ADDRESS), op, width), c.vector(c.element(op.type), width))
    return c.splat(special(c, op), width)


def literal(c, op, width):
    type_ = type_of(op)
    element = c.element(type_)
    if op.type in LITERAL_TYPES:
        return vector_literal(c, op, width)
    place = c.program.addresses.get(c.pc + LITERAL_OFFSET)
    if place is not None and SIZES[op.type] == 8:       # an address of the program's data
        return c.splat(c.b.add(c.fixed("image"), c.number(64, place)), width)
    return c.splat(constant(c, op, element), width)


def constant(c, op, element):
    if op.type in FLOATS:
        code, size = {"f": ("<f", 4), "df": ("<d", 8), "hf": ("<e", 2)}[op.type]
        value = struct.unpack(code, op.value.to_bytes(size, "little"))[0]
        if value != value:
            return c.b.cast("bitcast", c.number(8 * size, op.value), element)
        return element.const(value)
    return element.const(op.value)


def packed(op, width, words):
    """Eight small numbers, one for each word of the destination, whose elements are so many words apart."""
    small = [op.value >> 4 * i & 15 for i in range(8)]
    if op.type == "v":
        small = [value - 16 if value & 8 else value for value in small]
    return [small[i * words % 8] for i in range(width)]


def vector_literal(c, op, width):
    if op.type == "vf":
        values = [small_float(op.value >> 8 * (i % 4) & 255) for i in range(width)]
        return const_vector([c.types.float.const(value) for value in values])
    return c.row(16, packed(op, width, c.words))


def small_float(bits):
    """A sign, an exponent of three bits, and four of the mantissa."""
    if not bits & 127:
        return -0.0 if bits else 0.0
    return (-1.0 if bits >> 7 else 1.0) * 2.0 ** ((bits >> 4 & 7) - 3) * (1 + (bits & 15) / 16)


def region(c, op, width):
    element, offsets = c.element(op.type), op.offsets(width)
    if not any(offsets):
        return c.splat(c.b.extract_element(c.load_file(op.byte, element, 1), c.number(32, 0)), width)
    value = c.load_file(op.byte, element, max(offsets) + 1)
    return value if offsets == list(range(width)) else c.pick(value, offsets)


def indirect(c, op, width):
    """What a0 says: one place for all channels, or one for each row of them."""
    element, size = c.element(op.type), SIZES[op.type]
    addresses = c.get(ADDRESS)
    vertical, row, horizontal = op.region if len(op.region) == 3 else (0, width, op.region[0])
    if vertical != -1:
        base = address(c, addresses, op.index, op.more)
        offsets = [i // row * vertical + i % row * horizontal for i in range(width)]
        value = element_vector(c, element, [(base, size * offset) for offset in offsets], all(o == 0 for o in offsets))
        return value
    places = [(address(c, addresses, op.index + i // row, op.more), size * (i % row) * horizontal)
              for i in range(width)]
    return element_vector(c, element, places)


def address(c, addresses, index, more):
    one = c.b.extract_element(addresses, c.number(32, index % 16))
    return c.b.add(c.b.cast("zext", one, c.types.i64), c.number(64, more))


def element_vector(c, element, places, is_one=False):
    value = c.vector(element, len(places)).poison
    if is_one:
        base, offset = places[0]
        return c.splat(c.b.load(element, c.place_at(c.b.add(base, c.number(64, offset)))), len(places))
    for i, (base, offset) in enumerate(places):
        one = c.b.load(element, c.place_at(c.b.add(base, c.number(64, offset))))
        value = c.b.insert_element(value, one, c.number(32, i))
    return value


def accumulator(c, op, width):
    """A number of 64 bits for each channel, of which operands see the lower part."""
    picked = pick_of(c, c.get(ACC), op, width, 8)
    size = 8 * SIZES[op.type]
    narrow = picked if size == 64 else c.b.cast("trunc", picked, c.vector(c.types.int(size), width))
    return c.cast(narrow, c.vector(c.element(op.type), width))


def pick_of(c, value, op, width, per_register=16):
    first = op.number * per_register + op.sub
    return c.pick(value, [(first + offset) % value.type.count for offset in op.offsets(width)])


def special(c, op):
    """A scalar of a register of the architecture's."""
    if op.kind == "f":
        word = c.get(f"f{op.number}")
        if op.type in ("uw", "w"):
            return c.b.cast("trunc", c.b.binop("lshr", word, c.number(32, 16 * (op.sub % 2))), c.types.i16)
        if op.type in ("ud", "d"):
            return word
    if op.kind == "cr" and SIZES.get(op.type) == 4:
        return c.get(CONTROL) if op.sub == 0 else c.number(32, 0)
    if op.kind == "sr" and SIZES.get(op.type) == 4:
        return c.begun() if op.sub == DISPATCH_MASK else c.number(32, 0)
    if op.kind == "ce" and SIZES.get(op.type) == 4:
        return c.running()
    if op.kind == CLOCK and SIZES.get(op.type) == 4 and op.sub < 2:
        return clock(c, op.sub)
    if op.kind in (CLOCK, "n", "ip", "dbg") and op.type in SIZES and op.type not in FLOATS:
        return c.number(8 * SIZES[op.type], 0)
    raise c.unknown(f"{op.kind}{op.number}.{op.sub}")


def clock(c, half):
    """The host's counter of time. Code reads the lower half first: the upper one is of that reading."""
    if half:
        return c.get(CLOCK)
    now = c.b.call(c.intrinsic("llvm.readcyclecounter"), [])
    c.set(CLOCK, c.b.cast("trunc", c.b.binop("lshr", now, c.number(64, 32)), c.types.i32))
    return c.b.cast("trunc", now, c.types.i32)


# Destinations

def write(c, op, value, mask):
    """<width x T>, T the destination's type, to the channels of a mask (None: all)."""
    if op.kind == "null":
        return
    if op.kind == "r":
        (write_indirect if op.index >= 0 else write_region)(c, op, value, mask)
    elif op.kind == "acc":
        write_accumulator(c, op, value, mask)
    elif op.kind == "a" and value.type.element.size == ADDRESS_BYTES:
        old = c.get(ADDRESS)
        c.set(ADDRESS, placed(c, old, c.cast(value, c.vector(c.types.i16, value.type.count)), mask, op.sub))
    else:
        write_special(c, op, value, mask)


def stride(op):
    return op.region[0] if op.region else 1


def write_region(c, op, value, mask):
    step, width = stride(op) or 1, value.type.count
    if width == 1 or step == 1:
        if mask is not None:
            value = c.b.select(mask, value, c.load_file(op.byte, value.type.element, width))
        c.store_file(op.byte, value)
        return
    count = step * (width - 1) + 1
    old = c.load_file(op.byte, value.type.element, count)
    if mask is not None:
        value = c.b.select(mask, value, c.pick(old, [step * i for i in range(width)]))
    new = c.resized(value, count)
    lanes = [count + i // step if i % step == 0 else i for i in range(count)]
    c.store_file(op.byte, c.b.shuffle(old, new, c.row(32, lanes)))


def write_indirect(c, op, value, mask):
    element, size, width = value.type.element, value.type.element.size, value.type.count
    addresses = c.get(ADDRESS)
    base = address(c, addresses, op.index, op.more)
    for i in range(width):
        place = c.place_at(c.b.add(base, c.number(64, size * i * (stride(op) or 1))))
        one = c.b.extract_element(value, c.number(32, i))
        if mask is not None:
            on = c.b.extract_element(mask, c.number(32, i))
            one = c.b.select(on, one, c.b.load(element, place))
        c.b.store(one, place)


def placed(c, old, value, mask, first):
    """A vector with others from an element on."""
    count, width = old.type.count, value.type.count
    first %= count
    if mask is not None:
        value = c.b.select(mask, value, c.pick(old, [(first + i) % count for i in range(width)]))
    new = c.resized(value, count)
    lanes = [count + i - first if first <= i < first + width else i for i in range(count)]
    return c.b.shuffle(old, new, c.row(32, lanes))


def write_accumulator(c, op, value, mask):
    width = value.type.count
    if value.type.element.is_float:
        value = c.cast(value, c.vector(c.types.int(8 * value.type.element.size), width))
    wide = value if value.type.element.width == 64 else c.b.cast(
        "sext" if op.type in SIGNED else "zext", value, c.vector(c.types.i64, width))
    c.set(ACC, placed(c, c.get(ACC), wide, mask, 8 * op.number + op.sub))


def write_special(c, op, value, mask):
    one = c.b.extract_element(value, c.number(32, 0))
    if op.kind == "f" and not one.type.is_float and mask is None:
        name = f"f{op.number}"
        if one.type.width == 32:
            c.set(name, one)
            return
        if one.type.width == 16:
            first = 16 * (op.sub % 2)
            wide = c.b.binop("shl", c.b.cast("zext", one, c.types.i32), c.number(32, first))
            kept = c.b.binop("and", c.get(name), c.number(32, 0xFFFF << (16 - first)))
            c.set(name, c.b.binop("or", kept, wide))
            return
    if op.kind == "cr" and op.sub == 0 and one.type == c.types.i32:
        c.set(CONTROL, one)
        return
    if op.kind in ("n", CLOCK):
        return
    raise c.unknown(f"to {op.kind}{op.number}.{op.sub}")
