# SPDX-License-Identifier: Apache-2.0
"""Vector instructions that work in each lane for itself.

A row of OPERATIONS is: kind of the result, kinds of the sources (operands.py has the letters), and a function
(c, *sources) -> result on 16 lanes. "o" as the last source: the result's register as it was. What has no row but is a
function of the library, v_NAME, is called there, by the kinds in LIBRARY.
"""
from . import operands
from .decode import VCC
from .lanes import OEQ, OGE, OGT, OLE, OLT, ONE, ORD, UNO
from .operands import source, write_vector
from .registers import Mask


def binary(opcode):
    return lambda c, x, y: c.b.binop(opcode, x, y)


def reversed_binary(opcode):
    return lambda c, x, y: c.b.binop(opcode, y, x)


def bits_of(value):
    return value.type.scalar.width


def low_bits(c, count, width):
    """A count of bits to shift by, as the chip takes it."""
    count = c.b.binop("and", count, c.all(bits_of(count), width - 1))
    if bits_of(count) < width:
        return c.b.cast("zext", count, c.i64)
    return c.b.cast("trunc", count, c.i16) if bits_of(count) > width else count


def shift(opcode):
    return lambda c, x, count: c.b.binop(opcode, x, low_bits(c, count, bits_of(x)))


def shift_reversed(opcode):
    return lambda c, count, x: c.b.binop(opcode, x, low_bits(c, count, bits_of(x)))


def call(name):
    return lambda c, *args: c.call(name, *args)


def select(predicate):
    return lambda c, x, y: c.b.select(c.b.icmp(predicate, x, y), x, y)


def chain(*functions):
    """The first on the first two sources, the second on what came out and the third source."""
    return lambda c, x, y, z: functions[1](c, functions[0](c, x, y), z)


def multiply_add(c, x, y, z):
    """Rounded twice, and fast: the chip flushes denormal numbers here whatever the mode."""
    return c.b.binop("fadd", c.b.binop("fmul", x, y), z)


def fused(c, x, y, z):
    return c.call("llvm.fma", x, y, z)


def multiply_high(cast):
    def make(c, x, y):
        wide = c.b.binop("mul", c.b.cast(cast, x, c.i64), c.b.cast(cast, y, c.i64))
        return c.b.cast("trunc", c.b.binop("lshr", wide, c.all(64, 32)), c.i32)
    return make


def low24(c, x, signed):
    moved = c.b.binop("shl", x, c.all(32, 8))
    return c.b.binop("ashr" if signed else "lshr", moved, c.all(32, 8))


def multiply24(signed):
    return lambda c, x, y: c.b.binop("mul", low24(c, x, signed), low24(c, y, signed))


def multiply24_high(signed):
    high = multiply_high("sext" if signed else "zext")
    return lambda c, x, y: high(c, low24(c, x, signed), low24(c, y, signed))


def multiply24_add(signed):
    return lambda c, x, y, z: c.b.add(multiply24(signed)(c, x, y), z)


def field_select(c, mask, x, y):
    """v_bfi: bits of x where the mask is 1, else of y."""
    return c.b.binop("xor", y, c.b.binop("and", mask, c.b.binop("xor", x, y)))


def field(signed):
    def make(c, x, offset, size):
        offset, size = (c.b.binop("and", v, c.all(32, 31)) for v in (offset, size))
        moved = c.b.binop("ashr" if signed else "lshr", x, offset)
        if not signed:
            ones = c.b.sub(c.b.binop("shl", c.all(32, 1), size), c.all(32, 1))
            return c.b.binop("and", moved, ones)
        rest = c.b.binop("and", c.b.sub(c.all(32, 32), size), c.all(32, 31))
        cut = c.b.binop("ashr", c.b.binop("shl", c.b.binop("lshr", x, offset), rest), rest)
        inside = c.b.icmp("ult", c.b.add(offset, size), c.all(32, 32))
        value = c.b.select(inside, cut, moved)
        return c.b.select(c.b.icmp("eq", size, c.all(32, 0)), c.all(32, 0), value)
    return make


