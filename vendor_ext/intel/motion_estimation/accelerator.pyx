# SPDX-License-Identifier: Apache-2.0
"""Accelerators. Kernels have a copy of what one says: a command does not need the object any more."""
from libc.string cimport memcpy
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_accelerator_intel, cl_context, cl_int, cl_uint
from clpy.core.context cimport Context
from clpy.core.object cimport (KIND_CONTEXT, KIND_FREE, kind_of_vendor, object_drop, object_hold, object_is, object_new,
                               object_release, object_retain)
from clpy.spec.consts cimport (CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL, CL_DEVICE_TYPE_CPU,
                               CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL, CL_INVALID_ACCELERATOR_INTEL,
                               CL_INVALID_ACCELERATOR_TYPE_INTEL, CL_INVALID_ARG_SIZE, CL_INVALID_CONTEXT,
                               CL_INVALID_OPERATION, CL_ME_MB_TYPE_4x4_INTEL, CL_ME_SAD_ADJUST_MODE_HAAR_INTEL,
                               CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL, CL_ME_SEARCH_PATH_RADIUS_2_2_INTEL,
                               CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL, CL_ME_SUBPIXEL_MODE_QPEL_INTEL,
                               CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)


cdef void destroy(clpy_object *obj) noexcept nogil:
    object_drop((<Accelerator *>obj).context)


cdef int KIND_ACCELERATOR = kind_of_vendor(b"accelerator", CL_INVALID_ACCELERATOR_INTEL, sizeof(Accelerator), destroy)
if KIND_ACCELERATOR == KIND_FREE:
    raise MemoryError("no address space for accelerators")


cdef bint is_valid(const Search *search) noexcept nogil:
    return (search.mb_block_type <= CL_ME_MB_TYPE_4x4_INTEL
            and search.subpixel_mode <= CL_ME_SUBPIXEL_MODE_QPEL_INTEL
            and search.sad_adjust_mode <= CL_ME_SAD_ADJUST_MODE_HAAR_INTEL
            and (search.search_path_type == CL_ME_SEARCH_PATH_RADIUS_2_2_INTEL
                 or search.search_path_type == CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL
                 or search.search_path_type == CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL))


cdef cl_int check(const Context *ctx, cl_uint type, size_t size, const void *descriptor, Search *search) noexcept nogil:
    cdef cl_uint i
    # "if none of the devices in the context support accelerator objects"
    for i in range(ctx.n_devices):
        if ctx.devices[i].type & CL_DEVICE_TYPE_CPU:
            break
    else:
        return CL_INVALID_OPERATION
    if type != CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL:
        return CL_INVALID_ACCELERATOR_TYPE_INTEL
    if descriptor == NULL or size != sizeof(Search):
        return CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL
    memcpy(search, descriptor, sizeof(Search))
    return CL_SUCCESS if is_valid(search) else CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL


cdef cl_accelerator_intel create(cl_context context, cl_uint accelerator_type, size_t descriptor_size,
                                 const void *descriptor, cl_int *errcode_ret) noexcept nogil:
    cdef Context *ctx = <Context *>context
    cdef Accelerator *accelerator
    cdef Search search
    if not object_is(context, KIND_CONTEXT):
        errcode_ret[0] = CL_INVALID_CONTEXT
        return NULL
    errcode_ret[0] = check(ctx, accelerator_type, descriptor_size, descriptor, &search)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    accelerator = <Accelerator *>object_new(KIND_ACCELERATOR)
    if accelerator == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
        return NULL
    object_hold(ctx)
    accelerator.context = ctx
    accelerator.type = accelerator_type
    accelerator.search = search
    return <cl_accelerator_intel>accelerator


cdef cl_int retain(cl_accelerator_intel accelerator) noexcept nogil:
    return object_retain(accelerator, KIND_ACCELERATOR)


cdef cl_int release(cl_accelerator_intel accelerator) noexcept nogil:
    return object_release(accelerator, KIND_ACCELERATOR)


include "clpy/api/queries/accelerator_info.pxi"


cdef cl_int get_info(cl_accelerator_intel accelerator, cl_uint param_name, size_t param_value_size, void *param_value,
                     size_t *param_value_size_ret) noexcept nogil:
    if not object_is(accelerator, KIND_ACCELERATOR):
        return CL_INVALID_ACCELERATOR_INTEL
    return answer_accelerator_info(<Accelerator *>accelerator, param_name, param_value_size, param_value,
                                   param_value_size_ret)


cdef cl_int take(const Context *context, size_t size, const void *value, void *to) noexcept nogil:
    cdef Accelerator *accelerator = NULL
    if value != NULL:
        if size != sizeof(void *):
            return CL_INVALID_ARG_SIZE
        memcpy(&accelerator, value, sizeof(void *))
    if not object_is(accelerator, KIND_ACCELERATOR) or accelerator.context != context:
        return CL_INVALID_ACCELERATOR_INTEL
    memcpy(to, &accelerator.search, sizeof(Search))
    return CL_SUCCESS
