// SPDX-License-Identifier: Apache-2.0
// Pixels of every format, for one work-item at a time. Short rather than fast: a program that uses images has it all.
#include "image.h"
#include "srgb.h"

#define KEEP_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")

INTERNAL bool is_srgb(uint order) {
    return order == CLK_sRGB || order == CLK_sRGBA || order == CLK_sBGRA || order == CLK_sRGBx;
}

INTERNAL uint channel_bytes(uint type) {
    switch (type) {
    case CLK_SNORM_INT8:
    case CLK_UNORM_INT8:
    case CLK_SIGNED_INT8:
    case CLK_UNSIGNED_INT8:
        return 1;
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
    case CLK_FLOAT:
        return 4;
    default:
        return 2;
    }
}

// Bits of a channel of 16 that are below its number and mean nothing.
INTERNAL uint unused_bits(uint type) {
    switch (type) {
    case CLK_UNORM_10X6_EXT:
    case CLK_UNSIGNED_INT10X6_EXT:
        return 6;
    case CLK_UNORM_12X4_EXT:
    case CLK_UNSIGNED_INT12X4_EXT:
        return 4;
    case CLK_UNORM_14X2_EXT:
    case CLK_UNSIGNED_INT14X2_EXT:
        return 2;
    default:
        return 0;
    }
}

// --- reading

// Which channel in memory red, green, blue and alpha are: a digit each from the right, 4 for none (0), 5 for none (1).
INTERNAL uint reading_order(uint order) {
    switch (order) {
    case CLK_A:
        return 0x0444;
    case CLK_RG:
    case CLK_RGx:
        return 0x5410;
    case CLK_RA:
        return 0x1440;
    case CLK_RGB:
    case CLK_RGBx:
    case CLK_sRGB:
    case CLK_sRGBx:
        return 0x5210;
    case CLK_RGBA:
    case CLK_sRGBA:
        return 0x3210;
    case CLK_BGRA:
    case CLK_sBGRA:
        return 0x3012;
    case CLK_ARGB:
        return 0x0321;
    case CLK_ABGR:
        return 0x0123;
    case CLK_INTENSITY:
        return 0x0000;
    case CLK_LUMINANCE:
        return 0x5000;
    default:
        return 0x5440;
    }
}

// Puts bits behind so many bytes of a pixel.
#define ADD_BITS(pixel, before, bits) pixel[(before) >> 2] |= (bits) << ((before) & 3) * 8

// A pixel's bytes as they are, at once where they are a power of two.
INTERNAL uint4 load_pixel(view v, bytes p) {
    uint4 pixel = (uint4)0;
    switch (v->pixel_bytes) {
    case 1:
        return (uint4)(*p, 0, 0, 0);
    case 2:
        return (uint4)(AT(ushort, p), 0, 0, 0);
    case 4:
        return (uint4)(AT(uint, p), 0, 0, 0);
    case 8:
        return (uint4)(AT(uint2, p), 0, 0);
    case 16:
        return AT(uint4, p);
    default:
        KEEP_LOOP
        for (uint n = 0; n < v->pixel_bytes; n++)
            ADD_BITS(pixel, n, (uint)p[n]);
        return pixel;
    }
}

// The channel that has so many bytes before it.
INTERNAL uint bits_of(uint4 pixel, uint before, uint size) {
    uint bits = pixel[before >> 2] >> (before & 3) * 8;
    return size == 4 ? bits : bits & ((1u << size * 8) - 1);
}

INTERNAL float read_channel(uint bits, uint type) {
    switch (type) {
    case CLK_UNORM_INT8:
        return (float)(int)bits * (1 / 255.0f);
    case CLK_SNORM_INT8:
        return __builtin_elementwise_max((float)(char)bits * (1 / 127.0f), -1.0f);
    case CLK_UNORM_INT16:
        return (float)(int)bits * (1 / 65535.0f);
    case CLK_UNORM_10X6_EXT:
    case CLK_UNORM_12X4_EXT:
    case CLK_UNORM_14X2_EXT:
        return (float)(int)(bits >> unused_bits(type)) / (float)(0xFFFF >> unused_bits(type));
    case CLK_SNORM_INT16:
        return __builtin_elementwise_max((float)(short)bits * (1 / 32767.0f), -1.0f);
    case CLK_HALF_FLOAT:
        return half_bits(bits);
    default:
        return as_float(bits);
    }
}

// The bits from `low` on that `top` has, as a number from 0 to 1.
INTERNAL float field(uint pixel, uint low, uint top) { return (float)(pixel >> low & top) * (1 / (float)top); }

