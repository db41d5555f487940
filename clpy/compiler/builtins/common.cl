// SPDX-License-Identifier: Apache-2.0
// Common functions.
#include "builtins.h"

#define COMMON(N, T, I, U) \
    OVERLOAD T##N max(T##N x, T##N y) { return x < y ? y : x; } \
    OVERLOAD T##N min(T##N x, T##N y) { return y < x ? y : x; } \
    OVERLOAD T##N clamp(T##N x, T##N low, T##N high) { return fmin(fmax(x, low), high); } \
    OVERLOAD T##N degrees(T##N x) { return x * (T)57.295779513082320877; } \
    OVERLOAD T##N radians(T##N x) { return x * (T)0.017453292519943295769; } \
    OVERLOAD T##N mix(T##N x, T##N y, T##N a) { return x + (y - x) * a; } \
    OVERLOAD T##N step(T##N edge, T##N x) { return x < edge ? (T##N)0 : (T##N)1; } \
    OVERLOAD T##N smoothstep(T##N low, T##N high, T##N x) { \
        T##N t = fmin(fmax((x - low) / (high - low), (T##N)0), (T##N)1); \
        return t * t * (3 - 2 * t); \
    } \
    OVERLOAD T##N sign(T##N x) { \
        T##N one = copysign((T##N)1, x); \
        return x != x ? (T##N)0 : x == (T)0 ? x : one; \
    }
FLOATING(COMMON)

#define WITH_SCALARS(N, T, I, U) \
    OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); } \
    OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); } \
    OVERLOAD T##N clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); } \
    OVERLOAD T##N mix(T##N x, T##N y, T a) { return mix(x, y, (T##N)a); } \
    OVERLOAD T##N step(T edge, T##N x) { return step((T##N)edge, x); } \
    OVERLOAD T##N smoothstep(T low, T high, T##N x) { return smoothstep((T##N)low, (T##N)high, x); }
FLOATING_VECTORS(WITH_SCALARS)