def field_mask(c, size, offset):
    size, offset = (c.b.binop("and", v, c.all(32, 31)) for v in (size, offset))
    ones = c.b.sub(c.b.binop("shl", c.all(32, 1), size), c.all(32, 1))
    return c.b.binop("shl", ones, offset)


def align_bit(c, high, low, count):
    wide = c.b.binop("lshr", c.wide(low, high), low_bits(c, c.b.binop("and", count, c.all(32, 31)), 64))
    return c.b.cast("trunc", wide, c.i32)


def align_byte(c, high, low, count):
    return align_bit(c, high, low, c.b.binop("shl", c.b.binop("and", count, c.all(32, 3)), c.all(32, 3)))


def convert(opcode, type_name):
    return lambda c, x: c.b.cast(opcode, x, getattr(c, type_name))


def byte_to_float(index):
    def make(c, x):
        byte = c.b.binop("and", c.b.binop("lshr", x, c.all(32, 8 * index)), c.all(32, 255))
        return c.b.cast("sitofp", byte, c.f32)
    return make


def saturated(c, x, type_, signed):
    """To an integer: the nearest that there is; 0 for what is no number."""
    name = "llvm.fptosi.sat" if signed else "llvm.fptoui.sat"
    return c.b.call(c.intrinsic(name, type_, x.type), [x])


def to_integer(type_name, signed):
    return lambda c, x: saturated(c, x, getattr(c, type_name), signed)


def reciprocal(c, x):
    one = c.splat(x.type.scalar.const(1.0))
    return c.b.binop("fdiv", one, x)


def root_reciprocal(c, x):
    return reciprocal(c, c.call("llvm.sqrt", x))


def count_leading(c, x):
    value = c.b.call(c.intrinsic("llvm.ctlz", x.type), [x, c.number(1, 0)])
    return c.b.select(c.b.icmp("eq", x, c.all(32, 0)), c.all(32, -1), value)


def count_trailing(c, x):
    value = c.b.call(c.intrinsic("llvm.cttz", x.type), [x, c.number(1, 0)])
    return c.b.select(c.b.icmp("eq", x, c.all(32, 0)), c.all(32, -1), value)


def find_sign_end(c, x):
    return count_leading(c, c.b.binop("xor", x, c.b.binop("ashr", x, c.all(32, 31))))


def bit_count(c, x, y):
    return c.b.add(c.call("llvm.ctpop", x), y)


def integer_median(low, high):
    def make(c, x, y, z):
        least, most = select(low)(c, x, y), select(high)(c, x, y)
        return select(high)(c, least, select(low)(c, most, z))
    return make


def sum_of_distances(c, x, y, z):
    """v_sad_u32"""
    distance = c.b.sub(select("ugt")(c, x, y), select("ult")(c, x, y))
    return c.b.add(distance, z)


def float_rows(letter, name):
    """Arithmetic that is the same for all floats."""
    two, three = letter * 2, letter * 3
    return {
        f"v_add_{name}": (letter, two, binary("fadd")), f"v_sub_{name}": (letter, two, binary("fsub")),
        f"v_subrev_{name}": (letter, two, reversed_binary("fsub")), f"v_mul_{name}": (letter, two, binary("fmul")),
        f"v_mac_{name}": (letter, two + "o", multiply_add), f"v_mad_{name}": (letter, three, multiply_add),
        f"v_madmk_{name}": (letter, three, multiply_add), f"v_madak_{name}": (letter, three, multiply_add),
        f"v_fma_{name}": (letter, three, fused), f"v_fmac_{name}": (letter, two + "o", fused),
        f"v_floor_{name}": (letter, letter, call("llvm.floor")), f"v_ceil_{name}": (letter, letter, call("llvm.ceil")),
        f"v_trunc_{name}": (letter, letter, call("llvm.trunc")),
        f"v_rndne_{name}": (letter, letter, call("llvm.roundeven")),
        f"v_sqrt_{name}": (letter, letter, call("llvm.sqrt")), f"v_rcp_{name}": (letter, letter, reciprocal),
        f"v_rsq_{name}": (letter, letter, root_reciprocal),
    }


