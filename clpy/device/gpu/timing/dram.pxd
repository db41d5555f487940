# SPDX-License-Identifier: Apache-2.0
"""Device memory: channels, each of which moves one line after the other.

- A channel has its part of the bandwidth of the pins times memory.efficiency, and of writes times
  memory.write_efficiency, which stand for refresh and turning from reads to writes.
- Lines lie in rows of banks, and a row has to be opened before its lines are moved; while they are, others can be
  opened, one every memory.row_ns, and more slowly where they are written, as writes keep a row open for longer. The
  pieces of a channel that are interleave_bytes long go to its banks in turn.
- A channel serves requests to a row together, where they are among so many as it looks at (memory.window): the row is
  opened for the first of them.
- Reads come latency.dram after the request on an idle channel; what is to be written waits in the L2 for its turn.
"""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport (
    FINE, ROWS, SHARE_BITS, Channel, Model, Port, Row, Service, port_among, port_take, quotient, remainder)


cdef inline void count_others(Channel *channel) noexcept nogil:
    """Requests that were not made, but would have come by now."""
    channel.asked += <uint32_t> (channel.part >> SHARE_BITS)
    channel.part &= (1 << SHARE_BITS) - 1


cdef inline Row *row_of(Channel *channel) noexcept nogil:
    """Where the row of the latest request is."""
    return channel.rows + (channel.row * <uint32_t> 0x9e3779b9 >> 25) % ROWS


cdef inline bint opens_row(Model *model, Channel *channel, uint32_t block) noexcept nogil:
    """Whether nothing of the block's row is among the requests that the channel looks at together with this one."""
    cdef uint32_t number
    cdef Row *row
    cdef bint is_open
    if channel.block != block + 1:
        channel.block = block + 1
        channel.row = quotient(block, model.row_blocks) * model.banks.by + remainder(block, model.banks)
    if channel.instruction != model.n_asking:
        channel.instruction = model.n_asking
        count_others(channel)
    number = channel.row
    row = row_of(channel)
    is_open = (row.number == number + 1) & (channel.asked - row.asked < model.window)
    channel.asked += 1
    row.number, row.asked = number + 1, channel.asked
    return not is_open


cdef inline int64_t moved(Channel *channel, bint opens, int64_t at, const Service *line,
                          const Service *row) noexcept nogil:
    cdef int64_t start = port_among(&channel.data, at * FINE, line)
    if opens:
        start = max(start, port_among(&channel.opening, at * FINE, row))
    return start // FINE


cdef inline int64_t dram_read(Model *model, uint32_t channel, uint32_t block, int64_t at) noexcept nogil:
    """When a line of the block is in the L2. Blocks are numbered within their channel here."""
    model.opened = opens_row(model, model.channels + channel, block)
    return dram_read_like(model, channel, model.opened, at)


cdef inline int64_t dram_read_like(Model *model, uint32_t channel, bint opens, int64_t at) noexcept nogil:
    """Where it is known whether a row is opened."""
    model.stats.dram_read_lines += 1
    return moved(model.channels + channel, opens, at, &model.dram_line, &model.row) + model.dram_latency


cdef inline void ask_again(Channel *channel) noexcept nogil:
    """One more request for the block of the latest one, which opens no row: it is the next."""
    channel.asked += 1
    row_of(channel).asked = channel.asked


cdef inline int64_t moved_alone(const Model *model, Port *data, Port *opening, bint opens, int64_t at) noexcept nogil:
    """When a line is in the L2 where all units are followed, so that nobody else's requests are on their way; the ports
    are a channel's, wherever they are."""
    cdef int64_t start = port_take(data, at * FINE, model.dram_line.own)
    if opens:
        start = max(start, port_take(opening, at * FINE, model.row.own))
    return start // FINE + model.dram_latency


cdef inline int64_t dram_read_alone(Model *model, uint32_t channel, uint32_t block, int64_t at) noexcept nogil:
    """As dram_read, likewise."""
    cdef Channel *memory = model.channels + channel
    model.stats.dram_read_lines += 1
    return moved_alone(model, &memory.data, &memory.opening, opens_row(model, memory, block), at)


cdef inline int64_t dram_write(Model *model, uint32_t channel, uint32_t block, int64_t at) noexcept nogil:
    """When the channel gets to it."""
    model.opened = opens_row(model, model.channels + channel, block)
    return dram_write_like(model, channel, model.opened, at)


cdef inline int64_t dram_write_like(Model *model, uint32_t channel, bint opens, int64_t at) noexcept nogil:
    model.stats.dram_write_lines += 1
    return moved(model.channels + channel, opens, at, &model.dram_write_line, &model.row_write)
