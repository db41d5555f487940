# SPDX-License-Identifier: Apache-2.0
"""The L2 of a chip: see l2.pyx. Its reads are here, to be in line where they are made by the million."""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.among cimport read_among
from clpy.device.gpu.timing.dram cimport dram_read, dram_read_alone, dram_write
from clpy.device.gpu.timing.link cimport is_of_host, link_read
from clpy.device.gpu.timing.model cimport (
    Model, Outcome, cache_take, cache_take_of, port_take, quotient, remainder)

cdef enum:
    USUAL_WAYS = 16

ctypedef struct Line:
    uint32_t number
    uint32_t set_                # of the L2, counted over all channels
    uint32_t channel, block      # the block that it lies in, by its number in the channel
    uint32_t left                # lines behind it that are in the block and in sets that follow each other


cdef inline Line l2_line(const Model *model, uint32_t number) noexcept nogil:
    cdef Line line
    cdef uint32_t of_all = quotient(number, model.interleave_lines), of_channel, set_
    line.number = number
    line.block = quotient(of_all, model.l2_channels)
    line.channel = of_all - line.block * model.l2_channels.by
    of_channel = number - (of_all - line.block) * model.interleave_lines.by
    set_ = remainder(of_channel, model.l2.sets)
    line.set_ = line.channel * model.l2.sets.by + set_
    line.left = min((line.block + 1) * model.interleave_lines.by - of_channel, model.l2.sets.by - set_) - 1
    return line


cdef inline int64_t write_back(Model *model, int64_t place, int64_t at) noexcept nogil:
    """What was changed in a place that another line has taken goes to memory: when it does."""
    cdef uint32_t of_all = quotient(model.l2.replaced - 1, model.interleave_lines)
    cdef uint32_t block = quotient(of_all, model.l2_channels)
    model.l2.dirty[place] = 0
    return dram_write(model, of_all - block * model.l2_channels.by, block, at)


cdef inline int64_t take(Model *model, uint32_t set_, uint32_t number, bint *is_there) noexcept nogil:
    """As cache_take."""
    if model.l2.ways == USUAL_WAYS:
        return cache_take_of(model.l2, USUAL_WAYS, set_, number, is_there)
    return cache_take(model.l2, set_, number, is_there)


cdef inline int64_t read_followed(Model *model, const Line *line, int64_t start, Outcome *outcome) noexcept nogil:
    cdef bint is_there
    cdef int64_t place = take(model, line.set_, line.number, &is_there)
    if is_there:
        model.stats.l2_hits += 1
        outcome.wait = max(model.l2.ready[place] - start, 0)
        return start + outcome.wait
    model.stats.l2_misses += 1
    outcome.misses, outcome.writes = True, model.l2.dirty[place]
    if outcome.writes:
        write_back(model, place, start)
        outcome.write_opens = model.opened
    model.l2.ready[place] = dram_read(model, line.channel, line.block, start)
    outcome.opens = model.opened
    return model.l2.ready[place]


cdef inline int64_t read_alone(Model *model, const Line *line, int64_t start) noexcept nogil:
    """The same where all units are followed: nobody wants to know more than the time."""
    cdef bint is_there
    cdef int64_t place = take(model, line.set_, line.number, &is_there)
    if is_there:
        model.stats.l2_hits += 1
        return max(start, model.l2.ready[place])
    model.stats.l2_misses += 1
    if model.l2.dirty[place]:
        write_back(model, place, start)
    model.l2.ready[place] = dram_read_alone(model, line.channel, line.block, start)
    return model.l2.ready[place]


cdef inline int64_t write_followed(Model *model, const Line *line, int64_t start, Outcome *outcome) noexcept nogil:
    cdef bint is_there
    cdef int64_t place = take(model, line.set_, line.number, &is_there)
    outcome.misses = not is_there
    if not is_there:
        outcome.writes = model.l2.dirty[place]
        if outcome.writes:
            start = max(start, write_back(model, place, start))
            outcome.write_opens = model.opened
        model.l2.ready[place] = start
    model.l2.dirty[place] = 1
    return start


cdef inline int64_t l2_read(Model *model, const Line *line, int64_t at) noexcept nogil:
    """When the L2 has the line at its door; it is asked at `at`."""
    cdef int64_t start
    if model.n_others:
        return read_among(model, line.number, at)
    start = port_take(model.l2_ports + line.channel, at, model.l2_line.own)
    model.stats.l2_read_lines += 1
    if is_of_host(model, line.number):
        model.stats.l2_misses += 1
        return link_read(model, start)
    return read_alone(model, line, start)


# When a line is at the L2's door that it keeps nothing of.
cdef int64_t l2_pass(Model *model, const Line *line, int64_t at) noexcept nogil
# When the L2 has taken the write, which waits until there is room for it.
cdef int64_t l2_write(Model *model, uint32_t number, int64_t at) noexcept nogil
# When so many operations at one address have been done.
cdef int64_t l2_atomic(Model *model, uint32_t number, int64_t at, int64_t operations) noexcept nogil
