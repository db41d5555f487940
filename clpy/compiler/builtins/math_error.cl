// SPDX-License-Identifier: Apache-2.0
// The error functions of float, without a branch or a call: they widen as they are. Of double: math_libm.cl.
#include "builtins.h"
#include "elementwise.h"
#include "exponentials.h"

// erf(x) / x - 1, in z = x^2 up to 1: a minimax fit with an error below 2^-24 of erf(x).
#define ERF_TAIL(z) \
    (0.128379121f + z * (-0.37612325f + z * (0.112801753f + z * (-0.0267112274f + z * (0.00491748378f + \
     z * -0.000563121634f)))))

// log2(1 - erf(t)) is one in t from 1 to 4, from where on the nearest float is 1, with an error of erf below 2^-25.
#define ERF(N, ...) \
    OVERLOAD float##N erf(float##N x) { \
        float##N ax = fabs(x), z = ax * ax, small = ax + ax * ERF_TAIL(z), t = ax > 4 ? 4 : ax; \
        float##N power = -0.00385446241f + t * (-1.61212289f + t * (-0.944228113f + t * (-0.127871916f + \
                         t * (0.0213202387f + t * -0.00165969378f)))); \
        float##N shifted = power + ROUNDER, rest = exp2_core(shifted, power - (shifted - ROUNDER)); \
        return copysign(ax >= 1 ? 1 - rest : small, x); \
    }
WIDTHS(ERF, )

// In pairs of powers, as one multiplication after the other would have to wait for it:
// e^(t^2) erfc(t) / w for w = 1 / (t + 3/2) and t from 1/2 to 10.1, with an error below 2^-23.
#define ERFC_SCALED(w, w2) \
    ((0.564204574f + w * 0.845449686f) + w2 * ((1.0058856f + w * 0.417354077f) + w2 * ( \
     (0.943437874f + w * -7.89320612f) + w2 * (10.5547314f + w * -4.66039276f))))

// t^2 has twice the digits of a float: `upper` is exact, and `lower` what is left. The power of e is 2^64 times what it
// is, so that it is a normal number where the result is none.
#define ERFC(N, ...) \
    OVERLOAD float##N erfc(float##N x) { \
        float##N ax = fabs(x), t = ax > 10.5f ? 10.5f : ax, w = 1 / (t + 1.5f); \
        float##N head = as_float##N(as_int##N(t) & ~0xfff), upper = head * head, lower = (t - head) * (t + head); \
        float##N shifted = ROUNDER - t * t * 1.44269504f, k = shifted - ROUNDER; \
        float##N f = LESS_LN2(-upper, k) - lower; \
        float##N large = exp_core(shifted + 64, f) * (w * ERFC_SCALED(w, w * w)) * 0x1p-64f, z = x * x; \
        return ax < 0.5f ? 1 - (x + x * ERF_TAIL(z)) : x < 0 ? 2 - large : large; \
    }
WIDTHS(ERFC, )
