# SPDX-License-Identifier: Apache-2.0
"""Single instructions on lanes of all kinds of numbers, beside what the instruction set says of them in NumPy."""
import numpy as np
import pytest

from .machine import machine

N = 256
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-30, 0.5, 2.5, -2.5, 65504, 1e9,
                    -1e9],
                   np.float32)
INTEGERS = np.array([0, 1, 2, 31, 32, 255, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint32)


def numbers(kind, seed):
    """N numbers, the hard ones among them."""
    random = np.random.default_rng(seed)
    if kind == "f":
        values = (random.standard_normal(N) * 10.0 ** random.integers(-6, 7, N)).astype(np.float32)
        values[:len(SPECIAL) ** 2 // 2] = (SPECIAL if seed % 2 else SPECIAL.repeat(len(SPECIAL)))[
            np.arange(len(SPECIAL) ** 2 // 2) % len(SPECIAL) if seed % 2 else slice(0, len(SPECIAL) ** 2 // 2)]
        return values
    values = random.integers(0, 1 << 32, N, dtype=np.uint32) >> random.integers(0, 32, N).astype(np.uint32)
    values[:len(INTEGERS)] = random.permutation(INTEGERS)
    return values


def signed(x):
    return x.view(np.int32)


def bits(value):
    return np.asarray(value, np.float32).view(np.uint32)


def wide(x):
    return x.astype(np.uint64)


def low(x):
    return (np.asarray(x) & np.asarray(0xFFFFFFFF, np.asarray(x).dtype)).astype(np.uint32)


def field(x, offset, size):
    offset, size = offset & 31, size & 31
    return low((wide(x) >> wide(offset)) & ((np.uint64(1) << wide(size)) - np.uint64(1)))


def signed24(x):
    return (signed(x) << 8 >> 8).astype(np.int64)


def unsigned24(x):
    return (x & 0xFFFFFF).astype(np.uint64)


def saturated(x, least, most):
    with np.errstate(all="ignore"):
        cut = np.clip(np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=1e30, neginf=-1e30)), least, most)
    return (cut.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)


def sad(x, y, z):
    total = z.astype(np.uint64)
    for shift in (0, 8, 16, 24):
        total = total + np.abs((x >> shift & 255).astype(np.int64) - (y >> shift & 255)).astype(np.uint64)
    return low(total)


def median(x, y, z):
    return np.sort(np.stack([x, y, z]), axis=0)[1]


def high_bit(x):
    return np.array([31 - (int(v).bit_length() - 1) if v else -1 for v in x], np.int32).view(np.uint32)


def low_bit(x):
    return np.array([(int(v) & -int(v)).bit_length() - 1 if v else -1 for v in x], np.int32).view(np.uint32)


# Instruction -> (kinds of the sources, u or f; reference; does the result count as a float).
INTEGER_CASES = {
    "v_mov_b32": ("u", lambda x: x), "v_not_b32": ("u", lambda x: ~x), "v_and_b32": ("uu", lambda x, y: x & y),
    "v_or_b32": ("uu", lambda x, y: x | y), "v_xor_b32": ("uu", lambda x, y: x ^ y),
    "v_lshlrev_b32": ("uu", lambda x, y: y << (x & 31)), "v_lshrrev_b32": ("uu", lambda x, y: y >> (x & 31)),
    "v_ashrrev_i32": ("uu", lambda x, y: (signed(y) >> (x & 31).astype(np.int32)).view(np.uint32)),
    "v_min_u32": ("uu", np.minimum), "v_max_u32": ("uu", np.maximum),
    "v_min_i32": ("uu", lambda x, y: np.minimum(signed(x), signed(y)).view(np.uint32)),
    "v_max_i32": ("uu", lambda x, y: np.maximum(signed(x), signed(y)).view(np.uint32)),
    "v_bfe_u32": ("uuu", field), "v_bfi_b32": ("uuu", lambda m, x, y: m & x | ~m & y),
    "v_alignbit_b32": ("uuu", lambda x, y, n: low((wide(x) << np.uint64(32) | wide(y)) >> wide(n & 31))),
    "v_alignbyte_b32": ("uuu", lambda x, y, n: low((wide(x) << np.uint64(32) | wide(y)) >> wide((n & 3) * 8))),
    "v_mul_lo_u32": ("uu", lambda x, y: low(wide(x) * wide(y))),
    "v_mul_hi_u32": ("uu", lambda x, y: (wide(x) * wide(y) >> np.uint64(32)).astype(np.uint32)),
    "v_mul_hi_i32": ("uu", lambda x, y: low(signed(x).astype(np.int64) * signed(y) >> 32)),
    "v_mul_u32_u24": ("uu", lambda x, y: low(unsigned24(x) * unsigned24(y))),
    "v_mul_i32_i24": ("uu", lambda x, y: low(signed24(x) * signed24(y))),
    "v_mul_hi_u32_u24": ("uu", lambda x, y: low(unsigned24(x) * unsigned24(y) >> np.uint64(32))),
    "v_mad_u32_u24": ("uuu", lambda x, y, z: low(unsigned24(x) * unsigned24(y) + wide(z))),
    "v_mad_i32_i24": ("uuu", lambda x, y, z: low(signed24(x) * signed24(y) + z)),
    "v_med3_u32": ("uuu", median), "v_min3_u32": ("uuu", lambda x, y, z: np.minimum(np.minimum(x, y), z)),
    "v_max3_i32": ("uuu", lambda *v: np.maximum.reduce([signed(x) for x in v]).view(np.uint32)),
    "v_med3_i32": ("uuu", lambda *v: median(*[signed(x) for x in v]).view(np.uint32)),
    "v_sad_u8": ("uuu", sad), "v_ffbh_u32": ("u", high_bit), "v_ffbl_b32": ("u", low_bit),
    "v_bfrev_b32": ("u", lambda x: np.array([int(f"{v:032b}"[::-1], 2) for v in x], np.uint32)),
    "v_bcnt_u32_b32": ("uu", lambda x, y: low(np.array([bin(v).count("1") for v in x], np.uint64) + y)),
    "v_bfm_b32": ("uu", lambda x, y: low(((np.uint64(1) << wide(x & 31)) - np.uint64(1)) << wide(y & 31))),
    "v_cvt_u32_f32": ("f", lambda x: saturated(x, 0, 2**32 - 1)),
    "v_cvt_i32_f32": ("f", lambda x: saturated(x, -2**31, 2**31 - 1)),
    "v_cvt_flr_i32_f32": ("f", lambda x: saturated(np.floor(x.astype(np.float64)), -2**31, 2**31 - 1)),
    "v_frexp_exp_i32_f32": ("f", lambda x: np.where(
        np.isfinite(x), np.frexp(x)[1], 0).astype(np.int32).view(np.uint32)),
}
FLOAT_CASES = {
    "v_add_f32": ("ff", np.add), "v_sub_f32": ("ff", np.subtract), "v_subrev_f32": ("ff", lambda x, y: y - x),
    "v_mul_f32": ("ff", np.multiply), "v_mad_f32": ("fff", lambda x, y, z: x * y + z),
    "v_min_f32": ("ff", np.fmin), "v_max_f32": ("ff", np.fmax),
    "v_min3_f32": ("fff", lambda x, y, z: np.fmin(np.fmin(x, y), z)),
    "v_med3_f32": ("fff", lambda x, y, z: np.where(
        np.isnan(x) | np.isnan(y) | np.isnan(z), np.fmin(np.fmin(x, y), z), median(x, y, z))),
    "v_mul_legacy_f32": ("ff", lambda x, y: np.where((x == 0) | (y == 0), 0, x * y)),
    "v_floor_f32": ("f", np.floor), "v_ceil_f32": ("f", np.ceil), "v_trunc_f32": ("f", np.trunc),
    "v_rndne_f32": ("f", np.rint), "v_fract_f32": ("f", lambda x: np.minimum(x - np.floor(x), np.float32(1 - 2**-24))),
    "v_cvt_f32_u32": ("u", lambda x: x.astype(np.float32)),
    "v_cvt_f32_i32": ("u", lambda x: signed(x).astype(np.float32)),
    "v_cvt_f32_ubyte1": ("u", lambda x: (x >> 8 & 255).astype(np.float32)),
    "v_frexp_mant_f32": ("f", lambda x: np.where(np.isfinite(x), np.frexp(x)[0], x)),
    "v_ldexp_f32": ("fu", lambda x, n: np.ldexp(
        x.astype(np.float64), np.clip(signed(n), -400, 400)).astype(np.float32)),
}
NEAR_CASES = {
    "v_rcp_f32": ("f", lambda x: 1 / x.astype(np.float64)),
    "v_sqrt_f32": ("f", lambda x: np.sqrt(x.astype(np.float64))),
    "v_rsq_f32": ("f", lambda x: 1 / np.sqrt(x.astype(np.float64))),
    "v_exp_f32": ("f", lambda x: np.exp2(x.astype(np.float64))),
    "v_log_f32": ("f", lambda x: np.log2(x.astype(np.float64))),
}


def source(cases):
    """A kernel for each instruction: o[i] = instruction(x[i], y[i], z[i])."""
    made = []
    for name, (kinds, _) in cases.items():
        places = ", ".join(f"%{i}" for i in range(len(kinds) + 1))
        inputs = ", ".join(f'"v"({letter}[i])' for letter, _ in zip("xyz", kinds, strict=False))
        made.append(f"kernel void {name}(global uint *x, global uint *y, global uint *z, global uint *o) {{"
                    f"size_t i = get_global_id(0); uint r;"
                    f'__asm volatile("{name} {places}" : "=v"(r) : {inputs}); o[i] = r; }}')
    return "\n".join(made)


def result(cases, name, processor, size=N, is_brief=False):
    kinds, reference = cases[name]
    values = [numbers(kind, 10 * seed + len(name)) for seed, kind in enumerate(kinds)]
    given = [value.view(np.uint32) for value in values] + [np.zeros(N, np.uint32)] * (3 - len(values))
    out = np.zeros(N, np.uint32)
    machine(source(cases), processor, is_brief=is_brief).run(name, (size,), (64,), [*given, out])
    with np.errstate(all="ignore"):
        return out[:size], np.asarray(reference(*values))[:size]


# gfx6 flushes denormal numbers in these: what it makes of them may be either.
def equal_floats(out, wanted):
    wanted = np.asarray(wanted, np.float32)
    return (out == wanted) | np.isnan(out) & np.isnan(wanted) | (np.abs(wanted) < 1.2e-38) & (np.abs(out) < 1.2e-38)


@pytest.mark.parametrize("processor, is_brief", [("gfx600", False), ("gfx803", False), ("gfx803", True)])
def test_integer_instructions(processor, is_brief):
    wrong = {}
    for name in INTEGER_CASES:
        out, wanted = result(INTEGER_CASES, name, processor, is_brief=is_brief)
        if not np.array_equal(out, wanted.astype(np.uint32)):
            wrong[name] = np.flatnonzero(out != wanted)[:5].tolist()
    assert wrong == {}


@pytest.mark.parametrize("processor", ["gfx600", "gfx803"])
def test_float_instructions(processor):
    wrong = {}
    for name in FLOAT_CASES:
        out, wanted = result(FLOAT_CASES, name, processor)
        same = equal_floats(out.view(np.float32), wanted)
        if not same.all():
            at = np.flatnonzero(~same)[:5]
            wrong[name] = list(zip(at.tolist(), out.view(np.float32)[at].tolist(), wanted[at].tolist(), strict=True))
    assert wrong == {}


def test_instructions_of_limited_accuracy():
    for name in NEAR_CASES:
        out, wanted = result(NEAR_CASES, name, "gfx803")
        out, wanted = out.view(np.float32), wanted.astype(np.float32)
        normal = np.isfinite(wanted) & (np.abs(wanted) > 1e-37)
        error = np.abs(out[normal].astype(np.float64) - wanted[normal]) / np.spacing(np.abs(wanted[normal]))
        assert error.max() <= 2.5, name
        assert np.array_equal(np.isnan(out), np.isnan(wanted)), name


def test_lanes_that_are_off_keep_their_values():
    """The last wavefront of 200 work-items has 8."""
    out, wanted = result(INTEGER_CASES, "v_xor_b32", "gfx803", size=200)
    assert np.array_equal(out, wanted)


ACROSS = """
#define ASM(name, text) kernel void name(global uint *x, global uint *o) { \\
    size_t i = get_global_id(0); uint r = 7; __asm volatile(text : "+v"(r) : "v"(x[i])); o[i] = r; }
ASM(quad, "s_nop 4\\n v_mov_b32_dpp %0, %1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf")
ASM(row, "s_nop 4\\n v_mov_b32_dpp %0, %1 row_shr:1 row_mask:0xf bank_mask:0xf")
ASM(zero, "s_nop 4\\n v_mov_b32_dpp %0, %1 row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:0")
ASM(broadcast, "s_nop 4\\n v_mov_b32_dpp %0, %1 row_bcast:15 row_mask:0xa bank_mask:0xf")
ASM(swizzle, "ds_swizzle_b32 %0, %1 offset:0x401f\\n s_waitcnt lgkmcnt(0)")
ASM(sdwa, "v_add_u32_sdwa %0, vcc, %1, %1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:WORD_1")
ASM(first, "v_readfirstlane_b32 s20, %1\\n v_mov_b32 %0, s20")
ASM(lane, "v_readlane_b32 s20, %1, 37\\n v_mov_b32 %0, s20")
ASM(write, "s_movk_i32 s20, 99\\n v_writelane_b32 %0, s20, 5")
ASM(below, "v_mbcnt_lo_u32_b32 %0, %1, 3\\n v_mbcnt_hi_u32_b32 %0, %1, %0")
"""


def across(name, size=128):
    x, out = np.random.default_rng(5).integers(0, 1 << 32, 128, dtype=np.uint32), np.zeros(128, np.uint32)
    machine(ACROSS, "gfx803").run(name, (size,), (64,), [x, out])
    return x, out


def test_lanes_see_each_other():
    lane = np.arange(128)
    x, out = across("quad")
    assert np.array_equal(out, x[lane ^ 3])
    x, out = across("row")
    assert np.array_equal(out, np.where(lane % 16, x[lane - 1], 7))
    x, out = across("zero")
    assert np.array_equal(out, np.where(lane % 16 < 13, x[np.minimum(lane + 3, 127)], 0))
    x, out = across("broadcast")
    assert np.array_equal(out, np.where(lane // 16 % 2 == 1, x[lane // 16 * 16 - 1], 7))
    x, out = across("swizzle")
    assert np.array_equal(out, x[lane ^ 16])
    x, out = across("first")
    assert np.array_equal(out, x[lane // 64 * 64])
    x, out = across("lane")
    assert np.array_equal(out, x[lane // 64 * 64 + 37])
    x, out = across("write")
    assert np.array_equal(out, np.where(lane % 64 == 5, 99, 7))


SWAP = """kernel void swap(global uint *x, global uint *o) {
    size_t i = get_global_id(0); uint r = x[i], s = i;
    if (r & 1) __asm volatile("v_swap_b32 %0, %1" : "+v"(r), "+v"(s));
    o[i] = r; o[i + 128] = s; }"""


def test_registers_are_swapped():
    lane, x = np.arange(128), np.random.default_rng(5).integers(0, 1 << 32, 128, dtype=np.uint32)
    out = np.zeros(256, np.uint32)
    machine(SWAP, "gfx900").run("swap", (128,), (64,), [x, out])
    assert np.array_equal(out, np.concatenate([np.where(x & 1, lane, x), np.where(x & 1, x, lane)]))


IN_LINE_OR_NOT = {"v_perm_b32": "uuu", "v_lerp_u8": "uuu", "v_sad_hi_u8": "uuu", "v_sad_u16": "uuu",
                  "v_msad_u8": "uuu", "v_fma_f16": "uuu", "v_cvt_pkrtz_f16_f32": "ff"}


def test_what_is_called_does_what_is_in_line():
    """Code that is there soon calls what takes LLVM long."""
    cases = {name: (kinds, lambda *x: x[0]) for name, kinds in IN_LINE_OR_NOT.items()}
    for name in cases:
        np.testing.assert_array_equal(*[result(cases, name, "gfx803", is_brief=brief)[0] for brief in (False, True)])


DOUBLES = """kernel void convert(global double *x, global int *s, global uint *u) {
    size_t i = get_global_id(0); int a; uint b;
    __asm volatile("v_cvt_i32_f64 %0, %2\\n\\tv_cvt_u32_f64 %1, %2" : "=&v"(a), "=&v"(b) : "v"(x[i]));
    s[i] = a; u[i] = b; }"""


@pytest.mark.parametrize("is_brief", (False, True))
def test_doubles_become_the_nearest_integers_that_there_are(is_brief):
    x = np.random.default_rng(7).normal(0, 2**31, 128)
    edges = [0, -0.0, .9, -.9, -1, np.inf, -np.inf, np.nan, 2.0**31, -2.0**31 - 1, -2.0**31 - .5, 2.0**31 - .25,
             2.0**32, 2.0**32 - .25, 1e300, -1e300, 5e-324]
    x[:len(edges)] = edges
    s, u = np.zeros(128, np.int32), np.zeros(128, np.uint32)
    machine(DOUBLES, "gfx900", is_brief=is_brief).run("convert", (128,), (64,), [x, s, u])
    np.testing.assert_array_equal(s, saturated(x, -2**31, 2**31 - 1).view(np.int32))
    np.testing.assert_array_equal(u, saturated(x, 0, 2**32 - 1))


HALF_OF_A_FLOAT = """kernel void low(global uint *x, global uint *o) {
    size_t i = get_global_id(0); uint r = x[i], s;
    __asm volatile("v_cvt_f32_ubyte0_e32 %0, %1\\n\\tv_mul_lo_u16_e32 %0, %1, %0" : "=&v"(s) : "v"(r));
    o[i] = s; }"""


@pytest.mark.parametrize("is_brief", (False, True))
def test_half_of_a_float_is_an_integer(is_brief):
    """A number of 32 bits that an instruction of the same run has made, and the lower 16 bits of it."""
    x = np.random.default_rng(6).integers(0, 1 << 32, 128, dtype=np.uint32)
    out = np.zeros(128, np.uint32)
    machine(HALF_OF_A_FLOAT, "gfx900", is_brief=is_brief).run("low", (128,), (64,), [x, out])
    assert np.array_equal(out, (x & 0xFFFF) * (bits(x & 255) & 0xFFFF) & 0xFFFF)


def test_parts_of_registers():
    x, out = across("sdwa")
    assert np.array_equal(out, 7 | ((x >> 24) + (x >> 16) & 255) << 8)


def test_lanes_are_counted():
    x, out = across("below")
    wanted = []
    for i, value in enumerate(x):
        at = i % 64
        value = int(value)
        low_bits = value & (1 << min(at, 32)) - 1
        high_bits = value & (1 << max(at - 32, 0)) - 1
        wanted.append(3 + bin(low_bits).count("1") + bin(high_bits).count("1"))
    assert np.array_equal(out, np.array(wanted, np.uint32))
