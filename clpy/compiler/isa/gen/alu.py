# SPDX-License-Identifier: Apache-2.0
"""Instructions that compute."""
from clpy.compiler.isa.gcn.lanes import UNO

from . import floats, operands
from .code import ACC
from .decode import FLOATS, SIZES, Operand
from .operands import LITERAL_TYPES, SIGNED, type_of
from .values import Values, compare, converted, extended, finish, modified_float, modified_int, store

LOGIC = ("and", "or", "xor", "not")
WRITES_ACC = "AccWrEn"


def move(c, ins):
    op = ins.sources[0]
    type_ = type_of(op)
    value = operands.read(c, op, ins.width)
    if type_ in FLOATS:
        finish(c, ins, modified_float(c, op, value))
        return
    if op.abs or op.neg or op.inv:
        v = Values(c, ins)
        finish(c, ins, v.at[0], v.signed)
        return
    finish(c, ins, value, type_ in SIGNED)


def scattered_move(c, ins):
    """smov: a move of the one channel whose bit the literal has."""
    channel = ins.sources[1].value.bit_length() - 1
    if ins.sources[1].kind != "imm" or ins.sources[1].value != 1 << channel or channel >= ins.width:
        raise c.unknown("of other than one channel")
    mask = c.mask_of(ins)
    if mask is not None:
        mask = c.pick(mask, [channel])
    value = converted(c, operands.read(c, ins.sources[0], 1), ins.dst, False, type_of(ins.sources[0]) in SIGNED)
    dst = ins.dst._replace(more=ins.dst.more + channel * ins.dst.size * operands.stride(ins.dst))
    operands.write(c, dst, value, mask)


def arithmetic(c, ins):
    v = Values(c, ins)
    if v.float:
        finish(c, ins, c.b.binop({"add": "fadd", "mul": "fmul"}[ins.name], *v.at))
        return
    left, right = v.at
    if ins.saturates and v.bits < 64:           # the sum is compared with more than its type holds
        wide = c.vector(c.types.i64, ins.width)
        left, right = (c.b.cast("sext" if type_of(op) in SIGNED or op.neg else "zext", value, wide)
                       for op, value in zip(ins.sources, v.at, strict=True))
    if ins.saturates and v.bits == 64 and ins.name == "add":
        name = "llvm.sadd.sat" if v.signed else "llvm.uadd.sat"
        finish(c, ins, c.call(name, left, right), v.signed)
        return
    finish(c, ins, c.b.binop(ins.name, left, right), v.signed or ins.saturates)


def logic(c, ins):
    v = Values(c, ins)
    if ins.name == "not":
        finish(c, ins, c.b.binop("xor", v.at[0], v.at[0].type.all_ones), v.signed)
        return
    finish(c, ins, c.b.binop(ins.name, *v.at), v.signed)


def shift(c, ins):
    """Counts are of five bits, of six where the operation has 64."""
    v = Values(c, ins)
    value, count = v.at
    bits = max(v.bits, 32)
    if v.bits < 32:
        wide = c.vector(c.types.i32, ins.width)
        value, count = (c.b.cast("sext" if type_of(op) in SIGNED else "zext", each, wide)
                        for op, each in zip(ins.sources, v.at, strict=True))
    count = c.b.binop("and", count, c.all(count.type.element, ins.width, 63 if bits == 64 else 31))
    if ins.name == "shr":       # as many zeros as come from above the source's own type
        source = ins.sources[0]
        if type_of(source) in SIGNED and 8 * SIZES[type_of(source)] < bits:
            value = c.b.binop("and", value, c.all(value.type.element, ins.width, (1 << 8 * source.size) - 1))
    name = {"shl": "shl", "shr": "lshr", "asr": "ashr"}[ins.name]
    finish(c, ins, c.b.binop(name, value, count), ins.name != "shr" and v.signed)


