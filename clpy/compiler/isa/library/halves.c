/* SPDX-License-Identifier: Apache-2.0
 * Instructions on 16-bit floats, mostly by way of 32 bits, and on numbers packed into 32 bits.
 */
#include "wave.h"

extern vf v_exp_f32(vf x), v_log_f32(vf x), v_sin_f32(vf x), v_cos_f32(vf x), v_frexp_mant_f32(vf x);
extern vf v_fract_f32(vf x), v_div_fixup_f32(vf x, vf y, vf z), v_med3_f32(vf x, vf y, vf z);
extern vu v_frexp_exp_i32_f32(vf x);
extern vf v_ldexp_f32(vf x, vu n);

#define WIDE(x) CONVERT(x, vf)
#define NARROW(x) CONVERT(x, vh)

INLINE vh v_min_f16(vh x, vh y) { return NARROW(__builtin_elementwise_minimumnum(WIDE(x), WIDE(y))); }
INLINE vh v_max_f16(vh x, vh y) { return NARROW(__builtin_elementwise_maximumnum(WIDE(x), WIDE(y))); }
INLINE vh v_min3_f16(vh x, vh y, vh z) { return v_min_f16(v_min_f16(x, y), z); }
INLINE vh v_max3_f16(vh x, vh y, vh z) { return v_max_f16(v_max_f16(x, y), z); }
INLINE vh v_med3_f16(vh x, vh y, vh z) { return NARROW(v_med3_f32(WIDE(x), WIDE(y), WIDE(z))); }
INLINE vh v_exp_f16(vh x) { return NARROW(v_exp_f32(WIDE(x))); }
INLINE vh v_log_f16(vh x) { return NARROW(v_log_f32(WIDE(x))); }
INLINE vh v_sin_f16(vh x) { return NARROW(v_sin_f32(WIDE(x))); }
INLINE vh v_cos_f16(vh x) { return NARROW(v_cos_f32(WIDE(x))); }
INLINE vh v_frexp_mant_f16(vh x) { return NARROW(v_frexp_mant_f32(WIDE(x))); }
INLINE vw v_frexp_exp_i16_f16(vh x) { return CONVERT(v_frexp_exp_i32_f32(WIDE(x)), vw); }
INLINE vh v_ldexp_f16(vh x, vw n) { return NARROW(v_ldexp_f32(WIDE(x), (vu)CONVERT((vs)n, vi))); }
INLINE vh v_div_fixup_f16(vh x, vh y, vh z) { return NARROW(v_div_fixup_f32(WIDE(x), WIDE(y), WIDE(z))); }
INLINE vh v_div_fixup_legacy_f16(vh x, vh y, vh z) { return v_div_fixup_f16(x, y, z); }
INLINE vh v_mad_legacy_f16(vh x, vh y, vh z) { return x * y + z; }

INLINE vh v_fract_f16(vh x)
{
    vh value = NARROW(v_fract_f32(WIDE(x)));
    return AS(vh, value == (_Float16)1 ? (vs)0x3bff : AS(vs, value));
}

INLINE vm v_cmp_class_f16(vh x, vu mask)
{
    vu bits = CONVERT(AS(vw, x), vu), a = bits & 0x7fffu, negative = bits >> 15;
    vu kind = a == 0 ? (vu)6 : a < 0x400u ? (vu)7 : a < 0x7c00u ? (vu)8 : (vu)9;
    kind = negative != 0 ? 11 - kind : kind;
    kind = a > 0x7c00u ? a >> 9 & 1u : kind;
    return CONVERT(mask >> kind & 1u, vm);
}

/* Two numbers of 16 bits in one register. */
INLINE static inline vu packed(vu low, vu high) { return (low & 0xffffu) | high << 16; }
INLINE static inline vu bits_of_half(vh x) { return CONVERT(AS(vw, x), vu); }

INLINE static inline vi rounded(vf x, float scale)
{
    x = __builtin_elementwise_minimumnum(__builtin_elementwise_maximumnum(x, (vf)-1.0f), (vf)1.0f);
    return CONVERT(__builtin_elementwise_roundeven(x * scale), vi);
}

