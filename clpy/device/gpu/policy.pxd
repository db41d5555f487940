# SPDX-License-Identifier: Apache-2.0
"""The models' verbs for launches: sizes of groups, memory of a group, what a kernel's facts are (execution.Facts)."""
from clpy.abi cimport clpy_launch
from clpy.device.base cimport Device, KernelTraits, Launch

cdef void policy_choose_local_size(Device *dev, clpy_launch *shape, const KernelTraits *kernel,
                                   bint uniform) noexcept nogil
cdef size_t policy_max_group_size(const Device *dev, const KernelTraits *kernel) noexcept nogil
cdef void policy_prepare(Device *dev, Launch *launch) noexcept nogil
cdef void *make_facts(Device *dev, object info) except? NULL
cdef void free_facts(void *facts) noexcept nogil
