// SPDX-License-Identifier: Apache-2.0
// Eight doubles at a time for processors with AVX-512: what vectors of work-items call for exp, log, pow, cbrt, sin,
// cos and erf (analysis/libmvec.py). Such processors look things up in two registers with one instruction, and take
// numbers apart and put them together, whatever they are, with another. So exponentials and logarithms begin with a
// table of 16 numbers, which leaves half of the polynomial and no division. Everybody else has math_double.cl.
#include "builtins.h"
#include "elementwise.h"

#define LANES 8
typedef double8 number;
typedef ulong8 bits;

// A product added to something is one operation.
#pragma clang fp contract(on)

#define INSTRUCTION __attribute__((const))
#define AS_IT_ROUNDS 4
#define EVERY ((uchar)0xff)
INSTRUCTION number table_of_two(number, bits, number) __asm("llvm.x86.avx512.vpermi2var.pd.512");
INSTRUCTION number scalef(number, number, number, uchar, int) __asm("llvm.x86.avx512.mask.scalef.pd.512");
INSTRUCTION number getexp(number, number, uchar, int) __asm("llvm.x86.avx512.mask.getexp.pd.512");
INSTRUCTION number getmant(number, int, number, uchar, int) __asm("llvm.x86.avx512.mask.getmant.pd.512");
INSTRUCTION number range(number, number, int, number, uchar, int) __asm("llvm.x86.avx512.mask.range.pd.512");

#define FORM __attribute__((always_inline))

// By the last four bits of a place. The first eight numbers, the others.
INTERNAL number looked_up(bits place, number first, number others) { return table_of_two(first, place, others); }

// ---- exponentials

// 2^k e^f for k in sixteenths and |f| <= ln 2 / 32. `shifted` has k's sixteenths in its last bits: added to 1.5 * 2^48,
// it was rounded. The polynomial is a minimax fit of (e^f - 1 - f) / f^2, with an error of the whole below 2^-56.
#define ROUNDER_16 0x1.8p48
INTERNAL number exp_core(number shifted, number k, number f) {
    number p = 0x1.0000000000005p-1 + f * (0x1.555555548ebb3p-3 + f * (0x1.555555545d2b7p-5 +
               f * (0x1.11123b48a5fcbp-7 + f * 0x1.6c185f066079cp-10)));
    number power = looked_up(as_ulong8(shifted),
        (number)(0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
                 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0),
        (number)(0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
                 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0));
    number more = f + f * f * p;
    return scalef(power + power * more, k, power, EVERY, AS_IT_ROUNDS);
}

// Beyond these bounds the result is 0 or infinity; NaN stays.
#define BETWEEN(low, x, high) x = x < (low) ? (number)(low) : x; x = x > (high) ? (number)(high) : x;

FORM number __clpy_exp_8(number x) {
    BETWEEN(-746.0, x, 710.0)
    number shifted = x * 0x1.71547652b82fep0 + ROUNDER_16, k = shifted - ROUNDER_16;
    return exp_core(shifted, k, x - k * 0x1.62e42fefa39efp-1 - k * 0x1.abc9e3b39803fp-56);
}

FORM number __clpy_exp2_8(number x) {
    BETWEEN(-1076.0, x, 1025.0)
    number shifted = x + ROUNDER_16, k = shifted - ROUNDER_16;
    return exp_core(shifted, k, (x - k) * 0x1.62e42fefa39efp-1);
}

FORM number __clpy_exp10_8(number x) {
    BETWEEN(-324.0, x, 309.0)
    number shifted = x * 0x1.a934f0979a371p1 + ROUNDER_16, k = shifted - ROUNDER_16;
    number left = x - k * 0x1.34413509f79ffp-2 + k * 0x1.9dc1da994fd21p-59;
    return exp_core(shifted, k, left * 0x1.26bb1bbb55516p1);
}

// ---- logarithms

