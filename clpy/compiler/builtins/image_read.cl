// SPDX-License-Identifier: Apache-2.0
// read_image: with and without a sampler.
#include "image.h"

// --- the pixel at a place inside

INTERNAL float4 fetch_f(view v, place p, int dims, int layered) {
    switch (format_of(v)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8):
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8): {
        float4 c = CONVERT_4(unpack_small_u8(PIXEL(uint)), float) * (1 / 255.0f);
        return v->channel_order == CLK_BGRA ? c.zyxw : c;
    }
    case FORMAT(CLK_RGBA, CLK_FLOAT):
        return PIXEL(float4);
    case FORMAT(CLK_RGBA, CLK_HALF_FLOAT):
        return unpack_f16(PIXEL(uint2));
    case FORMAT(CLK_R, CLK_FLOAT):
        return (float4)(PIXEL(float), 0, 0, 1);
    case FORMAT(CLK_R, CLK_UNORM_INT16):
        return (float4)((float)(int)PIXEL(ushort) * (1 / 65535.0f), 0, 0, 1);
    case FORMAT(CLK_R, CLK_UNORM_INT8):
        return (float4)((float)(int)PIXEL(uchar) * (1 / 255.0f), 0, 0, 1);
    default:
        return __clpy_pixel_f(v, (int4)(p.x, p.y, p.z, 0), dims, layered);
    }
}

// R(x) of a red channel alone.
#define RED(T, v) (T)((v), 0, 0, 1)
#define FETCH_INTEGER(name, T4, S, kind8, kind16, kind32, unpack8, unpack16, T8, T16) \
    INTERNAL T4 name(view v, place p, int dims, int layered) { \
        switch (format_of(v)) { \
        case FORMAT(CLK_RGBA, kind8): \
            return unpack8(PIXEL(uint)); \
        case FORMAT(CLK_RGBA, kind16): \
            return unpack16(PIXEL(uint2)); \
        case FORMAT(CLK_RGBA, kind32): \
            return as_##T4(PIXEL(uint4)); \
        case FORMAT(CLK_R, kind8): \
            return RED(T4, PIXEL(T8)); \
        case FORMAT(CLK_R, kind16): \
            return RED(T4, PIXEL(T16)); \
        case FORMAT(CLK_R, kind32): \
            return RED(T4, (S)PIXEL(uint)); \
        default: \
            return as_##T4(__clpy_pixel_u(v, (int4)(p.x, p.y, p.z, 0), dims, layered)); \
        } \
    }
FETCH_INTEGER(fetch_i, int4, int, CLK_SIGNED_INT8, CLK_SIGNED_INT16, CLK_SIGNED_INT32, unpack_i8, unpack_i16, char,
              short)
FETCH_INTEGER(fetch_ui, uint4, uint, CLK_UNSIGNED_INT8, CLK_UNSIGNED_INT16, CLK_UNSIGNED_INT32, unpack_u8,
              unpack_u16, uchar, ushort)

INTERNAL float fetch_depth(view v, place p, int dims, int layered) {
    switch (format_of(v) & 65535) {
    case CLK_FLOAT:
        return PIXEL(float);
    case CLK_UNORM_INT16:
        return (float)(int)PIXEL(ushort) * (1 / 65535.0f);
    default:
        return __clpy_texel_f(v, address_of(v, p, dims, layered)).x;
    }
}

// --- the nearest pixel

#define NEAREST(name, T, fetch, border) \
    INTERNAL T name(view v, uint s, place p, int dims, int layered) { \
        place size = size_of(v, layered); \
        T color = fetch(v, bring_inside(size, p, dims, layered), dims, layered); \
        return ADDRESSING(s) == CLPY_SAMPLER_CLAMP && !is_inside(size, p, dims) ? (border) : color; \
    }