INTERNAL float4 read_packed(uint pixel, uint type) {
    switch (type) {
    case CLK_UNORM_SHORT_565:
        return (float4)(field(pixel, 11, 31), field(pixel, 5, 63), field(pixel, 0, 31), 1);
    case CLK_UNORM_SHORT_555:
        return (float4)(field(pixel, 10, 31), field(pixel, 5, 31), field(pixel, 0, 31), 1);
    case CLK_UNORM_INT_101010:
        return (float4)(field(pixel, 20, 1023), field(pixel, 10, 1023), field(pixel, 0, 1023), 1);
    case CLK_UNORM_INT_2_101010_EXT:
        return (float4)(field(pixel, 0, 1023), field(pixel, 10, 1023), field(pixel, 20, 1023), field(pixel, 30, 3));
    default:
        return (float4)(field(pixel, 22, 1023), field(pixel, 12, 1023), field(pixel, 2, 1023), field(pixel, 0, 3));
    }
}

INTERNAL bool is_packed(uint type) {
    return type == CLK_UNORM_SHORT_565 || type == CLK_UNORM_SHORT_555 || type == CLK_UNORM_INT_101010
        || type == CLK_UNORM_INT_101010_2 || type == CLK_UNORM_INT_2_101010_EXT;
}

ONE_BY_ONE float4 __clpy_texel_f(view v, bytes pixel) {
    uint type = v->channel_type, order = reading_order(v->channel_order), size = channel_bytes(type);
    bool srgb = is_srgb(v->channel_order);
    uint4 whole = load_pixel(v, pixel);
    if (is_packed(type))
        return read_packed(whole.x, type);
    float4 color = (float4)0;
    KEEP_LOOP
    for (uint i = 0; i < 4; i++) {
        uint from = order >> 4 * i & 15;
        uint bits = bits_of(whole, (from & 3) * size, size);
        color[i] = from > 3 ? (float)(from - 4) : srgb && i < 3 ? srgb_to_linear[bits & 255] : read_channel(bits, type);
    }
    return color;
}

INTERNAL uint read_integer(uint bits, uint type) {
    switch (type) {
    case CLK_SIGNED_INT8:
        return (uint)(int)(char)bits;
    case CLK_SIGNED_INT16:
        return (uint)(int)(short)bits;
    default:
        return bits >> unused_bits(type);
    }
}

ONE_BY_ONE uint4 __clpy_texel_u(view v, bytes pixel) {
    uint type = v->channel_type, order = reading_order(v->channel_order), size = channel_bytes(type);
    uint4 color = (uint4)0, whole = load_pixel(v, pixel);
    KEEP_LOOP
    for (uint i = 0; i < 4; i++) {
        uint from = order >> 4 * i & 15;
        color[i] = from > 3 ? from - 4 : read_integer(bits_of(whole, from * size, size), type);
    }
    return color;
}

// --- sampling, of a mip level (clpy_image.h says where it is)

INTERNAL place size_of_level(view v, uint level, int layered) {
    place size = size_of(v, layered);
    size.x = __builtin_elementwise_max(size.x >> level, 1);
    size.y = __builtin_elementwise_max(size.y >> level, 1);
    size.z = layered ? size.z : __builtin_elementwise_max(size.z >> level, 1);
    return size;
}

INTERNAL bytes address_in_level(view v, uint level, place p, int dims, int layered) {
    if (level == 0)
        return address_of(v, p, dims, layered);
    size_t before = 0;
    KEEP_LOOP
    for (uint n = 0; n < level; n++) {
        place larger = size_of_level(v, n, layered);
        before += (size_t)larger.x * (size_t)larger.y * (size_t)larger.z;
    }
    place size = size_of_level(v, level, layered);
    size_t pixel = ((size_t)p.z * (size_t)size.y + (size_t)p.y) * (size_t)size.x + (size_t)p.x;
    return v->data + (before + pixel) * v->pixel_bytes;
}

// Formats of vendors' extensions, which only images of two dimensions have: a folder's pixels.h (vendor_ext/README.md).
#include "vendor_pixels.h"

#define READ_OTHER(kind, ...) __VA_ARGS__ return kind(v, p, dims, layered);
#define PIXEL_AT(name, T4, READ, texel) \
    ONE_BY_ONE T4 name(view v, int4 at, int dims, int layered) { \
        place p = {at.x, at.y, at.z}; \
        if (dims == 2 && !layered) \
            switch (FORMAT(v->channel_order, v->channel_type)) { \
                READ(READ_OTHER) \
            default: \
                break; \
            } \
        return texel(v, address_of(v, p, dims, layered)); \
    }
PIXEL_AT(__clpy_pixel_f, float4, VENDOR_READ_F, __clpy_texel_f)
PIXEL_AT(__clpy_pixel_u, uint4, VENDOR_READ_UI, __clpy_texel_u)

