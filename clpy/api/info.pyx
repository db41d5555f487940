# SPDX-License-Identifier: Apache-2.0
"""The answer of every clGet*Info function: (size, value, size_ret) handled once."""
from libc.string cimport memcpy, strlen
from clpy.cl cimport cl_int, cl_uint, cl_ulong
from clpy.spec.consts cimport CL_INVALID_VALUE, CL_SUCCESS


cdef cl_int info_bytes(const void *src, size_t n, size_t size, void *value, size_t *size_ret) noexcept nogil:
    # "CL_INVALID_VALUE if size in bytes specified by param_value_size is < size of return type and param_value is not
    # a NULL value"; nothing is written then.
    if value != NULL:
        if size < n:
            return CL_INVALID_VALUE
        if n != 0:
            memcpy(value, src, n)
    if size_ret != NULL:
        size_ret[0] = n
    return CL_SUCCESS


cdef cl_int info_u32(cl_uint x, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_bytes(&x, sizeof(x), size, value, size_ret)


cdef cl_int info_u64(cl_ulong x, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_bytes(&x, sizeof(x), size, value, size_ret)


cdef cl_int info_size(size_t x, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_bytes(&x, sizeof(x), size, value, size_ret)


cdef cl_int info_ptr(const void *x, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return info_bytes(&x, sizeof(x), size, value, size_ret)


cdef cl_int info_string(const char *text, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if text == NULL:
        text = b""
    return info_bytes(text, strlen(text) + 1, size, value, size_ret)


cdef cl_int info_list(const void *src, size_t item, cl_uint n, cl_uint num_entries, void *list,
                      cl_uint *num_ret) noexcept nogil:
    # "CL_INVALID_VALUE if num_entries is equal to zero and the list is not NULL or if both the list and the number
    # returned are NULL"
    if (num_entries == 0 and list != NULL) or (list == NULL and num_ret == NULL):
        return CL_INVALID_VALUE
    if list != NULL and n != 0:
        memcpy(list, src, item * (n if n < num_entries else num_entries))
    if num_ret != NULL:
        num_ret[0] = n
    return CL_SUCCESS


cdef cl_int info_object(object answer, size_t size, void *value, size_t *size_ret) except? -9999:
    cdef bytes data = (<str>answer).encode() + b"\0" if isinstance(answer, str) else bytes(answer)
    return info_bytes(<const char *>data, len(data), size, value, size_ret)
