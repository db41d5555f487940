// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups_short in OpenCL C: what programs find declared.
// Read where a program says: intel_
#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_EXCHANGE(T) \
    T __CLPY_F intel_sub_group_shuffle(T, uint); T __CLPY_F intel_sub_group_shuffle_xor(T, uint); \
    T __CLPY_F intel_sub_group_shuffle_down(T, T, uint); T __CLPY_F intel_sub_group_shuffle_up(T, T, uint);
#define __CLPY_WIDTHS(T) __CLPY_EXCHANGE(T) __CLPY_EXCHANGE(T##2) __CLPY_EXCHANGE(T##3) __CLPY_EXCHANGE(T##4) \
    __CLPY_EXCHANGE(T##8) __CLPY_EXCHANGE(T##16)
#define __CLPY_REDUCTION(T, NAME) T __CLPY_F intel_sub_group_reduce_##NAME(T); \
    T __CLPY_F intel_sub_group_scan_inclusive_##NAME(T); T __CLPY_F intel_sub_group_scan_exclusive_##NAME(T);
#define __CLPY_NUMBERS(T) __CLPY_WIDTHS(T) __CLPY_REDUCTION(T, add) __CLPY_REDUCTION(T, min) \
    __CLPY_REDUCTION(T, max) T __CLPY_F intel_sub_group_broadcast(T, uint);
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
__CLPY_NUMBERS(short)
__CLPY_NUMBERS(ushort)
__CLPY_BLOCK(ushort, _us, ushort)
__CLPY_BLOCK(ushort2, _us2, ushort)
__CLPY_BLOCK(ushort4, _us4, ushort)
__CLPY_BLOCK(ushort8, _us8, ushort)
__CLPY_BLOCK(ushort16, _us16, ushort)
#undef __CLPY_F
#undef __CLPY_EXCHANGE
#undef __CLPY_WIDTHS
#undef __CLPY_REDUCTION
#undef __CLPY_NUMBERS
#undef __CLPY_BOTH
#undef __CLPY_BLOCK
