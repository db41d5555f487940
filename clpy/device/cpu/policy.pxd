# SPDX-License-Identifier: Apache-2.0
"""What is good for a launch on the CPU device: the verbs of DeviceOps that say so."""
from clpy.abi cimport clpy_launch
from clpy.device.base cimport Device, KernelTraits, Launch

cdef enum:
    MAX_GROUP = 4096             # work-items: their private state is 4096 x what a kernel keeps across its barriers
    LOCAL_BYTES = 256 * 1024     # stays in a core's second-level cache

cdef void policy_choose_local_size(Device *dev, clpy_launch *shape, const KernelTraits *kernel,
                                   bint uniform) noexcept nogil
cdef void policy_merge_groups(Device *dev, clpy_launch *shape, const KernelTraits *kernel) noexcept nogil
cdef size_t policy_max_group_size(const Device *dev, const KernelTraits *kernel) noexcept nogil
cdef void policy_prepare(Device *dev, Launch *launch) noexcept nogil
