// SPDX-License-Identifier: Apache-2.0
// Integer functions.
#include "builtins.h"

#define FOR_SIGNED(N, T, I, U) \
    OVERLOAD U##N abs(T##N x) { return as_##U##N(__builtin_elementwise_abs(x)); } \
    OVERLOAD U##N abs_diff(T##N x, T##N y) { \
        U##N a = as_##U##N(x), b = as_##U##N(y); \
        return x > y ? a - b : b - a; \
    }
SIGNED(FOR_SIGNED)

#define FOR_UNSIGNED(N, T, I, U) \
    OVERLOAD U##N abs(T##N x) { return x; } \
    OVERLOAD U##N abs_diff(T##N x, T##N y) { return x > y ? x - y : y - x; }
UNSIGNED(FOR_UNSIGNED)

#define FOR_ALL(N, T, I, U) \
    OVERLOAD T##N add_sat(T##N x, T##N y) { return __builtin_elementwise_add_sat(x, y); } \
    OVERLOAD T##N sub_sat(T##N x, T##N y) { return __builtin_elementwise_sub_sat(x, y); } \
    OVERLOAD T##N hadd(T##N x, T##N y) { return (x >> (T)1) + (y >> (T)1) + (x & y & (T)1); } \
    OVERLOAD T##N rhadd(T##N x, T##N y) { return (x >> (T)1) + (y >> (T)1) + ((x | y) & (T)1); } \
    OVERLOAD T##N max(T##N x, T##N y) { return __builtin_elementwise_max(x, y); } \
    OVERLOAD T##N min(T##N x, T##N y) { return __builtin_elementwise_min(x, y); } \
    OVERLOAD T##N clamp(T##N x, T##N low, T##N high) { return min(max(x, low), high); } \
    OVERLOAD T##N clz(T##N x) { return __builtin_elementwise_clzg(x, (T##N)(T)(8 * sizeof(T))); } \
    OVERLOAD T##N ctz(T##N x) { return __builtin_elementwise_ctzg(x, (T##N)(T)(8 * sizeof(T))); } \
    OVERLOAD T##N popcount(T##N x) { return __builtin_elementwise_popcount(x); } \
    OVERLOAD T##N rotate(T##N x, T##N y) { return __builtin_elementwise_fshl(x, x, y); } \
    OVERLOAD T##N mad_hi(T##N x, T##N y, T##N z) { return mul_hi(x, y) + z; }
INTEGER(FOR_ALL)

#define WITH_SCALARS(N, T, I, U) \
    OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); } \
    OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); } \
    OVERLOAD T##N clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); }
INTEGER_VECTORS(WITH_SCALARS)

// M(N, T, W, bits, lowest, highest): W is twice as wide as T.
#define WIDENING(M) \
    WIDTHS(M, char, short, 8, CHAR_MIN, CHAR_MAX) WIDTHS(M, uchar, ushort, 8, 0, UCHAR_MAX) \
    WIDTHS(M, short, int, 16, SHRT_MIN, SHRT_MAX) WIDTHS(M, ushort, uint, 16, 0, USHRT_MAX) \
    WIDTHS(M, int, long, 32, INT_MIN, INT_MAX) WIDTHS(M, uint, ulong, 32, 0, UINT_MAX)
#define WIDE_PRODUCTS(N, T, W, bits, lowest, highest) \
    OVERLOAD T##N mul_hi(T##N x, T##N y) { \
        W##N product = CONVERT_##N(x, W) * CONVERT_##N(y, W); \
        return CONVERT_##N(product >> (W)bits, T); \
    } \
    OVERLOAD T##N mad_sat(T##N x, T##N y, T##N z) { \
        W##N r = CONVERT_##N(x, W) * CONVERT_##N(y, W) + CONVERT_##N(z, W); \
        r = __builtin_elementwise_min(__builtin_elementwise_max(r, (W##N)(W)lowest), (W##N)(W)highest); \
        return CONVERT_##N(r, T); \
    }
WIDENING(WIDE_PRODUCTS)

typedef _BitInt(128) wide_long;
typedef unsigned _BitInt(128) wide_ulong;
#define PRODUCTS_64(T, W, lowest, highest) \
    OVERLOAD T mul_hi(T x, T y) { return (T)(((W)x * (W)y) >> 64); } \
    OVERLOAD T mad_sat(T x, T y, T z) { \
        W r = (W)x * (W)y + (W)z; \
        return r < (W)lowest ? (T)lowest : r > (W)highest ? (T)highest : (T)r; \
    } \
    VECTORS(BY_LANES2, T, mul_hi) \
    VECTORS(BY_LANES3, T, mad_sat)
PRODUCTS_64(long, wide_long, LONG_MIN, LONG_MAX)
PRODUCTS_64(ulong, wide_ulong, 0, ULONG_MAX)

#define PRODUCTS_24(N, T) \
    OVERLOAD T##N mul24(T##N x, T##N y) { return x * y; } \
    OVERLOAD T##N mad24(T##N x, T##N y, T##N z) { return x * y + z; }
WIDTHS(PRODUCTS_24, int)
WIDTHS(PRODUCTS_24, uint)

#define UPSAMPLE(N, T, U, W, bits) \
    OVERLOAD W##N upsample(T##N high, U##N low) { \
        return (CONVERT_##N(high, W) << (W)bits) | CONVERT_##N(low, W); \
    }
WIDTHS(UPSAMPLE, char, uchar, short, 8)
WIDTHS(UPSAMPLE, uchar, uchar, ushort, 8)
WIDTHS(UPSAMPLE, short, ushort, int, 16)
WIDTHS(UPSAMPLE, ushort, ushort, uint, 16)
WIDTHS(UPSAMPLE, int, uint, long, 32)
WIDTHS(UPSAMPLE, uint, uint, ulong, 32)
