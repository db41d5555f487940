// SPDX-License-Identifier: Apache-2.0
// Relational functions.
#include "elementwise.h"
#include "formats.h"

COMPARISONS(, float, int, int, FLT_MIN)
VECTORS(COMPARISONS, float, int, int, FLT_MIN)
COMPARISONS(, double, long, int, DBL_MIN)
VECTORS(COMPARISONS, double, long, long, DBL_MIN)

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

EVERY_TYPE(BITSELECT)

EVERY_TYPE(SELECT)
