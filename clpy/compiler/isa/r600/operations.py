# SPDX-License-Identifier: Apache-2.0
"""What the operations of VLIW chips are in those that the engine of wavefronts has rows for (gcn/arithmetic.py): both
families have the same arithmetic, by other names.

A row of DIRECT is the engine's name; its sources are the operation's, in an order of its own where that is said.
"""
from clpy.compiler.isa.gcn.decode import Operand

DIRECT = {
    "ADD": "v_add_f32", "MUL": "v_mul_legacy_f32", "MUL_IEEE": "v_mul_f32", "MAX": "v_max_f32", "MIN": "v_min_f32",
    "MAX_DX10": "v_max_f32", "MIN_DX10": "v_min_f32", "FRACT": "v_fract_f32", "TRUNC": "v_trunc_f32",
    "CEIL": "v_ceil_f32", "RNDNE": "v_rndne_f32", "FLOOR": "v_floor_f32", "ASHR": "v_ashr_i32", "LSHR": "v_lshr_b32",
    "LSHL": "v_lshl_b32", "AND_INT": "v_and_b32", "OR_INT": "v_or_b32", "XOR_INT": "v_xor_b32", "NOT_INT": "v_not_b32",
    "ADD_INT": "v_add_u32", "SUB_INT": "v_sub_u32", "MAX_INT": "v_max_i32", "MIN_INT": "v_min_i32",
    "MAX_UINT": "v_max_u32", "MIN_UINT": "v_min_u32", "FLT_TO_INT": "v_cvt_i32_f32", "BFREV_INT": "v_bfrev_b32",
    "EXP_IEEE": "v_exp_f32", "LOG_IEEE": "v_log_f32", "LOG_CLAMPED": "v_log_clamp_f32", "RECIP_IEEE": "v_rcp_f32",
    "RECIP_CLAMPED": "v_rcp_clamp_f32", "RECIPSQRT_IEEE": "v_rsq_f32", "RECIPSQRT_CLAMPED": "v_rsq_clamp_f32",
    "SQRT_IEEE": "v_sqrt_f32", "SIN": "v_sin_f32", "COS": "v_cos_f32", "MULLO_INT": "v_mul_lo_u32",
    "MULLO_UINT": "v_mul_lo_u32", "MULHI_INT": "v_mul_hi_i32", "MULHI_UINT": "v_mul_hi_u32",
    "RECIP_UINT": "v_rcp_u32", "FLT_TO_UINT": "v_cvt_u32_f32", "INT_TO_FLT": "v_cvt_f32_i32",
    "UINT_TO_FLT": "v_cvt_f32_u32", "BFM_INT": "v_bfm_b32", "FLT32_TO_FLT16": "v_cvt_f16_f32",
    "FLT16_TO_FLT32": "v_cvt_f32_f16", "FFBH_UINT": "v_ffbh_u32", "FFBL_INT": "v_ffbl_b32", "FFBH_INT": "v_ffbh_i32",
    "MUL_UINT24": "v_mul_u32_u24", "MUL_INT24": "v_mul_i32_i24", "MULHI_UINT24": "v_mul_hi_u32_u24",
    "MULHI_INT24": "v_mul_hi_i32_i24", "BFE_UINT": "v_bfe_u32", "BFE_INT": "v_bfe_i32", "BFI_INT": "v_bfi_b32",
    "FMA": "v_fma_f32", "BIT_ALIGN_INT": "v_alignbit_b32", "BYTE_ALIGN_INT": "v_alignbyte_b32",
    "MULADD_UINT24": "v_mad_u32_u24", "MULADD_INT24": "v_mad_i32_i24", "MULADD": "v_mad_legacy_f32",
    "MULADD_IEEE": "v_mad_f32",
}
# Comparisons by their ending, in names that begin with SET, PRED_SET and CND: the engine's.
TESTS = {"E": "eq", "GT": "gt", "GE": "ge", "NE": "neq"}
WHOLE_TESTS = {"E": "eq", "GT": "gt", "GE": "ge", "NE": "ne"}
KINDS = {"": "f32", "_DX10": "f32", "_INT": "i32", "_UINT": "u32"}
ZERO, ONE, ALL_ONES = Operand("int", 0), Operand("float", 1.0), Operand("int", -1)
ONE_WHOLE = Operand("int", 1)
SIGN, MAGNITUDE = Operand("literal", 0x80000000), Operand("literal", 0x7FFFFFFF)
FLOATS = frozenset(name for name, row in DIRECT.items() if row.endswith("_f32") and not row.startswith("v_cvt_f32")
                   ) | {"FLT_TO_INT", "FLT_TO_UINT", "MOV"}


def comparison(name):
    """(the engine's comparison, whether lanes get a float for true) of SETGT_DX10, PRED_SETE_INT, CNDGE, ...; None."""
    for prefix in ("PRED_SET", "SET", "CND"):
        if name.startswith(prefix):
            test, _, kind = name.removeprefix(prefix).partition("_")
            kind = f"_{kind}" if kind else ""
            if test not in TESTS or kind not in KINDS:
                return None
            tests = TESTS if KINDS[kind] == "f32" else WHOLE_TESTS
            return f"v_cmp_{tests[test]}_{KINDS[kind]}", kind == ""
    return None


def is_of_floats(name):
    """Whether an operation's sources may be negative or a magnitude, which of integers means nothing."""
    found = comparison(name)
    return name in FLOATS or (found is not None and found[0].endswith("_f32"))


def write(out, name, target, sources, modifiers, mask):
    """An operation, through `out(name, *operands, **modifiers)`; False if it is none of these. `mask` is a pair of
    scalar registers to use."""
    if name in DIRECT:
        out(DIRECT[name], target, *sources, **modifiers)
    elif name == "MOV":
        move(out, target, sources[0], modifiers)
    elif name in ("NOP",):
        return True
    elif name == "BCNT_INT":
        out("v_bcnt_u32_b32", target, sources[0], ZERO)
    elif name in ("ADDC_UINT", "SUBB_UINT"):
        carry(out, name, target, sources, mask)
    elif name.startswith("CND") and comparison(name):
        compared, _ = comparison(name)
        out(compared, mask, sources[0], ZERO)
        out("v_cndmask_b32", target, sources[2], sources[1], mask, **modifiers)
    elif name.startswith("SET") and comparison(name):
        compared, is_float = comparison(name)
        out(compared, mask, *sources)
        out("v_cndmask_b32", target, ZERO, ONE if is_float else ALL_ONES, mask)
    else:
        return False
    return True


def move(out, target, source, modifiers):
    if modifiers:
        out("v_mul_f32", target, source, ONE, **modifiers)
        return
    plain = source._replace(neg=False, abs=False)
    if source.abs:
        out("v_or_b32" if source.neg else "v_and_b32", target, plain, SIGN if source.neg else MAGNITUDE)
    elif source.neg:
        out("v_xor_b32", target, plain, SIGN)
    else:
        out("v_mov_b32", target, plain)


def carry(out, name, target, sources, mask):
    """Whether a sum or a difference of 32 bits has a carry."""
    if name == "SUBB_UINT":
        out("v_cmp_lt_u32", mask, *sources)
    else:
        out("v_add_co_u32", target, mask, *sources)
    out("v_cndmask_b32", target, ZERO, ONE_WHOLE, mask)
