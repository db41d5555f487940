# SPDX-License-Identifier: Apache-2.0
"""clEnqueueNDRangeKernel and its kin: the checks, in the order of the specification."""
from libc.string cimport memset
from clpy.cl cimport cl_command_queue, cl_command_type, cl_int, cl_kernel, cl_uint
from clpy.core.command cimport Queue, Wait, check_wait
from clpy.core.kernel cimport Kernel, kernel_max_group_size, kernel_variant
from clpy.core.memory cimport Mem
from clpy.core.ndrange cimport choose_local_size, merge_groups, most_concurrent_groups, ndrange_enqueue
from clpy.core.object cimport KIND_KERNEL, KIND_MEM, KIND_QUEUE, object_is
from clpy.core.sub_groups cimport has_its_sub_groups, items_of_sub_groups
from clpy.abi cimport CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_TASK, CL_IMAGE_FORMAT_NOT_SUPPORTED,
                               CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_GLOBAL_OFFSET,
                               CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS, CL_INVALID_VALUE,
                               CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
                               CL_MEM_OBJECT_BUFFER, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_SUCCESS)

cdef enum:
    MOST_NARROW = 0xFFFFFFFF             # that a size_t of 32 bits holds
    MOST_ITEMS = 0x3FFFFFFFFFFFFFFF      # of a launch, and of an offset: kernels take sums of both for signed numbers


cdef bint fills_vectors(const Device *dev, const size_t *size) noexcept nogil:
    return size == NULL or not dev.sub_groups.size or size[0] % dev.sub_groups.size == 0


cdef cl_int check_objects(Request *r, cl_command_queue queue, cl_kernel kernel, const size_t *global_size,
                          const size_t *local_size, bint args_may_lack) noexcept nogil:
    """From CL_INVALID_COMMAND_QUEUE to CL_INVALID_KERNEL_ARGS."""
    cdef cl_uint i
    cdef cl_int err = CL_SUCCESS
    if not object_is(queue, KIND_QUEUE):
        return CL_INVALID_COMMAND_QUEUE
    if not object_is(kernel, KIND_KERNEL):
        return CL_INVALID_KERNEL
    r.queue = <Queue *>queue
    r.kernel = <Kernel *>kernel
    r.variant = kernel_variant(r.kernel, r.queue.device, not (
        fills_vectors(r.queue.device, global_size) and fills_vectors(r.queue.device, local_size)), &r.code, &err)
    if r.variant == NULL:
        return err
    if r.kernel.program.context != r.queue.context:
        return CL_INVALID_CONTEXT
    r.lacks_args = False
    for i in range(r.variant.n_args):
        if not r.kernel.values[i].is_set:
            r.lacks_args = True
    return CL_INVALID_KERNEL_ARGS if r.lacks_args and not args_may_lack else CL_SUCCESS


cdef cl_int check_global(Request *r, cl_uint work_dim, const size_t *offset, const size_t *size,
                         bint may_be_empty) noexcept nogil:
    """From CL_INVALID_WORK_DIMENSION to CL_INVALID_GLOBAL_WORK_SIZE; fills the shape but for the local size."""
    cdef cl_uint i
    cdef size_t total = 1, most = MOST_NARROW if r.queue.device.has_narrow_ids else ~<size_t>0
    if work_dim < 1 or work_dim > 3:
        return CL_INVALID_WORK_DIMENSION
    memset(&r.shape, 0, sizeof(r.shape))
    r.is_empty = False
    r.shape.work_dim = work_dim
    for i in range(3):
        r.shape.global_size[i] = 1
        r.shape.local_size[i] = 1
    for i in range(work_dim):
        r.shape.global_size[i] = size[i] if size != NULL else 0
        r.shape.global_offset[i] = offset[i] if offset != NULL else 0
        # "the value in global_work_size plus the value in global_work_offset is greater than the maximum value"
        if r.shape.global_size[i] > most:
            return CL_INVALID_GLOBAL_WORK_SIZE
        if r.shape.global_offset[i] > MOST_ITEMS or r.shape.global_offset[i] > most - r.shape.global_size[i]:
            return CL_INVALID_GLOBAL_OFFSET
    for i in range(work_dim):
        if r.shape.global_size[i] == 0:
            r.is_empty = True
    if r.is_empty:
        return CL_SUCCESS if may_be_empty else CL_INVALID_GLOBAL_WORK_SIZE
    for i in range(work_dim):    # "exceed the maximum value representable": no launch of 2^64 work-items ends
        if r.shape.global_size[i] > MOST_ITEMS // total:
            return CL_INVALID_GLOBAL_WORK_SIZE
        total *= r.shape.global_size[i]
    return CL_SUCCESS


