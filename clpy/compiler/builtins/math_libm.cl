// SPDX-License-Identifier: Apache-2.0
// Functions that are those of the C library, under their C names, so that a vectorizer finds their vector variants.
#include "builtins.h"
#include "elementwise.h"

// Free of side effects: nobody sees errno.
#define C_LIBRARY __attribute__((const))

#define LIBM1_OF(f, c_name, T) \
    C_LIBRARY T c_##f##_##T(T) __asm(c_name); \
    OVERLOAD T f(T x) { return c_##f##_##T(x); } \
    VECTORS(BY_LANES1, T, f)
#define LIBM1(f) LIBM1_OF(f, #f "f", float) LIBM1_OF(f, #f, double)

#define LIBM2(f) \
    C_LIBRARY float c_##f##_float(float, float) __asm(#f "f"); \
    C_LIBRARY double c_##f##_double(double, double) __asm(#f); \
    OVERLOAD float f(float x, float y) { return c_##f##_float(x, y); } \
    OVERLOAD double f(double x, double y) { return c_##f##_double(x, y); } \
    VECTORS(BY_LANES2, float, f) VECTORS(BY_LANES2, double, f)

LIBM1(acos)
LIBM1(acosh)
LIBM1(asin)
LIBM1(asinh)
LIBM1(atan)
LIBM1(atanh)
LIBM1(cosh)
LIBM1(erf)
LIBM1(erfc)
LIBM1_OF(exp2, "exp2f", float)     // exp, exp10, other logarithms: math_exp_log.cl; of double: math_double.cl
LIBM1(expm1)
LIBM1(log1p)
LIBM1_OF(log2, "log2f", float)
LIBM1(sinh)
LIBM1(tan)                          // sin, cos: math_trigonometric.cl
LIBM1(tanh)
LIBM1(tgamma)
LIBM2(atan2)
LIBM2(hypot)

// The variants that give the sign through a pointer: lgamma itself would write a global variable.
float c_lgamma_float(float, __private int *) __asm("lgammaf_r");
double c_lgamma_double(double, __private int *) __asm("lgamma_r");

INTERNAL float log_gamma(float x, __private int *sign) { return c_lgamma_float(x, sign); }
INTERNAL double log_gamma(double x, __private int *sign) { return c_lgamma_double(x, sign); }

#define LGAMMA(T) \
    OVERLOAD T lgamma(T x) { int sign; return log_gamma(x, &sign); } \
    VECTORS(BY_LANES1, T, lgamma) \
    WRITABLE_SPACES(LGAMMA_R, T)
#define LGAMMA_R(A, T) \
    OVERLOAD T lgamma_r(T x, A int *p) { int sign; T r = log_gamma(x, &sign); *p = sign; return r; } \
    VECTORS(LGAMMA_R_VECTOR, A, T)
#define LGAMMA_R_LANE(i, sign) log_gamma(x.s##i, &sign[0x##i])
#define SIGN_LANE(i, sign) sign[0x##i]
#define LGAMMA_R_VECTOR(N, A, T) \
    OVERLOAD T##N lgamma_r(T##N x, A int##N *p) { \
        int sign[N]; \
        T##N r = (T##N)(LANES_##N(LGAMMA_R_LANE, sign)); \
        *p = (int##N)(LANES_##N(SIGN_LANE, sign)); \
        return r; \
    }
LGAMMA(float)
LGAMMA(double)
