# SPDX-License-Identifier: Apache-2.0
"""What kernels call to enqueue others: `enqueue_kernel` and its kin, as compiler/builtins/device_queue.cl calls them.
The checks are in the order of the specification.

A kernel may give any address. What is read and written here its own code has read and written a moment before, so that
a fault there is the kernel's. While something is held it is not left in the middle.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset
from clpy.abi cimport CLPY_LAUNCH_ZERO_LOCAL, clpy_launch
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport cl_int
from clpy.core.children cimport child_discard, child_new, child_submit, device_user_event_new, kin_of
from clpy.core.command cimport ChildPayload, Command, Kin, Queue, command_uses, is_device_event
from clpy.core.context cimport Context
from clpy.core.device_queue cimport default_queue
from clpy.core.event cimport event_set_status
from clpy.core.kernel cimport kernel_max_group_size
from clpy.core.ndrange cimport choose_local_size, merge_groups, use_code
from clpy.core.object cimport (KIND_DEVICE_QUEUE, KIND_EVENT, object_drop, object_is, object_release, object_retain,
                               object_try_hold)
from clpy.core.program cimport Code, KernelCode
from clpy.core.sub_groups cimport items_of_sub_groups, most_sub_groups, sub_group_items
from clpy.device.base cimport Device, TASK_KERNEL, Task, device_root
from clpy.device.host.fault cimport faults_go_on, faults_leave_here, faults_pause
from clpy.device.host.guard cimport guard_stop_here
from clpy.device.host.launch cimport task_running
from clpy.spec.consts cimport (CL_COMMAND_MARKER, CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_USER, CL_COMPLETE,
                               CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_SUCCESS)

from clpy.compiler.runtime import functions

cdef enum:                       # of OpenCL C
    CLK_SUCCESS = 0
    CLK_OUT_OF_RESOURCES = -5
    CLK_INVALID_ARG_SIZE = -51
    CLK_INVALID_EVENT_WAIT_LIST = -57
    CLK_ENQUEUE_FAILURE = -101
    CLK_INVALID_QUEUE = -102
    CLK_INVALID_NDRANGE = -160
    CLK_ENQUEUE_FLAGS_NO_WAIT = 0
    MOST_ITEMS = 0x3FFFFFFFFFFFFFFF      # as of a launch of the host's
    HEADER = 64                  # bytes of its queue that a command takes beside what a block has captured
    LOCAL_ALIGN = 128            # of memory in local pointers: the largest type's
    BLOCK_ALIGN = 16             # of an argument block, as clpy_abi.h promises
    MOST_CAPTURED = 1 << 20      # bytes

cdef struct NDRange:             # ndrange_t
    uint32_t work_dim
    size_t global_offset[3]
    size_t global_size[3]
    size_t local_size[3]

cdef struct Block:               # what it has captured
    const void *data
    uint32_t size
    uint32_t align

cdef struct Locals:              # sizes of the memory in a block's local pointers
    uint32_t n
    const size_t *sizes

cdef struct WaitList:
    uint32_t n
    void *const *events

cdef struct Caller:              # the kernel that calls
    Task *task
    Context *context
    Device *device
    Code *code


cdef inline Caller caller() noexcept nogil:
    cdef Caller c
    cdef Command *cmd
    c.task = task_running()
    cmd = <Command *>c.task.command
    c.context = cmd.context
    c.device = cmd.queue.device
    c.code = cmd.payload.kernel.code
    return c


cdef inline int32_t told(const Caller *c, int32_t code) noexcept nogil:
    """"If the -g compile option is specified ... the following errors may be returned" """
    return code if code == CLK_SUCCESS or c.code.says_why else CLK_ENQUEUE_FAILURE


# ---- checks ----------------------------------------------------------------------------------------------------------

cdef inline bint is_queue(const Caller *c, void *queue) noexcept nogil:
    return (object_is(queue, KIND_DEVICE_QUEUE) and (<Queue *>queue).context == c.context
            and device_root((<Queue *>queue).device) == device_root(c.device))


cdef bint is_shape(const NDRange *ndrange, clpy_launch *shape) noexcept nogil:
    """Fills in what the range says, but for the local size."""
    cdef uint32_t i
    cdef size_t total = 1
    if ndrange.work_dim < 1 or ndrange.work_dim > 3:
        return False
    memset(shape, 0, sizeof(clpy_launch))
    shape.work_dim = ndrange.work_dim
    for i in range(3):
        shape.global_size[i] = ndrange.global_size[i] if i < ndrange.work_dim else 1
        shape.global_offset[i] = ndrange.global_offset[i] if i < ndrange.work_dim else 0
        shape.local_size[i] = 1
        if shape.global_offset[i] > MOST_ITEMS:
            return False
        if shape.global_size[i] > MOST_ITEMS // total:
            return False
        if shape.global_size[i]:
            total *= shape.global_size[i]
    return True


cdef bint is_local_size(const NDRange *ndrange, const KernelCode *kernel, const Code *code, const Device *dev,
                        clpy_launch *shape) noexcept nogil:
    """Fills it in. One of zeros is none."""
    cdef uint32_t i
    cdef size_t items = 1, most = kernel_max_group_size(kernel, dev), size
    for i in range(ndrange.work_dim):
        size = ndrange.local_size[i]
        if size == 0 or size > dev.max_work_item_sizes[i] or size > most // items:
            return False
        if code.uniform_groups and shape.global_size[i] % size:
            return False
        items *= size
        shape.local_size[i] = size
    for i in range(3):
        if kernel.traits.reqd_size[i] and shape.local_size[i] != kernel.traits.reqd_size[i]:
            return False
    return True


cdef bint set_shape(const NDRange *ndrange, KernelCode *kernel, const Code *code, Device *dev,
                    clpy_launch *shape) noexcept nogil:
    cdef uint32_t i
    if not is_shape(ndrange, shape):
        return False
    if shape.global_size[0] == 0 or shape.global_size[1] == 0 or shape.global_size[2] == 0:
        return True              # it does nothing
    if (ndrange.local_size[0] or (ndrange.work_dim > 1 and ndrange.local_size[1])
            or (ndrange.work_dim > 2 and ndrange.local_size[2])):
        if not is_local_size(ndrange, kernel, code, dev, shape):
            return False
        merge_groups(shape, kernel, dev)
    else:
        choose_local_size(shape, kernel, code.uniform_groups and kernel.traits.sees_groups, dev)
    for i in range(3):
        shape.num_groups[i] = (shape.global_size[i] - 1) // shape.local_size[i] + 1
    return True


cdef bint are_events(const Caller *c, const WaitList *wait) noexcept nogil:
    cdef uint32_t i
    for i in range(wait.n):
        if not is_device_event(wait.events[i]) or (<Command *>wait.events[i]).context != c.context:
            return False
    return True


cdef KernelCode *kernel_of(const Caller *c, const void *handle) noexcept nogil:
    """Of the number that stands for a block's code (compiler/passes/blocks.py), counted from 1."""
    cdef uintptr_t number = <uintptr_t>handle - 1
    if number >= c.code.n_kernels or not c.code.kernels[number].is_block:
        return NULL
    return &c.code.kernels[number]


