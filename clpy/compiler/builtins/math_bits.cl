// SPDX-License-Identifier: Apache-2.0
// Functions on the representation of a number: exponents and neighbours.
#include "elementwise.h"
#include "formats.h"

// M(N, T, I, bits of the mantissa, bias, smallest normal number, sign bit)
#define FORMATS(M) \
    WIDTHS(M, float, int, 23, 127, 0x1p-126f, INT_MIN) WIDTHS(M, double, long, 52, 1023, 0x1p-1022, LONG_MIN)

// |x| brought into the normal range, and the exponent it had. 2^54 lifts every denormal number, of float too.
#define EXPONENT(N, T, I, mantissa, bias, smallest, sign) \
    INTERNAL T##N lifted(T##N ax) { return ax < (T)smallest ? ax * (T)0x1p54 : ax; } \
    INTERNAL I##N exponent(T##N ax) { \
        I##N lift = ax < (T)smallest ? (I##N)54 : (I##N)0; \
        return (as_##I##N(lifted(ax)) >> (I)mantissa) - (I)bias - lift; \
    }
FORMATS(EXPONENT)

#define LOGB(N, T, I, mantissa, bias, smallest, sign) \
    OVERLOAD T##N logb(T##N x) { \
        T##N ax = fabs(x), e = CONVERT_##N(CONVERT_##N(exponent(ax), int), T); \
        return ax == (T)0 ? (T##N)-(T)INFINITY : ax < (T)INFINITY ? e : ax; \
    } \
    OVERLOAD int##N ilogb(T##N x) { \
        T##N ax = fabs(x); \
        I##N e = ax < (T)INFINITY ? exponent(ax) : (I##N)FP_ILOGBNAN; \
        return CONVERT_##N((ax == (T)0 ? (I##N)FP_ILOGB0 : e), int); \
    }
FORMATS(LOGB)

#define FREXP_SPACES(N, ...) WRITABLE_SPACES(FREXP, N, __VA_ARGS__)
#define FREXP(A, N, T, I, mantissa, bias, smallest, sign) \
    OVERLOAD T##N frexp(T##N x, A int##N *p) { \
        T##N ax = fabs(x); \
        I##N fraction = as_##I##N(lifted(ax)) & (((I)1 << mantissa) - 1); \
        T##N half_to_one = copysign(as_##T##N(fraction | ((I)(bias - 1) << mantissa)), x); \
        I##N e = (ax > (T)0) & (ax < (T)INFINITY) ? exponent(ax) + (I)1 : (I##N)0; \
        *p = CONVERT_##N(e, int); \
        return (ax > (T)0) & (ax < (T)INFINITY) ? half_to_one : x; \
    }
FORMATS(FREXP_SPACES)

WIDTHS(NEXTAFTER, float, int, INT_MIN)
WIDTHS(NEXTAFTER, double, long, LONG_MIN)

// A float times any power of two that matters is exact in double: one rounding.
#define LDEXP_FLOAT(N, ...) \
    OVERLOAD float##N ldexp(float##N x, int##N n) { \
        long##N e = CONVERT_##N(__builtin_elementwise_max(__builtin_elementwise_min(n, (int##N)300), (int##N)-300), \
                                long); \
        return CONVERT_##N(CONVERT_##N(x, double) * as_double##N((e + 1023l) << 52l), float); \
    }
WIDTHS(LDEXP_FLOAT, )

// In three steps. The two downward ones keep 53 bits above the denormal range, so that only the last one rounds.
#define LDEXP_STEP(N) \
    x *= n > 1023l ? (double##N)0x1p1023 : n < -1022l ? (double##N)0x1p-969 : (double##N)1; \
    n -= n > 1023l ? (long##N)1023l : n < -1022l ? (long##N)-969l : (long##N)0;
#define LDEXP_DOUBLE(N, ...) \
    OVERLOAD double##N ldexp(double##N x, int##N k) { \
        long##N n = CONVERT_##N(k, long); \
        LDEXP_STEP(N) \
        LDEXP_STEP(N) \
        n = __builtin_elementwise_max(__builtin_elementwise_min(n, (long##N)1023l), (long##N)-1022l); \
        return x * as_double##N((n + 1023l) << 52l); \
    }
WIDTHS(LDEXP_DOUBLE, )

#define LDEXP_SCALAR(N, T) OVERLOAD T##N ldexp(T##N x, int n) { return ldexp(x, (int##N)n); }
VECTORS(LDEXP_SCALAR, float)
VECTORS(LDEXP_SCALAR, double)
