# SPDX-License-Identifier: Apache-2.0
"""Launches in groups of another size than there is code for. Programs try several sizes before they begin, and the code
of a hash takes seconds to make: one does, where the kernel cannot tell how its range is cut into groups.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp
from clpy.abi cimport CLPY_LAUNCH_CONCURRENT, clpy_launch
from clpy.atomics cimport atomic_load_ptr
from clpy.core.program cimport Code, KernelCode
from clpy.core.specialize cimport Shape, Special, size_along
from clpy.device.base cimport sees_cuts

cdef enum:
    ENOUGH_GROUPS = 16           # for each thread


cdef Special *for_other_groups(const KernelCode *kernel, const Code *code, const Shape *shape,
                               const clpy_launch *range_, bint *is_coming) noexcept nogil:
    cdef size_t enough
    cdef Special *special = <Special *>atomic_load_ptr(<void **>&kernel.specials)
    if special == NULL or sees_cuts(&kernel.traits) or range_.flags & CLPY_LAUNCH_CONCURRENT:
        return NULL
    enough = ENOUGH_GROUPS * code.device.compute_units
    while special != NULL:
        if (memcmp(special.shape.formats, shape.formats, sizeof(shape.formats)) == 0
                and may_be_cut(kernel, range_, special.shape.size, enough)):
            if atomic_load_ptr(<void **>&special.kernel) != kernel:
                return special
            is_coming[0] = is_coming[0] or special.code == NULL
        special = special.next
    return NULL


cdef bint may_be_cut(const KernelCode *kernel, const clpy_launch *range_, uint64_t size, size_t enough) noexcept nogil:
    """Into groups of that size: all of them whole, large enough for what the kernel likes best, and no fewer than there
    are or than is `enough`."""
    cdef size_t n, groups = 1, several = <size_t>range_.num_groups[0] * range_.num_groups[1] * range_.num_groups[2]
    cdef uint32_t i
    for i in range(3):
        n = size_along(size, i)
        if range_.global_size[i] % n or (i == kernel.traits.lane_dimension and n < kernel.traits.preferred_multiple):
            return False
        groups *= range_.global_size[i] // n
    return groups >= several or groups >= enough


cdef void cut(clpy_launch *range_, uint64_t size) noexcept nogil:
    cdef uint32_t i
    for i in range(3):
        range_.local_size[i] = size_along(size, i)
        range_.num_groups[i] = range_.global_size[i] // range_.local_size[i]
