// SPDX-License-Identifier: Apache-2.0
// Functions that are LLVM operations or a few of them, on vectors of any width.
#include "builtins.h"

#define BASIC(N, T, I, U) \
    OVERLOAD T##N fabs(T##N x) { return __builtin_elementwise_abs(x); } \
    OVERLOAD T##N ceil(T##N x) { return __builtin_elementwise_ceil(x); } \
    OVERLOAD T##N floor(T##N x) { return __builtin_elementwise_floor(x); } \
    OVERLOAD T##N rint(T##N x) { return __builtin_elementwise_rint(x); } \
    OVERLOAD T##N round(T##N x) { return __builtin_elementwise_round(x); } \
    OVERLOAD T##N trunc(T##N x) { return __builtin_elementwise_trunc(x); } \
    OVERLOAD T##N sqrt(T##N x) { return __builtin_elementwise_sqrt(x); } \
    OVERLOAD T##N rsqrt(T##N x) { return (T)1 / __builtin_elementwise_sqrt(x); } \
    OVERLOAD T##N copysign(T##N x, T##N y) { return __builtin_elementwise_copysign(x, y); } \
    OVERLOAD T##N fma(T##N x, T##N y, T##N z) { return __builtin_elementwise_fma(x, y, z); } \
    OVERLOAD T##N fmax(T##N x, T##N y) { return __builtin_elementwise_maxnum(x, y); } \
    OVERLOAD T##N fmin(T##N x, T##N y) { return __builtin_elementwise_minnum(x, y); } \
    OVERLOAD T##N fdim(T##N x, T##N y) { return x <= y ? (T##N)0 : x - y; } \
    OVERLOAD T##N maxmag(T##N x, T##N y) { \
        T##N ax = fabs(x), ay = fabs(y); \
        return ax > ay ? x : ay > ax ? y : fmax(x, y); \
    } \
    OVERLOAD T##N minmag(T##N x, T##N y) { \
        T##N ax = fabs(x), ay = fabs(y); \
        return ax < ay ? x : ay < ax ? y : fmin(x, y); \
    }
FLOATING(BASIC)

#define WITH_SCALAR(N, T, I, U) \
    OVERLOAD T##N fmax(T##N x, T y) { return fmax(x, (T##N)y); } \
    OVERLOAD T##N fmin(T##N x, T y) { return fmin(x, (T##N)y); }
FLOATING_VECTORS(WITH_SCALAR)

// Fused where the machine has the instruction, two roundings where it has not.
#pragma clang fp contract(on)
#define MAD(N, T, I, U) OVERLOAD T##N mad(T##N x, T##N y, T##N z) { return x * y + z; }
FLOATING(MAD)
#pragma clang fp contract(off)

#define MODF(N, T, A) \
    OVERLOAD T##N modf(T##N x, A T##N *p) { \
        T##N whole = trunc(x); \
        *p = whole; \
        return copysign(fabs(x) == (T)INFINITY ? (T##N)0 : x - whole, x); \
    }
// The result stays below 1 when x is a negative number next to zero; infinity leaves +0 or -0 and NaN stays NaN.
#define FRACT(N, T, A, below_one) \
    OVERLOAD T##N fract(T##N x, A T##N *p) { \
        T##N whole = floor(x), part = x - whole; \
        part = part >= (T)1 ? (T##N)below_one : part; \
        *p = whole; \
        return fabs(x) == (T)INFINITY ? copysign((T##N)0, x) : x == (T)0 ? x : part; \
    }
#define PARTS(A, T, below_one) WIDTHS(MODF, T, A) WIDTHS(FRACT, T, A, below_one)
WRITABLE_SPACES(PARTS, float, 0x1.fffffep-1f)
WRITABLE_SPACES(PARTS, double, 0x1.fffffffffffffp-1)

#define NAN_OF_CODE(N, T, U, quiet) OVERLOAD T##N nan(U##N code) { return as_##T##N(code | (U)quiet); }
WIDTHS(NAN_OF_CODE, float, uint, 0x7fc00000u)
WIDTHS(NAN_OF_CODE, double, ulong, 0x7ff8000000000000ul)
