# SPDX-License-Identifier: Apache-2.0
"""Scalar instructions: arithmetic on one i32 or i64, and what they do to SCC.

A row of OPERATIONS is: bits of the result, bits of each source, function(c, *sources) -> (result, SCC or None: as it
was; NONZERO: whether the result is not zero).
"""
from .decode import EXEC, VCC
from .operands import mask_of, scalar32, scalar64, write_scalar
from .registers import SCC, Mask

NONZERO = "result is not zero"


def plain(opcode, scc=None):
    return lambda c, x, y: (c.b.binop(opcode, x, y), scc)


def inverted(opcode):
    """The complement of what `opcode` makes."""
    return lambda c, x, y: (invert(c, c.b.binop(opcode, x, y)), NONZERO)


def with_inverted(opcode):
    """The second source is complemented first."""
    return lambda c, x, y: (c.b.binop(opcode, x, invert(c, y)), NONZERO)


def invert(c, x):
    return c.b.binop("xor", x, x.type.all_ones)


def shift(opcode):
    def make(c, x, count):
        bits = x.type.width
        count = c.b.binop("and", count, c.number(32, bits - 1))
        if bits == 64:
            count = c.b.cast("zext", count, c.types.i64)
        return c.b.binop(opcode, x, count), NONZERO
    return make


def add_unsigned(c, x, y):
    total = c.b.add(x, y)
    return total, c.b.icmp("ult", total, x)


def subtract_unsigned(c, x, y):
    return c.b.sub(x, y), c.b.icmp("ult", x, y)


def overflow(c, x, y, result, subtracts):
    """Whether the sign of the result is wrong."""
    other = c.b.binop("xor", y, result) if not subtracts else c.b.binop("xor", x, y)
    both = c.b.binop("and", c.b.binop("xor", x, result), other)
    return c.b.icmp("slt", both, c.number(32, 0))


def add_signed(c, x, y):
    total = c.b.add(x, y)
    return total, overflow(c, x, y, total, False)


def subtract_signed(c, x, y):
    difference = c.b.sub(x, y)
    return difference, overflow(c, x, y, difference, True)


def wide_sum(c, x, y, opcode):
    """With the carry in SCC, and the one that it makes."""
    t = c.types.i64
    wide = c.b.binop(opcode, c.b.cast("zext", x, t), c.b.cast("zext", y, t))
    wide = c.b.binop(opcode, wide, c.b.cast("zext", c.r.scalar(SCC), t))
    high = c.b.binop("and", c.b.binop("lshr", wide, c.number(64, 32)), c.number(64, 1))
    return c.b.cast("trunc", wide, c.types.i32), c.b.cast("trunc", high, c.types.i1)


def smallest(predicate):
    """The first source if it compares so with the second, which SCC then says."""
    def make(c, x, y):
        first = c.b.icmp(predicate, x, y)
        return c.b.select(first, x, y), first
    return make


def select(c, x, y):
    return c.b.select(c.r.scalar(SCC), x, y), None


def mask_bits(c, size, offset):
    """s_bfm: `size` ones from bit `offset` on."""
    return mask_of_width(c, size, offset, 32)


def mask_bits_wide(c, size, offset):
    return mask_of_width(c, size, offset, 64)


def mask_of_width(c, size, offset, width):
    t = c.types.int(width)
    size, offset = (c.b.binop("and", x, c.number(32, width - 1)) for x in (size, offset))
    size, offset = (c.b.cast("zext", x, t) if width == 64 else x for x in (size, offset))
    ones = c.b.sub(c.b.binop("shl", c.number(width, 1), size), c.number(width, 1))
    return c.b.binop("shl", ones, offset), None


def field(signed):
    def make(c, x, control):
        bits = x.type.width
        t = x.type
        offset = c.b.binop("and", control, c.number(32, bits - 1))
        size = c.b.binop("and", c.b.binop("lshr", control, c.number(32, 16)), c.number(32, 127))
        if bits == 64:
            offset, size = (c.b.cast("zext", v, t) for v in (offset, size))
        most = c.number(bits, bits)
        size = c.b.select(c.b.icmp("ult", size, most), size, most)
        moved = c.b.binop("ashr" if signed else "lshr", x, offset)
        rest = c.b.sub(most, size)
        empty = c.b.icmp("eq", size, c.number(bits, 0))
        rest = c.b.select(empty, c.number(bits, 0), rest)
        cut = c.b.binop("ashr" if signed else "lshr", c.b.binop("shl", moved, rest), rest)
        return c.b.select(empty, c.number(bits, 0), cut), NONZERO
    return make


