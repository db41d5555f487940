// SPDX-License-Identifier: Apache-2.0
// Integer dot products of cl_khr_integer_dot_product: four pairs of bytes, as vectors or packed into a word.
#include "builtins.h"

// The sum of four products of bytes fits into 18 bits; only the sum with the accumulator can overflow.
#define DOT(A, B, R) \
    OVERLOAD R dot(A##4 a, B##4 b) { \
        return (R)a.x * (R)b.x + (R)a.y * (R)b.y + ((R)a.z * (R)b.z + (R)a.w * (R)b.w); \
    } \
    OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R acc) { return add_sat(dot(a, b), acc); }
DOT(uchar, uchar, uint)
DOT(char, char, int)
DOT(uchar, char, int)
DOT(char, uchar, int)

#define PACKED(signs, A, B, R) \
    OVERLOAD R dot_4x8packed_##signs##_##R(uint a, uint b) { return dot(as_##A##4(a), as_##B##4(b)); } \
    OVERLOAD R dot_acc_sat_4x8packed_##signs##_##R(uint a, uint b, R acc) { \
        return add_sat(dot(as_##A##4(a), as_##B##4(b)), acc); \
    }
PACKED(uu, uchar, uchar, uint)
PACKED(ss, char, char, int)
PACKED(us, uchar, char, int)
PACKED(su, char, uchar, int)

// The same as SPIR-V's instructions, by the names the translator gives them, with the result's type R at the end; there
// bytes have no sign.
#define FORMAT int format      // of packed operands: there is one
#define SPIRV_AS(R, sign, A, B, I) \
    OVERLOAD R __spirv_##sign##DotKHR_R##R(char4 a, char4 b) { return (R)dot(as_##A##4(a), as_##B##4(b)); } \
    OVERLOAD R __spirv_##sign##DotKHR_R##R(int a, int b, FORMAT) { return (R)dot(as_##A##4(a), as_##B##4(b)); } \
    OVERLOAD R __spirv_##sign##DotAccSatKHR_R##R(char4 a, char4 b, I acc) { \
        return add_sat((R)dot(as_##A##4(a), as_##B##4(b)), (R)acc); \
    } \
    OVERLOAD R __spirv_##sign##DotAccSatKHR_R##R(int a, int b, I acc, FORMAT) { \
        return add_sat((R)dot(as_##A##4(a), as_##B##4(b)), (R)acc); \
    }
#define SPIRV(I) \
    SPIRV_AS(I, S, char, char, I) SPIRV_AS(I, SU, char, uchar, I) SPIRV_AS(u##I, U, uchar, uchar, I)
SPIRV(char)
SPIRV(short)
SPIRV(int)
SPIRV(long)
