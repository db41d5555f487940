# SPDX-License-Identifier: Apache-2.0
"""Pixels of one number, as many as share bytes: the upper eight bits of each, then what is left of all."""
from libc.stdint cimport uint32_t
from libc.string cimport memset


cdef inline void put(uint32_t number, int bits, unsigned char *group) noexcept nogil:
    cdef int low = bits - 8, n = 8 // low, i
    if number >> bits:           # saturated, as other integers are
        number = (<uint32_t>1 << bits) - 1
    memset(group, number >> low, n)
    group[n] = 0
    for i in range(n):
        group[n] |= <unsigned char>((number & ((1 << low) - 1)) << i * low)


cdef void pack_10(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color[0], 10, group)


cdef void pack_12(const uint32_t *color, unsigned char *group) noexcept nogil:
    put(color[0], 12, group)
