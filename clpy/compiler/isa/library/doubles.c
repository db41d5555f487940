/* SPDX-License-Identifier: Apache-2.0
 * Instructions on doubles that are more than an operation of LLVM's.
 */
#include "wave.h"

#define MAGNITUDE(x) (AS(vq, x) & 0x7ffffffffffffffful)
#define EXPONENT(x) ((vl)(AS(vq, x) >> 52 & 2047ul))
#define INFINITY_BITS 0x7ff0000000000000ul
#define LEAST_NORMAL 0x0010000000000000ul
#define IS_NAN(x) ((x) != (x))

INLINE static inline vd pick(vl which, vd yes, vd no) { return AS(vd, which ? AS(vl, yes) : AS(vl, no)); }

INLINE vd v_min_f64(vd x, vd y) { return __builtin_elementwise_minimumnum(x, y); }
INLINE vd v_max_f64(vd x, vd y) { return __builtin_elementwise_maximumnum(x, y); }
INLINE static inline vd power(vl n) { return AS(vd, (n + 1023) << 52); }

/* At most one step rounds: what is small already when the last one comes is zero after it. */
INLINE static inline vl step_of(vl n) { return n < -1022 ? (vl)-969 : n > 1023 ? (vl)1023 : (vl)0; }

INLINE vd v_ldexp_f64(vd x, vu count)
{
    vl n = CONVERT((vi)count, vl), first, second;
    n = n < -2200 ? -2200 : n;
    n = n > 2200 ? 2200 : n;
    first = step_of(n);
    second = step_of(n - first);
    return x * power(first) * power(second) * power(n - first - second);
}

INLINE vd v_fract_f64(vd x)
{
    vd value = __builtin_elementwise_minimumnum(x - __builtin_elementwise_floor(x), AS(vd, (vq)0x3feffffffffffffful));
    return pick((vl)(MAGNITUDE(x) >= INFINITY_BITS), x - x, value);
}

INLINE static inline vl is_plain(vd x)
{
    vq a = MAGNITUDE(x);
    return (vl)(a != 0) & (vl)(a < INFINITY_BITS);
}

vd v_frexp_mant_f64(vd x)
{
    vd scaled = pick((vl)(MAGNITUDE(x) < LEAST_NORMAL), x * 18014398509481984.0, x);
    return pick(is_plain(scaled), AS(vd, (AS(vq, scaled) & 0x800ffffffffffffful) | 0x3fe0000000000000ul), scaled);
}

vu v_frexp_exp_i32_f64(vd x)
{
    vl tiny = (vl)(MAGNITUDE(x) < LEAST_NORMAL);
    vd scaled = pick(tiny, x * 18014398509481984.0, x);
    vl e = EXPONENT(scaled) - 1022 - (tiny & 54);
    return CONVERT(AS(vq, e & is_plain(scaled)), vu);
}

INLINE static inline vd finite(vd x)
{
    vd most = AS(vd, (AS(vq, x) & 0x8000000000000000ul) | 0x7feffffffffffffful);
    return pick((vl)(MAGNITUDE(x) == INFINITY_BITS), most, x);
}

INLINE vd v_rcp_clamp_f64(vd x) { return finite(1.0 / x); }
INLINE vd v_rsq_clamp_f64(vd x) { return finite(1.0 / __builtin_elementwise_sqrt(x)); }

INLINE vm v_cmp_class_f64(vd x, vu mask)
{
    vq a = MAGNITUDE(x), negative = AS(vq, x) >> 63;
    vq kind = a == 0 ? (vq)6 : a < LEAST_NORMAL ? (vq)7 : a < INFINITY_BITS ? (vq)8 : (vq)9;
    kind = negative != 0 ? 11 - kind : kind;
    kind = a > INFINITY_BITS ? a >> 51 & 1ul : kind;
    return CONVERT(mask >> CONVERT(kind, vu) & 1u, vm);
}

typedef struct { vd value; vl mask; } scaled_part;

INLINE static inline scaled_part division_scale(vd x, vd divisor, vd dividend)
{
    vl de = EXPONENT(divisor), ne = EXPONENT(dividend);
    vd up = x * 0x1p128, down = x * 0x1p-128;
    vl is_divisor = x == divisor, is_dividend = x == dividend;
    vl zero = (dividend == 0) | (divisor == 0), large = ne - de >= 768, denormal = de == 0;
    vl inverse_small = de >= 2045, quotient_small = ne - de < -1022 + 1;
    vd value = pick(ne <= 53, up, x);
    vl mask = (vl)0;
    value = pick(quotient_small, pick(is_dividend, up, x), value);
    mask = quotient_small ? (vl)-1 : mask;
    value = pick(inverse_small, pick(quotient_small, pick(is_divisor, down, x), down), value);
    mask = inverse_small ? quotient_small : mask;
    value = pick(denormal, up, value);
    mask = denormal ? (vl)0 : mask;
    value = pick(large, pick(is_divisor, up, x), value);
    mask = large ? (vl)-1 : mask;
    value = pick(zero, AS(vd, (vq)0x7ff8000000000000ul), value);
    return (scaled_part){value, zero ? (vl)0 : mask};
}

