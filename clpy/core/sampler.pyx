# SPDX-License-Identifier: Apache-2.0
"""Samplers: three values and the context they belong to."""
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_addressing_mode, cl_bool, cl_filter_mode, cl_sampler_properties
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_SAMPLER, kind_register, object_drop, object_hold, object_new
from clpy.spec.consts cimport CL_SUCCESS


cdef Sampler *sampler_new(Context *ctx, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                          size_t n_properties, const cl_sampler_properties *properties) noexcept nogil:
    cdef Sampler *sampler = <Sampler *>object_new(KIND_SAMPLER)
    if sampler == NULL:
        return NULL
    object_hold(ctx)
    sampler.context = ctx
    sampler.normalized = normalized
    sampler.addressing = addressing
    sampler.filter = filter
    sampler.n_properties = n_properties
    if n_properties:
        memcpy(sampler.properties, properties, n_properties * sizeof(cl_sampler_properties))
    return sampler


cdef void sampler_destroy(clpy_object *obj) noexcept nogil:
    object_drop((<Sampler *>obj).context)


if kind_register(KIND_SAMPLER, sizeof(Sampler), sampler_destroy) != CL_SUCCESS:
    raise MemoryError("no address space for samplers")