// x = 2^k m, with 3/4 <= m < 3/2; k is infinite for 0 and infinity, m NaN below 0, both for NaN. In the same sixteenth
// of the numbers from 1 to 2, or from 1/2 to 1, m has a place in tables: of 1 / m, roughly, and of its logarithm. f is
// what the first leaves of m, between -1/32 and 1/16; around 1 it is m - 1.
#define FROM_1_TO_2 0
#define FROM_3_4_TO_3_2 3
#define NAN_BELOW_0 2
#define PARTS \
    number m = getmant(x, FROM_3_4_TO_3_2 | NAN_BELOW_0 << 2, x, EVERY, AS_IT_ROUNDS); \
    number k = getexp(x, x, EVERY, AS_IT_ROUNDS); \
    k = m < 1 ? k + 1 : k; \
    bits place = as_ulong8(m) >> 48ul; \
    number inverse = looked_up(place, \
        (number)(0x1.00p+0, 0x1.d4p-1, 0x1.bbp-1, 0x1.a4p-1, 0x1.90p-1, 0x1.7dp-1, 0x1.6cp-1, 0x1.5dp-1), \
        (number)(0x1.4e8p+0, 0x1.418p+0, 0x1.35p+0, 0x1.2ap+0, 0x1.1f8p+0, 0x1.158p+0, 0x1.0c8p+0, 0x1.00p+0));

// A minimax fit of (ln(1 + f) - f) / f^2 with an error of the logarithm below 2^-56.
#define OF_FRACTION \
    number f = m * inverse - 1; \
    number p = -0x1.0000000000002p-1 + f * (0x1.5555555555f6cp-2 + f * (-0x1.fffffffff2fcdp-3 + \
               f * (0x1.999999809a069p-3 + f * (-0x1.555554ac259ffp-3 + f * (0x1.2492d7e6ded42p-3 + \
               f * (-0x1.0009c9fc8092cp-3 + f * (0x1.c57869143307ap-4 + f * -0x1.660e6c14b9476p-4)))))));

// The logarithm of 2, that of the table's numbers, and what the natural logarithm is multiplied by.
#define LOGARITHM(name, of_two, first, others, scale) \
    FORM number __clpy_##name##_8(number x) { \
        PARTS \
        OF_FRACTION \
        number known = k * of_two + looked_up(place, first, others); \
        return known + (f + f * f * p) * scale; \
    }
LOGARITHM(log, 0x1.62e42fefa39efp-1,
    (number)(0x0.0p+0, 0x1.700d30aeac0e1p-4, 0x1.28753bc11aba5p-3, 0x1.95a5adcf7017fp-3,
             0x1.f991c6cb3b379p-3, 0x1.2e9e2bce12286p-2, 0x1.5d5bddf595f30p-2, 0x1.8873658327ccfp-2),
    (number)(-0x1.11e0e2dad9cb7p-2, -0x1.d293581b6b3e7p-3, -0x1.815c0a14357ebp-3, -0x1.371fc201e8f74p-3,
             -0x1.db5270187d927p-4, -0x1.4a50d3aa1b040p-4, -0x1.868a83083f6cfp-5, 0x0.0p+0), 1.0)
LOGARITHM(log10, 0x1.34413509f79ffp-2,
    (number)(0x0.0p+0, 0x1.3faf7c663060ep-5, 0x1.0180066492817p-4, 0x1.605735ee985f1p-4,
             0x1.b721cd17157e3p-4, 0x1.06d9bc53c2941p-3, 0x1.2f7301cf4e87bp-3, 0x1.54e0df3198865p-3),
    (number)(-0x1.dbc68eea6915bp-4, -0x1.95432ba8d2e2fp-4, -0x1.4eb812997cde4p-4, -0x1.0e3d29d81165ep-4,
             -0x1.9cdc05cad4042p-5, -0x1.1ee899d74a03ep-5, -0x1.53383b64bf13fp-6, 0x0.0p+0), 0x1.bcb7b1526e50ep-2)

#define LOG2_FIRST \
    (number)(0x0.0p+0, 0x1.097e38ce60649p-3, 0x1.abb2ca9ec7472p-3, 0x1.249cd2b13cd6cp-2, \
             0x1.6cb0f6865c8eap-2, 0x1.b495d4e9185f7p-2, 0x1.f804ae8d0cd02p-2, 0x1.1b17e849adc26p-1)
#define LOG2_OTHERS \
    (number)(-0x1.8b1f835e0b642p-2, -0x1.509028ff8e0a2p-2, -0x1.15fa676bb08ffp-2, -0x1.c0db6cdd94deep-3, \
             -0x1.56df5328d58c5p-3, -0x1.dc8b7c49a1ddbp-4, -0x1.19b74069f5f0ap-4, 0x0.0p+0)
LOGARITHM(log2, 1.0, LOG2_FIRST, LOG2_OTHERS, 0x1.71547652b82fep0)

// ---- powers

