# SPDX-License-Identifier: Apache-2.0
"""Images: memory objects whose bytes are pixels; where in them a region is."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_image_desc, cl_int, cl_mem_flags, cl_mem_object_type, cl_mem_properties
from clpy.core.context cimport Context
from clpy.core.external_memory cimport External
from clpy.core.image_format cimport ImageFormat
from clpy.core.memory cimport Mem
from clpy.device.base cimport Device

ctypedef struct ImageLayout:     # bytes
    size_t row_pitch
    size_t slice_pitch           # from layer to layer too; 0 of a type that has neither slices nor layers
    size_t size                  # of the store: all slices, layers and mip levels

ctypedef struct ImageBox:        # a region of an image as bytes
    unsigned char *at            # its first pixel
    size_t region[3]             # bytes of a row, rows, slices
    size_t row, slice            # bytes from one to the next, by the region's coordinates
    size_t row_pitch             # of the pixels: not `row` where a layer is one row

cdef bint is_image_type(cl_mem_object_type type) noexcept nogil
cdef bint has_height(cl_mem_object_type type) noexcept nogil
cdef bint has_layers(cl_mem_object_type type) noexcept nogil      # is it an array?
# How many coordinates a pixel has, the layer being one of them: 1 to 3.
cdef int image_dimensions(cl_mem_object_type type) noexcept nogil
# Bytes of that many neighbours in a row, which are whole groups of the format.
cdef inline size_t pixels_bytes(const ImageFormat *format, size_t pixels) noexcept nogil:
    return (pixels if format.group == 1 else pixels // format.group) * format.group_bytes

# Pitches that are 0 are filled in. False where the numbers do not fit size_t, or are more than a format can have.
cdef bint image_layout(const cl_image_desc *desc, const ImageFormat *format, ImageLayout *out) noexcept nogil
# `desc` of an image of a plane, which has its index as its depth: with the size and the pitch that `image` says.
cdef void plane_desc(const Mem *image, cl_image_desc *desc) noexcept nogil
# Does the device have images as large as this?
cdef bint image_fits(const Device *dev, const cl_image_desc *desc) noexcept nogil
# A new image in a store of its own (`parent` NULL) or in that of a buffer or image, or in external memory, which is
# taken over if this succeeds. `desc` has been checked.
cdef cl_int image_new(Context *ctx, size_t n_properties, const cl_mem_properties *properties, cl_mem_flags flags,
                      const ImageFormat *format, const cl_image_desc *desc, void *host_ptr, External *external,
                      Mem *parent, Mem **out) noexcept nogil
cdef uint32_t image_levels(const Mem *image) noexcept nogil
# Pixels of a mip level along each coordinate, the number of layers being the last of an array; 1 beyond its dimensions.
cdef void image_extent(const Mem *image, uint32_t level, size_t *extent) noexcept nogil
# The bytes of a region that is inside the level.
cdef void image_box(const Mem *image, const size_t *origin, const size_t *region, uint32_t level,
                    ImageBox *box) noexcept nogil
