# SPDX-License-Identifier: Apache-2.0
"""Samplers: three values and the context they belong to."""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from clpy.abi cimport (CLPY_SAMPLER_CLAMP, CLPY_SAMPLER_CLAMP_TO_EDGE, CLPY_SAMPLER_LINEAR,
                       CLPY_SAMPLER_MIRRORED_REPEAT, CLPY_SAMPLER_NEAREST, CLPY_SAMPLER_NONE,
                       CLPY_SAMPLER_NORMALIZED, CLPY_SAMPLER_REPEAT, clpy_object)
from clpy.cl cimport cl_addressing_mode, cl_bool, cl_filter_mode, cl_sampler_properties
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_SAMPLER, kind_register, object_drop, object_hold, object_new
from clpy.spec.consts cimport (CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_MIRRORED_REPEAT,
                               CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, CL_SUCCESS)


cdef uint32_t sampler_bits(const Sampler *sampler) noexcept nogil:
    """The number that stands for the sampler in a kernel."""
    cdef uint32_t bits = CLPY_SAMPLER_LINEAR if sampler.filter == CL_FILTER_LINEAR else CLPY_SAMPLER_NEAREST
    if sampler.normalized:
        bits |= CLPY_SAMPLER_NORMALIZED
    if sampler.addressing == CL_ADDRESS_CLAMP_TO_EDGE:
        return bits | CLPY_SAMPLER_CLAMP_TO_EDGE
    if sampler.addressing == CL_ADDRESS_CLAMP:
        return bits | CLPY_SAMPLER_CLAMP
    if sampler.addressing == CL_ADDRESS_REPEAT:
        return bits | CLPY_SAMPLER_REPEAT
    if sampler.addressing == CL_ADDRESS_MIRRORED_REPEAT:
        return bits | CLPY_SAMPLER_MIRRORED_REPEAT
    return bits | CLPY_SAMPLER_NONE


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
    sampler.bits = sampler_bits(sampler)
    sampler.n_properties = n_properties
    if n_properties:
        memcpy(sampler.properties, properties, n_properties * sizeof(cl_sampler_properties))
    return sampler


cdef void sampler_destroy(clpy_object *obj) noexcept nogil:
    object_drop((<Sampler *>obj).context)


if kind_register(KIND_SAMPLER, sizeof(Sampler), sampler_destroy) != CL_SUCCESS:
    raise MemoryError("no address space for samplers")