def compared(c, ins):
    """cmp: flags, and all bits of the destination."""
    v = Values(c, ins)
    test, flag = ins.condition
    left, right = v.at
    types = {type_of(op) in SIGNED for op in ins.sources}
    if not v.float and len(types) == 2 and v.bits < 64:        # one has a sign, the other has none
        wide = c.vector(c.types.i64, ins.width)
        left, right = (c.b.cast("sext" if type_of(op) in SIGNED else "zext", value, wide)
                       for op, value in zip(ins.sources, v.at, strict=True))
    if all(op.is_scalar and op.type not in LITERAL_TYPES for op in ins.sources):
        left, right = (c.resized(value, 1) for value in (left, right))
    bits = c.same(compare(c, test, left, right, v.signed), ins.width)
    mask = c.mask_of(ins)
    c.set_flags(flag, ins.offset, bits, mask)
    if ins.dst.kind != "null":
        width = 8 * SIZES[ins.dst.type]
        ones = c.b.cast("sext", bits, c.vector(c.types.int(width), ins.width))
        operands.write(c, ins.dst, c.cast(ones, c.vector(c.element(ins.dst.type), ins.width)), mask)


def select(c, ins):
    """sel: by the predicate, or the lesser or the greater one."""
    v = Values(c, ins)
    left, right = v.at
    if ins.condition is None:
        chosen = c.b.select(c.predicate(ins), left, right)
    else:
        test = ins.condition[0]
        first = compare(c, test, left, right, v.signed)
        if v.float:             # a number rather than none
            first = c.b.binop("or", first, c.b.fcmp(UNO, right, right))
        chosen = c.b.select(first, left, right)
    mask = c.bits(c.running(), ins.offset, ins.width)
    if ins.nomask or (c.is_converged and c.full):
        mask = None
    store(c, ins, chosen, mask, v.signed)


def conditional_select(c, ins):
    """csel: the first where the third passes the test."""
    v = Values(c, ins)
    test = compare(c, ins.condition[0], v.at[2], v.at[2].type.null)
    store(c, ins, c.b.select(test, v.at[0], v.at[1]), c.mask_of(ins))


def multiply_add(c, ins):
    """mad: the first and the product of the others, rounded once."""
    v = Values(c, ins)
    if v.float:
        finish(c, ins, c.call("llvm.fma", v.at[1], v.at[2], v.at[0]))
        return
    finish(c, ins, c.b.add(v.at[0], c.b.mul(v.at[1], v.at[2])), v.signed)


def interpolate(c, ins):
    """lrp: a * b + (1 - a) * c."""
    a, b, other = Values(c, ins).at
    left = c.b.binop("fsub", c.all(a.type.element, ins.width, 1.0), a)
    finish(c, ins, c.call("llvm.fma", a, b, c.b.binop("fmul", left, other)))


def carry(c, ins):
    """addc, subb: the sum or difference; the accumulator gets what is carried or borrowed."""
    v = Values(c, ins)
    left, right = v.at
    result = c.b.add(left, right) if ins.name == "addc" else c.b.sub(left, right)
    out = c.b.icmp("ult", result, left) if ins.name == "addc" else c.b.icmp("ult", left, right)
    finish(c, ins, result, False)
    accumulate(c, ins, c.b.cast("zext", out, c.vector(c.types.i64, ins.width)))


def accumulate(c, ins, value):
    """The accumulator of an instruction that has one beside its destination."""
    if WRITES_ACC in ins.options:
        c.set(ACC, operands.placed(c, c.get(ACC), value, c.mask_of(ins), 0))


def multiply_high(c, ins):
    """mach: behind a multiplication with the lower 16 bits, whose product is in the accumulator, that with the upper
    ones; the upper half of the sum."""
    width, wide = ins.width, c.vector(c.types.i64, ins.width)
    left, right = (extended(c, modified_int(c, op, operands.read(c, op, width), op.type), op.type, wide)
                   for op in ins.sources)
    low = operands.pick_of(c, c.get(ACC), Operand("acc", type="uq", region=(8, 8, 1)), width, 8)
    upper = c.b.binop("ashr", right, c.all(c.types.i64, width, 16))
    total = c.b.add(low, c.b.binop("shl", c.b.mul(left, upper), c.all(c.types.i64, width, 16)))
    signed = any(op.type in SIGNED for op in ins.sources)
    high = c.b.binop("ashr" if signed else "lshr", total, c.all(c.types.i64, width, 32))
    finish(c, ins, c.b.cast("trunc", high, c.vector(c.types.i32, width)), signed)
    accumulate(c, ins, total)


