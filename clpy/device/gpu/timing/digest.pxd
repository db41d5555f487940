# SPDX-License-Identifier: Apache-2.0
"""Launches whose wavefronts go the same way take the same time: what their traces are compared by."""
from libc.stdint cimport uint64_t
from clpy.device.gpu.timing.simulated cimport Simulated

cdef enum:
    DIGEST_WORDS = 4

# Of all that a launch on a chip is simulated from, but for its kernel and NDRange: each wavefront's way, and what its
# lines are. What differs has other words (but by a chance of 2^-64), and no address of the host is part of it.
cdef void digest_of(const Simulated *it, uint64_t *words) noexcept nogil
