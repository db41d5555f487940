# SPDX-License-Identifier: Apache-2.0
"""Allocations of unified shared memory: making, freeing, asking.

They are allocations of core/svm, of the types that cl_khr_unified_svm has: what a device can do with a type is told by
its row of svm_types. Shared memory that belongs to no device is of the type that all of a context share with the host.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.info cimport info_u32, info_u64
from clpy.cl cimport (cl_context, cl_device_id, cl_int, cl_mem_properties, cl_svm_capabilities_khr, cl_uint, cl_ulong)
from clpy.core.command cimport Queue
from clpy.core.context cimport Context, context_has
from clpy.core.memory cimport Mem
from clpy.core.object cimport (KIND_CONTEXT, KIND_DEVICE, KIND_QUEUE, object_drop, object_hold_at, object_is,
                               object_slots)
from clpy.core.queue cimport queue_finish
from clpy.core.svm cimport MOST_SVM_PROPERTIES, SvmBlock, svm_delete, svm_find, svm_new
from clpy.device.base cimport (Device, SVM_TYPE_DEVICE, SVM_TYPE_FINE, SVM_TYPE_HOST, SVM_TYPE_SHARED, SVM_TYPE_SYSTEM)
from clpy.spec.consts cimport (CL_INVALID_BUFFER_SIZE, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION,
                               CL_INVALID_PROPERTY, CL_INVALID_VALUE, CL_MEM_ALLOC_BUFFER_LOCATION_INTEL,
                               CL_MEM_ALLOC_FLAGS_INTEL,
                               CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
                               CL_MEM_ALLOC_WRITE_COMBINED_INTEL, CL_MEM_TYPE_DEVICE_INTEL, CL_MEM_TYPE_HOST_INTEL,
                               CL_MEM_TYPE_SHARED_INTEL, CL_MEM_TYPE_UNKNOWN_INTEL, CL_OUT_OF_HOST_MEMORY,
                               CL_SUCCESS, CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR,
                               CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR,
                               CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR, CL_SVM_CAPABILITY_DEVICE_READ_KHR,
                               CL_SVM_CAPABILITY_DEVICE_WRITE_KHR, CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL,
                               CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL,
                               CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL,
                               CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL)

cdef cl_ulong PLACEMENTS = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
cdef enum:
    LOCATION = 0         # all memory is in one region, which has this number
    MOST_ALIGNMENT = 2 << 20
cdef cl_ulong FLAGS = CL_MEM_ALLOC_WRITE_COMBINED_INTEL | PLACEMENTS


# ---- what devices can do

cdef cl_ulong usm_capabilities(const Device *dev, cl_uint type) noexcept nogil:
    cdef cl_svm_capabilities_khr has = dev.svm_types[type]
    cdef cl_svm_capabilities_khr access = CL_SVM_CAPABILITY_DEVICE_READ_KHR | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
    cdef cl_ulong can = 0
    if has & access != access:
        return 0
    can = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
    if has & CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR:
        can |= CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
    if has & CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR:
        can |= CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
    if has & CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR:
        can |= CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
    return can


cdef bint usm_in_context(const Context *ctx, cl_uint type) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if usm_capabilities(ctx.devices[i], type):
            return True
    return False


cdef cl_int tell(const Device *dev, cl_uint type, size_t size, void *value, size_t *size_ret) noexcept nogil:
    """A device without memory of its own on the device has not the extension: that type is required."""
    if usm_capabilities(dev, SVM_TYPE_DEVICE) == 0:
        return CL_INVALID_VALUE
    return info_u64(usm_capabilities(dev, type), size, value, size_ret)


cdef cl_int of_host(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return tell(dev, SVM_TYPE_HOST, size, value, size_ret)


cdef cl_int of_device(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return tell(dev, SVM_TYPE_DEVICE, size, value, size_ret)


cdef cl_int of_one(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return tell(dev, SVM_TYPE_SHARED, size, value, size_ret)


cdef cl_int of_all(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return tell(dev, SVM_TYPE_FINE, size, value, size_ret)


cdef cl_int of_system(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    return tell(dev, SVM_TYPE_SYSTEM, size, value, size_ret)


# ---- allocations

cdef bint has_type(const Device *dev, cl_uint type) noexcept nogil:
    """Shared memory may be of either kind."""
    return usm_capabilities(dev, type) != 0 or (
        type == SVM_TYPE_SHARED and usm_capabilities(dev, SVM_TYPE_FINE) != 0)


cdef bint is_supported(const SvmBlock *block) noexcept nogil:
    cdef cl_uint i
    if block.device != NULL:
        return has_type(block.device, block.type)
    for i in range(block.context.n_devices):
        if has_type(block.context.devices[i], block.type):
            return True
    return False


cdef bint take_properties(SvmBlock *block, const cl_mem_properties *list) noexcept nogil:
    """CL_INVALID_PROPERTY "if a memory property name in properties is not a supported property name, if the value
    specified for a supported property name is not valid, or if the same property name is specified more than once"."""
    cdef cl_ulong flags
    cdef size_t i, n = property_entries(list)
    if n > MOST_SVM_PROPERTIES or property_twice(list):
        return False
    for i in range(0, n // 2 * 2, 2):
        if list[i] not in (CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_BUFFER_LOCATION_INTEL):
            return False
    if takes_location(0, property_value(list, CL_MEM_ALLOC_BUFFER_LOCATION_INTEL, LOCATION)) != CL_SUCCESS:
        return False
    flags = property_value(list, CL_MEM_ALLOC_FLAGS_INTEL, 0)
    if flags & ~FLAGS or flags & PLACEMENTS == PLACEMENTS:
        return False
    if flags & PLACEMENTS and block.origin != CL_MEM_TYPE_SHARED_INTEL:
        return False
    if n:
        memcpy(block.properties, list, n * sizeof(list[0]))
    block.n_properties = <cl_uint>n
    return True


cdef cl_int takes_location(cl_ulong name, cl_ulong value) noexcept nogil:
    """"If the value is not valid [...] an CL_INVALID_PROPERTY error will be emitted.\""""
    return CL_SUCCESS if value == LOCATION else CL_INVALID_PROPERTY


cdef bint fits(const SvmBlock *block) noexcept nogil:
    """Not "greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE" of the device, or of any that could use it."""
    cdef const Device *dev
    cdef cl_uint i
    if block.device != NULL:
        return 0 < block.size <= block.device.max_alloc_size
    for i in range(block.context.n_devices):
        dev = block.context.devices[i]
        if has_type(dev, block.type) and block.size > dev.max_alloc_size:
            return False
    return block.size > 0


cdef cl_int check(SvmBlock *block, const cl_mem_properties *properties, cl_uint alignment) noexcept nogil:
    """The errors from CL_INVALID_OPERATION on. The text wants no alignment above the size of the largest type; programs
    ask for pages, and get them from Intel's runtimes."""
    if not is_supported(block):
        return CL_INVALID_OPERATION
    if alignment & (alignment - 1) or alignment > MOST_ALIGNMENT:
        return CL_INVALID_VALUE
    if not take_properties(block, properties):
        return CL_INVALID_PROPERTY
    return CL_SUCCESS if fits(block) else CL_INVALID_BUFFER_SIZE


cdef void *new_allocation(cl_context context, const Device *device, bint needs_device, cl_uint origin, cl_uint type,
                          const cl_mem_properties *properties, size_t size, cl_uint alignment,
                          cl_int *errcode_ret) noexcept nogil:
    cdef SvmBlock block
    cdef void *ptr
    memset(&block, 0, sizeof(block))
    block.context = <Context *>context
    block.device = <Device *>device
    block.size = size
    block.alignment = alignment
    block.origin = origin
    block.type = type
    errcode_ret[0] = CL_INVALID_CONTEXT
    if not object_is(context, KIND_CONTEXT):
        return NULL
    errcode_ret[0] = CL_INVALID_DEVICE
    if device == NULL and needs_device:
        return NULL
    if device != NULL and not (object_is(device, KIND_DEVICE) and context_has(block.context, device)):
        return NULL
    errcode_ret[0] = check(&block, properties, alignment)
    if errcode_ret[0] != CL_SUCCESS:
        return NULL
    if device == NULL and type == SVM_TYPE_SHARED:
        block.type = SVM_TYPE_FINE
    ptr = svm_new(&block)
    if ptr == NULL:
        errcode_ret[0] = CL_OUT_OF_HOST_MEMORY
    return ptr


cdef void *host_mem_alloc(cl_context context, const cl_mem_properties *properties, size_t size, cl_uint alignment,
                          cl_int *errcode_ret) noexcept nogil:
    return new_allocation(context, NULL, False, CL_MEM_TYPE_HOST_INTEL, SVM_TYPE_HOST, properties, size, alignment,
                          errcode_ret)


cdef void *device_mem_alloc(cl_context context, cl_device_id device, const cl_mem_properties *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) noexcept nogil:
    return new_allocation(context, <const Device *>device, True, CL_MEM_TYPE_DEVICE_INTEL, SVM_TYPE_DEVICE, properties,
                          size, alignment, errcode_ret)


cdef void *shared_mem_alloc(cl_context context, cl_device_id device, const cl_mem_properties *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) noexcept nogil:
    return new_allocation(context, <const Device *>device, False, CL_MEM_TYPE_SHARED_INTEL, SVM_TYPE_SHARED, properties,
                          size, alignment, errcode_ret)


cdef cl_int mem_free(cl_context context, void *ptr) noexcept nogil:
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    return CL_SUCCESS if ptr == NULL or svm_delete(<Context *>context, ptr, False) else CL_INVALID_VALUE


cdef bint find_own(const Context *ctx, const void *ptr, SvmBlock *block) noexcept nogil:
    return svm_find(ptr, block) and block.context == ctx and block.origin != 0


cdef cl_int mem_blocking_free(cl_context context, void *ptr) noexcept nogil:
    """Nobody keeps what a kernel may reach through pointers in memory: all queues of the context are waited for."""
    cdef SvmBlock block
    cdef Queue *q
    cdef uint64_t i
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if ptr == NULL:
        return CL_SUCCESS
    if not find_own(<Context *>context, ptr, &block) or block.ptr != ptr:
        return CL_INVALID_VALUE
    for i in range(object_slots(KIND_QUEUE)):
        q = <Queue *>object_hold_at(KIND_QUEUE, i)
        if q == NULL:
            continue
        if q.context == <Context *>context:
            queue_finish(q)
        object_drop(q)
    return mem_free(context, ptr)


# ---- asking

cdef cl_ulong alloc_flags(const SvmBlock *block) noexcept nogil:
    return property_value(block.properties, CL_MEM_ALLOC_FLAGS_INTEL, 0)


cdef cl_int location_of(Mem *mem, size_t size, void *value, size_t *size_ret) noexcept nogil:
    """Of any memory object, where a device of the context has the extension."""
    if not usm_in_context(mem.context, SVM_TYPE_DEVICE):
        return CL_INVALID_VALUE
    return info_u32(LOCATION, size, value, size_ret)


include "clpy/api/queries/mem_alloc_info.pxi"


cdef cl_int get_mem_alloc_info(cl_context context, const void *ptr, cl_uint param_name, size_t param_value_size,
                               void *param_value, size_t *param_value_size_ret) noexcept nogil:
    cdef SvmBlock block
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    if not find_own(<Context *>context, ptr, &block):
        memset(&block, 0, sizeof(block))     # the answers for any other address
        block.origin = CL_MEM_TYPE_UNKNOWN_INTEL
    return answer_mem_alloc_info(&block, param_name, param_value_size, param_value, param_value_size_ret)
