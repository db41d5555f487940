/* SPDX-License-Identifier: Apache-2.0
 * Instructions on 32-bit floats that are more than an operation of LLVM's.
 */
#include "wave.h"

#define FMA(x, y, z) __builtin_elementwise_fma(x, y, z)
#define IS_NAN(x) ((x) != (x))
#define MAGNITUDE(x) (AS(vu, x) & 0x7fffffffu)
#define EXPONENT(x) ((vi)(AS(vu, x) >> 23 & 255u))
#define WITH_BITS(x) AS(vf, x)
#define INFINITY_BITS 0x7f800000u

INLINE static inline vf pick(vi which, vf yes, vf no) { return AS(vf, which ? AS(vi, yes) : AS(vi, no)); }

INLINE vf v_min_f32(vf x, vf y) { return __builtin_elementwise_minimumnum(x, y); }
INLINE vf v_max_f32(vf x, vf y) { return __builtin_elementwise_maximumnum(x, y); }
INLINE vf v_min_legacy_f32(vf x, vf y) { return pick(x < y, x, y); }
INLINE vf v_max_legacy_f32(vf x, vf y) { return pick(x >= y, x, y); }
INLINE vf v_min3_f32(vf x, vf y, vf z) { return v_min_f32(v_min_f32(x, y), z); }
INLINE vf v_max3_f32(vf x, vf y, vf z) { return v_max_f32(v_max_f32(x, y), z); }

INLINE vf v_med3_f32(vf x, vf y, vf z)
{
    vf middle = v_max_f32(v_min_f32(x, y), v_min_f32(v_max_f32(x, y), z));
    return pick(IS_NAN(x) | IS_NAN(y) | IS_NAN(z), v_min3_f32(x, y, z), middle);
}

INLINE vf v_mul_legacy_f32(vf x, vf y) { return pick((x == 0) | (y == 0), (vf)0, x * y); }
INLINE vf v_mad_legacy_f32(vf x, vf y, vf z) { return v_mul_legacy_f32(x, y) + z; }
INLINE vf v_mac_legacy_f32(vf x, vf y, vf z) { return v_mul_legacy_f32(x, y) + z; }

/* 2 ^ n for n from -126 to 127. */
INLINE static inline vf power(vi n) { return AS(vf, (n + 127) << 23); }

/* At most one step rounds: what is small already when the last one comes is zero after it. */
INLINE static inline vi step_of(vi n) { return n < -126 ? (vi)-102 : n > 127 ? (vi)127 : (vi)0; }

INLINE vf v_ldexp_f32(vf x, vu count)
{
    vi n = (vi)count, first, second;
    n = n < -300 ? -300 : n;
    n = n > 300 ? 300 : n;
    first = step_of(n);
    second = step_of(n - first);
    return x * power(first) * power(second) * power(n - first - second);
}

vf v_exp_f32(vf x)
{
    vf bounded = pick(x < -160.0f, (vf)-160.0f, pick(x > 160.0f, (vf)160.0f, x));
    vf whole = __builtin_elementwise_roundeven(bounded), f = bounded - whole;
    vf y = (vf)1.5252733804059841e-05f;
    y = FMA(y, f, (vf)1.5403530393381608e-04f);
    y = FMA(y, f, (vf)1.3333558146428443e-03f);
    y = FMA(y, f, (vf)9.6181291076284772e-03f);
    y = FMA(y, f, (vf)5.5504108664821580e-02f);
    y = FMA(y, f, (vf)2.4022650695910072e-01f);
    y = FMA(y, f, (vf)6.9314718055994531e-01f);
    y = FMA(y, f, (vf)1.0f);
    vi n = CONVERT(pick(IS_NAN(whole), (vf)0, whole), vi), half = n >> 1;
    return pick(IS_NAN(x), x, y * power(half) * power(n - half));
}

