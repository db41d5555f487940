// SPDX-License-Identifier: Apache-2.0
// Powers and roots of float, and cube roots; powers of double: math_double.cl. They are computed here for the usual
// arguments, several times faster than by the C library's vector pow; what is rare is that pow, and corrections around
// it.
#include "builtins.h"
#include "elementwise.h"
#include "exponentials.h"
#include "signs.h"

#define C_LIBRARY __attribute__((const))
C_LIBRARY float c_powf(float, float) __asm("powf");

INTERNAL float rare_pow(float x, float y) { return c_powf(x, y); }
#define RARE_POW(N, ...) \
    INTERNAL float##N rare_pow(float##N x, float##N y) { return (float##N)(LANES_##N(CALL2, rare_pow)); }
VECTORS(RARE_POW, )

// log2(x) = high + low to 2^-30 of it, for positive normal numbers. x = 2^k m with m between sqrt(1/2) and sqrt(2), and
// ln m = 2 atanh(s) for s = (m - 1) / (m + 1), which is the s here and left / d. The polynomial is a minimax fit of
// atanh(s) / s - 1 in s^2; its constant is what 2 / ln 2 lost in rounding. It is so small that one part is enough.
#define LOG2_CORE(N, ...) \
    INTERNAL float##N log2_core(float##N x, float##N *low) { \
        int##N bits = as_int##N(x) - 0x3f3504f3; \
        float##N k = CONVERT_##N((bits >> 23), float), m = as_float##N((bits & 0x7fffff) + 0x3f3504f3); \
        float##N f = m - 1, d = m + 1, inverse = 1 / d, s = f * inverse, z = s * s; \
        float##N left = fma(-s, d, f) - s * (m - (d - 1)); \
        float##N rest = left * inverse + s * (1.33498e-8f + z * (0.333333313f + z * (0.200004861f + \
                        z * (0.142493963f + z * 0.121394284f)))); \
        float##N first = s * 2.88539004f, high = k + first; \
        float##N lost = fma(s, (float##N)2.88539004f, -first) + rest * 2.88539004f; \
        *low = (first - (high - k)) + lost; \
        return high; \
    }
WIDTHS(LOG2_CORE, )

// 2^(t + t_low) for |t| < 124, where |t_low| < |t| / 64.
#define EXP2_OF_SUM(N, ...) \
    INTERNAL float##N exp2_of_sum(float##N t, float##N t_low) { \
        float##N shifted = (t + t_low) + ROUNDER; \
        return exp2_core(shifted, (t - (shifted - ROUNDER)) + t_low); \
    }
WIDTHS(EXP2_OF_SUM, )

// |x|^(y + y_low). What is not usual: x not a normal number or a result next to the ends of the range.
#define POWER_CORE(N, ...) \
    INTERNAL float##N power(float##N ax, float##N y, int##N *rare) { \
        float##N low, high = log2_core(ax, &low), t = y * high; \
        *rare = !(fabs(t) < 124) | (as_uint##N(ax) - 0x00800000u >= 0x7f000000u); \
        return exp2_of_sum(t, fma(y, high, -t) + y * low); \
    } \
    INTERNAL float##N power(float##N ax, float##N y, float##N y_low, int##N *rare) { \
        float##N low, high = log2_core(ax, &low), t = y * high; \
        *rare = !(fabs(t) < 124) | (as_uint##N(ax) - 0x00800000u >= 0x7f000000u); \
        return exp2_of_sum(t, fma(y, high, -t) + (y * low + y_low * high)); \
    }
WIDTHS(POWER_CORE, )

// Below zero: the sign of x stays where y is odd, which no number from 2^24 on is, and y has to be whole.
#define POW(N, ...) \
    OVERLOAD float##N pow(float##N x, float##N y) { \
        int##N rare, negative = x < 0; \
        float##N r = power(fabs(x), y, &rare); \
        if (ANY_##N((rare | negative))) { \
            float##N half_y = y * 0.5f; \
            r = rint(half_y) != half_y ? copysign(r, x) : r; \
            r = negative & (rint(y) != y) ? (float##N)(float)NAN : r; \
            if (ANY_##N(rare)) r = rare ? rare_pow(x, y) : r; \
        } \
        return r; \
    }
WIDTHS(POW, )

// y = |x|^(-1/3) from the exponent, to 3.5 %. Then c = |x| y^2 is the root up to (1 + e)^(-2/3) for e = c y - 1, of
// which the polynomial is a minimax fit. An error of c is in e too, and all but a third of it goes away.
#define CBRT(N, ...) \
    OVERLOAD float##N cbrt(float##N x) { \
        float##N ax = fabs(x), up = ax < 0x1p-126f ? ax * 0x1p24f : ax; \
        float##N guess = 0x1.528748p+30f - CONVERT_##N(as_int##N(up), float) * 0.333333333f; \
        float##N y = as_float##N(CONVERT_##N(guess, int)), c = up * (y * y), e = c * y - 1; \
        float##N r = c + c * e * (-0.666666687f + e * (0.555555701f + e * (-0.493811995f + e * (0.452610075f + \
                     e * (-0.425272912f + e * (0.407726169f + e * -0.239718154f)))))); \
        r = ax < 0x1p-126f ? r * 0x1p-8f : r; \
        return (ax > 0) & (ax < (float)INFINITY) ? copysign(r, x) : x; \
    }
