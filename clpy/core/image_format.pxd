# SPDX-License-Identifier: Apache-2.0
"""Image formats: the one table of those that are supported, and what follows from it."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_channel_order, cl_channel_type, cl_image_format, cl_mem_flags, cl_mem_object_type, cl_uint
from clpy.core.context cimport Context

cdef enum:
    MOST_PIXEL_BYTES = 16
    MOST_PLANES = 4
    # what kernels may do with images of a format
    FORMAT_READ = 1
    FORMAT_WRITE = 2
    FORMAT_READ_WRITE = 4        # the same kernel, through one argument

# What clEnqueueFillImage puts into each group of pixels: of a color that is numbers of the format's channel type.
ctypedef void (*pack_fn)(const uint32_t *color, unsigned char *group) noexcept nogil

ctypedef struct Plane:           # a part of a format's image that may be an image of its own
    cl_channel_order order
    uint32_t divisor             # of the width and the height

ctypedef struct ImageFormat:     # a row of the table
    cl_channel_order order
    cl_channel_type type
    uint32_t group               # neighbours in a row that share bytes: 1, but of some extensions' formats
    uint32_t group_bytes         # a power of two where the group is one pixel
    uint32_t uses                # FORMAT_*
    uint32_t sets                # FORMATS_* that it is one of
    # of extensions' formats, which only images of two dimensions have
    bint is_other                # is it one?
    uint32_t step                # width and height are multiples of it; the height only where there are planes
    pack_fn pack
    uint32_t n_planes            # one behind the other, all with the row pitch of the image; 0: no planes
    Plane planes[MOST_PLANES]

cdef inline uint32_t pixel_bytes(const ImageFormat *row) noexcept nogil:
    """Whole ones: 1 where neighbours share bytes."""
    return row.group_bytes // row.group

# The row of a format; NULL when it is not supported.
cdef const ImageFormat *format_find(const cl_image_format *format) noexcept nogil
# Do order and type go together, supported or not?
cdef bint format_is_valid(const cl_image_format *format) noexcept nogil
# May kernels use images of the type as the flag says? CL_MEM_READ_WRITE: read in one and write in another; 0: likewise.
cdef bint format_fits(const ImageFormat *format, cl_mem_object_type image_type, cl_mem_flags flags) noexcept nogil
# Has one of the context's devices the format?
cdef bint format_is_known(const ImageFormat *format, const Context *ctx) noexcept nogil
# The formats that fit, at most `room` of them into `out` (may be NULL); how many there are.
cdef cl_uint formats_list(const Context *ctx, cl_mem_object_type image_type, cl_mem_flags flags, cl_uint room,
                          cl_image_format *out) noexcept nogil
# May an image of format `view` be made from an image of format `of`?
cdef bint format_views(const cl_image_format *view, const cl_image_format *of) noexcept nogil
# And from one of its planes?
cdef bint format_views_plane(const cl_image_format *view, const ImageFormat *of, size_t plane) noexcept nogil
cdef bint is_integer_type(cl_channel_type type) noexcept nogil
# A colour as clEnqueueFillImage gets it (four float, int32_t or uint32_t in the order RGBA; one float for a depth) as a
# pixel; it is rounded to nearest, and out-of-range values saturate.
cdef void format_pack(const ImageFormat *format, const void *color, unsigned char *pixel) noexcept nogil
