# SPDX-License-Identifier: Apache-2.0
"""Launches whose wavefronts go the same way take the same time: what their traces are compared by."""
from libc.stdint cimport uint64_t
from clpy.device.gpu.timing.simulated cimport Simulated

cdef enum:
    DIGEST_WORDS = 4


cdef inline void add_to_digest(uint64_t *sum_, uint64_t word) noexcept nogil:
    """By an odd number, so that the product loses nothing."""
    sum_[0] = (sum_[0] ^ word) * <uint64_t> 0x9e3779b97f4a7c15
    sum_[0] ^= sum_[0] >> 29


# Of all that a launch on a chip is simulated from, but for its kernel and NDRange: each wavefront's way, and what its
# lines are. What differs has other words (but by a chance of 2^-64), and no address of the host is part of it.
cdef void digest_of(const Simulated *it, uint64_t *words) noexcept nogil
