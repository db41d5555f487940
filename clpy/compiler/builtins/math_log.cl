// SPDX-License-Identifier: Apache-2.0
// Functions whose forms in the C library, scalar or vector, exceed the specification's limits: log and log10 of float,
// exp10 of float, cbrt.
#include "builtins.h"

#define C_LIBRARY __attribute__((const))
C_LIBRARY double c_exp2(double) __asm("exp2");
C_LIBRARY double c_exp10(double) __asm("exp10");
C_LIBRARY float c_cbrtf(float) __asm("cbrtf");
C_LIBRARY double c_cbrt(double) __asm("cbrt");

// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); log(1 + f) = high + low. The polynomial is a fit of
// (log(1 + f) - f + f^2 / 2) / f^3 with an error below 2^-27.
#define REDUCED(N) \
    int##N tiny = x < 0x1p-126f ? (int##N)1 : (int##N)0; \
    int##N bits = as_int##N(x < 0x1p-126f ? x * 0x1p25f : x), exponent = (bits - 0x3f3504f3) >> 23; \
    float##N k = CONVERT_##N((exponent - 25 * tiny), float), f = as_float##N(bits - (exponent << 23)) - 1, \
             cubic = f * f * f * (0.333333313f + f * (-0.250008196f + f * (0.200012267f + f * (-0.166233584f + \
                     f * (0.142017573f + f * (-0.131601781f + f * (0.12761578f + f * -0.0763450712f))))))), \
             square = 0.5f * f * f;
#define OF_SPECIAL(N, r) \
    (x > 0 ? (x == (float)INFINITY ? x : r) : x == 0 ? (float##N)-(float)INFINITY : (float##N)(float)NAN)

// ln 2 and log10 2 in two parts, the first short enough for its product with k to be exact.
#define LOGARITHMS(N, ...) \
    OVERLOAD float##N log(float##N x) { \
        REDUCED(N) \
        float##N r = k * 0.693145752f + (f - (square - (cubic + k * 1.42860677e-6f))); \
        return OF_SPECIAL(N, r); \
    } \
    OVERLOAD float##N log10(float##N x) { \
        REDUCED(N) \
        float##N high = as_float##N(as_int##N(f - square) & ~0xfff), low = (f - high) - square + cubic; \
        float##N r = k * 0.301025391f + (high * 0.434326172f + \
                     (low * 0.434294482f + (high * -3.16899707e-5f + k * 4.60503907e-6f))); \
        return OF_SPECIAL(N, r); \
    }
WIDTHS(LOGARITHMS, )

OVERLOAD float exp10(float x) { return (float)c_exp2(x * 3.32192809488736234787); }
OVERLOAD double exp10(double x) { return c_exp10(x); }

// One step of Newton's method from the C library's result; the error of its cube is exact to twice the digits.
OVERLOAD float cbrt(float x) {
    float y = c_cbrtf(x);
    double d = y, square = d * d, better = d - (square * d - x) / (3 * square);
    return fabs(x) > 0 && fabs(x) < (float)INFINITY ? (float)better : y;
}
OVERLOAD double cbrt(double x) {
    double ax = fabs(x), scale = ax < 0x1p-700 ? 0x1p300 : ax > 0x1p700 ? 0x1p-300 : 1;
    double unscale = ax < 0x1p-700 ? 0x1p-100 : ax > 0x1p700 ? 0x1p100 : 1;
    double z = x * scale, y = c_cbrt(z), square = y * y, cube = square * y;
    double rest = fma(square, y, -cube) + fma(y, y, -square) * y;
    double better = (y - ((cube - z) + rest) / (3 * square)) * unscale;
    return ax > 0 && ax < (double)INFINITY ? better : x;
}

#define BY_LANES1(N, T, f) OVERLOAD T##N f(T##N x) { return (T##N)(LANES_##N(CALL1, f)); }
VECTORS(BY_LANES1, double, exp10)
VECTORS(BY_LANES1, float, exp10)
VECTORS(BY_LANES1, double, cbrt)
VECTORS(BY_LANES1, float, cbrt)
