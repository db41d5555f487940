# SPDX-License-Identifier: Apache-2.0
"""Operands as values: of scalar instructions at once, of vector instructions when their run is written.

Kinds of a vector operand, a letter each: f, d, h: floats of 32, 64, 16 bits; u, q, w: integers of 32, 64, 16 bits;
m: a mask of lanes.
"""
import struct

from .decode import EXEC, VCC, Operand
from .lanes import ALL
from .registers import SCC

LOCAL_APERTURE, PRIVATE_APERTURE = 0xFFFF0001, 0xFFFF0002     # as in library/wave.h
BASES = {"src_shared_base": LOCAL_APERTURE, "src_private_base": PRIVATE_APERTURE}
LIMITS = ("src_shared_limit", "src_private_limit")
WIDTH = {"f": 32, "u": 32, "h": 16, "w": 16, "d": 64, "q": 64}
FLOATS = "fhd"
PLAIN = {"f": "f32", "u": "i32", "d": "f64", "q": "i64"}        # vectors that are all of a register, or of two


def float_bits(value, width):
    code, integer = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[width]
    return struct.unpack(integer, struct.pack(code, value))[0]


def constant_bits(op, width, is_float):
    """Bits of a constant operand of an instruction that takes `width` bits."""
    if op.kind == "float":
        return float_bits(op.at, width)
    if width == 64 and op.kind == "literal":
        return (op.at & 0xFFFFFFFF) << 32 if is_float else op.at & 0xFFFFFFFF
    return op.at & (1 << width) - 1


def scalar32(c, op):
    """i32 of a scalar operand."""
    if op.kind == "s":
        return c.r.scalar(op.at)
    if op.kind == "name":
        return named(c, op.at)
    return c.number(32, constant_bits(op, 32, False))


def scalar64(c, op, signed=False):
    """i64 of a scalar operand."""
    if op.kind == "s":
        return c.r.pair(op.at)
    if op.kind == "name":
        if op.at in BASES:
            return c.number(64, BASES[op.at] << 32)
        return c.b.cast("zext", named(c, op.at), c.types.i64)
    bits = constant_bits(op, 64, False)
    if signed and op.kind == "literal" and bits >> 31 == 1:
        bits |= ALL >> 32 << 32
    return c.number(64, bits)


def named(c, name):
    """i32 of what has a name instead of a register."""
    if name in BASES:
        return c.number(32, BASES[name])
    if name in LIMITS:
        return c.number(32, 0xFFFFFFFF)
    if name in ("scc", "src_scc"):
        bit = c.r.scalar(SCC)
    elif name in ("src_vccz", "src_execz", "vccz", "execz"):
        bit = c.b.icmp("eq", c.r.pair(VCC if "vccz" in name else EXEC), c.number(64, 0))
    else:
        raise c.unknown(f"with operand {name}")
    return c.b.cast("zext", bit, c.types.i32)


def write_scalar(c, op, value):
    if op.kind != "s":
        return
    if value.type.width == 64:
        c.r.set_pair(op.at, value)
    else:
        c.r.set_scalar(op.at, value)


def mask_of(c, op):
    """Mask of an operand that is one."""
    if op.kind == "s":
        return c.r.mask(op.at)
    from .registers import Mask
    return Mask(scalar64(c, op))


def as_kind(c, value, kind):
    """Integers of a register as what the operation takes."""
    if kind in "wh":
        if str(value.type.scalar) in ("i32", "float"):
            value = c.b.cast("trunc", c.cast(value, c.i32), c.i16)
        return c.cast(value, c.half) if kind == "h" else value
    if kind in "fu":
        return c.cast(value, c.f32 if kind == "f" else c.i32)
    return c.cast(value, c.f64 if kind == "d" else c.i64) if kind in "dq" else value


def changed(c, value, op, kind):
    """With the signs that the operand asks for."""
    if op.sext or kind not in FLOATS:
        return value
    if op.abs:
        value = c.call("llvm.fabs", value)
    return c.b.fneg(value) if op.neg else value


def source(c, op, kind, extract=None):
    """Function of the part (0 to 3) that gives the operand's value there. Scalar registers are read now.
    `extract` changes the 32 bits of a register before they are anything."""
    if kind == "m":
        mask = mask_of(c, op)
        return lambda k: mask.part(c, k)
    if op.kind == "v":
        registers = c.r
        if extract is None and kind in PLAIN and not (op.neg or op.abs or op.sext):
            number, type_ = op.at, getattr(c, PLAIN[kind])
            if WIDTH[kind] == 64:
                return lambda k: c.cast(registers.double(number, k), type_)
            return lambda k: c.cast(registers.word(number, k), type_)
        if WIDTH[kind] == 64:
            return lambda k: changed(c, as_kind(c, registers.double(op.at, k), kind), op, kind)
        if extract is not None:
            return lambda k: changed(c, as_kind(c, extract(registers.vector(op.at, k)), kind), op, kind)
        return lambda k: changed(c, as_kind(c, registers.word(op.at, k), kind), op, kind)
    if op.kind in ("int", "literal", "float"):
        width = WIDTH[kind]
        value = c.all(width, constant_bits(op, width, kind in FLOATS))
        return lambda k: changed(c, as_kind(c, value, kind), op, kind)
    scalar = scalar64(c, op) if WIDTH[kind] == 64 else scalar32(c, op)
    registers = c.r
    if extract is not None:
        return lambda k: changed(c, as_kind(c, extract(registers.splat(scalar)), kind), op, kind)
    return lambda k: changed(c, as_kind(c, registers.splat(scalar), kind), op, kind)


def to_registers(c, value):
    """Integers of 32 bits of a result, which have zeros above what is narrower; of 64 bits, what it is."""
    kind = str(value.type.scalar)
    if kind == "half":
        value, kind = c.cast(value, c.i16), "i16"
    if kind == "i16":
        return c.b.cast("zext", value, c.i32)
    return c.cast(value, c.i32) if kind == "float" else value


def write_vector(c, op, value, k, mask):
    """Put a result of any kind into the register of an operand."""
    type_ = value.type
    if type_ == c.f64 or type_ == c.i64:
        c.r.set_double(op.at, k, value, mask)
    else:
        c.r.set_vector(op.at, k, to_registers(c, value) if type_ == c.i16 or type_ == c.half else value, mask)


NO_OPERAND = Operand("int", 0)
