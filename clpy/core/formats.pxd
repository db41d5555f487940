# SPDX-License-Identifier: Apache-2.0
"""Formats of the images among the arguments of a launch, which code may be made for."""
from libc.stdint cimport uint32_t
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport KernelCode

cdef enum:
    MOST_FORMATS = 24            # images: kernels with more of them have code for all formats only

# A format is a number: channel order in the upper 16 bits, type in the lower.
# Each of the next two: formats of the images, in the order of the arguments. All 0 where there are none, more than
# MOST_FORMATS, one that is not set, or one whose pixels have numbers of more than 31 bits.
cdef void formats_in_block(const KernelCode *kernel, const unsigned char *args, uint32_t *formats) noexcept nogil
cdef void formats_set(const KernelCode *kernel, const Kernel *k, uint32_t *formats) noexcept nogil
# Whether the images are of the formats that the code takes for granted (KernelArg.format).
cdef bint has_formats(const KernelCode *kernel, const Kernel *k) noexcept nogil
# {index of an argument: (channel order, channel type, bytes of a pixel)}, what the toolchains take.
cdef dict formats_by_argument(const KernelCode *kernel, const uint32_t *formats)
