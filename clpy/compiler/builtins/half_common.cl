// SPDX-License-Identifier: Apache-2.0
// Common, geometric and relational functions of half numbers, and their conversions. What rounds more than once is
// computed in float: there are no carries out of the range on the way, and one rounding counts.
#include "half_types.h"

#define COMMON(N, ...) \
    OF_FLOAT(N, degrees)(float##N); \
    OF_FLOAT(N, radians)(float##N); \
    OF_FLOAT(N, mix)(float##N, float##N, float##N); \
    OF_FLOAT(N, smoothstep)(float##N, float##N, float##N); \
    OVERLOAD half##N degrees(half##N x) { return HALF(N, degrees(FLOAT(N, x))); } \
    OVERLOAD half##N radians(half##N x) { return HALF(N, radians(FLOAT(N, x))); } \
    OVERLOAD half##N mix(half##N x, half##N y, half##N a) { \
        return HALF(N, mix(FLOAT(N, x), FLOAT(N, y), FLOAT(N, a))); \
    } \
    OVERLOAD half##N smoothstep(half##N low, half##N high, half##N x) { \
        return HALF(N, smoothstep(FLOAT(N, low), FLOAT(N, high), FLOAT(N, x))); \
    }
WIDTHS(COMMON, )
HALF_WIDTHS(COMPARED)
HALF_VECTORS(WITH_SCALARS)

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

COMPARISONS(, half, short, int, 0x1p-14f)
VECTORS(COMPARISONS, half, short, short, 0x1p-14f)
HALF_WIDTHS(BITSELECT)
HALF_WIDTHS(SELECT)
