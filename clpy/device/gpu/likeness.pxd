# SPDX-License-Identifier: Apache-2.0
"""What launches are compared by that may take the same time."""
from libc.stdint cimport uint64_t
from clpy.abi cimport clpy_image
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts, Likeness
from clpy.device.gpu.timing.simulated cimport Simulated

# Before it runs, by its arguments. No words: nothing is like it, or there is no memory.
cdef Likeness likeness_of(const Launch *launch, const Facts *facts) noexcept nogil
# When all its groups are traced, by what they did, which says all about its time. No words: there is no memory.
cdef Likeness likeness_of_ways(const Launch *launch, const Facts *facts, const Simulated *traced) noexcept nogil
cdef bint is_alike(const Likeness *one, const Likeness *other) noexcept nogil


cdef inline uint64_t image_bytes(const clpy_image *image) noexcept nogil:
    """Without further mip levels."""
    return max(image.slice_pitch * max(image.depth, image.array_size), image.row_pitch * image.height)
