// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms and powers of double without a branch or a call: they widen as they are, and what is around
// them stays in registers. What is not usual (zero, infinity, results that are not normal numbers) is chosen at the
// end.
#include "builtins.h"
#include "elementwise.h"
#include "signs.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define ROUNDER 0x1.8p52
#define ONE_BITS 0x3ff0000000000000ul

// 2^k e^f for |f| <= ln 2 / 2. `shifted` is k as the last bits of a number: added to 1.5 * 2^52, it was rounded. The
// power of two is a product of two, so that it may lie outside of the normal numbers. The polynomial is a minimax fit
// of (e^f - 1 - f - f^2 / 2) / f^3; the whole has an error below 2^-56 before it is rounded.
#define EXP_CORE(N, ...) \
    INTERNAL double##N exp_core(double##N shifted, double##N f) { \
        double##N p = 0x1.a019aa3ba6c6dp-16 + f * (0x1.71dffcfdf4be0p-19 + f * (0x1.28a06abc9a400p-22 + \
                      f * 0x1.ac22482873e6bp-26)); \
        p = 0x1.55555555554bdp-3 + f * (0x1.55555555530e1p-5 + f * (0x1.11111111383afp-7 + \
            f * (0x1.6c16c17d16ce9p-10 + f * (0x1.a01a00ccca623p-13 + f * p)))); \
        ulong##N whole = as_ulong##N(shifted), part = whole >> 1ul; \
        double##N first = as_double##N((part << 52ul) + ONE_BITS); \
        double##N second = as_double##N(((whole - part) << 52ul) + ONE_BITS); \
        return (1 + f * (1 + f * (0.5 + f * p))) * first * second; \
    }
WIDTHS(EXP_CORE, )

// Beyond these bounds the result is 0 or infinity; NaN stays.
#define BETWEEN(low, x, high) x = x < low ? low : x; x = x > high ? high : x;

// ln 2 and log10 2 in two parts, the first short enough for its product with k to be exact.
#define EXPONENTIALS(N, ...) \
    OVERLOAD double##N exp(double##N x) { \
        BETWEEN((double##N)-746.0, x, (double##N)710.0) \
        double##N shifted = x * 0x1.71547652b82fep0 + ROUNDER, k = shifted - ROUNDER; \
        return exp_core(shifted, x - k * 0x1.62e42feep-1 - k * 0x1.a39ef35793c76p-33); \
    } \
    OVERLOAD double##N exp2(double##N x) { \
        BETWEEN((double##N)-1076.0, x, (double##N)1025.0) \
        double##N shifted = x + ROUNDER, k = shifted - ROUNDER; \
        return exp_core(shifted, (x - k) * 0x1.62e42fefa39efp-1); \
    } \
    OVERLOAD double##N exp10(double##N x) { \
        BETWEEN((double##N)-324.0, x, (double##N)309.0) \
        double##N shifted = x * 0x1.a934f0979a371p1 + ROUNDER, k = shifted - ROUNDER; \
        return exp_core(shifted, (x - k * 0x1.3441350ap-2 + k * 0x1.0c0219dc1da99p-39) * 0x1.26bb1bbb55516p1); \
    }
WIDTHS(EXPONENTIALS, )

// x = 2^k m with m between sqrt(1/2) and sqrt(2); what is given for numbers that are not positive has no meaning.
#define PARTS_OF(N, ...) \
    INTERNAL double##N parts_of(double##N x, double##N *k) { \
        long##N tiny = x < 0x1p-1022; \
        double##N up = tiny ? x * 0x1p54 : x, bias = tiny ? (double##N)(0x1p52 + 1077) : (double##N)(0x1p52 + 1023); \
        ulong##N bits = as_ulong##N(up) + (ONE_BITS - 0x3fe6a09e667f3bcdul); \
        *k = as_double##N((bits >> 52ul) | 0x4330000000000000ul) - bias; \
        return as_double##N((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul); \
    }
WIDTHS(PARTS_OF, )

// atanh(s) / s - 1, times 2 / z, for z = s^2: a minimax fit with an error of the logarithm below 2^-66.
#define ATANH_SERIES(z) \
    (0x1.5555555555555p-1 + z * (0x1.9999999999dffp-2 + z * (0x1.249249242b433p-2 + z * (0x1.c71c7258fc167p-3 + \
     z * (0x1.745cde35f482dp-3 + z * (0x1.3b20ab85d62a0p-3 + z * (0x1.0f5cc9939006fp-3 + \
     z * 0x1.0f630ec07dd0bp-3)))))))

// ln m = 2 atanh(s) for s = (m - 1) / (m + 1), as m - 1, which is exact, less something small.
#define OF_FRACTION(N) \
    double##N k, f = parts_of(x, &k) - 1, s = f / (2 + f), z = s * s, h = 0.5 * f * f; \
    double##N twist = s * (h + z * ATANH_SERIES(z));
#define RESULT(N, r) \
    x > 0 ? (x < (double)INFINITY ? r : x) : x == 0 ? (double##N)-(double)INFINITY : (double##N)(double)NAN
#define LOGARITHMS(N, ...) \
    OVERLOAD double##N log(double##N x) { \
        OF_FRACTION(N) \
        double##N r = k * 0x1.62e42ffp-1 - ((h - (twist - k * 0x1.718432a1b0e26p-35)) - f); \
        return RESULT(N, r); \
    } \
    OVERLOAD double##N log2(double##N x) { \
        OF_FRACTION(N) \
        double##N r = k + (f - (h - twist)) * 0x1.71547652b82fep0; \
        return RESULT(N, r); \
    } \
    OVERLOAD double##N log10(double##N x) { \
        OF_FRACTION(N) \
        double##N r = k * 0x1.3441350ap-2 + \
                      ((f - (h - twist)) * 0x1.bcb7b1526e50ep-2 - k * 0x1.0c0219dc1da99p-39); \
        return RESULT(N, r); \
    }
