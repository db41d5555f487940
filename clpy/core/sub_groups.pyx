# SPDX-License-Identifier: Apache-2.0
"""How kernels' work-groups divide into sub-groups."""
from clpy.core.kernel cimport kernel_max_group_size


cdef size_t sub_group_items(const KernelCode *kernel, const Device *dev) noexcept nogil:
    return kernel.traits.sub_group_size if kernel.traits.sub_group_size else dev.sub_groups.size


cdef size_t most_sub_groups(const KernelCode *kernel, const Device *dev) noexcept nogil:
    cdef size_t most = (kernel_max_group_size(kernel, dev) - 1) // sub_group_items(kernel, dev) + 1
    return most if most < dev.sub_groups.most else dev.sub_groups.most


cdef size_t items_of_sub_groups(const KernelCode *kernel, const Device *dev, size_t count) noexcept nogil:
    cdef const size_t *asked = kernel.traits.reqd_size
    cdef size_t items
    if count > dev.sub_groups.most:
        return 0
    items = count * sub_group_items(kernel, dev)
    if items > kernel_max_group_size(kernel, dev) or items > dev.max_work_item_sizes[0]:
        return 0
    if asked[0] and (asked[0] != items or asked[1] != 1 or asked[2] != 1):
        return 0
    return items


cdef bint has_its_sub_groups(const KernelCode *kernel, const Device *dev, size_t items) noexcept nogil:
    return kernel.num_sub_groups == 0 or kernel.num_sub_groups == (items - 1) // sub_group_items(kernel, dev) + 1
