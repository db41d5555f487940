# SPDX-License-Identifier: Apache-2.0
"""Making, sharing and asking about memory objects."""
from clpy.cl cimport (cl_buffer_create_type, cl_context, cl_int, cl_mem, cl_mem_flags, cl_mem_info, cl_mem_properties,
                      cl_ulong, mem_destructor_fn)
from clpy.core.context cimport Context

cdef cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                          cl_int *errcode_ret) noexcept nogil
cdef cl_mem create_buffer_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                          size_t size, void *host_ptr, cl_int *errcode_ret) noexcept nogil
cdef cl_mem create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                              const void *buffer_create_info, cl_int *errcode_ret) noexcept nogil
cdef cl_int get_mem_object_info(cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void *param_value,
                                size_t *param_value_size_ret) noexcept nogil
cdef cl_int set_mem_object_destructor_callback(cl_mem memobj, mem_destructor_fn pfn_notify,
                                               void *user_data) noexcept nogil

# Shared with images.
# Where CL_MEM_IMMUTABLE_EXT asks for some.
cdef bint has_contents(cl_mem_flags flags, bint is_external) noexcept nogil
# Flags as the API has them, with MEM_IS_VISIBLE in place of a number that means it for the devices of the context.
cdef cl_mem_flags mem_flags_meant(const Context *ctx, cl_mem_flags flags) noexcept nogil
cdef bint mem_flags_are_valid(cl_mem_flags flags) noexcept nogil
# Of an object made from another one: `flags` may narrow what the parent's allow, and never widen it.
cdef bint derived_flags_are_valid(cl_mem_flags flags, cl_mem_flags parent) noexcept nogil
cdef cl_ulong largest_alloc(const Context *ctx) noexcept nogil      # of the devices of a context