WIDTHS(LOGARITHMS, )

// log2(x) = high + low to 2^-62 of it, or an infinity or NaN. (m - 1) / (m + 1) is s and left: the logarithm of m is
// 2 / ln 2 times s, a third of its cube, both in two parts, and the rest of the series, a minimax fit below 2^-66.
#define LOG2_CORE(N, ...) \
    INTERNAL double##N log2_core(double##N x, double##N *low) { \
        double##N k, m = parts_of(x, &k), f = m - 1, d = m + 1, inverse = 1 / d, s = f * inverse, z = s * s; \
        double##N left = (fma(-s, d, f) - s * (m - (d - 1))) * inverse, z_left = fma(s, s, -z); \
        double##N cube = s * z, cube_left = fma(s, z, -cube) + s * z_left; \
        double##N rest = 0x1.2776c50ef9d24p-1 + z * (0x1.a61762a759991p-2 + z * (0x1.484b14218a377p-2 + \
                         z * (0x1.0c9a63dbe401fp-2 + z * (0x1.c69f8a3885b24p-3 + z * (0x1.87b0eda6481d0p-3 + \
                         z * 0x1.85e78239b2dacp-3))))); \
        double##N first = s * 0x1.71547652b82fep1, second = cube * 0x1.ec709dc3a03fdp-1; \
        double##N lost = fma(s, (double##N)0x1.71547652b82fep1, -first) + s * 0x1.777d0ffda0d24p-55; \
        lost += fma(cube, (double##N)0x1.ec709dc3a03fdp-1, -second) + cube * 0x1.d27f05548af0cp-55; \
        lost += cube_left * 0x1.ec709dc3a03fdp-1 + (left + left * z) * 0x1.71547652b82fep1; \
        double##N sum = k + first, high = sum + second; \
        *low = (first - (sum - k)) + (second - (high - sum)) + (lost + cube * z * rest); \
        high = x > 0 ? high : (double##N)-(double)INFINITY; \
        return x < (double)INFINITY ? high : x; \
    }
WIDTHS(LOG2_CORE, )

// ax^(y + y_low) for ax that is not negative. Where the logarithm or the exponent is infinite and the other is 0, NaN.
#define POWER_CORE(N, ...) \
    INTERNAL double##N power(double##N ax, double##N y, double##N y_low) { \
        double##N low, high = log2_core(ax, &low), t = y * high; \
        double##N t_low = fma(y, high, -t) + (y * low + y_low * high); \
        t_low = fabs(t) < 1100.0 ? t_low : (double##N)0.0; \
        BETWEEN((double##N)-1100.0, t, (double##N)1100.0) \
        double##N shifted = (t + t_low) + ROUNDER, k = shifted - ROUNDER; \
        return exp_core(shifted, ((t - k) + t_low) * 0x1.62e42fefa39efp-1); \
    }
WIDTHS(POWER_CORE, )

// Below zero: the sign of x stays where y is odd, which no number from 2^53 on is, and y has to be whole.
#define POWERS(N, ...) \
    OVERLOAD double##N pow(double##N x, double##N y) { \
        double##N ax = fabs(x), r = power(ax, y, (double##N)0.0), half_y = y * 0.5; \
        long##N whole = rint(y) == y, odd = whole & (rint(half_y) != half_y); \
        r = (y == 0) | (x == 1) | ((ax == 1) & (y == y)) ? (double##N)1.0 : r; \
        r = (x < 0) & !whole & (x > -(double)INFINITY) ? (double##N)(double)NAN : r; \
        return odd ? copysign(r, x) : r; \
    } \
    OVERLOAD double##N pown(double##N x, int##N n) { \
        double##N y = CONVERT_##N(n, double), r = power(fabs(x), y, (double##N)0.0); \
        r = y == 0 ? (double##N)1.0 : r; \
        return WITH_SIGN(N, double, long, r); \
    } \
    OVERLOAD double##N powr(double##N x, double##N y) { \
        double##N r = power(fabs(x), y, (double##N)0.0); \
        return x < 0 ? (double##N)(double)NAN : r; \
    } \
    OVERLOAD double##N rootn(double##N x, int##N n) { \
        double##N degree = CONVERT_##N(n, double), inverse = 1 / degree; \
        double##N r = power(fabs(x), inverse, fma(-inverse, degree, (double##N)1) * inverse); \
        ROOT_SIGN(N, double, long, r) \
    }
WIDTHS(POWERS, )