# ---- enqueue_kernel --------------------------------------------------------------------------------------------------

cdef unsigned char *block_room(Command *cmd, size_t size, size_t align) noexcept nogil:
    """In the command, where it fits."""
    cdef ChildPayload *payload = &cmd.payload.child
    cdef uintptr_t mask = align - 1
    cdef unsigned char *at = <unsigned char *>((<uintptr_t>payload.inline_args + mask) & ~mask)
    if at + size <= payload.inline_args + sizeof(payload.inline_args):
        return at
    cmd.owned = malloc(size + align)
    return <unsigned char *>((<uintptr_t>cmd.owned + mask) & ~mask) if cmd.owned != NULL else NULL


cdef int32_t fill(Command *cmd, const Caller *c, KernelCode *kernel, const clpy_launch *shape, const Block *block,
                  const Locals *locals_given) noexcept nogil:
    """Arguments and memory of a child, as core/ndrange does it for the host's kernels."""
    cdef ChildPayload *payload = &cmd.payload.child
    cdef Device *dev = cmd.queue.device
    cdef size_t align = LOCAL_ALIGN if block.align > BLOCK_ALIGN else BLOCK_ALIGN
    cdef size_t at = (kernel.args_size + align - 1) & ~(align - 1), local_bytes = kernel.traits.local_bytes
    cdef unsigned char *args = block_room(cmd, at + block.size, align)
    cdef const void *captured
    cdef uint32_t i
    if args == NULL:
        return CLK_OUT_OF_RESOURCES
    memcpy(args + at, block.data, block.size)
    captured = args + at
    memcpy(args + kernel.args[0].offset, &captured, sizeof(void *))
    for i in range(locals_given.n):
        local_bytes = (local_bytes + LOCAL_ALIGN - 1) & ~<size_t>(LOCAL_ALIGN - 1)
        memcpy(args + kernel.args[i + 1].offset, &local_bytes, sizeof(size_t))
        local_bytes += locals_given.sizes[i]
    if local_bytes > dev.local_mem_size or command_uses(cmd, c.code) != CL_SUCCESS:
        return CLK_OUT_OF_RESOURCES
    payload.launch.shape = shape[0]
    if c.context.initialize & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR and local_bytes:
        payload.launch.shape.flags |= CLPY_LAUNCH_ZERO_LOCAL
    payload.launch.args = args
    payload.launch.local_bytes = local_bytes
    payload.launch.buffer_bytes = 0
    payload.launch.sizes = NULL
    payload.kernel = kernel
    payload.code = c.code
    use_code(&payload.launch, kernel)
    if dev.ops.prepare != NULL:
        dev.ops.prepare(dev, &payload.launch)
    cmd.task.launch = &payload.launch
    if shape.num_groups[0]:      # else it is empty
        cmd.task.flags = TASK_KERNEL
    return CLK_SUCCESS


