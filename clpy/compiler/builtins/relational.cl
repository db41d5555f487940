// SPDX-License-Identifier: Apache-2.0
// Relational functions. A comparison is 1 or 0 for scalars (int), -1 or 0 for each lane of a vector (I##N).
#include "builtins.h"

#define COMPARISONS(N, T, R) \
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
    OVERLOAD R##N isnan(T##N x) { return x != x; }
#define COMPARISONS_float(N, R) \
    COMPARISONS(N, float, R) \
    OVERLOAD R##N isnormal(float##N x) { return (fabs(x) >= FLT_MIN) & (fabs(x) < INFINITY); } \
    OVERLOAD R##N signbit(float##N x) { return as_int##N(x) < 0; }
#define COMPARISONS_double(N, R) \
    COMPARISONS(N, double, R) \
    OVERLOAD R##N isnormal(double##N x) { return (fabs(x) >= DBL_MIN) & (fabs(x) < (double)INFINITY); } \
    OVERLOAD R##N signbit(double##N x) { return as_long##N(x) < 0l; }
WIDTHS(COMPARISONS_float, int)
COMPARISONS_double(, int)
VECTORS(COMPARISONS_double, long)

// The sign bit of a lane decides.
#define ANY_ALL(T) \
    OVERLOAD int any(T x) { return x < (T)0; } \
    OVERLOAD int all(T x) { return x < (T)0; } \
    VECTORS(ANY_ALL_VECTOR, T)
#define ANY_ALL_VECTOR(N, T) \
    OVERLOAD int any(T##N x) { return __builtin_reduce_or(x) < (T)0; } \
    OVERLOAD int all(T##N x) { return __builtin_reduce_and(x) < (T)0; }
ANY_ALL(char)
ANY_ALL(short)
ANY_ALL(int)
ANY_ALL(long)

#define BITSELECT(N, T, I, U) \
    OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) { \
        U##N mask = as_##U##N(c), r = (as_##U##N(a) & ~mask) | (as_##U##N(b) & mask); \
        return as_##T##N(r); \
    }
EVERY_TYPE(BITSELECT)

// For a scalar any bit decides, for a vector the sign bit of the lane: what ?: does with each.
#define SELECT(N, T, I, U) \
    OVERLOAD T##N select(T##N a, T##N b, I##N c) { return c ? b : a; } \
    OVERLOAD T##N select(T##N a, T##N b, U##N c) { return c ? b : a; }
EVERY_TYPE(SELECT)
