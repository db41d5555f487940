# SPDX-License-Identifier: Apache-2.0
"""Making images and asking about them."""
from clpy.cl cimport (cl_context, cl_image_desc, cl_image_format, cl_image_info, cl_int, cl_mem, cl_mem_flags,
                      cl_mem_object_type, cl_mem_properties, cl_uint)
from clpy.core.context cimport Context

cdef cl_int get_supported_image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                        cl_uint num_entries, cl_image_format *image_formats,
                                        cl_uint *num_image_formats) noexcept nogil
cdef cl_mem create_image(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                         const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) noexcept nogil
cdef cl_mem create_image_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                         const cl_image_format *image_format, const cl_image_desc *image_desc,
                                         void *host_ptr, cl_int *errcode_ret) noexcept nogil
cdef cl_mem create_image_2d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret) noexcept nogil
cdef cl_mem create_image_3d(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                            size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret) noexcept nogil
cdef cl_int get_image_info(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret) noexcept nogil

# Shared with samplers and requirements of images.
cdef bint has_images(const Context *ctx) noexcept nogil      # one of its devices
cdef bint has_mipmaps(const Context *ctx) noexcept nogil     # each of its devices that has images
# May the image of a descriptor have as many levels as it says?
cdef bint levels_are_valid(const Context *ctx, cl_mem_flags flags, const cl_image_desc *desc) noexcept nogil
