// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_split_matrix_multiply_accumulate: sub-groups 2n and 2n + 1 of a group are a pair. Each lays its
// rows of a into the group's arrays (collective.cl); behind a cut both read all of them, and behind another one the
// arrays are free for the next call. A pair has places of its own there, so that others need not come to the call.
#include "builtins.h"

#define SIZE 8
#define TOGETHER __attribute__((overloadable, convergent))
#define WRAPPER __attribute__((overloadable, convergent, always_inline))
#define INLINE static inline __attribute__((overloadable, always_inline))

TOGETHER uint __clpy_sub_groups_of(uint size);
__private void *__clpy_group_given(void);
__private void *__clpy_group_gets(void);
__attribute__((convergent)) void __clpy_group_cut(void);

// The arrays have 8 bytes for each work-item: two words of a in each.
INLINE void give(size_t i, uint a) { ((__private uint *)__clpy_group_given())[2 * i] = a; }
INLINE void give(size_t i, uint2 a) { ((__private uint2 *)__clpy_group_given())[i] = a; }
INLINE void give(size_t i, uint4 a) {
    give(i, a.lo);
    ((__private uint2 *)__clpy_group_gets())[i] = a.hi;
}
INLINE void take(size_t i, uint *a) { *a = ((__private uint *)__clpy_group_given())[2 * i]; }
INLINE void take(size_t i, uint2 *a) { *a = ((__private uint2 *)__clpy_group_given())[i]; }
INLINE void take(size_t i, uint4 *a) {
    take(i, (uint2 *)a);
    a->hi = ((__private uint2 *)__clpy_group_gets())[i];
}

// Both sub-groups' words of the work-item's lane. One without another, which the text leaves undefined, stays inside.
#define BOTH(U) \
    INLINE void both(U a, U *first, U *second) { \
        uint size = __clpy_sub_groups_of(SIZE); \
        size_t own = get_local_linear_id(), last = get_local_size(0) * get_local_size(1) * get_local_size(2) - 1; \
        size_t at = own - (get_sub_group_id() & 1) * size; \
        give(own, a); \
        __clpy_group_cut(); \
        take(at, first); \
        take(min(at + size, last), second); \
        __clpy_group_cut(); \
    }
BOTH(uint)
BOTH(uint2)
BOTH(uint4)

// M rows of which each has half: the product of the first half and that of the second, one below the other.
#define ROWS(KINDS, K, A, B, T, U, HALF, WHOLE) \
    T##HALF TOGETHER intel_sub_group_##KINDS##_matrix_mad_##K(A##HALF, B##8, T##HALF); \
    T##WHOLE WRAPPER intel_sub_group_##KINDS##_split_matrix_mad_##K(A##HALF a, B##8 b, T##WHOLE acc) { \
        U##HALF first, second; \
        both(as_##U##HALF(a), &first, &second); \
        return (T##WHOLE)(intel_sub_group_##KINDS##_matrix_mad_##K(as_##A##HALF(first), b, acc.lo), \
                          intel_sub_group_##KINDS##_matrix_mad_##K(as_##A##HALF(second), b, acc.hi)); \
    }
#define SPLIT(KINDS, K, A, B, T) \
    ROWS(KINDS, K, A, B, T, uint, , 2) ROWS(KINDS, K, A, B, T, uint, 2, 4) ROWS(KINDS, K, A, B, T, uint, 4, 8)
SPLIT(i8_i8, k32, int, int, int)
SPLIT(i8_u8, k32, int, uint, int)
SPLIT(u8_i8, k32, uint, int, int)
SPLIT(u8_u8, k32, uint, uint, int)
SPLIT(bf16_bf16, k16, int, int, float)
SPLIT(f16_f16, k16, int, int, float)