WIDTHS(CBRT, )

// t = z^(-1/3) from the upper half of z's bits as a whole number, to 3.4 %; of what e = 1 - z t^3 says of its error a
// minimax fit leaves 2^-23. y = z t^2 is the root to 2^-22 then, and `left` what z has more than its cube, to twice the
// digits: two terms of what that is of y leave 2^-60.
#define CBRT_OF_DOUBLE(N, ...) \
    OVERLOAD double##N cbrt(double##N x) { \
        double##N ax = fabs(x); \
        long##N small = ax < 0x1p-700; \
        double##N z = small ? ax * 0x1p300 : ax; \
        double##N upper = as_double##N((as_ulong##N(z) >> 32ul) | 0x4330000000000000ul) - 0x1p52; \
        double##N guess = (0x1p52 + 0x1.54fba5e353f7dp+30) - upper * 0x1.5555555555555p-2; \
        double##N t = as_double##N(as_ulong##N(guess) << 32ul); \
        double##N e = 1 - (z * t) * (t * t); \
        t = t + t * e * (0x1.55543b411668fp-2 + e * (0x1.c7193004517cap-3 + e * (0x1.655080761353ap-3 + \
                         e * 0x1.2a83836329b97p-3))); \
        double##N square = t * t, y = z * square, y_square = y * y, y_left = fma(y, y, -y_square); \
        double##N left = fma(-y_square, y, z) - y_left * y, c = left * square * 0x1.5555555555555p-2; \
        double##N r = y + (c + 2 * c * (c * t)); \
        r = small ? r * 0x1p-100 : r; \
        return (ax > 0) & (ax < (double)INFINITY) ? copysign(r, x) : x; \
    }
WIDTHS(CBRT_OF_DOUBLE, )

// A float does not hold every int: `rest` of n, at most 64, is left over.
// Where the result is rare, that counts only for an x so close to 1 that its logarithm is x - 1.
#define POWN(N, ...) \
    OVERLOAD float##N pown(float##N x, int##N n) { \
        float##N upper = CONVERT_##N((n & ~0xff), float), lower = CONVERT_##N((n & 0xff), float); \
        float##N whole = upper + lower, rest = lower - (whole - upper), ax = fabs(x), near = ax - 1; \
        int##N rare; \
        float##N r = power(ax, whole, rest, &rare); \
        if (ANY_##N(rare)) { \
            float##N other = rare_pow(ax, whole); \
            other = fabs(near) < 0x1p-16f ? other * (1 + rest * near) : other; \
            r = rare ? other : r; \
        } \
        return WITH_SIGN(N, float, int, r); \
    }
WIDTHS(POWN, )

// Not pow: the base has no sign, and 0^0, inf^0 and 1^inf are not numbers.
#define RARE_POWR(N, ...) \
    INTERNAL float##N rare_powr(float##N x, float##N y) { \
        float##N r = rare_pow(fabs(x), y), not_a_number = (float##N)(float)NAN; \
        r = (x < 0) | (x != x) | (y != y) ? not_a_number : r; \
        r = (y == 0) & ((x == 0) | (x == (float)INFINITY)) ? not_a_number : r; \
        return (x == 1) & (fabs(y) == (float)INFINITY) ? not_a_number : r; \
    }
WIDTHS(RARE_POWR, )
#define POWR(N, ...) \
    OVERLOAD float##N powr(float##N x, float##N y) { \
        int##N rare; \
        float##N r = power(x, y, &rare); \
        if (ANY_##N(rare)) r = rare ? rare_powr(x, y) : r; \
        return r; \
    }
WIDTHS(POWR, )

// |x|^(1/n), in two parts or corrected by what 1/n lost in rounding, times the logarithm.
#define ROOTN(N, ...) \
    OVERLOAD float##N rootn(float##N x, int##N n) { \
        float##N degree = CONVERT_##N(n, float), ax = fabs(x), inverse = 1 / degree; \
        float##N lost = fma(-inverse, degree, (float##N)1) * inverse; \
        int##N rare; \
        float##N r = power(ax, inverse, lost, &rare); \
        if (ANY_##N(rare)) { \
            float##N other = rare_pow(ax, inverse); \
            other = (ax > 0) & (ax < (float)INFINITY) ? other * (1 + lost * log(ax)) : other; \
            r = rare ? other : r; \
        } \
        ROOT_SIGN(N, float, int, r) \
    }
WIDTHS(ROOTN, )
