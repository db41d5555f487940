# SPDX-License-Identifier: Apache-2.0
"""Accelerators: what a search for motion is to be."""
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_accelerator_intel, cl_context, cl_int, cl_uint
from clpy.core.context cimport Context

ctypedef struct Search:          # cl_motion_estimation_desc_intel, and in kernels accelerator_intel_t
    cl_uint mb_block_type
    cl_uint subpixel_mode
    cl_uint sad_adjust_mode
    cl_uint search_path_type

ctypedef struct Accelerator:
    clpy_object obj
    Context *context             # held
    cl_uint type
    Search search                # as the application gave it, all valid

cdef cl_accelerator_intel create(cl_context context, cl_uint accelerator_type, size_t descriptor_size,
                                 const void *descriptor, cl_int *errcode_ret) noexcept nogil
cdef cl_int retain(cl_accelerator_intel accelerator) noexcept nogil
cdef cl_int release(cl_accelerator_intel accelerator) noexcept nogil
cdef cl_int get_info(cl_accelerator_intel accelerator, cl_uint param_name, size_t param_value_size, void *param_value,
                     size_t *param_value_size_ret) noexcept nogil
# An argument of a built-in kernel: its Search.
cdef cl_int take(const Context *context, size_t size, const void *value, void *to) noexcept nogil
