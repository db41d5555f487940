// SPDX-License-Identifier: Apache-2.0
// read_image of mip levels: the level of detail is given, or follows from how fast the coordinates change.
#include "image.h"

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable

// "clamped to the minimum of (actual number of mip levels - 1) in the image or the value specified for
// CL_SAMPLER_LOD_MAX"
INTERNAL float level_of_detail(view v, uint s, float lod) {
    float unit = 1.0f / CLPY_SAMPLER_LOD_UNITS;
    float low = (float)(int)(s >> CLPY_SAMPLER_LOD_MIN_SHIFT & CLPY_SAMPLER_LOD_LIMIT) * unit;
    uint below = s >> CLPY_SAMPLER_LOD_MAX_SHIFT & CLPY_SAMPLER_LOD_LIMIT;
    float high = (float)(int)(CLPY_SAMPLER_LOD_LIMIT - below) * unit;
    return within(within(lod, low, high), 0, (float)(int)(v->num_mip_levels - 1));
}

// Pixels of level 0 that a step to the next pixel of the screen goes over, as a power of two.
INTERNAL float squared_length(view v, float4 step, int dims) {
    float x = step.x * (float)(int)v->width, y = step.y * (float)(int)v->height, z = step.z * (float)(int)v->depth;
    return x * x + (dims > 1 ? y * y : 0) + (dims > 2 ? z * z : 0);
}
INTERNAL float detail_of_steps(view v, float4 x, float4 y, int dims) {
    float longest = __builtin_elementwise_max(squared_length(v, x, dims), squared_length(v, y, dims));
    return 0.5f * __builtin_elementwise_log2(longest);
}

INTERNAL float4 four(float x) { return (float4)(x, 0, 0, 0); }
INTERNAL float4 four(float2 x) { return (float4)(x.x, x.y, 0, 0); }
INTERNAL float4 four(float4 x) { return x; }

INTERNAL float4 mip_f(view v, uint s, point c, float lod, int dims, int layered) {
    float4 at = (float4)(c.x, c.y, c.z, 0);
    lod = level_of_detail(v, s, lod);
    if (!(s & CLPY_SAMPLER_MIP_LINEAR))
        return __clpy_sample_f(v, s, at, (uint)(int)__builtin_elementwise_rint(lod), dims, layered);
    uint level = (uint)(int)lod, next = __builtin_elementwise_min(level + 1, v->num_mip_levels - 1);
    float part = lod - (float)(int)level;
    return (1 - part) * __clpy_sample_f(v, s, at, level, dims, layered)
        + part * __clpy_sample_f(v, s, at, next, dims, layered);
}

INTERNAL uint4 mip_u(view v, uint s, point c, float lod, int dims, int layered) {
    uint level = (uint)(int)__builtin_elementwise_rint(level_of_detail(v, s, lod));
    return __clpy_sample_u(v, s, (float4)(c.x, c.y, c.z, 0), level, dims, layered);
}

#define FLOAT4(color) (color)
#define FLOAT1(color) ((color).x)
#define INT4(color) as_int4(color)
#define MIP(image, CI, CF, dims, layered, G, access, T, f, mip, TO_RESULT) \
    OVERLOAD T f(access image##_t i, sampler_t s, CF c, float lod) { \
        return TO_RESULT(mip(__clpy_view(i), __clpy_sampler(s), to_point(c, dims, layered), lod, dims, layered)); \
    } \
    OVERLOAD T f(access image##_t i, sampler_t s, CF c, G x, G y) { \
        view v = __clpy_view(i); \
        float lod = detail_of_steps(v, four(x), four(y), dims); \
        return TO_RESULT(mip(v, __clpy_sampler(s), to_point(c, dims, layered), lod, dims, layered)); \
    }
#define MIP_COLOR(image, CI, CF, dims, layered, G, access) \
    MIP(image, CI, CF, dims, layered, G, access, float4, read_imagef, mip_f, FLOAT4) \
    MIP(image, CI, CF, dims, layered, G, access, int4, read_imagei, mip_u, INT4) \
    MIP(image, CI, CF, dims, layered, G, access, uint4, read_imageui, mip_u, FLOAT4)

// Without a sampler: of SPIR-V; OpenCL C does not declare these.
#define PLAIN (CLPY_SAMPLER_NEAREST | CLPY_SAMPLER_CLAMP_TO_EDGE)
#define LEVEL(image, CI, CF, dims, layered, access, T, f, sample, TO_RESULT) \
    OVERLOAD T f(access image##_t i, CI c, int lod) { \
        view v = __clpy_view(i); \
        place p = to_place(c, dims, layered); \
        float4 at = (float4)((float)p.x, (float)p.y, (float)p.z, 0); \
        return TO_RESULT(sample(v, PLAIN, at, (uint)bound(lod, (int)v->num_mip_levels), dims, layered)); \
    }
#define LEVEL_COLOR(access) \
    SAMPLED_IMAGES(LEVEL, access, float4, read_imagef, __clpy_sample_f, FLOAT4) \
    SAMPLED_IMAGES(LEVEL, access, int4, read_imagei, __clpy_sample_u, INT4) \
    SAMPLED_IMAGES(LEVEL, access, uint4, read_imageui, __clpy_sample_u, FLOAT4) \
    DEPTH_IMAGES(LEVEL, access, float, read_imagef, __clpy_sample_f, FLOAT1)
LEVEL_COLOR(read_only)
LEVEL_COLOR(read_write)

#define LEVELS(image, CI, CF, dims, layered, access) \
    OVERLOAD int get_image_num_mip_levels(access image##_t i) { return (int)__clpy_view(i)->num_mip_levels; }
#define FOR_ACCESS(access) \
    MIP_COLOR(image1d, int, float, 1, 0, float, access) \
    MIP_COLOR(image1d_array, int2, float2, 1, 1, float, access) \
    MIP_COLOR(image2d, int2, float2, 2, 0, float2, access) \
    MIP_COLOR(image2d_array, int4, float4, 2, 1, float2, access) \
    MIP_COLOR(image3d, int4, float4, 3, 0, float4, access) \
    MIP(image2d_depth, int2, float2, 2, 0, float2, access, float, read_imagef, mip_f, FLOAT1) \
    MIP(image2d_array_depth, int4, float4, 2, 1, float2, access, float, read_imagef, mip_f, FLOAT1) \
    SAMPLED_IMAGES(LEVELS, access) \
    DEPTH_IMAGES(LEVELS, access)
FOR_ACCESS(read_only)
FOR_ACCESS(read_write)
SAMPLED_IMAGES(LEVELS, write_only)
DEPTH_IMAGES(LEVELS, write_only)