INLINE vd v_div_scale_f64(vd x, vd divisor, vd dividend) { return division_scale(x, divisor, dividend).value; }
INLINE vm v_div_scale_f64_mask(vd x, vd divisor, vd dividend)
{
    return CONVERT(division_scale(x, divisor, dividend).mask, vm);
}

/* A fused product and sum, times a power of two: rounded once. Where the scaling loses half of the least number, the
 * fused sum's own error says to which side. */
INLINE vd v_div_fmas_f64(vd x, vd y, vd z, vm scaled)
{
    vd value = __builtin_elementwise_fma(x, y, z), error = __builtin_elementwise_fma(x, y, z - value);
    vl is_large = EXPONENT(z) > 1023;
    vd result = value * pick(is_large, (vd)0x1p128, (vd)0x1p-128);
    vd lost = value - result * pick(is_large, (vd)0x1p-128, (vd)0x1p128);
    vl other = (vl)(MAGNITUDE(lost) == AS(vq, (vd)0x1p-947)) & (error != 0) & ((AS(vl, lost) ^ AS(vl, error)) >= 0);
    result += pick(other, __builtin_elementwise_copysign((vd)0x1p-1074, lost), (vd)0);
    return pick(-CONVERT(scaled, vl), result, value);
}

INLINE vd v_div_fixup_f64(vd quotient, vd divisor, vd dividend)
{
    vq sign = (AS(vq, divisor) ^ AS(vq, dividend)) & 0x8000000000000000ul;
    vq d = MAGNITUDE(divisor), n = MAGNITUDE(dividend);
    vq value = MAGNITUDE(quotient) | sign;
    value = MAGNITUDE(quotient) > INFINITY_BITS ? sign | INFINITY_BITS : value;
    value = EXPONENT(dividend) - EXPONENT(divisor) < -1075 ? sign : value;
    value = (d == INFINITY_BITS) | (n == 0) ? sign : value;
    value = (d == 0) | (n == INFINITY_BITS) ? sign | INFINITY_BITS : value;
    value = ((d == 0) & (n == 0)) | ((d == INFINITY_BITS) & (n == INFINITY_BITS)) ? (vq)0xfff8000000000000ul : value;
    value = d > INFINITY_BITS ? AS(vq, divisor) | 0x0008000000000000ul : value;
    value = n > INFINITY_BITS ? AS(vq, dividend) | 0x0008000000000000ul : value;
    return AS(vd, value);
}

/* For code that is compiled soon, in which what is in line is a third of what there is where much is divided. */
vm v_cmp_class_f64_apart(vd x, vu mask) { return v_cmp_class_f64(x, mask); }
vd v_ldexp_f64_apart(vd x, vu count) { return v_ldexp_f64(x, count); }
vd v_div_scale_f64_apart(vd x, vd divisor, vd dividend) { return v_div_scale_f64(x, divisor, dividend); }
vm v_div_scale_f64_mask_apart(vd x, vd divisor, vd dividend) { return v_div_scale_f64_mask(x, divisor, dividend); }
vd v_div_fmas_f64_apart(vd x, vd y, vd z, vm scaled) { return v_div_fmas_f64(x, y, z, scaled); }
vd v_div_fixup_f64_apart(vd x, vd divisor, vd dividend) { return v_div_fixup_f64(x, divisor, dividend); }
static inline vd limited(vd x, double low, double high) { x = x > low ? x : low; return x < high ? x : high; }
vu i32_of_f64(vd x) { return (vu)CONVERT(limited(x == x ? x : 0.0, -0x1p31, 0x1p31 - 1), vi); }
vu u32_of_f64(vd x) { return CONVERT(limited(x, 0.0, 0x1p32 - 1), vu); }

/* The bits of 2/pi behind the point. */
static const uint64_t TWO_BY_PI[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d
};

/* 53 bits of 2/pi, from where they matter for a number of this exponent, and further by `segment` times 53. */
static double segment_of(uint64_t bits, uint32_t segment)
{
    int32_t exponent = bits >> 52 & 2047, shift = (int32_t)(segment & 31) * 53;
    if (exponent > 1077)
        shift += exponent - 1077;
    int32_t word = shift >> 6, rest = shift & 63;
    if (word >= 19)
        return 0;
    uint64_t part = TWO_BY_PI[word] << rest;
    if (rest)
        part |= TWO_BY_PI[word + 1] >> (64 - rest);
    int32_t scale = -53 - shift + (exponent >= 1968 ? 128 : 0), half = scale / 2;
    double value = (double)(part >> 11);
    return value * AS(double, (uint64_t)(half + 1023) << 52) * AS(double, (uint64_t)(scale - half + 1023) << 52);
}

vd v_trig_preop_f64(vd x, vu segment)
{
    vd out;
    for (int lane = 0; lane < LANES; lane++)
        out[lane] = segment_of(AS(uint64_t, (double)x[lane]), segment[lane]);
    return out;
}