def integer_rows():
    made = {}
    for name, opcode in (("and", "and"), ("or", "or"), ("xor", "xor")):
        made[f"v_{name}_b32"] = "u", "uu", binary(opcode)
    for name, predicate in (("min", "lt"), ("max", "gt")):
        for sign, letter in (("i", "s"), ("u", "u")):
            pick = select(letter + predicate)
            made[f"v_{name}_{sign}32"] = "u", "uu", pick
            made[f"v_{name}3_{sign}32"] = "u", "uuu", chain(pick, pick)
            made[f"v_{name}_{sign}16"] = "w", "ww", pick
            made[f"v_{name}3_{sign}16"] = "w", "www", chain(pick, pick)
    for sign, letter in (("i", "s"), ("u", "u")):
        for bits, kind in ((32, "u"), (16, "w")):
            made[f"v_med3_{sign}{bits}"] = kind, kind * 3, integer_median(letter + "lt", letter + "gt")
    for name, opcode, sign in (("lshl", "shl", "b"), ("lshr", "lshr", "b"), ("ashr", "ashr", "i")):
        for bits, kind in ((16, "w"), (32, "u"), (64, "q")):
            made[f"v_{name}rev_{sign}{bits}"] = kind, ("w" if bits == 16 else "u") + kind, shift_reversed(opcode)
            made[f"v_{name}_{sign}{bits}"] = kind, kind + ("w" if bits == 16 else "u"), shift(opcode)
    for name, opcode in (("add", "add"), ("sub", "sub")):
        made[f"v_{name}_u32"] = made[f"v_{name}_i32"] = "u", "uu", binary(opcode)
        made[f"v_{name}_u16"] = made[f"v_{name}_i16"] = "w", "ww", binary(opcode)
    made["v_subrev_u32"] = "u", "uu", reversed_binary("sub")
    made["v_subrev_u16"] = "w", "ww", reversed_binary("sub")
    add, left, logic_or = binary("add"), shift("shl"), binary("or")
    return made | {
        "v_mov_b32": ("u", "u", lambda c, x: x), "v_not_b32": ("u", "u", lambda c, x: c.b.binop("xor", x, c.all(32, -1))),
        "v_bfrev_b32": ("u", "u", call("llvm.bitreverse")), "v_ffbh_u32": ("u", "u", count_leading),
        "v_ffbl_b32": ("u", "u", count_trailing), "v_ffbh_i32": ("u", "u", find_sign_end),
        "v_bcnt_u32_b32": ("u", "uu", bit_count), "v_bfi_b32": ("u", "uuu", field_select),
        "v_bfe_u32": ("u", "uuu", field(False)), "v_bfe_i32": ("u", "uuu", field(True)),
        "v_bfm_b32": ("u", "uu", field_mask), "v_alignbit_b32": ("u", "uuu", align_bit),
        "v_alignbyte_b32": ("u", "uuu", align_byte), "v_sad_u32": ("u", "uuu", sum_of_distances),
        "v_mul_lo_u32": ("u", "uu", binary("mul")), "v_mul_lo_i32": ("u", "uu", binary("mul")),
        "v_mul_lo_u16": ("w", "ww", binary("mul")),
        "v_mul_hi_u32": ("u", "uu", multiply_high("zext")), "v_mul_hi_i32": ("u", "uu", multiply_high("sext")),
        "v_mul_u32_u24": ("u", "uu", multiply24(False)), "v_mul_i32_i24": ("u", "uu", multiply24(True)),
        "v_mul_hi_u32_u24": ("u", "uu", multiply24_high(False)), "v_mul_hi_i32_i24": ("u", "uu", multiply24_high(True)),
        "v_mad_u32_u24": ("u", "uuu", multiply24_add(False)), "v_mad_i32_i24": ("u", "uuu", multiply24_add(True)),
        "v_add3_u32": ("u", "uuu", chain(add, add)), "v_lshl_add_u32": ("u", "uuu", chain(left, add)),
        "v_lshl_or_b32": ("u", "uuu", chain(left, logic_or)), "v_or3_b32": ("u", "uuu", chain(logic_or, logic_or)),
        "v_and_or_b32": ("u", "uuu", chain(binary("and"), logic_or)),
        "v_xad_u32": ("u", "uuu", chain(binary("xor"), add)),
        "v_add_lshl_u32": ("u", "uuu", chain(add, shift("shl"))),
        "v_mad_u16": ("w", "www", chain(binary("mul"), add)), "v_mad_i16": ("w", "www", chain(binary("mul"), add)),
    }


