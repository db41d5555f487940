# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport Cache

cdef class DeviceMemory:
    cdef Cache l2
    cdef int64_t n_lines
    cdef void drop(self, uint32_t first, uint32_t behind) noexcept nogil
    cdef void begin(self, uint32_t unknown, uint32_t scratch) noexcept nogil
    cdef int64_t changed(self) noexcept nogil
