// SPDX-License-Identifier: Apache-2.0
// exp, exp10, log and log10: of float for the usual arguments without a call, which beats the C library's vector forms
// or, as for log and the functions of base 10, is within the specification's limits where they are not. What is left,
// results and arguments that are not normal numbers, is a call behind a branch, which a vector skips as a whole.
#include "builtins.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define C_LIBRARY __attribute__((const))
C_LIBRARY float c_exp(float) __asm("expf");
C_LIBRARY float c_log(float) __asm("logf");
C_LIBRARY float c_exp10f(float) __asm("exp10f");
C_LIBRARY double c_exp10(double) __asm("exp10");

INTERNAL float rare_exp(float x) { return c_exp(x); }
INTERNAL float rare_log(float x) { return c_log(x); }
INTERNAL float rare_exp10(float x) { return c_exp10f(x); }
INTERNAL float rare_log10(float x) { return c_log(x) * 0.434294482f; }
#define RARE(N, f) INTERNAL float##N rare_##f(float##N x) { return (float##N)(LANES_##N(CALL1, rare_##f)); }
VECTORS(RARE, exp)
VECTORS(RARE, log)
VECTORS(RARE, exp10)
VECTORS(RARE, log10)

// 2^k e^f for |f| <= ln 2 / 2. `shifted` is k as the last bits of a number: added to 1.5 * 2^23, it was rounded. The
// polynomial is a minimax fit of (e^f - 1 - f) / f^2, with an error of the whole below 2^-28.
#define ROUNDER 0x1.8p23f
#define EXP_CORE(N, ...) \
    INTERNAL float##N exp_core(float##N shifted, float##N f) { \
        float##N r = 1 + f * (1 + f * (0.5f + f * (0.166665152f + f * (0.0416665785f + f * (0.00836928934f + \
                     f * 0.00139230222f))))); \
        return as_float##N(as_int##N(r) + (as_int##N(shifted) << 23)); \
    }
WIDTHS(EXP_CORE, )

// ln 2 and log10 2 in two parts, the first short enough for its product with k to be exact.
#define EXPONENTIALS(N, ...) \
    OVERLOAD float##N exp(float##N x) { \
        float##N shifted = x * 1.44269504f + ROUNDER, k = shifted - ROUNDER; \
        float##N r = exp_core(shifted, x - k * 0.693145752f - k * 1.42860677e-6f); \
        int##N rare = !(fabs(x) < 87.0f); \
        if (ANY_##N(rare)) r = rare ? rare_exp(x) : r; \
        return r; \
    } \
    OVERLOAD float##N exp10(float##N x) { \
        float##N shifted = x * 3.32192809f + ROUNDER, k = shifted - ROUNDER; \
        float##N r = exp_core(shifted, (x - k * 0.301025391f - k * 4.60503907e-6f) * 2.30258509f); \
        int##N rare = !((x > -37.9f) & (x < 38.5318375f)); \
        if (ANY_##N(rare)) r = rare ? rare_exp10(x) : r; \
        return r; \
    }
WIDTHS(EXPONENTIALS, )

// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). The polynomial is a minimax fit of
// (log(1 + f) - f + f^2 / 2) / f^3, with an error of the whole below 2^-27.
#define LOG_CORE(N, ...) \
    INTERNAL float##N log_core(float##N x, float##N *k) { \
        int##N bits = as_int##N(x) - 0x3f3504f3; \
        *k = CONVERT_##N((bits >> 23), float); \
        float##N f = as_float##N((bits & 0x7fffff) + 0x3f3504f3) - 1, \
                 cubic = f * (0.333333164f + f * (-0.250008136f + f * (0.20002313f + f * (-0.166244432f + \
                         f * (0.141804889f + f * (-0.131293029f + f * (0.128889248f + f * -0.0786950216f))))))); \
        return f + f * f * (cubic - 0.5f); \
    }
WIDTHS(LOG_CORE, )

// Not a positive normal number; in one compare, for the others are above the largest one as unsigned integers.
#define LOGARITHMS(N, ...) \
    OVERLOAD float##N log(float##N x) { \
        float##N k, y = log_core(x, &k), r = y + k * 0.693147182f; \
        int##N rare = as_uint##N(x) - 0x00800000u >= 0x7f000000u; \
        if (ANY_##N(rare)) r = rare ? rare_log(x) : r; \
        return r; \
    } \
    OVERLOAD float##N log10(float##N x) { \
        float##N k, y = log_core(x, &k), r = y * 0.434294482f + k * 0.301029996f; \
        int##N rare = as_uint##N(x) - 0x00800000u >= 0x7f000000u; \
        if (ANY_##N(rare)) r = rare ? rare_log10(x) : r; \
        return r; \
    }
WIDTHS(LOGARITHMS, )

OVERLOAD double exp10(double x) { return c_exp10(x); }
#define BY_LANES(N, ...) OVERLOAD double##N exp10(double##N x) { return (double##N)(LANES_##N(CALL1, exp10)); }
VECTORS(BY_LANES, )
