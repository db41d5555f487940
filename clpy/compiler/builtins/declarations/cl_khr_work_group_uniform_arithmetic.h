// SPDX-License-Identifier: Apache-2.0
// cl_khr_work_group_uniform_arithmetic in OpenCL C: what programs find declared.
// Read where a program says: work_group_
#if __OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__)
#define __CLPY_GROUP __attribute__((overloadable, convergent))
#define __CLPY_GROUP_OF(T, NAME) T __CLPY_GROUP work_group_reduce_##NAME(T); \
    T __CLPY_GROUP work_group_scan_inclusive_##NAME(T); T __CLPY_GROUP work_group_scan_exclusive_##NAME(T);
#define __CLPY_GROUP_BITS(T) __CLPY_GROUP_OF(T, and) __CLPY_GROUP_OF(T, or) __CLPY_GROUP_OF(T, xor) \
    __CLPY_GROUP_OF(T, mul)
__CLPY_GROUP_BITS(int)
__CLPY_GROUP_BITS(uint)
__CLPY_GROUP_BITS(long)
__CLPY_GROUP_BITS(ulong)
__CLPY_GROUP_OF(float, mul)
#ifdef cl_khr_fp64
__CLPY_GROUP_OF(double, mul)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__CLPY_GROUP_OF(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
__CLPY_GROUP_OF(int, logical_and)
__CLPY_GROUP_OF(int, logical_or)
__CLPY_GROUP_OF(int, logical_xor)
#undef __CLPY_GROUP_BITS
#undef __CLPY_GROUP_OF
#undef __CLPY_GROUP
#endif