def conversion_rows():
    made = {}
    for kind, name, type_name in (("f", "f32", "f32"), ("d", "f64", "f64")):
        made[f"v_cvt_{name}_i32"] = kind, "u", convert("sitofp", type_name)
        made[f"v_cvt_{name}_u32"] = kind, "u", convert("uitofp", type_name)
        made[f"v_cvt_i32_{name}"] = "u", kind, to_integer("i32", True)
        made[f"v_cvt_u32_{name}"] = "u", kind, to_integer("i32", False)
    for index in range(4):
        made[f"v_cvt_f32_ubyte{index}"] = "f", "u", byte_to_float(index)
    return made | {
        "v_cvt_f32_f64": ("f", "d", convert("fptrunc", "f32")), "v_cvt_f64_f32": ("d", "f", convert("fpext", "f64")),
        "v_cvt_f16_f32": ("h", "f", convert("fptrunc", "half")), "v_cvt_f32_f16": ("f", "h", convert("fpext", "f32")),
        "v_cvt_f16_i16": ("h", "w", convert("sitofp", "half")), "v_cvt_f16_u16": ("h", "w", convert("uitofp", "half")),
        "v_cvt_i16_f16": ("w", "h", to_integer("i16", True)), "v_cvt_u16_f16": ("w", "h", to_integer("i16", False)),
    }


# Functions of the library by their kinds: result, then sources.
LIBRARY = """
f ff: min_f32 max_f32 mul_legacy_f32 min_legacy_f32 max_legacy_f32
f fff: mad_legacy_f32 min3_f32 max3_f32 med3_f32 cubeid_f32 cubesc_f32 cubetc_f32 cubema_f32 mullit_f32 div_fixup_f32
f ffo: mac_legacy_f32
f f: exp_f32 log_f32 sin_f32 cos_f32 fract_f32 frexp_mant_f32 rcp_iflag_f32 exp_legacy_f32 log_legacy_f32
f f: rcp_clamp_f32 rsq_clamp_f32 rcp_legacy_f32 rsq_legacy_f32 log_clamp_f32
f fu: ldexp_f32
u f: frexp_exp_i32_f32 cvt_rpi_i32_f32 cvt_flr_i32_f32
f u: cvt_off_f32_i4
d dd: min_f64 max_f64
d d: fract_f64 frexp_mant_f64 rcp_clamp_f64 rsq_clamp_f64
d du: ldexp_f64 trig_preop_f64
d ddd: div_fixup_f64
u d: frexp_exp_i32_f64
h hh: min_f16 max_f16
h hhh: min3_f16 max3_f16 med3_f16 div_fixup_f16 mad_legacy_f16 div_fixup_legacy_f16
h h: exp_f16 log_f16 sin_f16 cos_f16 fract_f16 frexp_mant_f16
h hw: ldexp_f16
w h: frexp_exp_i16_f16 cvt_norm_i16_f16 cvt_norm_u16_f16
u ff: cvt_pknorm_i16_f32 cvt_pknorm_u16_f32 cvt_pkrtz_f16_f32
u hh: cvt_pknorm_i16_f16 cvt_pknorm_u16_f16 pack_b32_f16
u uu: cvt_pk_u16_u32 cvt_pk_i16_i32
u fuu: cvt_pk_u8_f32
u fuo: cvt_pkaccum_u8_f32
u uuu: perm_b32 lerp_u8 sad_u8 sad_hi_u8 sad_u16 msad_u8
q quq: qsad_pk_u16_u8 mqsad_pk_u16_u8
u wwu: mad_u32_u16 mad_i32_i16
u u: sat_pk_u8_i16
"""