INLINE static inline vf not_negative(vf x) { return __builtin_elementwise_maximumnum(x, (vf)0); }
INLINE static inline vf number(vf x) { return AS(vf, x == x ? AS(vi, x) : (vi)0); }

INLINE vu v_cvt_pknorm_i16_f32(vf x, vf y)
{
    return packed((vu)rounded(number(x), 32767.0f), (vu)rounded(number(y), 32767.0f));
}

INLINE vu v_cvt_pknorm_u16_f32(vf x, vf y)
{
    return packed((vu)rounded(not_negative(x), 65535.0f), (vu)rounded(not_negative(y), 65535.0f));
}

INLINE vu v_cvt_pknorm_i16_f16(vh x, vh y) { return v_cvt_pknorm_i16_f32(WIDE(x), WIDE(y)); }
INLINE vu v_cvt_pknorm_u16_f16(vh x, vh y) { return v_cvt_pknorm_u16_f32(WIDE(x), WIDE(y)); }
INLINE vw v_cvt_norm_i16_f16(vh x) { return CONVERT((vu)rounded(number(WIDE(x)), 32767.0f), vw); }
INLINE vw v_cvt_norm_u16_f16(vh x) { return CONVERT((vu)rounded(not_negative(WIDE(x)), 65535.0f), vw); }

/* Rounded towards zero. */
INLINE static inline vu to_half_down(vf x)
{
    vu bits = bits_of_half(NARROW(x));
    vf back = WIDE(AS(vh, CONVERT(bits, vw)));
    vi more = __builtin_elementwise_abs(back) > __builtin_elementwise_abs(x);
    return more ? bits - 1 : bits;
}

INLINE vu v_cvt_pkrtz_f16_f32(vf x, vf y) { return packed(to_half_down(x), to_half_down(y)); }
INLINE vu v_pack_b32_f16(vh x, vh y) { return packed(bits_of_half(x), bits_of_half(y)); }

INLINE vu v_cvt_pk_u16_u32(vu x, vu y)
{
    return packed(x < 0xffffu ? x : (vu)0xffffu, y < 0xffffu ? y : (vu)0xffffu);
}

INLINE static inline vi limited(vu x, int low, int high)
{
    vi value = (vi)x < low ? (vi)low : (vi)x;
    return value > high ? (vi)high : value;
}

INLINE vu v_cvt_pk_i16_i32(vu x, vu y) { return packed((vu)limited(x, -32768, 32767), (vu)limited(y, -32768, 32767)); }

INLINE vu v_sat_pk_u8_i16(vu x)
{
    vu low = (vu)limited((vu)((vi)(x << 16) >> 16), 0, 255), high = (vu)limited((vu)((vi)x >> 16), 0, 255);
    return low | high << 8;
}

INLINE vu v_cvt_pk_u8_f32(vf x, vu place, vu old)
{
    vf bounded = __builtin_elementwise_minimumnum(not_negative(__builtin_elementwise_roundeven(x)), (vf)255.0f);
    vu shift = (place & 3u) * 8u;
    return (old & ~((vu)255u << shift)) | (vu)CONVERT(bounded, vi) << shift;
}

INLINE vu v_cvt_pkaccum_u8_f32(vf x, vu place, vu old) { return v_cvt_pk_u8_f32(x, place, old); }

INLINE vu v_mad_u32_u16(vw x, vw y, vu z) { return CONVERT(x, vu) * CONVERT(y, vu) + z; }
INLINE vu v_mad_i32_i16(vw x, vw y, vu z) { return (vu)(CONVERT((vs)x, vi) * CONVERT((vs)y, vi)) + z; }

/* Bytes of two registers by number; 8 to 11 are signs, 12 is 0, what is above 255. */
INLINE vu v_perm_b32(vu high, vu low, vu selects)
{
    vu out = (vu)0;
    for (int i = 0; i < 4; i++) {
        vu select = selects >> (8 * i) & 255u;
        vu from = (select & 4u) != 0 ? high : low;
        vu byte = from >> ((select & 3u) * 8u) & 255u;
        vu sign = select == 8u ? low >> 15 : select == 9u ? low >> 31 : select == 10u ? high >> 15 : high >> 31;
        byte = select >= 8u ? (sign & 1u) * 255u : byte;
        byte = select == 12u ? (vu)0 : select > 12u ? (vu)255u : byte;
        out |= byte << (8 * i);
    }
    return out;
}