cdef cl_int check_local(Request *r, const size_t *size) noexcept nogil:
    """CL_INVALID_WORK_GROUP_SIZE, then CL_INVALID_WORK_ITEM_SIZE."""
    cdef Device *dev = r.queue.device
    cdef size_t items = 1, most = kernel_max_group_size(r.variant, dev)
    cdef cl_uint i, dim = r.shape.work_dim
    cdef bint too_many = False
    for i in range(dim):
        if size[i] == 0:
            return CL_INVALID_WORK_GROUP_SIZE
        # "if the work-group size must be uniform, and if the global size is not evenly divisible"
        if r.code.uniform_groups and r.shape.global_size[i] % size[i]:
            return CL_INVALID_WORK_GROUP_SIZE
        too_many = too_many or size[i] > most // items
        items *= size[i]
        r.shape.local_size[i] = size[i]
    if too_many:
        return CL_INVALID_WORK_GROUP_SIZE
    if r.variant.traits.reqd_size[0]:
        for i in range(3):
            if r.shape.local_size[i] != r.variant.traits.reqd_size[i]:
                return CL_INVALID_WORK_GROUP_SIZE
    # "not consistent with the required number of sub-groups for kernel in the program source"
    if not has_its_sub_groups(r.variant, dev, items):
        return CL_INVALID_WORK_GROUP_SIZE
    for i in range(dim):
        if size[i] > dev.max_work_item_sizes[i]:
            return CL_INVALID_WORK_ITEM_SIZE
    return CL_SUCCESS


cdef cl_int local_or_choice(Request *r, const size_t *size) noexcept nogil:
    cdef size_t of_sub_groups[3]
    cdef cl_int err
    if size == NULL and r.variant.traits.reqd_size[0]:
        size = r.variant.traits.reqd_size
    elif size == NULL and r.variant.num_sub_groups:
        of_sub_groups[0] = items_of_sub_groups(r.variant, r.queue.device, r.variant.num_sub_groups)
        of_sub_groups[1] = of_sub_groups[2] = 1
        size = of_sub_groups
    if size != NULL:
        err = check_local(r, size)
        if err == CL_SUCCESS and not r.kernel.concurrent:
            merge_groups(&r.shape, r.variant, r.queue.device)
        return err
    # A kernel that cannot tell groups apart gets a good size even where only bad ones divide the range.
    choose_local_size(&r.shape, r.variant, r.code.uniform_groups and r.variant.traits.sees_groups,
                      r.queue.device)
    return CL_SUCCESS


cdef cl_int check_sub_buffers(const Request *r) noexcept nogil:
    """CL_INVALID_KERNEL_ARGS for a buffer or image released meanwhile, CL_MISALIGNED_SUB_BUFFER_OFFSET,
    CL_IMAGE_FORMAT_NOT_SUPPORTED by the device."""
    cdef Mem *mem
    cdef cl_uint i, kind
    for i in range(r.variant.n_args):
        kind = r.variant.args[i].kind
        mem = <Mem *>r.kernel.values[i].object
        if (kind != CLPY_ARG_GLOBAL and kind != CLPY_ARG_CONSTANT and kind != CLPY_ARG_IMAGE) or mem == NULL:
            continue
        if not object_is(mem, KIND_MEM):
            return CL_INVALID_KERNEL_ARGS
        # In the place of what was released there may be an object of another kind by now.
        if mem.row == NULL if kind == CLPY_ARG_IMAGE else mem.type != CL_MEM_OBJECT_BUFFER:
            return CL_INVALID_KERNEL_ARGS
        if kind == CLPY_ARG_IMAGE:
            if not r.queue.device.image_formats & mem.row.sets:
                return CL_IMAGE_FORMAT_NOT_SUPPORTED
            continue
        if mem.parent != NULL and mem.origin % r.queue.device.mem_base_align_bytes:
            return CL_MISALIGNED_SUB_BUFFER_OFFSET
    return CL_SUCCESS


cdef cl_int check_built_in(Request *r, const size_t *local_size) noexcept nogil:
    """Of a kernel that says itself what its launches may be: it may count on memory objects that are there."""
    cdef cl_int err = check_sub_buffers(r)
    if err == CL_SUCCESS and not r.lacks_args:
        err = r.kernel.info.shape(r.kernel, &r.shape, local_size)
    return err if err != CL_SUCCESS or r.is_empty else local_or_choice(r, NULL)


