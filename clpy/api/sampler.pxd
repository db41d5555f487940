# SPDX-License-Identifier: Apache-2.0
"""Samplers."""
from clpy.cl cimport (cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_int, cl_sampler, cl_sampler_info,
                      cl_sampler_properties)

cdef cl_sampler create_sampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                               cl_filter_mode filter_mode, cl_int *errcode_ret) noexcept nogil
cdef cl_sampler create_sampler_with_properties(cl_context context, const cl_sampler_properties *sampler_properties,
                                               cl_int *errcode_ret) noexcept nogil
cdef cl_int get_sampler_info(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) noexcept nogil
