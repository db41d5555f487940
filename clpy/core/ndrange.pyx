# SPDX-License-Identifier: Apache-2.0
"""Launches: the capture of everything a launch needs in its command. What is good for it, a work-group size and the
like, is the device's choice.

After the enqueue a launch looks at no kernel object: the argument block is copied, memory objects and machine code are
held by the command. Where the block fits into the command nothing is allocated.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset
from clpy.abi cimport (CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE, CLPY_ARG_LOCAL, CLPY_ARG_PIPE,
                       CLPY_ARG_QUEUE, CLPY_ARG_SAMPLER, CLPY_LAUNCH_CONCURRENT, CLPY_LAUNCH_ZERO_LOCAL, clpy_launch)
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport (Command, LaunchPayload, Queue, Wait, command_discard, command_new, command_place,
                                command_uses)
from clpy.core.kernel cimport ArgValue, Kernel, local_arg_end, local_arg_offset
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_DEVICE_QUEUE, KIND_MEM, KIND_SAMPLER, object_is
from clpy.core.program cimport Code, KernelArg, KernelCode
from clpy.core.sampler cimport Sampler
from clpy.core.specialize cimport specialized
from clpy.core.versions cimport version_for
from clpy.device.base cimport Device, Launch, TASK_KERNEL, Task, Took
from clpy.spec.consts cimport (CL_COMPLETE, CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_INVALID_KERNEL_ARGS,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)

import clpy.core.enqueue_kernel  # no-cython-lint: what kernels call
import clpy.core.fault  # no-cython-lint: it tells of the faults of launches
import clpy.core.interrupt  # no-cython-lint: it ends waits

cdef enum:
    BLOCK_ALIGN = 16             # of the argument block, as clpy_abi.h promises


# ---- work-group size -------------------------------------------------------------------------------------------------

cdef void choose_local_size(clpy_launch *shape, const KernelCode *kernel, bint uniform, Device *dev) noexcept nogil:
    cdef cl_uint i
    if kernel.traits.reqd_size[0]:
        for i in range(3):
            shape.local_size[i] = kernel.traits.reqd_size[i]
    else:
        dev.ops.choose_local_size(dev, shape, &kernel.traits, uniform)


cdef void merge_groups(clpy_launch *shape, const KernelCode *kernel, Device *dev) noexcept nogil:
    if dev.ops.merge_groups != NULL:
        dev.ops.merge_groups(dev, shape, &kernel.traits)


cdef size_t most_concurrent_groups(const Queue *q) noexcept nogil:
    if not q.device.runs_concurrently:
        return 0
    return 1 if q.in_caller else q.device.compute_units


# ---- capture ---------------------------------------------------------------------------------------------------------

cdef cl_int capture_object(Command *cmd, const KernelArg *arg, void *obj, const void *pointer,
                           unsigned char *block) noexcept nogil:
    """Put into the block what a memory object or a sampler is to a kernel, and hold the object."""
    cdef const void *address
    # The kernel has no reference: the application may have released the object since it set the argument.
    if obj != NULL and not object_is(obj, KIND_SAMPLER if arg.kind == CLPY_ARG_SAMPLER else
                                     KIND_DEVICE_QUEUE if arg.kind == CLPY_ARG_QUEUE else KIND_MEM):
        return CL_INVALID_KERNEL_ARGS
    if arg.kind == CLPY_ARG_SAMPLER:
        memcpy(block + arg.offset, &(<Sampler *>obj).bits, sizeof(uint32_t))
        return command_uses(cmd, obj)
    if arg.kind == CLPY_ARG_IMAGE:
        address = &(<Mem *>obj).view
    elif arg.kind == CLPY_ARG_QUEUE:
        address = obj
    else:
        address = (<Mem *>obj).data if obj != NULL else pointer
    memcpy(block + arg.offset, &address, sizeof(void *))
    return command_uses(cmd, obj) if obj != NULL else CL_SUCCESS


cdef cl_int capture_arg(Command *cmd, const KernelArg *arg, Kernel *k, cl_uint index, unsigned char *block,
                        size_t *local_bytes) noexcept nogil:
    """Put into the block what is known only now: addresses, offsets in local memory. Hold what the argument names."""
    if arg.kind == CLPY_ARG_LOCAL:
        local_bytes[0] = local_arg_offset(local_bytes[0], arg)
        memcpy(block + arg.offset, local_bytes, sizeof(size_t))
        local_bytes[0] = local_arg_end(local_bytes[0], &k.values[index])
        return CL_SUCCESS
    if (arg.kind == CLPY_ARG_GLOBAL or arg.kind == CLPY_ARG_CONSTANT or arg.kind == CLPY_ARG_IMAGE
            or arg.kind == CLPY_ARG_PIPE or arg.kind == CLPY_ARG_QUEUE or arg.kind == CLPY_ARG_SAMPLER):
        return capture_object(cmd, arg, k.values[index].object, k.values[index].address, block)
    return CL_SUCCESS


cdef unsigned char *block_room(Command *cmd, size_t size) noexcept nogil:
    """Room for the argument block: in the command where it fits."""
    cdef LaunchPayload *payload = &cmd.payload.kernel
    cdef unsigned char *at = <unsigned char *>(
        (<uintptr_t>payload.inline_args + BLOCK_ALIGN - 1) & ~<uintptr_t>(BLOCK_ALIGN - 1))
    if at + size <= payload.inline_args + sizeof(payload.inline_args):
        return at
    cmd.owned = malloc(size)     # aligned for any type, which is BLOCK_ALIGN
    return <unsigned char *>cmd.owned


cdef size_t buffer_bytes(const KernelCode *variant, const Kernel *k) noexcept nogil:
    """Sizes of the buffers among the arguments, together."""
    cdef size_t total = 0
    cdef cl_uint i
    for i in range(variant.n_args):
        if variant.args[i].kind == CLPY_ARG_GLOBAL and k.values[i].object != NULL:
            total += (<Mem *>k.values[i].object).size
    return total


cdef const uint64_t *buffer_sizes(const KernelCode *variant, const Kernel *k, unsigned char *room,
                                  size_t size) noexcept nogil:
    """Of each of them, for SVM to the end of the allocation; 0 where an argument is neither."""
    cdef cl_uint i
    cdef uint64_t bytes
    cdef const ArgValue *value
    memset(room, 0, size)
    for i in range(variant.n_args):
        if variant.args[i].kind != CLPY_ARG_GLOBAL and variant.args[i].kind != CLPY_ARG_CONSTANT:
            continue
        value = k.values + i
        if value.object != NULL:
            bytes = (<Mem *>value.object).size
        else:
            bytes = value.svm_first + value.svm_size - <uintptr_t>value.address if value.svm_size else 0
        memcpy(room + variant.args[i].offset, &bytes, sizeof(bytes))
    return <const uint64_t *>room


cdef cl_int capture(Command *cmd, Kernel *k, KernelCode *variant, Code *code, const clpy_launch *shape,
                    Device *dev) noexcept nogil:
    cdef LaunchPayload *payload = &cmd.payload.kernel
    cdef size_t args_size = (variant.args_size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1)
    cdef unsigned char *block = block_room(cmd, 2 * args_size if dev.wants_sizes else variant.args_size)
    cdef size_t local_bytes = variant.traits.local_bytes
    cdef cl_uint i
    cdef cl_int err
    if block == NULL:
        return CL_OUT_OF_HOST_MEMORY
    memcpy(block, k.block, variant.args_size)
    if dev.wants_sizes:          # which may compare blocks
        memset(block + variant.args_size, 0, args_size - variant.args_size)
    for i in range(variant.n_args):
        err = capture_arg(cmd, &variant.args[i], k, i, block, &local_bytes)
        if err != CL_SUCCESS:
            return err
    if local_bytes > dev.local_mem_size:
        return CL_OUT_OF_RESOURCES
    err = command_uses(cmd, code)            # what is made of it lives as long
    if err != CL_SUCCESS:
        return err
    variant = version_for(variant, &code, k, shape, &err)
    if variant == NULL:
        return err
    payload.launch.shape = shape[0]
    payload.launch.shape.flags = 0
    if cmd.context.initialize & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR and local_bytes:
        payload.launch.shape.flags |= CLPY_LAUNCH_ZERO_LOCAL
    if k.concurrent:
        payload.launch.shape.flags |= CLPY_LAUNCH_CONCURRENT
    payload.launch.args = block
    payload.launch.local_bytes = local_bytes
    payload.launch.buffer_bytes = buffer_bytes(variant, k)
    payload.launch.sizes = buffer_sizes(variant, k, block + args_size, args_size) if dev.wants_sizes else NULL
    payload.kernel = variant
    payload.code = code
    use_code(&payload.launch, variant)
    if dev.ops.prepare != NULL:
        dev.ops.prepare(dev, &payload.launch)
    cmd.task.flags = TASK_KERNEL
    cmd.task.launch = &payload.launch
    return CL_SUCCESS


cdef void use_code(Launch *launch, KernelCode *kernel) noexcept nogil:
    cdef const size_t *local_size = launch.shape.local_size
    launch.code = kernel.fn
    launch.returns[0] = launch.returns[1] = <uintptr_t>kernel.fn
    launch.traits = &kernel.traits
    launch.context_bytes = kernel.traits.context_bytes * local_size[0] * local_size[1] * local_size[2]
    # Where groups wait for each other, nobody can say what one takes.
    launch.ns_per_group = NULL if launch.shape.flags & CLPY_LAUNCH_CONCURRENT else &kernel.ns_per_group
    launch.costs = &kernel.costs
    launch.took = NULL


cdef void launch_specialize(Launch *launch, KernelCode *kernel, Code *code, bint may_wait) noexcept nogil:
    cdef Took *took
    kernel = specialized(kernel, code, launch, may_wait, &took)
    if &kernel.traits != launch.traits:      # code itself may be the device's choice
        use_code(launch, kernel)
    launch.took = took if launch.ns_per_group != NULL else NULL
    if launch.took != NULL:
        launch.took.wanted = <int64_t>(launch.shape.num_groups[0] * launch.shape.num_groups[1]
                                       * launch.shape.num_groups[2])


cdef cl_int run_nothing(Task *task, uint32_t part) noexcept nogil:
    return CL_COMPLETE


# ---- making the command, enqueue -------------------------------------------------------------------------------------

cdef Command *ndrange_command(Queue *q, Kernel *k, KernelCode *variant, Code *code, clpy_launch *shape,
                              cl_command_type type, cl_int *err) noexcept nogil:
    cdef cl_uint i
    cdef Command *cmd = command_new(q, type, err)
    if cmd == NULL:
        return NULL
    if shape.global_size[0] == 0 or shape.global_size[1] == 0 or shape.global_size[2] == 0:
        cmd.task.flags = 0
        cmd.task.run = run_nothing
        return cmd
    for i in range(3):
        shape.num_groups[i] = (shape.global_size[i] - 1) // shape.local_size[i] + 1
    err[0] = capture(cmd, k, variant, code, shape, q.device)
    if err[0] != CL_SUCCESS:
        command_discard(cmd)
        return NULL
    return cmd


cdef cl_int ndrange_enqueue(Queue *q, Kernel *k, KernelCode *variant, Code *code, clpy_launch *shape,
                            cl_command_type type, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef Command *cmd = ndrange_command(q, k, variant, code, shape, type, &err)
    if cmd == NULL:
        return err
    if cmd.task.launch != NULL:
        launch_specialize(cmd.task.launch, cmd.payload.kernel.kernel, cmd.payload.kernel.code, True)
    return command_place(cmd, wait)
