/* SPDX-License-Identifier: Apache-2.0
 * Functions that are the same expression in half, float and double. Half numbers have files of their own that apply
 * them, so that a program without such reads none. T, I, U: as in builtins.h. */
#ifndef CLPY_FORMATS_H
#define CLPY_FORMATS_H

#include "builtins.h"

/* A comparison is 1 or 0 for scalars (R is int), -1 or 0 for each lane of a vector (R is I). */
#define COMPARISONS(N, T, I, R, smallest) \
    OVERLOAD R##N isequal(T##N x, T##N y) { return x == y; } \
    OVERLOAD R##N isnotequal(T##N x, T##N y) { return x != y; } \
    OVERLOAD R##N isgreater(T##N x, T##N y) { return x > y; } \
    OVERLOAD R##N isgreaterequal(T##N x, T##N y) { return x >= y; } \
    OVERLOAD R##N isless(T##N x, T##N y) { return x < y; } \
    OVERLOAD R##N islessequal(T##N x, T##N y) { return x <= y; } \
    OVERLOAD R##N islessgreater(T##N x, T##N y) { return (x < y) | (x > y); } \
    OVERLOAD R##N isordered(T##N x, T##N y) { return (x == x) & (y == y); } \
    OVERLOAD R##N isunordered(T##N x, T##N y) { return (x != x) | (y != y); } \
    OVERLOAD R##N isfinite(T##N x) { return fabs(x) < (T)INFINITY; } \
    OVERLOAD R##N isinf(T##N x) { return fabs(x) == (T)INFINITY; } \
    OVERLOAD R##N isnan(T##N x) { return x != x; } \
    OVERLOAD R##N isnormal(T##N x) { return (fabs(x) >= (T)smallest) & (fabs(x) < (T)INFINITY); } \
    OVERLOAD R##N signbit(T##N x) { return as_##I##N(x) < (I)0; }

#define BITSELECT(N, T, I, U) \
    OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) { \
        U##N mask = as_##U##N(c), r = (as_##U##N(a) & ~mask) | (as_##U##N(b) & mask); \
        return as_##T##N(r); \
    }

/* For a scalar any bit decides, for a vector the sign bit of the lane: what ?: does with each. */
#define SELECT(N, T, I, U) \
    OVERLOAD T##N select(T##N a, T##N b, I##N c) { return c ? b : a; } \
    OVERLOAD T##N select(T##N a, T##N b, U##N c) { return c ? b : a; }

#define COMPARED(N, T, I, U) \
    OVERLOAD T##N max(T##N x, T##N y) { return x < y ? y : x; } \
    OVERLOAD T##N min(T##N x, T##N y) { return y < x ? y : x; } \
    OVERLOAD T##N clamp(T##N x, T##N low, T##N high) { return fmin(fmax(x, low), high); } \
    OVERLOAD T##N step(T##N edge, T##N x) { return x < edge ? (T##N)0 : (T##N)1; } \
    OVERLOAD T##N sign(T##N x) { \
        T##N one = copysign((T##N)1, x); \
        return x != x ? (T##N)0 : x == (T)0 ? x : one; \
    }

/* Of vectors: a scalar stands for each lane. */
#define WITH_SCALARS(N, T, I, U) \
    OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); } \
    OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); } \
    OVERLOAD T##N clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); } \
    OVERLOAD T##N mix(T##N x, T##N y, T a) { return mix(x, y, (T##N)a); } \
    OVERLOAD T##N step(T edge, T##N x) { return step((T##N)edge, x); } \
    OVERLOAD T##N smoothstep(T low, T high, T##N x) { return smoothstep((T##N)low, (T##N)high, x); }

#define BY_MAGNITUDE(N, T, I, U) \
    OVERLOAD T##N maxmag(T##N x, T##N y) { \
        T##N ax = fabs(x), ay = fabs(y); \
        return ax > ay ? x : ay > ax ? y : fmax(x, y); \
    } \
    OVERLOAD T##N minmag(T##N x, T##N y) { \
        T##N ax = fabs(x), ay = fabs(y); \
        return ax < ay ? x : ay < ax ? y : fmin(x, y); \
    }

#define LARGER_OF_SCALAR(N, T, I, U) \
    OVERLOAD T##N fmax(T##N x, T y) { return fmax(x, (T##N)y); } \
    OVERLOAD T##N fmin(T##N x, T y) { return fmin(x, (T##N)y); }

#define MODF(N, T, A) \
    OVERLOAD T##N modf(T##N x, A T##N *p) { \
        T##N whole = trunc(x); \
        *p = whole; \
        return copysign(fabs(x) == (T)INFINITY ? (T##N)0 : x - whole, x); \
    }
/* The result stays below 1 when x is a negative number next to zero; infinity leaves +0 or -0 and NaN stays NaN. */
#define FRACT(N, T, A, below_one) \
    OVERLOAD T##N fract(T##N x, A T##N *p) { \
        T##N whole = floor(x), part = x - whole; \
        part = part >= (T)1 ? (T##N)below_one : part; \
        *p = whole; \
        return fabs(x) == (T)INFINITY ? copysign((T##N)0, x) : x == (T)0 ? x : part; \
    }
#define PARTS(A, T, below_one) WIDTHS(MODF, T, A) WIDTHS(FRACT, T, A, below_one)

#define NAN_OF_CODE(N, T, U, quiet) OVERLOAD T##N nan(U##N code) { return as_##T##N((U##N)(code | (U)quiet)); }

/* Numbers in order, as integers: those with a sign bit count downwards from zero. */
#define NEXTAFTER(N, T, I, sign) \
    INTERNAL I##N ordered(I##N bits) { return bits < (I)0 ? (I)sign - bits : bits; } \
    OVERLOAD T##N nextafter(T##N x, T##N y) { \
        I##N from = ordered(as_##I##N(x)), to = ordered(as_##I##N(y)); \
        T##N next = as_##T##N(ordered((I##N)(from + (to > from ? (I##N)1 : (I##N)-1)))); \
        return (x != x) | (y != y) ? x + y : x == y ? y : next; \
    }

#endif
