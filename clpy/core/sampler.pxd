# SPDX-License-Identifier: Apache-2.0
"""Samplers."""
from libc.stdint cimport uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_addressing_mode, cl_bool, cl_filter_mode, cl_sampler_properties
from clpy.core.context cimport Context

cdef enum:
    MOST_SAMPLER_ENTRIES = 13    # of a list of properties: each of the six once, and the closing 0

ctypedef struct SamplerValues:
    cl_bool normalized
    cl_addressing_mode addressing
    cl_filter_mode filter
    cl_filter_mode mip_filter
    float lod_min, lod_max       # not NaN

ctypedef struct Sampler:
    clpy_object obj
    Context *context             # held
    SamplerValues values
    uint32_t bits                # CLPY_SAMPLER_*: what a kernel gets
    size_t n_properties          # entries incl. the closing 0; 0 when made without a list
    cl_sampler_properties properties[MOST_SAMPLER_ENTRIES]

# NULL when out of memory.
cdef Sampler *sampler_new(Context *ctx, const SamplerValues *values, size_t n_properties,
                          const cl_sampler_properties *properties) noexcept nogil