cdef cl_int check_concurrent(const Request *r, const size_t *local_size) noexcept nogil:
    """Of a launch whose groups all run at the same time. CL_INVALID_WORK_GROUP_SIZE: without a local size, or one that
    does not divide the range. CL_INVALID_VALUE: more groups than the queue can have."""
    cdef size_t groups = 1, most = most_concurrent_groups(r.queue)
    cdef cl_uint i
    if local_size == NULL:
        return CL_INVALID_WORK_GROUP_SIZE
    for i in range(r.shape.work_dim):
        if r.shape.global_size[i] % r.shape.local_size[i]:
            return CL_INVALID_WORK_GROUP_SIZE
    for i in range(r.shape.work_dim):
        if r.shape.global_size[i] // r.shape.local_size[i] > most // groups:
            return CL_INVALID_VALUE
        groups *= r.shape.global_size[i] // r.shape.local_size[i]
    return CL_SUCCESS


cdef cl_int check_range(Request *r, cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                        const size_t *global_size, const size_t *local_size, bint args_may_lack) noexcept nogil:
    cdef cl_int err = check_objects(r, queue, kernel, global_size if work_dim else NULL,
                                    local_size if work_dim else NULL, args_may_lack)
    if err == CL_SUCCESS:
        err = check_global(r, work_dim, offset, global_size, True)
    if err == CL_SUCCESS and r.kernel.info.shape != NULL:
        return check_built_in(r, local_size)
    if err == CL_SUCCESS and not r.is_empty:
        err = local_or_choice(r, local_size)
    if err == CL_SUCCESS:
        err = check_sub_buffers(r)
    return err


cdef cl_int check_launch(Request *r, cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                         const size_t *global_size, const size_t *local_size, bint args_may_lack) noexcept nogil:
    cdef cl_int err = check_range(r, queue, kernel, work_dim, offset, global_size, local_size, args_may_lack)
    if err == CL_SUCCESS and r.kernel.concurrent and not r.is_empty:
        return check_concurrent(r, local_size)
    return err


cdef cl_int enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                    const size_t *global_size, const size_t *local_size, cl_command_type type,
                    const Wait *wait) noexcept nogil:
    cdef Request r
    cdef cl_int err = check_launch(&r, queue, kernel, work_dim, offset, global_size, local_size, False)
    if err == CL_SUCCESS:
        err = check_wait(r.queue.context, wait)
    if err != CL_SUCCESS:
        return err
    return ndrange_enqueue(r.queue, r.kernel, r.variant, r.code, &r.shape, type, wait)


cdef cl_int enqueue_ndrange_kernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                   const size_t *global_work_offset, const size_t *global_work_size,
                                   const size_t *local_work_size, const Wait *wait) noexcept nogil:
    return enqueue(command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
                   CL_COMMAND_NDRANGE_KERNEL, wait)


cdef cl_int enqueue_task(cl_command_queue command_queue, cl_kernel kernel, const Wait *wait) noexcept nogil:
    # "equivalent to clEnqueueNDRangeKernel with work_dim 1, global_work_size[0] 1 and local_work_size[0] 1"
    cdef size_t one = 1
    return enqueue(command_queue, kernel, 1, NULL, &one, &one, CL_COMMAND_TASK, wait)


cdef cl_int get_kernel_suggested_local_work_size(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                 const size_t *global_work_offset, const size_t *global_work_size,
                                                 size_t *suggested_local_work_size) noexcept nogil:
    cdef Request r
    cdef cl_uint i
    cdef cl_int err = check_objects(&r, command_queue, kernel, global_work_size if work_dim else NULL, NULL, False)
    if err == CL_SUCCESS:
        err = check_global(&r, work_dim, global_work_offset, global_work_size, False)
    if err == CL_SUCCESS:
        err = check_sub_buffers(&r)
    if err != CL_SUCCESS:
        return err
    if suggested_local_work_size == NULL:
        return CL_INVALID_VALUE
    # The application may go on to give this very size, which has to divide then.
    choose_local_size(&r.shape, r.variant, r.code.uniform_groups, r.queue.device)
    for i in range(work_dim):
        suggested_local_work_size[i] = r.shape.local_size[i]
    return CL_SUCCESS