vf v_log_f32(vf x)
{
    vi tiny = (vi)(MAGNITUDE(x) < 0x00800000u);
    vf scaled = pick(tiny, x * 8388608.0f, x);
    vu bits = AS(vu, scaled);
    vi n = (vi)((bits - 0x3f3504f3u) >> 23);
    n = (n << 23) >> 23;
    vf m = AS(vf, bits - ((vu)n << 23));
    vf s = (m - 1.0f) / (m + 1.0f), q = s * s;
    vf y = FMA(q, (vf)0.2222222222f, (vf)0.2857142857f);
    y = FMA(y, q, (vf)0.4f);
    y = FMA(y, q, (vf)0.6666666667f);
    y = FMA(y * q, s, s + s);
    vf whole = CONVERT(n, vf) - pick(tiny, (vf)23.0f, (vf)0);
    vf value = FMA(y, (vf)1.4426950408889634f, whole);
    value = pick(x == 0, -WITH_BITS((vu)INFINITY_BITS), value);
    value = pick(AS(vi, x) == (vi)INFINITY_BITS, x, value);
    return pick((x < 0) | IS_NAN(x), WITH_BITS((vu)0x7fc00000u), value);
}

/* sin of r turns, r from -1/4 to 1/4. */
INLINE static inline vf quarter_sine(vf r)
{
    vf q = r * r;
    vf y = (vf)3.8199525848e0f;
    y = FMA(y, q, (vf)-1.5094642577e1f);
    y = FMA(y, q, (vf)4.2058693944e1f);
    y = FMA(y, q, (vf)-7.6705859753e1f);
    y = FMA(y, q, (vf)8.1605249277e1f);
    y = FMA(y, q, (vf)-4.1341702240e1f);
    return FMA(y * q, r, r * 6.2831853072f);
}

INLINE static inline vf in_range(vf x, vf value)
{
    value = pick((vi)(MAGNITUDE(x) > 0x43800000u), (vf)0, value);
    return pick((vi)(MAGNITUDE(x) >= INFINITY_BITS), WITH_BITS((vu)0x7fc00000u), value);
}

vf v_sin_f32(vf x)
{
    vf r = x - __builtin_elementwise_roundeven(x), a = __builtin_elementwise_abs(r);
    vf folded = __builtin_elementwise_copysign(pick(a > 0.25f, 0.5f - a, a), r);
    return in_range(x, quarter_sine(folded));
}

vf v_cos_f32(vf x)
{
    vf r = x - __builtin_elementwise_roundeven(x);
    vf value = quarter_sine(0.25f - __builtin_elementwise_abs(r));
    vi outside = (vi)(MAGNITUDE(x) > 0x43800000u) & (vi)(MAGNITUDE(x) < INFINITY_BITS);
    return pick(outside, (vf)1, in_range(x, value));
}

INLINE vf v_fract_f32(vf x)
{
    vf value = __builtin_elementwise_minimumnum(x - __builtin_elementwise_floor(x), WITH_BITS((vu)0x3f7fffffu));
    return pick((vi)(MAGNITUDE(x) >= INFINITY_BITS), x - x, value);
}

INLINE static inline vi is_plain(vf x)
{
    vu a = MAGNITUDE(x);
    return (vi)(a != 0) & (vi)(a < INFINITY_BITS);
}

/* Where denormal numbers are zeros the product is one. */
vf v_frexp_mant_f32(vf x)
{
    vf scaled = pick((vi)(MAGNITUDE(x) < 0x00800000u), x * 8388608.0f, x);
    return pick(is_plain(scaled), WITH_BITS((AS(vu, scaled) & 0x807fffffu) | 0x3f000000u), scaled);
}

vu v_frexp_exp_i32_f32(vf x)
{
    vi tiny = (vi)(MAGNITUDE(x) < 0x00800000u);
    vf scaled = pick(tiny, x * 8388608.0f, x);
    vi e = EXPONENT(scaled) - 126 - (tiny & 23);
    return (vu)(e & is_plain(scaled));
}

INLINE static inline vu saturated(vf x)
{
    vi value = CONVERT(pick((x >= -2147483648.0f) & (x < 2147483648.0f), x, (vf)0), vi);
    value = x >= 2147483648.0f ? (vi)0x7fffffff : value;
    return (vu)(x < -2147483648.0f ? (vi)0x80000000 : value);
}

INLINE vu v_cvt_rpi_i32_f32(vf x) { return saturated(__builtin_elementwise_floor(x + 0.5f)); }
INLINE vu v_cvt_flr_i32_f32(vf x) { return saturated(__builtin_elementwise_floor(x)); }
/* Of the VLIW chips: 2 to the 32 by a whole number, rounded down; all ones for 0. */
INLINE vu v_rcp_u32(vu x)
{
    vd quotient = 4294967296.0 / CONVERT(x, vd);
    return CONVERT(x <= 1, vi) ? (vu)0xffffffffu : CONVERT(quotient, vu);
}
INLINE vf v_cvt_off_f32_i4(vu x) { return CONVERT((vi)(x << 28) >> 28, vf) * 0.0625f; }