cdef int32_t enqueue(const Caller *c, Queue *q, uint32_t flags, const clpy_launch *shape, const WaitList *wait,
                     bint with_event, KernelCode *kernel, const Block *block, const Locals *locals_given,
                     Command **event) noexcept nogil:
    """All is checked."""
    cdef cl_int err = CLK_OUT_OF_RESOURCES
    cdef Kin *parent = kin_of(c.task)
    cdef Command *cmd
    if parent == NULL:
        return err
    cmd = child_new(q, CL_COMMAND_NDRANGE_KERNEL, HEADER + block.size + 8 * locals_given.n, with_event, &err)
    if cmd == NULL:
        return err
    err = fill(cmd, c, kernel, shape, block, locals_given)
    if err != CLK_SUCCESS:
        child_discard(cmd)
        return err
    event[0] = cmd
    if not child_submit(cmd, parent, flags != CLK_ENQUEUE_FLAGS_NO_WAIT, wait.n, wait.events):
        return CLK_OUT_OF_RESOURCES
    return CLK_SUCCESS


cdef int32_t check_enqueue(const Caller *c, void *queue, const NDRange *ndrange, const WaitList *wait,
                           const KernelCode *kernel, const Block *block, const Locals *locals_given,
                           clpy_launch *shape) noexcept nogil:
    cdef uint32_t i
    if not is_queue(c, queue):
        return CLK_INVALID_QUEUE
    if kernel == NULL:
        return CLK_OUT_OF_RESOURCES      # a block without code
    if not set_shape(ndrange, <KernelCode *>kernel, c.code, (<Queue *>queue).device, shape):
        return CLK_INVALID_NDRANGE
    if (wait.n == 0) != (wait.events == NULL) or not are_events(c, wait):
        return CLK_INVALID_EVENT_WAIT_LIST
    if block.size > MOST_CAPTURED or kernel.n_args != locals_given.n + 1:
        return CLK_OUT_OF_RESOURCES
    for i in range(locals_given.n):
        if locals_given.sizes[i] == 0:
            return CLK_INVALID_ARG_SIZE
        if locals_given.sizes[i] > c.device.local_mem_size:
            return CLK_OUT_OF_RESOURCES
    return CLK_SUCCESS


cdef int32_t clpy_enqueue_kernel(void *queue, uint32_t flags, const NDRange *ndrange, uint32_t n_wait,
                                 void *const *events, void **event_ret, const void *handle, const void *data,
                                 uint32_t size, uint32_t align, uint32_t n_locals,
                                 const size_t *sizes) noexcept nogil:
    cdef Caller c = caller()
    cdef Block block = Block(data, size, align)
    cdef Locals locals_given = Locals(n_locals, sizes)
    cdef WaitList wait = WaitList(n_wait, events)
    cdef clpy_launch shape
    cdef KernelCode *kernel = kernel_of(&c, handle)
    cdef Command *event = NULL
    cdef int32_t err
    cdef int paused
    guard_stop_here()
    err = check_enqueue(&c, queue, ndrange, &wait, kernel, &block, &locals_given, &shape)
    if err != CLK_SUCCESS:
        return told(&c, err)
    paused = faults_pause()
    err = enqueue(&c, <Queue *>queue, flags, &shape, &wait, event_ret != NULL, kernel, &block, &locals_given,
                  &event)
    if err == CLK_SUCCESS and event_ret != NULL:
        event_ret[0] = event
    faults_go_on(paused)
    faults_leave_here()
    return told(&c, err)


