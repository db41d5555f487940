# SPDX-License-Identifier: Apache-2.0
"""How many more lines all compute units touch than a few of them.

Groups share lines: what one compute unit has brought into the L2 another one need not fetch. With each compute unit
the lines become more by as many as are its own alone. Those are counted, with the groups going to the units in turn.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from clpy.device.gpu.timing.lines cimport SCRATCH_BIT
from clpy.device.gpu.timing.link cimport is_of_host
from clpy.device.gpu.timing.model cimport Model, WaveTrace, prefetch
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.waves cimport lines_of, nth_line, told_of

cdef extern from *:
    int count_of_bits "__builtin_popcount"(uint32_t bits) nogil

cdef enum:
    FIRST_ROOM = 1 << 10         # lines
    AHEAD = 8

ctypedef struct Touched:
    uint32_t line                # + 1; 0: free
    uint32_t units               # a bit for each

ctypedef struct Table:
    Touched *rows
    uint64_t room, used          # a power of two, of which half is used at most


cdef inline uint64_t place_of(uint32_t line) noexcept nogil:
    return (line * <uint64_t> 0x9e3779b97f4a7c15) >> 32


cdef inline Touched *row_of(const Table *table, uint32_t line) noexcept nogil:
    """The line's row, or the free one where it belongs."""
    cdef uint64_t at = place_of(line)
    while table.rows[at & (table.room - 1)].line and table.rows[at & (table.room - 1)].line != line + 1:
        at += 1
    return table.rows + (at & (table.room - 1))


cdef bint grow(Table *table) noexcept nogil:
    """Four times the room: a trace has many times as many words as there are lines in it."""
    cdef Table wider
    cdef uint64_t i
    wider.room, wider.used = 4 * table.room, table.used
    wider.rows = <Touched *> calloc(wider.room, sizeof(Touched))
    if wider.rows == NULL:
        return False
    for i in range(table.room):
        if table.rows[i].line:
            row_of(&wider, table.rows[i].line - 1)[0] = table.rows[i]
    free(table.rows)
    table[0] = wider
    return True


cdef inline bint touch(Table *table, uint32_t line, uint32_t unit) noexcept nogil:
    cdef Touched *row = row_of(table, line)
    if row.line == 0:
        if 2 * table.used >= table.room:
            if not grow(table):
                return False
            row = row_of(table, line)
        row.line = line + 1
        table.used += 1
    row.units |= unit
    return True


cdef bint touch_all(Table *table, const Model *model, const Steps *steps, const WaveTrace *wave,
                    uint32_t unit) noexcept nogil:
    """Of the device's memory. False: there is no memory."""
    cdef const uint32_t *at = wave.at
    cdef uint32_t block, step, n, i, line
    while at < wave.end:
        block = at[0]
        at += 1
        for step in range(steps.memory[block], steps.memory[block + 1]):
            n = lines_of(at[0])
            for i in range(n):
                if i + AHEAD < n:
                    prefetch(table.rows + (place_of(nth_line(at, i + AHEAD)) & (table.room - 1)))
                line = nth_line(at, i)
                if line & <uint32_t> SCRATCH_BIT or is_of_host(model, line):
                    continue
                if not touch(table, line, unit):
                    return False
            at += 1 + told_of(at[0]) + steps.extra[step]
    return True


cdef bint touch_by_all(Table *table, const Simulated *it) noexcept nogil:
    cdef int64_t n_units = it.model.n_units, group, wave
    for group in range(it.model.fed):
        for wave in range(it.model.groups[group].n_waves):
            if not touch_all(table, &it.model, &it.steps, it.model.groups[group].waves + wave,
                             <uint32_t> 1 << group % n_units % 32):
                return False
    return True


cdef double footprint(const Simulated *it, double share) noexcept nogil:
    cdef int64_t n_units = it.model.n_units
    cdef uint64_t i
    cdef Table table
    cdef double all_lines = 0, of_units = 0, one, more
    if n_units < 2 or share <= 1:
        return share
    table.room, table.used = FIRST_ROOM, 0
    table.rows = <Touched *> calloc(table.room, sizeof(Touched))
    if table.rows == NULL or not touch_by_all(&table, it):
        free(table.rows)
        return 0
    all_lines = table.used
    for i in range(table.room):
        of_units += count_of_bits(table.rows[i].units)
    free(table.rows)
    if all_lines == 0:
        return share
    one = of_units / n_units
    more = (all_lines - one) / (n_units - 1)
    return max((one + more * (share * n_units - 1)) / all_lines, 1.0)