INLINE static inline vf finite(vf x)
{
    vf most = WITH_BITS((AS(vu, x) & 0x80000000u) | 0x7f7fffffu);
    return pick((vi)(MAGNITUDE(x) == INFINITY_BITS), most, x);
}

INLINE static inline vf no_infinity(vf x) { return pick((vi)(MAGNITUDE(x) == INFINITY_BITS), (vf)0, x); }
INLINE vf v_rcp_iflag_f32(vf x) { return 1.0f / x; }
INLINE vf v_rcp_clamp_f32(vf x) { return finite(1.0f / x); }
INLINE vf v_rsq_clamp_f32(vf x) { return finite(1.0f / __builtin_elementwise_sqrt(x)); }
INLINE vf v_rcp_legacy_f32(vf x) { return no_infinity(1.0f / x); }
INLINE vf v_rsq_legacy_f32(vf x) { return no_infinity(1.0f / __builtin_elementwise_sqrt(x)); }
INLINE vf v_exp_legacy_f32(vf x) { return v_exp_f32(x); }
INLINE vf v_log_legacy_f32(vf x) { return v_log_f32(x); }
INLINE vf v_log_clamp_f32(vf x) { return finite(v_log_f32(x)); }

INLINE vm v_cmp_class_f32(vf x, vu mask)
{
    vu a = MAGNITUDE(x), negative = AS(vu, x) >> 31;
    vu kind = a == 0 ? (vu)6 : a < 0x00800000u ? (vu)7 : a < INFINITY_BITS ? (vu)8 : (vu)9;
    kind = negative != 0 ? 11 - kind : kind;
    kind = a > INFINITY_BITS ? a >> 22 & 1u : kind;
    return CONVERT(mask >> kind & 1u, vm);
}

/* Division: the parts are scaled so that nothing is lost between, the quotient is scaled back, special cases set. */
typedef struct { vf value; vi mask; } scaled_part;

INLINE static inline scaled_part division_scale(vf x, vf divisor, vf dividend)
{
    vi de = EXPONENT(divisor), ne = EXPONENT(dividend);
    vf up = x * 18446744073709551616.0f, down = x * 5.421010862427522e-20f;
    vi is_divisor = x == divisor, is_dividend = x == dividend;
    vi zero = (dividend == 0) | (divisor == 0), large = ne - de >= 96, denormal = de == 0;
    vi inverse_small = de >= 253, quotient_small = ne - de < -126 + 1;
    vf value = pick(ne <= 23, up, x);
    vi mask = (vi)0;
    value = pick(quotient_small, pick(is_dividend, up, x), value);
    mask = quotient_small ? (vi)-1 : mask;
    value = pick(inverse_small, pick(quotient_small, pick(is_divisor, down, x), down), value);
    mask = inverse_small ? quotient_small : mask;
    value = pick(denormal, up, value);
    mask = denormal ? (vi)0 : mask;
    value = pick(large, pick(is_divisor, up, x), value);
    mask = large ? (vi)-1 : mask;
    value = pick(zero, WITH_BITS((vu)0x7fc00000u), value);
    return (scaled_part){value, zero ? (vi)0 : mask};
}

INLINE vf v_div_scale_f32(vf x, vf divisor, vf dividend) { return division_scale(x, divisor, dividend).value; }
INLINE vm v_div_scale_f32_mask(vf x, vf divisor, vf dividend)
{
    return CONVERT(division_scale(x, divisor, dividend).mask, vm);
}

/* As v_div_fmas_f64. */
INLINE vf v_div_fmas_f32(vf x, vf y, vf z, vm scaled)
{
    vf value = __builtin_elementwise_fma(x, y, z), error = __builtin_elementwise_fma(x, y, z - value);
    vi is_large = EXPONENT(z) > 127;
    vf result = value * pick(is_large, (vf)0x1p64f, (vf)0x1p-64f);
    vf lost = value - result * pick(is_large, (vf)0x1p-64f, (vf)0x1p64f);
    vi other = (vi)(MAGNITUDE(lost) == AS(vu, (vf)0x1p-86f)) & (error != 0) & ((AS(vi, lost) ^ AS(vi, error)) >= 0);
    result += pick(other, __builtin_elementwise_copysign((vf)0x1p-149f, lost), (vf)0);
    return pick(mask_of(scaled), result, value);
}

