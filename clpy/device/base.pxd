# SPDX-License-Identifier: Apache-2.0
"""What a device is to the layers above: data it reports, and the verbs below. Nothing in api/ or core/ asks which device it has.

All verbs are nogil. A device runs tasks in any order it likes: dependencies are settled before `submit`. This layer knows
nothing of events and queues: it tells of progress through the two callbacks of a task.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object, clpy_launch, clpy_kernel_fn
from clpy.cl cimport cl_int, cl_ulong, cl_uint

cdef enum:
    TASK_KERNEL = 1              # run the NDRange of `launch`; else call `run`
    TASK_SPLIT = 2               # a big copy: `run_part` may be called from several threads

ctypedef struct Launch:          # one NDRange, everything captured
    clpy_launch shape
    clpy_kernel_fn *code
    unsigned char *args          # captured argument block
    size_t local_bytes           # per group: static and argument __local memory
    size_t context_bytes         # per group
    uint64_t *ns_per_group       # the kernel's running estimate of a group's time, 0 = unknown; shared by its launches

ctypedef struct Task:            # what a device is given to run; embedded in the command
    Task *next                   # link of the list it is in
    void *command                # its owner, for the callbacks
    uint32_t flags               # TASK_*
    uint32_t n_parts             # TASK_SPLIT: parts 0 .. n_parts-1
    cl_int (*run)(Task *task, uint32_t part) noexcept nogil        # CL_COMPLETE or a negative status
    void (*started)(Task *task) noexcept nogil                     # once, before the first work of it
    void (*finished)(Task *task, cl_int status) noexcept nogil     # once, the task may be gone afterwards
    Launch *launch

ctypedef struct DeviceOps:
    # Run a task now or later, on any thread. `may_wait`: nothing forbids to run it on this thread before returning.
    void (*submit)(Device *dev, Task *task, bint may_run_here) noexcept nogil
    # Let the calling thread work for the device until *flag != 0 (it may sleep in a futex on flag).
    void (*help_until)(Device *dev, int32_t *flag) noexcept nogil
    # Storage of buffers, aligned to 128 bytes at least. NULL when there is none.
    void *(*alloc)(Device *dev, size_t size) noexcept nogil
    void (*free)(Device *dev, void *ptr, size_t size) noexcept nogil
    uint64_t (*timer_ns)(Device *dev) noexcept nogil

ctypedef struct Device:
    clpy_object obj
    const DeviceOps *ops
    Device *parent               # of a sub-device, held; else NULL
    void *impl                   # the device's own state
    void *info                   # PyObject*: answers to the cold queries, kept for ever; touched under the GIL
    void *target                 # PyObject*: clpy.compiler.target.Target; likewise
    # what hot paths check
    cl_uint compute_units
    size_t max_work_group_size
    size_t max_work_item_sizes[3]
    cl_ulong local_mem_size      # bytes
    cl_ulong max_alloc_size      # bytes
    cl_ulong global_mem_size     # bytes
    cl_uint mem_base_align_bytes

# The root devices of the platform, in order, the default first; made by the first call.
cdef Device **device_list(cl_uint *count) noexcept nogil
