# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint32_t

cdef void yuyv(const uint32_t *color, unsigned char *group) noexcept nogil
cdef void uyvy(const uint32_t *color, unsigned char *group) noexcept nogil
cdef void yvyu(const uint32_t *color, unsigned char *group) noexcept nogil
cdef void vyuy(const uint32_t *color, unsigned char *group) noexcept nogil