def absolute(c, x):
    value = c.b.select(c.b.icmp("slt", x, c.number(32, 0)), c.b.sub(c.number(32, 0), x), x)
    return value, NONZERO


def distance(c, x, y):
    return absolute(c, c.b.sub(x, y))


def multiply_high(opcode):
    def make(c, x, y):
        t = c.types.i64
        wide = c.b.mul(c.b.cast(opcode, x, t), c.b.cast(opcode, y, t))
        return c.b.cast("trunc", c.b.binop("lshr", wide, c.number(64, 32)), c.types.i32), None
    return make


def shift_and_add(count):
    def make(c, x, y):
        t = c.types.i64
        moved = c.b.binop("shl", c.b.cast("zext", x, t), c.number(64, count))
        wide = c.b.add(moved, c.b.cast("zext", y, t))
        carry = c.b.icmp("ne", c.b.binop("lshr", wide, c.number(64, 32)), c.number(64, 0))
        return c.b.cast("trunc", wide, c.types.i32), carry
    return make


def pack(low_half, high_half):
    """s_pack: which halves (0: low, 1: high) of the sources become the low and the high half."""
    def make(c, x, y):
        low = c.b.binop("lshr", x, c.number(32, 16)) if low_half else c.b.binop("and", x, c.number(32, 0xFFFF))
        high = c.b.binop("and", y, c.number(32, 0xFFFF0000)) if high_half else c.b.binop("shl", y, c.number(32, 16))
        return c.b.binop("or", low, high), None
    return make


def move(c, x):
    return x, None


def complement(c, x):
    return invert(c, x), NONZERO


def whole_quads(c, x):
    """s_wqm: all four bits where one is set."""
    bits = x.type.width
    any_of = x
    for step in (1, 2):
        any_of = c.b.binop("or", any_of, c.b.binop("lshr", any_of, c.number(bits, step)))
    first = c.b.binop("and", any_of, c.number(bits, 0x1111111111111111))
    return c.b.mul(first, c.number(bits, 15)), NONZERO


def intrinsic(name, scc=None, to32=True):
    def make(c, x):
        value = c.call(name, x)
        if to32 and value.type.width == 64:
            value = c.b.cast("trunc", value, c.types.i32)
        return value, scc
    return make


def count_bits(of_zeros):
    def make(c, x):
        value = c.call("llvm.ctpop", invert(c, x) if of_zeros else x)
        return c.b.cast("trunc", value, c.types.i32) if value.type.width == 64 else value, NONZERO
    return make


def find_bit(name, of_zeros):
    """Index of the first one from one end; -1 without one."""
    def make(c, x):
        x = invert(c, x) if of_zeros else x
        value = c.b.call(c.intrinsic(name, x.type), [x, c.number(1, 0)])
        value = c.b.select(c.b.icmp("eq", x, c.number(x.type.width, 0)), x.type.all_ones, value)
        return c.b.cast("trunc", value, c.types.i32) if value.type.width == 64 else value, None
    return make


def find_sign_end(c, x):
    """Index from the top of the first bit that is not the sign's; -1 without one."""
    bits = x.type.width
    folded = c.b.binop("xor", x, c.b.binop("ashr", x, c.number(bits, bits - 1)))
    return find_bit("llvm.ctlz", False)(c, folded)


def extend(width):
    def make(c, x):
        return c.b.cast("sext", c.b.cast("trunc", x, c.types.int(width)), c.types.i32), None
    return make


def set_bit(value):
    """Of the result as it was: a second source."""
    def make(c, position, old):
        bits = old.type.width
        position = c.b.binop("and", position, c.number(32, bits - 1))
        if bits == 64:
            position = c.b.cast("zext", position, c.types.i64)
        one = c.b.binop("shl", c.number(bits, 1), position)
        return (c.b.binop("or", old, one) if value else c.b.binop("and", old, invert(c, one))), None
    return make


