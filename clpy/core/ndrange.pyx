# SPDX-License-Identifier: Apache-2.0
"""Launches: the choice of a work-group size, and the capture of everything a launch needs in its command.

After the enqueue a launch looks at no kernel object: the argument block is copied, memory objects and machine code are
held by the command. Where the block fits into the command nothing is allocated.
"""
from libc.stdint cimport uint32_t, uintptr_t
from libc.stdio cimport snprintf
from libc.stdlib cimport malloc
from libc.string cimport memcpy
from clpy.abi cimport (CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE, CLPY_ARG_LOCAL, CLPY_ARG_PIPE,
                       CLPY_ARG_QUEUE, CLPY_ARG_SAMPLER, CLPY_LAUNCH_STREAMS, CLPY_LAUNCH_ZERO_LOCAL, clpy_launch)
from clpy.cl cimport cl_command_type, cl_int, cl_uint
from clpy.core.command cimport (Command, LaunchPayload, Queue, Wait, command_discard, command_new, command_place,
                                command_uses)
from clpy.core.kernel cimport Kernel, local_arg_end, local_arg_offset
from clpy.core.memory cimport Mem
from clpy.core.object cimport KIND_DEVICE_QUEUE, KIND_MEM, KIND_SAMPLER, object_is
from clpy.core.program cimport Code, KernelArg, KernelCode
from clpy.core.sampler cimport Sampler
from clpy.core.specialize cimport specialized
from clpy.device.base cimport Device, Launch, TASK_KERNEL, Task
from clpy.futex cimport now_ns
from clpy.spec.consts cimport (CL_COMPLETE, CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_INVALID_KERNEL_ARGS,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)
from clpy.trace cimport trace_text, traces

cdef enum:
    BLOCK_ALIGN = 16             # of the argument block, as clpy_abi.h promises
    GROUP_ITEMS = 1024           # work-items of a group where nothing speaks against it
    GROUP_CONTEXT_BYTES = 48 << 10   # of values that live across barriers: what stays in a core's first-level cache
    ROW_ITEMS = 64               # of a row of a group in two or three dimensions, where rows share what they read
    WORTH_A_TAIL = 4             # so many times larger may a group be that is no multiple of the vectors
    STREAM_BYTES = 64 << 20      # of buffers: more than the caches of one socket usually hold
    GROUPS_PER_THREAD = 4        # so that the last group does not leave a core idle


# ---- work-group size -------------------------------------------------------------------------------------------------

cdef size_t divisor(size_t size, size_t most, size_t least, size_t step) noexcept nogil:
    """The first divisor of size among most, most - step, ... down to least; 0 if there is none."""
    cdef uint32_t n, c
    if size >> 32 == 0:          # division of 32 bits is several times cheaper
        n = <uint32_t>size
        c = <uint32_t>most
        while c >= least and c > 0:
            if n % c == 0:
                return c
            c = c - <uint32_t>step if c > step else 0
        return 0
    while most >= least and most > 0:
        if size % most == 0:
            return most
        most = most - step if most > step else 0
    return 0


cdef size_t most_dividing(size_t size, size_t most, size_t multiple) noexcept nogil:
    """A large divisor of size, at most `most`; by preference a multiple of `multiple`, if that is not much smaller."""
    cdef size_t whole, odd
    if size <= most:
        return size
    if (size & -size) >= most and most & (most - 1) == 0:        # the common case: enough factors of two
        return most
    whole = divisor(size, most - most % multiple, multiple, multiple)
    if whole * WORTH_A_TAIL >= most:
        return whole
    odd = divisor(size, most, whole * WORTH_A_TAIL + 1, 1)       # ends with a part of a vector
    return odd if odd else whole


cdef size_t items_wanted(const clpy_launch *shape, const KernelCode *kernel, const Device *dev) noexcept nogil:
    """Work-items of a group: few enough that every thread has groups and that what crosses barriers stays in cache."""
    cdef size_t want = GROUP_ITEMS, least, share
    cdef double total = 1
    cdef cl_uint i
    for i in range(3):
        total *= <double>shape.global_size[i]
    if kernel.context_bytes and kernel.context_bytes * want > GROUP_CONTEXT_BYTES:
        want = GROUP_CONTEXT_BYTES // kernel.context_bytes
    least = 4 * kernel.preferred_multiple
    if total < <double>want * GROUPS_PER_THREAD * dev.compute_units:
        share = <size_t>total // (GROUPS_PER_THREAD * dev.compute_units)
        want = share if share < want else want
    if want < least:
        want = least
    if want > dev.max_work_group_size:
        want = dev.max_work_group_size
    return want


cdef void choose_local_size(clpy_launch *shape, const KernelCode *kernel, bint uniform,
                            const Device *dev) noexcept nogil:
    cdef size_t room, most, multiple = kernel.preferred_multiple if kernel.preferred_multiple else 1
    cdef cl_uint n, i, lanes = kernel.lane_dimension     # the first to get its share
    if kernel.reqd_size[0]:
        for i in range(3):
            shape.local_size[i] = kernel.reqd_size[i]
        return
    room = items_wanted(shape, kernel, dev)
    for n in range(3):
        i = lanes if n == 0 else (1 - lanes if n == 1 else 2)
        most = room
        if (n == 0 and not kernel.long_rows and most > ROW_ITEMS
                and (shape.global_size[1 - i] > 1 or shape.global_size[2] > 1)):
            most = ROW_ITEMS
        if most > dev.max_work_item_sizes[i]:
            most = dev.max_work_item_sizes[i]
        if uniform:
            shape.local_size[i] = most_dividing(shape.global_size[i], most, multiple if n == 0 else 1)
        else:
            if n == 0 and most > multiple:       # that only the last group has a part of a vector
                most -= most % multiple
            shape.local_size[i] = shape.global_size[i] if shape.global_size[i] < most else most
        room //= shape.local_size[i]