NEAREST(nearest_f, float4, fetch_f, (float4)(0, 0, 0, border_alpha(v)))
NEAREST(nearest_i, int4, fetch_i, (int4)(0, 0, 0, (int)border_alpha(v)))
NEAREST(nearest_ui, uint4, fetch_ui, (uint4)(0, 0, 0, (uint)(int)border_alpha(v)))
NEAREST(nearest_depth, float, fetch_depth, 0)

// --- between the nearest pixels

INTERNAL float4 rgba_u8(view v, place p, int dims, int layered) {
    return CONVERT_4(unpack_small_u8(PIXEL(uint)), float);
}
INTERNAL float4 rgba_f16(view v, place p, int dims, int layered) { return unpack_f16(PIXEL(uint2)); }
INTERNAL float4 rgba_f32(view v, place p, int dims, int layered) { return PIXEL(float4); }
INTERNAL float r_u8(view v, place p, int dims, int layered) { return (float)(int)PIXEL(uchar); }
INTERNAL float r_u16(view v, place p, int dims, int layered) { return (float)(int)PIXEL(ushort); }
INTERNAL float r_f32(view v, place p, int dims, int layered) { return PIXEL(float); }

#define BETWEEN(T) \
    INTERNAL T between(T a, T b, float part) { \
        _Pragma("clang fp contract(on)") \
        return a + part * (b - a); \
    }
BETWEEN(float)
BETWEEN(float4)

// blend_KIND: these pixels, weighted, of a format whose border is 0.
#define BLEND(T, kind) \
    INTERNAL T pixel_##kind(view v, place p, bool has, int dims, int layered) { \
        T color = kind(v, p, dims, layered); \
        return has ? color : (T)0; \
    } \
    INTERNAL T line_##kind(view v, span x, int y, int z, bool has, int dims, int layered) { \
        return between(pixel_##kind(v, (place){x.first, y, z}, x.has_first & has, dims, layered), \
                       pixel_##kind(v, (place){x.second, y, z}, x.has_second & has, dims, layered), x.part); \
    } \
    INTERNAL T plane_##kind(view v, span x, span y, int z, bool has, int dims, int layered) { \
        if (dims < 2) \
            return line_##kind(v, x, 0, z, has, dims, layered); \
        return between(line_##kind(v, x, y.first, z, y.has_first & has, dims, layered), \
                       line_##kind(v, x, y.second, z, y.has_second & has, dims, layered), y.part); \
    } \
    INTERNAL T blend_##kind(view v, box b, int dims, int layered) { \
        if (dims < 3) \
            return plane_##kind(v, b.x, b.y, b.z.first, true, dims, layered); \
        return between(plane_##kind(v, b.x, b.y, b.z.first, b.z.has_first, dims, layered), \
                       plane_##kind(v, b.x, b.y, b.z.second, b.z.has_second, dims, layered), b.z.part); \
    }
BLEND(float4, rgba_u8)
BLEND(float4, rgba_f16)
BLEND(float4, rgba_f32)
BLEND(float, r_u8)
BLEND(float, r_u16)
BLEND(float, r_f32)

INTERNAL float4 linear_f(view v, uint s, point c, int dims, int layered) {
    box b = box_of(size_of(v, layered), s, c, dims, layered);
    switch (format_of(v)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8):
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8): {
        float4 color = blend_rgba_u8(v, b, dims, layered) * (1 / 255.0f);
        return v->channel_order == CLK_BGRA ? color.zyxw : color;
    }
    case FORMAT(CLK_RGBA, CLK_FLOAT):
        return blend_rgba_f32(v, b, dims, layered);
    case FORMAT(CLK_RGBA, CLK_HALF_FLOAT):
        return blend_rgba_f16(v, b, dims, layered);
    case FORMAT(CLK_R, CLK_FLOAT):
        return (float4)(blend_r_f32(v, b, dims, layered), 0, 0, 1);
    case FORMAT(CLK_R, CLK_UNORM_INT8):
        return (float4)(blend_r_u8(v, b, dims, layered) * (1 / 255.0f), 0, 0, 1);
    case FORMAT(CLK_R, CLK_UNORM_INT16):
        return (float4)(blend_r_u16(v, b, dims, layered) * (1 / 65535.0f), 0, 0, 1);
    default:
        return __clpy_sample_f(v, s, (float4)(c.x, c.y, c.z, 0), 0, dims, layered);
    }
}

