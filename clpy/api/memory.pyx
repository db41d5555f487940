# SPDX-License-Identifier: Apache-2.0
"""Making, sharing and asking about memory objects."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from clpy.api.check cimport at_most_one, in_range
from clpy.api.info cimport info_bytes, info_ptr, info_size, info_u32, info_u64
from clpy.api.mem_properties cimport MemProperties, mem_properties_check, mem_properties_read
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_buffer_create_type, cl_buffer_region, cl_context, cl_int, cl_mem, cl_mem_flags, cl_mem_info,
                      cl_mem_properties, cl_uint, cl_ulong, mem_destructor_fn)
from clpy.core.context cimport Context, context_has_buffer_addresses, context_has_visible_memory
from clpy.core.external_memory cimport External, external_free, external_import
from clpy.core.memory cimport Mem, Store, buffer_new, mem_on_destroy, sub_buffer_new
from clpy.core.memory_flags cimport MEM_IS_VISIBLE, MEM_NO_ACCESS, MEM_NO_PARTS, MEM_UNRESTRICTED, MEM_VISIBLE
from clpy.core.object cimport KIND_CONTEXT, KIND_MEM, object_is
from clpy.core.svm cimport SvmBlock, svm_find
from clpy.spec.consts cimport (CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_BUFFER_SIZE, CL_INVALID_CONTEXT,
                               CL_INVALID_HOST_PTR, CL_INVALID_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_VALUE,
                               CL_MEM_ALLOC_HOST_PTR, CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_CONTEXT, CL_MEM_COPY_HOST_PTR,
                               CL_MEM_DEVICE_ADDRESS_EXT, CL_MEM_FLAGS, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_PTR,
                               CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_IMMUTABLE_EXT, CL_MEM_MAP_COUNT,
                               CL_MEM_OBJECT_BUFFER, CL_MEM_OFFSET, CL_MEM_PROPERTIES, CL_MEM_READ_ONLY,
                               CL_MEM_READ_WRITE, CL_MEM_REFERENCE_COUNT, CL_MEM_SIZE, CL_MEM_TYPE,
                               CL_MEM_USES_SVM_POINTER, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY,
                               CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_SUCCESS)

cdef cl_mem_flags ACCESS = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | MEM_NO_ACCESS
cdef cl_mem_flags HOST_ACCESS = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS
cdef cl_mem_flags HOST_PTR = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR


# ---- buffers

cdef cl_mem_flags mem_flags_meant(const Context *ctx, cl_mem_flags flags) noexcept nogil:
    if flags & MEM_IS_VISIBLE:
        return ~<cl_mem_flags>0          # is no flag of the API's
    if flags & MEM_VISIBLE and context_has_visible_memory(ctx):
        return flags & ~<cl_mem_flags>MEM_VISIBLE | MEM_IS_VISIBLE
    return flags


cdef cl_mem_flags flags_as_asked(const Mem *mem) noexcept nogil:
    return mem.flags & ~<cl_mem_flags>MEM_IS_VISIBLE | MEM_VISIBLE if mem.flags & MEM_IS_VISIBLE else mem.flags


cdef bint mem_flags_are_valid(cl_mem_flags flags) noexcept nogil:
    if flags & ~(ACCESS | HOST_ACCESS | HOST_PTR | CL_MEM_IMMUTABLE_EXT | MEM_UNRESTRICTED | MEM_IS_VISIBLE):
        return False
    # "This flag is mutually exclusive with the flags CL_MEM_ALLOC_HOST_PTR and CL_MEM_USE_HOST_PTR."
    if flags & MEM_IS_VISIBLE and flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR):
        return False
    if flags & CL_MEM_IMMUTABLE_EXT and flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY):
        return False
    # The table of memory flags says which are mutually exclusive.
    if not at_most_one(flags, ACCESS) or not at_most_one(flags, HOST_ACCESS):
        return False
    return not (flags & CL_MEM_USE_HOST_PTR and flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))


include "properties/buffer_flags.pxi"


cdef bint has_contents(cl_mem_flags flags, bint is_external) noexcept nogil:
    """An immutable object is made with its contents: "CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR is set in flags",
    "properties includes an external memory handle"."""
    return not flags & CL_MEM_IMMUTABLE_EXT or is_external or flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)


cdef cl_ulong largest_alloc(const Context *ctx) noexcept nogil:
    cdef cl_ulong most = 0
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].max_alloc_size > most:
            most = ctx.devices[i].max_alloc_size
    return most


cdef cl_int check_buffer(cl_context context, const cl_mem_properties *list, MemProperties *properties,
                         cl_mem_flags flags, size_t size, const void *host_ptr) noexcept nogil:
    cdef SvmBlock block
    cdef cl_int err
    if not object_is(context, KIND_CONTEXT):
        return CL_INVALID_CONTEXT
    err = mem_properties_read(list, properties)
    if err == CL_SUCCESS:
        err = mem_properties_check(<Context *>context, properties)
    if err != CL_SUCCESS:
        return err
    # "if properties includes a supported external memory handle and flags includes CL_MEM_USE_HOST_PTR, [...]"
    if not mem_flags_are_valid(flags & ~OTHER_BUFFER_FLAGS) \
            or (properties.external.type and flags & (HOST_PTR | OTHER_BUFFER_STORES)) \
            or not has_contents(flags, properties.external.type != 0):
        return CL_INVALID_VALUE
    # "if size is zero", "is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in context"
    if size == 0 or size > largest_alloc(<Context *>context):
        return CL_INVALID_BUFFER_SIZE
    # "if CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR is set in flags, and host_ptr is a pointer returned by clSVMAlloc,
    # and size is greater than the size passed to clSVMAlloc"
    if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) and svm_find(host_ptr, &block) and block.ptr == host_ptr
            and size > block.size):
        return CL_INVALID_BUFFER_SIZE
    # A host pointer and a flag that uses it come together or not at all.
    if ((host_ptr != NULL) != (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0)
            and (host_ptr == NULL or not flags & OTHER_BUFFER_STORES)):
        return CL_INVALID_HOST_PTR
    err = other_buffer_flags(<Context *>context, flags, size, host_ptr)
    if err != CL_SUCCESS:
        return err
    # "if properties includes CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT and there are no devices in the context that support" it
    if properties.has_private_address and not context_has_buffer_addresses(<Context *>context):
        return CL_INVALID_OPERATION
    return CL_SUCCESS


cdef inline cl_mem_flags without_sign(cl_mem_flags flags) noexcept nogil:
    """Headers of vendors have (1 << 31), which is negative, and all bits above when it comes here."""
    return <uint32_t>flags if <int64_t>flags == <int32_t>flags else flags


cdef cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                          cl_int *errcode_ret) noexcept nogil:
    return create_buffer_with_properties(context, NULL, flags, size, host_ptr, errcode_ret)


cdef cl_mem create_buffer_with_properties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                          size_t size, void *host_ptr, cl_int *errcode_ret) noexcept nogil:
    cdef Mem *mem = NULL
    cdef MemProperties read
    cdef External *external = NULL
    cdef Store *store = NULL
    cdef cl_int err
    flags = without_sign(flags)
    if object_is(context, KIND_CONTEXT):
        flags = mem_flags_meant(<Context *>context, flags)
    err = check_buffer(context, properties, &read, flags, size, host_ptr)
    if err == CL_SUCCESS and flags & OTHER_BUFFER_STORES:
        err = other_buffer_store(<Context *>context, flags, size, host_ptr, &store)
    if err == CL_SUCCESS and read.external.type:
        err = external_import(&read.external, size, CL_INVALID_BUFFER_SIZE, &external)
    if err == CL_SUCCESS:
        err = buffer_new(<Context *>context, read.n, properties, flags, size, host_ptr, external, store, &mem)
        if err != CL_SUCCESS and external != NULL:
            external_free(external, True)
        if err != CL_SUCCESS and store != NULL:
            store.release(store)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    return <cl_mem>mem


# ---- sub-buffers

cdef bint derived_flags_are_valid(cl_mem_flags flags, cl_mem_flags parent) noexcept nogil:
    """`flags` may narrow what the parent allows, and never widen it."""
    if not mem_flags_are_valid(flags) or flags & (HOST_PTR | MEM_IS_VISIBLE):
        return False
    if parent & CL_MEM_IMMUTABLE_EXT and flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY):
        return False
    # "these restrictions do not apply if mem_object was created with" it
    if parent & MEM_UNRESTRICTED:
        return True
    if parent & MEM_NO_ACCESS and flags & (ACCESS & ~<cl_mem_flags>MEM_NO_ACCESS):
        return False
    if parent & CL_MEM_WRITE_ONLY and flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY):
        return False
    if parent & CL_MEM_READ_ONLY and flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY):
        return False
    if parent & CL_MEM_HOST_WRITE_ONLY and flags & CL_MEM_HOST_READ_ONLY:
        return False
    if parent & CL_MEM_HOST_READ_ONLY and flags & CL_MEM_HOST_WRITE_ONLY:
        return False
    return not (parent & CL_MEM_HOST_NO_ACCESS and flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))


cdef bint aligned_for_some_device(const Context *ctx, size_t origin) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if origin % ctx.devices[i].mem_base_align_bytes == 0:
            return True
    return False


cdef cl_int check_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                             const cl_buffer_region *region) noexcept nogil:
    cdef Mem *parent = <Mem *>buffer
    # "if buffer is not a valid buffer object", "if buffer is a sub-buffer object"
    if not object_is(buffer, KIND_MEM) or parent.type != CL_MEM_OBJECT_BUFFER or parent.parent != NULL:
        return CL_INVALID_MEM_OBJECT
    if not derived_flags_are_valid(flags, parent.flags) or parent.flags & MEM_NO_PARTS:
        return CL_INVALID_VALUE
    if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION or region == NULL:
        return CL_INVALID_VALUE
    # "if the region ... is out of bounds in buffer", then CL_INVALID_BUFFER_SIZE "if the size field ... is zero"
    if not in_range(region.origin, region.size, parent.size):
        return CL_INVALID_VALUE
    if region.size == 0:
        return CL_INVALID_BUFFER_SIZE
    if not aligned_for_some_device(parent.context, region.origin):
        return CL_MISALIGNED_SUB_BUFFER_OFFSET
    return CL_SUCCESS


cdef cl_mem create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                              const void *buffer_create_info, cl_int *errcode_ret) noexcept nogil:
    cdef const cl_buffer_region *region = <const cl_buffer_region *>buffer_create_info
    cdef Mem *mem = NULL
    cdef cl_int err
    if object_is(buffer, KIND_MEM):
        flags = mem_flags_meant((<Mem *>buffer).context, flags)
    err = check_sub_buffer(buffer, flags, buffer_create_type, region)
    if err == CL_SUCCESS:
        err = sub_buffer_new(<Mem *>buffer, flags, region.origin, region.size, &mem)
    if err != CL_SUCCESS:
        errcode_ret[0] = err
        return NULL
    return <cl_mem>mem


# ---- any memory object

cdef cl_int set_mem_object_destructor_callback(cl_mem memobj, mem_destructor_fn pfn_notify,
                                               void *user_data) noexcept nogil:
    if not object_is(memobj, KIND_MEM):
        return CL_INVALID_MEM_OBJECT
    if pfn_notify == NULL:
        return CL_INVALID_VALUE
    return mem_on_destroy(<Mem *>memobj, pfn_notify, user_data)


cdef bint uses_svm_pointer(const Mem *mem) noexcept nogil:
    """"created with CL_MEM_USE_HOST_PTR [...] and the host_ptr [...] is a SVM pointer", or a part of such a buffer."""
    cdef SvmBlock block
    if mem.type != CL_MEM_OBJECT_BUFFER:
        return False
    if mem.parent != NULL:
        mem = mem.parent
    return mem.flags & CL_MEM_USE_HOST_PTR and svm_find(mem.host_ptr, &block) and block.context == mem.context


cdef cl_int device_addresses(const Mem *mem, size_t size, void *value, size_t *size_ret) noexcept nogil:
    """"a list of device addresses for the buffer, one for each device in the context"."""
    cdef cl_ulong *addresses = <cl_ulong *>value
    cdef size_t n = mem.context.n_devices * sizeof(cl_ulong)
    cdef MemProperties read
    cdef cl_uint i
    # "or if the buffer was not allocated with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT"
    if mem_properties_read(mem.properties, &read) != CL_SUCCESS or not read.private_address:
        return CL_INVALID_OPERATION
    if value != NULL and size < n:
        return CL_INVALID_VALUE
    if value != NULL:
        for i in range(mem.context.n_devices):
            addresses[i] = <cl_ulong>mem.data if mem.context.devices[i].has_buffer_addresses else 0
    if size_ret != NULL:
        size_ret[0] = n
    return CL_SUCCESS


include "queries/mem_object_info.pxi"


cdef cl_int get_mem_object_info(cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void *param_value,
                                size_t *param_value_size_ret) noexcept nogil:
    cdef Mem *mem = <Mem *>memobj
    if not object_is(memobj, KIND_MEM):
        return CL_INVALID_MEM_OBJECT
    return answer_mem_object_info(mem, param_name, param_value_size, param_value, param_value_size_ret)
