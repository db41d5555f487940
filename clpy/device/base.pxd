# SPDX-License-Identifier: Apache-2.0
"""What a device is to the layers above: data it reports, and the verbs below. api/ and core/ never ask which it is.

All verbs are nogil. A device runs tasks in any order it likes: dependencies are settled before `submit`. This layer
knows nothing of events and queues: it tells of progress through the two callbacks of a task.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from clpy.atomics cimport atomic_cas_i64, atomic_load_i64_relaxed
from clpy.abi cimport clpy_object, clpy_launch, clpy_kernel_fn
from clpy.cl cimport (cl_command_queue_properties, cl_command_type, cl_device_affinity_domain,
                      cl_device_device_enqueue_capabilities, cl_device_exec_capabilities, cl_device_partition_property,
                      cl_device_svm_capabilities, cl_device_type, cl_int, cl_svm_capabilities_khr, cl_ulong,
                      cl_uint)

ctypedef struct KernelTraits:    # what a device's policy goes by, and what its toolchain found out; read-only
    const char *name
    size_t reqd_size[3]          # 0 when not given
    size_t local_bytes           # static __local variables
    size_t private_bytes         # per work-item
    size_t context_bytes         # per work-item
    size_t preferred_multiple    # at least 1
    size_t narrow_multiple       # likewise, for a launch of few work-items; no more than that
    cl_uint lane_dimension       # 0 or 1: along which work-items run as vectors
    bint long_rows               # it passes over memory once: rows of groups should be as long as they can
    bint sees_groups             # it matters to the kernel how the range is cut into groups
    bint may_spin                # its work-items may wait for each other through memory
    bint spins                   # its work-groups wait in a loop for what others write
    size_t sub_group_size        # work-items of its sub-groups where it asks for some, else 0
    void *facts                  # what DeviceOps.make_facts gave

cdef inline bint sees_cuts(const KernelTraits *kernel) noexcept nogil:
    """Whether it may matter to the kernel, or to who waits for whom, that the range is cut into other groups than those
    that were asked for."""
    return kernel.reqd_size[0] or kernel.sees_groups or kernel.may_spin

cdef enum:
    TASK_KERNEL = 1              # run the NDRange of `launch`; else call `run`
    TASK_SPLIT = 2               # a big copy: `run_part` may be called from several threads
    TASK_FOREIGN = 4             # `run` calls the application, which may take long: never in the thread that submits
    TASK_PINNED = 8              # a copy: the host's memory that it is from or to is pinned

cdef enum:                       # which way a task moves bytes
    FLOW_NONE = 0
    FLOW_TO_DEVICE = 1
    FLOW_TO_HOST = 2
    FLOW_ON_DEVICE = 3
    FLOW_AT_HOST = 4             # within the host's memory

cdef enum:
    COST_PARTS = 64              # of an NDRange, whose costs are told apart

ctypedef struct Costs:           # of a kernel's groups; what several threads learn at once may be lost
    uint32_t ns[COST_PARTS]      # of a group in that part of the range, 0: not known; atomic
    # Whether threads hold each other up (device/host/runs.pyx):
    uint64_t usual_ns            # the mean of a group in a launch that seemed so
    int32_t still                # so many launches more are cut into runs that each thread takes at once
    int32_t wait                 # so many more before that is tried again
    int32_t patience             # what the last of these two began with: still, or -wait

ctypedef struct Took:            # what all groups of a launch take together; zero: none has run
    int64_t ns                   # of threads; atomic
    int64_t groups               # that have run; atomic
    int64_t wanted               # so many are all

ctypedef struct Launch:          # one NDRange, everything captured
    clpy_launch shape
    clpy_kernel_fn *code
    uintptr_t returns[2]         # return addresses into the kernel are above, not far: for Fault.stack
    const KernelTraits *traits   # of the kernel that `code` is
    unsigned char *args          # captured argument block
    size_t local_bytes           # per group: static and argument __local memory
    size_t context_bytes         # per group
    size_t buffer_bytes          # of the buffers among the arguments, together
    const uint64_t *sizes        # of each in bytes, at the argument's place in `args`; NULL: the device does not ask
    uint64_t *ns_per_group       # the kernel's running estimate of a group's time, 0 = unknown; shared by its launches
    Costs *costs                 # likewise, in more detail
    Took *took                   # of this launch; NULL: nobody asks

cdef enum:
    FAULT_READ = 1               # of memory that is not there, or may not be read
    FAULT_WRITE = 2              # likewise
    FAULT_JUMP = 3               # to where no code is
    FAULT_ADDRESS = 4            # which no memory can have; `address` is not known
    FAULT_TRAP = 5               # code that ends the kernel
    FAULT_ARITHMETIC = 6
    FAULT_STACK = 16

ctypedef struct Fault:           # why a kernel was left in the middle
    int kind                     # FAULT_*
    size_t x, n, y, z            # in one of the work-groups (x .. x + n - 1, y, z)
    uintptr_t code               # where in the machine code
    uintptr_t address            # that was accessed; FAULT_READ, FAULT_WRITE, FAULT_JUMP
    uintptr_t stack[FAULT_STACK]     # what may be return addresses into the kernel, the innermost first; else 0

cdef enum:                       # image formats: those of OpenCL, and of extensions that some devices list
    FORMATS_USUAL = 1
    FORMATS_CPU = 2
    FORMATS_INTEL_GPU = 4

cdef enum:                       # what submit may do with the thread that calls it
    HERE_NEVER = 0               # nothing: the caller completes another command just now
    HERE_IF_SHORT = 1            # run the task, where that is cheaper than handing it over
    HERE_WAITS = 2               # run the task: the caller would wait for it anyway
    HERE_WHOLLY = 3              # run all of it before returning, in this thread alone: the device lists it as it can

ctypedef struct Task:            # what a device is given to run; embedded in the command
    Task *next                   # link of the list it is in
    void *command                # its owner, for the callbacks
    uint32_t flags               # TASK_*
    uint32_t n_parts             # TASK_SPLIT: parts 0 .. n_parts-1
    cl_int (*run)(Task *task, uint32_t part) noexcept nogil        # CL_COMPLETE or a negative status
    void (*started)(Task *task) noexcept nogil                     # once, before the first work of it
    void (*finished)(Task *task, cl_int status) noexcept nogil     # once, the task may be gone afterwards
    Launch *launch
    int32_t *stop                # raised by its owner: it is to end, or not to begin; NULL: nobody can want it. atomic
    Fault *fault                 # of a task that failed with one, from malloc, its owner's to free; else NULL
    bint is_profiled             # more than its times may be asked for
    void *told                   # what the device keeps of it then, for DeviceOps.tell; given back to DeviceOps.forget
    void *kin                    # its owner's: of a kernel that has enqueued others, or was enqueued by one; atomic
    # A place of its queue for what the device keeps from one of its tasks to the next, for DeviceOps.drop_kept. NULL:
    # nobody says that they run one after the other, in the order of the program.
    void **kept
    # what it is; for a device with a clock of its own, `flow` and TASK_PINNED for no other
    cl_command_type type         # CL_COMMAND_*
    uint32_t flow                # FLOW_*, of `bytes`
    uint64_t bytes               # moved, or filled
    uint32_t queue               # tasks of one queue have the same number
    uint32_t context             # likewise, and never 0: a device goes between contexts that have something to do
    uint64_t enqueued_ns         # on the device's clock; 0 where it is given the task at once, and of other devices
    # Times on the device's clock. A device that has one of its own gives the last two before it calls `finished`; where
    # they are 0, what it calls and when says it.
    uint64_t ready_ns            # the latest end of what it waited for, as far as that has a time; atomic
    uint64_t used_ns             # of a child, on a device that gives times: how long it would take all of the device
    uint64_t start_ns
    uint64_t end_ns
    # the device's own while it has the task
    const TaskHooks *hooks       # of a device that hands its tasks on to a pool; NULL when the device is given the task
    void *own                    # for its hooks
    void *lane                   # its place among those of other contexts
    void *runs                   # the runs that its groups are cut into; NULL: they begin in their order
    int64_t n_units              # work-groups or parts
    int64_t next_unit            # the first that nobody has claimed; with runs: n_units when all are claimed; atomic
    int32_t users                # threads that are at work on it
    int32_t most                 # so many it is worth at once
    bint begun                   # `started` was called
    bint is_listed               # it stands in a list of the pool
    int32_t error                # first error of a thread, else 0; atomic

ctypedef struct TaskHooks:       # of a device that has host threads run its tasks
    # By each thread that begins to run groups of the launch: the clpy_launch.observer of its calls. NULL: the launch
    # fails with CL_OUT_OF_RESOURCES. NULL in place of the function: launch.shape is used as it is.
    void *(*attach)(Task *task) noexcept nogil
    # By the same thread, when it stops to.
    void (*detach)(Task *task, void *observer) noexcept nogil
    # Which groups to run where `n` are claimed from the `at`-th on that any thread runs: the first of some that follow
    # each other, and how many, no more than `n`. NULL: those of these numbers. It may take its time.
    int64_t (*order)(Task *task, int64_t at, int64_t n, int64_t *first) noexcept nogil
    # In place of Task.finished, which it calls, then or later, from any thread; NULL: nothing is in its place.
    void (*done)(Task *task, cl_int status) noexcept nogil

cdef inline void task_end(Task *task, cl_int status) noexcept nogil:
    """What a pool calls when it has done a task."""
    if task.hooks != NULL and task.hooks.done != NULL:
        task.hooks.done(task, status)
    else:
        task.finished(task, status)

cdef inline void time_at_least(uint64_t *time, uint64_t ns) noexcept nogil:
    cdef int64_t known = atomic_load_i64_relaxed(<int64_t *>time)
    while known < <int64_t>ns and not atomic_cas_i64(<int64_t *>time, &known, <int64_t>ns):
        pass

cdef inline void time_at_most(uint64_t *time, uint64_t ns) noexcept nogil:
    """0 is none."""
    cdef int64_t known = atomic_load_i64_relaxed(<int64_t *>time)
    while (known == 0 or known > <int64_t>ns) and not atomic_cas_i64(<int64_t *>time, &known, <int64_t>ns):
        pass

cdef inline bint task_has_body(const Task *task) noexcept nogil:
    """Is there anything to run?"""
    return task.run != NULL or task.flags & TASK_KERNEL

ctypedef struct DeviceOps:
    # Run a task now or later, on any thread or (see HERE_*) on this one before returning.
    void (*submit)(Device *dev, Task *task, int here) noexcept nogil
    # Let the calling thread work for the device until `flag` (clpy.futex) is raised. False: it is not yet, but what a
    # signal handler has raised wants to come up in this thread (clpy.signals).
    bint (*help_until)(Device *dev, int32_t *flag) noexcept nogil
    # See to it that what was submitted is being worked at: a device may put off waking a thread for little work.
    void (*flush)(Device *dev) noexcept nogil
    # A task that the device has not been given: one without a body whose turn has come, or (`command` is NULL) a small
    # copy that was done where it was enqueued, and took no time before this call. A device with a clock of its own
    # gives it start_ns and end_ns. NULL: such tasks take no time.
    void (*account)(Device *dev, Task *task) noexcept nogil
    # Storage of buffers, aligned to 128 bytes at least. NULL when there is none.
    void *(*alloc)(Device *dev, size_t size) noexcept nogil
    void (*free)(Device *dev, void *ptr, size_t size) noexcept nogil
    uint64_t (*timer_ns)(Device *dev) noexcept nogil
    # The device's policy, for launches. A local size where the application gave none; `uniform`: it divides the global
    # size. The kernel asks for no size itself.
    void (*choose_local_size)(Device *dev, clpy_launch *shape, const KernelTraits *kernel, bint uniform) noexcept nogil
    # Larger groups in place of the application's where the kernel cannot tell; NULL: never.
    void (*merge_groups)(Device *dev, clpy_launch *shape, const KernelTraits *kernel) noexcept nogil
    # Work-items of the largest group, for a kernel that asks for no size itself; at least 1.
    size_t (*max_group_size)(const Device *dev, const KernelTraits *kernel) noexcept nogil
    # The last word on a launch that was captured: CLPY_LAUNCH_*. NULL: nothing to say.
    void (*prepare)(Device *dev, Launch *launch) noexcept nogil
    # With the GIL, when code is loaded: what the device makes of KernelInfo.facts, for KernelTraits.facts. Both NULL
    # where its toolchain has none.
    void *(*make_facts)(Device *dev, object info) except? NULL
    void (*free_facts)(void *facts) noexcept nogil
    # The place in the source of a byte of the launch's machine code, to be freed, or NULL where it is not known. False:
    # the byte is not in the kernel's code. NULL: that code begins at Launch.code.
    bint (*find_place)(const Launch *launch, uintptr_t at, char **place) noexcept nogil
    # What a device with counters says of a launch that was profiled (Task.told): JSON text, with the GIL. Both NULL
    # where it has none.
    object (*tell)(void *told)
    void (*forget)(void *told) noexcept nogil
    # What is kept for a queue that goes. NULL: the device keeps nothing.
    void (*drop_kept)(void *kept) noexcept nogil
    # Leave what runs though its Task.stop is raised: such tasks end with CL_CONTEXT_TERMINATED_KHR. NULL: cannot. It
    # may have to be called again.
    void (*interrupt)(Device *dev) noexcept nogil
    # Leave the kernels of this context (Task.context) that run, and begin none of its tasks that were submitted: they
    # end with CL_OUT_OF_RESOURCES. It may have to be called again. NULL: cannot.
    void (*abandon)(Device *dev, uint32_t context) noexcept nogil
    # Sub-devices; NULL where the device cannot be divided.
    # The parts of dev along an affinity domain: how many, and where `sizes` is not NULL their compute units. 0: it has
    # no such domain.
    cl_uint (*along_domain)(Device *dev, cl_device_affinity_domain domain, cl_uint *sizes) noexcept nogil
    # Give a new sub-device its own `impl` and `pool`, and take them away. All else is set. False: out of resources.
    bint (*open_part)(Device *part) noexcept nogil
    void (*close_part)(Device *part) noexcept nogil

ctypedef struct ImageLimits:     # in pixels where nothing else is said; all 0 on a device without images
    size_t width_2d, height_2d   # a 1D image has the width of a 2D one
    size_t width_3d, height_3d, depth_3d
    size_t array_size            # layers
    size_t buffer_width          # of a 1D image made from a buffer
    cl_uint pitch_align          # of the rows of an image made from a buffer
    cl_uint base_align           # of the host pointer behind such a buffer
    cl_uint read_args, write_args, read_write_args, samplers     # of one kernel

ctypedef struct QueueLimits:     # of queues on the device; all 0 on a device whose kernels cannot enqueue
    cl_device_device_enqueue_capabilities capabilities
    cl_command_queue_properties properties
    cl_uint preferred_size, max_size     # bytes
    cl_uint most                         # in one context
    cl_uint events

ctypedef struct PipeLimits:      # all 0 on a device without pipes
    cl_uint args                 # of one kernel
    cl_uint reservations
    cl_uint packet_size          # bytes

ctypedef struct SubGroupLimits:  # all 0 on a device without sub-groups
    cl_uint most                 # of a work-group
    size_t size                  # work-items; the last one of a work-group may be smaller
    bint independent             # CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS

cdef enum:                       # types of shared virtual memory, by the index that applications name them with
    SVM_TYPE_COARSE = 0          # of clSVMAlloc, unless fine grain is asked for
    SVM_TYPE_FINE = 1
    SVM_TYPE_DEVICE = 2          # for one device, and not for the host
    SVM_TYPE_HOST = 3
    SVM_TYPE_SHARED = 4          # for one device and the host
    SVM_TYPE_SYSTEM = 5
    SVM_TYPE_COUNT = 6

ctypedef struct Device:
    clpy_object obj
    const DeviceOps *ops
    Device *parent               # of a sub-device, held; else NULL
    cl_uint first_unit           # of a sub-device: it has a run of its root device's compute units
    size_t n_partition           # entries of `partition` incl. the closing 0
    cl_device_partition_property *partition      # owned: how its parent was divided
    void *impl                   # the device's own state
    void *pool                   # the threads that work for it (clpy.device.host.pool); NULL where there are none
    void *info                   # PyObject*, kept for ever, touched under the GIL: answer(param) -> bytes or None
    void *toolchain              # PyObject*: clpy.device.toolchain.Toolchain; likewise. Both are the root device's
    uint64_t specialize_ns       # a kernel that took so long with one local size is compiled for it; 0: none is
    # what hot paths check
    cl_uint compute_units
    size_t max_work_group_size
    size_t max_work_item_sizes[3]
    cl_ulong local_mem_size      # bytes
    cl_ulong max_alloc_size      # bytes
    cl_ulong global_mem_size     # bytes
    cl_uint mem_base_align_bytes
    cl_device_type type          # CL_DEVICE_TYPE_CPU, ..._GPU, ...: exactly one
    bint has_images              # CL_DEVICE_IMAGE_SUPPORT
    uint32_t image_formats       # FORMATS_*: those that images of it may have
    bint has_mipmaps             # cl_khr_mipmap_image
    ImageLimits images
    cl_device_svm_capabilities svm_capabilities
    cl_svm_capabilities_khr svm_types[SVM_TYPE_COUNT]    # 0: not that type; all of them: no cl_khr_unified_svm
    cl_device_exec_capabilities exec_capabilities
    QueueLimits queues
    PipeLimits pipes
    SubGroupLimits sub_groups
    bint has_narrow_ids          # size_t has 32 bits, and so have global ids
    bint wants_sizes             # of the buffers of a launch: Launch.sizes
    bint has_dma_bufs            # cl_khr_external_memory_dma_buf
    bint has_buffer_addresses    # cl_ext_buffer_device_address: kernels see a buffer at its Mem.data
    bint has_visible_memory      # of its own, that the host reaches: what the flag of MEM_VISIBLE asks for
    bint runs_concurrently       # launches whose groups may wait for each other: as many groups as it has units

cdef inline Device *device_root(const Device *dev) noexcept nogil:
    """Of a sub-device; a root device itself."""
    while dev.parent != NULL:
        dev = dev.parent
    return <Device *>dev

# The root devices of the platform, in order, the default first.
cdef Device **device_list(cl_uint *count) noexcept nogil

# Making them. The core loads them once, with the GIL, and says how to make the object behind a handle; the module of a
# device takes a new one, fills it in and adds it.
ctypedef Device *(*make_device_fn)() noexcept nogil
cdef int load_devices(make_device_fn make) except -1
cdef Device *device_new() except NULL
cdef void device_add(Device *dev) noexcept
# What every device with queues of its own, or with pipes, reports at least.
cdef void set_queue_limits(Device *dev) noexcept nogil
# What each kind of shared memory can do; `of_system`: also what the system allocates.
cdef void set_svm_types(cl_svm_capabilities_khr *types, bint of_system) noexcept nogil
cdef void set_pipe_limits(Device *dev) noexcept nogil
