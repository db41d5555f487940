// SPDX-License-Identifier: Apache-2.0
// write_image. What lies outside of the image is not written: undefined by the specification, and common.
#include "image.h"

INTERNAL uint4 normal_u8(float4 c) {
    return (uint4)((uint)normal(c.x, 255), (uint)normal(c.y, 255), (uint)normal(c.z, 255), (uint)normal(c.w, 255));
}

INTERNAL uint to_half_bits(float x) { return as_ushort((half)x); }

INTERNAL void put_f(view v, place p, int dims, int layered, float4 c) {
    switch (format_of(v)) {
    case FORMAT(CLK_RGBA, CLK_UNORM_INT8):
    case FORMAT(CLK_BGRA, CLK_UNORM_INT8):
        PIXEL(uint) = pack_8(normal_u8(v->channel_order == CLK_BGRA ? c.zyxw : c));
        return;
    case FORMAT(CLK_RGBA, CLK_FLOAT):
        PIXEL(float4) = c;
        return;
    case FORMAT(CLK_RGBA, CLK_HALF_FLOAT):
        PIXEL(uint2) = pack_16((uint4)(to_half_bits(c.x), to_half_bits(c.y), to_half_bits(c.z), to_half_bits(c.w)));
        return;
    case FORMAT(CLK_R, CLK_FLOAT):
        PIXEL(float) = c.x;
        return;
    case FORMAT(CLK_R, CLK_UNORM_INT8):
        PIXEL(uchar) = (uchar)normal(c.x, 255);
        return;
    case FORMAT(CLK_R, CLK_UNORM_INT16):
        PIXEL(ushort) = (ushort)normal(c.x, 65535);
        return;
    default:
        __clpy_put_f(v, address_of(v, p, dims, layered), c);
    }
}

INTERNAL int4 saturated(int4 c, int low, int high) {
    return __builtin_elementwise_min(__builtin_elementwise_max(c, (int4)low), (int4)high);
}
INTERNAL uint4 saturated(uint4 c, uint low, uint high) { return __builtin_elementwise_min(c, (uint4)high); }

#define PUT_INTEGER(name, any, T4, kind8, kind16, kind32, low8, high8, low16, high16) \
    INTERNAL void name(view v, place p, int dims, int layered, T4 c) { \
        switch (format_of(v)) { \
        case FORMAT(CLK_RGBA, kind8): \
            PIXEL(uint) = pack_8(as_uint4(saturated(c, low8, high8)) & 255u); \
            return; \
        case FORMAT(CLK_RGBA, kind16): \
            PIXEL(uint2) = pack_16(as_uint4(saturated(c, low16, high16)) & 65535u); \
            return; \
        case FORMAT(CLK_RGBA, kind32): \
            PIXEL(uint4) = as_uint4(c); \
            return; \
        case FORMAT(CLK_R, kind8): \
            PIXEL(uchar) = (uchar)saturated(c, low8, high8).x; \
            return; \
        case FORMAT(CLK_R, kind16): \
            PIXEL(ushort) = (ushort)saturated(c, low16, high16).x; \
            return; \
        case FORMAT(CLK_R, kind32): \
            PIXEL(uint) = (uint)c.x; \
            return; \
        default: \
            any(v, address_of(v, p, dims, layered), c); \
        } \
    }
PUT_INTEGER(put_i, __clpy_put_i, int4, CLK_SIGNED_INT8, CLK_SIGNED_INT16, CLK_SIGNED_INT32, -128, 127, -32768, 32767)
PUT_INTEGER(put_ui, __clpy_put_u, uint4, CLK_UNSIGNED_INT8, CLK_UNSIGNED_INT16, CLK_UNSIGNED_INT32, 0, 255, 0, 65535)

INTERNAL void put_depth(view v, place p, int dims, int layered, float depth) {
    switch (format_of(v) & 65535) {
    case CLK_FLOAT:
        PIXEL(float) = depth;
        return;
    case CLK_UNORM_INT16:
        PIXEL(ushort) = (ushort)normal(depth, 65535);
        return;
    default:
        __clpy_put_f(v, address_of(v, p, dims, layered), (float4)depth);
    }
}

#define IDENTITY(x) (x)
#define FROM_HALF(x) __builtin_convertvector(x, float4)
#define WRITE(image, CI, CF, dims, layered, access, T, f, put, TO_COLOR) \
    OVERLOAD void f(access image##_t i, CI c, T color) { \
        view v = __clpy_view(i); \
        place p = to_place(c, dims, layered); \
        if (is_inside(size_of(v, layered), p, dims) && (!layered || (uint)p.z < v->array_size)) \
            put(v, p, dims, layered, TO_COLOR(color)); \
    }
#define WRITES(access) \
    COLOR_IMAGES(WRITE, access, float4, write_imagef, put_f, IDENTITY) \
    COLOR_IMAGES(WRITE, access, half4, write_imageh, put_f, FROM_HALF) \
    COLOR_IMAGES(WRITE, access, int4, write_imagei, put_i, IDENTITY) \
    COLOR_IMAGES(WRITE, access, uint4, write_imageui, put_ui, IDENTITY) \
    DEPTH_IMAGES(WRITE, access, float, write_imagef, put_depth, IDENTITY)
WRITES(write_only)
WRITES(read_write)
