# SPDX-License-Identifier: Apache-2.0
"""Samplers: their values, and the number that kernels see of them."""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from clpy.abi cimport (CLPY_SAMPLER_CLAMP, CLPY_SAMPLER_CLAMP_TO_EDGE, CLPY_SAMPLER_LINEAR, CLPY_SAMPLER_LOD_LIMIT,
                       CLPY_SAMPLER_LOD_MAX_SHIFT, CLPY_SAMPLER_LOD_MIN_SHIFT, CLPY_SAMPLER_LOD_UNITS,
                       CLPY_SAMPLER_MIP_LINEAR, CLPY_SAMPLER_MIRRORED_REPEAT, CLPY_SAMPLER_NEAREST, CLPY_SAMPLER_NONE,
                       CLPY_SAMPLER_NORMALIZED, CLPY_SAMPLER_REPEAT, clpy_object)
from clpy.cl cimport cl_addressing_mode, cl_sampler_properties
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_SAMPLER, kind_register, object_drop, object_hold, object_new
from clpy.spec.consts cimport (CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_MIRRORED_REPEAT,
                               CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, CL_SUCCESS)


cdef uint32_t addressing_bits(cl_addressing_mode addressing) noexcept nogil:
    if addressing == CL_ADDRESS_CLAMP_TO_EDGE:
        return CLPY_SAMPLER_CLAMP_TO_EDGE
    if addressing == CL_ADDRESS_CLAMP:
        return CLPY_SAMPLER_CLAMP
    if addressing == CL_ADDRESS_REPEAT:
        return CLPY_SAMPLER_REPEAT
    if addressing == CL_ADDRESS_MIRRORED_REPEAT:
        return CLPY_SAMPLER_MIRRORED_REPEAT
    return CLPY_SAMPLER_NONE


cdef uint32_t lod_units(float levels) noexcept nogil:
    """To the nearest unit, of what 12 bits hold."""
    if levels <= 0:
        return 0
    levels = levels * CLPY_SAMPLER_LOD_UNITS + <float>0.5
    return <uint32_t>levels if levels < CLPY_SAMPLER_LOD_LIMIT else CLPY_SAMPLER_LOD_LIMIT


cdef uint32_t sampler_bits(const SamplerValues *values) noexcept nogil:
    """The number that stands for the sampler in a kernel."""
    cdef uint32_t bits = CLPY_SAMPLER_LINEAR if values.filter == CL_FILTER_LINEAR else CLPY_SAMPLER_NEAREST
    if values.normalized:
        bits |= CLPY_SAMPLER_NORMALIZED
    if values.mip_filter == CL_FILTER_LINEAR:
        bits |= CLPY_SAMPLER_MIP_LINEAR
    bits |= lod_units(values.lod_min) << CLPY_SAMPLER_LOD_MIN_SHIFT
    bits |= (CLPY_SAMPLER_LOD_LIMIT - lod_units(values.lod_max)) << CLPY_SAMPLER_LOD_MAX_SHIFT
    return bits | addressing_bits(values.addressing)


cdef Sampler *sampler_new(Context *ctx, const SamplerValues *values, size_t n_properties,
                          const cl_sampler_properties *properties) noexcept nogil:
    cdef Sampler *sampler = <Sampler *>object_new(KIND_SAMPLER)
    if sampler == NULL:
        return NULL
    object_hold(ctx)
    sampler.context = ctx
    sampler.values = values[0]
    sampler.bits = sampler_bits(values)
    sampler.n_properties = n_properties
    if n_properties:
        memcpy(sampler.properties, properties, n_properties * sizeof(cl_sampler_properties))
    return sampler


cdef void sampler_destroy(clpy_object *obj) noexcept nogil:
    object_drop((<Sampler *>obj).context)


if kind_register(KIND_SAMPLER, sizeof(Sampler), sampler_destroy) != CL_SUCCESS:
    raise MemoryError("no address space for samplers")
