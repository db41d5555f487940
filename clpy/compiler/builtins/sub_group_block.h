/* SPDX-License-Identifier: Apache-2.0
 * What the work-items of a sub-group read and write as one, and values that they exchange, for vendors' extensions. A
 * block is a row of values, one for each work-item: where a sub-group is a vector, one load or store.
 */
#ifndef CLPY_BUILTINS_SUB_GROUP_BLOCK_H
#define CLPY_BUILTINS_SUB_GROUP_BLOCK_H

#include "image.h"

#define TOGETHER __attribute__((overloadable, convergent))
#define WRAPPER __attribute__((overloadable, convergent, always_inline))
#define LANES_(E, ...) E(0, __VA_ARGS__)
typedef ulong any_ulong __attribute__((aligned(1)));

/* --- values of other work-items: of this sub-group's row of values, and of the row before or after it */

#define EXCHANGES(N, T) \
    TOGETHER T##N __clpy_sub_group_shuffle(T##N x, uint index, bool mask); \
    WRAPPER T##N intel_sub_group_shuffle(T##N x, uint index) { return __clpy_sub_group_shuffle(x, index, true); } \
    WRAPPER T##N intel_sub_group_shuffle_xor(T##N x, uint value) { \
        return __clpy_sub_group_shuffle(x, get_sub_group_local_id() ^ value, true); \
    } \
    WRAPPER T##N intel_sub_group_shuffle_down(T##N current, T##N next, uint delta) { \
        uint index = get_sub_group_local_id() + delta; \
        T##N here = __clpy_sub_group_shuffle(current, index, true); \
        T##N there = __clpy_sub_group_shuffle(next, index, true); \
        return index < get_max_sub_group_size() ? here : there; \
    } \
    WRAPPER T##N intel_sub_group_shuffle_up(T##N previous, T##N current, uint delta) { \
        uint index = get_sub_group_local_id() - delta; \
        T##N here = __clpy_sub_group_shuffle(current, index, true); \
        T##N there = __clpy_sub_group_shuffle(previous, index, true); \
        return (int)index >= 0 ? here : there; \
    }

/* What OpenCL C has for longer types too, under names of the extension. */
#define REDUCTIONS(T, NAME, OP) \
    TOGETHER T __clpy_sub_group_reduce_##OP(T x, bool mask); \
    TOGETHER T __clpy_sub_group_inclusive_##OP(T x, bool mask); \
    TOGETHER T __clpy_sub_group_exclusive_##OP(T x, bool mask); \
    WRAPPER T intel_sub_group_reduce_##NAME(T x) { return __clpy_sub_group_reduce_##OP(x, true); } \
    WRAPPER T intel_sub_group_scan_inclusive_##NAME(T x) { return __clpy_sub_group_inclusive_##OP(x, true); } \
    WRAPPER T intel_sub_group_scan_exclusive_##NAME(T x) { return __clpy_sub_group_exclusive_##OP(x, true); }
#define SHORT_NUMBERS(T, KIND) \
    WIDTHS(EXCHANGES, T) REDUCTIONS(T, add, add) REDUCTIONS(T, min, KIND##min) REDUCTIONS(T, max, KIND##max) \
    WRAPPER T intel_sub_group_broadcast(T x, uint index) { return __clpy_sub_group_shuffle(x, index, true); }

/* --- blocks of memory: NAME is that of the function without what comes before and after "block_read" */

/* An argument that is the same for all is that of the first, so that what follows is seen to be one for all. */
#define OF_FIRST(x) __clpy_sub_group_shuffle(x, 0, true)
TOGETHER int2 __clpy_sub_group_shuffle(int2 x, uint index, bool mask);

#define READ_AT(i, p) ((p) + 0x##i * (size_t)get_max_sub_group_size())[get_sub_group_local_id()]
#define WRITE_AT(i, p, data) (READ_AT(i, p) = (data).s##i)
#define MEMORY_BLOCKS(N, T, NAME, SPACE) \
    WRAPPER T##N intel_sub_group_block_read##NAME##N(const SPACE T *p) { \
        const SPACE T *block = OF_FIRST(p); \
        return (T##N)(LANES_##N(READ_AT, block)); \
    } \
    WRAPPER void intel_sub_group_block_write##NAME##N(SPACE T *p, T##N data) { \
        SPACE T *block = OF_FIRST(p); \
        LANES_##N(WRITE_AT, block, data); \
    }
#define MEMORY_BLOCK(T, NAME, SPACE) \
    WRAPPER T intel_sub_group_block_read##NAME(const SPACE T *p) { return OF_FIRST(p)[get_sub_group_local_id()]; } \
    WRAPPER void intel_sub_group_block_write##NAME(SPACE T *p, T data) { \
        OF_FIRST(p)[get_sub_group_local_id()] = data; \
    } \
    MEMORY_BLOCKS(2, T, NAME, SPACE) MEMORY_BLOCKS(4, T, NAME, SPACE) MEMORY_BLOCKS(8, T, NAME, SPACE)

