# SPDX-License-Identifier: Apache-2.0
"""Formats of the images among the arguments of a launch.

Code for the formats that images have lacks what reads and writes others. A kernel with images that waits for its code
gets it for those of its first launch; a launch with others gets code for any (versions.pyx).
"""
from libc.stdint cimport uint32_t
from libc.string cimport memset
from clpy.abi cimport CLPY_ARG_IMAGE, clpy_image
from clpy.cl cimport cl_image_format, cl_uint
from clpy.core.image_format cimport ImageFormat, format_find, pixel_bytes
from clpy.core.kernel cimport Kernel
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, object_is
from clpy.core.program cimport KernelCode


cdef enum:
    TYPE_BITS = 16
    TYPE_MASK = (1 << 16) - 1


cdef inline uint32_t format_of(const clpy_image *image) noexcept nogil:
    if image == NULL or image.is_large or (image.channel_order | image.channel_type) > TYPE_MASK:
        return 0
    return image.channel_order << TYPE_BITS | image.channel_type


cdef const clpy_image *image_set(const Kernel *k, cl_uint index) noexcept nogil:
    """The application may have released it since."""
    cdef Mem *mem = <Mem *>k.values[index].object
    return &mem.view if mem != NULL and object_is(mem, KIND_MEM) else NULL


cdef void formats_in_block(const KernelCode *kernel, const unsigned char *args, uint32_t *formats) noexcept nogil:
    collect(kernel, args, NULL, formats)


cdef void formats_set(const KernelCode *kernel, const Kernel *k, uint32_t *formats) noexcept nogil:
    collect(kernel, NULL, k, formats)


cdef void collect(const KernelCode *kernel, const unsigned char *args, const Kernel *k,
                  uint32_t *formats) noexcept nogil:
    cdef const clpy_image *image
    cdef cl_uint i, n = 0
    memset(formats, 0, MOST_FORMATS * sizeof(uint32_t))
    if kernel.n_images > MOST_FORMATS:
        return
    for i in range(kernel.n_args):
        if kernel.args[i].kind != CLPY_ARG_IMAGE:
            continue
        image = image_set(k, i) if k != NULL else (<const clpy_image **>(args + kernel.args[i].offset))[0]
        formats[n] = format_of(image)
        if not formats[n]:
            memset(formats, 0, MOST_FORMATS * sizeof(uint32_t))
            return
        n += 1


cdef bint has_formats(const KernelCode *kernel, const Kernel *k) noexcept nogil:
    cdef cl_uint i
    for i in range(kernel.n_args):
        if kernel.args[i].format and format_of(image_set(k, i)) != kernel.args[i].format:
            return False
    return True


cdef dict formats_by_argument(const KernelCode *kernel, const uint32_t *formats):
    cdef const ImageFormat *row
    cdef cl_image_format format
    cdef uint32_t i, n = 0
    made = {}
    if not formats[0]:
        return made
    for i in range(kernel.n_args):
        if kernel.args[i].kind != CLPY_ARG_IMAGE:
            continue
        format.image_channel_order = formats[n] >> TYPE_BITS
        format.image_channel_data_type = formats[n] & TYPE_MASK
        row = format_find(&format)
        if row == NULL:
            return {}
        made[i] = (format.image_channel_order, format.image_channel_data_type, pixel_bytes(row))
        n += 1
    return made
