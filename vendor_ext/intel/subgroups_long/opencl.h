// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups_long in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, convergent))
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
__CLPY_BLOCK(ulong, _ul, ulong)
__CLPY_BLOCK(ulong2, _ul2, ulong)
__CLPY_BLOCK(ulong4, _ul4, ulong)
__CLPY_BLOCK(ulong8, _ul8, ulong)
#undef __CLPY_F
#undef __CLPY_BOTH
#undef __CLPY_BLOCK