// log2(x) = high + low to 2^-61 of it, or an infinity. (1 + f + f_low) / m is known; the logarithm of 1 + f is f less
// half its square, both in two parts, and a minimax fit of the rest.
INTERNAL number log2_core(number x, number *low) {
    PARTS
    number product = m * inverse, f = product - 1, f_low = fma(m, inverse, -product);
    number first = f * 0x1.71547652b82fep0, square = f * f, second = square * -0x1.71547652b82fep-1;
    number lost = fma(f, (number)0x1.71547652b82fep0, -first) + f * 0x1.777d0ffda0d24p-56;
    lost += fma(square, (number)-0x1.71547652b82fep-1, -second);
    lost += f_low * (1 - f + square) * 0x1.71547652b82fep0 - fma(f, f, -square) * 0x1.71547652b82fep-1;
    number rest = 0x1.ec709dc3a0420p-2 + f * (-0x1.71547652b9759p-2 + f * (0x1.2776c50ecd93dp-2 +
                  f * (-0x1.ec709d96d24b1p-3 + f * (0x1.a617631ba20c1p-3 + f * (-0x1.71556a533c532p-3 +
                  f * (0x1.4856f68aa066cp-3 + f * (-0x1.2608cae8aa222p-3 + f * 0x1.cf8f2bcafa143p-4)))))));
    number of_table = looked_up(place, LOG2_FIRST, LOG2_OTHERS);
    number known = k + of_table, sum = known + first, high = sum + second;
    lost += looked_up(place,
        (number)(0x0.0p+0, 0x1.5d243efd93259p-58, 0x1.8b38644a4210ep-57, 0x1.34107c0e54aedp-56,
                 0x1.b6d40900b2502p-61, 0x1.4bcb97f73b85ap-56, -0x1.9ca1a3202b3d7p-56, 0x1.6401c2e2bc1efp-57),
        (number)(0x1.6bb45a980c7b1p-56, 0x1.b36e606f18f11p-56, -0x1.65f8e114f0719p-56, -0x1.0389b662673fcp-57,
                 -0x1.6cb83499ab00ep-57, -0x1.e21be2161db6ep-58, 0x1.af9fb93447a4bp-58, 0x0.0p+0));
    *low = (of_table - (known - k)) + (first - (sum - known)) + (second - (high - sum)) + (lost + square * f * rest);
    return high;
}

// Where the logarithm or the exponent is infinite and the other is 0, NaN. Below zero: the sign of x stays where y is
// odd, which no number from 2^53 on is, and y has to be whole.
FORM number __clpy_pow_8(number x, number y) {
    number ax = fabs(x), low, high = log2_core(ax, &low), t = y * high, t_low = fma(y, high, -t) + y * low;
    t_low = fabs(t) < 1100.0 ? t_low : (number)0.0;
    BETWEEN(-1100.0, t, 1100.0)
    number shifted = (t + t_low) + ROUNDER_16, k = shifted - ROUNDER_16;
    number r = exp_core(shifted, k, ((t - k) + t_low) * 0x1.62e42fefa39efp-1), half_y = y * 0.5;
    long8 whole = rint(y) == y, odd = whole & (rint(half_y) != half_y);
    r = (y == 0) | (x == 1) | ((ax == 1) & (y == y)) ? (number)1.0 : r;
    r = (x < 0) & !whole & (x > -(double)INFINITY) ? (number)(double)NAN : r;
    return odd ? copysign(r, x) : r;
}

// ---- cube roots

// |x| = 8^k z, with z = 2^r m from 1 to 8. A minimax fit of 1 / cbrt(m), to 2^-14, and the cube root of 1 / 2^r from a
// table make t; what 1 - z t^3 says of its error leaves 2^-51, and what is left of z below the cube of z t^2 the rest.
FORM number __clpy_cbrt_8(number x) {
    number ax = fabs(x), m = getmant(ax, FROM_1_TO_2, ax, EVERY, AS_IT_ROUNDS);
    number power = getexp(ax, ax, EVERY, AS_IT_ROUNDS);
    number k = __builtin_elementwise_floor(power * 0x1.5555555555555p-2 + 0x1.5555555555555p-3), r = power - 3 * k;
    number z = scalef(m, r, m, EVERY, AS_IT_ROUNDS);
    number roots = looked_up(as_ulong8(r + 0x1p52),
                             (number)(1, 0x1.965fea53d6e3dp-1, 0x1.428a2f98d728bp-1, 0, 0, 0, 0, 0), (number)0);
    number t = roots * (0x1.ab859f4b3a13fp+0 + m * (-0x1.2c420d5c2bc36p+0 + m * (0x1.6416ab3d181b5p-1 +
               m * (-0x1.c51907986f10cp-3 + m * 0x1.d4705d1efa166p-6))));
    number e = 1 - z * (t * t * t);
    t = t + t * e * (0x1.5555555555555p-2 + e * (0x1.c71c71c71c71cp-3 + e * 0x1.61f9add3c0ca4p-3));
    number square = t * t, y = z * square, y_square = y * y, y_left = fma(y, y, -y_square);
    number left = fma(-y_square, y, z) - y_left * y;
    y = scalef(y + left * square * 0x1.5555555555555p-2, k, y, EVERY, AS_IT_ROUNDS);
    return (ax > 0) & (ax < (double)INFINITY) ? copysign(y, x) : x;
}