INTERNAL float4 texel_or_border(view v, uint s, uint level, place p, int dims, int layered) {
    place size = size_of_level(v, level, layered);
    if (ADDRESSING(s) == CLPY_SAMPLER_CLAMP && !is_inside(size, p, dims))
        return (float4)(0, 0, 0, border_alpha(v));
    p = bring_inside(size, p, dims, layered);
    if (level == 0)
        return __clpy_pixel_f(v, (int4)(p.x, p.y, p.z, 0), dims, layered);
    return __clpy_texel_f(v, address_in_level(v, level, p, dims, layered));
}

ONE_BY_ONE float4 __clpy_sample_f(view v, uint s, float4 c, uint level, int dims, int layered) {
    place size = size_of_level(v, level, layered);
    if (!(s & CLPY_SAMPLER_LINEAR)) {
        place p = nearest_place(size, s, (point){c.x, c.y, c.z}, dims, layered);
        return texel_or_border(v, s, level, p, dims, layered);
    }
    box b = box_of(size, s, (point){c.x, c.y, c.z}, dims, layered);
    float4 sum = (float4)0, border = (float4)(0, 0, 0, border_alpha(v));
    KEEP_LOOP
    for (int i = 0; i < 1 << dims; i++) {
        place p = {i & 1 ? b.x.second : b.x.first, i & 2 ? b.y.second : b.y.first, i & 4 ? b.z.second : b.z.first};
        bool has = i & 1 ? b.x.has_second : b.x.has_first;
        has &= i & 2 ? b.y.has_second : b.y.has_first;
        has &= i & 4 ? b.z.has_second : b.z.has_first;
        float weight = i & 1 ? b.x.part : 1 - b.x.part;
        weight *= i & 2 ? b.y.part : 1 - b.y.part;
        weight *= i & 4 ? b.z.part : 1 - b.z.part;
        sum += weight * (has ? texel_or_border(v, s, level, p, dims, layered) : border);
    }
    return sum;
}

ONE_BY_ONE uint4 __clpy_sample_u(view v, uint s, float4 c, uint level, int dims, int layered) {
    place size = size_of_level(v, level, layered);
    place p = nearest_place(size, s, (point){c.x, c.y, c.z}, dims, layered);
    if (ADDRESSING(s) == CLPY_SAMPLER_CLAMP && !is_inside(size, p, dims))
        return (uint4)(0, 0, 0, (uint)border_alpha(v));
    p = bring_inside(size, p, dims, layered);
    if (level == 0)
        return __clpy_pixel_u(v, (int4)(p.x, p.y, p.z, 0), dims, layered);
    return __clpy_texel_u(v, address_in_level(v, level, p, dims, layered));
}

// --- writing

// Which of red, green, blue and alpha each channel in memory is: a digit each from the right, 4 after the last.
INTERNAL uint writing_order(uint order) {
    switch (order) {
    case CLK_A:
        return 0x43;
    case CLK_RG:
    case CLK_RGx:
        return 0x410;
    case CLK_RA:
        return 0x430;
    case CLK_RGB:
    case CLK_sRGB:
        return 0x4210;
    case CLK_RGBx:      // what is behind x does not count: alpha, as for clEnqueueFillImage
    case CLK_sRGBx:
    case CLK_RGBA:
    case CLK_sRGBA:
        return 0x43210;
    case CLK_BGRA:
    case CLK_sBGRA:
        return 0x43012;
    case CLK_ARGB:
        return 0x42103;
    case CLK_ABGR:
        return 0x40123;
    default:
        return 0x40;
    }
}

// To the nearest of the numbers down from `top`.
INTERNAL int signed_normal(float x, float top) {
    return x != x ? 0 : (int)__builtin_elementwise_rint(within(x * top, -top - 1, top));
}

// The last number that is not above in linear light, or the one after it if that is nearer.
INTERNAL uint linear_to_srgb(float x) {
    uint low = 0;
    KEEP_LOOP
    for (uint step = 128; step > 0; step >>= 1)
        low += srgb_to_linear[low + step] <= x ? step : 0;
    if (low < 255 && x - srgb_to_linear[low] > srgb_to_linear[low + 1] - x)
        low++;
    return low;
}

INTERNAL void store_pixel(view v, bytes p, uint4 pixel) {
    switch (v->pixel_bytes) {
    case 1:
        *p = (uchar)pixel.x;
        return;
    case 2:
        AT(ushort, p) = (ushort)pixel.x;
        return;
    case 4:
        AT(uint, p) = pixel.x;
        return;
    case 8:
        AT(uint2, p) = pixel.xy;
        return;
    case 16:
        AT(uint4, p) = pixel;
        return;
    default:
        KEEP_LOOP
        for (uint n = 0; n < v->pixel_bytes; n++)
            p[n] = (uchar)(pixel[n >> 2] >> (n & 3) * 8);
    }
}

