# SPDX-License-Identifier: Apache-2.0
"""What a device is to the layers above: data it reports, and the verbs below. Nothing in api/ or core/ asks which device it has.

All verbs are nogil. A device runs commands in any order it likes: dependencies are settled before `submit`.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object, clpy_launch, clpy_kernel_fn
from clpy.cl cimport cl_int, cl_ulong, cl_uint

cdef struct Command   # clpy.core.command

ctypedef struct DeviceOps:
    # Run a command whose dependencies are done, now or later, on any thread; command_finish(cmd, status) ends it.
    void (*submit)(Device *dev, Command *cmd) noexcept nogil
    # Let the calling thread work for the device until *flag != 0 (it may sleep in a futex on flag).
    void (*help_until)(Device *dev, int32_t *flag) noexcept nogil
    # Storage of buffers. NULL when there is none.
    void *(*alloc)(Device *dev, size_t size) noexcept nogil
    void (*free)(Device *dev, void *ptr, size_t size) noexcept nogil
    uint64_t (*timer_ns)(Device *dev) noexcept nogil

ctypedef struct Device:
    clpy_object obj
    const DeviceOps *ops
    Device *parent               # of a sub-device, else NULL
    void *impl                   # the device's own state
    void *info                   # PyObject*: clpy.device.info.DeviceInfo, the answers to clGetDeviceInfo; kept for ever
    # limits that hot paths check
    cl_uint compute_units
    size_t max_work_group_size
    size_t max_work_item_sizes[3]
    cl_ulong local_mem_size      # bytes
    cl_ulong max_alloc_size      # bytes
    cl_ulong global_mem_size     # bytes
    cl_uint mem_base_align_bytes

# The devices of the platform, in order; made by the first device_list() call. Returns their number.
cdef Device **device_list(cl_uint *count) noexcept nogil