/* Compared as numbers: denormal ones may be zeros. */
INLINE vf v_div_fixup_f32(vf quotient, vf divisor, vf dividend)
{
    vu sign = (AS(vu, divisor) ^ AS(vu, dividend)) & 0x80000000u;
    vu d = MAGNITUDE(divisor), n = MAGNITUDE(dividend);
    vu value = MAGNITUDE(quotient) | sign;
    value = MAGNITUDE(quotient) > INFINITY_BITS ? sign | INFINITY_BITS : value;
    value = EXPONENT(dividend) - EXPONENT(divisor) < -150 ? sign : value;
    value = (d == INFINITY_BITS) | (dividend == 0) ? sign : value;
    value = (divisor == 0) | (n == INFINITY_BITS) ? sign | INFINITY_BITS : value;
    vi no_number = ((divisor == 0) & (dividend == 0)) | (vi)((d == INFINITY_BITS) & (n == INFINITY_BITS));
    value = no_number ? (vu)0xffc00000u : value;
    value = d > INFINITY_BITS ? AS(vu, divisor) | 0x00400000u : value;
    value = n > INFINITY_BITS ? AS(vu, dividend) | 0x00400000u : value;
    return WITH_BITS(value);
}

/* For code that is compiled soon. */
vm v_cmp_class_f32_apart(vf x, vu mask) { return v_cmp_class_f32(x, mask); }
vf v_ldexp_f32_apart(vf x, vu count) { return v_ldexp_f32(x, count); }
vf v_div_scale_f32_apart(vf x, vf divisor, vf dividend) { return v_div_scale_f32(x, divisor, dividend); }
vm v_div_scale_f32_mask_apart(vf x, vf divisor, vf dividend) { return v_div_scale_f32_mask(x, divisor, dividend); }
vf v_div_fmas_f32_apart(vf x, vf y, vf z, vm scaled) { return v_div_fmas_f32(x, y, z, scaled); }
vf v_div_fixup_f32_apart(vf x, vf divisor, vf dividend) { return v_div_fixup_f32(x, divisor, dividend); }

/* To integers: the nearest that there is, 0 for what is no number. */
vu i32_of_f32(vf x)
{
    vi value = CONVERT((x >= -0x1p31f) & (x < 0x1p31f) ? x : 0.0f, vi);
    return (vu)(x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? INT32_MIN : value);
}

vu u32_of_f32(vf x)
{
    vu value = CONVERT((x >= 0) & (x < 0x1p32f) ? x : 0.0f, vu);
    return x >= 0x1p32f ? ~0u : value;
}

/* Faces of a cube. */
INLINE static inline vi major_z(vf x, vf y, vf z)
{
    vf a = __builtin_elementwise_abs(x), b = __builtin_elementwise_abs(y), c = __builtin_elementwise_abs(z);
    return (c >= a) & (c >= b);
}

INLINE static inline vi major_y(vf x, vf y, vf z)
{
    return ~major_z(x, y, z) & (__builtin_elementwise_abs(y) >= __builtin_elementwise_abs(x));
}

INLINE vf v_cubeid_f32(vf x, vf y, vf z)
{
    vf face = pick(x < 0, (vf)1, (vf)0);
    face = pick(major_y(x, y, z), pick(y < 0, (vf)3, (vf)2), face);
    return pick(major_z(x, y, z), pick(z < 0, (vf)5, (vf)4), face);
}

INLINE vf v_cubema_f32(vf x, vf y, vf z)
{
    return 2.0f * pick(major_z(x, y, z), z, pick(major_y(x, y, z), y, x));
}

INLINE vf v_cubesc_f32(vf x, vf y, vf z)
{
    vf value = pick(x < 0, z, -z);
    return pick(major_z(x, y, z), pick(z < 0, -x, x), pick(major_y(x, y, z), x, value));
}

INLINE vf v_cubetc_f32(vf x, vf y, vf z)
{
    return pick(major_z(x, y, z), -y, pick(major_y(x, y, z), pick(y < 0, -z, z), -y));
}

INLINE vf v_mullit_f32(vf x, vf y, vf z)
{
    vi out = (y == -3.4028234663852886e38f) | IS_NAN(y) | (z <= 0) | IS_NAN(z);
    return pick(out, (vf)-3.4028234663852886e38f, v_mul_legacy_f32(x, y));
}
