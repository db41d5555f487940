// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_2d_block_io in OpenCL C: what programs find declared.
// Read where a program says: intel_sub_group_2d_block_
#define __CLPY_REGION global void *, int, int, int, int2
#define __CLPY_F(NAME) void __attribute__((overloadable, convergent)) intel_sub_group_2d_block_##NAME
#define __CLPY_READ(SHAPE, T) __CLPY_F(read_##SHAPE)(__CLPY_REGION, private T *);
#define __CLPY_WRITE(SHAPE, T) __CLPY_F(write_##SHAPE)(__CLPY_REGION, private T *);
#define __CLPY_PREFETCH(SHAPE, T) __CLPY_F(prefetch_##SHAPE)(__CLPY_REGION);
#define __CLPY_FEW(M, BITS, BLOCK, T) \
    M(BITS##_1r##BLOCK, T) M(BITS##_2r##BLOCK, T) M(BITS##_4r##BLOCK, T) M(BITS##_8r##BLOCK, T)
#define __CLPY_ROWS(M, BITS, BLOCK, T) __CLPY_FEW(M, BITS, BLOCK, T) M(BITS##_16r##BLOCK, T) M(BITS##_32r##BLOCK, T)
#define __CLPY_BLOCKS(M) \
    __CLPY_ROWS(M, 8b, 32x1c, ushort) __CLPY_ROWS(M, 8b, 32x2c, ushort) \
    M(8b_8r16x4c, uchar) M(8b_16r16x4c, uchar) M(8b_32r16x4c, uchar) \
    __CLPY_ROWS(M, 16b, 16x1c, ushort) __CLPY_ROWS(M, 16b, 16x2c, ushort) \
    __CLPY_ROWS(M, 32b, 8x1c, uint) __CLPY_ROWS(M, 32b, 8x2c, uint) __CLPY_ROWS(M, 32b, 16x1c, uint)
__CLPY_BLOCKS(__CLPY_READ)
__CLPY_BLOCKS(__CLPY_PREFETCH)
__CLPY_PREFETCH(8b_32r16x1c, uchar)
__CLPY_PREFETCH(8b_32r16x2c, uchar)
__CLPY_READ(transform_8b_32r16x1c, uint)
__CLPY_READ(transform_8b_32r16x2c, uint)
__CLPY_READ(transform_8b_32r16x4c, uint)
__CLPY_READ(transform_16b_16r16x1c, uint)
__CLPY_READ(transform_16b_16r16x2c, uint)
__CLPY_READ(transform_16b_32r16x1c, uint)
__CLPY_READ(transform_16b_32r16x2c, uint)
__CLPY_READ(transpose_32b_16r8x1c, uint)
__CLPY_READ(transpose_32b_32r8x1c, uint)
__CLPY_FEW(__CLPY_WRITE, 8b, 16x1c, uchar)
__CLPY_FEW(__CLPY_WRITE, 8b, 32x1c, ushort)
__CLPY_FEW(__CLPY_WRITE, 16b, 16x1c, ushort)
__CLPY_FEW(__CLPY_WRITE, 32b, 16x1c, uint)
#undef __CLPY_REGION
#undef __CLPY_F
#undef __CLPY_READ
#undef __CLPY_WRITE
#undef __CLPY_PREFETCH
#undef __CLPY_FEW
#undef __CLPY_ROWS
#undef __CLPY_BLOCKS
