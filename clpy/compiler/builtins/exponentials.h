/* SPDX-License-Identifier: Apache-2.0
 * Powers of e and of 2 of floats, for arguments and results that are usual; what is rare is its caller's.
 */
#ifndef CLPY_EXPONENTIALS_H
#define CLPY_EXPONENTIALS_H

#include "builtins.h"

/* A product added to something is one operation here where the machine has it. */
#pragma clang fp contract(on)

/* Added to a number of up to 2^21, it leaves the nearest whole one as the last bits. */
#define ROUNDER 0x1.8p23f

/* (e^f - 1 - f) / f^2 for |f| <= ln 2 / 2: a minimax fit with an error of e^f below 2^-28. */
#define EXP_SQUARED(f, f2) \
    ((0.5f + f * 0.166665152f) + f2 * ((0.0416665785f + f * 0.00836928934f) + f2 * 0.00139230222f))

/* x - k ln 2. ln 2 is in two parts: the first is short, its product is exact. */
#define LESS_LN2(x, k) (x - k * 0.693145752f - k * 1.42860677e-6f)

/* x = k ln 2 + f; `shifted` has k as its last bits. */
#define REDUCE_BY_LN2(N, x) \
    float##N shifted = x * 1.44269504f + ROUNDER, k = shifted - ROUNDER; \
    float##N f = LESS_LN2(x, k);

/* 2^k e^f: `shifted` is k as the last bits of a number. */
#define EXP_CORE(N, ...) \
    INTERNAL float##N exp_core(float##N shifted, float##N f) { \
        float##N f2 = f * f, r = (1 + f) + f2 * EXP_SQUARED(f, f2); \
        return as_float##N(as_int##N(r) + (as_int##N(shifted) << 23)); \
    }
WIDTHS(EXP_CORE, )

/* e^x - 1, for x from -87 to 88. */
#define EXPM1_CORE(N, ...) \
    INTERNAL float##N expm1_core(float##N x) { \
        REDUCE_BY_LN2(N, x) \
        float##N f2 = f * f, less_1 = f + f2 * EXP_SQUARED(f, f2); \
        float##N scale = as_float##N((as_int##N(shifted) << 23) + 0x3f800000); \
        return scale * less_1 + (scale - 1); \
    }
WIDTHS(EXPM1_CORE, )

/* 2^k 2^f. The polynomial is a minimax fit for |f| <= 1/2 with an error below 2^-27. */
#define EXP2_CORE(N, ...) \
    INTERNAL float##N exp2_core(float##N shifted, float##N f) { \
        float##N r = 1 + f * (0.693147242f + f * (0.240226552f + f * (0.0555027276f + f * (0.00961706508f + \
                     f * (0.00134178437f + f * 0.000158263894f))))); \
        return as_float##N(as_int##N(r) + (as_int##N(shifted) << 23)); \
    }
WIDTHS(EXP2_CORE, )

/* rare_f: the C library's function, of one number after the other. */
#define RARE_OF(f) \
    __attribute__((const)) float c_##f(float) __asm(#f "f"); \
    INTERNAL float rare_##f(float x) { return c_##f(x); } \
    VECTORS(RARE, f)
#define RARE(N, f) INTERNAL float##N rare_##f(float##N x) { return (float##N)(LANES_##N(CALL1, c_##f)); }

/* Numbers whose result is 0 or infinity are not that rare, as in e^(-x^2): no call of rare_f for them. */
#define RARE_RESULT(N, f, lowest, highest) \
    if (ANY_##N(rare)) { \
        r = x < lowest ? 0 : x > highest ? (float##N)(float)INFINITY : r; \
        rare &= !((x < lowest) | (x > highest)); \
        if (ANY_##N(rare)) r = rare ? rare_##f(x) : r; \
    } \
    return r;

#endif
