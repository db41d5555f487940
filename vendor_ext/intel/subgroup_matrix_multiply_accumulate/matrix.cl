// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_matrix_multiply_accumulate: each work-item has a column of b and of the result, and of each row of
// a the eighth part, which all get from it in turn.
#include "builtins.h"

#define TOGETHER __attribute__((overloadable, convergent))
#define WRAPPER __attribute__((overloadable, convergent, always_inline))
#define INLINE static inline __attribute__((always_inline))

TOGETHER uint __clpy_sub_group_shuffle(uint x, uint index, bool mask);

// The product of a word of a and one of b, added to a value. Integers: number i of a word, with its sign or without.
#define I8(x, i) ((int)((x) << (24 - 8 * i)) >> 24)
#define U8(x, i) (int)((x) >> 8 * i & 0xFF)
#define I4(x, i) ((int)((x) << (28 - 4 * i)) >> 28)
#define U4(x, i) (int)((x) >> 4 * i & 0xF)
#define TERM(A, B, i) A(a, i) * B(b, i)
#define OF_8(A, B) \
    INLINE int dot_##A##_##B(uint a, uint b, int acc) { \
        return acc + TERM(A, B, 0) + TERM(A, B, 1) + TERM(A, B, 2) + TERM(A, B, 3); \
    }
#define OF_4(A, B) \
    INLINE int dot_##A##_##B(uint a, uint b, int acc) { \
        return acc + TERM(A, B, 0) + TERM(A, B, 1) + TERM(A, B, 2) + TERM(A, B, 3) \
               + TERM(A, B, 4) + TERM(A, B, 5) + TERM(A, B, 6) + TERM(A, B, 7); \
    }
OF_8(I8, I8)
OF_8(I8, U8)
OF_8(U8, I8)
OF_8(U8, U8)
OF_4(I4, I4)
OF_4(I4, U4)
OF_4(U4, I4)
OF_4(U4, U4)

INLINE float dot_bf16(uint a, uint b, float acc)
{
    acc = fma(as_float(a << 16), as_float(b << 16), acc);
    return fma(as_float(a & 0xFFFF0000), as_float(b & 0xFFFF0000), acc);
}

INLINE float dot_f16(uint a, uint b, float acc)
{
    float2 x = convert_float2(as_half2(a)), y = convert_float2(as_half2(b));
    return fma(x.y, y.y, fma(x.x, y.x, acc));
}

#define PART(DOT, i, acc) DOT(__clpy_sub_group_shuffle(a, i, true), b.s##i, acc)
#define ROW(DOT, T) \
    INLINE T row_##DOT(uint a, uint8 b, T acc) { \
        T half_way = PART(DOT, 3, PART(DOT, 2, PART(DOT, 1, PART(DOT, 0, acc)))); \
        return PART(DOT, 7, PART(DOT, 6, PART(DOT, 5, PART(DOT, 4, half_way)))); \
    }
#define MAD(NAME, DOT, A, B, T) \
    T WRAPPER intel_sub_group_##NAME(A a, B##8 b, T acc) { return row_##DOT(as_uint(a), as_uint8(b), acc); } \
    T##2 WRAPPER intel_sub_group_##NAME(A##2 a, B##8 b, T##2 acc) { \
        return (T##2)(row_##DOT(as_uint(a.s0), as_uint8(b), acc.s0), row_##DOT(as_uint(a.s1), as_uint8(b), acc.s1)); \
    } \
    T##4 WRAPPER intel_sub_group_##NAME(A##4 a, B##8 b, T##4 acc) { \
        return (T##4)(intel_sub_group_##NAME(a.lo, b, acc.lo), intel_sub_group_##NAME(a.hi, b, acc.hi)); \
    } \
    T##8 WRAPPER intel_sub_group_##NAME(A##8 a, B##8 b, T##8 acc) { \
        return (T##8)(intel_sub_group_##NAME(a.lo, b, acc.lo), intel_sub_group_##NAME(a.hi, b, acc.hi)); \
    }
#define INTEGERS(NAME, DOT, A, B) ROW(DOT, int) MAD(NAME, DOT, A, B, int)
#define FLOATS(NAME, DOT) ROW(DOT, float) MAD(NAME, DOT, int, int, float)
INTEGERS(i8_i8_matrix_mad_k32, dot_I8_I8, int, int)
INTEGERS(i8_u8_matrix_mad_k32, dot_I8_U8, int, uint)
INTEGERS(u8_i8_matrix_mad_k32, dot_U8_I8, uint, int)
INTEGERS(u8_u8_matrix_mad_k32, dot_U8_U8, uint, uint)
INTEGERS(i4_i4_matrix_mad_k64, dot_I4_I4, int, int)
INTEGERS(i4_u4_matrix_mad_k64, dot_I4_U4, int, uint)
INTEGERS(u4_i4_matrix_mad_k64, dot_U4_I4, uint, int)
INTEGERS(u4_u4_matrix_mad_k64, dot_U4_U4, uint, uint)
FLOATS(bf16_bf16_matrix_mad_k16, dot_bf16)
FLOATS(f16_f16_matrix_mad_k16, dot_f16)
