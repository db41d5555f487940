# SPDX-License-Identifier: Apache-2.0
"""Launches of the built-in kernels: a range of pixels in, a work-group for each macroblock out."""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int

cdef cl_int shape_basic(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
