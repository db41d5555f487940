# SPDX-License-Identifier: Apache-2.0
"""The answer of every clGet*Info function: (size, value, size_ret) handled once. CL_SUCCESS or CL_INVALID_VALUE."""
from libc.stdint cimport uint64_t
from clpy.cl cimport cl_int, cl_uint, cl_ulong

cdef cl_int info_bytes(const void *src, size_t n, size_t size, void *value, size_t *size_ret) noexcept nogil
# u32: also cl_int, cl_bool, enums. u64: also bit fields. ptr: handles and pointers. string: NULL is "".
cdef cl_int info_u32(cl_uint x, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int info_u64(cl_ulong x, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int info_size(size_t x, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int info_ptr(const void *x, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int info_string(const char *text, size_t size, void *value, size_t *size_ret) noexcept nogil
# The (num_entries, list, num_ret) protocol of clGetPlatformIDs and its kin: CL_INVALID_VALUE where the three disagree.
cdef cl_int info_list(const void *src, size_t item, cl_uint n, cl_uint num_entries, void *list,
                      cl_uint *num_ret) noexcept nogil
# Python answers, for gil rows: bytes as they are; a str gets its closing zero.
cdef cl_int info_object(object answer, size_t size, void *value, size_t *size_ret) except? -9999