INTERNAL float linear_depth(view v, uint s, point c, int dims, int layered) {
    box b = box_of(size_of(v, layered), s, c, dims, layered);
    switch (format_of(v) & 65535) {
    case CLK_FLOAT:
        return blend_r_f32(v, b, dims, layered);
    case CLK_UNORM_INT16:
        return blend_r_u16(v, b, dims, layered) * (1 / 65535.0f);
    default:
        return __clpy_sample_f(v, s, (float4)(c.x, c.y, c.z, 0), 0, dims, layered).x;
    }
}

// --- the functions of OpenCL C

#define IDENTITY(x) (x)
#define TO_HALF(x) __builtin_convertvector(x, half4)

// Integers are not filtered.
#define READ_INTEGER(image, CI, CF, dims, layered, T, f, suffix) \
    OVERLOAD T f(read_only image##_t i, sampler_t s, CI c) { \
        return nearest_##suffix(__clpy_view(i), __clpy_sampler(s), to_place(c, dims, layered), dims, layered); \
    } \
    OVERLOAD T f(read_only image##_t i, sampler_t s, CF c) { \
        view v = __clpy_view(i); \
        uint bits = __clpy_sampler(s); \
        place p = nearest_place(size_of(v, layered), bits, to_point(c, dims, layered), dims, layered); \
        return nearest_##suffix(v, bits, p, dims, layered); \
    }
SAMPLED_IMAGES(READ_INTEGER, int4, read_imagei, i)
SAMPLED_IMAGES(READ_INTEGER, uint4, read_imageui, ui)

#define READ_FLOAT(image, CI, CF, dims, layered, T, f, suffix, TO_RESULT) \
    OVERLOAD T f(read_only image##_t i, sampler_t s, CI c) { \
        return TO_RESULT(nearest_##suffix(__clpy_view(i), __clpy_sampler(s), to_place(c, dims, layered), dims, \
                                          layered)); \
    } \
    OVERLOAD T f(read_only image##_t i, sampler_t s, CF c) { \
        view v = __clpy_view(i); \
        uint bits = __clpy_sampler(s); \
        point at = to_point(c, dims, layered); \
        if (bits & CLPY_SAMPLER_LINEAR) \
            return TO_RESULT(linear_##suffix(v, bits, at, dims, layered)); \
        place p = nearest_place(size_of(v, layered), bits, at, dims, layered); \
        return TO_RESULT(nearest_##suffix(v, bits, p, dims, layered)); \
    }
SAMPLED_IMAGES(READ_FLOAT, float4, read_imagef, f, IDENTITY)
SAMPLED_IMAGES(READ_FLOAT, half4, read_imageh, f, TO_HALF)
DEPTH_IMAGES(READ_FLOAT, float, read_imagef, depth, IDENTITY)

// A coordinate outside gives any color: that of the nearest pixel.
#define READ(image, CI, CF, dims, layered, access, T, f, suffix, TO_RESULT) \
    OVERLOAD T f(access image##_t i, CI c) { \
        return TO_RESULT(nearest_##suffix(__clpy_view(i), CLPY_SAMPLER_NONE, to_place(c, dims, layered), dims, \
                                          layered)); \
    }
#define READS(access) \
    COLOR_IMAGES(READ, access, float4, read_imagef, f, IDENTITY) \
    COLOR_IMAGES(READ, access, half4, read_imageh, f, TO_HALF) \
    COLOR_IMAGES(READ, access, int4, read_imagei, i, IDENTITY) \
    COLOR_IMAGES(READ, access, uint4, read_imageui, ui, IDENTITY) \
    DEPTH_IMAGES(READ, access, float, read_imagef, depth, IDENTITY)
READS(read_only)
READS(read_write)
