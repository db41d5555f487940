// SPDX-License-Identifier: Apache-2.0
// Bit fields and reversal: cl_khr_extended_bit_ops. A field of no bits is left alone, and is zero when it is read.
#include "builtins.h"

#define BITS(T) ((uint)sizeof(T) * 8)
#define LOWEST(U, count) ((count) == 0 ? (U)0 : (U)((U)-1 >> (BITS(U) - (count))))

#define INSERT(N, T, I, U) \
    OVERLOAD T##N bitfield_insert(T##N base, T##N field, uint offset, uint count) { \
        U lowest = LOWEST(U, count); \
        T##N mask = (T##N)(T)lowest, moved = (T##N)(T)(U)(lowest << offset); \
        return (base & ~moved) | (T##N)((field & mask) << (T##N)(T)offset); \
    } \
    OVERLOAD T##N bit_reverse(T##N x) { return __builtin_elementwise_bitreverse(x); }
INTEGER(INSERT)

// A shift to the left brings the field to the top, one to the right back down with its sign or without.
#define EXTRACT(N, T, I, U, R, name) \
    OVERLOAD R##N bitfield_extract_##name(T##N base, uint offset, uint count) { \
        R##N top = (R##N)(CONVERT_##N(base, R) << (R##N)(R)(BITS(T) - offset - count)); \
        return count == 0 ? (R##N)0 : (R##N)(top >> (R##N)(R)(BITS(T) - count)); \
    }
#define EXTRACTS(N, T, I, U) EXTRACT(N, T, I, U, I, signed) EXTRACT(N, T, I, U, U, unsigned)
INTEGER(EXTRACTS)