def library_rows():
    made = {}
    for line in LIBRARY.strip().splitlines():
        kinds, names = line.split(": ")
        result, sources = kinds.split()
        for name in names.split():
            made[f"v_{name}"] = result, sources, library_call(f"v_{name}")
    return made


def library_call(name):
    return lambda c, *args: c.run(name, *args)


OPERATIONS = (float_rows("f", "f32") | float_rows("d", "f64") | float_rows("h", "f16") | integer_rows()
              | conversion_rows() | library_rows())


def clamped(c, value, modifiers):
    """With the output modifiers: a factor, then limits."""
    factor = {2: 2.0, 4: 4.0}.get(modifiers.get("mul")) or (0.5 if modifiers.get("div") == 2 else None)
    is_float = value.type.scalar.is_float
    if factor and is_float:
        value = c.b.binop("fmul", value, c.splat(value.type.scalar.const(factor)))
    if modifiers.get("clamp") and is_float:
        zero, one = (c.splat(value.type.scalar.const(x)) for x in (0.0, 1.0))
        value = c.b.select(c.b.fcmp(OGT, value, zero), value, zero)
        value = c.b.select(c.b.fcmp(OLT, value, one), value, one)
    return value


def operation(c, instruction, wrap=None):
    """`wrap` gives the sources other values and takes the result elsewhere: SDWA and DPP."""
    form = instruction.form
    result, kinds, function = OPERATIONS[form.name]
    target, given = form.operands[0], list(form.operands[1:])
    if kinds.endswith("o"):
        given = [*given[:len(kinds) - 1], target._replace(neg=False, abs=False, sext=False)]
        kinds = kinds[:-1] + result
    read = wrap.source if wrap else source
    reads = 3 if form.encoding not in ("sdwa", "dpp") else 2
    takes = [read(c, op, kind) if index < reads else source(c, op, kind)
             for index, (op, kind) in enumerate(zip(given, kinds, strict=True))]
    mask, modifiers = c.r.exec, form.modifiers
    write = wrap.write if wrap else write_vector
    if modifiers.get("clamp") and form.name in SATURATING:
        function = SATURATING[form.name]
    c.r.later(lambda k: write(c, target, clamped(c, function(c, *[take(k) for take in takes]), modifiers), k, mask))


def saturate(name):
    return lambda c, x, y: c.call(name, x, y)


SATURATING = {f"v_{op}_{kind}{bits}": saturate(f"llvm.{'s' if kind == 'i' else 'u'}{op}.sat")
              for op in ("add", "sub") for kind in "iu" for bits in (16, 32)}


# Comparisons

FLOAT_TESTS = {"f": 0, "lt": OLT, "eq": OEQ, "le": OLE, "gt": OGT, "lg": ONE, "ge": OGE, "o": ORD, "u": UNO,
               "nge": 12, "nlg": 9, "ngt": 13, "nle": 10, "neq": 14, "nlt": 11, "tru": 15, "t": 15}
INTEGER_TESTS = {"lt": "lt", "eq": "eq", "le": "le", "gt": "gt", "ne": "ne", "lg": "ne", "ge": "ge"}
FLOAT_KIND = {"f16": "h", "f32": "f", "f64": "d"}
INTEGER_KIND = {"16": "w", "32": "u", "64": "q"}


