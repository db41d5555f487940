# SPDX-License-Identifier: Apache-2.0
"""Formats of the images among the arguments of a launch, and its samplers.

Code for the formats that images have lacks what reads and writes others, and code for a sampler what others ask for. A
kernel with images that waits for its code gets it for those of its first launch; a launch with others gets code for any
(versions.pyx).
"""
from libc.stdint cimport uint32_t
from libc.string cimport memset
from clpy.abi cimport CLPY_ARG_IMAGE, CLPY_ARG_SAMPLER, clpy_image
from clpy.cl cimport cl_image_format, cl_uint
from clpy.core.image_format cimport ImageFormat, format_find, pixel_bytes
from clpy.core.kernel cimport Kernel
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_MEM, KIND_SAMPLER, object_is
from clpy.core.program cimport KernelArg, KernelCode
from clpy.core.sampler cimport Sampler


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


cdef uint32_t sampler_set(const Kernel *k, cl_uint index) noexcept nogil:
    """Its number, which is never 0."""
    cdef Sampler *sampler = <Sampler *>k.values[index].object
    return sampler.bits if sampler != NULL and object_is(sampler, KIND_SAMPLER) else 0


cdef inline bint has_format(const KernelArg *arg) noexcept nogil:
    return arg.kind == CLPY_ARG_IMAGE or arg.kind == CLPY_ARG_SAMPLER


cdef uint32_t set_format(const KernelCode *kernel, const Kernel *k, cl_uint index) noexcept nogil:
    if kernel.args[index].kind == CLPY_ARG_SAMPLER:
        return sampler_set(k, index)
    return format_of(image_set(k, index))


cdef uint32_t given_format(const KernelArg *arg, const unsigned char *args) noexcept nogil:
    if arg.kind == CLPY_ARG_SAMPLER:
        return (<const uint32_t *>(args + arg.offset))[0]
    return format_of((<const clpy_image **>(args + arg.offset))[0])


cdef void formats_in_block(const KernelCode *kernel, const unsigned char *args, uint32_t *formats) noexcept nogil:
    collect(kernel, args, NULL, formats)


cdef void formats_set(const KernelCode *kernel, const Kernel *k, uint32_t *formats) noexcept nogil:
    collect(kernel, NULL, k, formats)


cdef void collect(const KernelCode *kernel, const unsigned char *args, const Kernel *k,
                  uint32_t *formats) noexcept nogil:
    cdef cl_uint i, n = 0
    memset(formats, 0, MOST_FORMATS * sizeof(uint32_t))
    if not kernel.n_images or kernel.n_images > MOST_FORMATS:
        return
    for i in range(kernel.n_args):
        if not has_format(&kernel.args[i]):
            continue
        if n < MOST_FORMATS:
            formats[n] = set_format(kernel, k, i) if k != NULL else given_format(&kernel.args[i], args)
        if n == MOST_FORMATS or not formats[n]:
            memset(formats, 0, MOST_FORMATS * sizeof(uint32_t))
            return
        n += 1


cdef bint has_formats(const KernelCode *kernel, const Kernel *k) noexcept nogil:
    cdef cl_uint i
    for i in range(kernel.n_args):
        if kernel.args[i].format and set_format(kernel, k, i) != kernel.args[i].format:
            return False
    return True


cdef dict formats_by_argument(const KernelCode *kernel, const uint32_t *formats):
    cdef const ImageFormat *row
    cdef cl_image_format format
    cdef uint32_t i, pixel, n = 0
    made = {}
    if not formats[0]:
        return made
    for i in range(kernel.n_args):
        if not has_format(&kernel.args[i]):
            continue
        format.image_channel_order = formats[n] >> TYPE_BITS
        format.image_channel_data_type = formats[n] & TYPE_MASK
        pixel = 0
        if kernel.args[i].kind == CLPY_ARG_IMAGE:
            row = format_find(&format)
            if row == NULL:
                return {}
            pixel = pixel_bytes(row)
        made[i] = (format.image_channel_order, format.image_channel_data_type, pixel)
        n += 1
    return made
