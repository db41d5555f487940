# SPDX-License-Identifier: Apache-2.0
"""What vector instructions compute, a row each.

A row of OPERATIONS is: kind of the result, kinds of the sources (operands.py has the letters), and a function
(c, *sources) -> result on 16 lanes. "o" as the last source: the result's register as it was. What has no row but is a
function of the library, v_NAME, is called there, by the kinds in LIBRARY.
"""


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


def multiply(c, x, y):
    """Compilers multiply by one to have denormal numbers made zeros; LLVM would leave it out."""
    if c.flushes and x.type.scalar == c.types.float:
        one = c.b.cast("bitcast", c.all(32, 0x3F800000), x.type)
        for value, factor in ((x, y), (y, x)):
            if factor == one:
                return c.call("llvm.canonicalize", value)
    return c.b.binop("fmul", x, y)


def multiply_add(c, x, y, z):
    """Rounded twice, and fast: the chip flushes denormal numbers here whatever the mode."""
    return c.b.binop("fadd", c.b.binop("fmul", x, y), z)


def fused(c, x, y, z):
    if c.is_brief and x.type.scalar == c.types.half:
        return c.run("fused_f16", x, y, z)
    return c.call("llvm.fma", x, y, z)


def multiply_high(cast):
    def make(c, x, y):
        if c.is_brief:
            return c.run(f"multiply_high_{cast}", x, y)
        wide = c.b.binop("mul", c.b.cast(cast, x, c.i64), c.b.cast(cast, y, c.i64))
        return c.b.cast("trunc", c.b.binop("lshr", wide, c.all(64, 32)), c.i32)
    return make


def low24(c, x, signed):
    if not signed:
        return c.b.binop("and", x, c.all(32, 0xFFFFFF))
    moved = c.b.binop("shl", x, c.all(32, 8))
    return c.b.binop("ashr", moved, c.all(32, 8))


def multiply24(signed):
    def make(c, x, y):
        if c.is_brief and not signed:
            return c.run("multiply24", x, y)
        return c.b.binop("mul", low24(c, x, signed), low24(c, y, signed))
    return make


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
    """v_alignbit: from the low five bits of the count on, 32 of the 64; what rotations are to the chip."""
    return c.call("llvm.fshr", high, low, count)


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
    def make(c, x):
        if c.is_brief and x.type.scalar != c.types.half:
            return c.run(f"{'i' if signed else 'u'}32_of_f{32 if x.type == c.f32 else 64}", x)
        return saturated(c, x, getattr(c, type_name), signed)
    return make


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
        f"v_subrev_{name}": (letter, two, reversed_binary("fsub")), f"v_mul_{name}": (letter, two, multiply),
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
        "v_mov_b32": ("u", "u", lambda c, x: x),
        "v_not_b32": ("u", "u", lambda c, x: c.b.binop("xor", x, c.all(32, -1))),
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
        **{f"v_mad_{name}16": ("w", "www", chain(binary("mul"), add)) for name in ("u", "i", "legacy_u", "legacy_i")},
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
u u: rcp_u32
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


def saturate(name):
    return lambda c, x, y: c.call(name, x, y)


SATURATING = {f"v_{op}_{kind}{bits}": saturate(f"llvm.{'s' if kind == 'i' else 'u'}{op}.sat")
              for op in ("add", "sub") for kind in "iu" for bits in (16, 32)}
