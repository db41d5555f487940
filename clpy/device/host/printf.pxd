# SPDX-License-Identifier: Apache-2.0
"""What compiled kernels call for printf. `packed` holds, for each argument, {u32 kind (0 integer, 1 floating,
2 pointer), u32 bytes of an element, u32 count of elements, u32 unused} and the value, padded to 8 bytes."""
from libc.stdint cimport uint64_t

cdef void clpy_printf(const char *fmt, const unsigned char *packed, uint64_t size) noexcept nogil
cdef void printf_flush() noexcept nogil     # before the work of a launch that this thread did is reported as done
