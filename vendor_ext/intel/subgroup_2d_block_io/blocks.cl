// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_2d_block_io: blocks of a region of memory that has rows, for sub-groups of 16 work-items. What lies
// outside of the region is zero where it is read, and not written.
#include "builtins.h"

#define REGION global void *base, int width, int height, int pitch, int2 at
#define BLOCKWISE __attribute__((overloadable, convergent, always_inline))

// Whether the region has a T at a byte of a row, and where that is.
#define HAS(T, byte, row) ((uint)(row) < (uint)height && (byte) >= 0 && (byte) + (long)sizeof(T) <= width)
#define PLACE(T, byte, row) ((global T *)((global uchar *)base + (long)(row) * pitch + (byte)))
#define GET(T, byte, row) (HAS(T, byte, row) ? *PLACE(T, byte, row) : (T)0)

// A T of a work-item is what it has of one row of a block of COLUMNS of BITS: one element, or two neighbours.
#define READ(BITS, ROWS, COLUMNS, BLOCKS, T) \
    void BLOCKWISE intel_sub_group_2d_block_read_##BITS##b_##ROWS##r##COLUMNS##x##BLOCKS##c( \
        REGION, private T *destination) \
    { \
        long first = (long)at.x * (BITS / 8) + get_sub_group_local_id() * (long)sizeof(T); \
        _Pragma("unroll") for (int b = 0; b < BLOCKS; b++) \
            _Pragma("unroll") for (int r = 0; r < ROWS; r++) \
                destination[b * ROWS + r] = GET(T, first + b * (COLUMNS * BITS / 8), at.y + r); \
    }

// Rows of half as many elements as there are work-items: two at a time.
#define HALVES(ROWS) ((ROWS + 1) / 2)
#define READ_HALVES(ROWS, BLOCKS) \
    void BLOCKWISE intel_sub_group_2d_block_read_32b_##ROWS##r8x##BLOCKS##c(REGION, private uint *destination) \
    { \
        int lane = get_sub_group_local_id(), row = lane / 8; \
        long first = ((long)at.x + lane % 8) * 4; \
        _Pragma("unroll") for (int b = 0; b < BLOCKS; b++) \
            _Pragma("unroll") for (int r = 0; r < HALVES(ROWS); r++) \
                destination[b * HALVES(ROWS) + r] = \
                    2 * r + row < ROWS ? GET(uint, first + b * 32, at.y + 2 * r + row) : 0; \
    }

// A column of a block for each work-item, PACKED rows of it in each uint.
#define READ_TRANSFORMED(BITS, ROWS, BLOCKS, T) \
    void BLOCKWISE intel_sub_group_2d_block_read_transform_##BITS##b_##ROWS##r16x##BLOCKS##c( \
        REGION, private uint *destination) \
    { \
        long first = ((long)at.x + get_sub_group_local_id()) * (BITS / 8); \
        _Pragma("unroll") for (int b = 0; b < BLOCKS; b++) \
            _Pragma("unroll") for (int r = 0; r < ROWS * BITS / 32; r++) { \
                uint packed = 0; \
                _Pragma("unroll") for (int i = 0; i < 32 / BITS; i++) \
                    packed |= (uint)GET(T, first + b * (16 * BITS / 8), at.y + r * (32 / BITS) + i) << i * BITS; \
                destination[b * (ROWS * BITS / 32) + r] = packed; \
            } \
    }

// A row of the block for each work-item, or two: element by element, those of both side by side.
#define READ_TRANSPOSED(ROWS) \
    void BLOCKWISE intel_sub_group_2d_block_read_transpose_32b_##ROWS##r8x1c(REGION, private uint *destination) \
    { \
        int row = at.y + (int)get_sub_group_local_id() * (ROWS / 16); \
        _Pragma("unroll") for (int i = 0; i < 8; i++) \
            _Pragma("unroll") for (int r = 0; r < ROWS / 16; r++) \
                destination[i * (ROWS / 16) + r] = GET(uint, ((long)at.x + i) * 4, row + r); \
    }

#define WRITE(BITS, ROWS, COLUMNS, T) \
    void BLOCKWISE intel_sub_group_2d_block_write_##BITS##b_##ROWS##r##COLUMNS##x1c(REGION, private T *value) \
    { \
        long first = (long)at.x * (BITS / 8) + get_sub_group_local_id() * (long)sizeof(T); \
        _Pragma("unroll") for (int r = 0; r < ROWS; r++) \
            if (HAS(T, first, at.y + r)) \
                *PLACE(T, first, at.y + r) = value[r]; \
    }

// The caches of a processor do that well enough.
#define PREFETCH(BITS, ROWS, COLUMNS, BLOCKS) \
    void BLOCKWISE intel_sub_group_2d_block_prefetch_##BITS##b_##ROWS##r##COLUMNS##x##BLOCKS##c(REGION) { }

#define FEW(M, BITS, ...) \
    M(BITS, 1, __VA_ARGS__) M(BITS, 2, __VA_ARGS__) M(BITS, 4, __VA_ARGS__) M(BITS, 8, __VA_ARGS__)
#define ALL(M, BITS, ...) FEW(M, BITS, __VA_ARGS__) M(BITS, 16, __VA_ARGS__) M(BITS, 32, __VA_ARGS__)
#define HALVES_OF(BLOCKS) \
    READ_HALVES(1, BLOCKS) READ_HALVES(2, BLOCKS) READ_HALVES(4, BLOCKS) READ_HALVES(8, BLOCKS) \
    READ_HALVES(16, BLOCKS) READ_HALVES(32, BLOCKS)
ALL(READ, 8, 32, 1, ushort)
ALL(READ, 8, 32, 2, ushort)
READ(8, 8, 16, 4, uchar)
READ(8, 16, 16, 4, uchar)
READ(8, 32, 16, 4, uchar)
ALL(READ, 16, 16, 1, ushort)
ALL(READ, 16, 16, 2, ushort)
ALL(READ, 32, 16, 1, uint)
HALVES_OF(1)
HALVES_OF(2)
READ_TRANSFORMED(8, 32, 1, uchar)
READ_TRANSFORMED(8, 32, 2, uchar)
READ_TRANSFORMED(8, 32, 4, uchar)
READ_TRANSFORMED(16, 16, 1, ushort)
READ_TRANSFORMED(16, 16, 2, ushort)
READ_TRANSFORMED(16, 32, 1, ushort)
READ_TRANSFORMED(16, 32, 2, ushort)
READ_TRANSPOSED(16)
READ_TRANSPOSED(32)
FEW(WRITE, 8, 16, uchar)
FEW(WRITE, 8, 32, ushort)
FEW(WRITE, 16, 16, ushort)
FEW(WRITE, 32, 16, uint)
ALL(PREFETCH, 8, 32, 1)
ALL(PREFETCH, 8, 32, 2)
PREFETCH(8, 32, 16, 1)
PREFETCH(8, 32, 16, 2)
PREFETCH(8, 8, 16, 4)
PREFETCH(8, 16, 16, 4)
PREFETCH(8, 32, 16, 4)
ALL(PREFETCH, 16, 16, 1)
ALL(PREFETCH, 16, 16, 2)
ALL(PREFETCH, 32, 8, 1)
ALL(PREFETCH, 32, 8, 2)
ALL(PREFETCH, 32, 16, 1)