// ---- sin and cos

// Of what is large, infinite or no number, lane by lane.
INSTRUCTION double c_sin(double) __asm("sin");
INSTRUCTION double c_cos(double) __asm("cos");
#define RARE(f) \
    static __attribute__((noinline, cold, const)) number rare_##f(number x, number y) { \
        for (int i = 0; i < LANES; i++) \
            if (!(fabs(x[i]) < 0x1p20)) y[i] = c_##f(x[i]); \
        return y; \
    }
RARE(sin)
RARE(cos)

// x less n half turns, of which each part is exact, as the last is; for |r| <= pi / 2 the sine is r times a minimax fit
// in its square, with an error below 2^-61; rounded, it could be more than 1. Odd half turns change the sign.
#define ROUNDER 0x1.8p52
#define LESS_OF_SIZES_SIGN_OF_FIRST 2
INTERNAL number of_half_turns(number x, number n, bits odd) {
    number r = x - n * 0x1.921fb54442d18p+1 - n * 0x1.1a62633145c07p-53 + n * 0x1.f1976b7ed8fbcp-109, z = r * r;
    number p = -0x1.5555555555555p-3 + z * (0x1.11111111110c1p-7 + z * (-0x1.a01a01a0148b0p-13 +
               z * (0x1.71de3a52876e1p-19 + z * (-0x1.ae6454cb2d6fbp-26 + z * (0x1.6123cb1e3fe38p-33 +
               z * (-0x1.ae431abb94661p-41 + z * 0x1.88295425c4ffep-49))))));
    number one = 1, y = range(r + r * z * p, one, LESS_OF_SIZES_SIGN_OF_FIRST, one, EVERY, AS_IT_ROUNDS);
    return as_double8(as_ulong8(y) ^ (odd << 63ul));
}

FORM number __clpy_sin_8(number x) {
    number shifted = x * 0x1.45f306dc9c883p-2 + ROUNDER, y = of_half_turns(x, shifted - ROUNDER, as_ulong8(shifted));
    return __builtin_reduce_or(!(fabs(x) < 0x1p20)) ? rare_sin(x, y) : y;
}

// The cosine is the sine of half of a half turn more.
FORM number __clpy_cos_8(number x) {
    number shifted = (x * 0x1.45f306dc9c883p-2 - 0.5) + ROUNDER, n = (shifted - ROUNDER) + 0.5;
    number y = of_half_turns(x, n, as_ulong8(shifted) + 1ul);
    return __builtin_reduce_or(!(fabs(x) < 0x1p20)) ? rare_cos(x, y) : y;
}

// ---- the error function

