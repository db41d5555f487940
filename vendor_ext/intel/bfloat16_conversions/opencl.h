// SPDX-License-Identifier: Apache-2.0
// cl_intel_bfloat16_conversions in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, const))
#define __CLPY_PAIR(N) ushort##N __CLPY_F intel_convert_bfloat16##N##_as_ushort##N(float##N); \
    float##N __CLPY_F intel_convert_as_bfloat16##N##_float##N(ushort##N);
__CLPY_PAIR()
__CLPY_PAIR(2)
__CLPY_PAIR(3)
__CLPY_PAIR(4)
__CLPY_PAIR(8)
__CLPY_PAIR(16)
#undef __CLPY_F
#undef __CLPY_PAIR