def compare_function(name):
    """(kinds, function) of a comparison's name behind v_cmp_."""
    test, kind = name.split("_", 1)
    if test == "class":
        return FLOAT_KIND[kind] + "u", library_call(f"v_cmp_class_{kind}")
    if kind[0] == "f":
        return FLOAT_KIND[kind] * 2, lambda c, x, y: c.b.fcmp(FLOAT_TESTS[test], x, y)
    kinds = INTEGER_KIND[kind[1:]] * 2
    if test in ("f", "t", "tru"):
        return kinds, lambda c, x, y: c.mask_type.null if test == "f" else c.mask_type.all_ones
    predicate = INTEGER_TESTS[test]
    if predicate not in ("eq", "ne"):
        predicate = ("s" if kind[0] == "i" else "u") + predicate
    return kinds, lambda c, x, y: c.b.icmp(predicate, x, y)


def compare(c, instruction, wrap=None):
    form = instruction.form
    prefix, _, name = form.name.removeprefix("v_").partition("_")
    kinds, function = compare_function(name)
    target, *given = form.operands
    read = wrap.source if wrap else source
    takes = [read(c, op, kind) for op, kind in zip(given, kinds, strict=True)]
    if form.name.startswith("v_cmp_class") and form.encoding == "sdwa":
        takes[1] = source(c, given[1], "u")
    exec_mask, made = c.r.exec, Mask()

    def write(k):
        value = function(c, *[take(k) for take in takes])
        return value if exec_mask.is_full else c.b.binop("and", value, exec_mask.part(c, k))

    c.r.later(write, mask=made)
    c.r.set_mask(target.at, made)
    if prefix in ("cmpx", "cmpsx"):
        c.r.set_pair(operands.EXEC, c.r.pair(target.at))


# Sums with a carry

def carry_sum(c, instruction, wrap=None):
    """v_add_co_u32, v_addc_co_u32, v_subrev_u32, ...: result and mask of the carries."""
    form = instruction.form
    name = form.name.removeprefix("v_")
    target, carry_out, *given = form.operands
    read = wrap.source if wrap else source
    x, y = (read(c, op, "u") for op in given[:2])
    carry_in = source(c, given[2], "m") if len(given) > 2 else None
    if "rev" in name:
        x, y = y, x
    subtracts = name.startswith("sub")
    mask, made = c.r.exec, Mask()
    write_result = wrap.write if wrap else write_vector

    def write(k):
        value, carry = sum_of(c, x(k), y(k), carry_in and carry_in(k), subtracts)
        if form.modifiers.get("clamp"):
            value = c.b.select(carry, c.all(32, 0 if subtracts else -1), value)
        write_result(c, target, value, k, mask)
        return carry if mask.is_full else c.b.binop("and", carry, mask.part(c, k))

    c.r.later(write, mask=made)
    c.r.set_mask(carry_out.at, made)


def sum_of(c, x, y, carry_in, subtracts):
    opcode = "sub" if subtracts else "add"
    value = c.b.binop(opcode, x, y)
    carry = c.b.icmp("ult", x, y) if subtracts else c.b.icmp("ult", value, x)
    if carry_in is None:
        return value, carry
    more = c.b.cast("zext", carry_in, c.i32)
    total = c.b.binop(opcode, value, more)
    second = c.b.icmp("ult", value, more) if subtracts else c.b.icmp("ult", total, value)
    return total, c.b.binop("or", carry, second)


def select_by_mask(c, instruction, wrap=None):
    """v_cndmask_b32"""
    form = instruction.form
    target, no, yes, *rest = form.operands
    read = wrap.source if wrap else source
    kind = "f" if any(op.neg or op.abs for op in (no, yes)) else "u"
    no, yes = read(c, no, kind), read(c, yes, kind)
    condition = c.r.mask(rest[0].at if rest else VCC) if not rest or rest[0].kind == "s" else operands.mask_of(c, rest[0])
    mask = c.r.exec
    write = wrap.write if wrap else write_vector
    c.r.later(lambda k: write(c, target, c.b.select(condition.part(c, k), yes(k), no(k)), k, mask))


