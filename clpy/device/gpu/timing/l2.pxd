# SPDX-License-Identifier: Apache-2.0
"""The L2 of a GCN chip: see l2.pyx."""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport Model, quotient, remainder

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


# When the L2 has the line at its door; it is asked at `at`. The others ask behind it.
cdef int64_t l2_read(Model *model, const Line *line, int64_t at) noexcept nogil
# When the L2 has taken the write, which waits until there is room for it.
cdef int64_t l2_write(Model *model, uint32_t number, int64_t at) noexcept nogil
# When so many operations at one address have been done.
cdef int64_t l2_atomic(Model *model, uint32_t number, int64_t at, int64_t operations) noexcept nogil
