// SPDX-License-Identifier: Apache-2.0
// Inverse trigonometric functions of float, without a branch or a call: they widen as they are. Of double:
// math_libm.cl.
#include "builtins.h"
#include "elementwise.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

#define PI 3.14159274f
#define HALF_PI 1.57079637f

// Minimax fits of (atan(t) / t - 1) / t^2 for t up to 1 and (asin(s) / s - 1) / s^2 for s up to 1/2, in the square,
// with errors of the functions below 2^-25 and 2^-27.
#define ATAN_SQUARED(z) \
    (-0.333331525f + z * (0.199937686f + z * (-0.142110243f + z * (0.106658928f + z * (-0.0755199343f + \
     z * (0.0432094261f + z * (-0.0163665209f + z * 0.00292035984f)))))))
#define ASIN_SQUARED(z) \
    (0.166667521f + z * (0.0749530941f + z * (0.0454691499f + z * (0.0241847783f + z * 0.0421583056f))))

// Above 1, atan(x) is pi / 2 + atan(-1 / x). Where both are as large, 0 or infinity say nothing of their ratio.
#define ARCTANGENT(N, ...) \
    OVERLOAD float##N atan(float##N x) { \
        float##N ax = fabs(x); \
        int##N over = ax > 1; \
        float##N t = (over ? -1 : ax) / (over ? ax : 1), z = t * t; \
        float##N r = (over ? HALF_PI : 0) + (t + t * z * ATAN_SQUARED(z)); \
        return copysign(r, x); \
    } \
    OVERLOAD float##N atan2(float##N y, float##N x) { \
        float##N ax = fabs(x), ay = fabs(y); \
        int##N over = ay > ax; \
        float##N t = (over ? ax : ay) / (over ? ay : ax); \
        t = ax == ay ? (ax == 0 ? 0 : (float##N)1) : t; \
        float##N z = t * t, r = t + t * z * ATAN_SQUARED(z); \
        r = over ? HALF_PI - r : r; \
        r = as_int##N(x) < 0 ? PI - r : r; \
        return copysign(r, y); \
    }
WIDTHS(ARCTANGENT, )

// Above 1/2, asin(x) is pi / 2 - 2 asin(s) for s = sqrt((1 - x) / 2). Above 1 that is no number.
#define ARCSINE_OF_PART(N) \
    float##N ax = fabs(x); \
    int##N over = ax > 0.5f; \
    float##N z = over ? 0.5f - 0.5f * ax : ax * ax, s = over ? sqrt(z) : ax; \
    float##N r = s + s * z * ASIN_SQUARED(z);
#define ARCSINE(N, ...) \
    OVERLOAD float##N asin(float##N x) { \
        ARCSINE_OF_PART(N) \
        return copysign(over ? HALF_PI - 2 * r : r, x); \
    } \
    OVERLOAD float##N acos(float##N x) { \
        ARCSINE_OF_PART(N) \
        return over ? (x < 0 ? PI - 2 * r : 2 * r) : HALF_PI - copysign(r, x); \
    }
WIDTHS(ARCSINE, )
