# SPDX-License-Identifier: Apache-2.0
"""cl_khr_unified_svm: types of shared virtual memory, allocations with properties, what an address belongs to.

The extension is experimental: the registry has its names, and its text is the Khronos Group's proposal for it. Errors
are checked in the order of its lists.
"""
from libc.string cimport memset
from clpy.api.info cimport info_bytes, info_ptr, info_size, info_u32, info_u64
from clpy.api.svm cimport LARGEST_TYPE
from clpy.cl cimport (cl_context, cl_device_id, cl_int, cl_svm_alloc_access_flags_khr, cl_svm_alloc_properties_khr,
                      cl_svm_capabilities_khr, cl_svm_free_flags_khr, cl_svm_free_properties_khr,
                      cl_svm_pointer_info_khr, cl_uint)
from clpy.core.context cimport Context, context_has
from clpy.core.object cimport KIND_CONTEXT, KIND_DEVICE, object_is
from clpy.core.svm cimport SvmBlock, svm_delete, svm_find, svm_new, svm_type_of_context
from clpy.device.base cimport Device, SVM_TYPE_COUNT
from clpy.spec.consts cimport (CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_PROPERTY,
                               CL_INVALID_VALUE, CL_OUT_OF_RESOURCES, CL_SUCCESS, CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR,
                               CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR, CL_SVM_ALLOC_ACCESS_FLAGS_KHR,
                               CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR, CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR,
                               CL_SVM_ALLOC_ALIGNMENT_KHR, CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
                               CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR, CL_SVM_INFO_ACCESS_FLAGS_KHR,
                               CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, CL_SVM_INFO_BASE_PTR_KHR,
                               CL_SVM_INFO_CAPABILITIES_KHR, CL_SVM_INFO_PROPERTIES_KHR, CL_SVM_INFO_SIZE_KHR,
                               CL_SVM_INFO_TYPE_INDEX_KHR)

cdef enum:
    NO_TYPE = 0xFFFFFFFF         # CL_UINT_MAX

cdef cl_svm_alloc_access_flags_khr ACCESS = (
    CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
    | CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR)


# ---- allocations

cdef bint take_property(SvmBlock *block, cl_svm_alloc_properties_khr name, cl_svm_alloc_properties_khr value,
                        size_t *alignment) noexcept nogil:
    """False: no such property, or no value of it."""
    if name == CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR:        # "The default value is NULL"
        block.device = <Device *>value
        return value == 0 or object_is(block.device, KIND_DEVICE) and context_has(block.context, block.device)
    if name == CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
        block.access = value
        return value & ~ACCESS == 0
    # "must be a power of two and must be equal to or smaller than the size of the largest data type"
    alignment[0] = value
    return name == CL_SVM_ALLOC_ALIGNMENT_KHR and value & (value - 1) == 0 and value <= LARGEST_TYPE


cdef cl_int read_properties(const cl_svm_alloc_properties_khr *list, SvmBlock *block) noexcept nogil:
    """Into the block, whose context is known. CL_INVALID_PROPERTY "if a memory property name in properties is not a
    supported property name", "if the value specified for a supported property name is not valid", "if the same property
    name is specified more than once"."""
    cdef size_t alignment = 0    # storage has the largest there is
    cdef cl_uint i, n = 0
    if list == NULL:
        return CL_SUCCESS
    while list[n] != 0:
        for i in range(0, n, 2):
            if list[i] == list[n]:
                return CL_INVALID_PROPERTY
        if not take_property(block, list[n], list[n + 1], &alignment):
            return CL_INVALID_PROPERTY
        block.properties[n] = list[n]
        block.properties[n + 1] = list[n + 1]
        n += 2
    block.properties[n] = 0
    block.n_properties = n + 1
    return CL_SUCCESS


cdef cl_int check_type(const SvmBlock *block) noexcept nogil:
    cdef cl_svm_capabilities_khr can
    if block.type >= SVM_TYPE_COUNT:
        return CL_INVALID_VALUE
    # "if no devices in context support the SVM type", "if a device associated with the SVM allocation does not support"
    can = svm_type_of_context(block.context, block.type)
    if can == 0 or block.device != NULL and block.device.svm_types[block.type] == 0:
        return CL_INVALID_OPERATION
    # "The associated device handle property is required unless the specified SVM type contains" this
    if block.device == NULL and not can & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR:
        return CL_INVALID_PROPERTY
    return CL_SUCCESS


