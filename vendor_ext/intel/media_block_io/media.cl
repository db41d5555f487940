// SPDX-License-Identifier: Apache-2.0
// cl_intel_media_block_io: a region of an image, its elements one row after the other, dealt out to the work-items of a
// sub-group in turn. What leaves the image stays harmless, whatever a program asks for.
#include "sub_group_block.h"
#include "vendor_pixels.h"

#define MOST_WIDTH 32           // elements, as the text has it
#define FAR (1 << 24)           // bytes and rows beyond any image

// Where the byte at `at` of a row comes from: of the nearest pixel where that is outside.
INTERNAL int edge_byte(view v, int at) {
    int unit = (int)v->pixel_bytes;
    int pixel = (at < 0 ? at - unit + 1 : at) / unit;
    int inside = bound(pixel, (int)v->width);
#ifdef CLK_YUYV_INTEL
    // Of pairs that share bytes Y is the pixel's, U and V are the pair's.
    if (v->channel_order >= CLK_YUYV_INTEL && v->channel_order <= CLK_VYUY_INTEL
        && ((uint)at & 1) != (v->channel_order == CLK_UYVY_INTEL || v->channel_order == CLK_VYUY_INTEL))
        return (inside >> 1) * 4 + (at & 3);
#endif
    return inside * unit + at - pixel * unit;
}

INTERNAL int width_of(int width) { return bound(width - 1, MOST_WIDTH) + 1; }
INTERNAL int near(int at) { return __builtin_elementwise_min(__builtin_elementwise_max(at, -FAR), FAR); }

// Does every row of the region lie within the image's rows?
INTERNAL bool is_within(view v, int x, int bytes) { return x >= 0 && x + bytes <= row_bytes(v); }

// Beyond it, for one work-item at a time: up to four bytes, the first one the lowest.
#define ONE_AT_THE_EDGE __attribute__((noinline, cold, nothrow))
ONE_AT_THE_EDGE uint __clpy_media_edge(view v, int x, int y, int size) {
    bytes row = row_of(v, bound(y, (int)v->height));
    uint value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint)row[edge_byte(v, x + i)] << 8 * i;
    return value;
}
ONE_AT_THE_EDGE void __clpy_media_edge_write(view v, int x, int y, int size, uint value) {
    if ((uint)y >= v->height)
        return;
    for (int i = 0; i < size; i++)
        if (x + i >= 0 && x + i < row_bytes(v))
            row_of(v, y)[x + i] = (uchar)(value >> 8 * i);
}

// Element `index` of the region of type T that begins at c.
#define X_OF(T, c, width, index) ((c).x + (index) % (width) * (int)sizeof(T))
#define Y_OF(c, width, index) ((c).y + (index) / (width))
#define PLACES(T) \
    INTERNAL T read_at_##T(view v, int2 c, int width, int index) { \
        bytes row = row_of(v, bound(Y_OF(c, width, index), (int)v->height)); \
        return AT(T, row + X_OF(T, c, width, index)); \
    } \
    INTERNAL T read_edge_##T(view v, int2 c, int width, int index) { \
        return (T)__clpy_media_edge(v, X_OF(T, c, width, index), Y_OF(c, width, index), sizeof(T)); \
    } \
    INTERNAL void write_at_##T(view v, int2 c, int width, int height, T data, int index) { \
        int y = Y_OF(c, width, index); \
        if (index / width < height && (uint)y < v->height) \
            AT(T, row_of(v, y) + X_OF(T, c, width, index)) = data; \
    } \
    INTERNAL void write_edge_##T(view v, int2 c, int width, int height, T data, int index) { \
        if (index / width < height) \
            __clpy_media_edge_write(v, X_OF(T, c, width, index), Y_OF(c, width, index), sizeof(T), data); \
    }

#define INDEX(i) (0x##i * (int)get_max_sub_group_size() + (int)get_sub_group_local_id())
#define READ_PLACE(i, how, v, c, width) read_##how(v, c, width, INDEX(i))
#define WRITE_PLACE(i, how, v, c, width, height, data) write_##how(v, c, width, height, (data).s##i, INDEX(i))
#define REGION(T) \
    view v = __clpy_view(image); \
    int2 first = OF_FIRST(place), c = {near(first.x), near(first.y)}; \
    int columns = width_of(width); \
    bool within = is_within(v, c.x, columns * (int)sizeof(T));
#define READS(N, T, NAME, ACCESS) \
    WRAPPER T##N intel_sub_group_media_block_read_##NAME##N(int2 place, int width, int height, \
                                                            ACCESS image2d_t image) { \
        REGION(T) \
        if (within) \
            return (T##N)(LANES_##N(READ_PLACE, at_##T, v, c, columns)); \
        return (T##N)(LANES_##N(READ_PLACE, edge_##T, v, c, columns)); \
    }
#define WRITE(T, NAME, ACCESS) \
    WRAPPER void intel_sub_group_media_block_write_##NAME(int2 place, int width, int height, T data, \
                                                          ACCESS image2d_t image) { \
        REGION(T) \
        if (within) \
            write_at_##T(v, c, columns, height, data, INDEX(0)); \
        else \
            write_edge_##T(v, c, columns, height, data, INDEX(0)); \
    }
#define WRITES(N, T, NAME, ACCESS) \
    WRAPPER void intel_sub_group_media_block_write_##NAME##N(int2 place, int width, int height, T##N data, \
                                                             ACCESS image2d_t image) { \
        REGION(T) \
        if (within) { \
            LANES_##N(WRITE_PLACE, at_##T, v, c, columns, height, data); \
        } else { \
            LANES_##N(WRITE_PLACE, edge_##T, v, c, columns, height, data); \
        } \
    }
#define MEDIA(N, T, NAME) \
    READS(N, T, NAME, read_only) READS(N, T, NAME, read_write) \
    WRITES(N, T, NAME, write_only) WRITES(N, T, NAME, read_write)
#define MEDIA_BLOCKS(T, NAME) \
    PLACES(T) \
    READS(, T, NAME, read_only) READS(, T, NAME, read_write) \
    WRITE(T, NAME, write_only) WRITE(T, NAME, read_write) \
    MEDIA(2, T, NAME) MEDIA(4, T, NAME) MEDIA(8, T, NAME)
MEDIA_BLOCKS(uchar, uc)
MEDIA(16, uchar, uc)
MEDIA_BLOCKS(ushort, us)
MEDIA(16, ushort, us)
MEDIA_BLOCKS(uint, ui)
MEDIA(16, uint, ui)             // which SPIR-V alone has
