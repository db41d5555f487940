# SPDX-License-Identifier: Apache-2.0
"""Samplers."""
from libc.stdint cimport uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_addressing_mode, cl_bool, cl_filter_mode, cl_sampler_properties
from clpy.core.context cimport Context

ctypedef struct Sampler:
    clpy_object obj
    Context *context             # held
    cl_bool normalized
    cl_addressing_mode addressing
    cl_filter_mode filter
    uint32_t bits                # CLPY_SAMPLER_*: what a kernel gets
    size_t n_properties          # entries incl. the closing 0; 0 when made without a list
    cl_sampler_properties properties[8]

# NULL when out of memory. `n_properties` is at most 7: each property once.
cdef Sampler *sampler_new(Context *ctx, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                          size_t n_properties, const cl_sampler_properties *properties) noexcept nogil
