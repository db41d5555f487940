# SPDX-License-Identifier: Apache-2.0
"""Samplers."""
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.image cimport has_images
from clpy.api.info cimport info_bytes, info_ptr, info_u32
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_int, cl_sampler, cl_sampler_info,
                      cl_sampler_properties, cl_ulong)
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_CONTEXT, KIND_SAMPLER, object_is, object_release, object_retain
from clpy.core.sampler cimport Sampler, sampler_new
from clpy.spec.consts cimport (CL_ADDRESS_CLAMP, CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_NONE, CL_ADDRESS_REPEAT,
                               CL_FALSE, CL_FILTER_LINEAR, CL_FILTER_NEAREST, CL_INVALID_CONTEXT,
                               CL_INVALID_OPERATION, CL_INVALID_SAMPLER, CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY,
                               CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_CONTEXT, CL_SAMPLER_FILTER_MODE,
                               CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_PROPERTIES, CL_SAMPLER_REFERENCE_COUNT,
                               CL_TRUE)


cdef bint values_are_valid(cl_ulong normalized, cl_ulong addressing, cl_ulong filter) noexcept nogil:
    if normalized != CL_TRUE and normalized != CL_FALSE:
        return False
    if addressing < CL_ADDRESS_NONE or addressing > CL_ADDRESS_MIRRORED_REPEAT:
        return False
    if filter != CL_FILTER_NEAREST and filter != CL_FILTER_LINEAR:
        return False
    # "CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT can only be used with normalized coordinates"
    return normalized == CL_TRUE or (addressing != CL_ADDRESS_REPEAT and addressing != CL_ADDRESS_MIRRORED_REPEAT)


cdef cl_sampler make(cl_context context, cl_ulong normalized, cl_ulong addressing, cl_ulong filter,
                     const cl_sampler_properties *properties, cl_int *errcode_ret) noexcept nogil:
    cdef Sampler *sampler
    if not values_are_valid(normalized, addressing, filter):
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    # "if images are not supported by any device associated with context"
    if not has_images(<Context *>context):
        errcode_ret[0] = CL_INVALID_OPERATION
        return NULL
    sampler = sampler_new(<Context *>context, <cl_bool>normalized, <cl_addressing_mode>addressing,
                          <cl_filter_mode>filter, property_entries(properties), properties)
    if sampler == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
    return <cl_sampler>sampler


cdef cl_sampler create_sampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                               cl_filter_mode filter_mode, cl_int *errcode_ret) noexcept nogil:
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    return make(context, normalized_coords, addressing_mode, filter_mode, NULL, errcode_ret)


cdef cl_sampler create_sampler_with_properties(cl_context context, const cl_sampler_properties *sampler_properties,
                                               cl_int *errcode_ret) noexcept nogil:
    cdef size_t i
    cdef cl_ulong name
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    for i in range(0, property_entries(sampler_properties) // 2 * 2, 2):
        name = sampler_properties[i]
        if name != CL_SAMPLER_NORMALIZED_COORDS and name != CL_SAMPLER_ADDRESSING_MODE \
                and name != CL_SAMPLER_FILTER_MODE:
            errcode_ret[0] = CL_INVALID_VALUE
            return NULL
    if property_twice(sampler_properties):
        errcode_ret[0] = CL_INVALID_VALUE
        return NULL
    return make(context, property_value(sampler_properties, CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE),
                property_value(sampler_properties, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP),
                property_value(sampler_properties, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST), sampler_properties,
                errcode_ret)


cdef cl_int retain_sampler(cl_sampler sampler) noexcept nogil:
    return object_retain(sampler, KIND_SAMPLER)


cdef cl_int release_sampler(cl_sampler sampler) noexcept nogil:
    return object_release(sampler, KIND_SAMPLER)


cdef cl_int get_sampler_info(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef Sampler *s = <Sampler *>sampler
    if not object_is(sampler, KIND_SAMPLER):
        return CL_INVALID_SAMPLER
    if param_name == CL_SAMPLER_REFERENCE_COUNT:
        return info_u32(atomic_load_i32(&s.obj.app_refs), param_value_size, param_value, param_value_size_ret)
    if param_name == CL_SAMPLER_CONTEXT:
        return info_ptr(s.context, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_SAMPLER_NORMALIZED_COORDS:
        return info_u32(s.normalized, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_SAMPLER_ADDRESSING_MODE:
        return info_u32(s.addressing, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_SAMPLER_FILTER_MODE:
        return info_u32(s.filter, param_value_size, param_value, param_value_size_ret)
    if param_name == CL_SAMPLER_PROPERTIES:
        return info_bytes(s.properties, s.n_properties * sizeof(cl_sampler_properties), param_value_size, param_value,
                          param_value_size_ret)
    return CL_INVALID_VALUE
