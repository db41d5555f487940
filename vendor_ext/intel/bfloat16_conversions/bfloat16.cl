// SPDX-License-Identifier: Apache-2.0
// cl_intel_bfloat16_conversions: the upper half of a float, rounded to the nearest, to even ones where two are as near.
#include "builtins.h"

#define PAIR(N, T) \
    ushort##N OVERLOAD intel_convert_bfloat16##N##_as_ushort##N(T##N x) \
    { \
        uint##N bits = as_uint##N(x), upper = bits >> 16; \
        uint##N rounded = (bits + 0x7FFFu + (upper & 1u)) >> 16; \
        return convert_ushort##N(isnan(x) ? upper | 0x40u : rounded); \
    } \
    T##N OVERLOAD intel_convert_as_bfloat16##N##_##T##N(ushort##N x) \
    { \
        return as_##T##N(convert_uint##N(x) << 16); \
    }
WIDTHS(PAIR, float)
