# SPDX-License-Identifier: Apache-2.0
"""Launches of the built-in kernels: a range of pixels in, a work-group for each macroblock out."""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int
from clpy.core.context cimport Context
from clpy.device.base cimport Device

cdef cl_int shape_basic(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
cdef cl_int shape_check(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
cdef cl_int shape_pairs(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
# The text has 8 bits where programs give 32: both are taken.
cdef cl_int take_precision(const Context *context, size_t size, const void *value, void *to) noexcept nogil
cdef void most(const Device *dev, size_t *size) noexcept nogil
cdef cl_int version(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil
