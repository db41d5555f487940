# SPDX-License-Identifier: Apache-2.0
"""The L2 of a GCN chip: see l2.pyx."""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport Model, quotient, remainder

ctypedef struct Line:
    uint32_t number
    uint32_t set_                # of the L2, counted over all channels
    uint32_t channel, block      # the block that it lies in, by its number in the channel


cdef inline Line l2_line(const Model *model, uint32_t number) noexcept nogil:
    cdef Line line
    cdef uint32_t of_all = quotient(number, model.interleave_lines)
    line.number = number
    line.block = quotient(of_all, model.l2_channels)
    line.channel = of_all - line.block * model.l2_channels.by
    line.set_ = line.channel * model.l2.sets.by + remainder(
        number - (of_all - line.block) * model.interleave_lines.by, model.l2.sets)
    return line


# When the L2 has the line at its door; it is asked at `at`. The others ask behind it.
cdef int64_t l2_read(Model *model, const Line *line, int64_t at) noexcept nogil
# When the L2 has taken the write, which waits until there is room for it.
cdef int64_t l2_write(Model *model, uint32_t number, int64_t at) noexcept nogil
# When so many operations at one address have been done.
cdef int64_t l2_atomic(Model *model, uint32_t number, int64_t at, int64_t operations) noexcept nogil