# ---- enqueue_marker --------------------------------------------------------------------------------------------------

cdef int32_t enqueue_marker(const Caller *c, Queue *q, const WaitList *wait, void **event_ret) noexcept nogil:
    cdef cl_int err = CLK_OUT_OF_RESOURCES
    cdef Kin *parent = kin_of(c.task)
    cdef Command *cmd
    if parent == NULL:
        return err
    cmd = child_new(q, CL_COMMAND_MARKER, HEADER, True, &err)
    if cmd == NULL:
        return err
    if not child_submit(cmd, parent, False, wait.n, wait.events):
        return CLK_OUT_OF_RESOURCES
    event_ret[0] = cmd
    return CLK_SUCCESS


cdef int32_t clpy_enqueue_marker(void *queue, uint32_t n_wait, void *const *events, void **event_ret) noexcept nogil:
    cdef Caller c = caller()
    cdef WaitList wait = WaitList(n_wait, events)
    cdef int32_t err
    cdef int paused
    guard_stop_here()
    if not is_queue(&c, queue):
        return told(&c, CLK_INVALID_QUEUE)
    if events == NULL or n_wait == 0 or not are_events(&c, &wait):
        return told(&c, CLK_INVALID_EVENT_WAIT_LIST)
    if event_ret == NULL:        # "must not be NULL as otherwise this is a no-op"
        return CLK_SUCCESS
    paused = faults_pause()
    err = enqueue_marker(&c, <Queue *>queue, &wait, event_ret)
    faults_go_on(paused)
    faults_leave_here()
    return told(&c, err)


# ---- queues and queries ----------------------------------------------------------------------------------------------

cdef void *clpy_default_queue() noexcept nogil:
    cdef Caller c = caller()
    cdef void *queue
    cdef int paused = faults_pause()
    queue = default_queue(c.context, c.device)
    faults_go_on(paused)
    return queue


