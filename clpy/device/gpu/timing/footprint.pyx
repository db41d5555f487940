# SPDX-License-Identifier: Apache-2.0
"""How many more lines all compute units touch than a few of them.

Groups share lines: what one compute unit has brought into the L2 another one need not fetch. With each compute unit
the lines become more by as many as are its own alone. Those are counted, with the groups going to the units in turn.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT
from clpy.device.gpu.timing.model cimport WaveTrace
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.simulated cimport Simulated

cdef extern from *:
    int count_of_bits "__builtin_popcountll"(uint64_t bits) nogil

ctypedef struct Touched:
    uint32_t line                # + 1; 0: free
    uint64_t units               # a bit for each


cdef int64_t count_words(const Simulated *it) noexcept nogil:
    cdef int64_t group, wave, n = 0
    for group in range(it.model.fed):
        for wave in range(it.model.groups[group].n_waves):
            n += it.model.groups[group].waves[wave].end - it.model.groups[group].waves[wave].at
    return n


cdef void touch(Touched *table, uint64_t room, uint32_t line, uint64_t unit) noexcept nogil:
    cdef uint64_t at = (line * <uint64_t> 0x9e3779b97f4a7c15) >> 32
    while table[at & (room - 1)].line and table[at & (room - 1)].line != line + 1:
        at += 1
    table[at & (room - 1)].line = line + 1
    table[at & (room - 1)].units |= unit


cdef void touch_all(Touched *table, uint64_t room, const Steps *steps, const WaveTrace *wave,
                    uint64_t unit) noexcept nogil:
    cdef const uint32_t *at = wave.at
    cdef uint32_t block, step, n, i
    while at < wave.end:
        block = at[0]
        at += 1
        for step in range(steps.memory[block], steps.memory[block + 1]):
            n = at[0] & 0xffff
            for i in range(n):
                if not at[1 + i] & <uint32_t> SCRATCH_BIT:
                    touch(table, room, at[1 + i], unit)
            at += 1 + n + steps.extra[step]


cdef double footprint(const Simulated *it, double share) noexcept nogil:
    cdef int64_t n_units = it.model.n_units, group, wave
    cdef uint64_t room = 64, i
    cdef Touched *table
    cdef double all_lines = 0, of_units = 0, one, more
    if n_units < 2 or share <= 1:
        return share
    while room < 2 * <uint64_t> count_words(it):
        room *= 2
    table = <Touched *> calloc(room, sizeof(Touched))
    if table == NULL:
        return 0
    for group in range(it.model.fed):
        for wave in range(it.model.groups[group].n_waves):
            touch_all(table, room, &it.steps, it.model.groups[group].waves + wave, <uint64_t> 1 << group % n_units % 64)
    for i in range(room):
        if table[i].line:
            all_lines += 1
            of_units += count_of_bits(table[i].units)
    free(table)
    if all_lines == 0:
        return share
    one = of_units / n_units
    more = (all_lines - one) / (n_units - 1)
    return max((one + more * (share * n_units - 1)) / all_lines, 1.0)
