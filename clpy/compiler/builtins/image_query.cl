// SPDX-License-Identifier: Apache-2.0
// What an image is: get_image_width and the like. Channel orders and types have the host's numbers.
#include "image.h"

#define FOR_EVERY(image, CI, CF, dims, layered, access) \
    OVERLOAD int get_image_width(access image##_t i) { return (int)__clpy_view(i)->width; } \
    OVERLOAD int get_image_channel_data_type(access image##_t i) { return (int)__clpy_view(i)->channel_type; } \
    OVERLOAD int get_image_channel_order(access image##_t i) { return (int)__clpy_view(i)->channel_order; }
#define FOR_PLANES(image, access) \
    OVERLOAD int get_image_height(access image##_t i) { return (int)__clpy_view(i)->height; } \
    OVERLOAD int2 get_image_dim(access image##_t i) { \
        view v = __clpy_view(i); \
        return (int2)((int)v->width, (int)v->height); \
    }
#define FOR_ARRAYS(image, access) \
    OVERLOAD size_t get_image_array_size(access image##_t i) { return __clpy_view(i)->array_size; }

#define QUERIES(access) \
    EVERY_IMAGE(FOR_EVERY, access) \
    FOR_PLANES(image2d, access) \
    FOR_PLANES(image2d_array, access) \
    FOR_PLANES(image2d_depth, access) \
    FOR_PLANES(image2d_array_depth, access) \
    FOR_ARRAYS(image1d_array, access) \
    FOR_ARRAYS(image2d_array, access) \
    FOR_ARRAYS(image2d_array_depth, access) \
    OVERLOAD int get_image_height(access image3d_t i) { return (int)__clpy_view(i)->height; } \
    OVERLOAD int get_image_depth(access image3d_t i) { return (int)__clpy_view(i)->depth; } \
    OVERLOAD int4 get_image_dim(access image3d_t i) { \
        view v = __clpy_view(i); \
        return (int4)((int)v->width, (int)v->height, (int)v->depth, 0); \
    }
QUERIES(read_only)
QUERIES(write_only)
QUERIES(read_write)
