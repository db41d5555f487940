// SPDX-License-Identifier: Apache-2.0
// Functions that are LLVM operations or a few of them, on vectors of any width.
#include "formats.h"

#define BASIC(N, T, I, U) \
    OVERLOAD T##N fabs(T##N x) { return __builtin_elementwise_abs(x); } \
    OVERLOAD T##N ceil(T##N x) { return __builtin_elementwise_ceil(x); } \
    OVERLOAD T##N floor(T##N x) { return __builtin_elementwise_floor(x); } \
    OVERLOAD T##N rint(T##N x) { return __builtin_elementwise_rint(x); } \
    OVERLOAD T##N round(T##N x) { return __builtin_elementwise_round(x); } \
    OVERLOAD T##N trunc(T##N x) { return __builtin_elementwise_trunc(x); } \
    OVERLOAD T##N sqrt(T##N x) { return __builtin_elementwise_sqrt(x); } \
    OVERLOAD T##N copysign(T##N x, T##N y) { return __builtin_elementwise_copysign(x, y); } \
    OVERLOAD T##N fma(T##N x, T##N y, T##N z) { return __builtin_elementwise_fma(x, y, z); } \
    OVERLOAD T##N fmax(T##N x, T##N y) { return __builtin_elementwise_maxnum(x, y); } \
    OVERLOAD T##N fmin(T##N x, T##N y) { return __builtin_elementwise_minnum(x, y); } \
    OVERLOAD T##N fdim(T##N x, T##N y) { return x <= y ? (T##N)0 : x - y; }
#define RSQRT(N, T) OVERLOAD T##N rsqrt(T##N x) { return 1 / __builtin_elementwise_sqrt(x); }
FLOATING(BASIC)
FLOATING(BY_MAGNITUDE)

FLOATING_VECTORS(LARGER_OF_SCALAR)

// The flag says that a float's division by a root may be less exact (passes/inverse_roots.py).
WIDTHS(RSQRT, double)
#pragma clang fp reciprocal(on)
WIDTHS(RSQRT, float)
#pragma clang fp reciprocal(off)

// Fused where the machine has the instruction, two roundings where it has not.
#pragma clang fp contract(on)
#define MAD(N, T, I, U) OVERLOAD T##N mad(T##N x, T##N y, T##N z) { return x * y + z; }
FLOATING(MAD)
#pragma clang fp contract(off)

WRITABLE_SPACES(PARTS, float, 0x1.fffffep-1f)
WRITABLE_SPACES(PARTS, double, 0x1.fffffffffffffp-1)

WIDTHS(NAN_OF_CODE, float, uint, 0x7fc00000u)
WIDTHS(NAN_OF_CODE, double, ulong, 0x7ff8000000000000ul)
