// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL C that Intel's compiler has wrong, by means of those that it has right. A name that begins with
// clpy_others_ is a function of its own that has a name of this file.
#include "builtins.h"

#define VECTOR2(N, T, V, f) OVERLOAD T##N f(T##N x, V##N y) { return (T##N)(LANES_##N(CALL2, f)); }

// The first root of a number is the number.
#define ROOT(T, ...) \
    OVERLOAD T clpy_others_rootn(T x, int n); \
    OVERLOAD T rootn(T x, int y) { return y == 1 ? x : clpy_others_rootn(x, y); } \
    VECTORS(VECTOR2, T, int, rootn)
ROOT(float) ROOT(double)

// Gamma(x) is negative between -1 and 0, positive between -2 and -1, and so on; its logarithm is right for all numbers
// in lgamma alone.
#define OF_SIGN(T, ...) \
    INTERNAL int sign_of_gamma(T x) { \
        bool is_even = floor(x) == 2 * floor(x / 2); \
        return (x < 0 ? is_even : 1 / x >= 0 || x != x) ? 1 : -1; \
    } \
    WRITABLE_SPACES(WITH_SIGN, T)
#define WITH_SIGN(A, T) \
    OVERLOAD T lgamma_r(T x, A int *p) { *p = sign_of_gamma(x); return lgamma(x); } \
    VECTORS(WITH_SIGNS, T, A)
#define WITH_SIGNS(N, T, A) \
    OVERLOAD T##N lgamma_r(T##N x, A int##N *p) { \
        *p = (int##N)(LANES_##N(CALL1, sign_of_gamma)); \
        return lgamma(x); \
    }
OF_SIGN(float) OF_SIGN(double)

// Gamma(y) = sqrt(2 pi) y^(y - 1/2) e^(-y) e^s for y from 8 on, where s is Stirling's series. The root of both powers
// is a number where Gamma(y) is none. Numbers from 1/2 on go up by 8, others are Gamma(x) Gamma(1 - x) = pi / sin(pi
// x). What both lose by rounding, a number so much further on has by as much of its digamma function, about log y - 1
// / (2 y), more.
#define STIRLING(r, z) \
    (r * (1.0 / 12 + z * (-1.0 / 360 + z * (1.0 / 1260 + z * (-1.0 / 1680 + z * (1.0 / 1188 + z * ( \
     -691.0 / 360360 + z * (1.0 / 156))))))))
#define ROOT_2PI 0x1.40d931ff62706p+1
#define PI 0x1.921fb54442d18p+1
#define UP 8
#define END 186         // Gamma(1 - END) is 0, Gamma(END) infinite

INTERNAL double digamma(double y) { return log((float)y) - 0.5 / y; }

OVERLOAD double tgamma(double x) {
    bool is_turned = x < 0.5;
    double y = is_turned ? 1 - x : x, lost = is_turned ? (1 - (y - (y - 1))) + ((y - 1) * -1 - x) : 0, steps = 1;
    y = y > END ? END : y;
    double log_lost = lost * digamma(y);
    if (y < UP) {
        double up = y + UP;
        steps = y * (y + 1) * ((y + 2) * (y + 3)) * ((y + 4) * (y + 5) * ((y + 6) * (y + 7)));
        log_lost += (y - (up - UP)) * digamma(up);
        y = up;
    }
    double inverse = 1 / y, half_way = pow(y, y * 0.5 - 0.25) * exp(-0.5 * y);
    double factor = ROOT_2PI * exp(STIRLING(inverse, inverse * inverse)) * (1 + log_lost);
    if (!is_turned)
        return half_way * (half_way * (factor / steps));
    double sine = sinpi(x);
    if (fabs(x) < 0x1p-60)
        return 1 / x;
    if (x == -INFINITY || sine == 0)
        return NAN;
    return PI / (sine * factor) * steps / half_way / half_way;
}
VECTORS(BY_LANES1, double, tgamma)
