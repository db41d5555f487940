# SPDX-License-Identifier: Apache-2.0
"""Instructions of gfx9 on pairs of 16-bit numbers, on mixtures of 16 and 32 bits, and the halves that op_sel names."""
from . import arithmetic, vector
from .operands import as_kind, constant_bits, scalar32, to_registers, write_vector


def bits_of(modifiers, name, count, default=0):
    """The numbers of a modifier such as op_sel:[0,1]."""
    text = modifiers.get(name)
    if text is None:
        return [default] * count
    numbers = [int(number) for number in str(text).strip("[]").split(",")]
    return numbers + [default] * (count - len(numbers))


def words(c, op):
    """Function of the part that gives the 32 bits of an operand; constants of 16 bits have zeros above."""
    r = c.r
    if op.kind == "v":
        return lambda k: r.vector(op.at, k)
    if op.kind in ("int", "literal", "float"):
        value = c.all(32, constant_bits(op, 16 if op.kind == "float" else 32, False))
        return lambda k: value
    scalar = scalar32(c, op)
    return lambda k: r.splat(scalar)


def half(c, value, upper):
    return c.b.binop("lshr", value, c.all(32, 16)) if upper else value


def signed(c, value, negative):
    return c.b.fneg(value) if negative and value.type.scalar.is_float else value


def join(c, low, high):
    low, high = (c.b.binop("and", to_registers(c, x), c.all(32, 0xFFFF)) for x in (low, high))
    return c.b.binop("or", low, c.b.binop("shl", high, c.all(32, 16)))


def pair_operation(c, instruction):
    """v_pk_add_u16, v_pk_fma_f16, ...: the operation without pk, on low and high halves."""
    form = instruction.form
    row = arithmetic.OPERATIONS.get(form.name.replace("_pk_", "_"))
    if row is None:
        raise c.unknown()
    _, kinds, function = row
    target, *given = form.operands
    n, modifiers = len(given), form.modifiers
    if modifiers.get("clamp"):
        function = arithmetic.SATURATING.get(form.name.replace("_pk_", "_"), function)
    takes = [words(c, op) for op in given]
    sides = [(bits_of(modifiers, "op_sel", n), bits_of(modifiers, "neg_lo", n)),
             (bits_of(modifiers, "op_sel_hi", n, 1), bits_of(modifiers, "neg_hi", n))]
    mask = c.r.exec

    def write(k):
        values, results = [take(k) for take in takes], []
        for selects, negatives in sides:
            args = [signed(c, as_kind(c, half(c, value, select), kind), negative) for value, select, negative, kind
                    in zip(values, selects, negatives, kinds, strict=False)]
            results.append(vector.clamped(c, function(c, *args), modifiers))
        write_vector(c, target, join(c, *results), k, mask)

    c.r.later(write)


def mixed(c, instruction):
    """v_mad_mix_f32, v_fma_mixlo_f16, ...: op_sel_hi says which sources are halves, op_sel which half."""
    form = instruction.form
    target, *given = form.operands
    modifiers = form.modifiers
    is_half, upper = bits_of(modifiers, "op_sel_hi", 3), bits_of(modifiers, "op_sel", 3)
    function = arithmetic.fused if "_fma_" in form.name else arithmetic.multiply_add
    takes = [words(c, op) if narrow else vector.source(c, op._replace(neg=False, abs=False), "f")
             for op, narrow in zip(given, is_half, strict=True)]
    mask = c.r.exec

    def value_of(index, k):
        value = takes[index](k)
        if is_half[index]:
            value = c.b.cast("fpext", as_kind(c, half(c, value, upper[index]), "h"), c.f32)
        if given[index].abs:
            value = c.call("llvm.fabs", value)
        return signed(c, value, given[index].neg)

    def write(k):
        value = vector.clamped(c, function(c, *[value_of(i, k) for i in range(3)]), modifiers)
        if form.name.endswith("f16"):
            old = c.r.vector(target.at, k)
            value = c.b.cast("fptrunc", value, c.half)
            value = join(c, old, value) if "mixhi" in form.name else join(c, value, half(c, old, True))
        write_vector(c, target, value, k, mask)

    c.r.later(write)


DOTS = {"v_dot2_i32_i16": (16, "sext"), "v_dot2_u32_u16": (16, "zext"), "v_dot4_i32_i8": (8, "sext"),
        "v_dot4_u32_u8": (8, "zext"), "v_dot8_i32_i4": (4, "sext"), "v_dot8_u32_u4": (4, "zext")}


def dot(c, instruction):
    """v_dot4_i32_i8, ...: the sum of products of parts of two words, and a number."""
    form = instruction.form
    target, *given = form.operands
    bits, cast = DOTS[form.name]
    takes = [words(c, op) for op in given]
    mask, saturates = c.r.exec, form.modifiers.get("clamp")

    def part(value, index):
        value = c.b.binop("shl", value, c.all(32, 32 - bits * (index + 1)))
        return c.b.binop("ashr" if cast == "sext" else "lshr", value, c.all(32, 32 - bits))

    def write(k):
        x, y, total = (take(k) for take in takes)
        products = None
        for index in range(32 // bits):
            product = c.b.binop("mul", part(x, index), part(y, index))
            products = product if products is None else c.b.add(products, product)
        if saturates:
            total = c.call("llvm.sadd.sat" if cast == "sext" else "llvm.uadd.sat", products, total)
        else:
            total = c.b.add(products, total)
        write_vector(c, target, total, k, mask)

    c.r.later(write)


def dot_of_halves(c, instruction):
    """v_dot2_f32_f16"""
    form = instruction.form
    target, *given = form.operands
    takes = [words(c, given[0]), words(c, given[1]), vector.source(c, given[2], "f")]
    mask = c.r.exec

    def write(k):
        x, y, total = (take(k) for take in takes)
        for upper in (True, False):
            a, b = (c.b.cast("fpext", as_kind(c, half(c, v, upper), "h"), c.f32) for v in (x, y))
            total = arithmetic.fused(c, a, b, total)
        write_vector(c, target, vector.clamped(c, total, form.modifiers), k, mask)

    c.r.later(write)


class Halves:
    """op_sel of an instruction on 16 bits: which halves of its sources it takes, and where its result goes."""

    def __init__(self, form):
        count = len(form.operands) - 1
        self.selects = bits_of(form.modifiers, "op_sel", count + 1)
        self.upper = self.selects[count]
        self.index = 0

    def source(self, c, op, kind):
        upper = self.selects[self.index]
        self.index += 1
        if not upper or kind not in "hw":
            return vector.source(c, op, kind)
        return vector.source(c, op, kind, extract=lambda value: half(c, value, True))

    def write(self, c, target, value, k, mask):
        if self.upper:
            value = join(c, c.r.vector(target.at, k), value)
        write_vector(c, target, value, k, mask)


def handler(form):
    if form.name.startswith("v_pk_") and form.name.replace("_pk_", "_") in arithmetic.OPERATIONS:
        return pair_operation
    if form.name.startswith(("v_mad_mix", "v_fma_mix")):
        return mixed
    if form.name == "v_dot2_f32_f16":
        return dot_of_halves
    return dot if form.name in DOTS else None
