// SPDX-License-Identifier: Apache-2.0
// Geometric functions. Lengths of floats are computed in double: no overflow on the way, and one rounding at the end.
#include "builtins.h"
#include "elementwise.h"

#define CROSS(T) \
    OVERLOAD T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; } \
    OVERLOAD T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); }
CROSS(float)
CROSS(double)

#define SUM_(v) (v)
#define SUM_2(v) ((v).x + (v).y)
#define SUM_3(v) ((v).x + (v).y + (v).z)
#define SUM_4(v) (((v).x + (v).y) + ((v).z + (v).w))
#define LARGEST_(v) (v)
#define LARGEST_2(v) fmax((v).x, (v).y)
#define LARGEST_3(v) fmax(LARGEST_2(v), (v).z)
#define LARGEST_4(v) fmax(LARGEST_2(v), fmax((v).z, (v).w))
#define TO_FOUR(M) M() M(2) M(3) M(4)

// Products are added as they are made, where the machine does both at once.
#define DOT_(a, b) ((a) * (b))
#define DOT_2(a, b) ((a).x * (b).x + (a).y * (b).y)
#define DOT_3(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)
#define DOT_4(a, b) (((a).x * (b).x + (a).y * (b).y) + ((a).z * (b).z + (a).w * (b).w))
#define DOT(N) \
    OVERLOAD float dot(float##N a, float##N b) { _Pragma("clang fp contract(on)") return DOT_##N(a, b); } \
    OVERLOAD double dot(double##N a, double##N b) { _Pragma("clang fp contract(on)") return DOT_##N(a, b); }
TO_FOUR(DOT)

// An infinite element has a direction of its own: the others count as nothing beside it.
#define FINITE_DIRECTION(N, T) \
    T##N ax = fabs(x); \
    T##N unit = copysign(ax == (T)INFINITY ? (T##N)1 : (T##N)0, x); \
    x = LARGEST_##N(ax) == (T)INFINITY ? unit : x;

#define FLOAT_GEOMETRY(N) \
    OVERLOAD float length(float##N x) { double##N d = CONVERT_##N(x, double), p = d * d; return sqrt(SUM_##N(p)); } \
    OVERLOAD float distance(float##N a, float##N b) { \
        double##N d = CONVERT_##N(a, double) - CONVERT_##N(b, double), p = d * d; \
        return sqrt(SUM_##N(p)); \
    } \
    OVERLOAD float##N normalize(float##N x) { \
        FINITE_DIRECTION(N, float) \
        double##N d = CONVERT_##N(x, double), p = d * d; \
        double square = SUM_##N(p); \
        return square == 0 ? x : CONVERT_##N(d / sqrt(square), float); \
    } \
    OVERLOAD float fast_length(float##N x) { return sqrt(dot(x, x)); } \
    OVERLOAD float fast_distance(float##N a, float##N b) { return fast_length(a - b); } \
    OVERLOAD float##N fast_normalize(float##N x) { \
        float square = dot(x, x); \
        return square == 0 ? x : x * rsqrt(square); \
    }
TO_FOUR(FLOAT_GEOMETRY)

// Squares of very large or small doubles leave the range: such vectors are scaled by a power of two before and after.
// An element that is too small for the length then still has a direction: what is divided is scaled no further than
// the length needs to stay in the range.
#define SCALE(N) \
    double##N ax = fabs(x); \
    double top = LARGEST_##N(ax), scale = top > 0x1p500 ? 0x1p-600 : top < 0x1p-500 ? 0x1p600 : 1.0; \
    double##N near = x * scale, p = near * near; \
    double size = sqrt(SUM_##N(p));
#define DOUBLE_GEOMETRY(N) \
    OVERLOAD double length(double##N x) { \
        SCALE(N) \
        return size / scale; \
    } \
    OVERLOAD double distance(double##N a, double##N b) { return length(a - b); } \
    INTERNAL double##N direction(double##N x) { \
        SCALE(N) \
        double least = top > 0x1p500 ? 0x1p-4 : scale; \
        return size == 0 ? x : x * least / (size * (least / scale)); \
    } \
    OVERLOAD double##N normalize(double##N x) { \
        FINITE_DIRECTION(N, double) \
        return direction(x); \
    }
TO_FOUR(DOUBLE_GEOMETRY)