cdef void merge_small_groups(clpy_launch *shape, const KernelCode *kernel, const Device *dev) noexcept nogil:
    """Groups that do not fill a vector (hashcat's are of one work-item on every CPU) waste most of it. They are merged
    where every thread still has groups to take: who cuts the range into groups of one may mean just that. A lock that
    work-items take in turns works as long as they are in groups of their own."""
    cdef clpy_launch merged = shape[0]
    cdef double groups = 1
    cdef size_t items = shape.local_size[0] * shape.local_size[1] * shape.local_size[2]
    cdef size_t total = shape.global_size[0] * shape.global_size[1] * shape.global_size[2]
    cdef size_t several = GROUPS_PER_THREAD * dev.compute_units
    cdef cl_uint i
    if (kernel.sees_groups or kernel.may_spin or items >= kernel.preferred_multiple
            or total < several * kernel.preferred_multiple):
        return
    choose_local_size(&merged, kernel, False, dev)
    for i in range(3):
        groups *= <double>((shape.global_size[i] - 1) // merged.local_size[i] + 1)
    if groups >= several:
        for i in range(3):
            shape.local_size[i] = merged.local_size[i]


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
    elif arg.kind == CLPY_ARG_PIPE or arg.kind == CLPY_ARG_QUEUE:
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


cdef cl_int capture(Command *cmd, Kernel *k, KernelCode *variant, Code *code, const clpy_launch *shape,
                    const Device *dev) noexcept nogil:
    cdef LaunchPayload *payload = &cmd.payload.kernel
    cdef unsigned char *block = block_room(cmd, variant.args_size)
    cdef size_t local_bytes = variant.local_bytes
    cdef cl_uint i
    cdef cl_int err
    if block == NULL:
        return CL_OUT_OF_HOST_MEMORY
    memcpy(block, k.block, variant.args_size)
    for i in range(variant.n_args):
        err = capture_arg(cmd, &variant.args[i], k, i, block, &local_bytes)
        if err != CL_SUCCESS:
            return err
    if local_bytes > dev.local_mem_size:
        return CL_OUT_OF_RESOURCES
    err = command_uses(cmd, code)
    if err != CL_SUCCESS:
        return err
    payload.launch.shape = shape[0]
    payload.launch.shape.flags = CLPY_LAUNCH_STREAMS if buffer_bytes(variant, k) >= STREAM_BYTES else 0
    if cmd.context.initialize & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR and local_bytes:
        payload.launch.shape.flags |= CLPY_LAUNCH_ZERO_LOCAL
    payload.launch.args = block
    payload.launch.local_bytes = local_bytes
    payload.kernel = variant
    payload.code = code
    use_code(&payload.launch, variant)
    cmd.task.flags = TASK_KERNEL
    cmd.task.launch = &payload.launch
    return CL_SUCCESS


cdef inline void use_code(Launch *launch, KernelCode *kernel) noexcept nogil:
    cdef const size_t *local_size = launch.shape.local_size
    launch.code = kernel.fn
    launch.context_bytes = kernel.context_bytes * local_size[0] * local_size[1] * local_size[2]
    launch.ns_per_group = &kernel.ns_per_group


cdef void launch_specialize(Launch *launch, KernelCode *kernel, Code *code) noexcept nogil:
    kernel = specialized(kernel, code, &launch.shape)
    if kernel.fn != launch.code:
        use_code(launch, kernel)


cdef cl_int run_nothing(Task *task, uint32_t part) noexcept nogil:
    return CL_COMPLETE


# ---- CLPY_DEBUG=2 ----------------------------------------------------------------------------------------------------

cdef void trace_started(Task *task) noexcept nogil:
    cdef LaunchPayload *payload = &(<Command *>task.command).payload.kernel
    payload.began = now_ns()
    payload.started(task)


cdef void trace_finished(Task *task, cl_int status) noexcept nogil:
    cdef LaunchPayload *payload = &(<Command *>task.command).payload.kernel
    cdef char text[256]
    snprintf(text, sizeof(text), "%s: %.1f us, status %d", payload.name,
             <double>(now_ns() - payload.began) / 1e3 if payload.began else 0.0, <int>status)
    trace_text(2, text)
    payload.finished(task, status)


cdef void trace_launch(Command *cmd, const KernelCode *variant, const clpy_launch *shape) noexcept nogil:
    """Log the launch, and get between the task and its callbacks. The command holds the code, so the name stays."""
    cdef LaunchPayload *payload = &cmd.payload.kernel
    cdef char text[256]
    snprintf(text, sizeof(text), "launch %s: global %zu %zu %zu, local %zu %zu %zu", variant.name,
             shape.global_size[0], shape.global_size[1], shape.global_size[2],
             shape.local_size[0], shape.local_size[1], shape.local_size[2])
    trace_text(2, text)
    payload.name = variant.name
    payload.began = 0
    payload.started = cmd.task.started
    payload.finished = cmd.task.finished
    cmd.task.started = trace_started
    cmd.task.finished = trace_finished


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
        launch_specialize(cmd.task.launch, variant, code)
    if traces(2) and cmd.task.launch != NULL:
        trace_launch(cmd, variant, shape)
    return command_place(cmd, wait)
