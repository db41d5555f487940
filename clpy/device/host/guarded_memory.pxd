# SPDX-License-Identifier: Apache-2.0
"""Storage of buffers of medium size, between pages that nobody may touch."""

cdef enum:
    GUARDED_LEAST = 64 << 10     # bytes: what is smaller is not worth pages of its own

cdef void *guarded_alloc(size_t size) noexcept nogil     # NULL when there is none
cdef void guarded_free(void *ptr, size_t size) noexcept nogil
