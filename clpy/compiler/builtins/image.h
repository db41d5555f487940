/* SPDX-License-Identifier: Apache-2.0
 * Images: what a descriptor says, coordinates, and the formats that are read and written in line, by vectors of
 * work-items. What depends on the descriptor or the sampler only is uniform: branches on it cost nothing there. All
 * other formats go through functions that are called for one work-item at a time (image_any.cl).
 */
#ifndef CLPY_BUILTINS_IMAGE_H
#define CLPY_BUILTINS_IMAGE_H

#include "builtins.h"
#include "clpy_image.h"

#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

typedef const __constant clpy_image *view;
typedef __global uchar *bytes;

/* A pixel may lie anywhere: the host chooses where an image is. */
#define ANYWHERE(T) typedef T __attribute__((aligned(1))) any_##T;
ANYWHERE(uchar)
ANYWHERE(char)
ANYWHERE(ushort)
ANYWHERE(short)
ANYWHERE(uint)
ANYWHERE(uint2)
ANYWHERE(uint4)
ANYWHERE(float)
ANYWHERE(float4)
ANYWHERE(half)

/* M(image, CI, CF, dims, layered): the types of its coordinates, how many are filtered, whether a layer follows. */
#define SAMPLED_IMAGES(M, ...) \
    M(image1d, int, float, 1, 0, __VA_ARGS__) \
    M(image1d_array, int2, float2, 1, 1, __VA_ARGS__) \
    M(image2d, int2, float2, 2, 0, __VA_ARGS__) \
    M(image2d_array, int4, float4, 2, 1, __VA_ARGS__) \
    M(image3d, int4, float4, 3, 0, __VA_ARGS__)
#define COLOR_IMAGES(M, ...) SAMPLED_IMAGES(M, __VA_ARGS__) M(image1d_buffer, int, float, 1, 0, __VA_ARGS__)
#define DEPTH_IMAGES(M, ...) \
    M(image2d_depth, int2, float2, 2, 0, __VA_ARGS__) \
    M(image2d_array_depth, int4, float4, 2, 1, __VA_ARGS__)
#define EVERY_IMAGE(M, ...) COLOR_IMAGES(M, __VA_ARGS__) DEPTH_IMAGES(M, __VA_ARGS__)