def rows():
    made = {}

    def both(name, function, narrow="b32", wide="b64", sources=2):
        made[f"s_{name}_{narrow}"] = 32, (32,) * sources, function
        made[f"s_{name}_{wide}"] = 64, (64,) * sources, function

    for name, opcode in (("and", "and"), ("or", "or"), ("xor", "xor")):
        both(name, plain(opcode, NONZERO))
    for name, opcode in (("nand", "and"), ("nor", "or"), ("xnor", "xor")):
        both(name, inverted(opcode))
    for name, opcode in (("andn2", "and"), ("orn2", "or")):
        both(name, with_inverted(opcode))
    for name, opcode in (("lshl", "shl"), ("lshr", "lshr")):
        made[f"s_{name}_b32"] = 32, (32, 32), shift(opcode)
        made[f"s_{name}_b64"] = 64, (64, 32), shift(opcode)
    for bits in (32, 64):
        made[f"s_ashr_i{bits}"] = bits, (bits, 32), shift("ashr")
        made[f"s_bfe_u{bits}"] = bits, (bits, 32), field(False)
        made[f"s_bfe_i{bits}"] = bits, (bits, 32), field(True)
        made[f"s_brev_b{bits}"] = bits, (bits,), intrinsic("llvm.bitreverse", None, False)
        for zeros in (0, 1):
            made[f"s_bcnt{1 - zeros}_i32_b{bits}"] = 32, (bits,), count_bits(bool(zeros))
            made[f"s_ff{1 - zeros}_i32_b{bits}"] = 32, (bits,), find_bit("llvm.cttz", bool(zeros))
            made[f"s_bitset{zeros}_b{bits}"] = bits, (32, "old"), set_bit(zeros)
        made[f"s_flbit_i32_b{bits}"] = 32, (bits,), find_bit("llvm.ctlz", False)
    for bits in (8, 16):
        made[f"s_sext_i32_i{bits}"] = 32, (32,), extend(bits)
    for low in (0, 1):
        for high in (0, 1):
            name = "s_pack_" + "lh"[low] + "lh"[high] + "_b32_b16"
            made[name] = 32, (32, 32), pack(low, high)
    for count in (1, 2, 3, 4):
        made[f"s_lshl{count}_add_u32"] = 32, (32, 32), shift_and_add(count)
    for name, predicate in (("min_i32", "slt"), ("min_u32", "ult"), ("max_i32", "sgt"), ("max_u32", "ugt")):
        made["s_" + name] = 32, (32, 32), smallest(predicate)
    both("mov", move, sources=1)
    both("not", complement, sources=1)
    both("wqm", whole_quads, sources=1)
    both("cselect", select)
    return made | {
        "s_add_u32": (32, (32, 32), add_unsigned), "s_sub_u32": (32, (32, 32), subtract_unsigned),
        "s_add_i32": (32, (32, 32), add_signed), "s_sub_i32": (32, (32, 32), subtract_signed),
        "s_addc_u32": (32, (32, 32), lambda c, x, y: wide_sum(c, x, y, "add")),
        "s_subb_u32": (32, (32, 32), lambda c, x, y: wide_sum(c, x, y, "sub")),
        "s_mul_i32": (32, (32, 32), plain("mul")), "s_mul_hi_u32": (32, (32, 32), multiply_high("zext")),
        "s_mul_hi_i32": (32, (32, 32), multiply_high("sext")),
        "s_bfm_b32": (32, (32, 32), mask_bits), "s_bfm_b64": (64, (32, 32), mask_bits_wide),
        "s_abs_i32": (32, (32,), absolute), "s_absdiff_i32": (32, (32, 32), distance),
        "s_flbit_i32": (32, (32,), find_sign_end), "s_flbit_i32_i64": (32, (64,), find_sign_end),
    }


OPERATIONS = rows()
OF_MASKS = {f"s_{name}_b64" for name in ("and", "or", "xor", "nand", "nor", "xnor", "andn2", "orn2", "not", "mov")}
COMPARISONS = {"eq": "eq", "lg": "ne", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}


def operation(c, instruction):
    form = instruction.form
    width, kinds, function = OPERATIONS[form.name]
    signed = form.name.endswith("_i64")
    target = form.operands[0]
    if form.name in OF_MASKS and any(c.r.is_waiting(op) for op in form.operands[1:]) and target.at != EXEC:
        operation_of_masks(c, target, [mask_of(c, op) for op in form.operands[1:]], function)
        return
    sources, given = [], iter(form.operands[1:])
    for kind in kinds:
        if kind == "old":
            sources.append(scalar64(c, target) if width == 64 else scalar32(c, target))
        else:
            sources.append(scalar64(c, next(given), signed) if kind == 64 else scalar32(c, next(given)))
    value, scc = function(c, *sources)
    write_scalar(c, target, value)
    if scc is NONZERO:
        scc = c.b.icmp("ne", value, c.number(width, 0))
    if scc is not None:
        c.r.set_scalar(SCC, scc)


