// SPDX-License-Identifier: Apache-2.0
// Powers with an integer exponent, of numbers above zero, and roots: pow of the C library and corrections around it.
#include "builtins.h"

#define SIGN_BIT(N, T, I) (as_##I##N(x) & as_##I((T)-0.0))

// x to an integer: the sign is that of x when n is odd. A float does not hold every int: the rest of n, at most 64,
// counts only where x is so close to 1 that its logarithm is x - 1.
#define POWN_FLOAT(N, ...) \
    OVERLOAD float##N pown(float##N x, int##N n) { \
        float##N whole = CONVERT_##N(n, float), ax = fabs(x), r = pow(ax, whole), near = ax - 1; \
        float##N rest = CONVERT_##N(CONVERT_##N(n, double) - CONVERT_##N(whole, double), float); \
        r = fabs(near) < 0x1p-16f ? r * (1 + rest * near) : r; \
        return as_float##N(as_int##N(r) | (SIGN_BIT(N, float, int) & -(n & 1))); \
    }
#define POWN_DOUBLE(N, ...) \
    OVERLOAD double##N pown(double##N x, int##N n) { \
        double##N r = pow(fabs(x), CONVERT_##N(n, double)); \
        return as_double##N(as_long##N(r) | (SIGN_BIT(N, double, long) & CONVERT_##N(-(n & 1), long))); \
    }
WIDTHS(POWN_FLOAT, )
WIDTHS(POWN_DOUBLE, )

// Not pow: the base has no sign, and 0^0, inf^0 and 1^inf are not numbers.
#define POWR(N, T, I, U) \
    OVERLOAD T##N powr(T##N x, T##N y) { \
        T##N r = pow(fabs(x), y), not_a_number = (T##N)(T)NAN; \
        r = (x < (T)0) | (x != x) | (y != y) ? not_a_number : r; \
        r = (y == (T)0) & ((x == (T)0) | (x == (T)INFINITY)) ? not_a_number : r; \
        return (x == (T)1) & (fabs(y) == (T)INFINITY) ? not_a_number : r; \
    }
FLOATING(POWR)

// |x|^(1/n), corrected by what 1/n lost in rounding, times the logarithm.
#define ROOTN(N, T, I) \
    OVERLOAD T##N rootn(T##N x, int##N n) { \
        T##N degree = CONVERT_##N(n, T), ax = fabs(x), inverse = 1 / degree; \
        T##N lost = fma(-inverse, degree, (T##N)1) * inverse, r = pow(ax, inverse); \
        r = (ax > (T)0) & (ax < (T)INFINITY) ? r * (1 + lost * log(ax)) : r; \
        I##N odd = CONVERT_##N(-(n & 1), I); \
        r = as_##T##N(as_##I##N(r) | (SIGN_BIT(N, T, I) & odd)); \
        r = (x < (T)0) & (odd == (I)0) ? (T##N)(T)NAN : r; \
        return degree == (T)0 ? (T##N)(T)NAN : r; \
    }
WIDTHS(ROOTN, float, int)
WIDTHS(ROOTN, double, long)
