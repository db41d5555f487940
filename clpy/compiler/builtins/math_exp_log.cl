// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of float, without a call for the usual arguments, which beats the C library's vector
// forms and is more accurate; the rest, results that are not normal numbers, is a call behind a branch, which a vector
// skips as a whole. Of double: math_double.cl.
#include "builtins.h"
#include "elementwise.h"
#include "exponentials.h"

RARE_OF(exp)
RARE_OF(exp2)
RARE_OF(exp10)
RARE_OF(log)
RARE_OF(log2)
RARE_OF(log10)
RARE_OF(log1p)

// log10 2 in two parts, the first short enough for its product with k to be exact. 2^x loses nothing to reduction.
#define EXPONENTIALS(N, ...) \
    OVERLOAD float##N exp(float##N x) { \
        REDUCE_BY_LN2(N, x) \
        float##N r = exp_core(shifted, f); \
        int##N rare = !(fabs(x) < 87.0f); \
        RARE_RESULT(N, exp, -104.0f, 89.0f) \
    } \
    OVERLOAD float##N exp2(float##N x) { \
        float##N shifted = x + ROUNDER, r = exp2_core(shifted, x - (shifted - ROUNDER)); \
        int##N rare = !(fabs(x) < 125.5f); \
        RARE_RESULT(N, exp2, -150.0f, 128.0f) \
    } \
    OVERLOAD float##N exp10(float##N x) { \
        float##N shifted = x * 3.32192809f + ROUNDER, k = shifted - ROUNDER; \
        float##N r = exp_core(shifted, (x - k * 0.301025391f - k * 4.60503907e-6f) * 2.30258509f); \
        int##N rare = !((x > -37.9f) & (x < 38.5318375f)); \
        RARE_RESULT(N, exp10, -46.0f, 39.0f) \
    }
WIDTHS(EXPONENTIALS, )

// log(1 + m) = m + q for |m| <= 1/3: a minimax fit of (log(1 + m) - m + m^2 / 2) / m^3, with an error of the logarithm
// below 2^-27. `up` is 2^23 k, which a float holds, for what is 2^k times a number from 2/3 to 4/3.
#define LOG_TAIL(m, m2) \
    (m2 * (-0.5f + m * ((0.333332151f + m * -0.249998018f) + m2 * ((0.200104445f + m * -0.166803166f) + m2 * ( \
     (0.140053406f + m * -0.121864676f) + m2 * (0.139867067f + m * -0.128826052f))))))
#define UP(N, x) ((as_int##N(x) - 0x3f2aaaab) & ~0x7fffff)

// What is no positive normal number: `rare` is a bit pattern below that of the smallest, or from that of infinity on.
#define LOGARITHM(N, f, result) \
    OVERLOAD float##N f(float##N x) { \
        int##N up = UP(N, x); \
        float##N m = as_float##N(as_int##N(x) - up) - 1, q = LOG_TAIL(m, (m * m)); \
        float##N scaled = CONVERT_##N(up, float), r = result; \
        int##N rare = as_uint##N(x) - 0x00800000u >= 0x7f000000u; \
        if (ANY_##N(rare)) { \
            r = x == 0 ? -(float##N)(float)INFINITY : x < 0 ? (float##N)(float)NAN : rare ? x : r; \
            rare &= (x > 0) & (x < 0x1p-126f); \
            if (ANY_##N(rare)) r = rare ? rare_##f(x) : r; \
        } \
        return r; \
    }
// The logarithms of 2 are here 2^-23 times what they are; to bases 2 and 10 a second part has what the first one lost.
WIDTHS(LOGARITHM, log, scaled * 0x1.62e43p-24f + (m + q))
WIDTHS(LOGARITHM, log2, scaled * 0x1p-23f + (m * 0x1.715476p+0f + (q * 0x1.715476p+0f + m * 0x1.4ae0cp-26f)))
WIDTHS(LOGARITHM, log10, scaled * 0x1.344136p-25f + (m * 0x1.bcb7b2p-2f + (q * 0x1.bcb7b2p-2f + \
                         (m * -0x1.5b235ep-27f + scaled * -0x1.ec10cp-50f))))

// 1 + x loses what x has below 2^-24; m is 2^-k (1 + x) - 1 without that. What is rare: an x that is not above -1, and
// such that 2^-k is no normal number.
#define LOG1P(N, ...) \
    OVERLOAD float##N log1p(float##N x) { \
        float##N sum = 1 + x; \
        int##N up = UP(N, sum); \
        float##N down = as_float##N(0x3f800000 - up), m = x * down + (down - 1), q = LOG_TAIL(m, (m * m)); \
        float##N r = CONVERT_##N(up, float) * 0x1.62e43p-24f + (m + q); \
        r = x == 0 ? x : r; \
        int##N rare = as_uint##N(sum) - 0x00800000u >= 0x7e000000u; \
        if (ANY_##N(rare)) { \
            r = x == -1 ? -(float##N)(float)INFINITY : x < -1 ? (float##N)(float)NAN : r; \
            rare &= !(x <= -1); \
            if (ANY_##N(rare)) r = rare ? rare_log1p(x) : r; \
        } \
        return r; \
    }
WIDTHS(LOG1P, )
