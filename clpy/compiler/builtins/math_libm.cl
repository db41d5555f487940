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

#define LIBM2_OF(f, c_name, T) \
    C_LIBRARY T c_##f##_##T(T, T) __asm(c_name); \
    OVERLOAD T f(T x, T y) { return c_##f##_##T(x, y); } \
    VECTORS(BY_LANES2, T, f)

LIBM1_OF(acos, "acos", double)
LIBM1(acosh)
LIBM1_OF(asin, "asin", double)
LIBM1(asinh)
LIBM1_OF(atan, "atan", double)
LIBM1(atanh)
LIBM1_OF(cosh, "cosh", double)
LIBM1_OF(erf, "erf", double)
LIBM1_OF(erfc, "erfc", double)
LIBM1_OF(expm1, "expm1", double)    // of float: math_exp_log.cl, math_hyperbolic.cl, math_error.cl, math_inverse.cl
LIBM1_OF(log1p, "log1p", double)
LIBM1_OF(sinh, "sinh", double)
LIBM1(tan)                          // sin, cos: math_trigonometric.cl
LIBM1_OF(tanh, "tanh", double)
LIBM2_OF(atan2, "atan2", double)
LIBM2_OF(hypot, "hypotf", float)
LIBM2_OF(hypot, "hypot", double)
