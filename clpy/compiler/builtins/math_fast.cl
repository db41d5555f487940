// SPDX-License-Identifier: Apache-2.0
// half_ and native_ functions, of which less accuracy is asked: the same functions, or the plain operation.
#include "builtins.h"
#include "elementwise.h"

#define FAST1(N, f) \
    OVERLOAD float##N half_##f(float##N x) { return f(x); } \
    OVERLOAD float##N native_##f(float##N x) { return f(x); }
WIDTHS(FAST1, cos)
WIDTHS(FAST1, exp)
WIDTHS(FAST1, exp2)
WIDTHS(FAST1, exp10)
WIDTHS(FAST1, log)
WIDTHS(FAST1, log2)
WIDTHS(FAST1, log10)
WIDTHS(FAST1, rsqrt)
WIDTHS(FAST1, sin)
WIDTHS(FAST1, sqrt)
WIDTHS(FAST1, tan)

#define FAST_OPERATIONS(N, prefix, power) \
    OVERLOAD float##N prefix##divide(float##N x, float##N y) { return x / y; } \
    OVERLOAD float##N prefix##powr(float##N x, float##N y) { return power(x, y); } \
    OVERLOAD float##N prefix##recip(float##N x) { return 1 / x; }
WIDTHS(FAST_OPERATIONS, native_, pow)
WIDTHS(FAST_OPERATIONS, half_, powr)
