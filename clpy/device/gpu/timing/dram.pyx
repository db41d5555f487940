# SPDX-License-Identifier: Apache-2.0
"""Device memory: channels, each of which moves one line after the other.

A channel has its part of the bandwidth of the pins times memory.efficiency, and of writes times
memory.write_efficiency, which stand for refresh, turning from reads to writes, and rows that have to be opened. Reads
come latency.dram after the request on an idle channel; writes take their time on the channel and nobody waits for them.
"""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport FINE, Model, port_share


cdef int64_t dram_read(Model *model, uint32_t channel, int64_t at) noexcept nogil:
    """When the line is in the L2."""
    model.stats.dram_read_lines += 1
    return port_share(model.dram_ports + channel, at * FINE, model.dram_fine,
                      model.dram_share) // FINE + model.dram_latency


cdef void dram_write(Model *model, uint32_t channel, int64_t at) noexcept nogil:
    model.stats.dram_write_lines += 1
    port_share(model.dram_ports + channel, at * FINE, model.dram_write_fine, model.dram_share)
