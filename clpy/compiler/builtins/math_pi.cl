// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions of multiples of pi, without a branch or a call: they widen as they are.
#include "builtins.h"
#include "elementwise.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

// (sin(pi b) / b - pi) / b^2 for 0 <= b <= 1/2, of b^2: minimax fits of the sine with relative errors below 2^-35 and
// 2^-61. What is large of the sine is added last, in one operation.
#define SERIES_float(z) \
    (-5.1677127f + (z) * (2.5501633f + (z) * (-0.59925133f + (z) * (0.08204648f + (z) * -0.0070221634f))))
#define SERIES_double(z) \
    (-0x1.4abbce625be52p+2 + (z) * (0x1.466bc6775aa6ep+1 + (z) * (-0x1.32d2cce627543p-1 + (z) * ( \
    0x1.50783485190d5p-4 + (z) * (-0x1.e3074ddd1dc88p-8 + (z) * (0x1.e8f35e9d74d56p-12 + (z) * ( \
    -0x1.6f797710abdfcp-16 + (z) * 0x1.9d1b87244548cp-21)))))))
#define PI_float 3.14159274f
#define PI_LOW_float -8.74227766e-8f
#define PI_double 0x1.921fb54442d18p+1
#define PI_LOW_double 0x1.1a62633145c07p-53
#define SINE_OF(b, T) (b * PI_##T + (b * PI_LOW_##T + b * (b * b) * SERIES_##T(b * b)))

// x less an even number lies between -1 and 1, and both functions are a sine of what is left to the nearest place where
// they are 0. Infinity becomes NaN here. The sine of a whole number has the sign of the number.
#define TURN(N, T) T##N turn = x - 2 * rint(x * (T)0.5), past = fabs(turn);
#define SINE(N, T) \
    T##N b = past > (T)0.5 ? 1 - past : past, sine = SINE_OF(b, T);
#define COSINE(N, T) \
    T##N c = (T)0.5 - past, cosine = SINE_OF(c, T);
#define OF_SIGN(y, N, T, I) \
    as_##T##N(as_##I##N(y) ^ (as_##I##N(b == 0 ? x : turn) & as_##I((T)-0.0)))

#define OF_PI_TIMES(N, T, I, U) \
    OVERLOAD T##N sinpi(T##N x) { \
        TURN(N, T) \
        SINE(N, T) \
        return OF_SIGN(sine, N, T, I); \
    } \
    OVERLOAD T##N cospi(T##N x) { \
        TURN(N, T) \
        COSINE(N, T) \
        return cosine; \
    } \
    OVERLOAD T##N tanpi(T##N x) { \
        TURN(N, T) \
        SINE(N, T) \
        COSINE(N, T) \
        return OF_SIGN(sine, N, T, I) / cosine; \
    }
FLOATING(OF_PI_TIMES)

#define OVER_PI(N, T, I, U) \
    OVERLOAD T##N acospi(T##N x) { return acos(x) * (T)M_1_PI; } \
    OVERLOAD T##N asinpi(T##N x) { return asin(x) * (T)M_1_PI; } \
    OVERLOAD T##N atanpi(T##N x) { return atan(x) * (T)M_1_PI; } \
    OVERLOAD T##N atan2pi(T##N y, T##N x) { return atan2(y, x) * (T)M_1_PI; }
FLOATING(OVER_PI)