/* --- blocks of images: bytes of a row as they lie there, one row after the other */

INTERNAL int row_bytes(view v) { return (int)(v->width * v->pixel_bytes); }
INTERNAL bytes row_of(view v, int y) { return (bytes)v->data + (size_t)y * v->row_pitch; }

/* Is the block within the row, for all work-items? */
INTERNAL bool is_whole(view v, int x, int size) {
    return x >= 0 && x + size * (int)get_max_sub_group_size() <= row_bytes(v);
}

/* Where to read instead of `at`: beyond the ends of a row is its first or last pixel. */
INTERNAL int at_edge(view v, int at, int size) {
    int unit = __builtin_elementwise_max((int)v->pixel_bytes, size);
    int pixel = (at < 0 ? at - unit + 1 : at) / unit;
    int place = bound(pixel, row_bytes(v) / unit) * unit + at - pixel * unit;
    return __builtin_elementwise_min(place, row_bytes(v) - size);
}

#define PIXELS(T) \
    INTERNAL T read_pixels_##T(view v, int x, int y) { \
        int at = x + (int)get_sub_group_local_id() * (int)sizeof(T); \
        bytes row = row_of(v, bound(y, (int)v->height)); \
        if (is_whole(v, x, sizeof(T))) \
            return *((__global any_##T *)(row + x) + get_sub_group_local_id()); \
        return row_bytes(v) < (int)sizeof(T) ? 0 : *(__global any_##T *)(row + at_edge(v, at, sizeof(T))); \
    } \
    INTERNAL void write_pixels_##T(view v, int x, int y, T data) { \
        int at = x + (int)get_sub_group_local_id() * (int)sizeof(T); \
        if ((uint)y >= v->height) \
            return; \
        if (is_whole(v, x, sizeof(T))) \
            *((__global any_##T *)(row_of(v, y) + x) + get_sub_group_local_id()) = data; \
        else if (at >= 0 && at + (int)sizeof(T) <= row_bytes(v)) \
            *(__global any_##T *)(row_of(v, y) + at) = data; \
    }

#define READ_ROW(i, T, v, c) read_pixels_##T(v, (c).x, (c).y + 0x##i)
#define WRITE_ROW(i, T, v, c, data) write_pixels_##T(v, (c).x, (c).y + 0x##i, (data).s##i)
#define READ_ROWS(N, T, NAME, ACCESS) \
    WRAPPER T##N intel_sub_group_block_read##NAME##N(ACCESS image2d_t image, int2 place) { \
        view v = __clpy_view(image); \
        int2 c = OF_FIRST(place); \
        return (T##N)(LANES_##N(READ_ROW, T, v, c)); \
    }
#define WRITE_ROWS(N, T, NAME, ACCESS) \
    WRAPPER void intel_sub_group_block_write##NAME##N(ACCESS image2d_t image, int2 place, T##N data) { \
        view v = __clpy_view(image); \
        int2 c = OF_FIRST(place); \
        LANES_##N(WRITE_ROW, T, v, c, data); \
    }
#define IMAGE_BLOCKS(N, T, NAME) \
    READ_ROWS(N, T, NAME, read_only) READ_ROWS(N, T, NAME, read_write) \
    WRITE_ROWS(N, T, NAME, write_only) WRITE_ROWS(N, T, NAME, read_write)
#define WRITE_ONE_ROW(T, NAME, ACCESS) \
    WRAPPER void intel_sub_group_block_write##NAME(ACCESS image2d_t image, int2 place, T data) { \
        int2 c = OF_FIRST(place); \
        write_pixels_##T(__clpy_view(image), c.x, c.y, data); \
    }
#define IMAGE_BLOCK(T, NAME) \
    READ_ROWS(, T, NAME, read_only) READ_ROWS(, T, NAME, read_write) \
    WRITE_ONE_ROW(T, NAME, write_only) WRITE_ONE_ROW(T, NAME, read_write) \
    IMAGE_BLOCKS(2, T, NAME) IMAGE_BLOCKS(4, T, NAME) IMAGE_BLOCKS(8, T, NAME)

/* Pointers to a type, once for each file. */
#define POINTERS(T, SPACE) \
    TOGETHER SPACE T *__clpy_sub_group_shuffle(SPACE T *x, uint index, bool mask); \
    TOGETHER const SPACE T *__clpy_sub_group_shuffle(const SPACE T *x, uint index, bool mask);
#define BLOCKS(T, NAME) POINTERS(T, __global) MEMORY_BLOCK(T, NAME, __global) PIXELS(T) IMAGE_BLOCK(T, NAME)
#define BLOCKS_OF_16(T, NAME) MEMORY_BLOCKS(16, T, NAME, __global) IMAGE_BLOCKS(16, T, NAME)

#endif
