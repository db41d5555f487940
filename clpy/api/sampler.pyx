# SPDX-License-Identifier: Apache-2.0
"""Samplers."""
from libc.float cimport FLT_MAX
from libc.string cimport memcpy
from clpy.api.check cimport property_entries, property_twice
from clpy.api.image cimport has_images, has_mipmaps
from clpy.api.info cimport info_bytes, info_ptr, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_int, cl_sampler, cl_sampler_info,
                      cl_sampler_properties, cl_ulong)
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_CONTEXT, KIND_SAMPLER, object_is
from clpy.core.sampler cimport Sampler, SamplerValues, sampler_new
from clpy.spec.consts cimport (CL_ADDRESS_CLAMP, CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_NONE, CL_ADDRESS_REPEAT,
                               CL_FALSE, CL_FILTER_LINEAR, CL_FILTER_NEAREST, CL_INVALID_CONTEXT,
                               CL_INVALID_OPERATION, CL_INVALID_SAMPLER, CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY,
                               CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_CONTEXT, CL_SAMPLER_FILTER_MODE,
                               CL_SAMPLER_LOD_MAX_KHR, CL_SAMPLER_LOD_MIN_KHR, CL_SAMPLER_MIP_FILTER_MODE_KHR,
                               CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_PROPERTIES, CL_SAMPLER_REFERENCE_COUNT,
                               CL_SUCCESS, CL_TRUE)


# ---- values

cdef bint is_filter(cl_ulong value) noexcept nogil:
    return value == CL_FILTER_NEAREST or value == CL_FILTER_LINEAR


cdef bint is_mip_property(cl_ulong name) noexcept nogil:
    return (name == CL_SAMPLER_MIP_FILTER_MODE_KHR or name == CL_SAMPLER_LOD_MIN_KHR
            or name == CL_SAMPLER_LOD_MAX_KHR)


cdef bint take_level(cl_ulong value, float *level) noexcept nogil:
    """A cl_float in the lower half of a property's value. False: something else, or not a number."""
    if value >> 32 != 0:
        return False
    memcpy(level, &value, sizeof(float))
    return level[0] == level[0]


cdef bint take_value(cl_ulong name, cl_ulong value, SamplerValues *values) noexcept nogil:
    """False: a property or a value that there is not."""
    if name == CL_SAMPLER_NORMALIZED_COORDS:
        values.normalized = <cl_bool>value
        return value == CL_TRUE or value == CL_FALSE
    if name == CL_SAMPLER_ADDRESSING_MODE:
        values.addressing = <cl_addressing_mode>value
        return CL_ADDRESS_NONE <= value <= CL_ADDRESS_MIRRORED_REPEAT
    if name == CL_SAMPLER_FILTER_MODE:
        values.filter = <cl_filter_mode>value
        return is_filter(value)
    if name == CL_SAMPLER_MIP_FILTER_MODE_KHR:
        values.mip_filter = <cl_filter_mode>value
        return is_filter(value)
    if name == CL_SAMPLER_LOD_MIN_KHR:
        return take_level(value, &values.lod_min)
    return name == CL_SAMPLER_LOD_MAX_KHR and take_level(value, &values.lod_max)


cdef bint agree(const SamplerValues *values) noexcept nogil:
    # "CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT can only be used with normalized coordinates"
    if values.normalized == CL_FALSE and (values.addressing == CL_ADDRESS_REPEAT
                                          or values.addressing == CL_ADDRESS_MIRRORED_REPEAT):
        return False
    return values.lod_min <= values.lod_max


# ---- creators

cdef cl_sampler make(cl_context context, const SamplerValues *values, const cl_sampler_properties *properties,
                     cl_int *errcode_ret) noexcept nogil:
    cdef Sampler *sampler
    # "if images are not supported by any device associated with context"
    if not has_images(<Context *>context):
        errcode_ret[0] = CL_INVALID_OPERATION
        return NULL
    sampler = sampler_new(<Context *>context, values, property_entries(properties), properties)
    if sampler == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
    return <cl_sampler>sampler


cdef SamplerValues defaults() noexcept nogil:
    return SamplerValues(CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, CL_FILTER_NEAREST, 0, FLT_MAX)


cdef cl_sampler create_sampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                               cl_filter_mode filter_mode, cl_int *errcode_ret) noexcept nogil:
    cdef SamplerValues values = defaults()
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    # "if addressing_mode, filter_mode, normalized_coords or a combination of these arguments are not valid"
    if not (take_value(CL_SAMPLER_NORMALIZED_COORDS, normalized_coords, &values)
            and take_value(CL_SAMPLER_ADDRESSING_MODE, addressing_mode, &values)
            and take_value(CL_SAMPLER_FILTER_MODE, filter_mode, &values) and agree(&values)):
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    return make(context, &values, NULL, errcode_ret)


cdef cl_int read_properties(const Context *ctx, const cl_sampler_properties *list,
                            SamplerValues *values) noexcept nogil:
    cdef size_t i
    for i in range(0, property_entries(list) // 2 * 2, 2):
        # "if the property name in sampler_properties is not a supported property name, if the value specified for a
        # supported property name is not valid, [...]"
        if is_mip_property(list[i]) and not has_mipmaps(ctx) or not take_value(list[i], list[i + 1], values):
            return CL_INVALID_VALUE
    # "or if the same property name is specified more than once"
    return CL_INVALID_VALUE if property_twice(list) or not agree(values) else CL_SUCCESS


cdef cl_sampler create_sampler_with_properties(cl_context context, const cl_sampler_properties *sampler_properties,
                                               cl_int *errcode_ret) noexcept nogil:
    cdef SamplerValues values = defaults()
    cdef cl_int err
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    err = read_properties(<Context *>context, sampler_properties, &values)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    return make(context, &values, sampler_properties, errcode_ret)


# ---- references and queries

include "queries/sampler_info.pxi"


cdef cl_int get_sampler_info(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Sampler *s = <Sampler *>sampler
    if not object_is(sampler, KIND_SAMPLER):
        return CL_INVALID_SAMPLER
    return answer_sampler_info(s, param_name, param_value_size, param_value, param_value_size_ret)
