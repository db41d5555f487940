// SPDX-License-Identifier: Apache-2.0
// What is left of a division, exact however large the quotient is: fmod, remainder, remquo.
#include "builtins.h"
#include "elementwise.h"

// Where the quotient, rounded, is a whole number without loss, a product and a sum are exact: the quotient is one too
// large at most.
#define EXACT_QUOTIENT(T, most) (fabs(x) < fabs(y) * (T)most && fabs(y) < (T)INFINITY)

// Floats with larger quotients are divided in double, by multiples of y first: what is left of each division is a
// multiple of the last place of the one or of the other, and below both, so that 24 bits hold it.
INTERNAL double left_of(double x, double y) {
    double rest = fma(-trunc(x / y), y, x);
    return rest < 0.0 ? rest + y : rest;
}

// What can be divided by of |y|: all numbers are below that for an infinite one. NaN stays.
INTERNAL double divisor(float y) { return fabs(y) == INFINITY ? 0x1p130 : (double)fabs(y); }

// |x| less a multiple of 128 y, and below 2^51 y.
INTERNAL double brought_near(double x, double y) {
    if (!(x < y * 0x1p51)) {
#pragma clang loop unroll(disable)
        for (double multiple = 0x1p255; multiple > 1.0; multiple *= 0x1p-51)
            x = left_of(x, y * multiple);
    }
    return x;
}

// -|y| / 2 to |y| / 2, the even quotient where both would do, of what is left of 2 |y|.
INTERNAL double to_nearest(double rest, double y) {
    double twice = rest + rest;
    return twice >= 3.0 * y ? rest - 2.0 * y : twice > y ? rest - y : rest;
}

INTERNAL float fmod_far(float x, float y) {
    double by = divisor(y);
    return (float)left_of(brought_near(fabs(x), by), by);
}
INTERNAL float remainder_far(float x, float y) {
    double by = divisor(y);
    return (float)to_nearest(left_of(brought_near(fabs(x), by), 2.0 * by), by);
}

// The C library takes doubles with larger quotients, by steps.
__attribute__((const)) double c_fmod(double, double) __asm("fmod");
__attribute__((const)) double c_remainder(double, double) __asm("remainder");
INTERNAL double fmod_far(double x, double y) { return c_fmod(x, y); }
INTERNAL double remainder_far(double x, double y) { return c_remainder(x, y); }

#define SIGN_OF(T, I, sign, rest) as_##T(as_##I(rest) ^ (as_##I(x) & (I)sign))
#define REMAINDERS(T, I, most, sign) \
    OVERLOAD T fmod(T x, T y) { \
        if (!EXACT_QUOTIENT(T, most)) \
            return copysign(fmod_far(x, y), x); \
        T rest = fma(-trunc(fabs(x) / fabs(y)), fabs(y), fabs(x)); \
        return copysign(rest < (T)0 ? rest + fabs(y) : rest, x); \
    } \
    OVERLOAD T remainder(T x, T y) { \
        if (!EXACT_QUOTIENT(T, most)) \
            return REMAINDER_FAR_##T; \
        T rest = fma(-rint(fabs(x) / fabs(y)), fabs(y), fabs(x)); \
        rest = rest + rest > fabs(y) ? rest - fabs(y) : rest; \
        rest = rest + rest < -fabs(y) ? rest + fabs(y) : rest; \
        return SIGN_OF(T, I, sign, rest); \
    } \
    VECTORS(BY_LANES2, T, fmod) VECTORS(BY_LANES2, T, remainder)
#define REMAINDER_FAR_float SIGN_OF(float, uint, 0x80000000u, remainder_far(x, y))
#define REMAINDER_FAR_double remainder_far(x, y)
REMAINDERS(float, uint, 0x1p22f, 0x80000000u)
REMAINDERS(double, ulong, 0x1p51, 0x8000000000000000ul)

// The quotient's low seven bits (the C library gives three), one more where what is left is nearer to |y| than to zero.
#define TO_EVEN(T) \
    INTERNAL T to_even(T q, T rest, T y, __private int *quotient) { \
        q = rest < (T)0 ? q - (T)1 : q; \
        rest = rest < (T)0 ? rest + y : rest; \
        q -= (T)128 * trunc(q * (T)0x1p-7); \
        int low = q < (T)128 ? (int)q : 0;      /* NaN has no number */ \
        bool up = rest > y - rest || (rest == y - rest && (low & 1)); \
        *quotient = (up ? low + 1 : low) & 127; \
        return up ? rest - y : rest; \
    } \
    INTERNAL T divided(T x, T y, __private int *quotient) { \
        T q = trunc(x / y); \
        return to_even(q, fma(-q, y, x), y, quotient); \
    }
TO_EVEN(float)
TO_EVEN(double)

INTERNAL float remquo_far(float x, float y, __private int *quotient) {
    double by = divisor(y);
    return (float)divided(brought_near(x, by), by, quotient);
}

// By exact steps: below 2k*y, subtracting k*y rounds nothing.
#define REMQUO_STEP(k) \
    q += rest >= y * k ? (double)k : 0.0; \
    rest = rest >= y * k ? rest - y * k : rest;
INTERNAL double remquo_far(double x, double y, __private int *quotient) {
    double rest = c_fmod(x, y * 128.0), q = 0.0;
    REMQUO_STEP(64) REMQUO_STEP(32) REMQUO_STEP(16) REMQUO_STEP(8) REMQUO_STEP(4) REMQUO_STEP(2) REMQUO_STEP(1)
    return to_even(q, rest, y, quotient);
}

#define REST_AND_QUOTIENT(T, I, most, sign) \
    INTERNAL T rest_and_quotient(T x, T y, __private int *quotient) { \
        int low; \
        T rest = EXACT_QUOTIENT(T, most) ? divided(fabs(x), fabs(y), &low) : remquo_far(fabs(x), fabs(y), &low); \
        *quotient = (as_##I(x) ^ as_##I(y)) >> (sizeof(T) * 8 - 1) ? -low : low; \
        return SIGN_OF(T, I, sign, rest); \
    }
REST_AND_QUOTIENT(float, uint, 0x1p22f, 0x80000000u)
REST_AND_QUOTIENT(double, ulong, 0x1p51, 0x8000000000000000ul)

#define REMQUO(A, T) \
    OVERLOAD T remquo(T x, T y, A int *p) { \
        int q; \
        T rest = rest_and_quotient(x, y, &q); \
        *p = q; \
        return rest; \
    } \
    VECTORS(REMQUO_VECTOR, A, T)
#define REMQUO_LANE(i, quotient) rest_and_quotient(x.s##i, y.s##i, &quotient[0x##i])
#define QUOTIENT_LANE(i, quotient) quotient[0x##i]
#define REMQUO_VECTOR(N, A, T) \
    OVERLOAD T##N remquo(T##N x, T##N y, A int##N *p) { \
        int quotient[N]; \
        T##N rest = (T##N)(LANES_##N(REMQUO_LANE, quotient)); \
        *p = (int##N)(LANES_##N(QUOTIENT_LANE, quotient)); \
        return rest; \
    }
WRITABLE_SPACES(REMQUO, float)
WRITABLE_SPACES(REMQUO, double)
