# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uintptr_t
from clpy.abi cimport clpy_group_mem, clpy_kernel_fn, clpy_launch

cdef enum:
    RANGE = 0
    ROW = 2

# frame.GROUP_FRAME of the compiler, one behind the other. What a function reads does not change while it runs.
cdef struct Frame:
    size_t size[3]
    size_t base[3]
    size_t group[3]
    size_t items
    const clpy_launch *launch
    unsigned char *local
    unsigned char *context

ctypedef void group_fn(const Frame *frame, const unsigned char *args, const clpy_launch *launch) noexcept nogil


cdef inline void place(Frame *frame, const clpy_launch *shape, int d, size_t group) noexcept nogil:
    """The group's place in a dimension. The last one may be smaller."""
    cdef size_t before = group * shape.local_size[d], left = shape.global_size[d] - before
    frame.size[d] = left if left < shape.local_size[d] else shape.local_size[d]
    frame.base[d] = shape.global_offset[d] + before
    frame.group[d] = group


cdef void call_kernel(clpy_kernel_fn *code, const clpy_launch *shape, const unsigned char *args,
                      const clpy_group_mem *mem, size_t first, size_t end, size_t y, size_t z) noexcept nogil:
    cdef uintptr_t unit = <uintptr_t>code & UNITS
    cdef group_fn *run
    cdef Frame frame
    cdef size_t x, _row, rows = 1
    if unit == RANGE:
        code(shape, args, mem, first, end, y, z)
        return
    run = <group_fn *>start_of(code)
    place(&frame, shape, 1, y)
    place(&frame, shape, 2, z)
    frame.items = shape.local_size[0] * shape.local_size[1] * shape.local_size[2]
    frame.launch, frame.local, frame.context = shape, mem.local, mem.context
    if unit == ROW:
        rows = frame.size[1] * frame.size[2]
    for x in range(first, end):
        place(&frame, shape, 0, x)
        for _row in range(rows):
            run(&frame, args, shape)


CALL_KERNEL = <uintptr_t><void *>call_kernel     # for tests that have no queue
