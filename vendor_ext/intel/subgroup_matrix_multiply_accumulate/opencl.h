// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_matrix_multiply_accumulate and cl_intel_subgroup_split_matrix_multiply_accumulate in OpenCL C: what
// programs find declared, for sub-groups of 8.
// Read where a program says: _matrix_mad_
#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_MAD(NAME, A, B, T) \
    T __CLPY_F intel_sub_group_##NAME(A, B##8, T); T##2 __CLPY_F intel_sub_group_##NAME(A##2, B##8, T##2); \
    T##4 __CLPY_F intel_sub_group_##NAME(A##4, B##8, T##4); T##8 __CLPY_F intel_sub_group_##NAME(A##8, B##8, T##8);
__CLPY_MAD(i8_i8_matrix_mad_k32, int, int, int)
__CLPY_MAD(i8_u8_matrix_mad_k32, int, uint, int)
__CLPY_MAD(u8_i8_matrix_mad_k32, uint, int, int)
__CLPY_MAD(u8_u8_matrix_mad_k32, uint, uint, int)
__CLPY_MAD(i4_i4_matrix_mad_k64, int, int, int)
__CLPY_MAD(i4_u4_matrix_mad_k64, int, uint, int)
__CLPY_MAD(u4_i4_matrix_mad_k64, uint, int, int)
__CLPY_MAD(u4_u4_matrix_mad_k64, uint, uint, int)
__CLPY_MAD(bf16_bf16_matrix_mad_k16, int, int, float)
__CLPY_MAD(f16_f16_matrix_mad_k16, int, int, float)
#define __CLPY_SPLIT(NAME, A, B, T) \
    T##2 __CLPY_F intel_sub_group_##NAME(A, B##8, T##2); T##4 __CLPY_F intel_sub_group_##NAME(A##2, B##8, T##4); \
    T##8 __CLPY_F intel_sub_group_##NAME(A##4, B##8, T##8);
__CLPY_SPLIT(i8_i8_split_matrix_mad_k32, int, int, int)
__CLPY_SPLIT(i8_u8_split_matrix_mad_k32, int, uint, int)
__CLPY_SPLIT(u8_i8_split_matrix_mad_k32, uint, int, int)
__CLPY_SPLIT(u8_u8_split_matrix_mad_k32, uint, uint, int)
__CLPY_SPLIT(bf16_bf16_split_matrix_mad_k16, int, int, float)
__CLPY_SPLIT(f16_f16_split_matrix_mad_k16, int, int, float)
#undef __CLPY_F
#undef __CLPY_MAD
#undef __CLPY_SPLIT
