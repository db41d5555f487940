# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that several functions share: the first error in the order of the comment, or CL_SUCCESS."""
from clpy.cl cimport cl_bitfield, cl_int, cl_uint, cl_ulong, cl_device_id, cl_map_flags, cl_mem
from clpy.core.context cimport Context
from clpy.core.object cimport object_is

# CL_INVALID_VALUE: one of count and array is given without the other.
cdef cl_int check_array(cl_uint n, const void *array) noexcept nogil
# CL_INVALID_VALUE as above, then CL_INVALID_DEVICE: an entry is no device, or not one of the context.
cdef cl_int check_devices(Context *ctx, cl_uint n, const cl_device_id *devices) noexcept nogil
# CL_INVALID_VALUE as above, then CL_INVALID_MEM_OBJECT, then CL_INVALID_CONTEXT.
cdef cl_int check_mem_list(Context *ctx, cl_uint n, const cl_mem *mems) noexcept nogil
# Entries of a list of (name, value) pairs incl. the closing 0; 0 for NULL.
cdef size_t property_entries(const cl_ulong *list) noexcept nogil
# The value of a name in such a list, or `otherwise`.
cdef cl_ulong property_value(const cl_ulong *list, cl_ulong name, cl_ulong otherwise) noexcept nogil
# Is a name twice in it?
cdef bint property_twice(const cl_ulong *list) noexcept nogil
# True when at most one of the bits of `mask` is set in `flags`.
cdef bint at_most_one(cl_bitfield flags, cl_bitfield mask) noexcept nogil
cdef bint map_flags_are_valid(cl_map_flags flags) noexcept nogil
# Of the pattern of a fill.
cdef bint pattern_size_is_valid(size_t size) noexcept nogil
# True when offset + size fits in `whole`, without overflow.
cdef bint in_range(size_t offset, size_t size, size_t whole) noexcept nogil