cdef void *svm_alloc_with_properties(cl_context context, const cl_svm_alloc_properties_khr *properties,
                                     cl_uint svm_type_index, size_t size, cl_int *errcode_ret) noexcept nogil:
    cdef Context *ctx = <Context *>context
    cdef SvmBlock block
    cdef cl_int err = CL_INVALID_CONTEXT
    cdef cl_uint i
    cdef void *ptr = NULL
    memset(&block, 0, sizeof(block))
    block.context = ctx
    block.type = svm_type_index
    block.size = size
    if object_is(context, KIND_CONTEXT):
        err = read_properties(properties, &block)
    if err == CL_SUCCESS:
        err = check_type(&block)
    if err == CL_SUCCESS and size:       # of no size: "must return a NULL pointer and must not generate an error"
        for i in range(ctx.n_devices):
            if size > ctx.devices[i].global_mem_size:
                err = CL_OUT_OF_RESOURCES
        if err == CL_SUCCESS:
            ptr = svm_new(&block)
            err = CL_SUCCESS if ptr != NULL else CL_OUT_OF_RESOURCES
    errcode_ret[0] = err
    return ptr


cdef cl_int svm_free_with_properties(cl_context context, const cl_svm_free_properties_khr *properties,
                                     cl_svm_free_flags_khr flags, void *ptr) noexcept nogil:
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if properties != NULL and properties[0] != 0:        # "does not define any free properties", nor flags
        return CL_INVALID_PROPERTY
    if flags != 0:
        return CL_INVALID_VALUE
    # "if ptr is not a value returned by clSVMAlloc, clSVMAllocWithPropertiesKHR, or a NULL pointer"
    return CL_SUCCESS if ptr == NULL or svm_delete(<Context *>context, ptr, True) else CL_INVALID_VALUE


# ---- asking

cdef cl_svm_capabilities_khr capabilities(const SvmBlock *block, const Device *device) noexcept nogil:
    """"If device is NULL", those of the device it was made for, else of all in the context that have the type."""
    if block.type == NO_TYPE:
        return 0
    if device == NULL:
        device = block.device
    return device.svm_types[block.type] if device != NULL else svm_type_of_context(block.context, block.type)


include "queries/svm_pointer_info.pxi"


cdef cl_int get_svm_pointer_info(cl_context context, cl_device_id device, const void *ptr,
                                 cl_svm_pointer_info_khr param_name, size_t param_value_size, void *param_value,
                                 size_t *param_value_size_ret) noexcept nogil:
    cdef SvmBlock block
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if device != NULL and not (object_is(device, KIND_DEVICE) and context_has(<Context *>context, <Device *>device)):
        return CL_INVALID_DEVICE
    if not svm_find(ptr, &block) or block.context != <Context *>context:
        memset(&block, 0, sizeof(block))     # the answers for any other address
        block.type = NO_TYPE
    return answer_svm_pointer_info(&block, <Device *>device, param_name, param_value_size, param_value,
                                   param_value_size_ret)


cdef int bits(cl_svm_capabilities_khr x) noexcept nogil:
    cdef int n = 0
    while x:
        x &= x - 1
        n += 1
    return n


cdef cl_int get_svm_suggested_type_index(cl_context context, cl_svm_capabilities_khr required_capabilities,
                                         cl_svm_capabilities_khr desired_capabilities,
                                         const cl_svm_alloc_properties_khr *properties, size_t size,
                                         cl_uint *suggested_svm_type_index) noexcept nogil:
    """Of the types with all that is required, the one with most of what is desired; of those, the one with least
    besides: who wants no more is best served by memory that need do no more."""
    cdef SvmBlock block
    cdef cl_svm_capabilities_khr can
    cdef cl_uint i, best = NO_TYPE
    cdef int score, best_score = 0
    cdef cl_int err
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    memset(&block, 0, sizeof(block))
    block.context = <Context *>context
    err = read_properties(properties, &block)
    if err != CL_SUCCESS:
        return err
    if suggested_svm_type_index == NULL:
        return CL_INVALID_VALUE
    for i in range(<cl_uint>SVM_TYPE_COUNT):
        block.type = i
        can = capabilities(&block, NULL)
        if can == 0 or required_capabilities & ~can:
            continue
        score = 64 * bits(can & desired_capabilities) - bits(can)
        if best == NO_TYPE or score > best_score:
            best = i
            best_score = score
    suggested_svm_type_index[0] = best
    return CL_SUCCESS
