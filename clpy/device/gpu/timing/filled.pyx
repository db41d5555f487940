# SPDX-License-Identifier: Apache-2.0
"""What the L2 of a launch is full of when the sample of it begins.

Nearly all groups of a launch of very many find the L2 full: each line that comes takes the place of another one, which
has to be written to memory first where it was changed. Until as many lines have come as there are places a sample would
not show that. So it begins with lines that nobody asks for, of which as many were changed as the first group's are.
"""
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset
from clpy.device.gpu.timing.l2 cimport l2_line
from clpy.device.gpu.timing.lines cimport PLACE_BITS
from clpy.device.gpu.timing.model cimport Cache, GroupTrace, Model, Step
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.waves cimport (
    KIND_IMAGE_STORE, KIND_LOAD, KIND_STORE, UNIT_LDS, UNIT_SMEM, UNIT_VMEM, lines_of, nth_line, told_of)

cdef enum:
    TABLE_BITS = 11
    TABLE = 1 << TABLE_BITS
    ROOM = TABLE // 2            # lines of a group that are counted
    PLACE = 30                   # of a model's memory where no lines are but those
    TIMES = 4                    # as much as the L2 holds goes through it

ctypedef struct Touched:         # by a group
    uint32_t lines[TABLE]        # + 1; 0: none
    bint stored[TABLE]
    int64_t n, n_stored


cdef void touch(Touched *touched, uint32_t line, bint stores) noexcept nogil:
    cdef uint32_t at = line * <uint32_t> 0x9e3779b9 >> (32 - TABLE_BITS)
    while touched.lines[at] and touched.lines[at] != line + 1:
        at = (at + 1) % TABLE
    if touched.lines[at] == 0:
        if touched.n == ROOM:
            return
        touched.lines[at] = line + 1
        touched.n += 1
    if stores and not touched.stored[at]:
        touched.stored[at] = True
        touched.n_stored += 1


cdef inline bint leaves_lines(const Step *step, bint is_vliw) noexcept nogil:
    """In the L2."""
    return step.unit == UNIT_VMEM and not (is_vliw and step.kind == KIND_LOAD)


cdef void look_at(const Steps *steps, const GroupTrace *group, bint is_vliw, Touched *touched) noexcept nogil:
    cdef const uint32_t *at
    cdef uint32_t block, memory, i
    cdef int64_t step, wave
    for wave in range(group.n_waves):
        at = group.waves[wave].at
        while at < group.waves[wave].end:
            block, memory = at[0], steps.memory[at[0]]
            at += 1
            for step in range(steps.first[block], steps.first[block + 1]):
                if not UNIT_SMEM <= steps.steps[step].unit <= UNIT_LDS:
                    continue
                for i in range(lines_of(at[0]) if leaves_lines(steps.steps + step, is_vliw) else 0):
                    touch(touched, nth_line(at, i), steps.steps[step].kind == KIND_STORE
                          or steps.steps[step].kind == KIND_IMAGE_STORE)
                at += 1 + told_of(at[0]) + steps.extra[memory]
                memory += 1


cdef void fill_l2(Simulated *it) noexcept nogil:
    cdef Model *m = &it.model
    cdef Cache *l2 = m.l2
    cdef Touched touched
    cdef int64_t in_way = l2.sets.by * <int64_t> m.l2_channels.by, way, _, place
    cdef uint32_t number
    memset(&touched, 0, sizeof(touched))
    look_at(&it.steps, m.groups, m.vliw.is_so, &touched)
    if touched.n * it.groups[0] * it.groups[1] * it.groups[2] < TIMES * in_way * l2.ways:
        return
    number = (<uint32_t> PLACE << PLACE_BITS) // <uint32_t> in_way * <uint32_t> in_way
    for way in range(l2.ways):
        for _ in range(in_way):
            place = l2_line(m, number).set_ * <int64_t> l2.ways + way
            l2.tags[place] = number + 1
            l2.dirty[place] = (way + 1) * touched.n_stored // touched.n > way * touched.n_stored // touched.n
            it.changed_before += l2.dirty[place]
            number += 1
