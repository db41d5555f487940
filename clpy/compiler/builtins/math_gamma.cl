// SPDX-License-Identifier: Apache-2.0
// Gamma of floats and its logarithm, computed in double without a call, so that they widen as they are. Of doubles they
// are the C library's, one number at a time.
#include "builtins.h"
#include "elementwise.h"

// A product added to something is one operation here where the machine has it.
#pragma clang fp contract(on)

// Stirling's series: log Gamma(y) - (y - 1/2) log y + y - log(2 pi) / 2, from y = 8 on, where the next term is below
// 2^-50.
#define STIRLING(inverse, z) \
    (inverse * (1.0 / 12 + z * (-1.0 / 360 + z * (1.0 / 1260 + z * (-1.0 / 1680 + z * (1.0 / 1188 + z * ( \
     -691.0 / 360360 + z * (1.0 / 156))))))))
#define LOG_ROOT_2PI 0x1.d67f1c864beb4p-1

// Gamma(y) = e^power / steps for y, which is x or, below 1/2, 1 - x: Gamma(x) Gamma(1 - x) = pi / sin(pi x). `steps` is
// the product from y to y + 7. From 45 on a float's Gamma is infinity, below -44 it is 0.
#define PARTS(N, y) \
    double##N steps = y * (y + 1) * ((y + 2) * (y + 3)) * ((y + 4) * (y + 5) * ((y + 6) * (y + 7))); \
    steps = y < 8 ? steps : 1; \
    double##N up = y < 8 ? y + 8 : y, inverse = 1 / up, square = inverse * inverse; \
    double##N power = (up - 0.5) * (log(up) - 1) - (0.5 - LOG_ROOT_2PI - STIRLING(inverse, square));
#define PI 0x1.921fb54442d18p+1

#define GAMMA(N, ...) \
    OVERLOAD float##N tgamma(float##N x) { \
        double##N wide = CONVERT_##N(x, double), y = wide < 0.5 ? 1 - wide : wide; \
        y = y > 45 ? 45 : y; \
        PARTS(N, y) \
        double##N whole = exp(power), sine = sinpi(wide) * whole; \
        double##N r = wide < 0.5 ? PI * steps / sine : whole / steps; \
        r = (wide < 0) & (rint(wide) == wide) ? NAN : r; \
        return CONVERT_##N(r, float); \
    } \
    INTERNAL float##N log_gamma(float##N x, float##N *sign) { \
        double##N wide = CONVERT_##N(x, double), y = wide < 0.5 ? 1 - wide : wide; \
        PARTS(N, y) \
        double##N sine = sinpi(wide), size = fabs(sine); \
        double##N part = log(wide < 0.5 ? PI * steps / size : steps), r = wide < 0.5 ? part - power : power - part; \
        r = (wide == 1) | (wide == 2) ? 0 : wide == -INFINITY ? INFINITY : r; \
        *sign = x < 0.5f ? copysign((float##N)1, CONVERT_##N(sine, float)) : 1; \
        return CONVERT_##N(r, float); \
    } \
    OVERLOAD float##N lgamma(float##N x) { float##N sign; return log_gamma(x, &sign); } \
    WRITABLE_SPACES(GAMMA_WITH_SIGN, N)
#define GAMMA_WITH_SIGN(A, N) \
    OVERLOAD float##N lgamma_r(float##N x, A int##N *p) { \
        float##N sign, r = log_gamma(x, &sign); \
        *p = CONVERT_##N(sign, int); \
        return r; \
    }
WIDTHS(GAMMA, )

// The variant that gives the sign through a pointer: lgamma itself would write a global variable.
double c_lgamma(double, __private int *) __asm("lgamma_r");
__attribute__((const)) double c_tgamma(double) __asm("tgamma");

OVERLOAD double tgamma(double x) { return c_tgamma(x); }
OVERLOAD double lgamma(double x) { int sign; return c_lgamma(x, &sign); }
#define WITH_SIGN_LANE(i, sign) c_lgamma(x.s##i, &sign[0x##i])
#define SIGN_LANE(i, sign) sign[0x##i]
#define WITH_SIGN(A, ...) \
    OVERLOAD double lgamma_r(double x, A int *p) { int sign; double r = c_lgamma(x, &sign); *p = sign; return r; } \
    VECTORS(WITH_SIGNS, A)
#define WITH_SIGNS(N, A) \
    OVERLOAD double##N lgamma_r(double##N x, A int##N *p) { \
        int sign[N]; \
        double##N r = (double##N)(LANES_##N(WITH_SIGN_LANE, sign)); \
        *p = (int##N)(LANES_##N(SIGN_LANE, sign)); \
        return r; \
    }
VECTORS(BY_LANES1, double, tgamma)
VECTORS(BY_LANES1, double, lgamma)
WRITABLE_SPACES(WITH_SIGN, )
