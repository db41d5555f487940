# SPDX-License-Identifier: Apache-2.0
"""How kernels' work-groups divide into sub-groups."""
from clpy.core.program cimport KernelCode
from clpy.device.base cimport Device


# Work-items of a full sub-group: of this kernel, where it asks for sub-groups, else the device's.
cdef size_t sub_group_items(const KernelCode *kernel, const Device *dev) noexcept nogil

# Sub-groups of the largest work-group.
cdef size_t most_sub_groups(const KernelCode *kernel, const Device *dev) noexcept nogil

# Work-items along the first dimension of a work-group of so many sub-groups, 0 where there is none.
cdef size_t items_of_sub_groups(const KernelCode *kernel, const Device *dev, size_t count) noexcept nogil

# Whether a work-group of so many work-items has the number of sub-groups that the kernel asks for, if it does.
cdef bint has_its_sub_groups(const KernelCode *kernel, const Device *dev, size_t items) noexcept nogil
