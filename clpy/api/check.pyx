# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that several functions share."""
from clpy.cl cimport cl_bitfield, cl_int, cl_uint, cl_ulong, cl_device_id, cl_map_flags, cl_mem
from clpy.core.context cimport Context, context_has
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_DEVICE, KIND_MEM, object_is
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE,
                               CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_SUCCESS)


cdef cl_int check_array(cl_uint n, const void *array) noexcept nogil:
    return CL_INVALID_VALUE if (n == 0) != (array == NULL) else CL_SUCCESS


cdef cl_int check_devices(Context *ctx, cl_uint n, const cl_device_id *devices) noexcept nogil:
    cdef cl_uint i
    if check_array(n, devices) != CL_SUCCESS:
        return CL_INVALID_VALUE
    for i in range(n):
        if not object_is(devices[i], KIND_DEVICE) or not context_has(ctx, <Device *>devices[i]):
            return CL_INVALID_DEVICE
    return CL_SUCCESS


cdef cl_int check_mem_list(Context *ctx, cl_uint n, const cl_mem *mems) noexcept nogil:
    cdef cl_uint i
    if check_array(n, mems) != CL_SUCCESS:
        return CL_INVALID_VALUE
    for i in range(n):
        if not object_is(mems[i], KIND_MEM):
            return CL_INVALID_MEM_OBJECT
    for i in range(n):
        if (<Mem *>mems[i]).context != ctx:
            return CL_INVALID_CONTEXT
    return CL_SUCCESS


cdef size_t property_entries(const cl_ulong *list) noexcept nogil:
    cdef size_t n = 0
    if list == NULL:
        return 0
    while list[n] != 0:
        n += 2
    return n + 1


cdef cl_ulong property_value(const cl_ulong *list, cl_ulong name, cl_ulong otherwise) noexcept nogil:
    cdef size_t i
    for i in range(0, property_entries(list) // 2 * 2, 2):
        if list[i] == name:
            return list[i + 1]
    return otherwise


cdef bint property_twice(const cl_ulong *list) noexcept nogil:
    cdef size_t i, j, n = property_entries(list) // 2 * 2
    for i in range(0, n, 2):
        for j in range(0, i, 2):
            if list[i] == list[j]:
                return True
    return False


cdef bint at_most_one(cl_bitfield flags, cl_bitfield mask) noexcept nogil:
    flags &= mask
    return (flags & (flags - 1)) == 0


cdef bint map_flags_are_valid(cl_map_flags flags) noexcept nogil:
    if flags & ~<cl_map_flags>(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION):
        return False
    # "CL_MAP_READ or CL_MAP_WRITE and CL_MAP_WRITE_INVALIDATE_REGION are mutually exclusive."
    return not (flags & CL_MAP_WRITE_INVALIDATE_REGION and flags & (CL_MAP_READ | CL_MAP_WRITE))


cdef bint pattern_size_is_valid(size_t size) noexcept nogil:
    # "if pattern_size is zero", "is not a power of two", "is greater than 128"
    return size != 0 and size & (size - 1) == 0 and size <= 128


cdef bint in_range(size_t offset, size_t size, size_t whole) noexcept nogil:
    return offset <= whole and size <= whole - offset
