# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint32_t

cdef void pack_10(const uint32_t *color, unsigned char *group) noexcept nogil
cdef void pack_12(const uint32_t *color, unsigned char *group) noexcept nogil
