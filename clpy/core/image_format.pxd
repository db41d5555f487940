# SPDX-License-Identifier: Apache-2.0
"""Image formats: the one table of those that are supported, and what follows from it."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_channel_order, cl_channel_type, cl_image_format, cl_mem_flags, cl_mem_object_type, cl_uint

cdef enum:
    MOST_PIXEL_BYTES = 16
    # what kernels may do with images of a format
    FORMAT_READ = 1
    FORMAT_WRITE = 2
    FORMAT_READ_WRITE = 4        # the same kernel, through one argument

ctypedef struct ImageFormat:     # a row of the table
    cl_channel_order order
    cl_channel_type type
    uint32_t pixel_bytes         # a power of two
    uint32_t uses                # FORMAT_*

# The row of a format; NULL when it is not supported.
cdef const ImageFormat *format_find(const cl_image_format *format) noexcept nogil
# Do order and type go together, supported or not?
cdef bint format_is_valid(const cl_image_format *format) noexcept nogil
# May kernels use images of the type as the flag says? CL_MEM_READ_WRITE: read in one and write in another; 0: likewise.
cdef bint format_fits(const ImageFormat *format, cl_mem_object_type image_type, cl_mem_flags flags) noexcept nogil
# The formats that fit, at most `room` of them into `out` (may be NULL); how many there are.
cdef cl_uint formats_list(cl_mem_object_type image_type, cl_mem_flags flags, cl_uint room,
                          cl_image_format *out) noexcept nogil
# May an image of format `view` be made from an image of format `of`?
cdef bint format_views(const cl_image_format *view, const cl_image_format *of) noexcept nogil
cdef bint is_integer_type(cl_channel_type type) noexcept nogil
# A colour as clEnqueueFillImage gets it (four float, int32_t or uint32_t in the order RGBA; one float for a depth) as a
# pixel; it is rounded to nearest, and out-of-range values saturate.
cdef void format_pack(const ImageFormat *format, const void *color, unsigned char *pixel) noexcept nogil
