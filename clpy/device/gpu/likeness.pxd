# SPDX-License-Identifier: Apache-2.0
"""What launches are compared by that may take the same time."""
from libc.stdint cimport uint64_t
from clpy.abi cimport clpy_image
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts, Likeness

cdef Likeness likeness_of(const Launch *launch, const Facts *facts) noexcept nogil
cdef bint is_alike(const Likeness *one, const Likeness *other) noexcept nogil


cdef inline uint64_t image_bytes(const clpy_image *image) noexcept nogil:
    """Without further mip levels."""
    return max(image.slice_pitch * max(image.depth, image.array_size), image.row_pitch * image.height)
