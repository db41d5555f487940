# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers."""
from clpy.device.base cimport Device

cdef void *memory_alloc(Device *dev, size_t size) noexcept nogil
cdef void memory_free(Device *dev, void *ptr, size_t size) noexcept nogil      # with the size given to memory_alloc
