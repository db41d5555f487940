// SPDX-License-Identifier: Apache-2.0
// expm1 and hyperbolic functions of float, without a call for the usual arguments; what is rare are results next to the
// end of the range, and no numbers. Of double: math_libm.cl.
#include "builtins.h"
#include "elementwise.h"
#include "exponentials.h"

RARE_OF(cosh)
RARE_OF(sinh)
RARE_OF(expm1)

// The result is r where `size`, x or its absolute value, is below 88, and infinity where it is above 90.
#define UP_TO_88(N, f, size) \
    int##N rare = !(size < 88); \
    if (ANY_##N(rare)) { \
        r = size > 90 ? (float##N)(float)INFINITY : r; \
        rare &= !(size > 90); \
        if (ANY_##N(rare)) r = rare ? rare_##f(x) : r; \
    }

// tanh x = (e^2x - 1) / (e^2x + 1), which is 1 from 10 on; a comparison with what is no number leaves it as it is.
#define HYPERBOLIC(N, ...) \
    OVERLOAD float##N expm1(float##N x) { \
        float##N r = expm1_core(x < -20 ? -20 : x); \
        r = x == 0 ? x : r; \
        UP_TO_88(N, expm1, x) \
        return r; \
    } \
    OVERLOAD float##N tanh(float##N x) { \
        float##N ax = fabs(x), e = expm1_core(2 * (ax > 10 ? 10 : ax)); \
        return copysign(e / (e + 2), x); \
    } \
    OVERLOAD float##N sinh(float##N x) { \
        float##N ax = fabs(x), e = expm1_core(ax), r = 0.5f * (e + e / (e + 1)); \
        UP_TO_88(N, sinh, ax) \
        return copysign(r, x); \
    } \
    OVERLOAD float##N cosh(float##N x) { \
        float##N ax = fabs(x); \
        REDUCE_BY_LN2(N, ax) \
        float##N e = exp_core(shifted, f), r = 0.5f * e + 0.5f / e; \
        UP_TO_88(N, cosh, ax) \
        return r; \
    }
WIDTHS(HYPERBOLIC, )
