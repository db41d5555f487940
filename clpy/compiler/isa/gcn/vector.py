# SPDX-License-Identifier: Apache-2.0
"""Vector instructions that work in each lane for itself: the rows of arithmetic.py with their operands, comparisons,
sums with carries, divisions. `wrap` gives the sources other values and takes the result elsewhere (SDWA, DPP, op_sel).
"""
from . import operands
from .arithmetic import OPERATIONS, SATURATING, library_call
from .decode import VCC
from .lanes import OEQ, OGE, OGT, OLE, OLT, ONE, ORD, UNO
from .operands import source, write_vector
from .registers import Mask


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
    condition = operands.mask_of(c, rest[0]) if rest else c.r.mask(VCC)
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
        write_vector(c, target, c.run(form.name, *[take(k) for take in takes], scaled.part(c, k)), k, mask)

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