cdef uint32_t clpy_kernel_work_group_size(const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    return <uint32_t>kernel_max_group_size(kernel, c.device) if kernel != NULL else 0


cdef uint32_t clpy_kernel_preferred_multiple(const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    return <uint32_t>kernel.traits.preferred_multiple if kernel != NULL else 0


cdef uint32_t clpy_kernel_sub_group_size(const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    return <uint32_t>sub_group_items(kernel, c.device) if kernel != NULL else 0


cdef uint32_t clpy_kernel_most_sub_groups(const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    return <uint32_t>most_sub_groups(kernel, c.device) if kernel != NULL else 0


cdef uint32_t clpy_kernel_items_of_sub_groups(uint32_t count, const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    return <uint32_t>items_of_sub_groups(kernel, c.device, count) if kernel != NULL else 0


cdef uint32_t clpy_kernel_sub_group_count(const NDRange *ndrange, const void *handle) noexcept nogil:
    cdef Caller c = caller()
    cdef KernelCode *kernel = kernel_of(&c, handle)
    cdef uint32_t size = clpy_kernel_sub_group_size(handle)
    cdef clpy_launch shape
    if size == 0 or not set_shape(ndrange, kernel, c.code, c.device, &shape):
        return 0
    return <uint32_t>((shape.local_size[0] * shape.local_size[1] * shape.local_size[2] - 1) // size + 1)


# ---- events ----------------------------------------------------------------------------------------------------------

cdef void clpy_retain_event(void *event) noexcept nogil:
    if is_device_event(event):
        object_retain(event, KIND_EVENT)


cdef void clpy_release_event(void *event) noexcept nogil:
    cdef int paused = faults_pause()
    if is_device_event(event):
        object_release(event, KIND_EVENT)
    faults_go_on(paused)


cdef bint clpy_is_valid_event(void *event) noexcept nogil:
    return is_device_event(event)


cdef void *clpy_create_user_event() noexcept nogil:
    """Where there is none left, an event that is not valid."""
    cdef Caller c = caller()
    cdef cl_int err = CL_SUCCESS
    cdef int paused = faults_pause()
    cdef void *event = device_user_event_new(c.context, c.device.queues.events, &err)
    faults_go_on(paused)
    return event


cdef void *clpy_null_event() noexcept nogil:
    """CLK_NULL_EVENT."""
    return <void *>~<uintptr_t>0


cdef void clpy_set_user_event_status(void *event, int32_t status) noexcept nogil:
    cdef int paused = faults_pause()
    if is_device_event(event) and (<Command *>event).type == CL_COMMAND_USER and status <= CL_COMPLETE:
        event_set_status(<Command *>event, status)
    faults_go_on(paused)


cdef void write_times(Command *event, uint64_t *to) noexcept nogil:
    """CLK_PROFILING_COMMAND_EXEC_TIME"""
    to[0] = event.task.end_ns - event.task.start_ns
    to[1] = event.t_complete - event.task.start_ns


cdef cl_int run_capture(Task *task, uint32_t part) noexcept nogil:
    """What was asked about has ended."""
    cdef Command *cmd = <Command *>task.command
    cdef Command *event = <Command *>cmd.uses[0]
    if atomic_load_i32(&event.status) == CL_COMPLETE:
        write_times(event, <uint64_t *>cmd.payload.child.launch.args)
    return CL_COMPLETE


cdef void capture(const Caller *c, Command *event, uint64_t *to) noexcept nogil:
    """A command of its own waits for the event, and counts as a child: the parent ends with the numbers written."""
    cdef cl_int err = CL_SUCCESS
    cdef Kin *parent = kin_of(c.task)
    cdef Command *cmd
    cdef void *events[1]
    if parent == NULL:
        return
    cmd = child_new(event.queue, CL_COMMAND_MARKER, 0, False, &err)
    if cmd == NULL:
        return
    if command_uses(cmd, event) != CL_SUCCESS:
        child_discard(cmd)
        return
    cmd.payload.child.launch.args = <unsigned char *>to
    cmd.task.run = run_capture
    events[0] = event
    child_submit(cmd, parent, False, 1, events)


cdef void clpy_capture_event_times(void *event, uint64_t *to) noexcept nogil:
    cdef Caller c = caller()
    cdef int paused
    if not is_device_event(event) or (<Command *>event).type == CL_COMMAND_USER:
        return
    paused = faults_pause()
    if atomic_load_i32(&(<Command *>event).status) == CL_COMPLETE:
        write_times(<Command *>event, to)
    elif object_try_hold(event):
        capture(&c, <Command *>event, to)
        object_drop(event)
    faults_go_on(paused)


functions["__clpy_enqueue_kernel"] = <uintptr_t>&clpy_enqueue_kernel
functions["__clpy_enqueue_marker"] = <uintptr_t>&clpy_enqueue_marker
functions["__clpy_default_queue"] = <uintptr_t>&clpy_default_queue
functions["__clpy_kernel_work_group_size"] = <uintptr_t>&clpy_kernel_work_group_size
functions["__clpy_kernel_preferred_multiple"] = <uintptr_t>&clpy_kernel_preferred_multiple
functions["__clpy_kernel_sub_group_size"] = <uintptr_t>&clpy_kernel_sub_group_size
functions["__clpy_kernel_most_sub_groups"] = <uintptr_t>&clpy_kernel_most_sub_groups
functions["__clpy_kernel_items_of_sub_groups"] = <uintptr_t>&clpy_kernel_items_of_sub_groups
functions["__clpy_kernel_sub_group_count"] = <uintptr_t>&clpy_kernel_sub_group_count
functions["__clpy_retain_event"] = <uintptr_t>&clpy_retain_event
functions["__clpy_release_event"] = <uintptr_t>&clpy_release_event
functions["__clpy_is_valid_event"] = <uintptr_t>&clpy_is_valid_event
functions["__clpy_create_user_event"] = <uintptr_t>&clpy_create_user_event
functions["__clpy_null_event"] = <uintptr_t>&clpy_null_event
functions["__clpy_set_user_event_status"] = <uintptr_t>&clpy_set_user_event_status
functions["__clpy_capture_event_times"] = <uintptr_t>&clpy_capture_event_times
