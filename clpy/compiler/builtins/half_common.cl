// SPDX-License-Identifier: Apache-2.0
// Common, geometric and relational functions of half numbers, and their conversions. What rounds more than once is
// computed in float: there are no carries out of the range on the way, and one rounding counts.
#include "half_types.h"

#define COMMON(N, ...) \
    OF_FLOAT(N, degrees)(float##N); \
    OF_FLOAT(N, radians)(float##N); \
    OF_FLOAT(N, mix)(float##N, float##N, float##N); \
    OF_FLOAT(N, smoothstep)(float##N, float##N, float##N); \
    OVERLOAD half##N max(half##N x, half##N y) { return x < y ? y : x; } \
    OVERLOAD half##N min(half##N x, half##N y) { return y < x ? y : x; } \
    OVERLOAD half##N clamp(half##N x, half##N low, half##N high) { return fmin(fmax(x, low), high); } \
    OVERLOAD half##N degrees(half##N x) { return HALF(N, degrees(FLOAT(N, x))); } \
    OVERLOAD half##N radians(half##N x) { return HALF(N, radians(FLOAT(N, x))); } \
    OVERLOAD half##N mix(half##N x, half##N y, half##N a) { \
        return HALF(N, mix(FLOAT(N, x), FLOAT(N, y), FLOAT(N, a))); \
    } \
    OVERLOAD half##N step(half##N edge, half##N x) { return x < edge ? (half##N)0 : (half##N)1; } \
    OVERLOAD half##N smoothstep(half##N low, half##N high, half##N x) { \
        return HALF(N, smoothstep(FLOAT(N, low), FLOAT(N, high), FLOAT(N, x))); \
    } \
    OVERLOAD half##N sign(half##N x) { \
        half##N one = copysign((half##N)1, x); \
        return x != x ? (half##N)0 : x == (half)0 ? x : one; \
    }
WIDTHS(COMMON, )

#define WITH_SCALARS(N, ...) \
    OVERLOAD half##N max(half##N x, half y) { return max(x, (half##N)y); } \
    OVERLOAD half##N min(half##N x, half y) { return min(x, (half##N)y); } \
    OVERLOAD half##N clamp(half##N x, half low, half high) { return clamp(x, (half##N)low, (half##N)high); } \
    OVERLOAD half##N mix(half##N x, half##N y, half a) { return mix(x, y, (half##N)a); } \
    OVERLOAD half##N step(half edge, half##N x) { return step((half##N)edge, x); } \
    OVERLOAD half##N smoothstep(half low, half high, half##N x) { \
        return smoothstep((half##N)low, (half##N)high, x); \
    }
VECTORS(WITH_SCALARS, )

#define CROSS(N) \
    OF_FLOAT(N, cross)(float##N, float##N); \
    OVERLOAD half##N cross(half##N a, half##N b) { return HALF(N, cross(FLOAT(N, a), FLOAT(N, b))); }
CROSS(3)
CROSS(4)
#define GEOMETRY(N) \
    OF_FLOAT(, dot)(float##N, float##N); \
    OF_FLOAT(, length)(float##N); \
    OF_FLOAT(, distance)(float##N, float##N); \
    OF_FLOAT(N, normalize)(float##N); \
    OVERLOAD half dot(half##N a, half##N b) { return dot(FLOAT(N, a), FLOAT(N, b)); } \
    OVERLOAD half length(half##N x) { return length(FLOAT(N, x)); } \
    OVERLOAD half distance(half##N a, half##N b) { return distance(FLOAT(N, a), FLOAT(N, b)); } \
    OVERLOAD half##N normalize(half##N x) { return HALF(N, normalize(FLOAT(N, x))); }
GEOMETRY()
GEOMETRY(2)
GEOMETRY(3)
GEOMETRY(4)

// A comparison is 1 or 0 for scalars (int), -1 or 0 for each lane of a vector.
#define RELATIONAL(N, R) \
    OVERLOAD R##N isequal(half##N x, half##N y) { return x == y; } \
    OVERLOAD R##N isnotequal(half##N x, half##N y) { return x != y; } \
    OVERLOAD R##N isgreater(half##N x, half##N y) { return x > y; } \
    OVERLOAD R##N isgreaterequal(half##N x, half##N y) { return x >= y; } \
    OVERLOAD R##N isless(half##N x, half##N y) { return x < y; } \
    OVERLOAD R##N islessequal(half##N x, half##N y) { return x <= y; } \
    OVERLOAD R##N islessgreater(half##N x, half##N y) { return (x < y) | (x > y); } \
    OVERLOAD R##N isordered(half##N x, half##N y) { return (x == x) & (y == y); } \
    OVERLOAD R##N isunordered(half##N x, half##N y) { return (x != x) | (y != y); } \
    OVERLOAD R##N isfinite(half##N x) { return fabs(x) < (half)INFINITY; } \
    OVERLOAD R##N isinf(half##N x) { return fabs(x) == (half)INFINITY; } \
    OVERLOAD R##N isnan(half##N x) { return x != x; } \
    OVERLOAD R##N isnormal(half##N x) { return (fabs(x) >= (half)0x1p-14f) & (fabs(x) < (half)INFINITY); } \
    OVERLOAD R##N signbit(half##N x) { return as_short##N(x) < (short)0; }
RELATIONAL(, int)
VECTORS(RELATIONAL, short)

#define SELECTS(N, ...) \
    OVERLOAD half##N bitselect(half##N a, half##N b, half##N c) { \
        ushort##N mask = as_ushort##N(c), r = (as_ushort##N(a) & ~mask) | (as_ushort##N(b) & mask); \
        return as_half##N(r); \
    } \
    OVERLOAD half##N select(half##N a, half##N b, short##N c) { return c ? b : a; } \
    OVERLOAD half##N select(half##N a, half##N b, ushort##N c) { return c ? b : a; }
WIDTHS(SELECTS, )
