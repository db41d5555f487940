// SPDX-License-Identifier: Apache-2.0
// write_image to mip levels: pixel by pixel, for a chain of levels is made once and sampled often.
#include "image.h"

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable

#define COLOR(c) (c)
#define DEPTH(depth) ((float4)(depth, 0, 0, 0))
#define WRITE(image, CI, CF, dims, layered, access, T, f, TO_COLOR) \
    OVERLOAD void f(access image##_t i, CI c, int lod, T color) { \
        place p = to_place(c, dims, layered); \
        __clpy_put_in_level(__clpy_view(i), (uint)lod, (int4)(p.x, p.y, p.z, 0), dims, layered, TO_COLOR(color)); \
    }
#define WRITES(access) \
    SAMPLED_IMAGES(WRITE, access, float4, write_imagef, COLOR) \
    SAMPLED_IMAGES(WRITE, access, int4, write_imagei, COLOR) \
    SAMPLED_IMAGES(WRITE, access, uint4, write_imageui, COLOR) \
    DEPTH_IMAGES(WRITE, access, float, write_imagef, DEPTH)
WRITES(write_only)
WRITES(read_write)      // of SPIR-V; OpenCL C does not declare these
