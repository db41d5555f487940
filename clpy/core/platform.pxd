# SPDX-License-Identifier: Apache-2.0
"""The one platform."""
from clpy.abi cimport clpy_object

ctypedef struct Platform:
    clpy_object obj

cdef Platform *the_platform() noexcept nogil
cdef bint is_platform(const void *handle) noexcept nogil    # NULL stands for the platform, where the specification allows it
