// SPDX-License-Identifier: Apache-2.0
// cl_amd_media_ops2 in OpenCL C: what programs find declared.
// Read where a program says: amd_
#define __CLPY_OP __attribute__((overloadable, const))
#define __CLPY_WIDTHS(OP, NAME, T) OP(NAME, T, ) OP(NAME, T, 2) OP(NAME, T, 3) OP(NAME, T, 4) OP(NAME, T, 8) \
    OP(NAME, T, 16)
#define __CLPY_TWO(NAME, T, N) T##N __CLPY_OP NAME(T##N, T##N);
#define __CLPY_THREE(NAME, T, N) T##N __CLPY_OP NAME(T##N, T##N, T##N);
#define __CLPY_FIELD(NAME, T, N) T##N __CLPY_OP NAME(T##N, uint##N, uint##N);
#define __CLPY_QUAD(NAME, T, N) ulong##N __CLPY_OP NAME(ulong##N, uint##N, ulong##N);
__CLPY_WIDTHS(__CLPY_TWO, amd_bfm, uint)
__CLPY_WIDTHS(__CLPY_FIELD, amd_bfe, uint)
__CLPY_WIDTHS(__CLPY_FIELD, amd_bfe, int)
__CLPY_WIDTHS(__CLPY_THREE, amd_median3, uint)
__CLPY_WIDTHS(__CLPY_THREE, amd_median3, int)
__CLPY_WIDTHS(__CLPY_THREE, amd_median3, float)
__CLPY_WIDTHS(__CLPY_THREE, amd_min3, uint)
__CLPY_WIDTHS(__CLPY_THREE, amd_min3, int)
__CLPY_WIDTHS(__CLPY_THREE, amd_min3, float)
__CLPY_WIDTHS(__CLPY_THREE, amd_max3, uint)
__CLPY_WIDTHS(__CLPY_THREE, amd_max3, int)
__CLPY_WIDTHS(__CLPY_THREE, amd_max3, float)
__CLPY_WIDTHS(__CLPY_THREE, amd_msad, uint)
__CLPY_WIDTHS(__CLPY_THREE, amd_sadd, uint)
__CLPY_WIDTHS(__CLPY_THREE, amd_sadw, uint)
__CLPY_WIDTHS(__CLPY_QUAD, amd_qsad, )
__CLPY_WIDTHS(__CLPY_QUAD, amd_mqsad, )
#undef __CLPY_OP
#undef __CLPY_WIDTHS
#undef __CLPY_TWO
#undef __CLPY_THREE
#undef __CLPY_FIELD
#undef __CLPY_QUAD