// erf(x) / x around the nearest of 16 places 25/64 apart, of which each has a polynomial: minimax fits with an error
// below 2^-52. So the result is as exact for small numbers as for others. Beyond the last it is 1, and never more.
FORM number __clpy_erf_8(number x) {
    number ax = fabs(x), shifted = ax * 2.56 + ROUNDER, f = ax - (shifted - ROUNDER) * 0.390625;
    bits place = as_ulong8(shifted);
    number p = looked_up(place,
        (number)(0x1.1c9f695739e70p-13, 0x1.35fc6764ba6eep-12, -0x1.25faf1da421b2p-14, -0x1.422e11eb4c469p-13,
                 0x1.879c9ba73ead3p-15, 0x1.8545df73b6912p-15, -0x1.52772a944e1eep-17, -0x1.320c5ca342c77p-17),
        (number)(0x1.9aaea15f97320p-26, 0x1.f49b7efffb60bp-21, 0x1.01e629d5ed5d2p-22, 0x1.3f866c9261b3cp-26,
                 -0x1.694e257122bd1p-28, -0x1.ba269ba3236f0p-29, -0x1.7fa0e656d98cep-30, -0x1.50b9b5baf4770p-31));
    p = p * f + looked_up(place,
        (number)(-0x1.e3ecb2ad5ced4p-11, 0x1.b0319d23f1296p-15, 0x1.48301b99bc01cp-11, -0x1.020cbf746bb80p-14,
                 -0x1.1502a2ced0d10p-12, 0x1.59aadf37b4edap-18, 0x1.0a73c814457efp-14, 0x1.44ccdb30b7c0ap-17),
        (number)(-0x1.b34efeb02e509p-18, -0x1.763850e054d3cp-19, -0x1.a541d3d7f23efp-22, 0x1.09d1de97361b4p-25,
                 0x1.37bc2662c5465p-25, 0x1.256da925b2541p-26, 0x1.074d24467cd47p-27, 0x1.ed5df804b0b28p-29));
    p = p * f + looked_up(place,
        (number)(0x1.4cd122ac667f3p-16, -0x1.06daf4ac789fcp-9, -0x1.b0e24d7caa2d2p-14, 0x1.25a5b0fcc9732p-10,
                 0x1.65ac8cbf956c6p-13, -0x1.588ae500ca4b6p-12, -0x1.c3f41c2aa62e8p-14, 0x1.0d1cce9ecbd1ep-15),
        (number)(0x1.9a3d98d88dca0p-16, 0x1.5bc8c60d57c8dp-18, 0x1.1b1cea6b288e0p-25, -0x1.7a00f095d1601p-22,
                 -0x1.944dd58b11781p-23, -0x1.776286005a90ep-24, -0x1.66f0065ebd1bbp-25, -0x1.682a3f45822bdp-26));
    p = p * f + looked_up(place,
        (number)(0x1.561e22cbbaf06p-8, 0x1.3837450f10b90p-11, -0x1.f19adc4c898d8p-9, -0x1.2f4c028af0aefp-10,
                 0x1.5deff3e283828p-10, 0x1.7d4e8c431a1fep-11, -0x1.a4768d15f95eap-14, -0x1.5fd3126d4c24ep-13),
        (number)(-0x1.ab7d21eb87481p-15, -0x1.e3fd98c5ca8bbp-19, 0x1.7febc279221c3p-19, 0x1.f23fc57586be4p-20,
                 0x1.e71d04ac1edf4p-21, 0x1.ddd5a7c59e866p-22, 0x1.ead147c9e219ap-23, 0x1.07cb6a9ab3c1fp-23));
    p = p * f + looked_up(place,
        (number)(0x1.e423ae6372a7fp-22, 0x1.68d59c37a884bp-7, 0x1.10d79e88146d5p-8, -0x1.3520500bc965ep-8,
                 -0x1.cc7021304c971p-9, 0x1.582b180b545ccp-13, 0x1.e5a3e3993c82cp-11, 0x1.8ec8672a05381p-12),
        (number)(0x1.9271d7b8a2c42p-15, -0x1.46b7fa01b0973p-16, -0x1.0e55bcd8512c5p-16, -0x1.1b5fee7fb4c62p-17,
                 -0x1.1f639b208f036p-18, -0x1.2f7b5cac0ae2fp-19, -0x1.4f88084cdf30ap-20, -0x1.826b7d3126a2fp-21));
    p = p * f + looked_up(place,
        (number)(-0x1.b82d0ac05efc7p-6, -0x1.11bf34f6b88f1p-7, 0x1.ffd1ef4a74b7bp-7, 0x1.a556bc335d01ap-7,
                 -0x1.a16c021b96f84p-13, -0x1.1995277f06939p-8, -0x1.217214f9c8b83p-9, -0x1.9203bf7fc6180p-12),
        (number)(0x1.e8e1edcad03e3p-14, 0x1.00e9f0650710dp-13, 0x1.240c0834e935ap-14, 0x1.34f2e9bc40598p-15,
                 0x1.5148546b78016p-16, 0x1.81514ba672657p-17, 0x1.cabc7f3204792p-18, 0x1.1b05bcac701afp-18));
    p = p * f + looked_up(place,
        (number)(0x1.124a3f88cff84p-29, -0x1.840072405b59fp-5, -0x1.1ea2cb99e4705p-5, 0x1.a9b2cb3c54aa0p-9,
                 0x1.1c123f6247f87p-6, 0x1.49931ae5f205ep-7, 0x1.0ceddeb27fbb0p-9, -0x1.64a3eec271d22p-11),
        (number)(-0x1.ac1cef15cb2f2p-11, -0x1.0758c81bb999dp-11, -0x1.24fa4258a0044p-12, -0x1.4cf8b8e282d2fp-13,
                 -0x1.8b5c04e7c809ap-14, -0x1.e92e12810bfc1p-15, -0x1.3996e6775adc5p-15, -0x1.9e9567b6a51f9p-16));
    p = p * f + looked_up(place,
        (number)(0x1.ce2f219b8fe6bp-4, 0x1.e567df73a2b27p-5, -0x1.f4c2fe793c2bfp-6, -0x1.ee6692025b2c1p-5,
                 -0x1.1fc543a59484cp-5, -0x1.c0e12ce3bff90p-8, 0x1.0eebc48ae2059p-8, 0x1.38e77476cf923p-8),
        (number)(0x1.9a16385917516p-9, 0x1.e29b34bce8a69p-10, 0x1.1fdc2e351c3e8p-10, 0x1.65e694f70f52cp-11,
                 0x1.cf54ab947e9cep-12, 0x1.3683e5307246fp-12, 0x1.acbc50ccf435fp-13, 0x1.2fa66d7d47471p-13));
    p = p * f + looked_up(place,
        (number)(0x1.853af537b64c1p-40, 0x1.2ca8a2a4141ccp-3, 0x1.53b4c8907dc54p-3, 0x1.5ba070e2ee35dp-4,
                 0x1.b93e7c53af72ep-8, -0x1.8af9035b5a28fp-6, -0x1.8c0fa554b2c70p-6, -0x1.0ee8955f5399dp-6),
        (number)(-0x1.52a6a0f70f936p-7, -0x1.ac338b8728221p-8, -0x1.196d1c87948a6p-8, -0x1.807f83171545bp-9,
                 -0x1.0f7bf56bf2f4fp-9, -0x1.8a3576ffde28dp-10, -0x1.2514bb567effcp-10, -0x1.bcccca634cea4p-11));
    p = p * f + looked_up(place,
        (number)(-0x1.812746b037aebp-2, -0x1.2076eb8b2355ap-2, -0x1.5a1b4cb826259p-4, 0x1.1221a891024b7p-4,
                 0x1.dd90d7f64bd4bp-4, 0x1.a20126cd8bb7fp-4, 0x1.275fa5dd044afp-4, 0x1.8ab85d7a6aacdp-5),
        (number)(0x1.0bd914bd587f4p-5, 0x1.78f9c4a5a05fap-6, 0x1.12df8d0b0aba5p-6, 0x1.9d0a0ff181148p-7,
                 0x1.3e254d8c41261p-7, 0x1.f475e09702cd1p-8, 0x1.90b25822c0f21p-8, 0x1.45c7fe3bc3a42p-8));
    p = p * f + looked_up(place,
        (number)(0x1.10fe3adb9c728p-54, -0x1.12cbe5a819946p-2, -0x1.a6b699a8ef00ap-2, -0x1.a7419a5ad97f3p-2,
                 -0x1.57b0546a60746p-2, -0x1.fbb489b5025fdp-3, -0x1.706d7a7f21852p-3, -0x1.1167b7d8d1368p-3),
        (number)(-0x1.a35763ed2ef1bp-4, -0x1.4b655c5492397p-4, -0x1.0c6f672696d8bp-4, -0x1.bbb1e8132e3fdp-5,
                 -0x1.74d3b7b0c35f8p-5, -0x1.3dacd314d5604p-5, -0x1.11e9ea3fd8303p-5, -0x1.dd37f5698c27dp-6));
    p = p * f + looked_up(place,
        (number)(0x1.20dd750429b6dp+0, 0x1.12d24bc6062e6p+0, 0x1.deec15b73431fp-1, 0x1.8a531a3e30824p-1,
                 0x1.3ecaa33f522dbp-1, 0x1.04a37e830d0fdp-1, 0x1.b48171fa3c2d6p-2, 0x1.76733dfbbc047p-2),
        (number)(0x1.47ad3ff3018a1p-2, 0x1.23455ae0dacafp-2, 0x1.0624dc9d97a75p-2, 0x1.dca01dc032743p-3,
                 0x1.b4e81b4e42575p-3, 0x1.934c67f9b19ccp-3, 0x1.767dce434a96cp-3, 0x1.5d867c3ece2a4p-3));
    number y = x * p;
    return (ax > 6.0) | (fabs(y) > 1.0) ? copysign((number)1.0, x) : y;
}