def operation_of_masks(c, target, masks, function):
    """Of masks that the run makes: a part of the wavefront at a time, in the run, which need not end for it."""
    if function is move:
        c.r.set_mask(target.at, masks[0])
        return
    made = Mask()
    c.r.later(lambda k: function(c, *[mask.part(c, k) for mask in masks])[0], mask=made)
    c.r.set_mask(target.at, made)
    c.r.set_scc_of(made)


def compare(c, instruction):
    """s_cmp_eq_u32, s_cmpk_lt_i32, ..."""
    form = instruction.form
    _, _, test, kind = form.name.split("_")
    left, right = form.operands
    if form.name.startswith("s_cmpk"):
        value = right.at & 0xFFFF
        right = right._replace(at=value | 0xFFFF0000 if kind[0] == "i" and value >> 15 else value)
    read = scalar64 if kind[1:] == "64" else scalar32
    predicate = COMPARISONS[test]
    if predicate not in ("eq", "ne"):
        predicate = ("s" if kind[0] == "i" else "u") + predicate
    c.r.set_scalar(SCC, c.b.icmp(predicate, read(c, left), read(c, right)))


def compare_bit(c, instruction):
    """s_bitcmp0_b32, s_bitcmp1_b64"""
    form = instruction.form
    wide = form.name.endswith("64")
    value = scalar64(c, form.operands[0]) if wide else scalar32(c, form.operands[0])
    bits = 64 if wide else 32
    place = c.b.binop("and", scalar32(c, form.operands[1]), c.number(32, bits - 1))
    if wide:
        place = c.b.cast("zext", place, c.types.i64)
    bit = c.b.cast("trunc", c.b.binop("lshr", value, place), c.types.i1)
    c.r.set_scalar(SCC, bit if form.name[8] == "1" else c.b.binop("xor", bit, c.number(1, 1)))


def immediate(form):
    """The signed 16 bits of an instruction with a short constant."""
    value = form.operands[-1].at & 0xFFFF
    return value - (1 << 16) if value >> 15 else value


def with_constant(c, instruction):
    """s_movk_i32, s_cmovk_i32, s_addk_i32, s_mulk_i32"""
    form = instruction.form
    target, value = form.operands[0], c.number(32, immediate(form))
    if form.name == "s_movk_i32":
        write_scalar(c, target, value)
        return
    old = scalar32(c, target)
    if form.name == "s_cmovk_i32":
        write_scalar(c, target, c.b.select(c.r.scalar(SCC), value, old))
    elif form.name == "s_mulk_i32":
        write_scalar(c, target, c.b.mul(old, value))
    else:
        total, scc = add_signed(c, old, value)
        write_scalar(c, target, total)
        c.r.set_scalar(SCC, scc)


def conditional_move(c, instruction):
    """s_cmov_b32, s_cmov_b64"""
    target, given = instruction.form.operands
    read = scalar64 if instruction.form.name.endswith("64") else scalar32
    write_scalar(c, target, c.b.select(c.r.scalar(SCC), read(c, given), read(c, target)))


SAVED = {"and": plain("and"), "or": plain("or"), "xor": plain("xor"), "nand": inverted("and"), "nor": inverted("or"),
         "xnor": inverted("xor"), "andn2": with_inverted("and"), "orn2": with_inverted("or"),
         "andn1": lambda c, x, y: with_inverted("and")(c, y, x), "orn1": lambda c, x, y: with_inverted("or")(c, y, x)}


def save_exec(c, instruction):
    """s_and_saveexec_b64, ...: EXEC goes to the result; the source and EXEC are the new EXEC."""
    target, given = instruction.form.operands
    source, old = scalar64(c, given), c.r.pair(EXEC)
    value, _ = SAVED[instruction.form.name.split("_")[1]](c, source, old)
    write_scalar(c, target, old)
    c.r.set_pair(EXEC, value)
    c.r.set_scalar(SCC, c.b.icmp("ne", value, c.number(64, 0)))


def condition(c, form):
    """i1 of a conditional branch."""
    kind = form.name.removeprefix("s_cbranch_")
    if kind.startswith("scc"):
        bit = c.r.scalar(SCC)
        return bit if kind == "scc1" else c.b.binop("xor", bit, c.number(1, 1))
    value = c.r.pair(VCC if kind.startswith("vcc") else EXEC)
    return c.b.icmp("eq" if kind.endswith("cz") else "ne", value, c.number(64, 0))
