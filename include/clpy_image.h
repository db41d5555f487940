/* SPDX-License-Identifier: Apache-2.0
 * An image as a kernel sees it, and a sampler as a number: read by the core (through clpy_abi.h) and by the OpenCL C
 * library, which is why it is in a file of its own that both languages understand.
 */
#ifndef CLPY_IMAGE_H
#define CLPY_IMAGE_H

#ifdef __OPENCL_C_VERSION__
#define CLPY_IMAGE_DATA __global uchar
typedef uint clpy_u32;
#else
#include <stddef.h>
#include <stdint.h>
#define CLPY_IMAGE_DATA unsigned char
typedef uint32_t clpy_u32;
#endif

/* What the argument block has the address of for an image argument. It changes only while no kernel can use the image.
 *
 * Pixel (x, y, z) of level 0 is at data + z * slice_pitch + y * row_pitch + x * pixel_bytes; the layer of an array is
 * z, also of a 1D array. Of an image with more than one mip level all levels lie one behind the other: level n begins
 * where level n - 1 ends. Level n has max(1, width >> n) by max(1, height >> n) by max(1, depth >> n) pixels and all
 * layers of an array. No level has gaps: row pitch is its width * pixel_bytes, slice pitch row pitch * its height.
 */
typedef struct clpy_image {
    CLPY_IMAGE_DATA *data;   /* aligned for a pixel */
    size_t row_pitch;        /* bytes */
    size_t slice_pitch;      /* bytes; from layer to layer of an array too. 0 where there is one slice */
    clpy_u32 width;          /* pixels; what an image has not is 1 */
    clpy_u32 height;
    clpy_u32 depth;          /* of a 3D image */
    clpy_u32 array_size;     /* layers of an array */
    clpy_u32 channel_order;  /* CL_R, ...: the CLK_ names of OpenCL C have the same values */
    clpy_u32 channel_type;   /* CL_UNORM_INT8, ... */
    clpy_u32 pixel_bytes;
    clpy_u32 num_mip_levels; /* 1 for an image without */
    clpy_u32 num_samples;    /* 1 for an image without */
    clpy_u32 is_large;       /* the number of a pixel takes more than 31 bits */
} clpy_image;

/* A sampler is 32 bits: the number that OpenCL C gives a sampler in a kernel's source, so that both kinds are the same
 * to a kernel, and in the upper half what only clCreateSamplerWithProperties can say, 0 for the default.
 */
#define CLPY_SAMPLER_NORMALIZED 0x01u
#define CLPY_SAMPLER_ADDRESSING 0x0eu       /* one of the next five */
#define CLPY_SAMPLER_NONE 0x00u
#define CLPY_SAMPLER_CLAMP_TO_EDGE 0x02u
#define CLPY_SAMPLER_CLAMP 0x04u
#define CLPY_SAMPLER_REPEAT 0x06u
#define CLPY_SAMPLER_MIRRORED_REPEAT 0x08u
#define CLPY_SAMPLER_NEAREST 0x10u
#define CLPY_SAMPLER_LINEAR 0x20u
#define CLPY_SAMPLER_MIP_LINEAR 0x40u       /* between levels; else the nearest level */
#define CLPY_SAMPLER_LOD_MIN_SHIFT 8        /* 12 bits: least level in units of 1/128 */
#define CLPY_SAMPLER_LOD_MAX_SHIFT 20       /* 12 bits: by how many such units the highest level is below the limit */
#define CLPY_SAMPLER_LOD_UNITS 128
#define CLPY_SAMPLER_LOD_LIMIT 4095u        /* of the 12 bits: almost 32 levels, more than an image has */

#endif
