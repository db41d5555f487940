// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_EXCHANGE(T) \
    T __CLPY_F intel_sub_group_shuffle(T, uint); T __CLPY_F intel_sub_group_shuffle_xor(T, uint); \
    T __CLPY_F intel_sub_group_shuffle_down(T, T, uint); T __CLPY_F intel_sub_group_shuffle_up(T, T, uint);
#define __CLPY_WIDTHS(T) __CLPY_EXCHANGE(T) __CLPY_EXCHANGE(T##2) __CLPY_EXCHANGE(T##3) __CLPY_EXCHANGE(T##4) \
    __CLPY_EXCHANGE(T##8) __CLPY_EXCHANGE(T##16)
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#define __CLPY_BOTH(T, NAME) T __CLPY_F intel_sub_group_block_read##NAME(read_write image2d_t, int2); \
    void __CLPY_F intel_sub_group_block_write##NAME(read_write image2d_t, int2, T);
#else
#define __CLPY_BOTH(T, NAME)
#endif
#define __CLPY_BLOCK(T, NAME, P) \
    T __CLPY_F intel_sub_group_block_read##NAME(const __global P *); \
    void __CLPY_F intel_sub_group_block_write##NAME(__global P *, T); \
    T __CLPY_F intel_sub_group_block_read##NAME(read_only image2d_t, int2); \
    void __CLPY_F intel_sub_group_block_write##NAME(write_only image2d_t, int2, T); \
    __CLPY_BOTH(T, NAME)
__CLPY_WIDTHS(float)
__CLPY_WIDTHS(int)
__CLPY_WIDTHS(uint)
__CLPY_EXCHANGE(long)
__CLPY_EXCHANGE(ulong)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__CLPY_EXCHANGE(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__CLPY_EXCHANGE(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
__CLPY_BLOCK(uint, , uint)
__CLPY_BLOCK(uint2, 2, uint)
__CLPY_BLOCK(uint4, 4, uint)
__CLPY_BLOCK(uint8, 8, uint)
__CLPY_BLOCK(uint, _ui, uint)
__CLPY_BLOCK(uint2, _ui2, uint)
__CLPY_BLOCK(uint4, _ui4, uint)
__CLPY_BLOCK(uint8, _ui8, uint)
#undef __CLPY_F
#undef __CLPY_EXCHANGE
#undef __CLPY_WIDTHS
#undef __CLPY_BOTH
#undef __CLPY_BLOCK
