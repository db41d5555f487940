/* SPDX-License-Identifier: Apache-2.0
 * From double to float and from float to half with a rounding mode: to nearest first, then one step back where that
 * went the wrong way. The bits of a number without its sign count its magnitude, from 0 over the largest to infinity.
 */
#ifndef CLPY_ROUNDING_H
#define CLPY_ROUNDING_H

#include "builtins.h"

/* M(N, W, F, L, S, PAST): from W to the narrower F, with the integers L and S of their sizes. PAST and what is larger
 * becomes infinity to nearest. That is asked for by itself, since LLVM 22 takes (float)(half)n for n where few bits of
 * n count, however large it is.
 */
#define NARROW(N, W, F, L, S, PAST) \
    INTERNAL F##N narrow_rte(W##N x) { return CONVERT_##N(x, F); } \
    INTERNAL L##N is_past(W##N x) { return (x >= (W)PAST) & (x < (W)INFINITY); } \
    INTERNAL F##N narrow_rtz(W##N x) { \
        F##N r = narrow_rte(x); \
        L##N too_far = __builtin_elementwise_abs(CONVERT_##N(r, W)) > __builtin_elementwise_abs(x); \
        too_far |= is_past(__builtin_elementwise_abs(x)); \
        S##N bits = as_##S##N(r), step = CONVERT_##N(too_far, S) != (S)0 ? (S##N)-1 : (S##N)0; \
        bits += step; \
        return as_##F##N(bits); \
    } \
    INTERNAL F##N narrow_rtp(W##N x) { \
        F##N r = narrow_rte(x); \
        L##N too_low = CONVERT_##N(r, W) < x; \
        too_low |= is_past(-x); \
        S##N bits = as_##S##N(r), up = bits < (S)0 ? (S##N)-1 : (S##N)1; \
        bits += CONVERT_##N(too_low, S) != (S)0 ? up : (S##N)0; \
        return as_##F##N(bits); \
    } \
    INTERNAL F##N narrow_rtn(W##N x) { \
        F##N r = narrow_rte(x); \
        L##N too_high = CONVERT_##N(r, W) > x; \
        too_high |= is_past(x); \
        S##N bits = as_##S##N(r), down = bits < (S)0 ? (S##N)1 : (S##N)-1; \
        bits += CONVERT_##N(too_high, S) != (S)0 ? down : (S##N)0; \
        return as_##F##N(bits); \
    }
WIDTHS(NARROW, double, float, long, int, 0x1.ffffffp127)
WIDTHS(NARROW, float, half, int, short, 65520.0f)

/* To an odd last bit where not exact: a second rounding, to half, then comes out as if it were the only one. */
#define NARROW_TO_ODD(N, ...) \
    INTERNAL float##N narrow_odd(double##N x) { \
        float##N r = narrow_rtz(x); \
        long##N inexact = CONVERT_##N(r, double) != x; \
        int##N bits = as_int##N(r) | (CONVERT_##N(inexact, int) & 1); \
        return as_float##N(bits); \
    }
WIDTHS(NARROW_TO_ODD, )

#endif