#define BYTE(x, i) ((x) >> (8 * (i)) & 255u)
#define FAR_APART(x, y) ((x) > (y) ? (x) - (y) : (y) - (x))

INLINE vu v_lerp_u8(vu x, vu y, vu round)
{
    vu out = (vu)0;
    for (int i = 0; i < 4; i++)
        out |= (BYTE(x, i) + BYTE(y, i) + (BYTE(round, i) & 1u)) >> 1 << (8 * i);
    return out;
}

INLINE vu v_sad_u8(vu x, vu y, vu sum)
{
    for (int i = 0; i < 4; i++)
        sum += FAR_APART(BYTE(x, i), BYTE(y, i));
    return sum;
}

INLINE vu v_sad_hi_u8(vu x, vu y, vu sum) { return (v_sad_u8(x, y, (vu)0) << 16) + sum; }

INLINE vu v_sad_u16(vu x, vu y, vu sum)
{
    vu a = x & 0xffffu, b = y & 0xffffu, c = x >> 16, d = y >> 16;
    return sum + FAR_APART(a, b) + FAR_APART(c, d);
}

INLINE vu v_msad_u8(vu x, vu reference, vu sum)
{
    for (int i = 0; i < 4; i++)
        sum += BYTE(reference, i) != 0 ? FAR_APART(BYTE(x, i), BYTE(reference, i)) : (vu)0;
    return sum;
}

#define FOUR_SADS(name, one)                                                                                          \
    vq name(vq x, vu y, vq sums)                                                                                      \
    {                                                                                                                 \
        vq out = (vq)0;                                                                                               \
        for (int i = 0; i < 4; i++) {                                                                                 \
            vu part = CONVERT(x >> (8 * i), vu);                                                                      \
            vu sum = one(part, y, CONVERT(sums >> (16 * i) & 0xfffful, vu)) & 0xffffu;                                \
            out |= CONVERT(sum, vq) << (16 * i);                                                                      \
        }                                                                                                             \
        return out;                                                                                                   \
    }

FOUR_SADS(v_qsad_pk_u16_u8, v_sad_u8)
FOUR_SADS(v_mqsad_pk_u16_u8, v_msad_u8)

/* For code that is compiled soon. */
vh fused_f16(vh x, vh y, vh z) { return __builtin_elementwise_fma(x, y, z); }
vu v_cvt_pkrtz_f16_f32_apart(vf x, vf y) { return v_cvt_pkrtz_f16_f32(x, y); }
vu v_perm_b32_apart(vu high, vu low, vu selects) { return v_perm_b32(high, low, selects); }
vu v_lerp_u8_apart(vu x, vu y, vu round) { return v_lerp_u8(x, y, round); }
vu v_sad_u8_apart(vu x, vu y, vu sum) { return v_sad_u8(x, y, sum); }
vu v_sad_hi_u8_apart(vu x, vu y, vu sum) { return v_sad_hi_u8(x, y, sum); }
vu v_sad_u16_apart(vu x, vu y, vu sum) { return v_sad_u16(x, y, sum); }
vu v_msad_u8_apart(vu x, vu reference, vu sum) { return v_msad_u8(x, reference, sum); }

/* LLVM looks at length for a shorter way where it knows that bits are zeros. */
vu multiply24(vu x, vu y) { return (x & 0xffffffu) * (y & 0xffffffu); }

/* The same: in line they are products of 64 bits, which LLVM takes long for. */
vu multiply_high_zext(vu x, vu y) { return CONVERT(CONVERT(x, vq) * CONVERT(y, vq) >> 32, vu); }
vu multiply_high_sext(vu x, vu y) { return CONVERT(AS(vq, CONVERT((vi)x, vl) * CONVERT((vi)y, vl)) >> 32, vu); }