INTERNAL uint channel_bits(uint type, float x) {
    switch (type) {
    case CLK_UNORM_INT8:
        return (uint)normal(x, 255);
    case CLK_SNORM_INT8:
        return (uchar)signed_normal(x, 127);
    case CLK_UNORM_INT16:
    case CLK_UNORM_10X6_EXT:
    case CLK_UNORM_12X4_EXT:
    case CLK_UNORM_14X2_EXT:
        return (uint)normal(x, (float)(0xFFFF >> unused_bits(type))) << unused_bits(type);
    case CLK_SNORM_INT16:
        return (ushort)signed_normal(x, 32767);
    case CLK_HALF_FLOAT:
        return as_ushort((half)x);
    default:
        return as_uint(x);
    }
}

INTERNAL uint to_field(float x, uint low, uint top) { return (uint)normal(x, (float)top) << low; }

INTERNAL uint packed_bits(uint type, float4 c) {
    switch (type) {
    case CLK_UNORM_SHORT_565:
        return to_field(c.x, 11, 31) | to_field(c.y, 5, 63) | to_field(c.z, 0, 31);
    case CLK_UNORM_SHORT_555:
        return to_field(c.x, 10, 31) | to_field(c.y, 5, 31) | to_field(c.z, 0, 31);
    case CLK_UNORM_INT_2_101010_EXT:
        return to_field(c.x, 0, 1023) | to_field(c.y, 10, 1023) | to_field(c.z, 20, 1023) | to_field(c.w, 30, 3);
    case CLK_UNORM_INT_101010:
        return to_field(c.x, 20, 1023) | to_field(c.y, 10, 1023) | to_field(c.z, 0, 1023);
    default:
        return to_field(c.x, 22, 1023) | to_field(c.y, 12, 1023) | to_field(c.z, 2, 1023) | to_field(c.w, 0, 3);
    }
}

ONE_BY_ONE void __clpy_put_f(view v, bytes at, float4 color) {
    uint type = v->channel_type, order = writing_order(v->channel_order), size = channel_bytes(type), before = 0;
    bool srgb = is_srgb(v->channel_order);
    uint4 pixel = (uint4)0;
    if (is_packed(type)) {
        store_pixel(v, at, (uint4)(packed_bits(type, color), 0, 0, 0));
        return;
    }
    KEEP_LOOP
    for (; (order & 15) < 4; order >>= 4) {
        uint from = order & 15;
        ADD_BITS(pixel, before, srgb && from < 3 ? linear_to_srgb(color[from]) : channel_bits(type, color[from]));
        before += size;
    }
    store_pixel(v, at, pixel);
}

#define PUT_ANY(name, T4, S, low8, high8, low16, high16) \
    ONE_BY_ONE void name(view v, bytes at, T4 color) { \
        uint order = writing_order(v->channel_order), size = channel_bytes(v->channel_type), before = 0; \
        uint unused = unused_bits(v->channel_type), mask = size == 4 ? ~0u : (1u << size * 8) - 1; \
        S low = size == 1 ? low8 : low16, high = size == 1 ? high8 : high16 >> unused; \
        uint4 pixel = (uint4)0; \
        KEEP_LOOP \
        for (; (order & 15) < 4; order >>= 4) { \
            S x = color[order & 15], y = size == 4 ? x : x < low ? low : x > high ? high : x; \
            ADD_BITS(pixel, before, ((uint)y << unused) & mask); \
            before += size; \
        } \
        store_pixel(v, at, pixel); \
    }
PUT_ANY(__clpy_put_i, int4, int, -128, 127, -32768, 32767)
PUT_ANY(__clpy_put_u, uint4, uint, 0, 255, 0, 65535)

// To a mip level. There is nothing beyond the last one either.
#define PUT_IN_LEVEL(T4, put) \
    ONE_BY_ONE void __clpy_put_in_level(view v, uint level, int4 c, int dims, int layered, T4 color) { \
        place p = {c.x, c.y, c.z}; \
        if (level < v->num_mip_levels && is_inside(size_of_level(v, level, layered), p, dims) \
            && (!layered || (uint)p.z < v->array_size)) \
            put(v, address_in_level(v, level, p, dims, layered), color); \
    }
PUT_IN_LEVEL(float4, __clpy_put_f)
PUT_IN_LEVEL(int4, __clpy_put_i)
PUT_IN_LEVEL(uint4, __clpy_put_u)