def count_bits(c, ins):
    v = Values(c, ins)
    value = v.at[0]
    if value.type.element.width != 32:
        value = extended(c, value, ins.sources[0].type, c.vector(c.types.i32, ins.width))
    if ins.name == "lzd":
        found = c.call("llvm.ctlz", value, c.number(1, 0), types=[value.type])
    elif ins.name == "cbit":
        found = c.call("llvm.ctpop", value)
    elif ins.name == "bfrev":
        found = c.call("llvm.bitreverse", value)
    else:
        found = first_bit(c, ins, value)
    finish(c, ins, found, False)


def first_bit(c, ins, value):
    """fbl: the number of the lowest bit that is set; fbh: of leading zeros, of a negative number those of its inverse.
    All ones where there is none."""
    signed = ins.name == "fbh" and ins.sources[0].type in SIGNED
    if signed:
        value = c.b.binop("xor", value, c.b.binop("ashr", value, c.all(c.types.i32, ins.width, 31)))
    name = "llvm.cttz" if ins.name == "fbl" else "llvm.ctlz"
    found = c.call(name, value, c.number(1, 0), types=[value.type])
    none = c.b.icmp("eq", value, value.type.null)
    return c.b.select(none, value.type.all_ones, found)


def bit_field(c, ins):
    """bfe: `width` bits of the third from `offset` on. bfi1: a mask of so many bits; bfi2: the second's bits where the
    first has ones, else the third's."""
    values = Values(c, ins).at
    width, one = ins.width, c.all(c.types.i32, ins.width, 1)
    low5 = c.all(c.types.i32, width, 31)
    if ins.name == "bfi2":
        mask, new, old = values
        inverse = c.b.binop("xor", mask, mask.type.all_ones)
        finish(c, ins, c.b.binop("or", c.b.binop("and", new, mask), c.b.binop("and", old, inverse)))
        return
    count, offset = (c.b.binop("and", value, low5) for value in values[:2])
    if ins.name == "bfi1":
        ones = c.b.sub(c.b.binop("shl", one, count), one)
        finish(c, ins, c.b.binop("shl", ones, offset))
        return
    source, bits = values[2], c.all(c.types.i32, width, 32)
    end = c.b.add(count, offset)
    signed = ins.sources[2].type in SIGNED
    top = c.b.select(c.b.icmp("ult", end, bits), c.b.sub(bits, end), bits.type.null)
    down = c.b.sub(bits, count)
    moved = c.b.binop("shl", source, c.b.binop("and", top, low5))
    shifted = c.b.binop("ashr" if signed else "lshr", moved, c.b.binop("and", down, low5))
    finish(c, ins, c.b.select(c.b.icmp("eq", count, count.type.null), count.type.null, shifted), signed)


def average(c, ins):
    v = Values(c, ins)
    wide = c.vector(c.types.i64, ins.width)
    left, right = (c.b.cast("sext" if op.type in SIGNED else "zext", value, wide)
                   for op, value in zip(ins.sources, v.at, strict=True))
    total = c.b.add(c.b.add(left, right), c.all(c.types.i64, ins.width, 1))
    finish(c, ins, c.b.binop("ashr", total, c.all(c.types.i64, ins.width, 1)), True)


def rounding(c, ins):
    names = {"rndd": "floor", "rndu": "ceil", "rnde": "roundeven", "rndz": "trunc"}
    value = Values(c, ins).at[0]
    if ins.name == "frc":
        finish(c, ins, c.b.binop("fsub", value, c.call("llvm.floor", value)))
        return
    finish(c, ins, c.call(f"llvm.{names[ins.name]}", value))


def nothing(c, ins):
    """nop"""


HANDLERS = {"mov": move, "smov": scattered_move, "add": arithmetic, "mul": arithmetic, **dict.fromkeys(LOGIC, logic),
            "shl": shift, "shr": shift, "asr": shift, "cmp": compared, "cmpn": compared, "sel": select,
            "csel": conditional_select, "mad": multiply_add, "lrp": interpolate, "addc": carry, "subb": carry,
            "mach": multiply_high, "bfe": bit_field, "bfi1": bit_field, "bfi2": bit_field, "avg": average,
            **dict.fromkeys(("lzd", "cbit", "bfrev", "fbl", "fbh"), count_bits),
            **dict.fromkeys(("rndd", "rndu", "rnde", "rndz", "frc"), rounding), "nop": nothing, **floats.HANDLERS}
