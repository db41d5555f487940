# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers of models: whole pages, as the driver of a chip gives them.

What a kernel writes a little beyond the end of a small buffer lies in the buffer's own page and harms nobody, on a chip
and here: AMD's own tests have such a kernel, which ended the process where the next block of malloc stood there.
"""
from clpy.device.base cimport Device
from clpy.device.host.kept_blocks cimport whole_pages
from clpy.device.host.memory cimport memory_alloc, memory_free


cdef inline void *pages_alloc(Device *dev, size_t size) noexcept nogil:
    return memory_alloc(dev, size if size > <size_t>1 << 62 else whole_pages(size))


cdef inline void pages_free(Device *dev, void *ptr, size_t size) noexcept nogil:
    memory_free(dev, ptr, whole_pages(size))
