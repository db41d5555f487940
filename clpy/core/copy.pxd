# SPDX-License-Identifier: Apache-2.0
"""Moving bytes: plain copies, boxes of rows, fills; each whole or in parts that several threads take."""
from libc.stdint cimport uint32_t

ctypedef struct CopyJob:
    unsigned char *dst
    const unsigned char *src
    size_t size

ctypedef struct RectJob:         # region[2] slices of region[1] rows of region[0] bytes
    unsigned char *dst
    const unsigned char *src
    size_t region[3]
    size_t dst_row, dst_slice    # bytes from one to the next
    size_t src_row, src_slice

ctypedef struct RectFillJob:     # the same box, all of it pixels of `pattern_size` bytes
    unsigned char *dst
    size_t region[3]
    size_t row, slice
    size_t pattern_size          # at most 16
    unsigned char pattern[16]

ctypedef struct FillJob:
    unsigned char *dst
    size_t size
    size_t pattern_size          # power of two, at most 128; any of a row of rect_fill_part
    unsigned char pattern[128]

# How many parts a job of that many bytes is worth; 1: not worth splitting.
cdef uint32_t copy_parts(size_t bytes) noexcept nogil
cdef void copy_part(const CopyJob *job, uint32_t part, uint32_t n_parts) noexcept nogil
cdef void rect_part(const RectJob *job, uint32_t part, uint32_t n_parts) noexcept nogil
cdef void rect_fill_part(const RectFillJob *job, uint32_t part, uint32_t n_parts) noexcept nogil
cdef void fill_part(const FillJob *job, uint32_t part, uint32_t n_parts) noexcept nogil
# Is it one run of bytes on both sides? Then the same job as a CopyJob.
cdef bint rect_is_flat(const RectJob *job, CopyJob *flat) noexcept nogil
cdef bint rect_fill_is_flat(const RectFillJob *job, FillJob *flat) noexcept nogil
