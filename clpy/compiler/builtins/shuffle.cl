// SPDX-License-Identifier: Apache-2.0
// shuffle and shuffle2: of an element of the mask only the bits that number the elements of the source count.
#include "builtins.h"

// M(source elements M, their double D, T, U) for every type, then each size of the result.
#define SOURCES(M, T, U) M(2, 4, T, U) M(4, 8, T, U) M(8, 16, T, U) M(16, 32, T, U)
#define FROM(M, D, T, U) TO(2, M, D, T, U) TO(4, M, D, T, U) TO(8, M, D, T, U) TO(16, M, D, T, U)

#define PICK(i, M) x[mask.s##i & (M - 1)]
#define PICK_OF_TWO(i, D) both[mask.s##i & (D - 1)]
#define TO(N, M, D, T, U) \
    OVERLOAD T##N shuffle(T##M x, U##N mask) { return (T##N)(LANES_##N(PICK, M)); } \
    OVERLOAD T##N shuffle2(T##M x, T##M y, U##N mask) { \
        T##D both = (T##D)(x, y); \
        return (T##N)(LANES_##N(PICK_OF_TWO, D)); \
    }

#define FOR_TYPE(T, U) \
    typedef T T##32 __attribute__((ext_vector_type(32))); \
    SOURCES(FROM, T, U)
FOR_TYPE(char, uchar)
FOR_TYPE(uchar, uchar)
FOR_TYPE(short, ushort)
FOR_TYPE(ushort, ushort)
FOR_TYPE(int, uint)
FOR_TYPE(uint, uint)
FOR_TYPE(long, ulong)
FOR_TYPE(ulong, ulong)
FOR_TYPE(half, ushort)
FOR_TYPE(float, uint)
FOR_TYPE(double, ulong)
