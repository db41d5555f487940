# SPDX-License-Identifier: Apache-2.0
"""Two pixels of one color, which is (V, Y, U, any) as kernels see it, in the order of each format."""
from libc.stdint cimport uint32_t


cdef inline void put(const uint32_t *color, int luma, int u, int v, unsigned char *group) noexcept nogil:
    group[luma] = group[luma + 2] = <unsigned char>color[1]
    group[u] = <unsigned char>color[2]
    group[v] = <unsigned char>color[0]


cdef void yuyv(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color, 0, 1, 3, group)


cdef void uyvy(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color, 1, 0, 2, group)


cdef void yvyu(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color, 0, 3, 1, group)


cdef void vyuy(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color, 1, 2, 0, group)