def wide_multiply_add(c, instruction):
    """v_mad_u64_u32, v_mad_i64_i32"""
    form = instruction.form
    target, carry_out, *given = form.operands
    cast = "sext" if "i64" in form.name else "zext"
    x, y, z = (source(c, op, kind) for op, kind in zip(given, "uuq", strict=True))
    mask, made = c.r.exec, Mask()

    def write(k):
        product = c.b.binop("mul", c.b.cast(cast, x(k), c.i64), c.b.cast(cast, y(k), c.i64))
        total = c.b.add(product, z(k))
        write_vector(c, target, total, k, mask)
        return c.b.icmp("ult", total, product)

    c.r.later(write, mask=made)
    c.r.set_mask(carry_out.at, made)


def scale_for_division(c, instruction):
    """v_div_scale_f32, v_div_scale_f64: the value scaled, and the lanes whose quotient has to be scaled back."""
    form = instruction.form
    kind = "d" if form.name.endswith("f64") else "f"
    target, mask_out, *given = form.operands
    takes = [source(c, op, kind) for op in given]
    mask, made = c.r.exec, Mask()

    def write(k):
        args = [take(k) for take in takes]
        scaled = c.run(f"{form.name}_mask", *args)
        write_vector(c, target, c.run(form.name, *args), k, mask)
        return scaled

    c.r.later(write, mask=made)
    c.r.set_mask(mask_out.at, made)


def finish_division(c, instruction):
    """v_div_fmas_f32, v_div_fmas_f64: a fused product and sum, scaled where VCC says so."""
    form = instruction.form
    kind = "d" if form.name.endswith("f64") else "f"
    takes = [source(c, op, kind) for op in form.operands[1:]]
    scaled, mask, target = c.r.mask(VCC), c.r.exec, form.operands[0]

    def write(k):
        value = fused(c, *[take(k) for take in takes])
        write_vector(c, target, c.run(form.name, value, takes[2](k), scaled.part(c, k)), k, mask)

    c.r.later(write)


def count_lanes_below(c, instruction):
    """v_mbcnt_lo_u32_b32, v_mbcnt_hi_u32_b32: set bits of the source below the lane's own, and a number."""
    form = instruction.form
    target, given, more = form.operands
    first = 32 if "_hi_" in form.name else 0
    x, y = source(c, given, "u"), source(c, more, "u")
    mask = c.r.exec

    def write(k):
        lane = c.b.sub(c.lane_numbers(k), c.all(32, first))
        low = c.b.sub(c.b.binop("shl", c.all(32, 1), c.b.binop("and", lane, c.all(32, 31))), c.all(32, 1))
        low = c.b.select(c.b.icmp("sgt", lane, c.all(32, 31)), c.all(32, -1), low)
        low = c.b.select(c.b.icmp("slt", lane, c.all(32, 0)), c.all(32, 0), low)
        count = c.call("llvm.ctpop", c.b.binop("and", x(k), low))
        write_vector(c, target, c.b.add(count, y(k)), k, mask)

    c.r.later(write)


SPECIAL = {"v_cndmask_b32": select_by_mask, "v_mad_u64_u32": wide_multiply_add, "v_mad_i64_i32": wide_multiply_add,
           "v_div_scale_f32": scale_for_division, "v_div_scale_f64": scale_for_division,
           "v_div_fmas_f32": finish_division, "v_div_fmas_f64": finish_division,
           "v_mbcnt_lo_u32_b32": count_lanes_below, "v_mbcnt_hi_u32_b32": count_lanes_below}
CARRIES = ("v_add_", "v_sub_", "v_subrev_", "v_addc_", "v_subb_", "v_subbrev_")


def has_carry(form):
    """Of the sums, those that write a mask beside their result."""
    return (form.name.startswith(CARRIES) and len(form.operands) > 3 and form.operands[1].kind == "s"
            and form.operands[1].width == 2)


def handler(form):
    """Function (c, instruction, wrap) of a vector instruction; None for one that is not here."""
    if form.name in SPECIAL:
        return SPECIAL[form.name]
    if form.name.startswith(("v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_")):
        return compare
    if has_carry(form):
        return carry_sum
    return operation if form.name in OPERATIONS else None