/* What the compiler makes of an image and of a sampler (passes/images.py). */
#define LOOK_INSIDE(image, CI, CF, dims, layered, access) \
    __attribute__((overloadable, const)) view __clpy_view(access image##_t);
EVERY_IMAGE(LOOK_INSIDE, read_only)
EVERY_IMAGE(LOOK_INSIDE, write_only)
EVERY_IMAGE(LOOK_INSIDE, read_write)
__attribute__((overloadable, const)) uint __clpy_sampler(sampler_t);

/* --- coordinates: x, y and z, where z is the layer of an array of any kind; those an image has not are 0 */

typedef struct { int x, y, z; } place;

#define TO_PLACE(name, PLACE, V1, V2, V4) \
    INTERNAL PLACE name(V1 c, int dims, int layered) { return (PLACE){c, 0, 0}; } \
    INTERNAL PLACE name(V2 c, int dims, int layered) { \
        return layered ? (PLACE){c.x, 0, c.y} : (PLACE){c.x, c.y, 0}; \
    } \
    INTERNAL PLACE name(V4 c, int dims, int layered) { return (PLACE){c.x, c.y, c.z}; }
TO_PLACE(to_place, place, int, int2, int4)

typedef struct { float x, y, z; } point;
TO_PLACE(to_point, point, float, float2, float4)

/* The size of an image: pixels along x, y and z, where z counts the layers of an array; at least 1. */
INTERNAL place size_of(view v, int layered) {
    return (place){(int)v->width, (int)v->height, (int)(layered ? v->array_size : v->depth)};
}

INTERNAL int bound(int i, int size) {
    return __builtin_elementwise_min(__builtin_elementwise_max(i, 0), size - 1);
}

/* Whether a place is in the image; the layer does not count. */
INTERNAL bool is_inside(place size, place p, int dims) {
    bool inside = (uint)p.x < (uint)size.x;
    if (dims > 1)
        inside &= (uint)p.y < (uint)size.y;
    if (dims > 2)
        inside &= (uint)p.z < (uint)size.z;
    return inside;
}

/* The nearest place inside. */
INTERNAL place bring_inside(place size, place p, int dims, int layered) {
    p.x = bound(p.x, size.x);
    p.y = dims > 1 ? bound(p.y, size.y) : 0;
    p.z = dims > 2 || layered ? bound(p.z, size.z) : 0;
    return p;
}

/* Where the pixel at a place inside is. */
INTERNAL bytes address_of(view v, place p, int dims, int layered) {
    bytes at = v->data + (size_t)(uint)p.x * v->pixel_bytes;
    if (dims > 2 || layered)
        at += (size_t)(uint)p.z * v->slice_pitch;
    if (dims > 1)
        at += (size_t)(uint)p.y * v->row_pitch;
    return at;
}

/* Its number in memory, of pixels of a size: gathers have room for 32 bits. format_of() sees to it that they do. */
INTERNAL int index_of(view v, place p, int dims, int layered, uint size) {
    int i = p.x;
    if (dims > 1)
        i += p.y * (int)(v->row_pitch / size);
    if (dims > 2 || layered)
        i += p.z * (int)(v->slice_pitch / size);
    return i;
}

#define ADDRESSING(s) ((s) & CLPY_SAMPLER_ADDRESSING)

/* From `low` to `high`, `low` for what is not a number. */
INTERNAL float within(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}

INTERNAL float mirrored(float c) {
    return __builtin_elementwise_abs(c - 2.0f * __builtin_elementwise_rint(0.5f * c));
}

INTERNAL float repeated(float c) { return c - __builtin_elementwise_floor(c); }

/* The index nearest to a coordinate; -1 or `size` where that is outside and not wrapped. */
INTERNAL int nearest(float c, int size, uint s) {
    float n = (float)size;
    if (ADDRESSING(s) == CLPY_SAMPLER_REPEAT) {
        int i = (int)within(repeated(c) * n, 0, n);
        return i >= size ? 0 : i;
    }
    if (ADDRESSING(s) == CLPY_SAMPLER_MIRRORED_REPEAT)
        return (int)within(mirrored(c) * n, 0, n - 1);
    float u = s & CLPY_SAMPLER_NORMALIZED ? c * n : c;
    return (int)within(__builtin_elementwise_floor(u), -1, n);
}

INTERNAL int nearest_layer(float c, int layers) {
    return (int)within(__builtin_elementwise_rint(c), 0, (float)(layers - 1));
}

INTERNAL place nearest_place(place size, uint s, point c, int dims, int layered) {
    place p = {nearest(c.x, size.x, s), 0, 0};
    if (dims > 1)
        p.y = nearest(c.y, size.y, s);
    if (dims > 2)
        p.z = nearest(c.z, size.z, s);
    if (layered)
        p.z = nearest_layer(c.z, size.z);
    return p;
}

/* The two neighbours of a coordinate, which are inside, whether they count or are border, and how far it is from the
 * first. */
typedef struct { int first, second; bool has_first, has_second; float part; } span;
#define NO_SPAN ((span){0, 0, true, true, 0})

INTERNAL span neighbours(float c, int size, uint s) {
    float n = (float)size;
    uint mode = ADDRESSING(s);
    float u = mode == CLPY_SAMPLER_REPEAT ? repeated(c) * n
        : mode == CLPY_SAMPLER_MIRRORED_REPEAT ? mirrored(c) * n
        : s & CLPY_SAMPLER_NORMALIZED ? c * n : c;
    float low = __builtin_elementwise_floor(u - 0.5f);
    int first = (int)within(low, -2, n), second = first + 1;
    if (mode == CLPY_SAMPLER_REPEAT) {
        first = first < 0 ? first + size : first;
        second = second >= size ? second - size : second;
    }
    bool is_cut = mode != CLPY_SAMPLER_CLAMP;
    return (span){bound(first, size), bound(second, size), is_cut | ((uint)first < (uint)size),
                  is_cut | ((uint)second < (uint)size), (u - 0.5f) - low};
}

/* The pixels around a point; a dimension that is not filtered has one. */
typedef struct { span x, y, z; } box;

INTERNAL box box_of(place size, uint s, point c, int dims, int layered) {
    box around = {neighbours(c.x, size.x, s), NO_SPAN, NO_SPAN};
    if (dims > 1)
        around.y = neighbours(c.y, size.y, s);
    if (dims > 2)
        around.z = neighbours(c.z, size.z, s);
    else if (layered)
        around.z.first = nearest_layer(c.z, size.z);
    return around;
}

/* --- formats */

/* The format, or 0 where the number of a pixel takes more than 31 bits. */
#define FORMAT(order, type) ((uint)(order) << 16 | (uint)(type))
INTERNAL uint format_of(view v) { return v->is_large ? 0 : FORMAT(v->channel_order, v->channel_type); }

/* The channels of a pixel of four times 8 or 16 bits. Shifts keep to vectors of 32 bits. */
INTERNAL uint4 unpack_u8(uint p) { return (uint4)(p & 255, p >> 8 & 255, p >> 16 & 255, p >> 24); }
/* As signed numbers, which AVX2 converts to float faster. */
INTERNAL int4 unpack_small_u8(uint p) { return as_int4(unpack_u8(p)); }
INTERNAL int4 unpack_i8(uint p) { return (int4)((int)(p << 24), (int)(p << 16), (int)(p << 8), (int)p) >> 24; }
INTERNAL uint4 unpack_u16(uint2 p) { return (uint4)(p.x & 65535, p.x >> 16, p.y & 65535, p.y >> 16); }
INTERNAL int4 unpack_i16(uint2 p) { return (int4)((int)(p.x << 16), (int)p.x, (int)(p.y << 16), (int)p.y) >> 16; }
INTERNAL uint pack_8(uint4 c) { return c.x | c.y << 8 | c.z << 16 | c.w << 24; }
INTERNAL uint2 pack_16(uint4 c) { return (uint2)(c.x | c.y << 16, c.z | c.w << 16); }

INTERNAL float half_bits(uint p) { return (float)as_half((ushort)p); }
INTERNAL float4 unpack_f16(uint2 p) {
    return (float4)(half_bits(p.x), half_bits(p.x >> 16), half_bits(p.y), half_bits(p.y >> 16));
}

/* A color from 0 to 1 as a number from 0 to `top`; what is not a number is 0. */
INTERNAL int normal(float x, float top) { return (int)__builtin_elementwise_rint(within(x * top, 0, top)); }

#define AT(T, pointer) (*(__global any_##T *)(pointer))
/* The pixel of type T at place p of view v. */
#define PIXEL(T) (((__global any_##T *)v->data)[index_of(v, p, dims, layered, sizeof(T))])

/* Outside of an image with CLK_ADDRESS_CLAMP: 1 without an alpha channel. For orders with an x the specification says
 * "if the image channel order is [...] CL_Rx, [...] CL_RGx, CL_RGBx, CL_sRGBx, [...] the border color is (0.0f, 0.0f,
 * 0.0f, 0.0f)"; the conformance suite takes them for others without alpha (its has_alpha() is 0 for CL_RGBx and
 * CL_sRGBx, and then the border's is 1), as pixels inside are. One number cannot be both; it is the suite's.
 */
INTERNAL float border_alpha(view v) {
    uint order = v->channel_order;
    bool opaque = (order >= CLK_Rx && order <= CLK_RGBx) || order == CLK_sRGB || order == CLK_sRGBx;
    return opaque || order == CLK_R || order == CLK_RG || order == CLK_RGB || order == CLK_LUMINANCE ? 1 : 0;
}

/* --- for one work-item, of any format (image_any.cl) */

#define ONE_BY_ONE __attribute__((overloadable, noinline, cold, nothrow))
ONE_BY_ONE float4 __clpy_texel_f(view v, bytes pixel);
ONE_BY_ONE uint4 __clpy_texel_u(view v, bytes pixel);
/* Of a place inside, and of a format that is not written out in line. */
ONE_BY_ONE float4 __clpy_pixel_f(view v, int4 p, int dims, int layered);
ONE_BY_ONE uint4 __clpy_pixel_u(view v, int4 p, int dims, int layered);
ONE_BY_ONE float4 __clpy_sample_f(view v, uint s, float4 c, uint level, int dims, int layered);
ONE_BY_ONE uint4 __clpy_sample_u(view v, uint s, float4 c, uint level, int dims, int layered);
ONE_BY_ONE void __clpy_put_f(view v, bytes pixel, float4 color);
ONE_BY_ONE void __clpy_put_i(view v, bytes pixel, int4 color);
ONE_BY_ONE void __clpy_put_u(view v, bytes pixel, uint4 color);
ONE_BY_ONE void __clpy_put_in_level(view v, uint level, int4 c, int dims, int layered, float4 color);
ONE_BY_ONE void __clpy_put_in_level(view v, uint level, int4 c, int dims, int layered, int4 color);
ONE_BY_ONE void __clpy_put_in_level(view v, uint level, int4 c, int dims, int layered, uint4 color);

#endif
