# SPDX-License-Identifier: Apache-2.0
"""What is good for a launch on the CPU device: the size of its groups, and stores past the caches."""
from libc.stdint cimport uint32_t
from clpy.abi cimport CLPY_LAUNCH_STREAMS, clpy_launch
from clpy.cl cimport cl_uint
from clpy.device.base cimport Device, KernelTraits, Launch, sees_cuts

cdef enum:
    GROUP_ITEMS = 1024           # work-items of a group where nothing speaks against it
    GROUP_CONTEXT_BYTES = 48 << 10   # of values that live across barriers: what stays in a core's first-level cache
    ROW_ITEMS = 64               # of a row of a group in two or three dimensions, where rows share what they read
    WORTH_A_TAIL = 4             # so many times larger may a group be that is no multiple of the vectors
    GROUPS_PER_THREAD = 4        # so that the last group does not leave a core idle
    # A group's context memory lies in a block of the worker thread: a kernel that needs more gets smaller groups.
    MOST_CONTEXT_BYTES = 64 << 20
    STREAM_BYTES = 64 << 20      # of buffers: more than the caches of one socket usually hold


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


cdef double items_of(const clpy_launch *shape) noexcept nogil:
    return <double>shape.global_size[0] * <double>shape.global_size[1] * <double>shape.global_size[2]


cdef size_t multiple_wanted(const clpy_launch *shape, const KernelTraits *kernel, const Device *dev) noexcept nogil:
    """Narrower vectors rather than threads that have none."""
    if items_of(shape) < <double>kernel.preferred_multiple * dev.compute_units:
        return kernel.narrow_multiple
    return kernel.preferred_multiple


cdef size_t most_items(const KernelTraits *kernel, const Device *dev) noexcept nogil:
    """Groups are run along dimension 0: where rows lie along dimension 1 the group behind a part of a row would not go
    on with it, so that memory is read in jumps."""
    if kernel.lane_dimension == 1 and kernel.long_rows and not kernel.sees_groups:
        return dev.max_work_group_size
    return GROUP_ITEMS


cdef size_t items_wanted(const clpy_launch *shape, const KernelTraits *kernel, const Device *dev,
                         size_t multiple) noexcept nogil:
    """Work-items of a group: few enough that every thread has groups and that what crosses barriers stays in cache."""
    cdef size_t want = most_items(kernel, dev), least, share, vectors
    cdef double total = items_of(shape)
    if kernel.context_bytes and kernel.context_bytes * want > GROUP_CONTEXT_BYTES:
        want = GROUP_CONTEXT_BYTES // kernel.context_bytes
    least = 4 * multiple
    if total < <double>least * dev.compute_units:        # more threads than such groups: one for each thread
        vectors = (<size_t>total - 1) // (multiple * dev.compute_units) + 1
        least = vectors * multiple
    if total < <double>want * GROUPS_PER_THREAD * dev.compute_units:
        share = <size_t>total // (GROUPS_PER_THREAD * dev.compute_units)
        want = share if share < want else want
    if want < least:
        want = least
    if want > dev.max_work_group_size:
        want = dev.max_work_group_size
    return want


cdef void policy_choose_local_size(Device *dev, clpy_launch *shape, const KernelTraits *kernel,
                                   bint uniform) noexcept nogil:
    cdef size_t most, multiple = multiple_wanted(shape, kernel, dev)
    cdef size_t room = items_wanted(shape, kernel, dev, multiple)
    cdef cl_uint n, i, lanes = kernel.lane_dimension     # the first to get its share
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


cdef void policy_merge_groups(Device *dev, clpy_launch *shape, const KernelTraits *kernel) noexcept nogil:
    """Groups that do not fill a vector (hashcat's are of one work-item on every CPU) waste most of it. They are merged
    where every thread still has groups to take: who cuts the range into groups of one may mean just that. A lock that
    work-items take in turns works as long as they are in groups of their own."""
    cdef clpy_launch merged = shape[0]
    cdef double groups = 1
    cdef size_t items = shape.local_size[0] * shape.local_size[1] * shape.local_size[2]
    cdef size_t total = shape.global_size[0] * shape.global_size[1] * shape.global_size[2]
    cdef size_t several = GROUPS_PER_THREAD * dev.compute_units
    cdef cl_uint i
    if (sees_cuts(kernel) or items >= kernel.preferred_multiple or total < several * kernel.preferred_multiple):
        return
    policy_choose_local_size(dev, &merged, kernel, False)
    for i in range(3):
        groups *= <double>((shape.global_size[i] - 1) // merged.local_size[i] + 1)
    if groups >= several:
        for i in range(3):
            shape.local_size[i] = merged.local_size[i]


cdef size_t policy_max_group_size(const Device *dev, const KernelTraits *kernel) noexcept nogil:
    cdef size_t size = dev.max_work_group_size, room
    if kernel.context_bytes:
        room = MOST_CONTEXT_BYTES // kernel.context_bytes
        if room < size:
            size = room - room % kernel.preferred_multiple if room >= kernel.preferred_multiple else room
    # each of its work-items is a sub-group: no more than the device says it can have
    if kernel.sub_group_size == 1 and size > dev.sub_groups.most:
        size = dev.sub_groups.most
    return size if size else 1


cdef void policy_prepare(Device *dev, Launch *launch) noexcept nogil:
    if launch.buffer_bytes >= STREAM_BYTES:
        launch.shape.flags |= CLPY_LAUNCH_STREAMS
