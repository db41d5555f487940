// SPDX-License-Identifier: Apache-2.0
// exp and exp10 of float, without a call for the usual arguments, which beats the C library's vector forms and is more
// accurate; the rest, results that are not normal numbers, is a call behind a branch, which a vector skips as a whole.
// And logarithms. Of double: math_double.cl.
#include "builtins.h"
#include "elementwise.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define C_LIBRARY __attribute__((const))
C_LIBRARY float c_exp(float) __asm("expf");
C_LIBRARY float c_exp10f(float) __asm("exp10f");

INTERNAL float rare_exp(float x) { return c_exp(x); }
INTERNAL float rare_exp10(float x) { return c_exp10f(x); }
#define RARE(N, T, f) INTERNAL T##N rare_##f(T##N x) { return (T##N)(LANES_##N(CALL1, rare_##f)); }
VECTORS(RARE, float, exp)
VECTORS(RARE, float, exp10)

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

// Numbers whose result is 0 or infinity are not that rare, as in e^(-x^2): no call for them.
#define RARE_RESULT(N, T, f, lowest, highest) \
    if (ANY_##N(rare)) { \
        r = x < lowest ? 0 : x > highest ? (T##N)(T)INFINITY : r; \
        rare &= !((x < lowest) | (x > highest)); \
        if (ANY_##N(rare)) r = rare ? rare_##f(x) : r; \
    } \
    return r;
// ln 2 and log10 2 in two parts, the first short enough for its product with k to be exact.
#define EXPONENTIALS(N, ...) \
    OVERLOAD float##N exp(float##N x) { \
        float##N shifted = x * 1.44269504f + ROUNDER, k = shifted - ROUNDER; \
        float##N r = exp_core(shifted, x - k * 0.693145752f - k * 1.42860677e-6f); \
        int##N rare = !(fabs(x) < 87.0f); \
        RARE_RESULT(N, float, exp, -104.0f, 89.0f) \
    } \
    OVERLOAD float##N exp10(float##N x) { \
        float##N shifted = x * 3.32192809f + ROUNDER, k = shifted - ROUNDER; \
        float##N r = exp_core(shifted, (x - k * 0.301025391f - k * 4.60503907e-6f) * 2.30258509f); \
        int##N rare = !((x > -37.9f) & (x < 38.5318375f)); \
        RARE_RESULT(N, float, exp10, -46.0f, 39.0f) \
    }
WIDTHS(EXPONENTIALS, )

// From the C library's function that is fast and precise enough in vectors, at most 2.2 ulp for log2. Its own
// logarithms to other bases are slower, or not within the limits.
#define LOGARITHMS(N, ...) \
    OVERLOAD float##N log(float##N x) { return log2(x) * 0.693147181f; } \
    OVERLOAD float##N log10(float##N x) { \
        float##N y = log2(x); \
        return y * 0x1.344134p-2f + y * 0x1.09f79fp-26f;    /* log10 2, to more digits than the nearest float has */ \
    }
WIDTHS(LOGARITHMS, )
