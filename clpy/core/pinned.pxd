# SPDX-License-Identifier: Apache-2.0
"""Host memory that devices with memory of their own reach without another copy of it."""
from clpy.core.memory cimport Mem

# The storage of an object with CL_MEM_ALLOC_HOST_PTR or CL_MEM_USE_HOST_PTR, where a device of its context asks.
cdef void pinned_add(Mem *mem) noexcept nogil
cdef void pinned_remove(Mem *mem) noexcept nogil
# Whether all of these bytes are of one such object.
cdef bint pinned_has(const void *first, size_t size) noexcept nogil
