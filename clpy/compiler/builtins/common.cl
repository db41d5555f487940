// SPDX-License-Identifier: Apache-2.0
// Common functions.
#include "elementwise.h"
#include "formats.h"

FLOATING(COMPARED)

#define COMMON(N, T, I, U) \
    OVERLOAD T##N degrees(T##N x) { return x * (T)57.295779513082320877; } \
    OVERLOAD T##N radians(T##N x) { return x * (T)0.017453292519943295769; } \
    OVERLOAD T##N mix(T##N x, T##N y, T##N a) { return x + (y - x) * a; } \
    OVERLOAD T##N smoothstep(T##N low, T##N high, T##N x) { \
        T##N t = fmin(fmax((x - low) / (high - low), (T##N)0), (T##N)1); \
        return t * t * (3 - 2 * t); \
    }
FLOATING(COMMON)

FLOATING_VECTORS(WITH_SCALARS)
