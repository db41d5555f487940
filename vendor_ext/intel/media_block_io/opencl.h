// SPDX-License-Identifier: Apache-2.0
// cl_intel_media_block_io in OpenCL C: what programs find declared.
// Read where a program says: media_block
#define __CLPY_F __attribute__((overloadable, convergent))
#define __CLPY_MEDIA(T, NAME, READ, WRITE) \
    T __CLPY_F intel_sub_group_media_block_read_##NAME(int2, int, int, READ image2d_t); \
    void __CLPY_F intel_sub_group_media_block_write_##NAME(int2, int, int, T, WRITE image2d_t);
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#define __CLPY_BOTH(T, NAME) __CLPY_MEDIA(T, NAME, read_only, write_only) __CLPY_MEDIA(T, NAME, read_write, read_write)
#else
#define __CLPY_BOTH(T, NAME) __CLPY_MEDIA(T, NAME, read_only, write_only)
#endif
#define __CLPY_ALL(T, NAME) __CLPY_BOTH(T, NAME) __CLPY_BOTH(T##2, NAME##2) __CLPY_BOTH(T##4, NAME##4) \
    __CLPY_BOTH(T##8, NAME##8)
__CLPY_ALL(uchar, uc)
__CLPY_BOTH(uchar16, uc16)
__CLPY_ALL(ushort, us)
__CLPY_BOTH(ushort16, us16)
__CLPY_ALL(uint, ui)
#undef __CLPY_F
#undef __CLPY_MEDIA
#undef __CLPY_BOTH
#undef __CLPY_ALL
