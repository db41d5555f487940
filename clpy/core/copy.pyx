# SPDX-License-Identifier: Apache-2.0
"""Moving bytes. What is larger than a core's caches is written past them, which saves reading each line first."""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memmove, memset

cdef extern from "streaming_copy.h":
    void clpy_copy_streaming(unsigned char *dst, const unsigned char *src, size_t n) noexcept nogil
    void clpy_fill_streaming(unsigned char *dst, const unsigned char *pattern, size_t n) noexcept nogil

cdef enum:
    PART = 1 << 20               # bytes: some 50 us of work, many times what it costs to hand out
    STREAM = 64 << 20            # bytes, of a whole job: what fits caches stays there for who reads it next
    MOST_PARTS = 4096
    BLOCK = 4096                 # bytes of repeated pattern that later blocks are copied from


cdef uint32_t copy_parts(size_t bytes) noexcept nogil:
    cdef size_t n = bytes // PART
    return 1 if n < 2 else MOST_PARTS if n > MOST_PARTS else <uint32_t>n


cdef inline size_t part_begin(size_t size, uint32_t part, uint32_t n_parts) noexcept nogil:
    """Parts begin at whole pages of the job; the last one takes what is left over."""
    cdef size_t step = (size // n_parts) & ~<size_t>4095
    return size if part == n_parts else step * part


cdef void copy_part(const CopyJob *job, uint32_t part, uint32_t n_parts) noexcept nogil:
    cdef size_t begin, end
    if n_parts == 1:
        begin, end = 0, job.size
    else:
        begin, end = part_begin(job.size, part, n_parts), part_begin(job.size, part + 1, n_parts)
    if job.size >= STREAM:
        clpy_copy_streaming(job.dst + begin, job.src + begin, end - begin)
    else:
        memmove(job.dst + begin, job.src + begin, end - begin)     # memory of the host may be a buffer's, too


cdef void rect_part(const RectJob *job, uint32_t part, uint32_t n_parts) noexcept nogil:
    """Parts are ranges of rows, counted through all slices."""
    cdef size_t rows = job.region[1] * job.region[2]
    cdef size_t row = rows // n_parts * part
    cdef size_t end = rows if part + 1 == n_parts else rows // n_parts * (part + 1)
    cdef size_t slice, y
    if row == end:
        return
    slice, y = row // job.region[1], row % job.region[1]
    while row < end:
        memmove(job.dst + slice * job.dst_slice + y * job.dst_row,
                job.src + slice * job.src_slice + y * job.src_row, job.region[0])
        row += 1
        y += 1
        if y == job.region[1]:
            y = 0
            slice += 1


cdef bint rect_is_flat(const RectJob *job, CopyJob *flat) noexcept nogil:
    cdef size_t row = job.region[0], slice = row * job.region[1]
    if job.region[1] > 1 and (job.dst_row != row or job.src_row != row):
        return False
    if job.region[2] > 1 and (job.dst_slice != slice or job.src_slice != slice):
        return False
    flat.dst = job.dst
    flat.src = job.src
    flat.size = slice * job.region[2]
    return True


cdef void fill_part(const FillJob *job, uint32_t part, uint32_t n_parts) noexcept nogil:
    cdef unsigned char repeated[256]
    cdef unsigned char *dst
    cdef size_t begin, n, done, block, i = 0
    if n_parts == 1:
        begin, n = 0, job.size
    else:
        begin = part_begin(job.size, part, n_parts)
        n = part_begin(job.size, part + 1, n_parts) - begin
    dst = job.dst + begin
    if job.pattern_size == 1 and job.size < STREAM:
        memset(dst, job.pattern[0], n)
        return
    while i + job.pattern_size <= 256:
        memcpy(repeated + i, job.pattern, job.pattern_size)
        i += job.pattern_size
    if job.size >= STREAM and i == 256:
        clpy_fill_streaming(dst, repeated, n)
        return
    block = BLOCK // i * i
    done = n if n < i else i
    memcpy(dst, repeated, done)
    while done < n:              # double up to a block, then a block at a time
        i = done if done < block else block
        if i > n - done:
            i = n - done
        memcpy(dst + done, dst, i)
        done += i


cdef bint rect_fill_is_flat(const RectFillJob *job, FillJob *flat) noexcept nogil:
    cdef size_t row = job.region[0], slice = row * job.region[1]
    if (job.region[1] > 1 and job.row != row) or (job.region[2] > 1 and job.slice != slice):
        return False
    if job.pattern_size & (job.pattern_size - 1):     # parts of a flat one would begin within a pattern
        return False
    flat.dst = job.dst
    flat.size = slice * job.region[2]
    flat.pattern_size = job.pattern_size
    memcpy(flat.pattern, job.pattern, job.pattern_size)
    return True


cdef void rect_fill_part(const RectFillJob *job, uint32_t part, uint32_t n_parts) noexcept nogil:
    """Parts are ranges of rows, as of rect_part. A row is filled once and copied to those that follow it."""
    cdef size_t rows = job.region[1] * job.region[2]
    cdef size_t row = rows // n_parts * part
    cdef size_t end = rows if part + 1 == n_parts else rows // n_parts * (part + 1)
    cdef unsigned char *dst
    cdef unsigned char *first = NULL
    cdef FillJob one
    while row < end:
        dst = job.dst + row // job.region[1] * job.slice + row % job.region[1] * job.row
        if first == NULL:
            one.dst = first = dst
            one.size = job.region[0]
            one.pattern_size = job.pattern_size
            memcpy(one.pattern, job.pattern, job.pattern_size)
            fill_part(&one, 0, 1)
        else:
            memcpy(dst, first, job.region[0])
        row += 1
