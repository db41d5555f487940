// SPDX-License-Identifier: Apache-2.0
// read_image of the level that follows from how fast the coordinates change, by those of a level that is given.
#include "builtins.h"

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable

INTERNAL float4 four(float x) { return (float4)(x, 0, 0, 0); }
INTERNAL float4 four(float2 x) { return (float4)(x, 0, 0); }
INTERNAL float4 four(float4 x) { return (float4)(x.xyz, 0); }

// Of a step to the next pixel of the screen in either direction: the longer one goes over 2^level pixels.
INTERNAL float level_of(float4 x, float4 y, float4 size) {
    return 0.5f * log2(fmax(dot(x * size, x * size), dot(y * size, y * size)));
}

#define SIZE1(i) (float4)(get_image_width(i), 0, 0, 0)
#define SIZE2(i) (float4)(get_image_width(i), get_image_height(i), 0, 0)
#define SIZE3(i) (float4)(get_image_width(i), get_image_height(i), get_image_depth(i), 0)
#define OF_STEPS(image, C, G, SIZE, T, f) \
    OVERLOAD T f(read_only image##_t i, sampler_t s, C c, float level); \
    OVERLOAD T f(read_only image##_t i, sampler_t s, C c, G x, G y) { \
        return f(i, s, c, level_of(four(x), four(y), SIZE(i))); \
    }
#define COLORS(image, C, G, SIZE) \
    OF_STEPS(image, C, G, SIZE, float4, read_imagef) \
    OF_STEPS(image, C, G, SIZE, int4, read_imagei) \
    OF_STEPS(image, C, G, SIZE, uint4, read_imageui)
COLORS(image1d, float, float, SIZE1)
COLORS(image1d_array, float2, float, SIZE1)
COLORS(image2d, float2, float2, SIZE2)
COLORS(image2d_array, float4, float2, SIZE2)
COLORS(image3d, float4, float4, SIZE3)
OF_STEPS(image2d_depth, float2, float2, SIZE2, float, read_imagef)
OF_STEPS(image2d_array_depth, float4, float2, SIZE2, float, read_imagef)
